//~ depends tokio
// A helper that is given all that a program is: what its callers ask counts.
use tokio::process::Command;

mod pushes {
    use super::Command;
    pub async fn push(remote: &str, branch: &str) -> std::io::Result<()> {
        run(&["push", remote, branch]).await
    }
    pub async fn local() -> std::io::Result<()> {
        run(&["config", "--get", "push"]).await
    }
    async fn run(args: &[&str]) -> std::io::Result<()> {
        Command::new("git").args(args).output().await.map(drop) //~ mutate
    }
}

mod reads {
    use super::Command;
    pub async fn name() -> std::io::Result<()> {
        git(&["rev-parse", "HEAD"]).await
    }
    async fn git(args: &[&str]) -> std::io::Result<()> {
        Command::new("git").args(args).output().await.map(drop)
    }
}

async fn elsewhere(dir: &str) -> std::io::Result<()> {
    Command::new("git").args(["-C", dir, "push", "-u"]).output().await?; //~ mutate
    Command::new("git").args(["-C", "push", "status"]).output().await.map(drop)
}
