//! Modbus over TCP (Modbus Messaging on TCP/IP Implementation Guide V1.0b, 3.1).

use sojourn_protocols::modbus::{EXCEPTION_BIT, tcp};

use super::{Framed, Message};

/// Octets that say how long a message is, but for those of UMAS.
const LENGTH_END: usize = 6;

/// The unit and the transaction identifier name a request; the highest bit of the function marks an exception.
pub fn read(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
    let &[id1, id0, _, _, _, _, unit, function] = message.first_chunk()?;
    let name = u32::from_be_bytes([0, unit, id1, id0]).into();
    Some(match (to_server?, function & EXCEPTION_BIT) {
        (true, _) => Message::Request(name),
        (false, 0) => Message::Answer(name),
        (false, _) => Message::Refusal(name),
    })
}

/// The message at the beginning of a stream: protocol 0, and a length from unit and function to the longest PDU. Those of
/// UMAS may be longer.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    Framed::whole(0, tcp::frame_length(octets).ok()??)
}

/// Octets that say how long a message is: the function only where the length is more than one of Modbus.
pub fn header(octets: &[u8]) -> usize {
    let is_long = octets.get(..LENGTH_END).is_some_and(|octets| {
        let [high, low] = [octets[4], octets[5]];
        u16::from_be_bytes([high, low]) > tcp::LONGEST_LENGTH
    });
    if is_long { tcp::HEADER + 1 } else { LENGTH_END }
}

#[cfg(test)]
mod tests {
    use super::super::Application;
    use super::*;

    #[test]
    fn a_modbus_exception_is_a_refusal() {
        let message = |function: u8| [0, 7, 0, 0, 0, 6, 1, function, 0, 0, 0, 1];
        assert_eq!(Application::Modbus.read(Some(true), &message(3)), Message::Request(0x1_0007));
        assert_eq!(Application::Modbus.read(Some(false), &message(3)), Message::Answer(0x1_0007));
        assert_eq!(Application::Modbus.read(Some(false), &message(0x83)), Message::Refusal(0x1_0007));
        assert_eq!(Application::Modbus.stream_message(&message(3)), Framed::whole(0, 12));
        assert_eq!(Application::Modbus.stream_message(&[0, 7, 0, 1, 0, 6]), None);
    }

    #[test]
    fn a_message_of_umas_may_be_longer_than_one_of_modbus() {
        let frame = |high, low, function| Application::Modbus.stream_message(&[0, 7, 0, 0, high, low, 0, function]);
        assert_eq!(frame(0, 254, 3), Framed::whole(0, 260), "unit, function and 252 octets");
        assert_eq!(frame(0, 255, 3), None);
        assert_eq!(frame(4, 1, 90), Framed::whole(0, 6 + 1_025));
        assert_eq!(frame(255, 255, 90), Framed::whole(0, 6 + 65_535));
        assert_eq!(frame(4, 1, 0xda), Framed::whole(0, 6 + 1_025), "an exception");
        assert!(Application::Modbus.is_cut(&[0, 7, 0, 0, 4, 1, 0]), "without its function");
    }
}
