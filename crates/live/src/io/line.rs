//! A stream of octets over a serial line or a TCP connection, which is opened again with backoff after it was lost.

use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration as SystemDuration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use sojourn_core::Duration;

use crate::io::clock::to_system;
use crate::io::serial;

/// First and longest backoff before reconnecting.
const FIRST_PAUSE: SystemDuration = SystemDuration::from_millis(250);
const LONGEST_PAUSE: SystemDuration = SystemDuration::from_secs(30);
/// Connect timeout.
const FLUSH_TIMEOUT: SystemDuration = SystemDuration::from_secs(3);
/// Bytes buffered at most while the line does not accept them.
const MOST_UNWRITTEN: usize = 1 << 20;

/// What is at the other end: a TCP port or a serial device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A TCP port.
    Tcp(SocketAddr),
    /// A serial device, with the settings of its line.
    Serial(PathBuf, sojourn_core::serial::Format),
}

/// A line, open or to be reopened.
#[derive(Debug)]
pub struct Line {
    place: Place,
    file: Option<OwnedFd>,
    retry_at: Instant,
    pause: SystemDuration,
    /// Bytes that were not accepted yet.
    unwritten: Vec<u8>,
    /// Why the line was lost, until it is reported.
    loss: Option<Loss>,
}

/// The result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// This many bytes were read.
    Bytes(usize),
    /// Nothing is queued on the line.
    Nothing,
    /// The line is connected again.
    Restored,
    /// The line was lost.
    Lost(Loss),
}

/// Why a line is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Loss {
    /// The other end closed it.
    #[error("it was closed at the other end")]
    Closed,
    /// It accepts no more bytes.
    #[error("it accepts no more data")]
    Stuck,
    /// An error of the operating system.
    #[error("{0}")]
    System(Errno),
}

impl Place {
    /// Opens the connection or device, non-blocking.
    pub fn open(&self) -> Result<OwnedFd, Errno> {
        match self {
            Place::Tcp(address) => {
                let stream = TcpStream::connect_timeout(address, FLUSH_TIMEOUT).map_err(errno)?;
                stream.set_nodelay(true).map_err(errno)?;
                stream.set_nonblocking(true).map_err(errno)?;
                Ok(stream.into())
            }
            Place::Serial(path, settings) => serial::open(path, *settings),
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Place::Tcp(address) => address.to_string(),
            Place::Serial(path, _) => path.display().to_string(),
        }
    }
}

fn errno(fault: std::io::Error) -> Errno {
    Errno::from_io_error(&fault).unwrap_or(Errno::TIMEDOUT)
}

impl Line {
    /// A line that is open.
    pub fn new(place: Place, file: OwnedFd) -> Line {
        let unwritten = Vec::new();
        Line { place, file: Some(file), retry_at: Instant::now(), pause: FIRST_PAUSE, unwritten, loss: None }
    }

    /// What is at the other end.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Reads what is queued; reports a lost line, and reconnects when the backoff is over.
    pub fn read(&mut self, buffer: &mut [u8]) -> Reading {
        if let Some(loss) = self.loss.take() {
            return Reading::Lost(loss);
        }
        let Some(file) = &self.file else { return self.try_again() };
        let loss = match read(file, &mut *buffer) {
            Ok(0) => Loss::Closed,
            Ok(count) => {
                self.pause = FIRST_PAUSE;
                return Reading::Bytes(count);
            }
            Err(Errno::AGAIN | Errno::INTR) => return Reading::Nothing,
            Err(fault) => Loss::System(fault),
        };
        self.lose(loss);
        self.loss.take().map_or(Reading::Nothing, Reading::Lost)
    }

    /// Writes, or buffers what is not accepted yet. Data for a lost line are dropped.
    pub fn write(&mut self, bytes: &[u8]) {
        if self.file.is_some() {
            self.unwritten.extend_from_slice(bytes);
            self.flush();
        }
    }

    fn flush(&mut self) {
        while let Some(file) = self.file.as_ref().filter(|_| !self.unwritten.is_empty()) {
            match write(file, &self.unwritten) {
                Ok(count) => {
                    self.unwritten.drain(..count);
                }
                Err(Errno::AGAIN | Errno::INTR) if self.unwritten.len() <= MOST_UNWRITTEN => return,
                Err(Errno::AGAIN | Errno::INTR) => self.lose(Loss::Stuck),
                Err(fault) => self.lose(Loss::System(fault)),
            }
        }
    }

    /// Waits until there is something to read or to do, or `limit` has passed.
    pub fn wait(&mut self, limit: Duration) {
        let limit = to_system(limit);
        if self.loss.is_some() {
            return;
        }
        let Some(file) = &self.file else {
            std::thread::sleep(self.retry_at.saturating_duration_since(Instant::now()).min(limit));
            return;
        };
        let writing = if self.unwritten.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
        let limit = Timespec::try_from(limit).ok();
        // a signal ends the wait early, and the caller checks again
        let _ = poll(&mut [PollFd::new(file, PollFlags::IN | writing)], limit.as_ref());
        self.flush();
    }

    fn lose(&mut self, loss: Loss) {
        self.file = None;
        self.unwritten.clear();
        self.loss = Some(loss);
        self.retry_at = Instant::now() + self.pause;
    }

    fn try_again(&mut self) -> Reading {
        if Instant::now() < self.retry_at {
            return Reading::Nothing;
        }
        match self.place.open() {
            Ok(file) => {
                self.file = Some(file);
                Reading::Restored
            }
            Err(_) => {
                self.pause = (2 * self.pause).min(LONGEST_PAUSE);
                self.retry_at = Instant::now() + self.pause;
                Reading::Nothing
            }
        }
    }
}
