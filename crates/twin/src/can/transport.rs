//! Messages of several packets of J1939 (SAE J1939-21): to all, and to one with flow control.

use std::collections::BTreeMap;

use sojourn_capture::arrivals::Reservoir;
use sojourn_core::Time;
use sojourn_protocols::can::frame::Id;
use sojourn_protocols::can::j1939::{Address, CONNECTION_MANAGEMENT, Control, DATA_TRANSFER, DataTransfer, Identifier};

use super::seen::Seen;

/// Messages that are kept of each, pairs, and times between packets as a sample of all.
const LIMIT: usize = 65_536;
const PAIRS: usize = 1024;
const SAMPLE: usize = 512;
/// The address of all.
const ALL: u8 = 255;

/// From whom to whom a message is, and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Route {
    pub source: u8,
    /// 255 of all.
    pub destination: u8,
    pub pgn: u32,
}

impl Route {
    pub const fn is_to_all(&self) -> bool {
        self.destination == ALL
    }
}

/// The messages of a route.
#[derive(Clone, Debug)]
pub(super) struct Packets {
    /// Frames that began them, with the bytes of the message.
    pub begun: Vec<Seen>,
    pub count: u64,
    /// Times between packets, s.
    pub intervals: Reservoir,
    /// Most packets for a clearance.
    pub window: u8,
}

/// All of a bus.
#[derive(Clone, Debug, Default)]
pub(super) struct Transports {
    pub routes: BTreeMap<Route, Packets>,
    /// What is being sent between two, with the end of its last frame.
    open: BTreeMap<(u8, u8), (Route, Time)>,
}

impl Transports {
    /// Takes a frame; false where it is none of the transport protocol.
    pub fn frame(&mut self, id: Id, data: &[u8], seen: Seen) -> bool {
        let Id::Extended(id) = id else { return false };
        let Identifier { pgn, destination, source, .. } = Identifier::of(id);
        let Address::Node(destination) = destination else { return false };
        match pgn {
            CONNECTION_MANAGEMENT => match Control::parse(data) {
                Ok(control) => self.control(control, [source, destination], seen),
                Err(_) => return false,
            },
            DATA_TRANSFER if DataTransfer::parse(data).is_ok() => self.packet((source, destination), seen),
            _ => return false,
        }
        true
    }

    fn control(&mut self, control: Control, [source, destination]: [u8; 2], seen: Seen) {
        match control {
            Control::Rts { size, pgn, .. } | Control::Bam { size, pgn, .. } => {
                let route = Route { source, destination, pgn };
                if self.routes.len() >= PAIRS && !self.routes.contains_key(&route) {
                    return;
                }
                let packets = self.routes.entry(route).or_insert_with(|| Packets {
                    begun: Vec::new(),
                    count: 0,
                    intervals: Reservoir::new(SAMPLE),
                    window: 1,
                });
                packets.count += 1;
                if packets.begun.len() < LIMIT {
                    packets.begun.push(Seen { octets: size, ..seen });
                }
                self.open.insert((source, destination), (route, seen.end));
            }
            Control::Cts { packets, .. } => {
                // from the receiver
                if let Some((route, _)) = self.open.get(&(destination, source))
                    && let Some(known) = self.routes.get_mut(route)
                {
                    known.window = known.window.max(packets);
                }
            }
            Control::EndOfMessage { .. } | Control::Abort { .. } => {
                self.open.remove(&(destination, source));
            }
        }
    }

    fn packet(&mut self, between: (u8, u8), seen: Seen) {
        let Some((route, last)) = self.open.get_mut(&between) else { return };
        let interval = seen.end.since(*last).seconds();
        *last = seen.end;
        if let Some(packets) = self.routes.get_mut(route) {
            packets.intervals.push(interval);
        }
    }
}

impl Packets {
    /// Whether all messages are kept.
    pub fn is_whole(&self) -> bool {
        self.begun.len() as u64 == self.count
    }
}
