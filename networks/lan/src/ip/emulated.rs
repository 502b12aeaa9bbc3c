//! The probe's path in the form that a network emulator needs: one link per direction, which changes with the events
//! of the scenario.

use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_core::{Duration, RateTrace, Streams, Time};
use sojourn_scenario::{Problem, Problems, Scenario, WarmUp};

use super::links::medium_of;
use super::scenario::model;
use super::settings::{Discipline, Settings};
use crate::effect::Effect;
use crate::fabric::{LinkChange, Outage};
use crate::model::LanModel;
use crate::packet::UDP_HEADERS;
use crate::site::Site;
use sojourn_model::laws::RandomTime;
use sojourn_model::timed::Timed;

/// Both directions of a path, and how long it is emulated.
#[derive(Clone, Debug, PartialEq)]
pub struct EmulatedPath {
    /// From the probe's client to its server, and back.
    pub directions: [OneWay; 2],
    /// The end of the run, warm-up included.
    pub end: Time,
}

/// One direction: its links in series as one.
#[derive(Clone, Debug, PartialEq)]
pub struct OneWay {
    /// Before the first event.
    pub initially: Conditions,
    /// From each of these times on, ascending.
    pub changes: Vec<(Time, Conditions)>,
    /// Limit of the queue before the slowest link, octets.
    pub queue: u64,
    /// The rate of the slowest link over time, in place of a constant one.
    pub trace: Option<Arc<RateTrace>>,
    /// Octets of UDP and IP headers and of framing on the slowest link.
    pub overhead: u64,
}

/// What a direction does to packets while nothing changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Whether all of its links and routers carry packets.
    pub is_up: bool,
    /// Propagation delays and forwarding delays.
    pub delay: Duration,
    /// The most that a packet is delayed beyond that.
    pub jitter: Duration,
    /// Share of the packets that are lost on one of the links.
    pub loss: f64,
    /// That of the slowest link, bit/s; none if all are unlimited.
    pub rate: Option<u64>,
}

/// The current state of a link of the path.
#[derive(Clone, Debug)]
struct PathLink {
    port: u32,
    outage: Outage,
    conditions: Conditions,
}

impl EmulatedPath {
    /// The path of a checked scenario of kind `ip`; random failures happen when they do in its first replication.
    pub fn of(scenario: &Scenario, seed: u64) -> Result<EmulatedPath, Problems> {
        if scenario.kind != "ip" {
            let message =
                format!("the emulator takes a scenario of kind \"ip\", and this one is \"{}\"", scenario.kind);
            return Err(Problem::at(scenario.table("network").place_of("kind"), message).into());
        }
        let LanModel { site, fabric } = model(scenario, |router| router.duration("forwarding_delay"))?;
        let Some(probe) = site.activities.iter().find(|activity| activity.name == "probe") else {
            let problem = Problem::plain("the scenario has no [probe] with `from` and `to`");
            return Err(problem.help("the emulated path is the one between the hosts of the probe").into());
        };
        let WarmUp::Fixed(warm_up) = scenario.run().warm_up else {
            return Err(Problem::plain("the emulator needs a warm-up of known length: run.warm_up = \"0 s\"").into());
        };
        let from = Time::ZERO + warm_up;
        let end = from + scenario.run().duration;
        let steps = steps(&site, seed, from, end);
        let path = Path { scenario, site: &site, fabric: &fabric };
        let [forward, reverse] =
            [probe.connection, probe.connection ^ 1].map(|connection| path.direction(connection, &steps));
        Ok(EmulatedPath { directions: [forward?, reverse?], end })
    }
}

/// What happens to links, in order of time.
fn steps(site: &Site, seed: u64, from: Time, end: Time) -> Vec<(Time, u32, LinkChange)> {
    let Some(plan) = &site.events else { return Vec::new() };
    let mut timed = Timed::new(plan, &Streams::new(seed, 0), from, end);
    // in the order in which they were scheduled, where several happen at once
    let mut due: BTreeMap<(Time, usize), _> = BTreeMap::new();
    let mut scheduled = 0;
    let mut next = timed.begin();
    let mut steps = Vec::new();
    loop {
        for (at, step) in next.drain(..) {
            due.insert((at, scheduled), step);
            scheduled += 1;
        }
        let Some(((now, _), step)) = due.pop_first().filter(|((now, _), _)| *now < end) else { return steps };
        let (following, effects) = timed.take(now, step);
        steps.extend(effects.filter_map(|effect| match effect {
            Effect::Link(port, [change, _]) => Some((now, port, change)),
            Effect::Sending(..) => None,
        }));
        next.extend(following);
    }
}

struct Path<'a> {
    scenario: &'a Scenario,
    site: &'a Site,
    fabric: &'a Settings,
}

impl Path<'_> {
    fn direction(&self, connection: u32, steps: &[(Time, u32, LinkChange)]) -> Result<OneWay, Problems> {
        let route = &self.site.topology.routes[connection as usize];
        let mut links: Vec<PathLink> = route.iter().map(|&port| self.link(port)).collect();
        let slowest = links.iter().filter(|link| link.conditions.rate.is_some());
        // a link with a trace counts as the slowest, whatever its rate is now and then
        let by_rate = |link: &&PathLink| (self.trace(link.port).is_none(), link.conditions.rate);
        let slowest = slowest.min_by_key(by_rate).map_or(route[0], |link| link.port);
        self.refuse(route, slowest)?;
        let forwarding = self.forwarding(route);
        let initially = in_series(&links, forwarding);
        let mut changes: Vec<(Time, Conditions)> = Vec::new();
        for &(at, port, change) in steps {
            let Some(link) = links.iter_mut().find(|link| link.port == port) else { continue };
            link.change(change);
            changes.pop_if(|(last, _)| *last == at);
            changes.push((at, in_series(&links, forwarding)));
        }
        let settings = &self.fabric.ports[slowest as usize];
        let limit = settings.queue.limit;
        let framing = settings.link.framing;
        let largest = u64::from(settings.link.mtu + framing.overhead);
        let queue = limit.octets.min(u64::from(limit.packets).saturating_mul(largest));
        let trace = self.trace(slowest).cloned();
        let beside = trace.as_ref().and_then(|trace| trace.header()).unwrap_or(framing.overhead);
        Ok(OneWay { initially, changes, queue, trace, overhead: u64::from(UDP_HEADERS + beside) })
    }

    fn trace(&self, port: u32) -> Option<&Arc<RateTrace>> {
        self.fabric.ports[port as usize].link.trace.as_ref()
    }

    fn link(&self, port: u32) -> PathLink {
        let (line, settings) = (&self.site.topology.ports[port as usize], &self.fabric.ports[port as usize].link);
        let conditions = Conditions {
            is_up: true,
            delay: line.propagation,
            jitter: settings.jitter.most().unwrap_or_default(),
            loss: settings.loss,
            rate: (!settings.unlimited).then_some(line.rate),
        };
        PathLink { port, outage: Outage::default(), conditions }
    }

    /// The forwarding delays of the routers on a route.
    fn forwarding(&self, route: &[u32]) -> Duration {
        let routers = route[1..].iter().map(|port| self.site.topology.ports[*port as usize].from);
        routers.fold(Duration::ZERO, |sum, router| sum + self.fabric.latencies[router as usize])
    }

    /// What one link with a FIFO queue cannot stand for.
    fn refuse(&self, route: &[u32], slowest: u32) -> Result<(), Problems> {
        let mut problems = Problems::new();
        let queue = &self.fabric.ports[slowest as usize].queue;
        if queue.discipline != Discipline::Fifo || queue.shaping.is_some() || queue.early.is_some() {
            let (table, name) = self.medium(slowest);
            let message = format!("the emulator has a FIFO queue with tail drop, and that of `{name}` is another");
            let help = format!("--set medium.{name}.queue.kind=fifo, and no token bucket or early detection");
            problems.push(self.scenario.problem(table, "queue", message, Some(help)));
        }
        let mut traced = route.iter().filter(|port| self.trace(**port).is_some());
        if let Some(&port) = traced.nth(1) {
            let (table, name) = self.medium(port);
            let message =
                format!("`{name}` is the second link with a rate trace on the path, and the emulator has one");
            problems.push(self.scenario.problem(table, "rate_trace", message, None));
        }
        let jitter = |port: &u32| &self.fabric.ports[*port as usize].link.jitter;
        if let Some(&port) = route.iter().find(|port| !matches!(jitter(port), RandomTime::Uniform(..))) {
            let (table, _) = self.medium(port);
            let message = "the emulator delays packets by a uniform time, and by no other distribution";
            problems.push(self.scenario.problem(table, "jitter", message, None));
        }
        let jitters = |port: &u32| !jitter(port).is_zero();
        let jittery: Vec<u32> = route.iter().copied().filter(jitters).collect();
        if let [_, second, ..] = jittery[..] {
            let (table, name) = self.medium(second);
            let message = format!("`{name}` is the second link with jitter on the path, and the emulator has one");
            problems.push(self.scenario.problem(table, "jitter", message, None));
        }
        if let Some(&port) = jittery.iter().find(|port| self.fabric.ports[**port as usize].link.reorders) {
            let (table, _) = self.medium(port);
            let message = "the emulator keeps packets in order whatever their jitter".to_owned();
            problems.push(self.scenario.problem(table, "reordering", message, None));
        }
        problems.or(())
    }

    /// The table of the medium that a port sends on, and its name.
    fn medium(&self, port: u32) -> (&sojourn_scenario::Table, &str) {
        let table = medium_of(self.scenario, self.site, port);
        (table, table.name())
    }
}

impl PathLink {
    fn change(&mut self, change: LinkChange) {
        let conditions = &mut self.conditions;
        match change {
            LinkChange::Up(_) | LinkChange::Power(..) => {
                self.outage.change(change);
                conditions.is_up = !self.outage.is_on();
            }
            LinkChange::Rate(rate) => conditions.rate = Some(rate),
            LinkChange::Propagation(delay) => conditions.delay = delay,
            LinkChange::Loss(loss) => conditions.loss = loss,
            LinkChange::Jitter(jitter) => conditions.jitter = jitter.expect("it is a time, or refused"),
        }
    }
}

/// Links in series as one.
fn in_series(links: &[PathLink], forwarding: Duration) -> Conditions {
    let all = || links.iter().map(|link| &link.conditions);
    Conditions {
        is_up: all().all(|link| link.is_up),
        delay: all().fold(forwarding, |sum, link| sum + link.delay),
        jitter: all().fold(Duration::ZERO, |sum, link| sum + link.jitter),
        loss: 1.0 - all().map(|link| 1.0 - link.loss).product::<f64>(),
        rate: all().filter_map(|link| link.rate).min(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITES: &str = r#"
        [network]
        kind = "ip"

        [[medium]]
        name = "office"
        rate = "100 Mbit/s"

        [[medium]]
        name = "backbone"
        rate = "10 Mbit/s"
        delay = "5 ms"
        loss = "1 %"
        queue = { kind = "fifo", limit_bytes = "30 kB" }

        [[station]]
        name = "operator"
        on = "office"

        [[station]]
        name = "west"
        type = "router"
        forwarding_delay = "100 us"
        on = ["office", "backbone"]

        [[station]]
        name = "controller"
        on = "backbone"

        [probe]
        from = "operator"
        to = "controller"
        size = "200 B"
        think = "50 ms"

        [run]
        duration = "1 min"
        warm_up = "5 s"
    "#;

    fn path(events: &str) -> Result<EmulatedPath, String> {
        let scenario = crate::NETWORKS.checked(&format!("{SITES}{events}"), &[]);
        EmulatedPath::of(&scenario, 1).map_err(|problems| problems.render(false, 120))
    }

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn links_in_series_are_one_with_the_rate_and_queue_of_the_slowest() {
        let path = path("").unwrap();
        let [forward, reverse] = &path.directions;
        let expected = Conditions {
            is_up: true,
            // two cables of 10 m beside the delay and the router
            delay: Duration::from_nanos(5_100_100),
            jitter: Duration::ZERO,
            loss: 0.01,
            rate: Some(10_000_000),
        };
        for direction in [forward, reverse] {
            let Conditions { loss, .. } = direction.initially;
            assert!((loss - 0.01).abs() < 1e-12);
            assert_eq!(Conditions { loss: 0.01, ..direction.initially }, expected);
            assert_eq!((direction.queue, direction.changes.len()), (30_000, 0));
        }
        assert_eq!(path.end, at(65));
    }

    #[test]
    fn events_of_media_routers_and_keys_change_both_directions_when_they_do_in_the_simulation() {
        let path = path(
            r#"
            [[event]]
            name = "outage"
            at = "10 s"
            duration = "3 s"
            media = "backbone"
            action = "down"

            [[event]]
            name = "no-power"
            at = "12 s"
            duration = "5 s"
            stations = "west"
            action = "power-down"

            [[event]]
            name = "detour"
            at = "30 s"
            duration = "10 s"
            action = "set"
            set = { "medium.backbone.delay" = "50 ms", "medium.backbone.rate" = "2 Mbit/s" }
            "#,
        )
        .unwrap();
        for direction in &path.directions {
            let seen: Vec<(u64, bool, u64, Option<u64>)> = { direction.changes.iter() }
                .map(|(at, link)| {
                    (
                        at.since(Time::ZERO).picoseconds() / 1_000_000_000_000,
                        link.is_up,
                        link.delay.picoseconds() / 1_000_000,
                        link.rate,
                    )
                })
                .collect();
            let (fast, slow) = (Some(10_000_000), Some(2_000_000));
            let expected = [
                (10, false, 5100, fast),
                (12, false, 5100, fast),
                (13, false, 5100, fast),
                (17, true, 5100, fast),
                (30, true, 50_100, slow),
                (40, true, 5100, fast),
            ];
            assert_eq!(seen, expected);
        }
    }

    #[test]
    fn random_failures_happen_until_the_end_of_the_run_and_with_the_same_seed_at_the_same_times() {
        let failures = r#"
            [[event]]
            name = "failures"
            mean_time_between = "5 s"
            mean_time_to_repair = "1 s"
            media = "backbone"
            action = "down"
        "#;
        let [one, other] = [path(failures).unwrap(), path(failures).unwrap()];
        assert_eq!(one, other);
        let changes = &one.directions[0].changes;
        assert!(changes.len() >= 4 && changes.iter().all(|(time, _)| (at(5)..at(65)).contains(time)), "{changes:?}");
        assert!(changes.iter().step_by(2).all(|(_, link)| !link.is_up));
    }

    #[test]
    fn what_one_link_with_a_fifo_queue_cannot_stand_for_is_refused_where_it_is_written() {
        let refused = |key: &str, value: &str| {
            let scenario = crate::NETWORKS.checked(SITES, &[(key, value)]);
            EmulatedPath::of(&scenario, 1).unwrap_err().render(false, 120)
        };
        assert!(refused("medium.backbone.queue", "{ kind = \"codel\" }").contains("that of `backbone` is another"));
        let scenario =
            crate::NETWORKS.checked(SITES, &[("medium.office.jitter", "1 ms"), ("medium.backbone.jitter", "1 ms")]);
        let text = EmulatedPath::of(&scenario, 1).unwrap_err().render(false, 120);
        assert!(text.contains("`backbone` is the second link with jitter"), "{text}");
    }
}
