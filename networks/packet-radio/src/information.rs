//! Information fields of simulated frames: ranges of byte streams, short texts, and packets of the network layers.

use std::sync::Arc;

use sojourn_protocols::ax25::wire::{Body as FrameBody, Frame, Pid};
use sojourn_protocols::limits::ShortBuffer;
use sojourn_protocols::netrom::wire::{self as netrom, Nodes};
use sojourn_protocols::rose::wire::{Body, Packet};
use sojourn_protocols::{StreamData, StreamRange, UserData};

/// The stream of blocks that the probe sends.
pub const PING_STREAM: u32 = 0;
/// The stream of blocks that the probe returns.
pub const PONG_STREAM: u32 = 1;
/// The first stream of background traffic, one per source.
pub const FIRST_SOURCE_STREAM: u32 = 2;
/// The first stream of sessions, two per session: requests, responses.
const FIRST_SESSION_STREAM: u32 = 1 << 31;

/// The stream of a session's requests (direction 0) or responses (1).
pub fn session_stream(session: u32, direction: usize) -> u32 {
    FIRST_SESSION_STREAM + 2 * session + direction as u32
}

/// The session that a stream belongs to and its direction, if it belongs to one.
pub fn session_of(stream: u32) -> Option<(u32, usize)> {
    let number = stream.checked_sub(FIRST_SESSION_STREAM)?;
    Some((number / 2, number as usize % 2))
}

/// The information field of an I or UI frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Information {
    /// User data (PID F0).
    User(Payload),
    /// A packet between NET/ROM nodes (PID CF).
    NetRom(netrom::Packet<Payload>),
    /// A broadcast of a NET/ROM node (PID CF).
    Nodes(Arc<Nodes>),
    /// A packet between ROSE switches (PID 01).
    Rose(Packet<Payload>),
}

impl Information {
    /// Its protocol identifier.
    pub fn pid(&self) -> Pid {
        match self {
            Information::User(_) => Pid::NONE,
            Information::NetRom(_) | Information::Nodes(_) => Pid::NETROM,
            Information::Rose(_) => Pid::X25,
        }
    }

    /// The user data in it, across the layers.
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

/// Unwraps the result of emitting into a buffer of exactly the length.
fn filled(emitted: Result<usize, ShortBuffer>) {
    emitted.expect("a buffer of the information's length");
}

/// The information field of an I or UI frame, if it is one.
pub fn of_frame(frame: &Frame<Information>) -> Option<&Information> {
    match &frame.body {
        FrameBody::I { data, .. } | FrameBody::Ui { data, .. } => Some(data),
        _ => None,
    }
}

/// User data: a range of a stream, or a short text.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// Range of a block or message.
    Stream(StreamRange),
    /// A command to a node, or its reply.
    Text(Text),
}

impl Payload {
    /// A short text.
    pub fn text(text: &str) -> Self {
        Payload::Text(Text { whole: text.into(), start: 0, end: text.len() as u16 })
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Payload::Stream(_) => None,
            Payload::Text(text) => text.whole.get(usize::from(text.start)..usize::from(text.end)),
        }
    }

    /// Whether it contains the octet at a position of a stream.
    pub fn contains(&self, stream: u32, position: u32) -> bool {
        match self {
            Payload::Stream(range) => {
                range.stream == stream && position.wrapping_sub(range.offset) < u32::from(range.length)
            }
            Payload::Text(_) => false,
        }
    }

    /// Both as one, if `next` continues where this ends: reassembly of fragments.
    pub fn joined(&self, next: &Payload) -> Option<Payload> {
        match (self, next) {
            (Payload::Stream(first), Payload::Stream(next)) => {
                let follows =
                    first.stream == next.stream && first.offset.wrapping_add(u32::from(first.length)) == next.offset;
                let length = first.length.checked_add(next.length)?;
                follows.then_some(Payload::Stream(StreamRange { length, ..*first }))
            }
            (Payload::Text(first), Payload::Text(next)) => {
                let follows = Arc::ptr_eq(&first.whole, &next.whole) && first.end == next.start;
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
                buffer.copy_from_slice(&text.whole.as_bytes()[usize::from(text.start)..usize::from(text.end)]);
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
                Payload::Text(Text { whole: Arc::clone(&text.whole), start, end })
            }
        }
    }
}

/// A range of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    whole: Arc<str>,
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
        assert_eq!(Payload::text("C NODEB\r").slice(2, 7).as_text(), Some("NODEB"));
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
