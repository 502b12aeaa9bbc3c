//! Packets in flight, and the lists they wait in: no packet costs an allocation, in any list.

use sojourn_core::{Duration, Time};
use sojourn_protocols::ip::Ecn;

use crate::frame::Frame;
use sojourn_model::slab::{NONE, Slab};

/// An IP packet in flight: a datagram, or a fragment of one.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// The datagram it belongs to.
    pub frame: Frame,
    /// Octets of this packet.
    pub octets: u32,
    /// The datagram's number among those in fragments; [`NONE`] if it is whole.
    pub fragmented: u32,
    /// Which port of its path it is at.
    pub hop: u16,
    /// Its drop precedence (RFC 2597), 1 to 3; 0 without one.
    pub precedence: u8,
    /// Octets that the queue it waits in counts for it.
    pub counted: u32,
    /// Whether the queue that it waits in, or has left last, has marked it.
    pub marked: bool,
    /// Whether DualPI2 marks it once it has waited longer than the step.
    pub steps: bool,
    /// Since when it waits.
    pub queued: Time,
    /// When its first bit left the sender; on a shared wire, when the sender's MAC took it.
    pub left: Time,
    /// What it has spent on shared wires: access to them, and attempts that collided.
    pub shared: [Duration; 2],
    /// Who waits behind it.
    next: u32,
}

impl Packet {
    /// A packet of `octets` octets before its first port.
    pub fn new(frame: Frame, octets: u32, fragmented: u32, precedence: u8) -> Self {
        Packet {
            frame,
            octets,
            fragmented,
            hop: 0,
            precedence,
            counted: 0,
            marked: false,
            steps: false,
            queued: Time::ZERO,
            left: Time::ZERO,
            shared: [Duration::ZERO; 2],
            next: NONE,
        }
    }

    /// Marks it as having met congestion (RFC 3168, 5), if its sender understands marks; `false` if not: then it is to be
    /// dropped.
    #[inline]
    pub fn mark(&mut self) -> bool {
        self.marked |= matches!(self.frame.ecn, Ecn::Ect0 | Ecn::Ect1);
        if self.marked {
            self.frame.ecn = Ecn::Ce;
        }
        self.frame.ecn.is_capable()
    }
}

/// All packets in flight, by number.
pub type Store = Slab<Packet>;

/// Packets that wait one behind the other.
#[derive(Clone, Copy, Debug)]
pub struct List {
    first: u32,
    last: u32,
    /// Packets on the list.
    pub packets: u32,
    /// Their octets, as the queue counts them.
    pub octets: u64,
}

impl List {
    /// A list without packets.
    pub const fn new() -> Self {
        List { first: NONE, last: NONE, packets: 0, octets: 0 }
    }

    /// Whether no packet waits.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.packets == 0
    }

    /// Who has waited longest.
    #[inline]
    pub fn front<'s>(&self, store: &'s Store) -> Option<&'s Packet> {
        (self.first != NONE).then(|| &store[self.first])
    }

    /// A packet queues up at the end.
    #[inline]
    pub fn push(&mut self, number: u32, store: &mut Store) {
        store[number].next = NONE;
        match self.last {
            NONE => self.first = number,
            last => store[last].next = number,
        }
        self.last = number;
        self.packets += 1;
        self.octets += u64::from(store[number].counted);
    }

    /// Who has waited longest leaves.
    #[inline]
    pub fn pop(&mut self, store: &Store) -> Option<u32> {
        if self.first == NONE {
            return None;
        }
        let number = self.first;
        self.first = store[number].next;
        if self.first == NONE {
            self.last = NONE;
        }
        self.packets -= 1;
        self.octets -= u64::from(store[number].counted);
        Some(number)
    }
}
