//! What a capture shows: every correct packet of every medium, as LON/IP over UDP, at the instant it ended.
//!
//! Each medium has a session of its own, as if it were behind a LON/IP device of its own: a reader can distinguish the copies of
//! a packet that routers forward from retries.

use sojourn_core::{Streams, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::lonip::{Stamp, capture_record};
use sojourn_protocols::lontalk::wire::Packet;

/// Writes packets to a sink.
pub struct Capture<'c> {
    sink: &'c mut dyn FrameSink,
    session: u32,
    /// Packets so far, by medium.
    sequences: Vec<u32>,
    record: Vec<u8>,
}

impl<'c> Capture<'c> {
    /// A capture that begins.
    pub fn new(sink: &'c mut dyn FrameSink, streams: &Streams) -> Self {
        let session = streams.stream("capture/session").bits() as u32;
        Capture { sink, session: session.max(1), sequences: Vec::new(), record: Vec::new() }
    }

    /// Takes a packet that ended on the medium of this number at `now`.
    #[cold]
    #[inline(never)]
    pub fn packet(&mut self, now: Time, medium: usize, packet: &Packet<StreamRange>) {
        if self.sequences.len() <= medium {
            self.sequences.resize(medium + 1, 0);
        }
        self.sequences[medium] = self.sequences[medium].wrapping_add(1);
        let stamp = Stamp {
            // a session has a number other than 0
            session: self.session.wrapping_add(medium as u32).max(1),
            sequence: self.sequences[medium],
            // the field has 32 bits: it starts anew after 49 days
            time_stamp_ms: (now.picoseconds() / 1_000_000_000) as u32,
        };
        capture_record(packet, stamp, &mut self.record).expect("the machine sends only what has bytes");
        self.sink.frame(now, &self.record);
    }
}
