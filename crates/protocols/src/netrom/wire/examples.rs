//! One packet and broadcast of every type, for tests and demonstrations.

use super::{Alias, Body, CircuitNumber, Entry, Flow, Nodes, Packet};
use crate::ax25::wire::Address;

type Example = (&'static str, Packet<&'static [u8]>);

/// One packet of every type, each with a name.
pub fn packets() -> Vec<Example> {
    [setting_up(), informing(), others()].concat().into_iter().map(|(name, body)| (name, packet(body))).collect()
}

/// Broadcasts of no, one and eleven entries, each with a name.
pub fn broadcasts() -> Vec<(&'static str, Nodes)> {
    let entry = |ssid| Entry {
        destination: address("DB0XYZ", ssid),
        alias: "XYZ".parse().unwrap_or(Alias::NONE),
        best_neighbour: address("NODEB", 0),
        quality: 10 * ssid,
    };
    let nodes = |entries| Nodes { alias: "ALPHA".parse().unwrap_or(Alias::NONE), entries };
    vec![
        ("NODES of none", nodes(vec![])),
        ("NODES of one", nodes(vec![entry(7)])),
        ("NODES of eleven", nodes((1..12).map(entry).collect())),
    ]
}

type Named = (&'static str, Body<&'static [u8]>);

const CIRCUIT: CircuitNumber = CircuitNumber { index: 1, id: 7 };
const OWN: CircuitNumber = CircuitNumber { index: 2, id: 9 };

fn setting_up() -> Vec<Named> {
    let request = |timeout_s| Body::ConnectRequest {
        circuit: CIRCUIT,
        window: 4,
        user: address("PING", 15),
        node: address("NODEA", 0),
        timeout_s,
    };
    let acknowledge =
        |time_to_live| Body::ConnectAcknowledge { circuit: CIRCUIT, own: OWN, window: 4, ttl: time_to_live };
    vec![
        ("connect request", request(None)),
        ("connect request of BPQ", request(Some(300))),
        ("connect acknowledge", acknowledge(None)),
        ("connect acknowledge of BPQ", acknowledge(Some(25))),
        ("connect refusal", Body::ConnectRefusal { circuit: CIRCUIT }),
        ("disconnect request", Body::DisconnectRequest { circuit: OWN }),
        ("disconnect acknowledge", Body::DisconnectAcknowledge { circuit: CIRCUIT }),
        ("reset", Body::Reset { circuit: CircuitNumber::default(), own: OWN }),
    ]
}

fn informing() -> Vec<Named> {
    let information = |flow, more| Body::Information {
        circuit: OWN,
        tx_sequence: 3,
        rx_sequence: 200,
        flow,
        more,
        data: &b"hello"[..],
    };
    let acknowledge = |flow| Body::InformationAcknowledge { circuit: CIRCUIT, rx_sequence: 4, flow };
    let choke = Flow { choke: true, nak: false };
    let nak = Flow { choke: false, nak: true };
    vec![
        ("information", information(Flow::default(), false)),
        ("information to be continued", information(Flow::default(), true)),
        ("information that chokes", information(choke, false)),
        ("information acknowledge", acknowledge(Flow::default())),
        ("information acknowledge that chokes", acknowledge(choke)),
        ("information acknowledge with NAK", acknowledge(nak)),
    ]
}

fn others() -> Vec<Named> {
    vec![
        ("IP", Body::Other { header: [0x0c, 0x0c, 0, 0], operation: 0, data: &[0x45, 0, 0, 20] }),
        ("not assigned", Body::Other { header: [1, 2, 3, 4], operation: 0x2b, data: &[] }),
    ]
}

fn packet(body: Body<&'static [u8]>) -> Packet<&'static [u8]> {
    Packet { origin: address("NODEA", 0), destination: address("NODEB", 3), ttl: 16, body }
}

fn address(callsign: &str, ssid: u8) -> Address {
    Address::new(callsign, ssid).unwrap_or(Address::BLANK)
}
