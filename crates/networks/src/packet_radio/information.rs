//! What frames carry in simulation: ranges of streams, short texts, and the packets of layer 3.

use std::sync::Arc;

use sojourn_protocols::ax25::wire::Pid;
use sojourn_protocols::limits::ShortBuffer;
use sojourn_protocols::netrom::wire::{self as netrom, Nodes};
use sojourn_protocols::rose::wire::{Body, Packet};
use sojourn_protocols::{StreamData, StreamRange, UserData};

/// What an I or UI frame carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Information {
    /// A user's octets (PID F0).
    User(Payload),
    /// A packet between NET/ROM nodes (PID CF).
    NetRom(netrom::Packet<Payload>),
    /// A broadcast of a NET/ROM node (PID CF).
    Nodes(Arc<Nodes>),
    /// A packet between ROSE switches (PID 01).
    Rose(Packet<Payload>),
}

impl Information {
    /// Whose it is.
    pub fn pid(&self) -> Pid {
        match self {
            Information::User(_) => Pid::NONE,
            Information::NetRom(_) | Information::Nodes(_) => Pid::NETROM,
            Information::Rose(_) => Pid::X25,
        }
    }

    /// The user's octets in it, whatever the layers between.
    pub fn payload(&self) -> Option<&Payload> {
        match self {
            Information::User(payload) => Some(payload),
            Information::NetRom(packet) => match &packet.body {
                netrom::Body::Information { data, .. } => Some(data),
                _ => None,
            },
            Information::Nodes(_) => None,
            Information::Rose(Packet { body: Body::Data { data, .. }, .. }) => Some(data),
            Information::Rose(_) => None,
        }
    }
}

impl UserData for Information {
    fn length(&self) -> usize {
        match self {
            Information::User(payload) => payload.length(),
            Information::NetRom(packet) => packet.length(),
            Information::Nodes(nodes) => nodes.length(),
            Information::Rose(packet) => packet.length(),
        }
    }

    fn emit(&self, buffer: &mut [u8]) {
        match self {
            Information::User(payload) => payload.emit(buffer),
            Information::NetRom(packet) => filled(packet.emit(buffer)),
            Information::Nodes(nodes) => filled(nodes.emit(buffer)),
            Information::Rose(packet) => {
                packet.emit(buffer).expect("a switch's packets have bytes");
            }
        }
    }
}

/// A buffer of the information's own length is never short.
fn filled(emitted: Result<usize, ShortBuffer>) {
    emitted.expect("a buffer of the information's length");
}

/// A user's octets: a range of a stream, or a few words.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// Octets of a block or message.
    Stream(StreamRange),
    /// A node's command or answer.
    Text(Text),
}

impl Payload {
    /// A few words.
    pub fn text(words: &str) -> Self {
        Payload::Text(Text { words: words.into(), start: 0, end: words.len() as u16 })
    }

    /// The words, if it is words.
    pub fn words(&self) -> Option<&str> {
        match self {
            Payload::Stream(_) => None,
            Payload::Text(text) => text.words.get(usize::from(text.start)..usize::from(text.end)),
        }
    }

    /// Whether an octet of a stream is among them.
    pub fn contains(&self, stream: u32, position: u32) -> bool {
        match self {
            Payload::Stream(range) => {
                range.stream == stream && position.wrapping_sub(range.offset) < u32::from(range.length)
            }
            Payload::Text(_) => false,
        }
    }

    /// Both as one, if `next` goes on where this ends: what a node makes of the fragments of a frame.
    pub fn joined(&self, next: &Payload) -> Option<Payload> {
        match (self, next) {
            (Payload::Stream(first), Payload::Stream(next)) => {
                let follows =
                    first.stream == next.stream && first.offset.wrapping_add(u32::from(first.length)) == next.offset;
                let length = first.length.checked_add(next.length)?;
                follows.then_some(Payload::Stream(StreamRange { length, ..*first }))
            }
            (Payload::Text(first), Payload::Text(next)) => {
                let follows = Arc::ptr_eq(&first.words, &next.words) && first.end == next.start;
                follows.then(|| Payload::Text(Text { end: next.end, ..first.clone() }))
            }
            _ => None,
        }
    }
}

impl Default for Payload {
    fn default() -> Self {
        Payload::Stream(StreamRange::default())
    }
}

impl UserData for Payload {
    fn length(&self) -> usize {
        match self {
            Payload::Stream(range) => range.length(),
            Payload::Text(text) => usize::from(text.end - text.start),
        }
    }

    fn emit(&self, buffer: &mut [u8]) {
        match self {
            Payload::Stream(range) => range.emit(buffer),
            Payload::Text(text) => {
                buffer.copy_from_slice(&text.words.as_bytes()[usize::from(text.start)..usize::from(text.end)]);
            }
        }
    }
}

impl StreamData for Payload {
    fn slice(&self, start: usize, end: usize) -> Self {
        match self {
            Payload::Stream(range) => Payload::Stream(range.slice(start, end)),
            Payload::Text(text) => {
                assert!(start <= end && end <= self.length(), "a range within the data");
                let (start, end) = (text.start + start as u16, text.start + end as u16);
                Payload::Text(Text { words: Arc::clone(&text.words), start, end })
            }
        }
    }
}

/// A range of some words.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    words: Arc<str>,
    start: u16,
    end: u16,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_cut_and_joined_is_the_payload() {
        let block = Payload::Stream(StreamRange { stream: 3, offset: 40, length: 256 });
        for payload in [block, Payload::text("C NODEB\r")] {
            let (first, second) = (payload.slice(0, 5), payload.slice(5, payload.length()));
            assert_eq!(first.joined(&second), Some(payload.clone()));
            assert_eq!(second.joined(&first), None);
        }
        assert_eq!(Payload::text("C NODEB\r").slice(2, 7).words(), Some("NODEB"));
    }

    #[test]
    fn an_octet_is_in_the_part_that_has_it() {
        let block = Payload::Stream(StreamRange { stream: 3, offset: u32::MAX - 9, length: 20 });
        let (first, second) = (block.slice(0, 12), block.slice(12, 20));
        assert!(first.contains(3, 1) && !second.contains(3, 1));
        assert!(!first.contains(3, 2) && second.contains(3, 2));
        assert!(!first.contains(4, 1));
    }
}
