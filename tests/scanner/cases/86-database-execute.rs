// Database `execute`, `call`, `invoke` on other types. NOT-OUTBOUND
async fn f(pool: &sqlx::PgPool, chain: &dyn Runnable) {
    let _ = sqlx::query("insert into t values (1)").execute(pool).await;
    chain.call().await;
}
