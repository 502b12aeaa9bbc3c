//! The host interface on the bus: two DMA channels with one request line each, and the choice of the next
//! transaction.

use super::settings::Priority;

/// The line of the receive channel.
pub const RECEIVE: u32 = 0;
/// The line of the transmit channel.
pub const TRANSMIT: u32 = 1;
/// The line of the first of the other nodes.
pub const FIRST_NODE: u32 = 2;

/// A transaction of the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Work {
    /// An entry of the transmit ring.
    EntryRead,
    /// Descriptors of the receive ring.
    DescriptorRead,
    /// A hexaword of a frame to send.
    DataRead,
    /// A hexaword of a received frame.
    DataWrite,
    /// The entry that hands a received frame to the host.
    OwnershipWrite,
    /// The ring entry that notifies the host of a sent frame.
    StatusWrite,
}

use Work::{DataRead, DataWrite, DescriptorRead, EntryRead, OwnershipWrite, StatusWrite};

const READS_FIRST: [Work; 6] = [EntryRead, DescriptorRead, DataRead, DataWrite, OwnershipWrite, StatusWrite];
const WRITES_FIRST: [Work; 6] = [DataWrite, OwnershipWrite, StatusWrite, EntryRead, DescriptorRead, DataRead];

impl Work {
    /// The channel that does it.
    pub const fn line(self) -> u32 {
        match self {
            DescriptorRead | DataWrite | OwnershipWrite => RECEIVE,
            EntryRead | DataRead | StatusWrite => TRANSMIT,
        }
    }

    /// Cycles that the adapter drives: a read's command, a hexaword write or an octaword write.
    pub const fn cycles(self) -> u64 {
        match self {
            EntryRead | DescriptorRead | DataRead => 1,
            DataWrite => 5,
            OwnershipWrite | StatusWrite => 3,
        }
    }

    /// Whether memory returns data.
    pub const fn is_read(self) -> bool {
        matches!(self, EntryRead | DescriptorRead | DataRead)
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Cycles of a hexaword write on an idle bus, arbitration included.
pub const WRITE_CYCLES: u64 = 1 + DataWrite.cycles();
/// Cycles of an entry's write on an idle bus.
pub const ENTRY_WRITE_CYCLES: u64 = 1 + OwnershipWrite.cycles();

/// Cycles of a hexaword read on an idle bus: command and answer, each with its arbitration, around the memory's access.
pub const fn read_cycles(access: u64) -> u64 {
    2 + access + 1 + super::bus::ANSWER_CYCLES
}

/// The transactions that wait for the bus, one of each kind at most.
#[derive(Clone, Debug)]
pub struct HostInterface {
    priority: Priority,
    wanted: u8,
    /// The cycle from which on each kind has asked.
    since: [u64; 6],
}

impl HostInterface {
    /// A host interface without pending transactions.
    pub fn new(priority: Priority) -> Self {
        HostInterface { priority, wanted: 0, since: [0; 6] }
    }

    /// Whether a transaction of the kind waits.
    #[inline]
    pub fn wants(&self, work: Work) -> bool {
        self.wanted & work.bit() != 0
    }

    /// Whether a channel asks for the bus.
    #[inline]
    pub fn asks(&self, line: u32) -> bool {
        const OF_RECEIVE: u8 = DescriptorRead.bit() | DataWrite.bit() | OwnershipWrite.bit();
        let of_line = if line == RECEIVE { OF_RECEIVE } else { !OF_RECEIVE };
        self.wanted & of_line != 0
    }

    /// A transaction waits from `cycle` on. Only one of a kind does.
    #[inline]
    pub fn want(&mut self, work: Work, cycle: u64) {
        debug_assert!(!self.wants(work), "one {work:?} waits at a time");
        self.wanted |= work.bit();
        self.since[work as usize] = cycle;
    }

    /// No transaction waits any more.
    pub fn clear(&mut self) {
        self.wanted = 0;
    }

    /// The bus is granted to `line`: what the adapter does, and since when that waited.
    #[inline]
    pub fn choose(&mut self, line: u32) -> (Work, u64) {
        let (order, of_any) = match self.priority {
            Priority::ReadsFirst => (READS_FIRST, true),
            Priority::WritesFirst => (WRITES_FIRST, true),
            Priority::Alternate => (READS_FIRST, false),
        };
        let found = order.into_iter().find(|work| self.wants(*work) && (of_any || work.line() == line));
        let work = found.expect("a channel that asks has a transaction");
        self.wanted &= !work.bit();
        (work, self.since[work as usize])
    }
}
