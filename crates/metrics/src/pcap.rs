//! Writes captures as classic pcap files with nanosecond timestamps.
//!
//! A frame is stamped with the end of its transmission, counted from the start of the run, which readers show
//! as 1970-01-01. The format is a dozen lines here; the `pcap-file` crate would add three dependencies and replace none of them.

use std::io::{self, Write};

use sojourn_core::Time;
use sojourn_core::time::PICOSECONDS_PER_SECOND;

use crate::frames::{FrameSink, LinkType};

/// Magic number of a pcap file whose time stamps count nanoseconds.
const NANOSECOND_MAGIC: u32 = 0xa1b2_3c4d;
/// The longest frame a reader must expect, in bytes.
const LONGEST_FRAME: u32 = 65_535;

/// A capture being written; after a fault nothing more is.
#[derive(Debug)]
pub struct PcapWriter<W> {
    file: W,
    frames: u64,
    fault: Option<io::Error>,
}

impl<W: Write> PcapWriter<W> {
    /// Begins a capture of frames of `link_type`.
    pub fn new(mut file: W, link_type: LinkType) -> io::Result<PcapWriter<W>> {
        for word in [NANOSECOND_MAGIC, 2 | 4 << 16, 0, 0, LONGEST_FRAME, link_type as u32] {
            file.write_all(&word.to_le_bytes())?;
        }
        Ok(PcapWriter { file, frames: 0, fault: None })
    }

    /// What it was written to and the number of frames, or the first fault.
    pub fn finish(self) -> io::Result<(W, u64)> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok((self.file, self.frames)),
        }
    }

    fn write(&mut self, at: Time, bytes: &[u8]) -> io::Result<()> {
        self.frames += 1;
        let picoseconds = at.picoseconds();
        let seconds = (picoseconds / PICOSECONDS_PER_SECOND) as u32;
        let nanoseconds = (picoseconds % PICOSECONDS_PER_SECOND / 1_000) as u32;
        let length = u32::try_from(bytes.len()).unwrap_or(LONGEST_FRAME).min(LONGEST_FRAME);
        for word in [seconds, nanoseconds, length, u32::try_from(bytes.len()).unwrap_or(u32::MAX)] {
            self.file.write_all(&word.to_le_bytes())?;
        }
        self.file.write_all(&bytes[..length as usize])
    }
}

impl<W: Write + Send> FrameSink for PcapWriter<W> {
    fn frame(&mut self, at: Time, bytes: &[u8]) {
        if self.fault.is_none() {
            self.fault = self.write(at, bytes).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_holds_the_header_and_each_frame_with_its_end_in_nanoseconds() {
        let mut capture = PcapWriter::new(Vec::new(), LinkType::RawIp).unwrap();
        capture.frame(Time::from_picoseconds(3 * PICOSECONDS_PER_SECOND + 5_999), &[0x45, 1, 2]);
        let (bytes, frames) = capture.finish().unwrap();
        assert_eq!(frames, 1);
        assert_eq!(bytes[..4], [0x4d, 0x3c, 0xb2, 0xa1]);
        assert_eq!(bytes[4..8], [2, 0, 4, 0]);
        assert_eq!(bytes[20..24], [101, 0, 0, 0]);
        assert_eq!(bytes[24..32], [3, 0, 0, 0, 5, 0, 0, 0]);
        assert_eq!(bytes[32..40], [3, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(bytes[40..], [0x45, 1, 2]);
    }

    #[test]
    fn a_capture_names_the_link_type_of_its_frames() {
        let (bytes, _) = PcapWriter::new(Vec::new(), LinkType::Fddi).unwrap().finish().unwrap();
        assert_eq!(bytes[20..24], [10, 0, 0, 0]);
    }

    #[test]
    fn nothing_is_written_after_a_fault() {
        let mut room = [0u8; 30];
        let mut capture = PcapWriter::new(&mut room[..], LinkType::RawIp).unwrap();
        capture.frame(Time::ZERO, &[0x45; 20]);
        capture.frame(Time::ZERO, &[]);
        assert!(capture.finish().is_err());
    }
}
