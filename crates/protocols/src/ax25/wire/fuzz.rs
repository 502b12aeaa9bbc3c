//! Properties that hold for any input, checked by the fuzz target and by the test that runs its corpus.

use super::{Frame, Modulo};

/// Any octets parse to a frame or an error; a frame encodes to exactly `length` octets that parse to the same frame.
pub fn frame(bytes: &[u8]) {
    for modulo in [Modulo::Eight, Modulo::OneHundredTwentyEight] {
        let Ok(frame) = Frame::parse(bytes, modulo) else { continue };
        let written = frame.to_bytes().expect("a frame that was read can be written");
        assert_eq!(written.len(), frame.length(), "the length is exact");
        assert_eq!(Frame::parse(&written, modulo), Ok(frame), "a frame survives a round trip");
    }
}
