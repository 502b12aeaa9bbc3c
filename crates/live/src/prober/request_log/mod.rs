//! The requests of a measurement in an append-only file, written as they are decided and synced every second: what was
//! measured until a crash, a kill or a full disk is not lost.
//!
//! 1. the prober hands over [`run`] batches of requests that are answered or timed out;
//! 2. a thread of its own writes each as a [`line`](mod@line) of `requests.csv`;
//! 3. a measurement that did not end is [recovered](recovery) from the file.

pub mod line;
pub mod recovery;
pub mod run;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use self::line::{HEADER, LoggedRequest};

/// Interval of synchronization with the disk.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// Takes requests for the file; they are written on another thread.
#[derive(Clone, Debug)]
pub struct RequestLog {
    sender: Sender<Vec<LoggedRequest>>,
}

/// The file being written.
#[derive(Debug)]
pub struct LogFile {
    sender: Sender<Vec<LoggedRequest>>,
    thread: JoinHandle<io::Result<()>>,
}

impl LogFile {
    /// Begins the file.
    pub fn create(path: &Path) -> io::Result<LogFile> {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "{HEADER}")?;
        let (sender, receiver) = channel();
        let write = move || write_all(&receiver, file);
        let thread = std::thread::Builder::new().name("sojourn-log".to_owned()).spawn(write)?;
        Ok(LogFile { sender, thread })
    }

    /// Takes requests for it.
    pub fn log(&self) -> RequestLog {
        RequestLog { sender: self.sender.clone() }
    }

    /// Ends the file once all logs of it are dropped; an error of any write, after which nothing more was written.
    pub fn finish(self) -> io::Result<()> {
        drop(self.sender);
        self.thread.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
    }
}

impl RequestLog {
    /// Hands over requests.
    pub(super) fn write(&self, requests: Vec<LoggedRequest>) {
        // the thread has ended where nothing more can be written
        let _ = self.sender.send(requests);
    }
}

fn write_all(receiver: &Receiver<Vec<LoggedRequest>>, mut file: BufWriter<File>) -> io::Result<()> {
    let mut synced = Instant::now();
    let mut is_open = true;
    while is_open {
        match receiver.recv_timeout(SYNC_EVERY) {
            Ok(requests) => {
                for request in requests {
                    writeln!(file, "{request}")?;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => is_open = false,
        }
        if !is_open || synced.elapsed() >= SYNC_EVERY {
            file.flush()?;
            file.get_ref().sync_data()?;
            synced = Instant::now();
        }
    }
    Ok(())
}
