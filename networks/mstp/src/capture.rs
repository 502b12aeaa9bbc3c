//! Captures: every frame that ended whole, from its preamble on (LINKTYPE_BACNET_MS_TP).

use sojourn_core::Time;
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::mstp::wire::Frame;

use super::npdu::Npdu;

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

    /// Takes a frame that ended at `at`.
    #[cold]
    pub fn frame(&mut self, at: Time, frame: &Frame<Npdu>) {
        self.record.clear();
        frame.emit(&mut self.record).expect("declared sizes fit a frame");
        self.sink.frame(at, &self.record);
    }
}
