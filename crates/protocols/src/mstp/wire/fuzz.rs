//! Properties that hold for any input, checked by the fuzz target and by the test that runs its corpus.

use sojourn_core::{Duration, Time};

use super::{Frame, FrameType, Received, Receiver};

/// Any octets parse to a frame or a fault, at once and octet by octet; a frame survives a round trip; a frame after any octets and
/// silence is found. Octets with their high bits 1010 come after silence or with a framing error now and then.
pub fn octets(octets: &[u8]) {
    let mut decoded = Vec::new();
    if let Ok(frame) = Frame::parse(octets, &mut decoded) {
        round_trip(&frame);
    }
    for own in [None, Some(7)] {
        let mut receiver = Receiver::new(own);
        let mut now = Time::ZERO;
        for (at, &octet) in octets.iter().enumerate() {
            now += Duration::from_micros(if octet >> 4 == 0xa && at % 5 == 0 { 96_000 } else { 260 });
            let found = if octet == 0xae && at % 3 == 0 { receiver.error(now) } else { receiver.push(now, octet) };
            if let Some(Received::Frame(frame)) = found {
                assert!(own.is_none_or(|own| [own, 255].contains(&frame.destination)));
                round_trip(&frame);
            }
        }
        now += Duration::from_millis(200);
        let _ = receiver.wake(now);
        assert_eq!(receiver.next_wakeup(), None, "silence ends every frame");
        let sound = Frame { kind: FrameType::TestRequest, destination: 7, source: 1, data: &[0x55, 0xff, 0x55][..] };
        let written = sound.to_bytes().expect("a short frame");
        let (last, first) = written.split_last().expect("octets");
        first.iter().for_each(|&octet| assert_eq!(receiver.push(now, octet), None));
        assert_eq!(receiver.push(now, *last), Some(Received::Frame(sound)));
    }
}

fn round_trip(frame: &Frame<&[u8]>) {
    // a frame that never has data may come with some
    let Ok(written) = frame.to_bytes() else {
        return assert!(frame.kind.is_bare(), "a frame that was read can be written");
    };
    assert!(written.len() <= frame.longest());
    let mut decoded = Vec::new();
    assert_eq!(Frame::parse(&written, &mut decoded), Ok(*frame), "a frame survives a round trip");
}
