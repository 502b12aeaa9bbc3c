//! XTP 4.0 associations: messages and their answers, acknowledgements, retransmissions, handshakes.
//!
//! A packet carries the key of its receiver's context (with RTN set, or once keys are exchanged) or of its sender's;
//! FIRST states the initiator's key, TCNTL the responder's. The n-th message of the responder answers the n-th of the
//! initiator, since both streams are in order. As long as the responder has sent no data, a message ends with the
//! first report that acknowledges all of it. Data without EOM count as one message until the association ends.
//!
//! A retransmission requests status and so has a new sync number. A packet with the sync number of the previous one
//! is a copy forwarded by a router between capture points, and counts once.
//!
//! Memory is bounded by [`ASSOCIATIONS`], and by [`REMEMBERED`] open messages and unacknowledged packets of all of them.

mod association;
mod captured;
mod direction;
mod message;

use foldhash::fast::FixedState;
use indexmap::IndexMap;
use sojourn_core::Time;
use sojourn_protocols::xtp::wire::{Body, HEADER_LENGTH, Packet, ParseError};

use crate::open_table::OpenTable;
use crate::{FlowId, Sink};
use association::Association;
use captured::ContextKey;
pub use captured::{Captured, Host};

/// Associations followed at the same time; beyond it the one that was silent longest is closed and counted as evicted.
pub const ASSOCIATIONS: usize = 16_384;

/// Open messages and unacknowledged packets that all associations remember, at most 120 octets each; beyond it messages are
/// reported when the next one begins, and copies of packets count as retransmissions.
pub const REMEMBERED: usize = 500_000;

/// Associations by the keys of their contexts.
#[derive(Debug)]
pub struct Associations {
    open: OpenTable<u64, Association>,
    contexts: IndexMap<ContextKey, u64, FixedState>,
    /// Associations of before the capture of which one key is known, by their hosts, the lower first.
    halves: IndexMap<(Host, Host), u64, FixedState>,
    /// Number of the next association.
    next: u64,
    /// Messages and packets remembered by all associations.
    remembered: usize,
}

impl Default for Associations {
    fn default() -> Self {
        Associations {
            open: OpenTable::new(ASSOCIATIONS),
            contexts: IndexMap::default(),
            halves: IndexMap::default(),
            next: 0,
            remembered: 0,
        }
    }
}

/// Whether user data of a datagram can be a packet of XTP: its version, its unassigned bits and its length are right, which
/// chance makes so once in 10^13.
#[inline]
pub fn is_packet(bytes: &[u8], length: u32) -> bool {
    let Some(&[options, _, zero, kind, a, b, c, d]) = bytes.get(8..).and_then(|rest| rest.first_chunk()) else {
        return false;
    };
    let data = u32::from_be_bytes([a, b, c, d]);
    length.checked_sub(HEADER_LENGTH as u32) == Some(data) && options & 0x80 == 0 && zero == 0 && kind >> 5 == 1
}

/// The octets of a packet by its header, of a frame that may be padded; `None` of less than a header.
pub(crate) fn length(bytes: &[u8]) -> Option<u32> {
    let field = bytes.get(12..16)?.first_chunk()?;
    u32::from_be_bytes(*field).checked_add(HEADER_LENGTH as u32)
}

impl Associations {
    /// A packet was captured; its flow, and whether the initiator sent it. `None` if it does not parse.
    pub fn packet(&mut self, captured: &Captured<'_>, out: &mut Sink) -> Option<(FlowId, bool)> {
        let (packet, octets) = match parse(captured) {
            Ok(parsed) => parsed,
            Err(error) => {
                match error {
                    // each would be a reason of its own
                    ParseError::Checksum { .. } => out.malformed(captured.number, "XTP", "checksum mismatch"),
                    error => out.malformed(captured.number, "XTP", error),
                }
                return None;
            }
        };
        let number = self.association(captured, &packet, out);
        let association = self.open.use_entry(&number)?;
        let before = association.remembered();
        let may_remember = self.remembered < REMEMBERED;
        let forward = association.packet(captured, &packet, octets, may_remember, out);
        self.remembered = self.remembered + association.remembered() - before;
        let flow = association.flow();
        if let Body::TrafficControl { xkey, .. } = packet.body {
            let ends = (captured.from.min(captured.to), captured.from.max(captured.to));
            self.learn((captured.from, xkey.plain().0), ends, number);
        }
        Some((flow, forward))
    }

    /// The capture ends.
    pub fn finish(&mut self, end: Time, out: &mut Sink) {
        while let Some((_, mut association)) = self.open.remove_oldest() {
            association.finish(end, out);
        }
        self.contexts.clear();
        self.halves.clear();
        self.remembered = 0;
    }

    /// The number of the association that a packet belongs to, which may begin with it.
    fn association(&mut self, captured: &Captured<'_>, packet: &Packet<&[u8]>, out: &mut Sink) -> u64 {
        let key = packet.header.key;
        let (from, to) = (captured.from, captured.to);
        let [own, peers] = [(from, key.plain().0), (to, key.plain().0)];
        let opens = matches!(packet.body, Body::First { .. }) && !key.is_returned();
        // a key that was exchanged has no RTN either
        let known = if key.is_returned() { None } else { self.contexts.get(&own) };
        if let Some(&number) = known.or_else(|| if opens { None } else { self.contexts.get(&peers) }) {
            let ended = self.open.get_mut(&number).is_none_or(|association| opens && association.has_ended());
            if !ended {
                return number;
            }
            self.close(number, captured.time, out);
        }
        let context = if key.is_returned() { peers } else { own };
        let ends = (from.min(to), from.max(to));
        if !opens && let Some(number) = self.halves.swap_remove(&ends) {
            self.learn(context, ends, number);
            return number;
        }
        let number = self.next;
        self.next += 1;
        let mut association = Association::new(captured, packet, out);
        association.keep_key(context);
        if !opens {
            association.keep_half(ends);
            self.halves.insert(ends, number);
        }
        self.contexts.insert(context, number);
        if let Some((evicted, mut association)) = self.open.insert(number, association) {
            out.count(association.flow(), "evicted", 1);
            association.finish(captured.time, out);
            self.forget(evicted, &association);
        }
        number
    }

    /// The other key of an association is known.
    fn learn(&mut self, context: ContextKey, ends: (Host, Host), number: u64) {
        let Some(association) = self.open.get_mut(&number) else { return };
        if association.keep_key(context) {
            self.contexts.insert(context, number);
            self.halves.swap_remove(&ends);
        }
    }

    fn close(&mut self, number: u64, now: Time, out: &mut Sink) {
        if let Some(mut association) = self.open.remove(&number) {
            association.finish(now, out);
            self.forget(number, &association);
        }
    }

    fn forget(&mut self, number: u64, association: &Association) {
        self.remembered -= association.remembered();
        for key in association.keys() {
            if self.contexts.get(&key) == Some(&number) {
                self.contexts.swap_remove(&key);
            }
        }
        if let Some(half) = association.half().filter(|half| self.halves.get(half) == Some(&number)) {
            self.halves.swap_remove(&half);
        }
    }
}

/// Parses a packet, its checksum as well where the capture holds all of it; also returns the octets of its user data.
fn parse<'a>(captured: &Captured<'a>) -> Result<(Packet<&'a [u8]>, u32), ParseError> {
    let (bytes, length) = (captured.bytes, captured.length as usize);
    if bytes.len() < length {
        return Packet::parse_cut(bytes, length).map(|(packet, data)| (packet, data as u32));
    }
    let packet = Packet::parse(bytes)?;
    let data = packet.body.data().map_or(0, |data| data.len() as u32);
    Ok((packet, data))
}

#[cfg(test)]
mod tests;
