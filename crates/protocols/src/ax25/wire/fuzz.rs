//! What must hold for any bytes at all: called by the fuzz target and by the test that runs its corpus.

use super::{Frame, Modulo};

/// Any bytes give a frame or an error; a frame has bytes, of the length it says, that give the same frame.
pub fn frame(bytes: &[u8]) {
    for modulo in [Modulo::Eight, Modulo::OneHundredTwentyEight] {
        let Ok(frame) = Frame::parse(bytes, modulo) else { continue };
        let written = frame.to_bytes().expect("a frame that was read can be written");
        assert_eq!(written.len(), frame.length(), "the length is exact");
        assert_eq!(Frame::parse(&written, modulo), Ok(frame), "a frame survives the way there and back");
    }
}
