//! BACnet: over IP, and the network layer that MS/TP carries as well (ASHRAE 135, clauses 6, 20 and J).

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use sojourn_protocols::bacnet::{Apdu, Npdu};

use super::Message;

/// Confirmed requests and what answers them, whichever host asks: both ports are 47808. The name is the invoke ID with the
/// address of a device behind a router.
pub fn read(message: &[u8]) -> Option<Message> {
    read_npdu(npdu_of(message)?)
}

/// The same of a packet of the network layer.
pub fn read_npdu(packet: &[u8]) -> Option<Message> {
    let npdu = Npdu::parse(packet).ok().filter(|npdu| !npdu.is_network_message)?;
    let name = |invoke: u8, of: &[u8]| u64::from(invoke) | device(of) << 8;
    let (asked, answered) = (npdu.destination, npdu.source);
    match Apdu::parse(npdu.payload).ok()? {
        // of a segmented request the first segment asks
        Apdu::ConfirmedRequest { segment: Some(1..), .. } => None,
        Apdu::ConfirmedRequest { invoke, .. } => Some(Message::Request(name(invoke, asked))),
        Apdu::ComplexAck { invoke, more_follows: true, .. } => Some(Message::Part(name(invoke, answered))),
        // an error is what the device answers, a reject or an abort that it does not
        Apdu::SimpleAck { invoke } | Apdu::ComplexAck { invoke, .. } | Apdu::Error { invoke, .. } => {
            Some(Message::Answer(name(invoke, answered)))
        }
        Apdu::Reject { invoke, .. } | Apdu::Abort { invoke, .. } => Some(Message::Refusal(name(invoke, answered))),
        Apdu::UnconfirmedRequest { .. } | Apdu::SegmentAck { .. } => None,
    }
}

/// The packet of the network layer in a message over IP.
fn npdu_of(message: &[u8]) -> Option<&[u8]> {
    const FORWARDED: u8 = 4;
    const UNICAST: u8 = 10;
    const BROADCAST: u8 = 11;
    let (&[0x81, function, _, _], rest) = message.split_first_chunk()? else { return None };
    match function {
        UNICAST | BROADCAST => Some(rest),
        FORWARDED => rest.get(6..),
        _ => None,
    }
}

/// A device behind a router as a number, 0 of none.
fn device(octets: &[u8]) -> u64 {
    if octets.is_empty() { 0 } else { FixedState::default().hash_one(octets) >> 8 }
}

#[cfg(test)]
mod tests {
    use super::super::Application;
    use super::*;

    #[test]
    fn a_bacnet_answer_names_its_request_by_invoke_id_and_device() {
        let unicast = |behind: &[u8]| Application::Bacnet.read(None, &[&[0x81, 10, 0, 0, 1][..], behind].concat());
        assert_eq!(unicast(&[4, 0x00, 0x05, 42, 12]), Message::Request(42));
        assert_eq!(unicast(&[0, 0x30, 42, 12]), Message::Answer(42));
        assert_eq!(unicast(&[0, 0x20, 42, 15]), Message::Answer(42));
        assert_eq!(unicast(&[0, 0x50, 42, 12]), Message::Answer(42), "an error");
        assert_eq!(unicast(&[0, 0x60, 42, 12]), Message::Refusal(42), "a reject");
        assert_eq!(unicast(&[0, 0x10, 8]), Message::Other, "Who-Is asks for no answer");
        assert_eq!(unicast(&[0, 0x3c, 42, 0, 4, 12]), Message::Part(42), "more segments follow");
        let Message::Request(routed) = unicast(&[0x24, 0, 5, 1, 9, 255, 0x00, 0x05, 42, 12]) else {
            panic!("a request")
        };
        assert_eq!(unicast(&[8, 0, 5, 1, 9, 0x30, 42, 12]), Message::Answer(routed));
        assert_ne!(routed, 42);
    }
}
