//! The two directions of a path.

/// A direction, as results name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From this host to the peer.
    Forward,
    /// From the peer to this host.
    Return,
}

impl Direction {
    /// Both.
    pub const BOTH: [Direction; 2] = [Direction::Forward, Direction::Return];

    /// Its name in results.
    pub fn word(self) -> &'static str {
        match self {
            Direction::Forward => "forward",
            Direction::Return => "return",
        }
    }

    /// What completes a sentence.
    pub fn phrase(self) -> &'static str {
        match self {
            Direction::Forward => "in the forward direction",
            Direction::Return => "in the return direction",
        }
    }
}
