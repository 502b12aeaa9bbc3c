//! NET/ROM circuits carried in the information fields of AX.25 links.
//!
//! A packet is heard on each hop of its route; the copies have a lower time to live. A circuit is identified by its
//! two nodes and the circuit number that each assigned in the connect request and acknowledgement. Circuits whose
//! set-up was not captured are not tracked.

use std::collections::BTreeMap;

use sojourn_core::Time;
use sojourn_protocols::ax25::wire::Address as Callsign;
use sojourn_protocols::netrom::wire::{Body, CircuitNumber, Packet};

use crate::ax25::heard::Heard;
use crate::connection::{Connection, Information, Numbers, Side};
use crate::{Address, FlowId, FlowKey, Moment, Outcome, Service, Sink, Transaction};

/// Circuits followed at a time; all end when there are more.
const CIRCUIT_LIMIT: usize = 4096;
/// First octet of a NODES broadcast, which distinguishes it from a packet.
const BROADCAST: u8 = 0xff;

/// Origin and destination of a packet, and the circuit by the number that its destination gave it.
type Name = (Callsign, Callsign, CircuitNumber);

/// The circuits of a capture.
#[derive(Debug, Default)]
pub(crate) struct Circuits {
    circuits: BTreeMap<u64, Circuit>,
    /// By how packets name it: the circuit, and the side that sends them.
    names: BTreeMap<Name, (u64, Side)>,
    /// Circuits so far.
    count: u64,
}

#[derive(Debug)]
struct Circuit {
    connection: Connection,
    /// How the responder's packets name it, and the initiator's once it is up.
    names: (Name, Option<Name>),
    begin: Moment,
    attempts: u32,
    hops_left: u8,
}

impl Circuit {
    fn is_up(&self) -> bool {
        self.names.1.is_some()
    }
}

impl Circuits {
    /// Takes the information of a new I frame with NET/ROM's protocol identifier.
    pub fn packet(&mut self, bytes: &[u8], heard: &Heard<'_>, out: &mut Sink) {
        if bytes.first() == Some(&BROADCAST) {
            return;
        }
        match Packet::parse(bytes) {
            Ok(packet) => self.parsed(&packet, bytes, heard, out),
            Err(error) => heard.malformed("NET/ROM", error, out),
        }
    }

    fn parsed(&mut self, packet: &Packet<&[u8]>, bytes: &[u8], heard: &Heard<'_>, out: &mut Sink) {
        let time = heard.time;
        let Packet { origin, destination, ttl, body } = *packet;
        let name = |circuit: CircuitNumber| (origin, destination, circuit);
        match body {
            Body::ConnectRequest { circuit, .. } => self.requested((destination, origin, circuit), ttl, time, out),
            Body::ConnectAcknowledge { circuit, own, .. } => {
                self.accepted(name(circuit), (destination, origin, own), time, out);
            }
            Body::ConnectRefusal { circuit } => self.refused(name(circuit), time, out),
            Body::Information { circuit, tx_sequence, rx_sequence, data, .. } => {
                let Some((circuit, side)) = self.named(name(circuit)) else { return };
                circuit.connection.acknowledged(side, rx_sequence, time, ttl);
                let (l3_bytes, l4_bytes) = (heard.octets(bytes), heard.octets(data));
                let packet = Information { number: tx_sequence, time, hops_left: ttl, l3_bytes, l4_bytes };
                circuit.connection.information(side, packet, out);
            }
            Body::InformationAcknowledge { circuit, rx_sequence, .. } => {
                if let Some((circuit, side)) = self.named(name(circuit)) {
                    circuit.connection.acknowledged(side, rx_sequence, time, ttl);
                }
            }
            Body::DisconnectRequest { circuit } | Body::Reset { circuit, .. } => {
                if let Some(mut circuit) = self.remove(name(circuit)) {
                    circuit.connection.finish(out);
                }
            }
            Body::DisconnectAcknowledge { .. } | Body::Other { .. } => {}
        }
    }

    fn named(&mut self, name: Name) -> Option<(&mut Circuit, Side)> {
        let &(number, side) = self.names.get(&name)?;
        Some((self.circuits.get_mut(&number)?, side))
    }

    fn remove(&mut self, name: Name) -> Option<Circuit> {
        let &(number, _) = self.names.get(&name)?;
        let circuit = self.circuits.remove(&number)?;
        self.names.remove(&circuit.names.0);
        circuit.names.1.iter().for_each(|name| {
            self.names.remove(name);
        });
        Some(circuit)
    }

    /// A connect request has the number of its sender: `name` is how the other node's packets will name the circuit.
    fn requested(&mut self, name: Name, ttl: u8, time: Time, out: &mut Sink) {
        if let Some((circuit, _)) = self.named(name) {
            if !circuit.is_up() {
                circuit.attempts = circuit.attempts.saturating_add(u32::from(ttl >= circuit.hops_left));
                circuit.hops_left = ttl;
                return;
            }
            if ttl < circuit.hops_left {
                return;
            }
        }
        if let Some(mut former) = self.remove(name) {
            former.connection.finish(out);
        }
        if self.circuits.len() >= CIRCUIT_LIMIT {
            out.note("More than 4096 NET/ROM circuits: all of them were taken as ended.");
            self.finish(out);
        }
        let (to, from) = (Address::Callsign(name.0), Address::Callsign(name.1));
        let flow = out.flow(FlowKey { from, to, service: Service::NetRom });
        let connection = Connection::new(flow, Numbers::Modulo256, true);
        self.count += 1;
        let begin = out.moment(time);
        let circuit = Circuit { connection, names: (name, None), begin, attempts: 1, hops_left: ttl };
        self.circuits.insert(self.count, circuit);
        self.names.insert(name, (self.count, Side::Responder));
    }

    /// A connect acknowledge has both numbers: `initiator_name` is how the requester's packets will name the circuit.
    fn accepted(&mut self, name: Name, initiator_name: Name, time: Time, out: &mut Sink) {
        let Some(&(number, _)) = self.names.get(&name) else { return };
        let Some(circuit) = self.circuits.get_mut(&number).filter(|circuit| !circuit.is_up()) else { return };
        if self.names.contains_key(&initiator_name) {
            return;
        }
        circuit.names.1 = Some(initiator_name);
        let flow = circuit.connection.flow();
        out.sample(flow, "connect_time", time, time.since(circuit.begin.time));
        self.names.insert(initiator_name, (number, Side::Initiator));
    }

    fn refused(&mut self, name: Name, time: Time, out: &mut Sink) {
        if self.named(name).is_none_or(|(circuit, _)| circuit.is_up()) {
            return;
        }
        if let Some(Circuit { connection, begin, attempts, .. }) = self.remove(name) {
            out.transaction(set_up(connection.flow(), begin, Some(out.moment(time)), attempts, Outcome::Refused));
        }
    }

    /// Ends all circuits; those not accepted yet were not answered.
    pub fn finish(&mut self, out: &mut Sink) {
        self.names.clear();
        for mut circuit in std::mem::take(&mut self.circuits).into_values() {
            if !circuit.is_up() {
                let Circuit { connection, begin, attempts, .. } = &circuit;
                out.transaction(set_up(connection.flow(), *begin, None, *attempts, Outcome::Unanswered));
            }
            circuit.connection.finish(out);
        }
    }
}

/// The transaction of a connect request.
fn set_up(flow: FlowId, begin: Moment, end: Option<Moment>, attempts: u32, outcome: Outcome) -> Transaction {
    Transaction { attempts, ..Transaction::of(flow, begin, end, outcome) }
}
