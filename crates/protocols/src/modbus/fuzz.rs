//! Properties that hold for any input, checked by the fuzz target and by the test that runs its corpus.

use sojourn_core::{Duration, Machine, Time};

use super::rtu::Character;
use super::timing::Silence;
use super::{Frame, Request, Response, ascii, function, rtu, tcp};

/// Any octets are a PDU or not: one that is survives a round trip.
pub fn pdu(octets: &[u8]) {
    if let Ok(request) = Request::parse(octets) {
        assert_eq!(function::length_of_request(octets), Some(octets.len()), "{request:?}");
        // bits that fill the last octet are not kept
        let written = request.to_bytes().expect("a parsed request can be written");
        assert_eq!(Request::parse(&written), Ok(request));
    }
    if let Ok(response) = Response::parse(octets) {
        assert_eq!(response.to_bytes().as_deref(), Ok(octets), "{response:?}");
        assert_eq!(function::length_of_response(octets), Some(octets.len()), "{response:?}");
    }
}

/// Any octets as characters of a line in either mode and as a stream of TCP; a frame after them is found.
pub fn stream(octets: &[u8]) {
    pdu(octets);
    of_rtu(octets);
    of_ascii(octets);
    let mut rest = octets;
    while let Ok(Some((adu, behind))) = tcp::parse(rest) {
        let mut written = Vec::new();
        tcp::emit(adu.transaction, adu.unit, adu.pdu, &mut written);
        assert_eq!(written, rest[..rest.len() - behind.len()]);
        pdu(adu.pdu);
        rest = behind;
    }
}

/// The characters follow each other; each octet of 0xff makes a silence that ends the frame.
fn of_rtu(octets: &[u8]) {
    let silence = Silence::of(9600, 11);
    let (mut receiver, mut now) = (rtu::Receiver::new(silence), Time::ZERO);
    let mut sound = Vec::new();
    rtu::emit(7, &[3, 0, 1, 0, 2], &mut sound);
    let pause = |octet: u8| if octet == 0xff { silence.t35 } else { Duration::ZERO };
    let mut found = 0;
    for (at, &octet) in octets.iter().chain(&sound).enumerate() {
        let before = if at == octets.len() { silence.t35 } else { pause(octet) };
        now += silence.character + before;
        receiver.handle(now, Character::Octet(octet));
        while let Some(frame) = receiver.poll_output() {
            found += 1;
            if let Ok(frame) = frame {
                rtu::parse(&frame).expect("a frame with its CRC");
            }
        }
    }
    receiver.wake(now + silence.t35);
    assert_eq!(receiver.poll_output(), Some(Ok(sound)), "after {found} others");
}

fn of_ascii(octets: &[u8]) {
    let mut receiver = ascii::Receiver::new();
    for &octet in octets {
        let Some(Ok(Frame { unit, pdu })) = receiver.push(octet) else { continue };
        let mut written = Vec::new();
        ascii::emit(unit, pdu, &mut written);
        let owned = (unit, pdu.to_vec());
        assert_eq!(last(&mut ascii::Receiver::new(), &written), Some(owned));
    }
    assert_eq!(last(&mut receiver, b":01030000000AF2\r\n"), Some((1, vec![3, 0, 0, 0, 10])));
}

/// The last frame in these characters.
fn last(receiver: &mut ascii::Receiver, characters: &[u8]) -> Option<(u8, Vec<u8>)> {
    let mut found = None;
    for &character in characters {
        if let Some(Ok(frame)) = receiver.push(character) {
            found = Some((frame.unit, frame.pdu.to_vec()));
        }
    }
    found
}
