//! A file whose bytes come in pieces, as a page reads it.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file of which pieces arrive: who has them puts them in at one end, a [`Reader`](super::Reader) reads at the other. A read that
/// finds none fails with [`WouldBlock`](io::ErrorKind::WouldBlock), and may be tried again.
#[derive(Clone, Debug, Default)]
pub struct Feed(Arc<Mutex<Pieces>>);

#[derive(Debug, Default)]
struct Pieces {
    waiting: VecDeque<Vec<u8>>,
    /// Bytes of the first that were read.
    read: usize,
    has_ended: bool,
}

impl Feed {
    /// Bytes that are to be there, or the end, before a reader opens the file: what it recognises formats by.
    pub const FIRST: usize = 1024 * 1024;

    /// Puts in the next piece.
    pub fn put(&self, piece: Vec<u8>) {
        if !piece.is_empty() {
            self.pieces().waiting.push_back(piece);
        }
    }

    /// Ends the file.
    pub fn end(&self) {
        self.pieces().has_ended = true;
    }

    /// Whether a reader can open the file.
    pub fn has_begun(&self) -> bool {
        let pieces = self.pieces();
        pieces.has_ended || pieces.waiting.iter().map(Vec::len).sum::<usize>() >= Feed::FIRST
    }

    fn pieces(&self) -> MutexGuard<'_, Pieces> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for Feed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut pieces = self.pieces();
        let Pieces { waiting, read, has_ended } = &mut *pieces;
        let Some(first) = waiting.front() else {
            return if *has_ended { Ok(0) } else { Err(io::ErrorKind::WouldBlock.into()) };
        };
        let length = into.len().min(first.len() - *read);
        into[..length].copy_from_slice(&first[*read..*read + length]);
        *read += length;
        if *read == first.len() {
            waiting.pop_front();
            *read = 0;
        }
        Ok(length)
    }
}
