//! Standard input that can be abandoned while no data come: a thread reads it, and ends with the process.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use crate::progress::Tracker;

/// Bytes read at a time.
const PART_LENGTH: usize = 64 * 1024;
/// Parts that are read ahead.
const PARTS_AHEAD: usize = 16;
/// How often a cancelled job is noticed while nothing comes.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Standard input until its end, or until the job is cancelled.
pub(super) struct StandardInput {
    parts: Receiver<io::Result<Vec<u8>>>,
    part: io::Cursor<Vec<u8>>,
    tracker: Arc<Tracker>,
}

impl StandardInput {
    /// Begins to read.
    pub fn new(tracker: Arc<Tracker>) -> Self {
        let (sender, parts) = sync_channel(PARTS_AHEAD);
        std::thread::spawn(move || {
            let mut input = io::stdin().lock();
            loop {
                let mut part = vec![0; PART_LENGTH];
                let read = match input.read(&mut part) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let ended = !matches!(read, Ok(1..));
                let read = read.map(|length| {
                    part.truncate(length);
                    part
                });
                if sender.send(read).is_err() || ended {
                    return;
                }
            }
        });
        StandardInput { parts, part: io::Cursor::default(), tracker }
    }
}

impl Read for StandardInput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.part.read(into)?;
            if length > 0 || self.tracker.is_cancelled() {
                return Ok(length);
            }
            match self.parts.recv_timeout(LOOK_INTERVAL) {
                Ok(part) => self.part = io::Cursor::new(part?),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
    }
}
