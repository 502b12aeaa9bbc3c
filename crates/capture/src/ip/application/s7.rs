//! S7comm over ISO transport on TCP (RFC 1006, 6; ISO 8073, 13.7): the reference of the PDU names a job. Its layout is as
//! dissectors publish it.

use super::octets::be16;
use super::{Framed, Message};

/// The version of the packets that carry ISO transport, and their header.
const TPKT: u8 = 3;
const HEADER: usize = 4;
/// Data of ISO transport, and the identifier of S7comm.
const DATA: u8 = 0xf0;
const S7: u8 = 0x32;

mod kind {
    pub const JOB: u8 = 1;
    pub const ACKNOWLEDGEMENT: u8 = 2;
    pub const ACKNOWLEDGEMENT_WITH_DATA: u8 = 3;
    pub const USER_DATA: u8 = 7;
}

/// A job or what acknowledges it; user data states its direction in its parameters.
pub fn read(message: &[u8]) -> Option<Message> {
    let pdu = pdu(message)?;
    let &[identifier, kind] = pdu.first_chunk()?;
    if identifier != S7 {
        return None;
    }
    let name = be16(pdu, 4)?.into();
    match kind {
        kind::JOB => Some(Message::Request(name)),
        kind::ACKNOWLEDGEMENT | kind::ACKNOWLEDGEMENT_WITH_DATA => Some(Message::Answer(name)),
        kind::USER_DATA => match pdu.get(15)? >> 4 {
            4 => Some(Message::Request(name)),
            8 => Some(Message::Answer(name)),
            // pushed, as the values of a subscription
            _ => None,
        },
        _ => None,
    }
}

/// What ISO transport carries.
fn pdu(message: &[u8]) -> Option<&[u8]> {
    let &[length, kind] = message.get(HEADER..)?.first_chunk()?;
    if kind != DATA { None } else { message.get(HEADER + 1 + usize::from(length)..) }
}

/// The packet at the beginning of a stream; of other protocols over ISO transport none.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let &[version, reserved] = octets.first_chunk()?;
    let length = usize::from(be16(octets, 2)?);
    // what follows behind an empty fragment is another packet
    let is_other =
        pdu(&octets[..length.min(octets.len())]).and_then(<[u8]>::first).is_some_and(|identifier| *identifier != S7);
    if version != TPKT || reserved != 0 || length < HEADER + 3 || is_other { None } else { Framed::whole(0, length) }
}

#[cfg(test)]
mod tests {
    use super::super::Application;
    use super::*;

    #[test]
    fn an_empty_fragment_before_a_packet_is_one_of_its_protocol() {
        let fragment = [3, 0, 0, 7, 2, 0xf0, 0];
        assert_eq!(frame(&[&fragment[..], &packet(1, 0)].concat()), Framed::whole(0, 7));
    }

    fn packet(kind: u8, direction: u8) -> Vec<u8> {
        let pdu = [0x32, kind, 0, 0, 1, 7, 0, 8, 0, 0, 0, 1, 0x12, 4, 0x11, direction << 4 | 4];
        [&[3, 0, 0, 23, 2, 0xf0, 0x80][..], &pdu].concat()
    }

    #[test]
    fn what_acknowledges_a_job_has_its_reference() {
        assert_eq!(read(&packet(1, 0)), Some(Message::Request(0x107)));
        assert_eq!(
            (read(&packet(3, 0)), read(&packet(2, 0))),
            (Some(Message::Answer(0x107)), Some(Message::Answer(0x107)))
        );
        assert_eq!([1, 3].map(|kind| Application::S7.direction_in_stream(&packet(kind, 0))), [Some(true), Some(false)]);
    }

    #[test]
    fn user_data_states_its_direction() {
        assert_eq!(read(&packet(7, 4)), Some(Message::Request(0x107)));
        assert_eq!(read(&packet(7, 8)), Some(Message::Answer(0x107)));
        assert_eq!(read(&packet(7, 0)), None);
    }

    #[test]
    fn other_protocols_over_iso_transport_name_nothing() {
        let mut other = packet(1, 0);
        other[7] = 0x72;
        assert_eq!((read(&other), frame(&other)), (None, None));
        assert_eq!(read(&[3, 0, 0, 22, 17, 0xe0, 0, 0, 0, 1, 0]), None, "a connection request");
        assert_eq!((frame(&packet(1, 0)), frame(&[3, 0, 0, 6])), (Framed::whole(0, 23), None));
    }
}
