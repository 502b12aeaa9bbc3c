//! One frame of every kind, for tests and the corpus of the fuzz target.

use super::frame::Frame;
use super::kind::FrameType;

/// ReadProperty of the present value of analog input 1, invoke id 1, with its NPDU header.
const READ_PROPERTY: &[u8] = &[0x01, 0x04, 0x00, 0x02, 0x01, 0x0c, 0x0c, 0x00, 0x80, 0x00, 0x01, 0x19, 0x55];
/// Its ComplexACK with a REAL.
const COMPLEX_ACK: &[u8] =
    &[0x01, 0x00, 0x30, 0x01, 0x0c, 0x0c, 0x00, 0x80, 0x00, 0x01, 0x19, 0x55, 0x3e, 0x44, 0x42, 0xc8, 0x00, 0x00, 0x3f];
/// As much as an encoded frame needs at least, with zeros and octets 55.
const EXTENDED: &[u8] = &{
    let mut data = [0; 502];
    let mut at = 0;
    while at < data.len() {
        data[at] = (at % 86) as u8;
        at += 1;
    }
    data
};

/// Frames by name.
pub fn examples() -> Vec<(&'static str, Frame<&'static [u8]>)> {
    use FrameType::*;
    let frame = |kind, destination, source, data| Frame { kind, destination, source, data };
    vec![
        ("token", frame(Token, 0x10, 0x05, &[][..])),
        ("poll for master", frame(PollForMaster, 4, 3, &[])),
        ("reply to poll for master", frame(ReplyToPollForMaster, 3, 4, &[])),
        ("test request", frame(TestRequest, 4, 3, &[1, 0x22, 0x30])),
        ("test response", frame(TestResponse, 3, 4, &[1, 0x22, 0x30])),
        ("data expecting reply", frame(DataExpectingReply, 7, 0, READ_PROPERTY)),
        ("data not expecting reply", frame(DataNotExpectingReply, 0, 7, COMPLEX_ACK)),
        ("reply postponed", frame(ReplyPostponed, 0, 7, &[])),
        ("extended data expecting reply", frame(ExtendedDataExpectingReply, 7, 0, EXTENDED)),
        ("extended data not expecting reply", frame(ExtendedDataNotExpectingReply, 255, 7, EXTENDED)),
        ("proprietary", frame(Proprietary(0x80), 7, 0, &[0, 8, 1])),
    ]
}
