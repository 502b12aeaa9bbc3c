//! Writes capture files: the frames of one replication. A file gets its final name when it is complete.

use std::io::{self, BufWriter};
use std::path::Path;

use sojourn_core::Time;
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_metrics::pcap::PcapWriter;

use crate::files::WholeFile;

/// A capture being written.
#[derive(Debug)]
pub struct Capture(PcapWriter<BufWriter<WholeFile>>);

impl Capture {
    /// Begins a capture of frames of `link_type` that will be `path`.
    pub fn create(path: &Path, link_type: LinkType) -> io::Result<Capture> {
        PcapWriter::new(BufWriter::new(WholeFile::create(path)?), link_type).map(Capture)
    }

    /// Ends the capture and returns its number of frames: the file is complete under its name, or the first fault is
    /// returned and there is none.
    pub fn finish(self) -> io::Result<u64> {
        let (file, frames) = self.0.finish()?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?;
        Ok(frames)
    }
}

impl FrameSink for Capture {
    fn frame(&mut self, at: Time, bytes: &[u8]) {
        self.0.frame(at, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_has_its_name_when_it_is_whole() {
        let path = crate::testing::folder("pcap").join("a.pcap");
        let mut capture = Capture::create(&path, LinkType::RawIp).unwrap();
        capture.frame(Time::ZERO, &[0x45, 1, 2]);
        assert!(!path.exists());
        assert_eq!(capture.finish().unwrap(), 1);
        assert_eq!(std::fs::read(&path).unwrap().len(), 24 + 16 + 3);
    }
}
