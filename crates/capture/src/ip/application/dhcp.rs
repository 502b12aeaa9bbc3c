//! DHCP (RFC 2131): transaction identifier and hardware address name an exchange. Client and server have no common addresses
//! yet, or reach each other through a relay.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::Message;
use super::octets::be32;

/// Where options begin, behind their mark (RFC 2132, 2).
const COOKIE: usize = 236;
const MARK: [u8; 4] = [99, 130, 83, 99];
const END: u8 = 255;
const PAD: u8 = 0;
const MESSAGE_TYPE: u8 = 53;
/// Options that are looked at.
const MOST_OPTIONS: usize = 64;

mod message_type {
    pub const DISCOVER: u8 = 1;
    pub const OFFER: u8 = 2;
    pub const REQUEST: u8 = 3;
    pub const ACKNOWLEDGEMENT: u8 = 5;
    pub const REFUSAL: u8 = 6;
    pub const INFORM: u8 = 8;
}

/// A message by its type: an offer answers a discovery, an acknowledgement a request.
pub fn read(message: &[u8]) -> Option<Message> {
    let (transaction, hardware) = (be32(message, 4)?, message.get(28..44)?);
    let name = |phase: u8| FixedState::default().hash_one((transaction, hardware, phase));
    Some(match message_type(message)? {
        message_type::DISCOVER => Message::Request(name(message_type::OFFER)),
        message_type::OFFER => Message::Answer(name(message_type::OFFER)),
        message_type::REQUEST | message_type::INFORM => Message::Request(name(message_type::ACKNOWLEDGEMENT)),
        message_type::ACKNOWLEDGEMENT => Message::Answer(name(message_type::ACKNOWLEDGEMENT)),
        message_type::REFUSAL => Message::Refusal(name(message_type::ACKNOWLEDGEMENT)),
        // declining and releasing have no answer
        _ => return None,
    })
}

fn message_type(message: &[u8]) -> Option<u8> {
    let mut options = message.get(COOKIE..)?.strip_prefix(&MARK)?;
    for _ in 0..MOST_OPTIONS {
        match *options.first()? {
            END => return None,
            PAD => options = &options[1..],
            MESSAGE_TYPE => return options.get(2).copied(),
            _ => options = options.get(2 + usize::from(*options.get(1)?)..)?,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8, transaction: u8, options: &[u8]) -> Vec<u8> {
        let mut message = vec![0; COOKIE];
        (message[7], message[28]) = (transaction, 2);
        [&message[..], &MARK, options, &[MESSAGE_TYPE, 1, kind, END]].concat()
    }

    #[test]
    fn an_offer_answers_a_discovery_and_an_acknowledgement_a_request() {
        let Some(Message::Request(discovery)) = read(&message(1, 7, &[])) else { panic!() };
        assert_eq!(read(&message(2, 7, &[PAD, 54, 4, 1, 1, 1, 1])), Some(Message::Answer(discovery)));
        let Some(Message::Request(request)) = read(&message(3, 7, &[])) else { panic!() };
        assert_eq!(read(&message(5, 7, &[])), Some(Message::Answer(request)));
        assert_eq!(read(&message(6, 7, &[])), Some(Message::Refusal(request)));
        assert_ne!(discovery, request);
        assert_eq!((read(&message(7, 7, &[])), read(&message(1, 7, &[])[..240])), (None, None));
    }
}
