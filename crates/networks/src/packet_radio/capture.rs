//! Capture: every frame at the instant it ended, received or not, in KISS format.

use sojourn_core::Time;
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::ax25::wire::Frame;

use super::information::Information;

/// KISS's command octet of data on the first port (LINKTYPE_AX25_KISS).
const DATA: u8 = 0;

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

    /// Records a frame that ended at `at`.
    pub fn frame(&mut self, at: Time, frame: &Frame<Information>) {
        self.record.clear();
        self.record.resize(1 + frame.length(), DATA);
        frame.emit(&mut self.record[1..]).expect("a station's frames have bytes");
        self.sink.frame(at, &self.record);
    }
}
