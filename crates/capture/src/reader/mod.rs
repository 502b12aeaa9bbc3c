//! Reads capture files as one stream of packets in time order.
//!
//! A [`Reader`] reads pcap, pcapng, textual packet logs and the text of monitors, uncompressed or compressed by gzip or zstd,
//! from files and from a pipe. Several files are merged by timestamp, which suits rotated sets and simultaneous captures alike;
//! a file is open only while its packets are due. Memory does not depend on the length of a file. Bytes may come in pieces from a
//! [`Feed`]: where they end, the reader [awaits](Reader::awaits) more.
//!
//! A file in no known format is an error. A truncated or corrupt file is read up to the damage, which is a [`Fault`].

mod clock;
mod compression;
mod feed;
mod file;
mod interfaces;
mod lines;
mod monitor;
mod pcap;
mod pcapng;
mod record;
mod stamps;
mod text;
mod window;

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

pub use clock::ClockFaults;
pub use feed::Feed;
pub use interfaces::Interface;

use crate::Packet;
use clock::Clock;
use file::CaptureFile;
use interfaces::Interfaces;

/// Files kept open from the start; the others of a larger set are opened again when their packets are due.
const KEPT_OPEN: usize = 16;

/// Stamps before 1980, in nanoseconds since 1970, are those of no clock.
const FIRST_CAPTURES_NS: i128 = 315_532_800_000_000_000;

/// Where a capture comes from.
pub enum Source {
    /// A file by its path.
    Path(PathBuf),
    /// A stream of bytes that can be read once, with its name in messages.
    Stream(String, Box<dyn Read + Send>),
}

/// Why a capture cannot be read at all.
#[derive(Debug, Error)]
pub enum ReadError {
    /// There are no files.
    #[error("no capture is named")]
    NoSource,
    /// A file cannot be opened, read or decompressed.
    #[error("{name} cannot be read: {source}")]
    Unreadable {
        /// Name of the file.
        name: String,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// A file has no bytes.
    #[error("{0} is empty: it has 0 bytes")]
    Empty(String),
    /// A file of another kind.
    #[error(
        "{name} is in no known format: it begins with {first}; read are pcap, pcapng, packet logs of LonTalk, and what axlisten, Dire \
         Wolf, BPQ, tcpdump -n and candump -L print"
    )]
    NotACapture {
        /// Name of the file.
        name: String,
        /// Its first bytes, as text or in hexadecimal.
        first: String,
    },
    /// A file compressed by something else than gzip or zstd.
    #[error("{name} is compressed by {compression}: decompress it, or compress it by gzip or zstd")]
    Compression {
        /// Name of the file.
        name: String,
        /// What it is compressed by.
        compression: &'static str,
    },
    /// The text of a monitor that printed no times.
    #[error("{name} has no time stamps, without which there is nothing to analyse: {remedy}")]
    NoTimes {
        /// Name of the file.
        name: String,
        /// What makes the program print them.
        remedy: &'static str,
    },
    /// The text of a monitor of which no line can be read.
    #[error("{name} has nothing to analyse: {reason}")]
    NoLine {
        /// Name of the file.
        name: String,
        /// What it looks like, and what is wrong with its first line.
        reason: String,
    },
    /// A file whose header is cut or not valid.
    #[error("{name} is not a valid capture: in its header, {reason}")]
    Header {
        /// Name of the file.
        name: String,
        /// What is wrong.
        reason: String,
    },
}

/// Something in a file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Name of the file.
    pub file: String,
    /// Where, in bytes of its decompressed contents.
    pub at_byte: u64,
    /// Packets read before.
    pub after_packets: u64,
    /// What is wrong.
    pub reason: String,
}

/// Reads the packets of one or more files in order of time.
pub struct Reader {
    /// Files whose packets are being merged, by their number.
    open: Vec<(usize, CaptureFile)>,
    /// Files whose packets are not due yet, the earliest last.
    waiting: Vec<Waiting>,
    interfaces: Interfaces,
    clock: Clock,
    /// The place in `open` of the file whose record was handed out last.
    handed_out: Option<usize>,
    /// Whether a file is open whose next record has not arrived.
    awaits: bool,
    packets: u64,
    faults: Vec<Fault>,
    bytes_read: Arc<AtomicU64>,
}

struct Waiting {
    first_stamp: u64,
    number: usize,
    file: NextFile,
}

enum NextFile {
    Open(Box<CaptureFile>),
    Path(PathBuf),
}

impl Reader {
    /// Opens all `sources`; each must be a capture.
    pub fn open(sources: Vec<Source>) -> Result<Reader, ReadError> {
        if sources.is_empty() {
            return Err(ReadError::NoSource);
        }
        let mut reader = Reader {
            open: Vec::new(),
            waiting: Vec::new(),
            interfaces: Interfaces::default(),
            clock: Clock::default(),
            handed_out: None,
            awaits: false,
            packets: 0,
            faults: Vec::new(),
            bytes_read: Arc::default(),
        };
        for (number, source) in sources.into_iter().enumerate() {
            reader.add(number, source)?;
        }
        reader.waiting.sort_by_key(|waiting| std::cmp::Reverse((waiting.first_stamp, waiting.number)));
        Ok(reader)
    }

    /// Opens a file that arrives in pieces; `None` while there are too few of them to know its format.
    pub fn open_feed(name: &str, feed: &Feed) -> Result<Option<Reader>, ReadError> {
        if !feed.has_begun() {
            return Ok(None);
        }
        let opened = Reader::open(vec![Source::Stream(name.to_owned(), Box::new(feed.clone()))]);
        // what was found of a part may be wrong
        if feed.settle() { opened.map(Some) } else { Ok(None) }
    }

    /// The next packet; `None` at the end of all files, and where the reader awaits more of one.
    #[inline]
    pub fn next_packet(&mut self) -> Option<Packet<'_>> {
        self.pass_last();
        if self.is_due() {
            self.open_due();
        }
        if self.awaits && !self.resume() {
            return None;
        }
        let (place, _) = if self.open.len() == 1 { (0, 0) } else { self.earliest() };
        let (number, file) = self.open.get_mut(place)?;
        let record = file.head?;
        self.handed_out = Some(place);
        self.packets += 1;
        let interface = file.interface(&record, *number, &mut self.interfaces);
        let known = &mut self.interfaces.all[interface as usize];
        known.packets += 1;
        known.cut += u64::from(record.original_length as usize > record.length);
        Some(Packet {
            number: self.packets,
            time: self.clock.time(record.stamp),
            interface,
            link_type: known.link_type,
            data: file.data(&record),
            original_length: record.original_length.max(record.length as u32),
        })
    }

    /// Whether the next packet is one whose bytes have not arrived; then [`next_packet`](Reader::next_packet) tries again.
    pub fn awaits(&self) -> bool {
        self.awaits
    }

    /// All interfaces that packets were read of so far, by number.
    pub fn interfaces(&self) -> &[Interface] {
        &self.interfaces.all
    }

    /// What could not be read so far.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Whether a simulation wrote the capture: it stamps from the begin of its run, which is 1970 to readers, when there were no
    /// captures.
    pub fn is_simulated(&self) -> bool {
        self.clock.zero().is_some_and(|zero| zero < FIRST_CAPTURES_NS)
    }

    /// What was found of the clock so far.
    pub fn clock_faults(&self) -> ClockFaults {
        self.clock.faults
    }

    /// Packets read so far.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Bytes read of the files as they are, compressed or not: a counter that another thread may watch.
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }

    fn add(&mut self, number: usize, source: Source) -> Result<(), ReadError> {
        let (file, path) = match source {
            Source::Path(path) => (self.open_path(&path)?, Some(path)),
            Source::Stream(name, input) => (CaptureFile::open(name, input, &mut self.faults)?, None),
        };
        if file.is_over() {
            return Ok(());
        }
        // what has not arrived is awaited from the start
        let first_stamp = file.head.map_or(0, |head| head.stamp);
        let reopened = path.filter(|path| number >= KEPT_OPEN && path.is_file());
        let file = reopened.map_or_else(|| NextFile::Open(Box::new(file)), NextFile::Path);
        self.waiting.push(Waiting { first_stamp, number, file });
        Ok(())
    }

    fn open_path(&mut self, path: &std::path::Path) -> Result<CaptureFile, ReadError> {
        let name = path.display().to_string();
        let input = File::open(path).map_err(|source| ReadError::Unreadable { name: name.clone(), source })?;
        let counted = Counted { input, read: Arc::clone(&self.bytes_read) };
        CaptureFile::open(name, Box::new(counted), &mut self.faults)
    }

    /// Passes over the record handed out last, and closes its file at the end.
    #[inline]
    fn pass_last(&mut self) {
        let Some(place) = self.handed_out.take() else { return };
        let (number, file) = &mut self.open[place];
        file.advance(&mut self.faults);
        self.awaits |= file.awaits;
        if file.is_over() {
            self.interfaces.release(*number);
            self.open.swap_remove(place);
        }
    }

    /// Reads on in files whose next record had not arrived; whether none is awaited any more.
    #[cold]
    fn resume(&mut self) -> bool {
        self.open.iter_mut().for_each(|(_, file)| file.resume(&mut self.faults));
        self.awaits = self.open.iter().any(|(_, file)| file.awaits);
        for (number, _) in self.open.extract_if(.., |(_, file)| file.is_over()) {
            self.interfaces.release(number);
        }
        !self.awaits
    }

    /// Place and stamp of the earliest record at hand, of two alike that of the file named first.
    fn earliest(&self) -> (usize, u64) {
        let heads = self
            .open
            .iter()
            .enumerate()
            .filter_map(|(place, (number, file))| file.head.map(|head| (head.stamp, *number, place)));
        heads.min().map_or((usize::MAX, u64::MAX), |(stamp, _, place)| (place, stamp))
    }

    /// Whether the first packet of another file is due.
    #[inline]
    fn is_due(&self) -> bool {
        self.waiting.last().is_some_and(|next| self.open.is_empty() || next.first_stamp <= self.earliest().1)
    }

    #[cold]
    fn open_due(&mut self) {
        while self.is_due() {
            let Some(next) = self.waiting.pop() else { return };
            let file = match next.file {
                NextFile::Open(file) => *file,
                NextFile::Path(path) => match self.open_path(&path) {
                    Ok(file) => file,
                    Err(error) => {
                        let file = path.display().to_string();
                        let reason = error.to_string();
                        self.faults.push(Fault { file, at_byte: 0, after_packets: 0, reason });
                        continue;
                    }
                },
            };
            if !file.is_over() {
                self.awaits |= file.awaits;
                self.open.push((next.number, file));
            }
        }
    }
}

/// Counts the bytes read of a file.
struct Counted {
    input: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(into)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

#[cfg(test)]
mod tests;
