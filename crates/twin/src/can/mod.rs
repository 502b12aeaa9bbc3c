//! The twin of buses of CAN.

mod answer;
mod bit_rate;
mod bus;
mod clock;
mod exchange;
pub(crate) mod keys;
mod moments;
mod names;
mod pace;
mod plan;
mod polls;
mod seen;
mod transport;
mod write;
mod write_flow;

use std::collections::BTreeMap;

use sojourn_capture::Packet;
use sojourn_capture::can::is_of_can;
use sojourn_core::Time;

use self::bus::Bus;
use crate::scenario::{Options, Twin};

/// Buses that are kept apart; further ones are left out.
const BUS_LIMIT: usize = 16;

/// The buses of a capture, one for each interface.
#[derive(Debug, Default)]
pub struct Can {
    buses: BTreeMap<u32, Bus>,
    packets: u64,
    span: Option<(Time, Time)>,
}

impl Can {
    /// Takes a captured packet, of whatever protocol.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        let is_new = !self.buses.contains_key(&packet.interface);
        if !is_of_can(packet) || is_new && self.buses.len() >= BUS_LIMIT {
            return;
        }
        if self.buses.entry(packet.interface).or_default().packet(packet) {
            self.packets += 1;
            let (begin, end) = self.span.get_or_insert((packet.time, packet.time));
            (*begin, *end) = ((*begin).min(packet.time), (*end).max(packet.time));
        }
    }

    /// Number of valid frames.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// The scenario.
    pub fn twin(&mut self, options: &Options) -> Twin {
        let span = self.span.unwrap_or_default();
        self.buses.values_mut().for_each(|bus| bus.finish(span.1));
        let buses: Vec<&Bus> = self.buses.values().filter(|bus| bus.frames > 0).collect();
        write::twin(&buses, span, options)
    }
}
