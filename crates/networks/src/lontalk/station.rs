//! A station: its protocol machine, its processors as first-come-first-served servers, its buffers.

use std::collections::VecDeque;

use sojourn_core::{Duration, Stream, Time};
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::{Node, Purpose, RequestHandle, Ticket};
use sojourn_protocols::lontalk::wire::Packet;

use super::hearing::Intake;
use super::site::StationClass;
use super::slab::NONE;

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

/// A station of the site.
#[derive(Debug)]
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

/// What a station with something to do holds.
#[derive(Debug)]
pub struct Work {
    /// Layers 3 to 7.
    pub node: Node<StreamRange>,
    /// The application.
    pub application: Processor,
    /// When each packet in a network input buffer will have been dealt with, while there are several.
    pub input: VecDeque<Time>,
    /// When the application will have taken each message in an application input buffer.
    pub application_input: VecDeque<Time>,
    /// Network output buffers in use, by class.
    pub output: [u16; 2],
    /// Messages waiting to be handed to the network, by class.
    pub waiting: [VecDeque<u32>; 2],
    /// The message of the open transaction, by class.
    pub open: [u32; 2],
    /// The transaction whose waiting copies were withdrawn last, by class.
    pub withdrawn: [Ticket; 2],
    /// When the machine is to be woken.
    pub wakeup: Time,
    /// Draws the application's jitter.
    pub jitter: Stream,
    /// Draws challenges, once one is asked for.
    pub challenges: Option<Box<Stream>>,
    /// Packets sent, packets received, and lost for lack of buffers.
    pub counts: Counts,
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
            node,
            application: Processor::default(),
            input: VecDeque::new(),
            application_input: VecDeque::new(),
            output: [0; 2],
            waiting: Default::default(),
            open: [NONE; 2],
            withdrawn: [Ticket::NONE; 2],
            wakeup: Time::NEVER,
            jitter,
            challenges: None,
            counts: Counts::default(),
        }
    }

    /// Whether one of so many application input buffers is free.
    pub fn has_application_buffer(&mut self, now: Time, buffers: u16) -> bool {
        is_free(&mut self.application_input, now, buffers)
    }
}

/// Whether fewer than `buffers` are in use, when each becomes free at a known instant, the oldest first.
#[inline]
pub fn is_free(freed: &mut VecDeque<Time>, now: Time, buffers: u16) -> bool {
    while freed.front().is_some_and(|&done| done <= now) {
        freed.pop_front();
    }
    freed.len() < usize::from(buffers)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_that_has_had_nothing_to_do_takes_few_bytes() {
        assert!(size_of::<Station<'_>>() <= 64, "{} bytes", size_of::<Station<'_>>());
    }
}
