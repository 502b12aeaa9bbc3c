//! BACnet/IP (ASHRAE 135, clauses 6, 20 and J).

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::Message;

/// Confirmed requests and what answers them, whichever host asks: both ports are 47808. The name is the invoke ID with the
/// address of a device behind a router.
pub fn read(message: &[u8]) -> Option<Message> {
    let (network, apdu) = network_of(message)?;
    let kind = *apdu.first()?;
    let at = |index: usize| apdu.get(index).map(|invoke| u64::from(*invoke));
    let (is_segmented, more_follows) = (kind & 8 != 0, kind & 4 != 0);
    match kind >> 4 {
        // of a segmented request the first segment asks
        0 if is_segmented && at(3)? > 0 => None,
        0 => Some(Message::Request(at(2)? | device(network.destination) << 8)),
        2 => Some(Message::Answer(at(1)? | device(network.source) << 8)),
        3 if is_segmented && more_follows => Some(Message::Part(at(1)? | device(network.source) << 8)),
        3 => Some(Message::Answer(at(1)? | device(network.source) << 8)),
        // an error is what the device answers, a reject or an abort that it does not
        5 => Some(Message::Answer(at(1)? | device(network.source) << 8)),
        6 | 7 => Some(Message::Refusal(at(1)? | device(network.source) << 8)),
        _ => None,
    }
}

/// Addresses of a network layer's packet: network and device, empty without them.
struct Network<'a> {
    destination: &'a [u8],
    source: &'a [u8],
}

/// The network layer's addresses and the PDU of the application layer, if there is one.
fn network_of(message: &[u8]) -> Option<(Network<'_>, &[u8])> {
    const FORWARDED: u8 = 4;
    const UNICAST: u8 = 10;
    const BROADCAST: u8 = 11;
    let (&[0x81, function, _, _], mut rest) = message.split_first_chunk()? else { return None };
    match function {
        UNICAST | BROADCAST => {}
        FORWARDED => rest = rest.get(6..)?,
        _ => return None,
    }
    let (&[1, control], mut rest) = rest.split_first_chunk()? else { return None };
    let mut address = |is_present: bool| {
        if !is_present {
            return Some(&[][..]);
        }
        let length = 3 + usize::from(*rest.get(2)?);
        let (address, behind) = rest.split_at_checked(length)?;
        rest = behind;
        Some(address)
    };
    let is_routed = control & 0x20 != 0;
    let (destination, source) = (address(is_routed)?, address(control & 8 != 0)?);
    let rest = if is_routed { rest.get(1..)? } else { rest };
    let is_network_message = control & 0x80 != 0;
    (!is_network_message).then_some((Network { destination, source }, rest))
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
        assert_eq!(unicast(&[0, 0x3c, 42, 0]), Message::Part(42), "more segments follow");
        let Message::Request(routed) = unicast(&[0x24, 0, 5, 1, 9, 255, 0x00, 0x05, 42, 12]) else {
            panic!("a request")
        };
        assert_eq!(unicast(&[8, 0, 5, 1, 9, 0x30, 42, 12]), Message::Answer(routed));
        assert_ne!(routed, 42);
    }
}
