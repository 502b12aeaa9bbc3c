//! A stream of bytes to a TNC that may break off and is opened again, ever less often.

use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration as SystemDuration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use sojourn_core::Duration;

use super::{Loss, serial};
use crate::clock::to_system;

/// The first pause before another try, and the longest.
const FIRST_PAUSE: SystemDuration = SystemDuration::from_millis(250);
const LONGEST_PAUSE: SystemDuration = SystemDuration::from_secs(30);
/// How long a host is waited for.
const PATIENCE: SystemDuration = SystemDuration::from_secs(3);
/// Bytes that may wait for the TNC to take them.
const MOST_UNWRITTEN: usize = 1 << 20;

/// Where the TNC is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// At a TCP port.
    Tcp(SocketAddr),
    /// At a serial device, so many bits a second.
    Serial(PathBuf, u32),
}

/// An open line, or one that is to be opened again.
#[derive(Debug)]
pub struct Line {
    place: Place,
    file: Option<OwnedFd>,
    retry_at: Instant,
    pause: SystemDuration,
    /// What the TNC has not taken yet.
    unwritten: Vec<u8>,
}

/// What reading gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// So many bytes.
    Bytes(usize),
    /// Nothing for now.
    Nothing,
    /// The line is there again.
    Restored,
    /// The line broke off.
    Lost(Loss),
}

impl Place {
    /// Opens it; reads and writes never wait.
    pub fn open(&self) -> Result<OwnedFd, Errno> {
        match self {
            Place::Tcp(address) => {
                let stream = TcpStream::connect_timeout(address, PATIENCE).map_err(errno)?;
                stream.set_nodelay(true).map_err(errno)?;
                stream.set_nonblocking(true).map_err(errno)?;
                Ok(stream.into())
            }
            Place::Serial(path, bit_rate) => serial::open(path, *bit_rate),
        }
    }

    /// In a user's words.
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
        Line { place, file: Some(file), retry_at: Instant::now(), pause: FIRST_PAUSE, unwritten: Vec::new() }
    }

    /// Where it leads.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Reads what is there; opens the line again if it is gone and it is time to try.
    pub fn read(&mut self, buffer: &mut [u8]) -> Reading {
        let Some(file) = &self.file else { return self.try_again() };
        match read(file, &mut *buffer) {
            Ok(0) => self.lose(Loss::Closed),
            Ok(count) => {
                self.pause = FIRST_PAUSE;
                Reading::Bytes(count)
            }
            Err(Errno::AGAIN | Errno::INTR) => Reading::Nothing,
            Err(fault) => self.lose(Loss::System(fault)),
        }
    }

    /// Writes, or keeps what the TNC does not take yet. What a lost line should have carried is lost.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Loss> {
        if self.file.is_none() {
            return Ok(());
        }
        self.unwritten.extend_from_slice(bytes);
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Loss> {
        while let Some(file) = self.file.as_ref().filter(|_| !self.unwritten.is_empty()) {
            let loss = match write(file, &self.unwritten) {
                Ok(count) => {
                    self.unwritten.drain(..count);
                    continue;
                }
                Err(Errno::AGAIN | Errno::INTR) if self.unwritten.len() <= MOST_UNWRITTEN => return Ok(()),
                Err(Errno::AGAIN | Errno::INTR) => Loss::Stuck,
                Err(fault) => Loss::System(fault),
            };
            self.lose(loss);
            return Err(loss);
        }
        Ok(())
    }

    /// Waits until there is something to read, or to do, or `limit` is over.
    pub fn wait(&mut self, limit: Duration) -> Result<(), Loss> {
        let limit = to_system(limit);
        let Some(file) = &self.file else {
            std::thread::sleep(self.retry_at.saturating_duration_since(Instant::now()).min(limit));
            return Ok(());
        };
        let writing = if self.unwritten.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
        let limit = Timespec::try_from(limit).ok();
        // a signal ends the wait early, which is as good as a byte
        let _ = poll(&mut [PollFd::new(file, PollFlags::IN | writing)], limit.as_ref());
        self.flush()
    }

    fn lose(&mut self, loss: Loss) -> Reading {
        self.file = None;
        self.unwritten.clear();
        self.retry_at = Instant::now() + self.pause;
        Reading::Lost(loss)
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
