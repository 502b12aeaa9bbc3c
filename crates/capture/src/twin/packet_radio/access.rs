//! Channel access and response delay, from the time between a transmission and its answer.
//!
//! ```text
//! end of a frame | TXTAIL of its sender, or processing | T2 | slots until one is taken | TXDELAY | the answer
//! ```
//!
//! An answer that nothing delays (UA, an answer to a poll, a digipeater's copy) has no T2. Slots are a geometric number:
//! the shortest waits have none.

use std::collections::BTreeMap;

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::bursts::{Burst, Medium};
use super::frames::{Frames, Kind};
use super::quantile::quantile;
use super::stations::{Role, Stations};

/// TXTAIL and processing times of the kind's defaults, which overlap, s.
const TXTAIL: f64 = 0.02;
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

/// Timers of TNCs count in steps of this: TXDELAY and slots by KISS, s.
const TICK: f64 = 0.01;

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
    let Some(least) = least else { return Access::default() };
    let alone = prompt.len() + complete.values().map(Vec::len).sum::<usize>();
    let waits_for_slots = if alone >= ENOUGH { &complete } else { &delayed };
    let mut excess: Vec<f64> = prompt.iter().map(|wait| (wait - least).max(0.0)).collect();
    let mut response_delay = BTreeMap::new();
    for (station, quickest) in of_stations {
        let waits = &delayed[&station];
        let own = quickest - least;
        let delay = if own > SAME { own } else { 0.0 };
        let waits_for_slots = waits_for_slots.get(&station).into_iter().flatten();
        excess.extend(waits_for_slots.map(|wait| (wait - least - delay).max(0.0)));
        response_delay.insert(station, (delay, waits.len()));
    }
    Access { txdelay: Some((in_ticks(least.max(0.0), UNCERTAIN), answers)), slots: slots(&mut excess), response_delay }
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

/// Persistence and slot time of waits beyond the shortest: the share that waited for no slot, and the mean.
fn slots(excess: &mut [f64]) -> Option<(f64, Option<f64>, usize)> {
    let longest = quantile(excess, 0.98)?;
    let count = excess.len();
    if count < 3 {
        return None;
    }
    let waited: Vec<f64> = excess.iter().copied().filter(|wait| *wait > SAME).collect();
    let none = (count - waited.len()) as f64 / count as f64;
    if none >= 0.97 {
        return Some((1.0, None, count));
    }
    let persistence = none.max(1.0 / 256.0);
    let mean = excess.iter().map(|wait| wait.min(longest)).sum::<f64>() / count as f64;
    let slot = mean * persistence / (1.0 - persistence);
    let rounded = (slot / TICK).round().max(1.0) * TICK;
    let slot = if (rounded / slot - 1.0).abs() < 0.15 { rounded } else { slot };
    Some((persistence, Some(slot), count))
}
