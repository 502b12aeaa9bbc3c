//! Read access to a ring: counters, rotations, timers.

use sojourn_core::{Duration, Time};
use sojourn_metrics::Distribution;

use super::rotations::Observer;
use super::{Class, MacTally, Phase, Ring, Tally};

impl Ring {
    /// Records the rotations that `mac` sees from now on.
    pub fn observe(&mut self, mac: u32) {
        self.observers.push(Observer::new(mac, self.off[mac as usize]));
    }

    /// Brings counters and rotations to just before `now`.
    pub fn settle(&mut self, now: Time) {
        if matches!(self.phase, Phase::Travelling) {
            let laps = self.course.laps_before(now, &self.path);
            self.end_laps(laps);
        }
        for index in 0..self.observers.len() {
            let mac = self.observers[index].mac;
            if let Some(arrival) = self.token_before(mac, now) {
                self.observers[index].token(arrival);
            }
        }
    }

    /// Begins counting anew at `now`.
    pub fn reset(&mut self, now: Time) {
        self.settle(now);
        for mac in 0..self.path.macs() {
            // late tokens of the present lap are counted when it ends
            let counted = self.late_tokens(mac, now).wrapping_sub(self.timers.late(mac));
            self.timers.set_late(mac, 0u64.wrapping_sub(counted));
        }
        self.counts.fill(MacTally::default());
        self.tally = Tally::default();
        self.observers.iter_mut().for_each(|observer| observer.rotations = Distribution::new());
    }

    /// Rotation times seen by an observed MAC since the last reset, up to the last [`settle`](Self::settle).
    pub fn rotations(&self, mac: u32) -> Option<&Distribution> {
        self.observers.iter().find(|observer| observer.mac == mac).map(|observer| &observer.rotations)
    }

    /// Totals since the last reset.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Totals of `mac` from the last reset to just before `now`.
    pub fn mac_tally(&mut self, mac: u32, now: Time) -> MacTally {
        self.settle(now);
        MacTally { late_tokens: self.late_tokens(mac, now), ..self.counts[mac as usize] }
    }

    /// When TRT of `mac` runs out, as of the tokens that came before `now`, and Late_Ct.
    pub fn rotation_timer(&mut self, mac: u32, now: Time) -> (Time, bool) {
        self.settle(now);
        if matches!(self.phase, Phase::Travelling) {
            self.course.pass_before(now, &self.path);
        }
        let expiry = self.timers.expiry_now(mac, &self.course, &self.path);
        let late = expiry < now;
        (if late { expiry + self.timers.ttrt() } else { expiry }, late)
    }

    /// The target token rotation time (T_Opr).
    pub fn ttrt(&self) -> Duration {
        self.timers.ttrt()
    }

    /// The ring latency (D): fibre and stations.
    pub fn latency(&self) -> Duration {
        self.path.round()
    }

    /// Frames of `mac` that wait in `class`.
    pub fn queue_length(&self, mac: u32, class: Class) -> u32 {
        self.queues.length(mac, class)
    }

    /// When the token of the present lap came to `mac`, if that was before `now`.
    fn token_before(&self, mac: u32, now: Time) -> Option<Time> {
        let known = match self.phase {
            Phase::Travelling => true,
            Phase::Holding(_) => mac < self.course.front(),
            Phase::Claiming | Phase::Silent | Phase::Interrupted { .. } => false,
        };
        self.course.arrival(mac, &self.path).filter(|&arrival| known && arrival < now)
    }

    /// Late tokens of `mac`, of the present lap too.
    pub(super) fn late_tokens(&self, mac: u32, now: Time) -> u64 {
        let late = self.token_before(mac, now).is_some() && self.timers.is_late(mac, &self.course, &self.path);
        self.timers.late(mac).wrapping_add(u64::from(late))
    }
}
