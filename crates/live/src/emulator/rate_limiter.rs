//! The rate limiter that the datagrams and connections of one direction share.

use std::sync::Mutex;

use sojourn_core::rate_trace::Work;
use sojourn_core::{Duration, Time};

use super::impairment::Impairment;

/// The rate limit that datagrams and TCP bytes of one direction share, with one queue.
#[derive(Debug, Default)]
pub struct SharedRateLimiter(Mutex<Backlog>);

#[derive(Debug, Default)]
struct Backlog {
    /// When the queue will be empty.
    until: Time,
    /// When the last packet was accepted.
    accepted: Time,
    /// By a trace of rates, what the link will have done then.
    done: Work,
}

impl SharedRateLimiter {
    /// The octets that wait or are being sent.
    pub fn waiting(&self, now: Time, link: &Impairment) -> u64 {
        self.with(|backlog| backlog.waiting(now, link))
    }

    /// When half of its queue will be free, if nothing else comes.
    pub fn half_free_at(&self, now: Time, link: &Impairment) -> Time {
        self.with(|backlog| {
            let until = backlog.until_at(now, link);
            match (&link.trace, link.at(until).rate) {
                (Some(_), _) if until <= now => Time::ZERO,
                (Some(trace), _) => trace.when(backlog.done.without(Work::of(link.queue / 2))),
                (None, None) => Time::ZERO,
                (None, Some(rate)) => Time::ZERO + until.since(Time::ZERO + Duration::from_units(4 * link.queue, rate)),
            }
        })
    }

    /// When the last bit of a packet that arrives now has left; `None` if it would exceed the queue limit.
    pub fn send(&self, now: Time, octets: u64, link: &Impairment, queue: Option<u64>) -> Option<Time> {
        self.with(|backlog| {
            let begin = backlog.until_at(now, link).max(now);
            // a packet in transmission does not wait, so an idle link accepts any packet
            let waiting = || backlog.waiting(now, link) + link.on_link(octets);
            if begin > now && queue.is_some_and(|queue| waiting() > queue) {
                return None;
            }
            let (until, done) = match &link.trace {
                Some(trace) => {
                    let before = if begin == backlog.until { backlog.done } else { trace.capacity(begin) };
                    let done = before.and(Work::of(link.on_link(octets)));
                    (trace.when(done).max(begin), done)
                }
                None => (begin + link.transmission(begin, octets), Work::default()),
            };
            *backlog = Backlog { until, accepted: now, done };
            Some(until)
        })
    }

    fn with<T>(&self, what: impl FnOnce(&mut Backlog) -> T) -> T {
        what(&mut self.0.lock().expect("no thread panics while it holds the lock"))
    }
}

impl Backlog {
    /// When the queue will be empty: an outage since the last packet was accepted has emptied it.
    fn until_at(&self, now: Time, link: &Impairment) -> Time {
        match link.last_cut(now) {
            Some(cut) if cut > self.accepted => self.until.min(cut),
            _ => self.until,
        }
    }

    /// The octets that wait or are being sent, rounded up.
    fn waiting(&self, now: Time, link: &Impairment) -> u64 {
        let until = self.until_at(now, link);
        match &link.trace {
            Some(_) if until <= now => 0,
            Some(trace) => self.done.without(trace.capacity(now)).octets(),
            None => link.octets_between(now, until),
        }
    }
}
