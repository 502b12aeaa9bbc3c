//! Capture files: the frames of one replication as a classic pcap file with nanosecond time stamps.
//!
//! A frame is stamped with the end of its transmission, counted from the start of the run, which readers show
//! as 1970-01-01. The file takes its name when it is complete. The format is a
//! dozen lines here; the `pcap-file` crate would add three dependencies and replace none of them.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use sojourn_core::Time;
use sojourn_core::time::PICOSECONDS_PER_SECOND;
use sojourn_metrics::frames::{FrameSink, LinkType};

use crate::files::WholeFile;

/// Magic number of a pcap file whose time stamps count nanoseconds.
const NANOSECOND_MAGIC: u32 = 0xa1b2_3c4d;
/// The longest frame a reader must expect, in bytes.
const LONGEST_FRAME: u32 = 65_535;

/// A capture being written.
#[derive(Debug)]
pub struct Capture {
    file: BufWriter<WholeFile>,
    frames: u64,
    fault: Option<io::Error>,
}

impl Capture {
    /// Begins a capture of frames of `link_type` that will be `path`.
    pub fn create(path: &Path, link_type: LinkType) -> io::Result<Capture> {
        let mut file = BufWriter::new(WholeFile::create(path)?);
        for word in [NANOSECOND_MAGIC, 2 | 4 << 16, 0, 0, LONGEST_FRAME, link_type as u32] {
            file.write_all(&word.to_le_bytes())?;
        }
        Ok(Capture { file, frames: 0, fault: None })
    }

    /// Ends the capture and returns its number of frames: the file is complete under its name, or the first fault is
    /// returned and there is none.
    pub fn finish(self) -> io::Result<u64> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        self.file.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?;
        Ok(self.frames)
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

impl FrameSink for Capture {
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
        let path = crate::testing::folder("pcap").join("a.pcap");
        let mut capture = Capture::create(&path, LinkType::RawIp).unwrap();
        capture.frame(Time::from_picoseconds(3 * PICOSECONDS_PER_SECOND + 5_999), &[0x45, 1, 2]);
        assert!(!path.exists(), "the file has its name only when it is whole");
        assert_eq!(capture.finish().unwrap(), 1);

        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes[..4], [0x4d, 0x3c, 0xb2, 0xa1]);
        assert_eq!(bytes[4..8], [2, 0, 4, 0]);
        assert_eq!(bytes[20..24], [101, 0, 0, 0]);
        assert_eq!(bytes[24..32], [3, 0, 0, 0, 5, 0, 0, 0]);
        assert_eq!(bytes[32..40], [3, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(bytes[40..], [0x45, 1, 2]);
    }

    #[test]
    fn a_capture_names_the_link_type_of_its_frames() {
        let path = crate::testing::folder("pcap-link-type").join("a.pcap");
        Capture::create(&path, LinkType::Fddi).unwrap().finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap()[20..24], [10, 0, 0, 0]);
    }
}
