//! The request log: an append-only file, written as requests complete and synced every second, so that a crash, a
//! kill or a full disk loses nothing measured before.
//!
//! 1. the prober hands over [`run`] batches of requests that are answered or timed out;
//! 2. each [`second`] it adds what a load has carried, and what the peer has counted;
//! 3. a thread of its own writes each request as a [`line`](mod@line) of `requests.csv`, and the rest to `seconds.csv`;
//! 4. a measurement that did not end is [recovered](recovery) from the files.

pub mod line;
pub mod recovery;
pub mod run;
pub mod second;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use self::line::LoggedRequest;
use self::second::LoggedSecond;

/// Interval of synchronization with the disk.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// Takes requests for the files; they are written on another thread.
#[derive(Clone, Debug)]
pub struct RequestLog {
    sender: Sender<Entry>,
}

/// What is written at a time.
#[derive(Debug)]
enum Entry {
    Requests(Vec<LoggedRequest>),
    Second(LoggedSecond),
}

/// The files being written.
#[derive(Debug)]
pub struct LogFile {
    sender: Sender<Entry>,
    thread: JoinHandle<io::Result<()>>,
}

impl LogFile {
    /// Begins the files of requests and of seconds.
    pub fn create(requests: &Path, seconds: &Path) -> io::Result<LogFile> {
        let mut files = [requests, seconds].map(|path| File::create(path).map(BufWriter::new));
        for (file, header) in files.iter_mut().zip([line::HEADER, second::HEADER]) {
            if let Ok(file) = file {
                writeln!(file, "{header}")?;
            }
        }
        let [requests, seconds] = files;
        let files = [requests?, seconds?];
        let (sender, receiver) = channel();
        let write = move || write_all(&receiver, files);
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
        let _ = self.sender.send(Entry::Requests(requests));
    }

    /// Hands over what is known at a time.
    pub(super) fn note(&self, second: LoggedSecond) {
        let _ = self.sender.send(Entry::Second(second));
    }
}

fn write_all(receiver: &Receiver<Entry>, [mut requests, mut seconds]: [BufWriter<File>; 2]) -> io::Result<()> {
    let mut synced = Instant::now();
    let mut is_open = true;
    while is_open {
        match receiver.recv_timeout(SYNC_EVERY) {
            Ok(Entry::Requests(batch)) => {
                for request in batch {
                    writeln!(requests, "{request}")?;
                }
            }
            Ok(Entry::Second(second)) => writeln!(seconds, "{second}")?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => is_open = false,
        }
        if !is_open || synced.elapsed() >= SYNC_EVERY {
            for file in [&mut requests, &mut seconds] {
                file.flush()?;
                file.get_ref().sync_data()?;
            }
            synced = Instant::now();
        }
    }
    Ok(())
}
