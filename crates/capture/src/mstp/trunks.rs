//! The trunks of a capture, one for each interface.

use std::collections::BTreeMap;

use sojourn_core::Time;
use sojourn_protocols::mstp::wire::{Frame, FrameType};
use sojourn_protocols::mstp_trunk::{Seen, Station, Trunk};

use crate::{FlowId, Packet, Sink};

/// Trunks followed; stations of further interfaces are left out.
const TRUNK_LIMIT: usize = 64;

/// The trunks so far.
#[derive(Debug, Default)]
pub(super) struct Trunks {
    trunks: BTreeMap<u32, Trunk>,
}

/// The stations of a trunk, by address.
#[derive(Clone, Debug, PartialEq)]
pub struct TrunkStations {
    /// The interface that it was captured on.
    pub interface: u32,
    /// Frames that were not valid.
    pub invalid: u64,
    /// Each station's address, and what was seen of it.
    pub stations: Vec<(u8, Station)>,
}

impl Trunks {
    fn trunk(&mut self, interface: u32, out: &mut Sink) -> Option<&mut Trunk> {
        if self.trunks.len() >= TRUNK_LIMIT && !self.trunks.contains_key(&interface) {
            out.note("More than 64 trunks: the stations of later interfaces are left out.");
            return None;
        }
        Some(self.trunks.entry(interface).or_default())
    }

    pub fn frame(&mut self, packet: &Packet<'_>, frame: &Frame<&[u8]>, out: &mut Sink) -> Seen {
        let octets = packet.original_length as usize;
        self.trunk(packet.interface, out).map_or_else(Seen::default, |trunk| trunk.frame(packet.time, frame, octets))
    }

    pub fn invalid(&mut self, interface: u32, out: &mut Sink) {
        if let Some(trunk) = self.trunk(interface, out) {
            trunk.invalid();
        }
    }

    /// Reports what a frame of the token showed.
    pub fn report(&self, seen: &Seen, kind: FrameType, flow: FlowId, time: Time, out: &mut Sink) {
        match kind {
            FrameType::Token => out.count(flow, "tokens", 1),
            FrameType::PollForMaster => out.count(flow, "polls_for_master", 1),
            _ => {}
        }
        if let Some((_, rotation)) = seen.rotation {
            out.sample(flow, "token_rotation", time, rotation);
        }
        for (is_so, metric) in [(seen.lost_token, "tokens_lost"), (seen.token_retry, "token_retries")] {
            if is_so {
                out.count(flow, metric, 1);
            }
        }
    }

    /// Reports the stations.
    pub fn finish(&mut self, out: &mut Sink) {
        for (interface, trunk) in std::mem::take(&mut self.trunks) {
            let stations = trunk.stations().map(|(address, station)| (address, *station)).collect();
            out.trunk(TrunkStations { interface, invalid: trunk.invalid_frames(), stations });
        }
    }
}
