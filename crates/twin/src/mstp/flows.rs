//! Messages that belong together: rounds of a client over stations, and stations that send alike.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_capture::arrivals::{PollCycle, Polls};
use sojourn_core::Time;

use super::place::Place;
use super::talk::{Flow, FlowKey, Service, Talk};
use super::trunk::TrunkSurvey;
use crate::quantile::median;
use crate::rounds::near;

/// Resolution of polls, s: a request waits for the token.
const SMEAR: f64 = 0.05;
/// A client whose next request follows the last reply within a rotation, which it waits for the token, does not wait in between: with
/// a tenth more, and what routers take, s.
const AT_ONCE: f64 = 1.1;
const ROUTED: f64 = 0.01;
/// Senders whose numbers of messages differ by this factor and this many more at most send alike.
const FACTOR: u64 = 4;
const MORE: u64 = 4;

/// Messages by their keys.
type Flows<'a> = Vec<(FlowKey, &'a Flow)>;

/// A flow of the scenario.
#[derive(Debug)]
pub(super) struct Planned {
    pub from: Vec<Place>,
    pub to: Vec<Place>,
    pub service: Service,
    pub messages: Flow,
    pub begin: Time,
    pub pace: Pacing,
}

/// When its messages are sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pacing {
    /// To the receivers in turn; at once upon the last reply or not.
    Round { cycle: PollCycle, is_at_once: bool },
    /// By a law of each sender.
    Law,
}

/// The flows of a trunk.
pub(super) fn flows(trunk: &TrunkSurvey) -> Vec<Planned> {
    let talk = &trunk.talk;
    let rotation = trunk.rotation().unwrap_or(0.0);
    let answering = answering(talk);
    let (mut planned, mut others) = (Vec::new(), Vec::new());
    for polls in alike(talk) {
        match round(&polls, rotation) {
            Some(found) => planned.push(found),
            None => others.extend(polls),
        }
    }
    for (key, flow) in talk.flows.iter().filter(|(key, _)| !key.service.is_confirmed()) {
        match key.service {
            Service::WhoIs if !answering.is_empty() => {
                let to = answering.iter().copied().filter(|place| *place != key.from).collect();
                planned.push(of_law(vec![key.from], to, key.service, flow.clone()));
            }
            Service::IAm if answering.contains(&key.from) => {}
            _ => others.push((*key, flow)),
        }
    }
    planned.extend(senders(others));
    planned.sort_by_key(|flow| (flow.begin, flow.from.clone(), flow.service));
    planned
}

/// Masters that answer at least every other Who-Is.
fn answering(talk: &Talk) -> BTreeSet<Place> {
    let sent = |of: Service| talk.flows.iter().filter(move |(key, _)| key.service == of);
    let asked: u64 = sent(Service::WhoIs).map(|(_, flow)| flow.times.count()).sum();
    let mut announced: BTreeMap<Place, u64> = BTreeMap::new();
    sent(Service::IAm).for_each(|(key, flow)| *announced.entry(key.from).or_default() += flow.times.count());
    let answers = |count: &u64| asked > 0 && 2 * count >= asked && *count <= 2 * asked;
    announced.into_iter().filter(|(_, count)| answers(count)).map(|(place, _)| place).collect()
}

/// Confirmed requests of one client and one service that are sent equally often: to each server the first, the second ...
fn alike(talk: &Talk) -> Vec<Flows<'_>> {
    let mut by_server: BTreeMap<(Place, Service, Place), Flows<'_>> = BTreeMap::new();
    for (key, flow) in talk.flows.iter().filter(|(key, _)| key.service.is_confirmed()) {
        by_server.entry((key.from, key.service, key.to)).or_default().push((*key, flow));
    }
    let mut groups: BTreeMap<(Place, Service, usize, u64), Flows<'_>> = BTreeMap::new();
    for ((from, service, _), mut flows) in by_server {
        flows.sort_by_key(|(_, flow)| flow.times.first());
        for (rank, (key, flow)) in flows.into_iter().enumerate() {
            let group = near(&groups, flow.times.count(), |count| (from, service, rank, count));
            groups.entry(group).or_default().push((key, flow));
        }
    }
    groups.into_values().collect()
}

/// The round over servers, if they are asked in turn.
fn round(polls: &[(FlowKey, &Flow)], rotation: f64) -> Option<Planned> {
    let (key, _) = polls.first()?;
    let mut asked: Vec<(Time, u32)> = Vec::new();
    for (number, (_, flow)) in (0..).zip(polls) {
        asked.extend(flow.times.in_order().iter().map(|at| (*at, number)));
    }
    asked.sort_unstable();
    let mut in_turn = Polls::default();
    asked.iter().for_each(|(at, number)| in_turn.sent(*number, *at));
    let cycle = in_turn.cycle(SMEAR)?;
    let to: Vec<Place> = cycle.receivers.iter().filter_map(|number| Some(polls.get(*number as usize)?.0.to)).collect();
    let mut messages = Flow::default();
    polls.iter().for_each(|(_, flow)| messages.merge(flow));
    let think = median(messages.thinks.values());
    let is_at_once = think.is_some_and(|think| think <= AT_ONCE * rotation + ROUTED);
    let lead = cycle.receivers.first().and_then(|number| polls.get(*number as usize));
    let begin = lead.map_or(Time::ZERO, |(_, flow)| flow.times.first());
    let pace = Pacing::Round { cycle, is_at_once };
    Some(Planned { from: vec![key.from], to, service: key.service, messages, begin, pace })
}

/// Messages of a law: those of several stations of the trunk to one are one flow where they send alike.
fn senders(others: Flows<'_>) -> Vec<Planned> {
    let mut by_receiver: BTreeMap<(Place, Service, Option<Place>), Flows<'_>> = BTreeMap::new();
    for (key, flow) in others {
        let alone = key.from.far.is_some().then_some(key.from);
        by_receiver.entry((key.to, key.service, alone)).or_default().push((key, flow));
    }
    let mut planned = Vec::new();
    for ((to, service, _), mut flows) in by_receiver {
        flows.sort_by_key(|(key, flow)| (flow.times.count(), key.from));
        while let Some((key, flow)) = flows.first().copied() {
            let most = FACTOR * flow.times.count() + MORE;
            let (mut from, mut messages) = (vec![key.from], flow.clone());
            let mut rest = Vec::new();
            for (other, flow) in flows.drain(..).skip(1) {
                if flow.times.count() <= most && !from.contains(&other.from) {
                    from.push(other.from);
                    messages.merge(flow);
                } else {
                    rest.push((other, flow));
                }
            }
            from.sort_unstable();
            planned.push(of_law(from, vec![to], service, messages));
            flows = rest;
        }
    }
    planned
}

fn of_law(from: Vec<Place>, to: Vec<Place>, service: Service, messages: Flow) -> Planned {
    let begin = messages.times.first();
    Planned { from, to, service, messages, begin, pace: Pacing::Law }
}
