//! A cell in flight, in eight octets, and the hops of paths.

/// A cell in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Whose it is: a datagram, or the content of a resource management cell.
    pub carries: u32,
    /// The step it is at, and below that its flags.
    bits: u32,
}

/// Bits below the number of the step.
const FLAGS: u32 = 8;
/// The most steps that all paths may have together.
pub const STEPS: usize = 1 << (32 - FLAGS);

impl Cell {
    /// The last cell of a packet (PT bit 0 of a data cell).
    pub const LAST: u32 = 1;
    /// Explicit forward congestion indication (EFCI) is set.
    pub const CONGESTION: u32 = 2;
    /// A resource management cell in flight to the destination.
    pub const FORWARD: u32 = 4;
    /// A backward resource management cell.
    pub const BACKWARD: u32 = 8;
    /// Lost on the link; found missing where it should arrive.
    pub const LOST: u32 = 16;

    /// A cell at the beginning of a path.
    #[inline]
    pub fn new(carries: u32, step: u32, flags: u32) -> Self {
        Cell { carries, bits: step << FLAGS | flags }
    }

    /// Index of the step of its path.
    #[inline]
    pub fn step(self) -> usize {
        (self.bits >> FLAGS) as usize
    }

    /// The same cell one step on.
    #[inline]
    pub fn onward(self) -> Self {
        Cell { bits: self.bits + (1 << FLAGS), ..self }
    }

    /// Whether any of `flags` is set.
    #[inline]
    pub fn is(self, flags: u32) -> bool {
        self.bits & flags != 0
    }

    /// Whether it carries data rather than resource management.
    #[inline]
    pub fn is_data(self) -> bool {
        !self.is(Cell::FORWARD | Cell::BACKWARD)
    }

    /// Whether a host acts upon it when it comes: it ends a packet, or is of resource management.
    #[inline]
    pub fn is_acted_upon(self) -> bool {
        self.is(Cell::LAST | Cell::FORWARD | Cell::BACKWARD)
    }

    /// Sets these flags in addition to others.
    #[inline]
    pub fn set(&mut self, flags: u32) {
        self.bits |= flags;
    }
}

/// One link on the path of a connection. The steps of a connection follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The output port of the link.
    pub port: u32,
    /// The connection's queue where its cells wait for this link.
    pub queue: u32,
    /// Index of the connection.
    pub connection: u32,
    /// Whether the link leads to the receiving host.
    pub is_last: bool,
}
