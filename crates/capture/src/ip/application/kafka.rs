//! The protocol of Apache Kafka (its guide, "Protocol", and KIP-482): the correlation identifier names a request.

use super::octets::{be16, be32};
use super::{Framed, Message};

const PRODUCE: u16 = 0;
/// From this version of produce on a transaction is named in front of the acknowledgements, and from the other on fields are
/// flexible.
const PRODUCE_TRANSACTIONS: u16 = 3;
const PRODUCE_FLEXIBLE: u16 = 9;
/// No interface has a number or a version above.
const MOST_INTERFACES: u16 = 128;
/// Octets of the longest request or response, with room for several batches.
const LONGEST: u32 = 128 << 20;

/// A request with its interface, or a response with the identifier alone.
pub fn read(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
    if !to_server? {
        return Some(Message::Answer(be32(message, 0)?.into()));
    }
    let (interface, version, name) = (be16(message, 0)?, be16(message, 2)?, be32(message, 4)?);
    if interface >= MOST_INTERFACES || version >= MOST_INTERFACES {
        return None;
    }
    // what is produced without acknowledgement has no response
    let is_unanswered = interface == PRODUCE && acknowledgements(version, message).is_some_and(|wanted| wanted == 0);
    if is_unanswered { None } else { Some(Message::Request(name.into())) }
}

/// Whether a request that is cut may turn out to have no response.
pub fn may_change(to_server: bool, message: &[u8]) -> bool {
    let version = || be16(message, 2);
    let is_produce = to_server && be16(message, 0) == Some(PRODUCE);
    is_produce && version().is_some_and(|version| acknowledgements(version, message).is_none())
}

/// The acknowledgements that a produce request wants.
fn acknowledgements(version: u16, message: &[u8]) -> Option<u16> {
    // a string of length -1 is none
    let skipped = |at: usize| {
        let length = be16(message, at)?;
        Some(at + 2 + if length == u16::MAX { 0 } else { usize::from(length) })
    };
    let mut at = skipped(8)?;
    if version >= PRODUCE_FLEXIBLE {
        // tagged fields and a compact name; both are usually empty
        at += 2;
    } else if version >= PRODUCE_TRANSACTIONS {
        at = skipped(at)?;
    }
    be16(message, at)
}

/// The request or response at the beginning of a stream.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let length = be32(octets, 0)?;
    if !(4..=LONGEST).contains(&length) { None } else { Framed::whole(4, 4 + length as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FETCH: [u8; 11] = [0, 1, 0, 4, 0, 0, 1, 7, 0, 1, b'c'];

    #[test]
    fn a_response_has_the_correlation_identifier_of_its_request() {
        assert_eq!(read(Some(true), &FETCH), Some(Message::Request(0x107)));
        assert_eq!(read(Some(false), &FETCH[4..]), Some(Message::Answer(0x107)));
        assert_eq!((read(None, &FETCH), read(Some(true), &[1, 0, 0, 0, 0, 0, 0, 1])), (None, None));
    }

    #[test]
    fn what_is_produced_without_acknowledgement_is_no_request() {
        let produce = |version: u8, name: &[u8], wanted: u8| {
            let head = [0, 0, 0, version, 0, 0, 1, 7, 0, 1, b'c'];
            read(Some(true), &[&head[..], name, &[0, wanted]].concat())
        };
        assert_eq!((produce(2, &[], 0), produce(2, &[], 1)), (None, Some(Message::Request(0x107))));
        assert_eq!((produce(7, &[0xff, 0xff], 0), produce(7, &[0, 1, b't'], 1)), (None, Some(Message::Request(0x107))));
        assert_eq!((produce(9, &[0, 0], 0), produce(9, &[0, 0], 1)), (None, Some(Message::Request(0x107))));
    }

    #[test]
    fn a_length_is_in_front() {
        assert_eq!(
            (frame(&[0, 0, 0, 20, 0]), frame(&[0, 0, 0, 3]), frame(b"GET ")),
            (Framed::whole(4, 24), None, None)
        );
    }
}
