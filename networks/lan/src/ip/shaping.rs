//! Token buckets, as in Linux's HTB and TBF: a packet may leave whenever the bucket is not in debt, and is charged
//! afterwards, so the bucket need not know the next packet. A bucket adds no transmission time of its own.

use sojourn_core::time::PICOSECONDS_PER_SECOND;
use sojourn_core::{Duration, Time};

use super::settings::Shaping;

/// Tokens of one bit: levels are whole numbers at any rate and any picosecond.
const BIT: i128 = PICOSECONDS_PER_SECOND as i128;

/// What an output has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// This packet; it is dequeued.
    Packet(u32),
    /// Packets are queued, but none may be sent before this instant.
    NotBefore(Time),
    /// The queue is empty.
    Nothing,
}

/// A bucket that fills with its rate.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    /// Tokens a picosecond: a bit a second is 10^-12 bits a picosecond.
    rate: i128,
    full: i128,
    level: i128,
    /// When `level` was so.
    at: Time,
}

impl Bucket {
    /// A bucket that is full at time 0.
    pub fn new(shaping: Shaping) -> Self {
        let full = Bucket::tokens(shaping.burst);
        Bucket { rate: i128::from(shaping.rate), full, level: full, at: Time::ZERO }
    }

    /// When a packet may go: `now`, unless the bucket is in debt until later.
    #[inline]
    pub fn ready(&mut self, now: Time) -> Time {
        self.fill(now);
        if self.level >= 0 {
            return now;
        }
        // rounded up: a picosecond earlier the bucket would still be in debt
        let wait = (-self.level + self.rate - 1) / self.rate;
        now + Duration::from_picoseconds(wait as u64)
    }

    /// A packet of `octets` octets goes.
    #[inline]
    pub fn charge(&mut self, now: Time, octets: u32) {
        self.fill(now);
        self.level -= Bucket::tokens(octets.into());
    }

    /// Tokens of this many octets.
    pub const fn tokens(octets: u64) -> i128 {
        octets as i128 * 8 * BIT
    }

    /// Fills the bucket; the tokens for which it had no room.
    #[inline]
    pub fn spilled(&mut self, now: Time) -> i128 {
        let filled = self.level + i128::from(now.since(self.at).picoseconds()) * self.rate;
        self.fill(now);
        (filled - self.full).max(0)
    }

    /// From when on a packet of `octets` octets conforms: the bucket then holds tokens for all of it. Never, if the bucket is
    /// smaller than that.
    #[inline]
    pub fn conforms_at(&mut self, now: Time, octets: u32) -> Time {
        self.fill(now);
        // RFC 2697 has no debt, which the buckets of Linux's queues may go into
        let needed = Bucket::tokens(octets.into());
        if needed > self.full {
            return Time::NEVER;
        }
        let wait = ((needed - self.level).max(0) + self.rate - 1) / self.rate;
        now + Duration::from_picoseconds(wait as u64)
    }

    /// Takes tokens for all of a packet, if they are there; whether they are.
    #[inline]
    pub fn take(&mut self, now: Time, octets: u32) -> bool {
        let conforms = self.conforms_at(now, octets) == now;
        if conforms {
            self.level -= Bucket::tokens(octets.into());
        }
        conforms
    }

    #[inline]
    fn fill(&mut self, now: Time) {
        self.level = self.full.min(self.level + i128::from(now.since(self.at).picoseconds()) * self.rate);
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPING: Shaping = Shaping { rate: 100_000_000, burst: 3200 };

    #[test]
    fn a_full_bucket_lets_its_burst_and_one_packet_go_at_once_and_then_one_at_a_time() {
        let mut bucket = Bucket::new(SHAPING);
        let now = Time::ZERO + Duration::from_secs(1);
        let mut sent = 0;
        while bucket.ready(now) == now {
            bucket.charge(now, 1514);
            sent += 1;
        }
        // 3200 octets pay for two packets and begin a third, which leaves a debt of 1342 octets
        assert_eq!(sent, 3);
        assert_eq!(bucket.ready(now), now + Duration::from_units(1342 * 8, SHAPING.rate));
    }

    #[test]
    fn however_often_it_is_asked_no_interval_sees_more_than_rate_times_time_plus_burst_plus_a_packet() {
        let mut bucket = Bucket::new(Shaping { rate: 64_001, burst: 1514 });
        let mut sent = Vec::new();
        let mut now = Time::ZERO;
        for _ in 0..500 {
            now = bucket.ready(now + Duration::from_micros(17));
            bucket.charge(now, 1514);
            sent.push(now);
        }
        for (first, start) in sent.iter().enumerate() {
            for (last, end) in sent.iter().enumerate().skip(first) {
                let bits = (last - first + 1) as u128 * 1514 * 8;
                let allowed = u128::from(end.since(*start).picoseconds()) * 64_001 / 1_000_000_000_000;
                assert!(bits <= allowed + 2 * 1514 * 8, "{first} to {last}");
            }
        }
        let span = sent[499].since(sent[0]).seconds();
        assert!((499.0 * 1514.0 * 8.0 / span / 64_001.0 - 1.0).abs() < 0.005, "nothing of the rate is lost either");
    }
}
