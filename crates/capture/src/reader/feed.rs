//! A file whose bytes come in pieces, as a page reads it.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that arrives in pieces: they are put in at one end, and a [`Reader`](super::Reader) reads at the other. A read that
/// finds none fails with [`WouldBlock`](io::ErrorKind::WouldBlock), and may be tried again.
#[derive(Clone, Debug, Default)]
pub struct Feed(Arc<Mutex<Pieces>>);

#[derive(Debug)]
struct Pieces {
    kept: VecDeque<Vec<u8>>,
    /// The piece that is read, and how many of its bytes were.
    place: (usize, usize),
    has_ended: bool,
    /// Whether its format is known: what was read is dropped from then on.
    is_open: bool,
    /// Whether a read found nothing.
    ran_dry: bool,
    /// Bytes that are to be there, or the end, before its format is looked for.
    needed: usize,
}

impl Default for Pieces {
    fn default() -> Self {
        let kept = VecDeque::new();
        Pieces { kept, place: (0, 0), has_ended: false, is_open: false, ran_dry: false, needed: Feed::FIRST }
    }
}

impl Feed {
    /// Bytes by which the formats of most files are known; of zstd with a large window more are needed.
    pub const FIRST: usize = 1024 * 1024;

    /// Puts in the next piece.
    pub fn put(&self, piece: Vec<u8>) {
        if !piece.is_empty() {
            self.pieces().kept.push_back(piece);
        }
    }

    /// Ends the file.
    pub fn end(&self) {
        self.pieces().has_ended = true;
    }

    /// Whether it is worth looking for its format.
    pub(super) fn has_begun(&self) -> bool {
        let pieces = self.pieces();
        pieces.has_ended || pieces.kept.iter().map(Vec::len).sum::<usize>() >= pieces.needed
    }

    /// Ends the look for the format: whether the pieces were enough. If not it begins anew from the start, once twice as much is
    /// there, so that all looks together take no longer than two of the last.
    pub(super) fn settle(&self) -> bool {
        let mut pieces = self.pieces();
        if std::mem::take(&mut pieces.ran_dry) {
            pieces.place = (0, 0);
            pieces.needed *= 2;
            return false;
        }
        let (piece, read) = pieces.place;
        pieces.kept.drain(..piece);
        pieces.place = (0, read);
        pieces.is_open = true;
        true
    }

    fn pieces(&self) -> MutexGuard<'_, Pieces> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for Feed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut pieces = self.pieces();
        let (piece, read) = pieces.place;
        let Some(bytes) = pieces.kept.get(piece) else {
            pieces.ran_dry = !pieces.has_ended;
            return if pieces.has_ended { Ok(0) } else { Err(io::ErrorKind::WouldBlock.into()) };
        };
        let length = into.len().min(bytes.len() - read);
        into[..length].copy_from_slice(&bytes[read..read + length]);
        pieces.place = match read + length {
            end if end < bytes.len() => (piece, end),
            _ if pieces.is_open => {
                pieces.kept.pop_front();
                (0, 0)
            }
            _ => (piece + 1, 0),
        };
        Ok(length)
    }
}
