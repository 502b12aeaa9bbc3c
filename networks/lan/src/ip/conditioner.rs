//! A traffic conditioner (RFC 2475): a shaper that delays the packets of a flow until they conform, and a meter that
//! marks its output.

use sojourn_core::Time;
use sojourn_metrics::Distribution;

use super::meter::{Meter, RED};
use super::packet::{List, Store};
use super::settings::ConditionerSettings;
use super::shaping::Bucket;
use crate::fabric::ConditionerTally;

/// What stands between a sender's flow and its first port.
#[derive(Clone, Debug)]
pub struct Conditioner {
    shaper: Option<Shaper>,
    meter: Option<Meter>,
    polices: bool,
    /// Counts since the warm-up.
    pub tally: ConditionerTally,
    /// Since when waiting times are counted.
    from: Time,
}

#[derive(Clone, Copy, Debug)]
struct Shaper {
    bucket: Bucket,
    limit: u32,
    waiting: List,
}

/// What becomes of a packet that has come to a conditioner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conditioned {
    /// It enters the network.
    Passes,
    /// It waits for others of its flow.
    Waits,
    /// It is the first that waits, until then.
    WaitsUntil(Time),
    /// It is dropped.
    Dropped,
}

impl Conditioner {
    /// Nothing waits, all buckets are full.
    pub fn new(settings: &ConditionerSettings) -> Self {
        let shaper = |(shaping, limit)| Shaper { bucket: Bucket::new(shaping), limit, waiting: List::new() };
        Conditioner {
            shaper: settings.shaper.map(shaper),
            meter: settings.meter.map(|(meter, _)| Meter::new(meter)),
            polices: settings.meter.is_some_and(|(_, polices)| polices),
            tally: ConditionerTally {
                waits: settings.shaper.map(|_| Distribution::new()),
                is_meter: settings.meter.is_some(),
                ..ConditionerTally::default()
            },
            from: Time::ZERO,
        }
    }

    /// A packet comes.
    #[inline]
    pub fn take(&mut self, now: Time, number: u32, store: &mut Store) -> Conditioned {
        let Some(shaper) = &mut self.shaper else { return self.enter(now, number, store) };
        let packet = &mut store[number];
        (packet.queued, packet.counted) = (now, packet.octets);
        let first = shaper.waiting.is_empty();
        if first && shaper.bucket.take(now, packet.octets) {
            return self.enter(now, number, store);
        }
        if shaper.waiting.packets >= shaper.limit {
            self.tally.dropped += 1;
            return Conditioned::Dropped;
        }
        shaper.waiting.push(number, store);
        match first {
            true => Conditioned::WaitsUntil(shaper.bucket.conforms_at(now, store[number].octets)),
            false => Conditioned::Waits,
        }
    }

    /// The packet that has waited longest conforms; which it is, what becomes of it, and when the next one conforms.
    pub fn release(&mut self, now: Time, store: &mut Store) -> Option<(u32, Conditioned, Option<Time>)> {
        let shaper = self.shaper.as_mut()?;
        let number = shaper.waiting.pop(store)?;
        let conforms = shaper.bucket.take(now, store[number].octets);
        debug_assert!(conforms, "it was due when it conforms");
        let next = shaper.waiting.front(store).map(|packet| packet.octets);
        let next = next.map(|octets| shaper.bucket.conforms_at(now, octets));
        Some((number, self.enter(now, number, store), next))
    }

    /// A packet that conforms to the shaper is metered.
    #[inline]
    fn enter(&mut self, now: Time, number: u32, store: &mut Store) -> Conditioned {
        let packet = &mut store[number];
        if let Some(waits) = self.tally.waits.as_mut().filter(|_| packet.queued >= self.from) {
            waits.record(now - packet.queued);
        }
        let Some(meter) = &mut self.meter else { return Conditioned::Passes };
        let color = meter.color(now, packet.octets);
        self.tally.offered[usize::from(color) - 1] += 1;
        if color == RED && self.polices {
            self.tally.dropped += 1;
            self.tally.policed += 1;
            return Conditioned::Dropped;
        }
        packet.precedence = color;
        Conditioned::Passes
    }

    /// A packet that it has marked is lost in the network.
    pub fn lost(&mut self, color: u8) {
        if self.meter.is_some() && color > 0 {
            self.tally.lost[usize::from(color) - 1] += 1;
        }
    }

    /// Counts from `now` on.
    pub fn reset_tally(&mut self, now: Time) {
        self.from = now;
        let ConditionerTally { waits, is_meter, .. } = &self.tally;
        let waits = waits.as_ref().map(|_| Distribution::new());
        self.tally = ConditionerTally { waits, is_meter: *is_meter, ..ConditionerTally::default() };
    }
}
