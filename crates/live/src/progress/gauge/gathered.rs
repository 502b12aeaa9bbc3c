//! Statistics of the samples so far, kept by the reader.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};
use sojourn_metrics::Distribution;

use super::Span;
use super::ring::{Ring, Sample};
use super::standing::{PhaseStanding, Quantiles, Slot, Snapshot};
use crate::io::clock::Clock;

/// Slots of the whole time series if its end is known, else of the part returned.
const SLOTS: u64 = 120;
/// Shortest slot.
const SHORTEST_SLOT: Duration = Duration::from_millis(100);
/// Slot of a time series without a known end.
const SLOT_WITHOUT_END: Duration = Duration::from_secs(1);
/// The load's rate is averaged over this time.
const RATE_OVER: Duration = Duration::from_secs(1);
/// A snapshot is reused for this time, since percentiles are costly.
const FRESH: Duration = Duration::from_millis(200);

/// The statistics of a measurement.
#[derive(Debug)]
pub struct Gathered {
    clock: Clock,
    begins: Time,
    ends: Time,
    slot: Duration,
    phases: Vec<PhaseSoFar>,
    /// Number of the next sample to read.
    next: u64,
    course: Vec<Slot>,
    /// Response times in the current slot.
    open: Vec<Duration>,
    /// Recent counts of octets carried.
    carried: VecDeque<(Time, u64)>,
    /// The last snapshot and its time.
    last: Option<(Time, Snapshot)>,
}

#[derive(Debug)]
struct PhaseSoFar {
    phase: Span,
    responses: Distribution,
    lost: u64,
}

impl Gathered {
    /// Empty statistics; samples count from number `next` on.
    pub fn new(clock: Clock, phases: &[Span], next: u64) -> Gathered {
        let begins = phases.first().map_or(Time::ZERO, |phase| phase.begins);
        let ends = phases.last().map_or(Time::NEVER, |phase| phase.ends);
        let slot = if ends == Time::NEVER { SLOT_WITHOUT_END } else { ends.since(begins).divided(SLOTS) };
        let phases =
            phases.iter().map(|&phase| PhaseSoFar { phase, responses: Distribution::new(), lost: 0 }).collect();
        let slot = slot.max(SHORTEST_SLOT);
        let (course, open, carried) = (Vec::new(), Vec::new(), VecDeque::new());
        Gathered { clock, begins, ends, slot, phases, next, course, open, carried, last: None }
    }

    /// Reads the samples that were added since the last call.
    pub fn take(&mut self, ring: &Ring) {
        let mut new = Vec::new();
        self.next = ring.take(self.next, |sample| new.push(sample));
        new.into_iter().for_each(|sample| self.count(sample));
    }

    /// A snapshot, at most [`FRESH`] old.
    pub fn standing(&mut self, sent: u64, carried: u64, noise_floor_s: Option<f64>) -> Snapshot {
        let now = self.clock.now();
        match &self.last {
            Some((at, standing)) if now.since(*at) < FRESH && now < self.ends => standing.clone(),
            _ => {
                let standing = self.look(now, sent, carried, noise_floor_s);
                self.last = Some((now, standing.clone()));
                standing
            }
        }
    }

    fn look(&mut self, now: Time, sent: u64, carried: u64, noise_floor_s: Option<f64>) -> Snapshot {
        let most = if self.ends == Time::NEVER { SLOTS as usize } else { usize::MAX };
        self.advance_to(now.min(self.ends));
        self.update_slot();
        let load_bit_rate = self.rate(now, carried);
        Snapshot {
            elapsed_s: now.since(self.begins).seconds(),
            left_s: (self.ends != Time::NEVER).then(|| self.ends.since(now).seconds()),
            phase: self.phase_at(now).map_or("", |index| self.phases[index].phase.name),
            sent,
            load_bit_rate,
            noise_floor_s,
            phases: self.phases.iter().map(|phase| phase.standing(self.begins)).collect(),
            slot_s: self.slot.seconds(),
            course: self.course[self.course.len().saturating_sub(most)..].to_vec(),
        }
    }

    fn count(&mut self, sample: Sample) {
        self.advance_to(sample.sent + sample.response.unwrap_or_default());
        if let Some(index) = self.phase_at(sample.sent) {
            let phase = &mut self.phases[index];
            match sample.response {
                Some(response) => phase.responses.record(response),
                None => phase.lost += 1,
            }
        }
        let Some(slot) = self.course.last_mut() else { return };
        match sample.response {
            Some(response) => self.open.push(response),
            None => slot.lost += 1,
        }
    }

    /// Advances the current slot to the one of `at`.
    fn advance_to(&mut self, at: Time) {
        let wanted = at.since(self.begins).whole(self.slot) as usize + 1;
        if self.course.len() < wanted {
            self.update_slot();
            self.open.clear();
            self.course.resize(wanted, Slot::default());
        }
    }

    /// Updates the current slot.
    fn update_slot(&mut self) {
        let (Some(slot), false) = (self.course.last_mut(), self.open.is_empty()) else { return };
        let middle = (self.open.len() - 1) / 2;
        let (_, median, above) = self.open.select_nth_unstable(middle);
        let greatest = above.iter().copied().max().unwrap_or(*median);
        slot.p50_s = Some(median.seconds());
        slot.max_s = Some(greatest.seconds());
    }

    /// The phase at a time, or the last one before.
    fn phase_at(&self, at: Time) -> Option<usize> {
        self.phases.iter().rposition(|so_far| so_far.phase.begins <= at)
    }

    /// Recent rate in bit/s.
    fn rate(&mut self, now: Time, carried: u64) -> f64 {
        self.carried.push_back((now, carried));
        while self.carried.get(1).is_some_and(|(at, _)| now.since(*at) >= RATE_OVER) {
            self.carried.pop_front();
        }
        let (at, before) = self.carried[0];
        let span_s = now.since(at).seconds();
        if span_s > 0.0 { 8.0 * carried.saturating_sub(before) as f64 / span_s } else { 0.0 }
    }
}

impl PhaseSoFar {
    fn standing(&self, origin: Time) -> PhaseStanding {
        let found = self.responses.quantiles(&[0.5, 0.9, 0.95, 0.99]);
        let extremes = self.responses.min().zip(self.responses.max());
        let response = found.zip(extremes).and_then(|(quantiles, (min, max))| {
            let [p50, p90, p95, p99] =
                [quantiles[0]?, quantiles[1]?, quantiles[2]?, quantiles[3]?].map(|span| span.seconds());
            Some(Quantiles { min: min.seconds(), p50, p90, p95, p99, max: max.seconds() })
        });
        let ends_s = (self.phase.ends != Time::NEVER).then(|| self.phase.ends.since(origin).seconds());
        PhaseStanding {
            name: self.phase.name,
            begins_s: self.phase.begins.since(origin).seconds(),
            ends_s,
            answered: self.responses.count(),
            lost: self.lost,
            response,
        }
    }
}
