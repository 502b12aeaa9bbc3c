//! Properties that hold for any bits, checked by the fuzz target and by the test that runs its corpus.

use super::{Deframer, Encoder};

/// After any bits, a frame between two flags is found, and no frame exceeds the buffer.
pub fn bits(bytes: &[u8]) {
    const FRAME: [u8; 16] = *b"\x01frame and more\xff";
    let mut deframer = Deframer::new(64);
    for bit in bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 != 0)) {
        if let Some(Ok(frame)) = deframer.push(bit) {
            assert!(frame.len() <= 64, "the buffer's limit holds");
        }
    }
    let mut encoder = Encoder::new();
    encoder.flags(2).frame(&FRAME);
    let found = encoder.bits().iter().filter(|bit| deframer.push(**bit).is_some_and(|found| found == Ok(&FRAME)));
    assert_eq!(found.count(), 1, "a frame after any bits is found");
}
