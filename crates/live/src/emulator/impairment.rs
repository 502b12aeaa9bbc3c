//! The impairments of one direction, and the rate limiter that its datagrams and connections share.

use std::ops::Range;
use std::sync::Mutex;

use sojourn_core::{Duration, Time};

/// The impairments of one direction, none by default.
#[derive(Clone, Debug, PartialEq)]
pub struct Impairment {
    /// One-way delay of every packet.
    pub delay: Duration,
    /// A step of that delay: from this time on every packet is delayed by so much more.
    pub delay_step: Option<(Time, Duration)>,
    /// Jitter added to it, uniform from zero to this; packets stay in order.
    pub jitter: Duration,
    /// Share of packets lost, 0 to 1.
    pub loss: f64,
    /// Share of packets duplicated, 0 to 1.
    pub duplication: f64,
    /// Share of packets reordered, 0 to 1: delayed further, so that later ones overtake them.
    pub reordering: f64,
    /// Extra delay of reordered packets.
    pub reorder_delay: Duration,
    /// Link rate in bits of user data per second.
    pub rate: Option<u64>,
    /// Queue limit in octets of user data; tail drop beyond it.
    pub queue: u64,
    /// When every packet is dropped, from the start of the relay.
    pub outage: Option<Range<Time>>,
}

impl Default for Impairment {
    fn default() -> Impairment {
        Impairment {
            delay: Duration::ZERO,
            delay_step: None,
            jitter: Duration::ZERO,
            loss: 0.0,
            duplication: 0.0,
            reordering: 0.0,
            reorder_delay: Duration::from_millis(10),
            rate: None,
            queue: 64_000,
            outage: None,
        }
    }
}

impl Impairment {
    /// The one-way delay at a time, without jitter.
    pub fn delay_at(&self, now: Time) -> Duration {
        let step = self.delay_step.filter(|(at, _)| *at <= now);
        self.delay + step.map_or(Duration::ZERO, |(_, more)| more)
    }

    /// The impairments that apply to a byte stream: delay and rate. Only packets are lost, duplicated or reordered.
    pub fn of_bytes(&self) -> Impairment {
        Impairment { loss: 0.0, duplication: 0.0, reordering: 0.0, outage: None, ..self.clone() }
    }
}

/// The rate limit that datagrams and TCP bytes of one direction share, with one queue.
#[derive(Debug, Default)]
pub struct SharedRateLimiter {
    /// When its queue will be empty.
    busy_until: Mutex<Time>,
}

impl SharedRateLimiter {
    /// When its queue will be empty.
    pub fn busy_until(&self) -> Time {
        *self.busy_until.lock().expect("no thread panics while it holds the lock")
    }

    /// When the last bit of a packet that takes `takes` to send has left; `None` if it would wait longer than `longest`.
    pub fn send(&self, now: Time, takes: Duration, longest: Option<Duration>) -> Option<Time> {
        let mut busy_until = self.busy_until.lock().expect("no thread panics while it holds the lock");
        let begin = busy_until.max(now);
        // a packet in transmission does not wait, so an idle link accepts any packet
        if begin > now && longest.is_some_and(|longest| begin.since(now) + takes > longest) {
            return None;
        }
        *busy_until = begin + takes;
        Some(*busy_until)
    }
}
