//! Holds a worker at its record: the row is locked by a connection of ours until we let go.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::chaos::book;
use crate::chaos::plan::Book;
use crate::chaos::server::Server;

/// How long a record is waited for; a worker that records elsewhere is hit all the same.
const PATIENCE: Duration = Duration::from_millis(500);
/// The longest that a row is held.
const LONGEST: Duration = Duration::from_secs(30);

/// A row that is held.
pub(super) struct Hold {
    waited_for: oneshot::Receiver<bool>,
    release: mpsc::Sender<bool>,
    work: JoinHandle<()>,
}

impl Hold {
    /// Locks the row; where that fails, nothing is held.
    pub(super) async fn take(server: Arc<Mutex<Server>>, book: Book, action: String, key: String) -> Hold {
        let (locked, is_locked) = oneshot::channel();
        let (seen, waited_for) = oneshot::channel();
        let (release, released) = mpsc::channel();
        let work = spawn_blocking(move || {
            let client = server.lock().unwrap_or_else(PoisonError::into_inner).client();
            let Ok(mut client) = client else { return };
            if !book::lock(&book, &action, &key, &mut client).unwrap_or(false) {
                return;
            }
            let _ = locked.send(());
            let limit = Instant::now() + PATIENCE;
            let mut waited_for = Ok(false);
            while Instant::now() < limit && matches!(waited_for, Ok(false)) {
                std::thread::sleep(Duration::from_millis(2));
                waited_for = book::is_waited_for(&mut client);
            }
            let _ = seen.send(waited_for.unwrap_or(false));
            let cut = released.recv_timeout(LONGEST).unwrap_or(false);
            // A connection that is lost has let go by itself.
            let _ = book::unlock(cut, &mut client);
        });
        let _ = is_locked.await;
        Hold { waited_for, release, work }
    }

    /// Waits until somebody waits for the row; whether somebody does.
    pub(super) async fn waited_for(&mut self) -> bool {
        (&mut self.waited_for).await.unwrap_or(false)
    }

    /// Lets go; with `cut`, who waits is cut off first.
    pub(super) async fn release(self, cut: bool) {
        let _ = self.release.send(cut);
        let _ = self.work.await;
    }
}
