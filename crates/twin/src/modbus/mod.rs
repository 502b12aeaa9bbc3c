//! The twin of Modbus lines.

mod delay;
mod framing;
pub(crate) mod keys;
mod line;
mod names;
mod poll;
mod rounds;
mod unit;
mod write;
mod write_flow;

use std::collections::BTreeMap;

use sojourn_capture::{LinkType, Packet};
use sojourn_core::Time;

use self::line::Line;
use crate::scenario::{Options, Twin};

/// Lines that are kept apart; further ones are left out.
const LINE_LIMIT: usize = 64;
/// Octets of RTAC's header before a frame (Wireshark, packet-rtacser.c).
const RTAC_HEADER: usize = 12;

/// The lines of a capture, one for each interface.
#[derive(Debug, Default)]
pub struct Modbus {
    lines: BTreeMap<u32, Line>,
    packets: u64,
    span: Option<(Time, Time)>,
}

impl Modbus {
    /// Takes a captured packet, of whatever protocol.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        let header = match packet.link_type {
            LinkType::USER0 => 0,
            LinkType::RTAC_SERIAL => RTAC_HEADER,
            _ => return,
        };
        if let Some(octets) = packet.data.get(header..) {
            self.frame(packet.interface, packet.time, octets);
        }
    }

    /// Takes the octets of a frame.
    pub fn frame(&mut self, interface: u32, time: Time, octets: &[u8]) {
        if self.lines.len() >= LINE_LIMIT && !self.lines.contains_key(&interface) {
            return;
        }
        if self.lines.entry(interface).or_default().frame(time, octets) {
            self.packets += 1;
            let (begin, end) = self.span.get_or_insert((time, time));
            (*begin, *end) = ((*begin).min(time), (*end).max(time));
        }
    }

    /// Number of frames.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// The scenario.
    pub fn twin(&mut self, options: &Options) -> Twin {
        let span = self.span.unwrap_or_default();
        self.lines.retain(|_, line| line.frames() > 0);
        self.lines.values_mut().for_each(|line| line.finish(span.1));
        let lines: Vec<&Line> = self.lines.values().collect();
        write::twin(&lines, span, options)
    }
}
