//! A running flow: one stream of packets from a host, and the behaviour of its user.

use std::collections::VecDeque;

use sojourn_core::{CopyKey, Duration, Rekey, Stream as Random, Time, rekey_fields};
use sojourn_engine::arrivals::Process;
use sojourn_protocols::xtp::machine::ContextId;

use super::channel::Channel;
use super::fifo::{Sink, Source};
use super::latency_budget::LatencyBudget;
use super::site::{Sizes, Voice};
use super::talkspurts::Talkspurts;

/// The data of a flow to one receiver, or to its group: what was written and delivered.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Index of its flow in the site.
    pub flow: u16,
    /// The host that writes.
    pub host: u32,
    /// The receiver whose deliveries count: the responder of several.
    pub recorder: u32,
    /// The writer's context, once there is one; none over datagrams.
    pub context: Option<ContextId>,
    /// What its user does.
    pub user: User,
    /// Writes that wait for the processor or the window: bytes, and since when.
    pub wanted: VecDeque<(u32, Time)>,
    /// How many of them the processor has been asked for.
    pub asked: usize,
    /// Whether the window is closed.
    pub blocked: bool,
    /// Whether the association has ended.
    pub dead: bool,
    /// Bytes accepted from the user since the start.
    pub written: u64,
    /// Messages written and not settled, oldest first.
    pub messages: VecDeque<Message>,
    /// Number of the oldest of them.
    pub first: u64,
}

/// What the user of a stream does.
#[derive(Clone, Debug)]
pub enum User {
    /// Writes, waits for the answer, writes again. The answer comes on another stream.
    Exchange {
        /// Bytes of each message.
        bytes: u32,
    },
    /// Answers what another stream brings.
    Answer {
        /// The stream that asks.
        of: u32,
    },
    /// Writes packets of `bytes` as long as some are left.
    Saturate {
        /// Bytes of a packet.
        bytes: u32,
        /// Bytes still to write.
        left: u64,
    },
    /// Reads a converter's FIFO and writes a packet.
    Voice {
        /// The voice.
        voice: Voice,
        /// The sender's FIFO.
        source: Source,
        /// The receivers' FIFOs.
        sinks: Vec<(u32, Sink)>,
        /// What its listener has, if it is rated.
        channel: Option<Box<Channel>>,
        /// When it speaks, if it has pauses.
        talkspurts: Option<Box<Talkspurts>>,
    },
    /// Writes messages at arrivals.
    Messages {
        /// When.
        process: Process,
        /// How large.
        sizes: Sizes,
        /// Draws both.
        random: Random,
        /// Whether the next one is scheduled; in a closed loop it is not while one is in flight.
        scheduled: bool,
    },
    /// Writes a message after each write of another stream.
    AfterWrite {
        /// How large.
        sizes: Sizes,
        /// Draws the sizes.
        random: Random,
    },
}

/// A message in flight.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Bytes of the stream up to its end.
    pub end: u64,
    /// Bytes of user data in the message.
    pub length: u32,
    /// When the user wrote it, or wanted to.
    pub started: Time,
    /// Where its time went, once a copy has arrived.
    pub latency: Option<LatencyBudget>,
    /// Whether it has been delivered or lost.
    pub settled: bool,
}

impl Stream {
    /// A stream that has written nothing.
    pub fn new(flow: u16, host: u32, recorder: u32, user: User) -> Self {
        Stream {
            flow,
            host,
            recorder,
            context: None,
            user,
            wanted: VecDeque::new(),
            asked: 0,
            blocked: false,
            dead: false,
            written: 0,
            messages: VecDeque::new(),
            first: 0,
        }
    }

    /// Number that its next message will have: those written, and those that wait.
    pub fn begun(&self) -> u64 {
        self.first + (self.messages.len() + self.wanted.len()) as u64
    }

    /// Where the message that holds byte `offset` of the stream, modulo 2^32, is among the unsettled.
    #[inline]
    pub fn find(&self, offset: u32) -> Option<usize> {
        let begin = self.messages.front()?.end - u64::from(self.front_length());
        let at = begin + u64::from(offset.wrapping_sub(begin as u32));
        let index = self.messages.partition_point(|message| message.end <= at);
        (index < self.messages.len()).then_some(index)
    }

    fn front_length(&self) -> u32 {
        self.messages.front().map_or(0, |message| message.length)
    }

    /// Bytes that a user which always has data writes next, unless it waits to write or has written all.
    pub fn next_write(&mut self) -> Option<u32> {
        let User::Saturate { bytes, left } = &mut self.user else { return None };
        if *left == 0 || !self.wanted.is_empty() {
            return None;
        }
        let next = u64::from(*bytes).min(*left) as u32;
        if *left != u64::MAX {
            *left -= u64::from(next);
        }
        Some(next)
    }

    /// Whether its user waits for its message to be delivered or lost before it sends the next.
    pub fn is_closed_loop(&self) -> bool {
        matches!(&self.user, User::Messages { process, .. } if process.arrivals().is_closed())
    }

    /// Whether a closed loop has nothing in flight and nothing to come.
    pub fn is_at_rest(&self) -> bool {
        let scheduled = matches!(self.user, User::Messages { scheduled: true, .. });
        self.is_closed_loop() && !scheduled && self.wanted.is_empty() && self.unsettled() == 0
    }

    /// Messages that are neither delivered nor lost.
    pub fn unsettled(&self) -> u64 {
        self.messages.iter().filter(|message| !message.settled).count() as u64
    }

    /// Drops what is settled at the front.
    pub fn trim(&mut self) {
        while self.messages.front().is_some_and(|message| message.settled) {
            self.messages.pop_front();
            self.first += 1;
        }
    }
}

/// The size of the next message.
pub fn size(sizes: &Sizes, random: &mut Random) -> u32 {
    if sizes.long_share > 0.0 && random.unit() < sizes.long_share { sizes.long } else { sizes.short }
}

/// A packet of voice every so often.
pub fn packet_time(voice: &Voice) -> Duration {
    super::fifo::SAMPLE.times(u64::from(voice.samples))
}

impl Rekey for User {
    fn rekey(&mut self, copy: CopyKey) {
        match self {
            User::Messages { random, .. } => random.rekey(copy),
            User::Voice { talkspurts, .. } => talkspurts.rekey(copy),
            _ => {}
        }
    }
}

rekey_fields!(Stream { user });
