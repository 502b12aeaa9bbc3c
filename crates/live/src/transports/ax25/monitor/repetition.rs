//! Detects repeated I frames: the same N(S) with the same information, before the sequence numbers wrap.

use std::collections::VecDeque;

use sojourn_protocols::ax25::hdlc::fcs;
use sojourn_protocols::ax25::wire::Modulo;

/// Recent I frames of one direction of a link: half of the sequence number space.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    /// Number, length and check sequence of each, the latest last.
    frames: VecDeque<(u8, usize, u16)>,
}

impl Recent {
    /// Takes an I frame; true if it is a repetition.
    pub fn is_repeated(&mut self, modulo: Modulo, number: u8, information: &[u8]) -> bool {
        let frame = (number, information.len(), fcs(information));
        if self.frames.contains(&frame) {
            return true;
        }
        self.frames.push_back(frame);
        if self.frames.len() > usize::from(modulo.largest()).div_ceil(2) {
            self.frames.pop_front();
        }
        false
    }

    /// The link is set up again.
    pub fn forget(&mut self) {
        self.frames.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_frame_is_distinguished_from_the_next_use_of_its_number() {
        let mut recent = Recent::default();
        for number in 0..4 {
            assert!(!recent.is_repeated(Modulo::Eight, number, b"text"));
        }
        assert!(recent.is_repeated(Modulo::Eight, 2, b"text"));
        assert!(!recent.is_repeated(Modulo::Eight, 2, b"other"));
        for number in 4..8 {
            recent.is_repeated(Modulo::Eight, number, b"text");
        }
        assert!(!recent.is_repeated(Modulo::Eight, 0, b"text"), "a new frame with the same text");
        recent.forget();
        assert!(!recent.is_repeated(Modulo::Eight, 0, b"text"));
    }
}
