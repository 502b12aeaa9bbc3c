//! Which media of a site are simulated by which thread.

use sojourn_core::Duration;

use crate::channel::CollisionAbort;
use crate::costs::Costs;
use crate::installation::Installation;
use crate::routes::Duty;
use crate::site::{Arrivals, FlowSettings, MediumSettings, Role, Site, Target};

/// Bytes of the shortest LPDU: header, addresses of a subnet or group, PDU and CRC without a domain.
const SHORTEST_LPDU: u64 = 8;

/// The group of all routers and of the media that are not a group's own.
pub const CORE: u8 = 0;

/// Largest share of a group, above which one thread is as quick.
const LARGEST_SHARE: f64 = 0.7;

/// Messages within the lookaheads of two groups below which they would mostly wait for each other.
const FEWEST_MESSAGES: f64 = 2.0;

/// Media in groups. The core has all routers; every other group has media with one router each, or none.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// The group of each medium.
    pub of_medium: Vec<u8>,
    /// The router of each medium that belongs to another group than the core.
    pub routers: Vec<Option<u32>>,
    /// By group, how long what it does to others is known in advance. The core: from the arrival of a packet at a router until
    /// it is forwarded. The others: from the start of a transmission to its end.
    pub lookahead: Vec<Duration>,
}

impl Partition {
    /// Media of `site` in at most `groups` groups; `None` where one thread does as well, or where something has no lookahead:
    /// events, channels over IP networks, routers that learn, that are redundant or have applications of their own.
    pub fn new(site: &Site, installation: &Installation, groups: usize) -> Option<Partition> {
        let partition = Partition::split(site, installation, groups)?;
        let shortest = partition.lookahead.iter().map(|lookahead| lookahead.seconds()).sum::<f64>();
        let messages = site.flows.iter().map(|flow| rate(flow) * flow.from.len() as f64).sum::<f64>();
        (messages * shortest >= FEWEST_MESSAGES).then_some(partition)
    }

    /// The same, however few messages there are.
    pub fn split(site: &Site, installation: &Installation, groups: usize) -> Option<Partition> {
        if groups < 2 || site.timeline.is_some() || site.media.iter().any(|medium| medium.ip.is_some()) {
            return None;
        }
        let routers = routers_by_medium(site, installation)?;
        if site.flows.iter().any(|flow| concerns_routers(flow, site)) {
            return None;
        }
        let weights = weights(site);
        let is_leaf = |medium: usize| routers[medium].len() < 2 && has_lookahead(&site.media[medium]);
        let of_medium = groups_of(&weights, is_leaf, groups)?;
        let groups = usize::from(*of_medium.iter().max()?) + 1;
        let lookahead = |group: usize| match group {
            0 => site
                .stations
                .iter()
                .filter(|station| station.on().len() > 1)
                .map(|router| shortest_route(&router.class.costs))
                .min(),
            _ => (0..site.media.len())
                .filter(|&medium| usize::from(of_medium[medium]) == group)
                .map(|medium| wire_time(&site.media[medium]))
                .min(),
        };
        let lookahead = (0..groups).map(lookahead).collect::<Option<Vec<_>>>()?;
        let alone = |medium: usize| if of_medium[medium] == CORE { None } else { routers[medium].first().copied() };
        let routers = (0..site.media.len()).map(alone).collect();
        lookahead.iter().all(|&lookahead| lookahead > Duration::ZERO).then_some(Partition {
            of_medium,
            routers,
            lookahead,
        })
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.lookahead.len()
    }
}

/// The routers on each medium; `None` where a station on several media is anything but a configured router without others
/// beside it.
fn routers_by_medium(site: &Site, installation: &Installation) -> Option<Vec<Vec<u32>>> {
    let mut routers = vec![Vec::new(); site.media.len()];
    for (index, station) in site.stations.iter().enumerate().filter(|(_, station)| station.on().len() > 1) {
        if station.class.role != Role::Router || installation.routes.duty(index as u32) != Duty::Alone {
            return None;
        }
        station.on().iter().for_each(|&medium| routers[usize::from(medium)].push(index as u32));
    }
    Some(routers)
}

/// Whether a router sends or receives messages of a flow.
fn concerns_routers(flow: &FlowSettings, site: &Site) -> bool {
    let is_router = |&station: &usize| site.stations[station].on().len() > 1;
    flow.from.iter().any(is_router)
        || match &flow.to {
            Target::Broadcast => true,
            Target::Station(to) => is_router(to),
            Target::Each(to)
            | Target::Group(to)
            | Target::GroupOfTwo(to)
            | Target::Polled(to)
            | Target::UniqueId(to) => to.iter().any(is_router),
        }
}

/// Whether the end of a transmission, and whether it is received, is known once all have sensed its start.
fn has_lookahead(medium: &MediumSettings) -> bool {
    let channel = &medium.channel;
    channel.bit_error_rate == 0.0
        && channel.collision_abort == CollisionAbort::Never
        && channel.carrier_sense_latency.times(2) < wire_time(medium)
}

/// Time of the shortest packet on a medium.
fn wire_time(medium: &MediumSettings) -> Duration {
    medium.channel.time_of(medium.channel.wire_millibits(SHORTEST_LPDU))
}

fn shortest_route(costs: &Costs) -> Duration {
    costs.route + costs.route_copy.times(SHORTEST_LPDU)
}

/// Messages that the stations of each medium send in a second.
fn weights(site: &Site) -> Vec<f64> {
    let mut weights = vec![0.0; site.media.len()];
    for flow in &site.flows {
        for &station in &flow.from {
            weights[usize::from(site.stations[station].on()[0])] += rate(flow);
        }
    }
    weights
}

/// Messages a second of each sender of a flow, roughly: a closed loop, heartbeat or trace counts as one a second.
fn rate(flow: &FlowSettings) -> f64 {
    match &flow.arrivals {
        Arrivals::Process(process) => process.rate().unwrap_or(1.0),
        Arrivals::Heartbeat { max_interval, .. } => 1.0 / max_interval.seconds(),
        Arrivals::Poll { .. } | Arrivals::Trace(_) => 1.0,
    }
}

/// The group of each medium: leaves that follow each other fill one group after another, and the core has the rest.
fn groups_of(weights: &[f64], is_leaf: impl Fn(usize) -> bool, groups: usize) -> Option<Vec<u8>> {
    let total = weights.iter().sum::<f64>();
    let share = total / groups as f64;
    let mut of_medium = vec![CORE; weights.len()];
    let (mut group, mut sum, mut core) = (1, 0.0, total);
    for medium in (0..weights.len()).rev().filter(|&medium| is_leaf(medium) && weights[medium] > 0.0) {
        if sum + weights[medium] / 2.0 > share {
            (group, sum) = (group + 1, 0.0);
        }
        if group == groups {
            break;
        }
        of_medium[medium] = group as u8;
        sum += weights[medium];
        core -= weights[medium];
    }
    (core <= LARGEST_SHARE * total).then_some(of_medium)
}
