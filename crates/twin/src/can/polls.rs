//! Requests to several servers in turn.

use std::collections::BTreeMap;

use sojourn_capture::arrivals::{PollCycle, Polls};
use sojourn_capture::{Address, FlowKey, Service};
use sojourn_core::{Duration, Time};

use super::clock::Clock;
use super::exchange::Asked;
use super::pace::{Run, Sent};
use crate::quantile::quantile;
use crate::rounds::near;

/// Gaps that differ by less are alike, s.
const SMEAR: f64 = 1e-3;
/// The shortest interval of a poll, s.
const SHORTEST: f64 = 1e-5;
/// A client that goes on within this many frames of an answer does so at once: the rest it waits for the bus.
const AT_ONCE: f64 = 2.0;
/// Requests of a clock that are late by no more than this, in frames, do not wait for answers to others.
const PUNCTUAL: f64 = 2.0;

/// A round.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub members: Vec<FlowKey>,
    pub id_step: u64,
    pub cycle: PollCycle,
    /// When the first request began, s from the first packet.
    pub begin: f64,
}

/// The rounds of requests, and those that belong to none.
pub(super) fn rounds(answered: &BTreeMap<FlowKey, &Asked>, run: &Run) -> (Vec<Round>, Vec<FlowKey>) {
    let mut groups: BTreeMap<(Service, Option<Address>, u64), Vec<FlowKey>> = BTreeMap::new();
    for (key, asked) in answered {
        // a tester and its control units, a client and its nodes
        let from = Some(key.from).filter(|from| !matches!(from, Address::Can(_)));
        let group = near(&groups, asked.count, |count| (key.service, from, count));
        groups.entry(group).or_default().push(*key);
    }
    let (mut found, mut alone) = (Vec::new(), Vec::new());
    for ((service, ..), members) in groups {
        let is_asked_by_number = matches!(service, Service::Sdo | Service::RemoteFrame | Service::Uds(_));
        match round(&members, answered, run).filter(|_| is_asked_by_number) {
            Some(round) => found.push(round),
            None => alone.extend(members),
        }
    }
    (found, alone)
}

fn round(members: &[FlowKey], answered: &BTreeMap<FlowKey, &Asked>, run: &Run) -> Option<Round> {
    let asked: Vec<&Asked> = members.iter().filter_map(|key| answered.get(key).copied()).collect();
    if asked.len() < 2 || asked.iter().all(|asked| is_punctual(asked, run)) {
        return None;
    }
    let mut sent: Vec<(f64, u32, Option<f64>)> = Vec::new();
    for (number, asked) in (0..).zip(&asked) {
        let Sent { starts, completed, .. } = Sent::of_requests(asked, run);
        sent.extend(starts.iter().zip(completed).map(|(start, completed)| (start.at, number, completed)));
    }
    sent.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let earliest = sent.first()?.0;
    let mut in_turn = Polls::default();
    for (at, number, _) in &sent {
        let since = Duration::from_seconds((at - earliest).max(0.0)).unwrap_or_default();
        in_turn.sent(*number, Time::ZERO + since);
    }
    let mut cycle = in_turn.cycle(SMEAR)?;
    if cycle.cycle == 0.0 {
        // a round that follows the last at once may begin anywhere
        let lowest = (0..cycle.receivers.len()).min_by_key(|place| asked[cycle.receivers[*place] as usize].id)?;
        cycle.receivers.rotate_left(lowest);
    }
    let ids: Vec<u32> = cycle.receivers.iter().map(|number| asked[*number as usize].id.value()).collect();
    let step = ids[1].checked_sub(ids[0]).filter(|step| *step > 0)?;
    if !ids.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(step)) {
        return None;
    }
    // at once upon the answer to the last, or not before the shortest of the gaps
    let mut thinks: Vec<f64> = sent.windows(2).filter_map(|pair| Some(pair[1].0 - pair[0].2?)).collect();
    let mut gaps: Vec<f64> = sent.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    let is_at_once = quantile(&mut thinks, 0.5).is_some_and(|think| think <= AT_ONCE * run.frame);
    cycle.interval = if is_at_once { SHORTEST } else { quantile(&mut gaps, 0.1)?.max(SHORTEST) };
    let lead = cycle.receivers[0];
    let begin = sent.iter().find(|(_, number, _)| *number == lead)?.0;
    let members = cycle.receivers.iter().map(|number| members[*number as usize]).collect();
    Some(Round { members, id_step: step.into(), cycle, begin })
}

/// Whether a clock sends the requests, whatever the answers to others are.
fn is_punctual(asked: &Asked, run: &Run) -> bool {
    let sent = Sent::of_requests(asked, run);
    Clock::of(&sent.starts, run.alike(), run.frame).is_some_and(|clock| clock.jitter <= PUNCTUAL * run.frame)
}
