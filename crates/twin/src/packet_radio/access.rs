//! Infers channel access parameters and response delay from the time between a transmission and its answer.
//!
//! ```text
//! end of a frame | TXTAIL of its sender, or processing | T2 | slots until one is taken | TXDELAY | the answer
//! ```
//!
//! An undelayed answer (UA, an answer to a poll, a digipeater's copy) has no T2. The number of slots is geometric:
//! the shortest waits have none.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::bit_rate::TICK;
use super::bursts::{Burst, Medium};
use super::frames::{Frames, Kind};
use super::stations::{Role, Stations};
use crate::quantile::quantile;

/// TXTAIL and processing times of the kind's defaults, which overlap, s.
pub(super) const TXTAIL: f64 = 0.02;
/// Waits shorter than this are the same, s.
const SAME: f64 = 0.012;
/// The share of waits without a slot that is taken for the shortest.
const SHORTEST: f64 = 0.05;
/// Answers below which a wait may include slots.
const FEW: usize = 10;
/// Waits longer than this waited for something else, s.
const LONGEST: f64 = 30.0;
/// Time after a frame in which data of either end show that its acknowledgement was sent in competition with them, s.
const SOON: f64 = 2.0;
/// Waits from which persistence and slot time are inferred without those in competition.
const ENOUGH: usize = 30;
/// The shortest waits are determined to this, s.
const UNCERTAIN: f64 = 2e-3;

/// Waits for slots from which their common part is the slot time.
const MANY_SLOTS: usize = 100;
/// The longest slot, in steps of TNCs.
const LONGEST_SLOT: u32 = 50;
/// How periodic waits have to be: 1 where all are multiples, 0 where any wait is as likely.
const PERIODIC: f64 = 0.3;
/// The share of that of the most periodic time from which another one is as good.
const ALIKE: f64 = 0.7;
/// Waits of fewer slots show the persistence.
const FIRST_SLOTS: usize = 6;

/// A time as the nearest that a TNC can be set to, where that is within `uncertainty`, s: stations with equal settings shall have
/// equal timers, since those that differ by a millisecond do not collide again and again.
pub(super) fn in_ticks(seconds: f64, uncertainty: f64) -> f64 {
    let nearest = (seconds / TICK).round() * TICK;
    if (nearest - seconds).abs() <= uncertainty { nearest } else { seconds }
}

/// How the stations of a medium access it.
#[derive(Debug, Default)]
pub(super) struct Access {
    /// TXDELAY, s, and from how many answers.
    pub txdelay: Option<(f64, usize)>,
    /// Persistence, slot time in s, and from how many answers; without a slot time, none was waited for.
    pub slots: Option<(f64, Option<f64>, usize)>,
    /// Delay of acknowledgements by station, s, and from how many.
    pub response_delay: BTreeMap<Callsign, (f64, usize)>,
}

impl Access {
    /// Mean time of the slots before a transmission, s.
    pub fn mean_slots(&self) -> f64 {
        match self.slots {
            Some((persistence, Some(slot), _)) => slot * (1.0 - persistence) / persistence,
            _ => 0.0,
        }
    }

    /// T2 of a station, s; 0 where it does not show.
    pub fn response_delay(&self, station: Callsign) -> f64 {
        self.response_delay.get(&station).map_or(0.0, |(delay, _)| *delay)
    }

    /// A slot, s; 0 where none is waited for.
    pub fn slot(&self) -> f64 {
        self.slots.and_then(|(_, slot, _)| slot).unwrap_or(0.0)
    }

    /// TXDELAY, or the kind's default of a radio channel, s.
    pub fn txdelay(&self) -> f64 {
        self.txdelay.map_or(0.3, |(txdelay, _)| txdelay)
    }
}

/// Processing time of a received frame by the kind's defaults, s.
pub(super) fn processing(role: Role) -> f64 {
    match role {
        Role::Terminal | Role::Digipeater => 0.02,
        Role::Node | Role::Switch => 0.03,
    }
}

/// TXTAIL of the sender and processing of the receiver run at the same time, s.
pub(super) fn turnaround(role: Role) -> f64 {
    processing(role).max(TXTAIL)
}

/// The access of a medium.
pub(super) fn access(frames: &Frames, stations: &Stations, medium: &Medium) -> Access {
    let (mut prompt, mut delayed): (Vec<f64>, BTreeMap<Callsign, Vec<f64>>) = (Vec::new(), BTreeMap::new());
    let mut complete: BTreeMap<Callsign, Vec<f64>> = BTreeMap::new();
    for (place, pair) in medium.bursts.windows(2).enumerate() {
        let [before, after] = [&pair[0], &pair[1]];
        let wait = after.start - before.end - turnaround(stations.role(after.transmitter));
        if before.overlapped || after.overlapped || before.transmitter == after.transmitter || wait > LONGEST {
            continue;
        }
        match answer(frames, before, after) {
            Some(Answer::Prompt) => prompt.push(wait),
            Some(Answer::Acknowledgement) => {
                delayed.entry(after.transmitter).or_default().push(wait);
                if !data_follow(frames, before, after, &medium.bursts[place + 2..]) {
                    complete.entry(after.transmitter).or_default().push(wait);
                }
            }
            None => {}
        }
    }
    let shortest = |waits: &mut Vec<f64>| {
        let share = if waits.len() < FEW { 0.0 } else { SHORTEST };
        quantile(waits, share)
    };
    let mut least = shortest(&mut prompt);
    let mut answers = prompt.len();
    let of_stations: BTreeMap<Callsign, f64> =
        delayed.iter_mut().filter_map(|(station, waits)| Some((*station, shortest(waits)?))).collect();
    // few prompt answers may all have waited for slots
    if prompt.len() < FEW
        && let Some((station, quickest)) = of_stations.iter().min_by(|a, b| a.1.total_cmp(b.1))
        && least.is_none_or(|least| *quickest < least)
    {
        least = Some(*quickest);
        answers += delayed[station].len();
    }
    let Some(mut least) = least else { return Access::default() };
    let alone = prompt.len() + complete.values().map(Vec::len).sum::<usize>();
    let waits_for_slots = if alone >= ENOUGH { &complete } else { &delayed };
    let mut excess: Vec<f64> = prompt.iter().map(|wait| wait - least).collect();
    let mut response_delay = BTreeMap::new();
    for (station, quickest) in of_stations {
        let waits = &delayed[&station];
        let own = quickest - least;
        let delay = if own > SAME { own } else { 0.0 };
        let waits_for_slots = waits_for_slots.get(&station).into_iter().flatten();
        excess.extend(waits_for_slots.map(|wait| wait - least - delay));
        response_delay.insert(station, (delay, waits.len()));
    }
    // an answer that was ready before the frame ended waits for TXTAIL only, and shall not be taken for the shortest of all
    let (slot, early) = slot_of(&excess).unzip();
    let early = early.unwrap_or(0.0);
    least += early;
    excess.iter_mut().for_each(|wait| *wait = (*wait - early).max(0.0));
    let slots = slots(&mut excess, slot);
    Access { txdelay: Some((in_ticks(least.max(0.0), UNCERTAIN), answers)), slots, response_delay }
}

enum Answer {
    Prompt,
    Acknowledgement,
}

/// Whether a transmission answers the last frame of the one before, and with what.
fn answer(frames: &Frames, before: &Burst, after: &Burst) -> Option<Answer> {
    let [asked, answered] = [&frames.all[before.last], &frames.all[after.first]];
    if frames.is_copy(&frames.all[before.first], answered) || frames.is_prompt(asked, answered) {
        return Some(Answer::Prompt);
    }
    let replies = answered.destination == asked.source && answered.source == asked.destination;
    let acknowledges = matches!((asked.kind, answered.kind), (Kind::Information { .. }, Kind::Supervisory { .. }))
        && !answered.is_poll()
        && !asked.is_poll();
    (replies && acknowledges).then_some(Answer::Acknowledgement)
}

/// Whether either station sends data soon after a frame that was acknowledged. Had the acknowledgement waited longer, the data
/// would have come first, or carried it: of such acknowledgements only those with short waits show. The time counts from the
/// frame, not from the acknowledgement: which are left out must not depend on how long they waited.
fn data_follow(frames: &Frames, before: &Burst, after: &Burst, then: &[Burst]) -> bool {
    let ends = [frames.all[before.last].source, frames.all[after.first].source];
    let soon = then.iter().take_while(|burst| burst.start < before.end + SOON);
    soon.map(|burst| &frames.all[burst.first])
        .any(|frame| matches!(frame.kind, Kind::Information { .. }) && ends.contains(&frame.source))
}

/// Persistence and slot time of waits beyond the shortest: of those that are whole slots of a known time how fewer there are of each further slot,
/// or, of few waits, the share that waited for no slot, and the mean.
fn slots(excess: &mut [f64], slot: Option<f64>) -> Option<(f64, Option<f64>, usize)> {
    let longest = quantile(excess, 0.98)?;
    let count = excess.len();
    if count < 3 {
        return None;
    }
    let none = excess.iter().filter(|wait| **wait <= SAME).count() as f64 / count as f64;
    if none >= 0.97 {
        return Some((1.0, None, count));
    }
    if let Some(slot) = slot {
        let is_near = |wait: &f64, slots: u32| (wait - f64::from(slots) * slot).abs() <= SAME.min(0.3 * slot);
        let of = |slots: u32| excess.iter().filter(|wait| is_near(wait, slots)).count() as f64;
        let persistence = persistence(&std::array::from_fn(|slots| of(slots as u32))).clamp(1.0 / 256.0, 1.0);
        return Some((persistence, Some(slot), count));
    }
    let persistence = none.max(1.0 / 256.0);
    let mean = excess.iter().map(|wait| wait.min(longest)).sum::<f64>() / count as f64;
    let slot = mean * persistence / (1.0 - persistence);
    let rounded = (slot / TICK).round().max(1.0) * TICK;
    let slot = if (rounded / slot - 1.0).abs() < 0.15 { rounded } else { slot };
    Some((persistence, Some(slot), count))
}

/// The probability of a geometric distribution of which this many values are 0, 1, 2, ...: the most likely one by these values alone,
/// since what waits for something else too waits longer.
fn persistence(counts: &[f64; FIRST_SLOTS]) -> f64 {
    let moments = |weights: &dyn Fn(usize) -> f64| {
        let all: f64 = (0..FIRST_SLOTS).map(weights).sum();
        (0..FIRST_SLOTS).map(|slots| slots as f64 * weights(slots)).sum::<f64>() / all.max(1e-9)
    };
    let mean = moments(&|slots| counts[slots]);
    // the mean grows with the probability to wait on
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let on: f64 = 0.5 * (low + high);
        match moments(&|slots| libm::pow(on, slots as f64)) < mean {
            true => low = on,
            false => high = on,
        }
    }
    1.0 - low
}

/// The slot time, s, of which the waits are multiples but for one part that they have in common, and that part, s, as far as they
/// wait for nothing else; `None` of few that waited for slots, or where they are not.
fn slot_of(excess: &[f64]) -> Option<(f64, f64)> {
    let waited: Vec<f64> = excess.iter().copied().filter(|wait| *wait > SAME).collect();
    if waited.len() < MANY_SLOTS {
        return None;
    }
    // how periodic the waits are less a small part that they have in common
    let periodic = |slot: f64| {
        let sums = waited.iter().map(|wait| libm::sincos(TAU * wait / slot));
        let (y, x) = sums.fold((0.0, 0.0), |sum, (sin, cos)| (sum.0 + sin, sum.1 + cos));
        let angle = libm::atan2(y, x);
        let phase = (angle / TAU * slot).clamp(0.0, SAME);
        (libm::hypot(x, y) / waited.len() as f64 * libm::cos(angle - TAU * phase / slot), phase)
    };
    let all: Vec<f64> = (1..=LONGEST_SLOT + 1).map(|ticks| periodic(f64::from(ticks) * TICK).0).collect();
    let most = all.iter().copied().fold(0.0, f64::max);
    // multiples of a slot are multiples of its parts too; a time near a slot is almost as good as it
    let is_best = |ticks: &usize| all[ticks - 1] >= all[*ticks] && (*ticks == 1 || all[ticks - 1] >= all[ticks - 2]);
    let longest = (1..=LONGEST_SLOT as usize).rev().find(|ticks| all[ticks - 1] >= ALIKE * most && is_best(ticks))?;
    let slot = longest as f64 * TICK;
    let (strength, phase) = periodic(slot);
    (strength >= PERIODIC).then_some((slot, if phase > UNCERTAIN { phase } else { 0.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// About 2000 waits of whole slots, of which the share `on` waits on at each, and `others` of any length.
    fn waits(slot: f64, on: f64, others: usize) -> Vec<f64> {
        let of = |slots: i32| (2000.0 * (1.0 - on) * libm::pow(on, f64::from(slots))).round() as usize;
        let mut waits: Vec<f64> = (0..20).flat_map(|slots| vec![f64::from(slots) * slot; of(slots)]).collect();
        waits.extend((0..others).map(|number| 0.4 + 0.0037 * number as f64));
        waits
    }

    fn close(found: Option<(f64, Option<f64>, usize)>, persistence: f64, slot: f64) -> bool {
        let Some((p, Some(s), _)) = found else { return false };
        (p / persistence - 1.0).abs() < 0.03 && (s - slot).abs() < 1e-9
    }

    #[test]
    fn waits_of_whole_slots_show_slot_time_and_persistence_whatever_else_some_wait_for() {
        for (slot, persistence) in [(0.1, 0.25), (0.05, 0.5), (0.1, 0.9), (0.03, 0.1)] {
            for others in [0, 300] {
                let mut waits = waits(slot, 1.0 - persistence, others);
                let slot_time = slot_of(&waits).map(|(slot, _)| slot);
                let found = slots(&mut waits, slot_time);
                assert!(close(found, persistence, slot), "{slot} {persistence} {others}: {found:?}");
            }
        }
    }

    #[test]
    fn answers_that_were_ready_before_the_frame_ended_do_not_shorten_the_others() {
        let early = |wait: f64| wait + 0.01;
        let mut excess: Vec<f64> = waits(0.1, 0.5, 0).into_iter().map(early).collect();
        excess.extend(waits(0.1, 0.5, 0).into_iter().step_by(10));
        let (slot, phase) = slot_of(&excess).expect("waits of whole slots");
        assert!((slot - 0.1).abs() < 1e-9 && (phase - 0.01).abs() < 2e-3, "{slot} {phase}");
        assert_eq!(slot_of(&waits(0.1, 0.5, 0)).map(|(_, phase)| phase), Some(0.0));
    }

    #[test]
    fn few_waits_show_their_share_without_a_slot_and_the_mean() {
        let mut waits = [vec![0.0; 10], vec![0.1; 5], vec![0.2; 3], vec![0.3; 2]].concat();
        assert_eq!(slot_of(&waits), None);
        let found = slots(&mut waits, None);
        assert!(close(found, 0.5, 0.08), "{found:?}");
    }

    #[test]
    fn waits_of_any_length_have_no_slot_in_common() {
        let waits: Vec<f64> = (0..500).map(|number| 0.02 + 0.000_97 * f64::from(number)).collect();
        assert_eq!(slot_of(&waits), None);
    }
}
