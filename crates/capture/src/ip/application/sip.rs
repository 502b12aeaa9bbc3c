//! SIP (RFC 3261): the branch of the topmost Via and the sequence with its method name a transaction (section 17.1.3), with
//! the call, as elements of before (RFC 2543) have the same branch in all of a call. A provisional answer says that the
//! final one will take its time; to an ACK there is none (section 17.1.1.3).

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::text::{body_length, field, head, start_line};
use super::{Framed, Message};

const VERSION: &[u8] = b"SIP/2.0";

/// A request or a response.
pub fn read(message: &[u8]) -> Option<Message> {
    let is_request = to_server(message)?;
    let sequence = field(message, &["CSeq"])?;
    let method = sequence.rsplit(u8::is_ascii_whitespace).next()?;
    if method == b"ACK" {
        return None;
    }
    let call = field(message, &["Call-ID", "i"])?;
    let branch = field(message, &["Via", "v"]).and_then(branch);
    let name = FixedState::default().hash_one((call, sequence, branch));
    if is_request {
        return Some(Message::Request(name));
    }
    Some(match message.get(VERSION.len() + 1)? {
        b'1' => Message::Pending(name),
        _ => Message::Answer(name),
    })
}

/// What a message says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal<'a> {
    /// What names the call.
    pub call: &'a [u8],
    /// The method of the request, or of that which is answered.
    pub method: &'a [u8],
    /// The number of that request in the call.
    pub number: u32,
    /// The status of a response; `None` of a request.
    pub status: Option<u16>,
    /// Whether the call was set up before, at least in part: the receiver has its tag.
    pub is_within_call: bool,
}

/// What a message says of its call; `None` of one without the fields that name it.
pub fn signal(message: &[u8]) -> Option<Signal<'_>> {
    let is_request = to_server(message)?;
    let sequence = field(message, &["CSeq"])?;
    let mut words = sequence.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let number = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    let method = words.next()?;
    let status = || std::str::from_utf8(message.get(VERSION.len() + 1..VERSION.len() + 4)?).ok()?.parse().ok();
    let status = if is_request { None } else { Some(status()?) };
    let to = field(message, &["To", "t"]).unwrap_or_default();
    let is_within_call = to.windows(5).any(|window| window == b";tag=");
    Some(Signal { call: field(message, &["Call-ID", "i"])?, method, number, status, is_within_call })
}

/// The branch of a Via, of the first where there are several.
fn branch(via: &[u8]) -> Option<&[u8]> {
    let first = via.split(|octet| *octet == b',').next()?;
    let parameters = first.split(|octet| *octet == b';').map(<[u8]>::trim_ascii);
    parameters.into_iter().find_map(|parameter| parameter.strip_prefix(b"branch="))
}

/// Whether a message is a request, not a response, by its start line.
pub fn to_server(octets: &[u8]) -> Option<bool> {
    if octets.starts_with(VERSION) && octets.get(VERSION.len()) == Some(&b' ') {
        return Some(false);
    }
    // most of what is not SIP does not begin with a capital letter
    octets.first().filter(|first| first.is_ascii_uppercase())?;
    start_line(octets)?.ends_with(b" SIP/2.0").then_some(true)
}

/// The message at the beginning of a stream; empty lines keep a connection open (RFC 5626, 3.5.1).
pub fn frame(octets: &[u8]) -> Option<Framed> {
    if octets.starts_with(b"\r\n") {
        return Framed::whole(0, 2);
    }
    to_server(octets)?;
    let Some(head) = head(octets) else {
        return Some(Framed { header: 0, length: octets.len(), is_open: true });
    };
    Framed::whole(0, head + body_length(octets, &["Content-Length", "l"]).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(start: &str, method: &str, branch: &str) -> Vec<u8> {
        let via = format!("SIP/2.0/UDP a;rport;branch={branch}, SIP/2.0/UDP b;branch=z9hG4bKother");
        format!("{start}\r\nVia: {via}\r\nCall-ID: 1@a\r\nCSeq: 7 {method}\r\nContent-Length: 3\r\n\r\nabc").into()
    }

    fn invite() -> u64 {
        let Some(Message::Request(name)) = read(&message("INVITE sip:b SIP/2.0", "INVITE", "z9hG4bK1")) else {
            panic!("a request")
        };
        name
    }

    #[test]
    fn a_response_names_its_request_by_branch_sequence_and_method() {
        let response = |status: &str, method, branch| read(&message(&format!("SIP/2.0 {status}"), method, branch));
        assert_eq!(response("180 Ringing", "INVITE", "z9hG4bK1"), Some(Message::Pending(invite())));
        assert_eq!(response("200 OK", "INVITE", "z9hG4bK1"), Some(Message::Answer(invite())));
        assert_eq!(response("486 Busy Here", "INVITE", "z9hG4bK1"), Some(Message::Answer(invite())));
        assert_ne!(response("200 OK", "CANCEL", "z9hG4bK1"), Some(Message::Answer(invite())));
        assert_ne!(response("200 OK", "INVITE", "z9hG4bK2"), Some(Message::Answer(invite())));
    }

    #[test]
    fn an_ack_expects_no_response_and_a_message_without_its_sequence_names_nothing() {
        assert_eq!(read(&message("ACK sip:b SIP/2.0", "ACK", "z9hG4bK1")), None);
        assert_eq!(read(b"INVITE sip:b SIP/2.0\r\nVia: SIP/2.0/UDP a\r\n"), None, "cut");
        assert_eq!(read(b"HTTP/1.1 200 OK\r\n\r\n"), None);
    }

    #[test]
    fn a_message_in_a_stream_has_the_length_of_its_head_and_body() {
        let message = message("INVITE sip:b SIP/2.0", "INVITE", "z9hG4bK1");
        assert_eq!(frame(&[&message[..], b"more"].concat()), Framed::whole(0, message.len()));
        assert_eq!(frame(b"\r\n\r\n"), Framed::whole(0, 2));
        assert_eq!(frame(&message[..60]), Some(Framed { header: 0, length: 60, is_open: true }));
    }
}
