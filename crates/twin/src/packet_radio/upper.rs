//! The NET/ROM packets and ROSE calls of a capture, as far as a twin needs them.

use sojourn_protocols::ax25::wire::{Address as Callsign, Pid};
use sojourn_protocols::netrom::wire::{Body, Packet};
use sojourn_protocols::rose::wire as rose;

/// First octet of a NODES broadcast.
const NODES: u8 = 0xff;

/// A packet above AX.25.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Upper {
    /// A NODES broadcast.
    Nodes,
    /// A circuit is requested for a user of the node `origin`.
    CircuitRequest { origin: Callsign, destination: Callsign, user: Callsign, timeout_s: Option<u16> },
    /// A circuit is accepted with a window.
    CircuitAccepted { window: u8 },
    /// Data of a circuit, and their number.
    Circuit { origin: Callsign, destination: Callsign, number: u8, bytes: u16 },
    /// An acknowledgement without data, and the number that it expects next.
    CircuitAcknowledgement { origin: Callsign, destination: Callsign, expected: u8 },
    /// A ROSE call: the digits of both switches' addresses.
    Call { caller: Option<Callsign>, from: Digits, to: Digits },
    /// Data of a ROSE call.
    Data { bytes: u16 },
}

/// The digits of a network address.
pub(super) type Digits = Option<[u8; 10]>;

impl Upper {
    /// The packet in the information of a frame, if it is of use; the capture may have cut its end.
    pub fn of(pid: Pid, data: &[u8], cut: u32) -> Option<Upper> {
        match pid {
            Pid::NETROM if data.first() == Some(&NODES) => Some(Upper::Nodes),
            Pid::NETROM => net_rom(&Packet::parse(data).ok()?, cut),
            Pid::X25 => rose(&rose::Packet::parse(data).ok()?, cut),
            _ => None,
        }
    }
}

fn net_rom(packet: &Packet<&[u8]>, cut: u32) -> Option<Upper> {
    let Packet { origin, destination, .. } = *packet;
    match packet.body {
        Body::ConnectRequest { user, timeout_s, .. } => {
            Some(Upper::CircuitRequest { origin, destination, user, timeout_s })
        }
        Body::ConnectAcknowledge { window, .. } => Some(Upper::CircuitAccepted { window }),
        Body::Information { tx_sequence: number, data, .. } => {
            Some(Upper::Circuit { origin, destination, number, bytes: whole(data, cut) })
        }
        Body::InformationAcknowledge { rx_sequence: expected, .. } => {
            Some(Upper::CircuitAcknowledgement { origin, destination, expected })
        }
        _ => None,
    }
}

fn rose(packet: &rose::Packet<&[u8]>, cut: u32) -> Option<Upper> {
    match &packet.body {
        rose::Body::CallRequest(call) => {
            let digits = |end: Option<rose::Subscriber>| end.and_then(|end| end.address.digits().try_into().ok());
            let (source, destination) = (call.facilities.source, call.facilities.destination);
            let caller = source.map(|end| end.station);
            Some(Upper::Call { caller, from: digits(source), to: digits(destination) })
        }
        rose::Body::Data { data, .. } => Some(Upper::Data { bytes: whole(data, cut) }),
        _ => None,
    }
}

/// Length of user data on the air: the octets captured, and those that the capture cut off.
pub(super) fn whole(captured: &[u8], cut: u32) -> u16 {
    u16::try_from(captured.len()).unwrap_or(u16::MAX).saturating_add(u16::try_from(cut).unwrap_or(u16::MAX))
}
