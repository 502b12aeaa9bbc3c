//! HTTP/1 (RFC 9112): answers come in the order of their requests (section 9.3.2).

use super::text::{body_length, head, start_line};
use super::{Framed, Message};

/// Methods by which a request is recognised that is cut before the end of its line; others by the version there.
const METHODS: [&[u8]; 9] =
    [b"GET ", b"POST ", b"HEAD ", b"PUT ", b"DELETE ", b"OPTIONS ", b"PATCH ", b"PROPFIND ", b"CONNECT "];
/// Octets of a body, at most.
const LONGEST_BODY: usize = 1 << 29;
const VERSION: &[u8] = b"HTTP/1.";
/// Where the status code is, behind `HTTP/1.1 `.
const STATUS: std::ops::Range<usize> = 9..12;

/// A request or a response; an interim response (RFC 9110, 15.2) but that of an upgrade is none.
pub fn read(message: &[u8]) -> Option<Message> {
    if to_server(message)? {
        return Some(Message::Request(0));
    }
    match message.get(STATUS)? {
        b"101" => Some(Message::Answer(0)),
        [b'1', _, _] => None,
        _ => Some(Message::Answer(0)),
    }
}

/// Whether a message is a request, not a response, by its start line.
pub fn to_server(octets: &[u8]) -> Option<bool> {
    if octets.starts_with(VERSION) {
        return Some(false);
    }
    octets.first().filter(|first| first.is_ascii_uppercase())?;
    let is_usual = METHODS.iter().any(|method| octets.starts_with(method));
    (is_usual || start_line(octets).is_some_and(is_request_line)).then_some(true)
}

/// The message at the beginning of a stream. One without a length, as in chunks, goes on until the next one begins.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let is_request = to_server(octets)?;
    let open = Framed { header: 0, length: octets.len(), is_open: true };
    let Some(head) = head(octets) else { return Some(open) };
    let has_no_body = match octets.get(STATUS) {
        _ if is_request => false,
        Some(status) => status.starts_with(b"1") || status == b"204" || status == b"304",
        None => false,
    };
    if has_no_body {
        return Framed::whole(0, head);
    }
    let fields = &octets[..head];
    // a length that no stream can have says nothing of where the next message begins
    match body_length(fields, &["Content-Length"]).filter(|length| *length <= LONGEST_BODY) {
        Some(length) => Framed::whole(0, head + length),
        None if is_request && super::text::field(fields, &["Transfer-Encoding"]).is_none() => Framed::whole(0, head),
        None => Some(open),
    }
}

/// Whether a message begins here, whatever length the one before had: the answer to HEAD has that of a body which does not
/// come.
pub fn begins_anew(octets: &[u8]) -> bool {
    to_server(octets).is_some()
        && start_line(octets).is_some_and(|line| line.starts_with(VERSION) || is_request_line(line))
}

/// Method, target and version (RFC 9112, 3); what is left of a line that began in another segment has no method.
fn is_request_line(line: &[u8]) -> bool {
    let mut parts = line.splitn(2, |octet| *octet == b' ');
    let (method, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_token = |octet: &u8| octet.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(octet);
    let has_version = rest.len() > VERSION.len() + 1 && rest[..rest.len() - 1].ends_with(VERSION);
    has_version && !method.is_empty() && method.iter().all(is_token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_a_method_and_a_response_a_status() {
        assert_eq!(read(b"GET / HTTP/1.1\r\n\r\n"), Some(Message::Request(0)));
        assert_eq!(read(b"HTTP/1.1 200 OK\r\n\r\n"), Some(Message::Answer(0)));
        assert_eq!(read(b"HTTP/1.1 500 Oh\r\n\r\n"), Some(Message::Answer(0)));
        assert_eq!(read(b"HTTP/1.1 100 Continue\r\n\r\n"), None);
        assert_eq!((read(b"HTTP/1.1 101 Up\r\n"), read(b"hello")), (Some(Message::Answer(0)), None));
        assert_eq!(read(b"RPC_IN_DATA /rpc HTTP/1.1\r\n\r\n"), Some(Message::Request(0)));
        assert_eq!((read(b"MKCOL /a\r\n"), read(b"NOTE to HTTP/1.1x\r\n")), (None, None));
        // the ends of lines whose begin is in another segment
        assert_eq!((read(b"C%7C&a=1 HTTP/1.1\r\n"), read(b"B=1 /a HTTP/1.1\r\n")), (None, None));
    }

    #[test]
    fn the_length_of_a_message_is_that_of_its_fields_and_of_its_body() {
        assert_eq!(frame(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b"), Framed::whole(0, 27));
        assert_eq!(frame(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc"), Framed::whole(0, 1041));
        assert_eq!(frame(b"HTTP/1.1 304 No\r\nContent-Length: 1000\r\n\r\n"), Framed::whole(0, 41));
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n";
        assert_eq!(frame(chunked), Some(Framed { header: 0, length: chunked.len(), is_open: true }));
        assert_eq!(frame(b"GET / HTTP/1.1\r\nHo"), Some(Framed { header: 0, length: 18, is_open: true }));
    }

    #[test]
    fn a_message_begins_anew_with_a_start_line() {
        assert!(begins_anew(b"HTTP/1.1 200 OK\r\n") && begins_anew(b"GET / HTTP/1.0\r\n"));
        assert!(!begins_anew(b"GET a body\r\n") && !begins_anew(b"HTTP/1.1"));
    }
}
