//! A bus: its identifiers, and the bits that its frames take.

use foldhash::fast::FixedState;
use indexmap::IndexMap;
use sojourn_core::Time;
use sojourn_protocols::can::frame::{Content, INTERMISSION, Id, Length, TAIL};
use sojourn_protocols::can::log::Logged;

use super::identifiers::{Bits, CanIdentifier};
use crate::Sink;

/// Identifiers kept apart on a bus; further ones are left out of its table.
const IDENTIFIER_LIMIT: usize = 16_384;
/// Bits of a frame that are never stuffed: CRC delimiter, acknowledgement, end of frame, intermission.
const UNSTUFFED: u16 = TAIL + INTERMISSION;

/// How bits of the data phase of CAN FD count: at a bit rate of their own, or at that of the bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataPhase {
    /// Bit rate of the bus and of the data phase in bit/s.
    pub rates: Option<(u64, u64)>,
}

impl DataPhase {
    /// The time of bits, in bits of the bus.
    pub fn in_bits(&self, bits: Bits) -> f64 {
        let data = bits.data as f64;
        bits.nominal as f64 + self.rates.map_or(data, |(bus, phase)| data * bus as f64 / phase.max(1) as f64)
    }
}

/// A bus as it was captured.
#[derive(Clone, Debug, PartialEq)]
pub struct CanBus {
    /// The interface that it was captured on.
    pub interface: u32,
    /// Bits with as many stuff bits as frames can have.
    pub worst: Bits,
    /// Bits with a stuff bit for every five that may be stuffed, as canbusload counts.
    pub every_fifth: Bits,
    /// Identifiers by priority.
    pub identifiers: Vec<CanIdentifier>,
    /// Whether frames switched to the bit rate of the data phase.
    pub has_data_phase: bool,
}

/// A bus so far.
#[derive(Debug, Default)]
pub(super) struct Bus {
    identifiers: IndexMap<Id, CanIdentifier, FixedState>,
    worst: Bits,
    every_fifth: Bits,
    has_data_phase: bool,
    /// What is left of a bit of the bus, in parts of the data phase's rate.
    rest: u64,
}

impl Bus {
    /// Takes a frame that ended at `time`: the bits of the bus that it took, intermission included. Frames together take no
    /// more and no less than a bit of the exact time.
    pub fn frame(&mut self, time: Time, frame: &Logged<&[u8]>, phase: &DataPhase, out: &mut Sink) -> u64 {
        let exact = Length::exact(frame.id, frame.content);
        let (octets, brs) = match frame.content {
            Content::Remote(_) => (0, None),
            Content::Data(data) => (data.len(), None),
            Content::Fd { data, brs, .. } => (data.len(), Some(brs)),
        };
        self.worst.add(Length::worst(frame.id, octets, brs));
        self.every_fifth.add(every_fifth(frame.id, octets, brs));
        self.has_data_phase |= exact.data > 0;
        if self.identifiers.len() < IDENTIFIER_LIMIT || self.identifiers.contains_key(&frame.id) {
            let identifier = self.identifiers.entry(frame.id).or_insert_with(|| CanIdentifier::new(frame.id));
            identifier.bits.add(exact);
            identifier.is_fd |= brs.is_some();
            match frame.content.is_remote() {
                true => identifier.remote_frames += 1,
                false => identifier.data(time, octets as u8),
            }
        } else {
            out.note("More than 16384 identifiers on a bus: later ones are left out of the table of identifiers.");
        }
        self.whole(exact, phase)
    }

    fn whole(&mut self, length: Length, phase: &DataPhase) -> u64 {
        let (bus, rate) = phase.rates.unwrap_or((1, 1));
        let parts = u64::from(length.data).saturating_mul(bus).saturating_add(self.rest);
        self.rest = parts % rate.max(1);
        u64::from(length.nominal) + parts / rate.max(1)
    }

    /// What was found.
    pub fn found(self, interface: u32) -> CanBus {
        let Bus { identifiers, worst, every_fifth, has_data_phase, .. } = self;
        let mut identifiers: Vec<CanIdentifier> = identifiers.into_values().collect();
        identifiers.sort_by_key(|identifier| identifier.id.arbitration(false));
        CanBus { interface, worst, every_fifth, identifiers, has_data_phase }
    }
}

/// The length with a stuff bit for every five bits of a frame that may be stuffed, which canbusload of can-utils takes for the
/// worst case (`canframelen.c`): stuff bits that begin a run of five themselves are left out. It counts no CAN FD.
fn every_fifth(id: Id, octets: usize, brs: Option<bool>) -> Length {
    let (plain, worst) = (Length::unstuffed(id, octets, brs), Length::worst(id, octets, brs));
    let Some(_) = brs else {
        return Length { nominal: plain.nominal + (plain.nominal - UNSTUFFED) / 5, ..plain };
    };
    // of CAN FD four fifths of the stuff bits that come at most
    let fewer = |plain: u16, worst: u16| plain + (worst - plain) * 4 / 5;
    Length { nominal: fewer(plain.nominal, worst.nominal), data: fewer(plain.data, worst.data) }
}
