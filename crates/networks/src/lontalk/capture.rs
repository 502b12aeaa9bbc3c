//! What a capture shows: every correct packet of every medium, as LON/IP over UDP, at the instant it ended.

use sojourn_core::{Streams, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::lonip::{Stamp, capture_record};
use sojourn_protocols::lontalk::wire::Packet;

/// Writes packets to a sink.
pub struct Capture<'c> {
    sink: &'c mut dyn FrameSink,
    stamp: Stamp,
    record: Vec<u8>,
}

impl<'c> Capture<'c> {
    /// A capture that begins.
    pub fn new(sink: &'c mut dyn FrameSink, streams: &Streams) -> Self {
        let session = streams.stream("capture/session").bits() as u32;
        let stamp = Stamp { session: session.max(1), sequence: 0, time_stamp_ms: 0 };
        Capture { sink, stamp, record: Vec::new() }
    }

    /// Takes a packet that ended at `now`.
    #[cold]
    #[inline(never)]
    pub fn packet(&mut self, now: Time, packet: &Packet<StreamRange>) {
        self.stamp.sequence = self.stamp.sequence.wrapping_add(1);
        // the field has 32 bits: it starts anew after 49 days
        self.stamp.time_stamp_ms = (now.picoseconds() / 1_000_000_000) as u32;
        capture_record(packet, self.stamp, &mut self.record).expect("the machine sends only what has bytes");
        self.sink.frame(now, &self.record);
    }
}
