//! An active station: its protocol machine, its application, its buffers, its ports.

use std::collections::VecDeque;

use sojourn_core::{Stream, Time, clone_fields, rekey_fields};
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::{Node, Ticket};

use super::cpu::Cpu;
use super::message::MessageQueue;
use super::slab::NONE;

/// State of an active station. The fields that nearly every packet accesses come first.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ActiveState {
    /// CPU of the application.
    pub application: Cpu,
    /// When the next wake-up of the machine is scheduled.
    pub wakeup: Time,
    /// Messages waiting for the network layer, by class.
    pub waiting: [MessageQueue; 2],
    /// The message of the open transaction, by class.
    pub open: [u32; 2],
    /// Network output buffers in use, by class.
    pub output: [u16; 2],
    /// The transaction whose waiting copies were withdrawn last, by class.
    pub withdrawn: [Ticket; 2],
    /// Random stream of the application's jitter.
    pub jitter: Stream,
    /// Packets sent, packets received, and lost for lack of buffers.
    pub counts: Counts,
    /// Application input buffers.
    pub application_input: OccupiedBuffers,
    /// Layers 3 to 7.
    pub node: Node<StreamRange>,
    /// End of processing of each packet in the network input buffers, while there are several, oldest first; processed
    /// packets may still be listed.
    pub input: Vec<Time>,
    /// Random stream of challenges, created on first use.
    pub challenges: Option<Box<Stream>>,
}

clone_fields!([] ActiveState { application, wakeup, waiting, open, output, withdrawn, jitter, counts, application_input, node, input, challenges });

/// Occupied buffers, each until a known instant, oldest first.
#[derive(Debug, Default)]
pub struct OccupiedBuffers {
    /// Release of the last.
    last: Time,
    /// Release of those before it.
    earlier: VecDeque<Time>,
}

clone_fields!([] OccupiedBuffers { last, earlier });

impl OccupiedBuffers {
    /// Whether fewer than `buffers` are in use.
    #[inline]
    pub fn has_room(&mut self, now: Time, buffers: u16) -> bool {
        if self.last <= now { buffers > 0 } else { self.has_more_room(now, buffers) }
    }

    /// The same while some are occupied.
    #[inline(never)]
    fn has_more_room(&mut self, now: Time, buffers: u16) -> bool {
        drop_past(&mut self.earlier, now);
        self.earlier.len() + 1 < usize::from(buffers)
    }

    /// Occupies a buffer until `until`, after all others are released.
    #[inline]
    pub fn push(&mut self, now: Time, until: Time) {
        if self.last > now {
            self.push_earlier(now);
        }
        self.last = until;
    }

    #[inline(never)]
    fn push_earlier(&mut self, now: Time) {
        drop_past(&mut self.earlier, now);
        self.earlier.push_back(self.last);
    }
}

/// Counters of a station in addition to its machine's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets transmitted, lost ones included.
    pub sent: u64,
    /// Packets for this station that arrived with a valid CRC.
    pub received: u64,
    /// Packets lost for lack of a network input buffer.
    pub missed: u64,
    /// Messages dropped for lack of an application output buffer, and packets for lack of a network output buffer.
    pub refused: u64,
    /// Collisions it detected.
    pub collisions: u64,
}

impl ActiveState {
    /// The initial state of an active station.
    pub fn new(node: Node<StreamRange>, jitter: Stream) -> Self {
        ActiveState {
            application: Cpu::default(),
            wakeup: Time::NEVER,
            waiting: [MessageQueue::EMPTY; 2],
            open: [NONE; 2],
            output: [0; 2],
            withdrawn: [Ticket::NONE; 2],
            jitter,
            counts: Counts::default(),
            application_input: OccupiedBuffers::default(),
            node,
            input: Vec::new(),
            challenges: None,
        }
    }
}

impl ActiveState {
    /// Loses what a power failure takes: buffers, transactions, jobs. Counters and random streams go on.
    pub fn reset(&mut self) {
        self.application = Cpu::default();
        self.waiting = [MessageQueue::EMPTY; 2];
        self.open = [NONE; 2];
        self.output = [0; 2];
        self.withdrawn = [Ticket::NONE; 2];
        self.application_input = OccupiedBuffers::default();
        self.input.clear();
        self.node.reset();
    }
}

#[inline]
fn drop_past(freed: &mut VecDeque<Time>, now: Time) {
    while freed.front().is_some_and(|&done| done <= now) {
        freed.pop_front();
    }
}

/// A station's port on a medium: the queues that its medium access serves.
#[derive(Debug)]
pub struct PortQueues {
    /// Index of the station in the site.
    pub station: u32,
    /// Index of the medium in the site.
    pub medium: u16,
    /// Its port number there; none before it is active.
    pub port: u32,
    /// The packet the medium was offered.
    pub head: u32,
    /// Packets behind it, by class; allocated on first use.
    pub queues: Option<Box<[VecDeque<u32>; 2]>>,
}

clone_fields!([] PortQueues { station, medium, port, head, queues });

impl PortQueues {
    /// The queues, ordinary first.
    #[inline(never)]
    pub fn queues(&mut self) -> &mut [VecDeque<u32>; 2] {
        self.queues.get_or_insert_with(Box::default)
    }
}

rekey_fields!(ActiveState { jitter, challenges });

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use super::*;

    #[test]
    fn a_buffer_is_occupied_until_the_given_instant() {
        let at = |us| Time::ZERO + Duration::from_micros(us);
        let mut occupied = OccupiedBuffers::default();
        assert!(occupied.has_room(at(0), 1) && !occupied.has_room(at(0), 0));
        [10, 20, 30].into_iter().for_each(|until| occupied.push(at(0), at(until)));
        for (now, in_use) in [(0, 3), (9, 3), (10, 2), (20, 1), (29, 1)] {
            assert!(occupied.has_room(at(now), in_use + 1) && !occupied.has_room(at(now), in_use), "{in_use} at {now}");
        }
        occupied.push(at(29), at(40));
        assert!(!occupied.has_room(at(29), 2) && !occupied.has_room(at(30), 1) && occupied.has_room(at(40), 1));
    }

    #[test]
    fn the_state_that_every_message_accesses_takes_few_cache_lines() {
        use crate::sources::Source;
        assert!(
            size_of::<Source>() <= 128 && size_of::<ActiveState>() <= 640,
            "{}, {}",
            size_of::<Source>(),
            size_of::<ActiveState>()
        );
    }
}
