//! The rate limiter that the datagrams and connections of one direction share.

use std::sync::Mutex;

use sojourn_core::Time;

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
}

impl SharedRateLimiter {
    /// When its queue will be empty.
    pub fn busy_until(&self, now: Time, link: &Impairment) -> Time {
        self.with(|backlog| backlog.until_at(now, link))
    }

    /// When the last bit of a packet that arrives now has left; `None` if it would exceed the queue limit.
    pub fn send(&self, now: Time, octets: u64, link: &Impairment, queue: Option<u64>) -> Option<Time> {
        self.with(|backlog| {
            let begin = backlog.until_at(now, link).max(now);
            // a packet in transmission does not wait, so an idle link accepts any packet
            let waiting = || link.octets_between(now, begin) + link.on_link(octets);
            if begin > now && queue.is_some_and(|queue| waiting() > queue) {
                return None;
            }
            *backlog = Backlog { until: begin + link.transmission(begin, octets), accepted: now };
            Some(backlog.until)
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
}
