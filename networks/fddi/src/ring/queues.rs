//! The transmit queues of all MACs: FIFO within a class, all frames of a ring in one store.
//!
//! The shared slab does not fit: its free list apart from the frames made a busy ring a fifth slower.

use super::settings::Class;

/// Asynchronous priorities and, after them, the synchronous class.
const CLASSES: usize = 9;
const SYNCHRONOUS: usize = 8;
const NONE: u32 = u32::MAX;

/// A frame that is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Whatever its owner knows it by.
    pub tag: u32,
    /// MAC length: bytes from FC to FCS, 17 to 4495.
    pub length: u32,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    frame: Outgoing,
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Fifo {
    first: u32,
    last: u32,
    length: u32,
}

const EMPTY: Fifo = Fifo { first: NONE, last: NONE, length: 0 };

/// The queues of all MACs.
#[derive(Clone, Debug)]
pub(super) struct Queues {
    places: Vec<Place>,
    free: u32,
    fifos: Vec<[Fifo; CLASSES]>,
    /// Per MAC, a bit for each class that has frames.
    occupied: Vec<u16>,
}

impl Queues {
    pub fn new(macs: usize) -> Self {
        Queues { places: Vec::new(), free: NONE, fifos: vec![[EMPTY; CLASSES]; macs], occupied: vec![0; macs] }
    }

    pub fn push(&mut self, mac: u32, class: Class, frame: Outgoing) {
        let place = self.place(frame);
        let class = index(class);
        let fifo = &mut self.fifos[mac as usize][class];
        match fifo.last {
            NONE => fifo.first = place,
            last => self.places[last as usize].next = place,
        }
        fifo.last = place;
        fifo.length += 1;
        self.occupied[mac as usize] |= 1 << class;
    }

    pub fn pop(&mut self, mac: u32, class: Class) -> Option<Outgoing> {
        let class = index(class);
        let fifo = &mut self.fifos[mac as usize][class];
        let place = fifo.first;
        if place == NONE {
            return None;
        }
        let Place { frame, next } = self.places[place as usize];
        fifo.first = next;
        fifo.length -= 1;
        if next == NONE {
            fifo.last = NONE;
            self.occupied[mac as usize] &= !(1 << class);
        }
        self.places[place as usize].next = self.free;
        self.free = place;
        Some(frame)
    }

    /// Takes all frames of `mac`.
    pub fn clear(&mut self, mac: u32) -> Vec<Outgoing> {
        let classes = std::iter::once(Class::Synchronous).chain((0..8).map(Class::Asynchronous));
        classes.flat_map(|class| std::iter::from_fn(|| self.pop(mac, class)).collect::<Vec<_>>()).collect()
    }

    /// The frame that waits longest in the synchronous class.
    pub fn synchronous(&self, mac: u32) -> Option<Outgoing> {
        let first = self.fifos[mac as usize][SYNCHRONOUS].first;
        (first != NONE).then(|| self.places[first as usize].frame)
    }

    /// Asynchronous priorities that have frames, highest first.
    pub fn priorities(&self, mac: u32) -> impl Iterator<Item = u8> + use<> {
        let occupied = self.occupied[mac as usize];
        (0..8).rev().filter(move |priority| occupied & 1 << priority != 0)
    }

    pub fn is_empty(&self, mac: u32) -> bool {
        self.occupied[mac as usize] == 0
    }

    pub fn length(&self, mac: u32, class: Class) -> u32 {
        self.fifos[mac as usize][index(class)].length
    }

    fn place(&mut self, frame: Outgoing) -> u32 {
        let new = Place { frame, next: NONE };
        if self.free == NONE {
            self.places.push(new);
            return self.places.len() as u32 - 1;
        }
        let place = self.free;
        self.free = std::mem::replace(&mut self.places[place as usize], new).next;
        place
    }
}

const fn index(class: Class) -> usize {
    match class {
        Class::Synchronous => SYNCHRONOUS,
        Class::Asynchronous(priority) => priority as usize,
    }
}
