//! Queue disciplines: which packet is dropped and which is sent next.

mod cake;
mod codel;
mod drr;
mod dualpi2;
mod early;
mod fifo;
mod flows;
mod fq_codel;
mod htb;
mod pie;
mod priority;
mod updates;

use sojourn_core::{CopyKey, Rekey, Stream, Time};

use self::cake::Cake;
use self::codel::Codel;
use self::drr::Drr;
use self::dualpi2::DualPi2;
pub use self::early::Early;
use self::fifo::Fifo;
pub use self::flows::Flows;
use self::fq_codel::FqCodel;
use self::htb::Htb;
use self::pie::Pie;
use self::priority::Priority;
use super::packet::Store;
use super::settings::{Discipline, QueueSettings};
use super::shaping::{Bucket, Next};

/// The queue of an output, with the token bucket behind it.
#[derive(Clone, Debug)]
pub struct Queue {
    waiting: Waiting,
    /// Packets in the queue, those of all its classes.
    length: u32,
}

/// The queue and its token buckets.
#[derive(Clone, Debug)]
enum Waiting {
    /// For one token bucket, or none.
    One(Line, Option<Bucket>),
    /// Classes with token buckets of their own.
    Htb(Htb),
    /// Tins behind a shaper of their own.
    Cake(Box<Cake>),
}

/// The queue, by discipline.
#[derive(Clone, Debug)]
enum Line {
    Fifo(Fifo),
    /// First in, first out, with early detection.
    Early(Fifo, Box<Early>),
    Codel(Codel),
    Pie(Box<Pie>),
    DualPi2(Box<DualPi2>),
    Drr(Drr),
    FqCodel(FqCodel),
    Priority(Priority),
}

impl Queue {
    /// An empty queue before a link whose longest packet counts `longest` octets. `connections` are those that pass, of
    /// `all`; `hash` draws how flows are hashed, `draws` what is dropped or marked; `early` gives the early detection of a
    /// class, where there is any.
    pub fn new(
        settings: &QueueSettings,
        longest: u32,
        connections: &[u32],
        all: usize,
        hash: &mut Stream,
        draws: Stream,
        early: Option<&dyn Fn(usize) -> Early>,
    ) -> Self {
        let limit = settings.limit;
        let exact = || Flows::exact(connections, all);
        let bucket = settings.shaping.map(Bucket::new);
        let line = match settings.discipline {
            Discipline::Fifo => match early {
                Some(early) => Line::Early(Fifo::new(limit), Box::new(early(0))),
                None => Line::Fifo(Fifo::new(limit)),
            },
            Discipline::Codel(delay) => Line::Codel(Codel::new(limit, delay, longest)),
            Discipline::Pie(pie) => Line::Pie(Box::new(Pie::new(limit, pie, longest, draws))),
            Discipline::DualPi2(dual) => Line::DualPi2(Box::new(DualPi2::new(limit, dual, longest, draws))),
            Discipline::Drr { quantum, flow_limit, overflow } => {
                Line::Drr(Drr::new(exact(), quantum, flow_limit, limit, overflow))
            }
            Discipline::FqCodel { quantum, queues, delay } => {
                let flows = queues.map_or_else(exact, |queues| Flows::hashed(connections, all, queues, hash));
                Line::FqCodel(FqCodel::new(flows, quantum, limit, delay, longest))
            }
            Discipline::Priority { ref classes } => Line::Priority(Priority::new(classes, limit, early)),
            Discipline::Cake(ref cake) => {
                let cake = Cake::new(cake, limit, longest, connections, all, hash, draws);
                return Queue { waiting: Waiting::Cake(Box::new(cake)), length: 0 };
            }
            Discipline::Htb { quantum, guaranteed, ceil } => {
                let classes = Htb::new(exact(), quantum, limit, guaranteed, ceil, bucket);
                return Queue { waiting: Waiting::Htb(classes), length: 0 };
            }
        };
        Queue { waiting: Waiting::One(line, bucket), length: 0 }
    }

    /// Packets in the queue, those of all its classes.
    #[inline]
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Enqueues an arriving packet or drops it. Dropped packets are added to `dropped`.
    #[inline]
    pub fn enqueue(&mut self, now: Time, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        store[number].queued = now;
        let before = dropped.len();
        match &mut self.waiting {
            Waiting::One(line, _) => line.enqueue(number, store, dropped),
            Waiting::Htb(classes) => classes.enqueue(number, store, dropped),
            Waiting::Cake(tins) => tins.enqueue(number, store, dropped),
        }
        self.length += 1;
        self.length -= (dropped.len() - before) as u32;
    }

    /// All packets are dropped, as when the interface goes down.
    pub fn clear(&mut self, now: Time, store: &mut Store, dropped: &mut Vec<u32>) {
        match &mut self.waiting {
            Waiting::One(line, _) => {
                while let Some(number) = line.dequeue(now, store, dropped) {
                    dropped.push(number);
                }
            }
            Waiting::Htb(classes) => classes.clear(store, dropped),
            Waiting::Cake(tins) => tins.clear(store, dropped),
        }
        self.length = 0;
    }

    /// The next packet when the link is free.
    #[inline]
    pub fn next(&mut self, now: Time, store: &mut Store, dropped: &mut Vec<u32>) -> Next {
        if self.length == 0 {
            return Next::Nothing;
        }
        let before = dropped.len();
        let next = match &mut self.waiting {
            Waiting::One(line, None) => line.dequeue(now, store, dropped).map_or(Next::Nothing, Next::Packet),
            Waiting::One(line, Some(bucket)) => through(bucket, line, now, store, dropped),
            Waiting::Htb(classes) => classes.next(now, store),
            Waiting::Cake(tins) => tins.next(now, store, dropped),
        };
        self.length -= (dropped.len() - before) as u32 + u32::from(matches!(next, Next::Packet(_)));
        next
    }
}

/// The next packet, if the bucket has tokens.
fn through(bucket: &mut Bucket, line: &mut Line, now: Time, store: &mut Store, dropped: &mut Vec<u32>) -> Next {
    let ready = bucket.ready(now);
    if ready > now {
        return Next::NotBefore(ready);
    }
    let Some(number) = line.dequeue(now, store, dropped) else { return Next::Nothing };
    bucket.charge(now, store[number].counted);
    Next::Packet(number)
}

impl Line {
    #[inline]
    fn enqueue(&mut self, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        match self {
            Line::Fifo(queue) => queue.enqueue(number, store, dropped),
            Line::Early(queue, early) => match early.admits(&queue.list, &mut store[number]) {
                true => queue.enqueue(number, store, dropped),
                false => dropped.push(number),
            },
            Line::Codel(queue) => queue.enqueue(number, store, dropped),
            Line::Pie(queue) => queue.enqueue(number, store, dropped),
            Line::DualPi2(queue) => queue.enqueue(number, store, dropped),
            Line::Drr(queue) => queue.enqueue(number, store, dropped),
            Line::FqCodel(queue) => queue.enqueue(number, store, dropped),
            Line::Priority(queue) => queue.enqueue(number, store, dropped),
        }
    }

    #[inline]
    fn dequeue(&mut self, now: Time, store: &mut Store, dropped: &mut Vec<u32>) -> Option<u32> {
        match self {
            Line::Fifo(queue) => queue.dequeue(store),
            Line::Early(queue, early) => {
                let number = queue.dequeue(store);
                if number.is_some() && queue.list.is_empty() {
                    early.idles(now);
                }
                number
            }
            Line::Codel(queue) => queue.dequeue(now, store, dropped),
            Line::Pie(queue) => queue.dequeue(now, store),
            Line::DualPi2(queue) => queue.dequeue(now, store, dropped),
            Line::Drr(queue) => queue.dequeue(store),
            Line::FqCodel(queue) => queue.dequeue(now, store, dropped),
            Line::Priority(queue) => queue.dequeue(now, store),
        }
    }
}

impl Rekey for Queue {
    fn rekey(&mut self, copy: CopyKey) {
        match &mut self.waiting {
            Waiting::One(Line::Early(_, early), _) => early.rekey(copy),
            Waiting::One(Line::Priority(queue), _) => queue.rekey(copy),
            Waiting::One(Line::Pie(queue), _) => queue.rekey(copy),
            Waiting::One(Line::DualPi2(queue), _) => queue.rekey(copy),
            Waiting::Cake(tins) => tins.rekey(copy),
            _ => {}
        }
    }
}
