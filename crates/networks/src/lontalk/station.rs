//! A station: its protocol machine, its processors as first-come-first-served servers, its buffers.

use std::collections::VecDeque;

use sojourn_core::{Duration, Stream, Time, prefetch};
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::{Node, Purpose, RequestHandle, Ticket};
use sojourn_protocols::lontalk::wire::Packet;

use super::receivers::Intake;
use super::site::StationClass;
use super::slab::{NONE, Slab};

/// A processor that does one thing after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Processor {
    /// When all that was asked of it will be done.
    pub free: Time,
}

impl Processor {
    /// Asks for `cost` of work at `now`; tells when it begins and when it is done.
    #[inline]
    pub fn serve(&mut self, now: Time, cost: Duration) -> (Time, Time) {
        let start = self.free.max(now);
        self.free = start + cost;
        (start, self.free)
    }
}

/// A station of the site, on a line of memory of its own.
#[derive(Debug)]
#[repr(align(64))]
pub struct Station<'a> {
    /// Its costs, buffers and role.
    pub class: &'a StationClass,
    /// What it holds once it has had something to do.
    pub work: Option<Box<Work>>,
    /// Where packets come in.
    pub intake: Intake,
    /// Its ports, as a range of the simulation's ports.
    pub first_port: u32,
    /// How many there are.
    pub ports: u8,
}

/// What a station with something to do holds: first what nearly every packet touches, as in its machine.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Work {
    /// The application.
    pub application: Processor,
    /// When the machine is to be woken.
    pub wakeup: Time,
    /// Messages waiting to be handed to the network, by class.
    pub waiting: [Waiting; 2],
    /// The message of the open transaction, by class.
    pub open: [u32; 2],
    /// Network output buffers in use, by class.
    pub output: [u16; 2],
    /// The transaction whose waiting copies were withdrawn last, by class.
    pub withdrawn: [Ticket; 2],
    /// Draws the application's jitter.
    pub jitter: Stream,
    /// Packets sent, packets received, and lost for lack of buffers.
    pub counts: Counts,
    /// Application input buffers.
    pub application_input: Occupied,
    /// Layers 3 to 7.
    pub node: Node<StreamRange>,
    /// When each packet in a network input buffer will have been dealt with, while there are several, the oldest first;
    /// some of those that have been may still be there.
    pub input: Vec<Time>,
    /// Draws challenges, once one is asked for.
    pub challenges: Option<Box<Stream>>,
}

/// Messages that wait for their turn, each naming the one behind it.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    first: u32,
    last: u32,
    length: u16,
}

impl Waiting {
    /// Nobody waits.
    pub const EMPTY: Waiting = Waiting { first: NONE, last: NONE, length: 0 };

    /// How many wait.
    pub fn len(&self) -> u16 {
        self.length
    }

    /// The message that has waited longest.
    pub fn front(&self) -> Option<u32> {
        (self.length > 0).then_some(self.first)
    }

    /// One more waits, behind all others.
    pub fn push_back(&mut self, message: u32, messages: &mut Slab<Message>) {
        match self.length {
            0 => self.first = message,
            _ => messages[self.last].behind = message,
        }
        self.last = message;
        self.length += 1;
    }

    /// The first has its turn; `behind` is who waited behind it.
    pub fn pop_front(&mut self, behind: u32) {
        self.first = behind;
        self.length -= 1;
    }
}

/// Buffers in use, each until a known instant, the oldest first.
#[derive(Debug, Default)]
pub struct Occupied {
    /// Until when the last is.
    last: Time,
    /// Until when those before it are.
    earlier: VecDeque<Time>,
}

impl Occupied {
    /// Whether fewer than `buffers` are in use.
    #[inline]
    pub fn has_room(&mut self, now: Time, buffers: u16) -> bool {
        if self.last <= now { buffers > 0 } else { self.has_more_room(now, buffers) }
    }

    /// The same while some are in use.
    #[inline(never)]
    fn has_more_room(&mut self, now: Time, buffers: u16) -> bool {
        drop_past(&mut self.earlier, now);
        self.earlier.len() + 1 < usize::from(buffers)
    }

    /// One more is in use, until after all others are free.
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

/// What a station counts beside its machine's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets put on a medium, lost ones too.
    pub sent: u64,
    /// Packets for this station that arrived with a valid CRC.
    pub received: u64,
    /// Packets lost for lack of a network input buffer.
    pub missed: u64,
    /// Messages lost for lack of an application output buffer, and tries for lack of a network output buffer.
    pub refused: u64,
    /// Collisions it detected.
    pub collisions: u64,
}

impl Work {
    /// A station that has just begun to do something.
    pub fn new(node: Node<StreamRange>, jitter: Stream) -> Self {
        Work {
            application: Processor::default(),
            wakeup: Time::NEVER,
            waiting: [Waiting::EMPTY; 2],
            open: [NONE; 2],
            output: [0; 2],
            withdrawn: [Ticket::NONE; 2],
            jitter,
            counts: Counts::default(),
            application_input: Occupied::default(),
            node,
            input: Vec::new(),
            challenges: None,
        }
    }
}

impl Work {
    /// Asks for what nearly every packet touches.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.application);
        prefetch(&self.jitter);
        prefetch(&self.application_input);
        self.node.prefetch();
    }
}

#[inline]
fn drop_past(freed: &mut VecDeque<Time>, now: Time) {
    while freed.front().is_some_and(|&done| done <= now) {
        freed.pop_front();
    }
}

/// A station's place on a medium: the queues that its medium access serves.
#[derive(Debug)]
pub struct PortQueues {
    /// The station.
    pub station: u32,
    /// The medium.
    pub medium: u16,
    /// Its port there; none before it has something to do.
    pub port: u32,
    /// The packet the medium was offered.
    pub head: u32,
    /// Packets behind it, by class; made when first needed.
    pub queues: Option<Box<[VecDeque<u32>; 2]>>,
}

impl PortQueues {
    /// The queues, ordinary first.
    #[inline(never)]
    pub fn queues(&mut self) -> &mut [VecDeque<u32>; 2] {
        self.queues.get_or_insert_with(Box::default)
    }
}

/// A packet somewhere between two machines.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// What it says.
    pub packet: Packet<StreamRange>,
    /// The station that holds it.
    pub station: u32,
    /// The port it goes out by or came in by.
    pub port: u32,
    /// The message it belongs to.
    pub message: u32,
    /// Where its time went, if it is part of a probe.
    pub trip: u32,
    /// LPDU bytes.
    pub length: u16,
    /// Its transaction, if it is one of the holder's own.
    pub ticket: Ticket,
    /// What it is sent for.
    pub purpose: Purpose,
    /// Of a request delivered to an application, what to answer to.
    pub request: Option<RequestHandle>,
}

/// A message of an application, from its beginning until nothing of it is left anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Who sends it.
    pub source: u32,
    /// When its application began with it.
    pub started: Time,
    /// Bytes of user data.
    pub data: u16,
    /// Packets and jobs that belong to it.
    pub copies: u16,
    /// Applications that have acted on it.
    pub acted: u16,
    /// Applications it is for.
    pub receivers: u16,
    /// Where its time went until it was handed over, if it is a probe.
    pub trip: u32,
    /// Its sender is done with it.
    pub closed: bool,
    /// Its protocol gave up before anyone acted.
    pub failed: bool,
    /// Whether it began after the warm-up.
    pub counted: bool,
    /// Distinguishes its bytes from those of the source's other messages.
    pub number: u32,
    /// Which point of a poll it asks.
    pub point: u32,
    /// The message behind it while both wait for their turn.
    pub behind: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_that_has_had_nothing_to_do_takes_few_bytes() {
        assert!(size_of::<Station<'_>>() <= 64, "{} bytes", size_of::<Station<'_>>());
    }

    #[test]
    fn messages_have_their_turn_in_the_order_they_came() {
        let message = Message {
            source: 0,
            started: Time::ZERO,
            data: 0,
            copies: 0,
            acted: 0,
            receivers: 0,
            trip: NONE,
            closed: false,
            failed: false,
            counted: false,
            number: 0,
            point: 0,
            behind: NONE,
        };
        let mut messages = Slab::new();
        let mut waiting = Waiting::EMPTY;
        for turn in 0..3 {
            let came: Vec<u32> = (0..=turn).map(|_| messages.insert(message)).collect();
            came.iter().for_each(|&place| waiting.push_back(place, &mut messages));
            assert_eq!(usize::from(waiting.len()), came.len());
            for place in came {
                assert_eq!(waiting.front(), Some(place));
                waiting.pop_front(messages[place].behind);
            }
            assert_eq!(waiting.front(), None);
        }
    }

    #[test]
    fn a_buffer_is_in_use_until_the_instant_that_was_told() {
        let at = |us| Time::ZERO + Duration::from_micros(us);
        let mut occupied = Occupied::default();
        assert!(occupied.has_room(at(0), 1) && !occupied.has_room(at(0), 0));
        [10, 20, 30].into_iter().for_each(|until| occupied.push(at(0), at(until)));
        for (now, in_use) in [(0, 3), (9, 3), (10, 2), (20, 1), (29, 1)] {
            assert!(occupied.has_room(at(now), in_use + 1) && !occupied.has_room(at(now), in_use), "{in_use} at {now}");
        }
        occupied.push(at(29), at(40));
        assert!(!occupied.has_room(at(29), 2) && !occupied.has_room(at(30), 1) && occupied.has_room(at(40), 1));
    }

    #[test]
    fn what_every_message_touches_takes_few_lines_of_memory() {
        use crate::lontalk::sources::Source;
        assert!(
            size_of::<Source>() <= 128 && size_of::<Work>() <= 640,
            "{}, {}",
            size_of::<Source>(),
            size_of::<Work>()
        );
    }
}
