//! The nodes other than the adapter: interfering requests, and commanders that always request.

use std::collections::VecDeque;

/// A transaction of a commander that always has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A command and the data after it, this many bytes.
    Write(u32),
    /// A command; a hexaword comes back.
    Read,
}

impl Operation {
    /// Cycles that the commander drives.
    pub const fn cycles(self) -> u64 {
        match self {
            Operation::Write(bytes) => 1 + bytes.div_ceil(8) as u64,
            Operation::Read => 1,
        }
    }

    /// Bytes of data moved.
    pub const fn bytes(self) -> u32 {
        match self {
            Operation::Write(bytes) => bytes,
            Operation::Read => 32,
        }
    }
}

/// What the other nodes wait for.
#[derive(Clone, Debug)]
pub struct Others {
    nodes: Vec<Node>,
    /// How many of them, from the first, always have a transaction to do.
    pub commanders: u32,
    /// Transaction that each commander repeats.
    pub operation: Operation,
}

/// Transactions that a node wants: cycle of the request, cycles to drive.
#[derive(Clone, Debug, Default)]
struct Node {
    wanted: VecDeque<(u64, u64)>,
}

impl Others {
    /// Nodes that want nothing yet.
    pub fn new(commanders: u32, operation: Operation) -> Self {
        let count = commanders.max(super::interference::NODES) as usize;
        Others { nodes: vec![Node::default(); count], commanders, operation }
    }

    /// A node wants to drive this many cycles from `cycle` on.
    #[inline]
    pub fn want(&mut self, node: u32, cycle: u64, cycles: u64) {
        self.nodes[node as usize].wanted.push_back((cycle, cycles));
    }

    /// A node is granted the bus: since when it waited, how long it drives, and whether it wants more.
    #[inline]
    pub fn granted(&mut self, node: u32) -> (u64, u64, bool) {
        let wanted = &mut self.nodes[node as usize].wanted;
        let (since, cycles) = wanted.pop_front().expect("a node that asks wants something");
        (since, cycles, !wanted.is_empty())
    }
}
