//! A wire to the server that is cut when an answer has left the server and before the client has it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};

/// A folder with a socket that leads to a server.
pub(crate) struct Wire {
    folder: tempfile::TempDir,
}

impl Wire {
    /// A wire to this socket. The answer to the first statement that holds `statement` is lost, and every connection
    /// after that is left alone.
    pub(crate) fn cut_at(server: PathBuf, statement: &'static str) -> Wire {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        let armed = Arc::new(Mutex::new(Some(statement)));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = UnixStream::connect(&server).await.unwrap();
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                let called = Arc::new(Mutex::new(false));
                let asking = tokio::spawn(ask(from_client, to_server, armed.clone(), called.clone()));
                tokio::spawn(async move {
                    answer(from_server, to_client, &called).await;
                    asking.abort();
                });
            }
        });
        Wire { folder }
    }

    /// The folder that stands for the server's.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Passes on what the client says, and notes when it says the statement.
async fn ask(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    armed: Arc<Mutex<Option<&'static str>>>,
    called: Arc<Mutex<bool>>,
) {
    let mut octets = vec![0; 65_536];
    while let Ok(read @ 1..) = from.read(&mut octets).await {
        let said = String::from_utf8_lossy(&octets[..read]).into_owned();
        if armed.lock().unwrap().take_if(|statement| said.contains(*statement)).is_some() {
            *called.lock().unwrap() = true;
        }
        if to.write_all(&octets[..read]).await.is_err() {
            return;
        }
    }
}

/// Passes on what the server says. Once the statement was called, an answer with a row in it is kept until the server
/// is ready for the next statement, which is after the commit; then the wire is cut.
async fn answer(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, called: &Mutex<bool>) {
    let mut with_row = false;
    loop {
        let mut head = [0; 5];
        if from.read_exact(&mut head).await.is_err() {
            return;
        }
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let mut message = vec![0; length - 4];
        if from.read_exact(&mut message).await.is_err() {
            return;
        }
        with_row |= head[0] == b'D' && *called.lock().unwrap();
        if with_row && head[0] == b'Z' {
            return;
        }
        if !with_row && to.write_all(&[&head[..], &message].concat()).await.is_err() {
            return;
        }
    }
}
