//! Captures: every frame at the instant it ended, received or not, in KISS format; the port number is the medium's.

use sojourn_core::Time;
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::ax25::wire::Frame;

use super::information::Information;

/// Ports that KISS's command octet can name in its high nibble; its low nibble is 0 for data (LINKTYPE_AX25_KISS).
const PORTS: u32 = 16;

/// Writes frames to a sink.
pub struct Capture<'c> {
    sink: &'c mut dyn FrameSink,
    record: Vec<u8>,
}

impl<'c> Capture<'c> {
    /// A capture into `sink`.
    pub fn new(sink: &'c mut dyn FrameSink) -> Self {
        Capture { sink, record: Vec::new() }
    }

    /// Records a frame that ended at `at` on the medium of this number; the last port stands for all media beyond it.
    pub fn frame(&mut self, at: Time, medium: u32, frame: &Frame<Information>) {
        self.record.clear();
        self.record.resize(1 + frame.length(), 0);
        self.record[0] = (medium.min(PORTS - 1) as u8) << 4;
        frame.emit(&mut self.record[1..]).expect("a station's frames have bytes");
        self.sink.frame(at, &self.record);
    }
}
