//! Who sends an identifier: a log does not say, so that it is an assumption.

use std::collections::BTreeMap;

use sojourn_capture::{Address, FlowKey, Service};
use sojourn_protocols::can::frame::Id;

use super::bus::Bus;

/// What groups identifiers into stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grouping {
    /// The source address of J1939.
    Sources,
    /// The node of CANopen, by its predefined identifiers (CiA 301, 7.3.5).
    Nodes,
    /// Each identifier is sent by a station of its own.
    Identifiers,
}

/// The stations of a bus.
#[derive(Debug)]
pub(super) struct Names {
    suffix: String,
    grouping: Grouping,
    /// Diagnostic identifiers: of the tester, and of control units.
    diagnosis: BTreeMap<Id, bool>,
}

impl Names {
    /// Those of a bus, whose names end in a suffix.
    pub fn of(bus: &Bus, suffix: String) -> Names {
        let grouping = match () {
            () if bus.is_canopen() => Grouping::Nodes,
            () if bus.is_extended() => Grouping::Sources,
            () => Grouping::Identifiers,
        };
        let mut diagnosis = BTreeMap::new();
        for (key, asked) in &bus.asked {
            if let Service::Uds(_) = key.service {
                diagnosis.insert(asked.id, true);
                diagnosis.extend(asked.answer_id.map(|id| (id, false)));
            }
        }
        Names { suffix, grouping, diagnosis }
    }

    /// The end of all names of the bus.
    pub fn suffix(&self) -> &str {
        &self.suffix
    }

    pub fn bus(&self) -> String {
        self.named("bus")
    }

    pub fn listener(&self) -> String {
        self.named("listener")
    }

    /// Who listens as well where messages to all need several.
    pub fn second_listener(&self) -> String {
        self.named("second-listener")
    }

    /// The node of a source address of J1939.
    pub fn source(&self, address: u8) -> String {
        self.named(&format!("node-{address:02X}"))
    }

    /// The sender of an identifier.
    pub fn sender(&self, id: Id) -> String {
        match (self.grouping, self.diagnosis.get(&id), id) {
            (Grouping::Sources, _, Id::Extended(id)) => self.source(id as u8),
            (_, Some(true), _) => self.named("tester"),
            (_, Some(false), id) => self.named(&format!("unit-{id}")),
            (Grouping::Nodes, None, Id::Base(id)) => match (id & 0x780, id & 0x7f) {
                (0x080 | 0x180 | 0x280 | 0x380 | 0x480 | 0x580 | 0x700, node @ 1..) => {
                    self.named(&format!("node-{node}"))
                }
                _ => self.named("client"),
            },
            (_, None, id) => self.named(&format!("id-{id}")),
        }
    }

    /// Who asks, and who answers with an identifier.
    pub fn ends(&self, key: &FlowKey, id: Id, answer: Id) -> [String; 2] {
        let client = match (key.service, self.grouping, key.from) {
            (Service::ParameterGroup(_), _, Address::J1939(source)) => self.source(source),
            (Service::RemoteFrame, Grouping::Nodes, _) => self.named("client"),
            (Service::RemoteFrame, ..) => self.named("asker"),
            _ => self.sender(id),
        };
        [client, self.sender(answer)]
    }

    /// What the stations rest on, as a sentence.
    pub fn assumption(&self) -> &'static str {
        match self.grouping {
            Grouping::Sources => {
                "A log has no senders. Identifiers with one source address of J1939 are those of one station, an assumption; the \
                 listener receives and acknowledges."
            }
            Grouping::Nodes => {
                "A log has no senders. Identifiers are those of the node that CANopen gives them to by default, an assumption; those \
                 of no node are the client's. The listener receives and acknowledges."
            }
            Grouping::Identifiers => {
                "A log has no senders. Each identifier has a station of its own, an assumption; those of diagnosis are of the tester \
                 and of control units. The listener receives and acknowledges."
            }
        }
    }

    fn named(&self, name: &str) -> String {
        format!("{name}{}", self.suffix)
    }
}
