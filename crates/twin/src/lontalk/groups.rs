//! Groups stations with the same traffic into one `[[station]]` with a count.

use std::collections::BTreeMap;

use sojourn_protocols::lontalk::wire::SubnetNode;

use super::survey::{Flow, FlowKey, Kind, Survey, To};
use super::topology::Topology;
use sojourn_capture::arrivals::{PollCycle, Reservoir, SendTimes};

/// Factor between the mean gaps of two stations that may send by the same law.
const ALIKE: f64 = 1.5;
/// Stations of a group that another with further flows joins.
const ENOUGH: usize = 3;
/// Receivers of one station's flows that are otherwise the same, from which they are one flow to each of them.
const MANY: usize = 4;
/// How far access to the channel moves a send time, s.
pub(super) const SMEAR: f64 = 0.015;

/// A flow without its sender: what stations that send alike have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    pub to: To,
    pub kind: Kind,
    pub authenticated: bool,
    pub priority: bool,
    pub variable: bool,
    /// Data bytes of a message and of a response.
    pub data: u16,
    pub response: u16,
    /// Among flows of a station that are otherwise the same, from the one that sends most often.
    rank: u16,
}

/// Flows of one shape from one or more stations.
#[derive(Debug, Clone)]
pub(super) struct SharedFlow {
    pub shape: Shape,
    pub senders: Vec<SubnetNode>,
    /// Receivers: one, or those that a station sends to alike.
    pub to: Vec<To>,
    pub flow: Flow,
    /// Send times of each sender, for a trace.
    pub each: Vec<(SubnetNode, To, SendTimes)>,
    pub cycle: Option<PollCycle>,
}

/// Stations that send alike.
#[derive(Debug)]
pub(super) struct Group {
    pub medium: usize,
    pub members: Vec<SubnetNode>,
    pub flows: Vec<SharedFlow>,
    signature: (usize, Vec<Shape>, u32),
}

/// The groups of a site, and flows of single members in addition to those of their groups.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub groups: Vec<Group>,
    pub extras: Vec<SharedFlow>,
}

impl Groups {
    pub fn new(survey: &Survey, topology: &Topology) -> Groups {
        let mut by_sender: BTreeMap<SubnetNode, Vec<(&FlowKey, &Flow)>> = BTreeMap::new();
        for (key, flow) in &survey.flows {
            by_sender.entry(key.from).or_default().push((key, flow));
        }
        let mut groups = Groups::default();
        for (&node, seen) in &survey.nodes {
            let flows = shared_flows(survey, node, by_sender.get(&node).map_or(&[][..], Vec::as_slice));
            // what a station that sends nothing of its own receives is all that it shows
            let silent = if flows.is_empty() { 1 + (seen.received + 1).ilog2() / 2 } else { 0 };
            let shapes = flows.iter().map(|flow| flow.shape).collect();
            groups.add(node, (topology.medium_of(node), shapes, silent), flows);
        }
        groups.join_supersets();
        for group in &mut groups.groups {
            group.members.sort_unstable();
        }
        groups
    }

    fn add(&mut self, node: SubnetNode, signature: (usize, Vec<Shape>, u32), flows: Vec<SharedFlow>) {
        let alike = self.groups.iter_mut().find(|group| {
            group.signature == signature && group.flows.iter().zip(&flows).all(|(own, other)| own.is_alike(other))
        });
        match alike {
            Some(group) => {
                group.members.push(node);
                group.flows.iter_mut().zip(flows).for_each(|(own, other)| own.merge(other));
            }
            None => self.groups.push(Group { medium: signature.0, members: vec![node], flows, signature }),
        }
    }

    /// A station that has all flows of a group, and others, is a member whose other flows are its own.
    fn join_supersets(&mut self) {
        let mut index = 0;
        while index < self.groups.len() {
            let single = &self.groups[index];
            let target = self.groups.iter().position(|group| {
                group.members.len() >= ENOUGH
                    && single.members.len() < ENOUGH
                    && group.medium == single.medium
                    && !group.flows.is_empty()
                    && group.flows.len() < single.flows.len()
                    && group
                        .flows
                        .iter()
                        .all(|own| single.flows.iter().any(|other| other.shape == own.shape && own.is_alike(other)))
            });
            let Some(target) = target else {
                index += 1;
                continue;
            };
            let joining = self.groups.remove(index);
            let target = &mut self.groups[if target > index { target - 1 } else { target }];
            target.members.extend(joining.members);
            for flow in joining.flows {
                match target.flows.iter_mut().find(|own| own.shape == flow.shape) {
                    Some(own) => own.merge(flow),
                    None => self.extras.push(flow),
                }
            }
        }
    }
}

impl SharedFlow {
    /// Whether the gaps of both have means that one law may have.
    fn is_alike(&self, other: &SharedFlow) -> bool {
        let (a, b) = (&self.flow.times, &other.flow.times);
        let gaps = a.gaps().seen().min(b.gaps().seen());
        if gaps == 0 {
            return true;
        }
        let ratio = libm::fabs(libm::log(a.mean_gap().max(1e-9) / b.mean_gap().max(1e-9)));
        self.cycle.is_none() && other.cycle.is_none() && ratio <= libm::log(ALIKE) + 4.0 / (gaps as f64).sqrt()
    }

    fn merge(&mut self, other: SharedFlow) {
        self.flow.merge(&other.flow);
        self.senders.extend(other.senders);
        self.each.extend(other.each);
    }
}

impl Flow {
    fn merge(&mut self, other: &Flow) {
        self.times.merge(&other.times);
        self.data.merge(&other.data);
        self.response_data.merge(&other.response_data);
        self.retry_gaps.merge(&other.retry_gaps);
        self.tries_unanswered = self.tries_unanswered.max(other.tries_unanswered);
        self.answered += other.answered;
        self.unanswered += other.unanswered;
        self.tries += other.tries;
        for member in &other.members {
            if !self.members.contains(member) {
                self.members.push(*member);
            }
        }
    }
}

/// The flows of a station: those of a poll cycle as one, those that differ in their receiver alone as one.
fn shared_flows(survey: &Survey, node: SubnetNode, flows: &[(&FlowKey, &Flow)]) -> Vec<SharedFlow> {
    let cycle = survey.polls.get(&node).and_then(|(polls, receivers)| {
        let cycle = polls.cycle(SMEAR)?;
        let to: Vec<To> = cycle.receivers.iter().map(|&number| receivers[number as usize]).collect();
        to.iter().all(|to| matches!(to, To::Node(_))).then_some((cycle, to))
    });
    let mut shared: Vec<SharedFlow> = Vec::new();
    let mut ranks: BTreeMap<Shape, Vec<SharedFlow>> = BTreeMap::new();
    for &(key, flow) in flows {
        let shape = shape(key, flow);
        let each = vec![(node, key.to, flow.times.clone())];
        let own = SharedFlow { shape, senders: vec![node], to: vec![key.to], flow: flow.clone(), each, cycle: None };
        let polled = cycle.as_ref().filter(|(_, to)| key.kind == Kind::Request && to.contains(&key.to));
        if let Some((cycle, to)) = polled {
            match shared.iter_mut().find(|flow| flow.cycle.is_some()) {
                Some(poll) => poll.flow.merge(flow),
                None => shared.push(SharedFlow { to: to.clone(), cycle: Some(cycle.clone()), ..own }),
            }
        } else {
            ranks.entry(shape).or_default().push(own);
        }
    }
    for same in ranks.values_mut() {
        same.sort_by(|a, b| a.flow.times.mean_gap().total_cmp(&b.flow.times.mean_gap()));
        same.iter_mut().zip(0..).for_each(|(flow, rank)| flow.shape.rank = rank);
    }
    let any = |shape: Shape| Shape { to: To::Broadcast(0), ..shape };
    let flows: Vec<SharedFlow> = ranks.into_values().flatten().collect();
    let mut receivers: BTreeMap<Shape, usize> = BTreeMap::new();
    flows.iter().for_each(|flow| *receivers.entry(any(flow.shape)).or_default() += 1);
    for flow in flows {
        let unicast = |to: &To| matches!(to, To::Node(_));
        let alike = shared.iter_mut().find(|known| {
            known.cycle.is_none()
                && receivers[&any(flow.shape)] >= MANY
                && any(known.shape) == any(flow.shape)
                && known.to.iter().chain(&flow.to).all(unicast)
                && !known.to.contains(&flow.to[0])
                && known.is_alike(&flow)
        });
        match alike {
            Some(known) => {
                known.to.extend(&flow.to);
                known.merge(SharedFlow { senders: Vec::new(), ..flow });
            }
            None => shared.push(flow),
        }
    }
    shared
}

fn shape(key: &FlowKey, flow: &Flow) -> Shape {
    Shape {
        to: key.to,
        kind: key.kind,
        authenticated: key.authenticated,
        priority: key.priority,
        variable: key.variable,
        data: usual(&flow.data),
        response: usual(&flow.response_data),
        rank: 0,
    }
}

/// The median, as a number of bytes.
fn usual(values: &Reservoir) -> u16 {
    let mut sorted = values.values().to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).map_or(0, |&middle| middle as u16)
}
