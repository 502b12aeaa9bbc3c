//! Properties that hold for arbitrary bytes; called by the fuzz target and by the tests over its corpus.

use super::{Frame, Pdu, Snap, Token, capture_record, fcs};
use crate::UserData;

/// Parses arbitrary bytes, as given and with a valid FCS; a parsed token or frame survives emitting and parsing.
pub fn pdu(bytes: &[u8]) {
    let with_fcs = [bytes, &fcs(bytes).to_be_bytes()].concat();
    for bytes in [bytes, &with_fcs] {
        match Pdu::parse(bytes) {
            Ok(Pdu::Token(token)) => assert_eq!(Token::parse(token.byte()), Some(token)),
            Ok(Pdu::Frame(frame)) => survives(&frame, bytes),
            Err(_) => {}
        }
    }
}

fn survives(frame: &Frame<&[u8]>, bytes: &[u8]) {
    assert_eq!(frame.to_bytes().as_deref(), Ok(bytes), "bytes and values are one to one");
    assert_eq!(frame.length(), bytes.len(), "length() is exact");
    let mut record = Vec::new();
    capture_record(frame, false, &mut record).expect("a parsed frame can be captured");
    assert_eq!(Frame::parse_without_fcs(&record), Ok(*frame));
    if let Ok(packet) = Snap::parse(frame.information) {
        let mut information = vec![0; packet.length()];
        packet.emit(&mut information);
        assert_eq!(information, frame.information);
    }
}
