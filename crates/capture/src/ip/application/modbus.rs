//! Modbus over TCP (Modbus Messaging on TCP/IP Implementation Guide V1.0b, 3.1).

use super::octets::be16;
use super::{Framed, Message};

/// The unit and the transaction identifier name a request; the highest bit of the function marks an exception.
pub fn read(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
    let &[id1, id0, _, _, _, _, unit, function] = message.first_chunk()?;
    let name = u32::from_be_bytes([0, unit, id1, id0]).into();
    Some(match (to_server?, function & 0x80) {
        (true, _) => Message::Request(name),
        (false, 0) => Message::Answer(name),
        (false, _) => Message::Refusal(name),
    })
}

/// The message at the beginning of a stream: protocol 0, and a length from unit and function to the longest PDU.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let (protocol, length) = (be16(octets, 2)?, usize::from(be16(octets, 4)?));
    if protocol != 0 || !(2..=254).contains(&length) { None } else { Framed::whole(0, 6 + length) }
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
}
