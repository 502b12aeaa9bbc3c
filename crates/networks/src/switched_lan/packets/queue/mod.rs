//! What waits before a link: who waits, who is dropped, and who is next.

mod classes;
mod codel;
mod fifo;
mod flows;
mod fq_codel;
mod round_robin;

use sojourn_core::{Stream, Time};

use self::classes::Classes;
use self::codel::Codel;
use self::fifo::Fifo;
pub use self::flows::Flows;
use self::fq_codel::FqCodel;
use self::round_robin::RoundRobin;
use super::packet::Store;
use super::settings::{Discipline, QueueSettings};
use super::shaping::Bucket;

/// What an output has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// This packet; it waits no more.
    Packet(u32),
    /// Somebody waits, but nobody may go before this instant.
    NotBefore(Time),
    /// Nobody waits.
    Nothing,
}

/// The queue of an output, with the token bucket behind it.
#[derive(Clone, Debug)]
pub struct Queue {
    discipline: Waiting,
    bucket: Option<Bucket>,
    /// Packets that wait.
    length: u32,
}

/// Who waits, by discipline.
#[derive(Clone, Debug)]
enum Waiting {
    Fifo(Fifo),
    Codel(Codel),
    RoundRobin(RoundRobin),
    FqCodel(FqCodel),
    Classes(Classes),
}

/// The queues' calls: what is dropped, at whatever occasion, goes to the end of `dropped`.
macro_rules! each {
    ($discipline:expr, $queue:ident => $call:expr) => {
        match $discipline {
            Waiting::Fifo($queue) => $call,
            Waiting::Codel($queue) => $call,
            Waiting::RoundRobin($queue) => $call,
            Waiting::FqCodel($queue) => $call,
            Waiting::Classes(_) => unreachable!("classes look after their buckets themselves"),
        }
    };
}

impl Queue {
    /// An empty queue before a link whose longest packet counts `longest` octets. `connections` are those that pass, of
    /// `all`; `hash` draws how flows are hashed.
    pub fn new(settings: &QueueSettings, longest: u32, connections: &[u32], all: usize, hash: &mut Stream) -> Self {
        let limit = settings.limit;
        let exact = || Flows::exact(connections, all);
        let mut bucket = settings.shaping.map(Bucket::new);
        let discipline = match settings.discipline {
            Discipline::Fifo => Waiting::Fifo(Fifo::new(limit)),
            Discipline::Codel(delay) => Waiting::Codel(Codel::new(limit, delay, longest)),
            Discipline::RoundRobin { quantum, flow_limit, overflow } => {
                Waiting::RoundRobin(RoundRobin::new(exact(), quantum, flow_limit, limit, overflow))
            }
            Discipline::FqCodel { quantum, queues, delay } => {
                let flows = queues.map_or_else(exact, |queues| Flows::hashed(connections, all, queues, hash));
                Waiting::FqCodel(FqCodel::new(flows, quantum, limit, delay, longest))
            }
            Discipline::Classes { quantum, assured, ceiling } => {
                Waiting::Classes(Classes::new(exact(), quantum, limit, assured, ceiling, bucket.take()))
            }
        };
        Queue { discipline, bucket, length: 0 }
    }

    /// Packets that wait.
    #[inline]
    pub fn length(&self) -> u32 {
        self.length
    }

    /// A packet comes, and takes its place or is dropped.
    #[inline]
    pub fn enqueue(&mut self, now: Time, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        store[number].queued = now;
        let before = dropped.len();
        match &mut self.discipline {
            Waiting::Classes(classes) => classes.enqueue(number, store, dropped),
            discipline => each!(discipline, queue => queue.enqueue(number, store, dropped)),
        }
        self.length += 1;
        self.length -= (dropped.len() - before) as u32;
    }

    /// Who is next, when the link is free.
    #[inline]
    pub fn next(&mut self, now: Time, store: &Store, dropped: &mut Vec<u32>) -> Next {
        if self.length == 0 {
            return Next::Nothing;
        }
        let before = dropped.len();
        let next = match &mut self.discipline {
            Waiting::Classes(classes) => classes.next(now, store),
            _ => self.through_bucket(now, store, dropped),
        };
        self.length -= (dropped.len() - before) as u32 + u32::from(matches!(next, Next::Packet(_)));
        next
    }

    fn through_bucket(&mut self, now: Time, store: &Store, dropped: &mut Vec<u32>) -> Next {
        if let Some(bucket) = &mut self.bucket {
            let ready = bucket.ready(now);
            if ready > now {
                return Next::NotBefore(ready);
            }
        }
        let Some(number) = each!(&mut self.discipline, queue => queue.dequeue(now, store, dropped)) else {
            return Next::Nothing;
        };
        if let Some(bucket) = &mut self.bucket {
            bucket.charge(now, store[number].counted);
        }
        Next::Packet(number)
    }
}
