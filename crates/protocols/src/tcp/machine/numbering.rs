//! Positions and their sequence numbers.

/// How far something is in a direction of the connection: SYN is at 0, the first octet at 1, FIN after the last.
/// A position never wraps.
pub(super) type Position = u64;

/// The first octet of data.
pub(super) const FIRST: Position = 1;

/// Where a direction's sequence numbers begin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbering {
    /// The sequence number of SYN.
    pub initial: u32,
}

impl Numbering {
    /// The sequence number of a position.
    pub fn number(self, position: Position) -> u32 {
        self.initial.wrapping_add(position as u32)
    }

    /// The position with this sequence number that is closest to `near`; none if it is before SYN.
    pub fn position(self, near: Position, number: u32) -> Option<Position> {
        let distance = number.wrapping_sub(self.number(near)) as i32;
        near.checked_add_signed(distance.into())
    }
}
