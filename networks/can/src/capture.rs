//! Captures: every frame that was sent, as LINKTYPE_CAN_SOCKETCAN has it, at the instant it ended.

use sojourn_core::Time;
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::can::frame::{CLASSIC_LIMIT, Content, Id, fd_length};
use sojourn_protocols::can::log::Logged;

use crate::contents::bytes_of;
use crate::in_flight::Frame;
use crate::site::FlowSettings;

/// Writes frames to a sink.
pub struct Capture<'c> {
    sink: &'c mut dyn FrameSink,
    record: Vec<u8>,
}

impl<'c> Capture<'c> {
    /// A capture that begins.
    pub fn new(sink: &'c mut dyn FrameSink) -> Self {
        Capture { sink, record: Vec::new() }
    }

    /// Takes a frame that ended at `now`.
    #[cold]
    #[inline(never)]
    pub fn frame(&mut self, now: Time, frame: &Frame, flow: &FlowSettings, id: Id) {
        let mut data = [0; 64];
        bytes_of(frame, flow, false, &mut data);
        let used = usize::from(frame.bytes);
        let content = match (frame.is_remote(), flow.brs) {
            (true, _) => Content::Remote(frame.bytes.min(CLASSIC_LIMIT as u8)),
            (false, None) => Content::Data(&data[..used.min(CLASSIC_LIMIT)]),
            (false, Some(brs)) => Content::Fd { data: &data[..fd_length(used)], brs, esi: false },
        };
        Logged { id, content }.emit(&mut self.record);
        self.sink.frame(now, &self.record);
    }
}
