// Repeated only where the code itself tells that doing it again is harmless, or that it reads.
use std::future::Future;
struct Web { http: reqwest::Client, base: String }
struct Failure;
impl Failure {
    fn is_replay_safe(&self) -> bool { true }
}
impl Web {
    async fn say(&self) -> Result<(), Failure> {
        self.http.post(&self.base).send().await.map(drop).map_err(|_| Failure)
    }
    async fn say_loudly(&self) -> Result<(), Failure> {
        self.http.post(&self.base).send().await.map(drop).map_err(|_| Failure) //~ retried-send
    }
    async fn by_what_the_error_says(&self, started: u64, window: u64) -> Result<(), Failure> {
        loop {
            let error = match self.say().await { Ok(()) => return Ok(()), Err(error) => error };
            let replay_safe = error.is_replay_safe();
            if !replay_safe || started >= window { return Err(error) }
            pause().await;
        }
    }
    async fn by_the_clock_alone(&self, started: u64, window: u64) -> Result<(), Failure> {
        loop {
            let error = match self.say_loudly().await { Ok(()) => return Ok(()), Err(error) => error };
            let worn_out = started > 3;
            if worn_out || started >= window { return Err(error) }
            pause().await;
        }
    }
    async fn by_what_the_caller_says(&self, idempotent: bool) -> Result<(), Failure> {
        for attempt in 0..3 {
            match self.http.post(&self.base).send().await {
                Ok(_) => return Ok(()),
                Err(_) if idempotent && attempt < 2 => {}
                Err(_) => return Err(Failure),
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind { Read, Write }
enum Next { Again(u64), Wait(u64), Fail(Failure) }
fn classify(failure: Failure, kind: Kind) -> Next {
    if kind == Kind::Read && failure.is_replay_safe() { return Next::Wait(30) }
    match kind {
        Kind::Write => Next::Fail(failure),
        Kind::Read => Next::Again(1),
    }
}
async fn dispatch<F, R, T>(kind: Kind, mut act: F) -> Result<T, Failure>
where F: FnMut() -> R, R: Future<Output = Result<T, Failure>> {
    loop {
        let error = match act().await { Ok(value) => return Ok(value), Err(error) => error };
        match classify(error, kind) {
            Next::Fail(error) => return Err(error),
            Next::Again(pause) => sleep(pause).await,
            Next::Wait(pause) => sleep(pause).await,
        }
    }
}
async fn carefully(web: &Web) -> Result<(), Failure> {
    dispatch(Kind::Write, || web.say()).await
}

enum Step { Again(u64), Fail(Failure) }
fn judge(failure: Failure, kind: Kind) -> Step {
    match kind {
        Kind::Write => Step::Again(2),
        Kind::Read => Step::Again(1),
    }
}
async fn repeat<F, R, T>(kind: Kind, mut act: F) -> Result<T, Failure>
where F: FnMut() -> R, R: Future<Output = Result<T, Failure>> {
    loop {
        let error = match act().await { Ok(value) => return Ok(value), Err(error) => error };
        match judge(error, kind) {
            Step::Fail(error) => return Err(error),
            Step::Again(pause) => sleep(pause).await,
        }
    }
}
async fn blindly(web: &Web) -> Result<(), Failure> {
    repeat(Kind::Write, || async { web.http.post(&web.base).send().await.map(drop).map_err(|_| Failure) }).await //~ retried-send
}
