//! The twin of trunks of BACnet MS/TP.

mod bit_rate;
mod device;
mod flows;
mod gaps;
pub(crate) mod keys;
mod named;
mod names;
mod place;
mod presence;
mod station;
mod talk;
mod trunk;
mod write;
mod write_flow;
mod write_station;

use std::collections::BTreeMap;

use sojourn_capture::{LinkType, Packet};
use sojourn_core::Time;
use sojourn_protocols::mstp::wire::Frame;

use self::trunk::TrunkSurvey;
use crate::scenario::{Options, Twin};

/// Trunks that are kept apart; further ones are left out.
const TRUNK_LIMIT: usize = 16;

/// The trunks of a capture, one for each interface.
#[derive(Debug, Default)]
pub struct Mstp {
    trunks: BTreeMap<u32, TrunkSurvey>,
    packets: u64,
    span: Option<(Time, Time)>,
    decoded: Vec<u8>,
}

impl Mstp {
    /// Takes a captured packet, of whatever protocol.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        if packet.link_type == LinkType::BACNET_MS_TP {
            self.frame(packet.interface, packet.time, packet.data, packet.original_length as usize);
        }
    }

    /// Takes the octets of a frame that has `length` of them on the trunk.
    pub fn frame(&mut self, interface: u32, time: Time, octets: &[u8], length: usize) {
        if self.trunks.len() >= TRUNK_LIMIT && !self.trunks.contains_key(&interface) {
            return;
        }
        let mut decoded = std::mem::take(&mut self.decoded);
        match Frame::parse(octets, &mut decoded) {
            Ok(frame) => {
                self.trunks.entry(interface).or_default().frame(time, &frame, length);
                self.packets += 1;
                let (begin, end) = self.span.get_or_insert((time, time));
                (*begin, *end) = ((*begin).min(time), (*end).max(time));
            }
            Err(_) => {
                if let Some(trunk) = self.trunks.get_mut(&interface) {
                    trunk.invalid();
                }
            }
        }
        self.decoded = decoded;
    }

    /// Number of valid frames.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// The scenario.
    pub fn twin(&mut self, options: &Options) -> Twin {
        let span = self.span.unwrap_or_default();
        self.trunks.values_mut().for_each(|trunk| trunk.finish(span.1));
        let trunks: Vec<&TrunkSurvey> = self.trunks.values().collect();
        write::twin(&trunks, span, options)
    }
}
