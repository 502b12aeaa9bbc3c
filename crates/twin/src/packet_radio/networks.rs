//! Infers the parameters of NET/ROM nodes and ROSE switches.

use std::collections::BTreeMap;

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::access::Access;
use super::bursts::Medium;
use super::frames::Frames;
use super::upper::{Digits, Upper};
use crate::quantile::quantile;

/// What NET/ROM packets and ROSE calls show of their networks.
#[derive(Debug, Default)]
pub(super) struct Networks {
    /// Accepted windows of circuits: the smallest, and how many were seen.
    pub window: Option<(u8, usize)>,
    /// The timeout that connect requests state, s.
    pub timeout: Option<u16>,
    /// Largest data of a circuit's packet, B.
    pub fragment: u16,
    /// Delays of acknowledgements without data by node, from the end of the data until the transmitter is keyed, s.
    pub ack_delays: BTreeMap<Callsign, Vec<f64>>,
    /// Intervals between NODES broadcasts of one node, s.
    pub nodes_intervals: Vec<f64>,
    /// Network addresses of switches.
    pub addresses: BTreeMap<Callsign, [u8; 10]>,
    /// Largest data of a ROSE packet, B.
    pub packet_size: u16,
}

impl Networks {
    /// What the packets of `frames` show.
    pub fn new(frames: &Frames, media: &BTreeMap<u32, Medium>, access: &BTreeMap<u32, Access>) -> Self {
        let mut found = Networks::default();
        let mut last_nodes: BTreeMap<(u32, Callsign), f64> = BTreeMap::new();
        // by node and the other end of the circuit: the number of the last data, and when their first copy came
        let mut arrived: BTreeMap<(Callsign, Callsign), (u8, f64)> = BTreeMap::new();
        for (index, upper) in &frames.upper {
            let frame = &frames.all[*index as usize];
            match *upper {
                Upper::Nodes => {
                    if let Some(before) = last_nodes.insert((frame.medium, frame.source), frame.end()) {
                        found.nodes_intervals.push(frame.end() - before);
                    }
                }
                Upper::CircuitRequest { timeout_s, .. } => found.timeout = found.timeout.max(timeout_s),
                Upper::CircuitAccepted { window } => {
                    let (least, seen) = found.window.unwrap_or((window, 0));
                    found.window = Some((least.min(window), seen + 1));
                }
                Upper::Circuit { origin, destination, number, bytes } => {
                    found.fragment = found.fragment.max(bytes);
                    let is_new = arrived.get(&(destination, origin)).is_none_or(|(last, _)| *last != number);
                    if frame.destination == destination && is_new {
                        arrived.insert((destination, origin), (number, frame.end()));
                    }
                }
                Upper::CircuitAcknowledgement { origin, destination, expected } => {
                    // what was acknowledged before the last data came waited for the channel, not for a timer
                    if frame.source == origin
                        && let Some((last, at)) = arrived.get(&(origin, destination))
                        && last.wrapping_add(1) == expected
                    {
                        let airtime = f64::from(frame.bits) / media[&frame.medium].bit_rate;
                        let ready = frame.end() - airtime - access[&frame.medium].txdelay();
                        found.ack_delays.entry(origin).or_default().push(ready - at);
                        arrived.remove(&(origin, destination));
                    }
                }
                Upper::Call { from, to, .. } => found.call(frame.source, frame.destination, (from, to), frames),
                Upper::Data { bytes } => found.packet_size = found.packet_size.max(bytes),
            }
        }
        found
    }

    /// A call goes from the switch of the caller to the one of the called station: of the switches on users' paths, the
    /// first sends it and the last receives it.
    fn call(&mut self, source: Callsign, destination: Callsign, (from, to): (Digits, Digits), frames: &Frames) {
        for (switch, address) in [(source, from), (destination, to)] {
            let serves_users = || frames.paths.iter().any(|path| path.contains(&switch));
            if let Some(address) = address
                && !self.addresses.contains_key(&switch)
                && serves_users()
            {
                self.addresses.insert(switch, address);
            }
        }
    }

    /// The delay of a node's acknowledgements, and from how many.
    pub fn ack_delay(&self, node: Callsign) -> Option<(f64, usize)> {
        let mut delays = self.ack_delays.get(&node)?.clone();
        Some((quantile(&mut delays, 0.05)?, delays.len()))
    }

    /// The interval of NODES broadcasts.
    pub fn nodes_interval(&self) -> Option<(f64, usize)> {
        let mut intervals = self.nodes_intervals.clone();
        Some((quantile(&mut intervals, 0.5)?, intervals.len()))
    }
}
