pub async fn answered(pool: &sqlx::PgPool, id: i64) -> sqlx::Result<()> {
    sqlx::query("UPDATE tickets SET answered = true WHERE id = $1").bind(id).execute(pool).await?;
    Ok(())
}

pub async fn not_told(job: &Job) {
    job.inner.run().await;
}
