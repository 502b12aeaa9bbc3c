//! Captures: every correct packet of every medium, as LON/IP over UDP, at the instant it ended.
//!
//! Each medium has its own session, as if it were behind its own LON/IP device, so that a reader can distinguish the
//! copies that routers forward from retries. On a channel over an IP network, the datagrams that arrive are captured,
//! per pair of members, with the sender's sequence numbers; a restarted sender has a new session.

use sojourn_core::{Streams, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::lonip::{Stamp, capture_record, datagram_record, host};
use sojourn_protocols::lontalk::wire::{Packet, SubnetNode};

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
        let stamp = self.stamp(medium, (0, self.sequences[medium]), now);
        capture_record(packet, stamp, &mut self.record).expect("the machine sends only what has bytes");
        self.sink.frame(now, &self.record);
    }

    /// Takes a datagram that arrives at `now`, from one member of a channel over an IP network to another.
    #[cold]
    #[inline(never)]
    pub fn datagram(
        &mut self,
        now: Time,
        hosts: [SubnetNode; 2],
        (medium, session, stamped): (usize, (u32, u64), Time),
        packet: &Packet<StreamRange>,
    ) {
        let stamp = self.stamp(medium, (session.0, session.1 as u32), stamped);
        let [from, to] = hosts.map(host);
        datagram_record(packet, (from, to), stamp, &mut self.record).expect("the machine sends only what has bytes");
        self.sink.frame(now, &self.record);
    }

    fn stamp(&self, medium: usize, (restarts, sequence): (u32, u32), at: Time) -> Stamp {
        let session = self.session.wrapping_add(medium as u32).wrapping_add(restarts << 16);
        Stamp {
            // a session has a number other than 0
            session: session.max(1),
            sequence,
            // the field has 32 bits: it starts anew after 49 days
            time_stamp_ms: (at.picoseconds() / 1_000_000_000) as u32,
        }
    }
}
