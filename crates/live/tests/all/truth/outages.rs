//! Outages, against the emulator's record of what passed.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration as Span;

use sojourn_core::{Duration, Time};
use sojourn_live::Listening;
use sojourn_live::agent_settings::AgentSettings;
use sojourn_live::emulator::{Impairment, Path};
use sojourn_live::prober::plan::TimedTest;
use sojourn_metrics::results::OutageSummary;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::wire::Kind;

use super::network::{Emulated, Emulator, delayed, measure, measure_url, plan};
use crate::agent::{Agent, KEY, keyed};
use crate::namespaces::{BEHIND, FAR, Namespaces, Routed};
use crate::waiting::free_port;

/// Interval of the requests in [`plan`].
const INTERVAL_S: f64 = 0.005;
/// Timeout of the measurements.
const TIMEOUT: Duration = Duration::from_secs(1);

/// A measurement with an outage, with the outages that were reported and the one that was recorded, from begin to end in
/// seconds since the first request.
pub struct Interrupted {
    pub emulated: Emulated,
    pub reported: Vec<OutageSummary>,
    pub recorded: [f64; 2],
}

impl Interrupted {
    fn of(emulated: Emulated) -> Interrupted {
        let experiment = &emulated.measured.experiments[0];
        assert_eq!(experiment.failure, None, "{:?}", emulated.measured.warnings);
        let (reported, recorded) = (experiment.outages.clone(), recorded(&emulated));
        Interrupted { emulated, reported, recorded }
    }

    /// Holds the report against the record: within a request interval at its begin, and the timeout at its end.
    fn check(&self) {
        let [outage] = &self.reported[..] else { panic!("one outage: {:?}", self.reported) };
        let [begin, end] = self.recorded;
        let (reported, most) = (outage.end.expect("it ended"), INTERVAL_S + TIMEOUT.seconds());
        assert!((outage.begin - begin).abs() <= most, "begin {} reported, {begin} recorded", outage.begin);
        assert!((reported - end).abs() <= most, "end {reported} reported, {end} recorded");
        let lost = self.emulated.record("idle").total("failures");
        assert!(lost >= outage.requests, "{lost} lost, {} of them in the outage", outage.requests);
    }
}

/// The longest time without a request that was answered: from the request after the last answered one to the next answered
/// one, in seconds since the first request passed.
fn recorded(emulated: &Emulated) -> [f64; 2] {
    let replies = emulated.truth.of_kind(Kind::Reply, false);
    let replied: BTreeSet<u64> =
        replies.iter().filter(|(_, passed)| !passed.delivered.is_empty()).map(|(number, _)| *number).collect();
    let probes = emulated.truth.of_kind(Kind::Probe, true);
    let first = probes[0].1.arrived;
    let answered: Vec<f64> = probes
        .iter()
        .filter(|(number, _)| replied.contains(number))
        .map(|(_, passed)| passed.arrived.since(first).seconds())
        .collect();
    let longest = answered.windows(2).max_by(|one, other| (one[1] - one[0]).total_cmp(&(other[1] - other[0])));
    longest.map(|gap| [gap[0] + INTERVAL_S, gap[1]]).expect("requests were answered")
}

pub fn with_timeout(ms: u64) -> TimedTest {
    TimedTest { timeout: TIMEOUT, ..plan(ms) }
}

/// A path on which nothing passes for a time, from half of a measurement of `ms` on.
pub fn outage(ms: u64, lasts: Span) -> Interrupted {
    let begin = Time::ZERO + Duration::from_millis(ms / 2);
    let outage = begin..begin + Duration::from_millis(lasts.as_millis() as u64);
    let silent = Impairment::from(delayed(20)).with_outage(outage);
    Interrupted::of(measure(&Path::both(silent, 8), with_timeout(ms)))
}

/// The client's link goes down for a time in the middle of a measurement; `None` without the rights to.
pub fn link_down(ms: u64, lasts: Span) -> Option<Interrupted> {
    let namespaces = Namespaces::create("flap")?;
    let (agent, emulator) = namespaces.far(|| {
        let agent = Agent::start(AgentSettings::default());
        let here = format!("{}:0", FAR[0]).parse().unwrap();
        let emulator = Emulator::start(here, agent.address, &Path::both(delayed(20), 9));
        (agent, emulator)
    });
    let url = format!("sojourn://{}", emulator.address);
    let measured = std::thread::scope(|scope| {
        let measuring = scope.spawn(|| namespaces.near(|| measure_url(&url, with_timeout(ms))));
        std::thread::sleep(Span::from_millis(ms / 2));
        namespaces.set_near_link("down");
        std::thread::sleep(lasts);
        namespaces.set_near_link("up");
        measuring.join().unwrap()
    });
    let truth = emulator.end();
    agent.stop();
    Some(Interrupted::of(Emulated { measured, truth }))
}

/// An agent that ends in the middle of a measurement, and is started again after a time.
pub fn restart(ms: u64, lasts: Span) -> Interrupted {
    let url = format!("sojourn://127.0.0.1:{}", free_port());
    let listening = || Listening { agent: Some(AgentSettings::default()), ..Listening::default() };
    let agent = Agent::at(&url, listening());
    let emulator = Emulator::start("127.0.0.1:0".parse().unwrap(), agent.address, &Path::both(delayed(20), 10));
    let through = format!("sojourn://{}", emulator.address);
    let (measured, agent) = std::thread::scope(|scope| {
        let measuring = scope.spawn(|| measure_url(&through, with_timeout(ms)));
        std::thread::sleep(Span::from_millis(ms / 2));
        agent.stop();
        std::thread::sleep(lasts);
        let again = Agent::at(&url, listening());
        (measuring.join().unwrap(), again)
    });
    let truth = emulator.end();
    agent.stop();
    Interrupted::of(Emulated { measured, truth })
}

/// A router answers with ICMP unreachable for a time in the middle of a measurement, over IPv4 and IPv6; `None` without the
/// rights to.
pub fn unreachable(ms: u64, lasts: Span) -> Option<Vec<Interrupted>> {
    let network = Routed::create("icmp")?;
    let servers = network.far(|| {
        BEHIND.map(|address| {
            let address: IpAddr = address.parse().unwrap();
            let agent = Agent::at(
                &format!("sojourn://{}", SocketAddr::new(address, 0)),
                Listening { agent: Some(keyed()), ..Listening::default() },
            );
            let here = SocketAddr::new(address, 0);
            let emulator = Emulator::start(here, agent.address, &Path::both(delayed(20), 12));
            (agent, emulator)
        })
    });
    let measure = |emulator: &Emulator| {
        let plan = TimedTest { key: Some(Key::new(KEY)), ..with_timeout(ms) };
        network.near(|| measure_url(&format!("sojourn://{}", emulator.address), plan))
    };
    let measured = std::thread::scope(|scope| {
        let measuring = servers.each_ref().map(|(_, emulator)| scope.spawn(|| measure(emulator)));
        std::thread::sleep(Span::from_millis(ms / 2));
        network.set_unreachable(true);
        std::thread::sleep(lasts);
        network.set_unreachable(false);
        measuring.map(|measuring| measuring.join().unwrap())
    });
    let found = servers.into_iter().zip(measured).map(|((agent, emulator), measured)| {
        let truth = emulator.end();
        agent.stop();
        Interrupted::of(Emulated { measured, truth })
    });
    Some(found.collect())
}

/// The agent at every address of its host: the loss of each, reported and recorded. `None` without the rights to.
pub fn of_every_address(ms: u64) -> Option<Vec<(String, [u64; 2])>> {
    let namespaces = Namespaces::create("addresses")?;
    let listening = Listening { agent: Some(keyed()), ..Listening::default() };
    let agent = namespaces.far(|| Agent::at("sojourn://[::]:0", listening));
    let of_address = |address: &&str| {
        let server = format!("{address}:{}", agent.address.port()).parse().unwrap();
        let emulated = namespaces.near(|| {
            // connected: it takes replies from the address that was asked alone
            let here = if address.starts_with('[') { "[::1]:0" } else { "127.0.0.1:0" };
            let emulator = Emulator::start(here.parse().unwrap(), server, &Path::both(delayed(5), 11));
            let plan = TimedTest { key: Some(Key::new(KEY)), ..with_timeout(ms) };
            let measured = measure_url(&format!("sojourn://{}", emulator.address), plan);
            Emulated { measured, truth: emulator.end() }
        });
        let record = emulated.record("idle");
        let sent = record.distribution("lateness").count();
        let mut replies = emulated.truth.of_kind(Kind::Reply, false);
        replies.retain(|(number, passed)| *number < sent && !passed.delivered.is_empty());
        ((*address).to_owned(), [record.total("failures"), sent - replies.len() as u64])
    };
    let found = FAR.iter().map(of_address).collect();
    let reports = agent.stop();
    assert!(reports.iter().any(|report| report.ended.contains("peer=10.90.0.1:")), "logged by their addresses");
    assert!(reports.iter().all(|report| !report.ended.contains("::ffff:") && !report.peer.contains("::ffff:")));
    Some(found)
}

#[test]
fn an_outage_in_mid_run_is_listed_with_its_begin_and_end() {
    outage(8000, Span::from_secs(3)).check();
}

#[test]
fn a_link_that_goes_down_and_comes_up_again_is_listed_with_its_begin_and_end() {
    let Some(interrupted) = link_down(12_000, Span::from_secs(3)) else { return };
    interrupted.check();
    let cause = interrupted.reported[0].cause.as_deref();
    assert!(cause.is_some_and(|cause| cause.contains("unreachable")), "{cause:?}");
}

#[test]
fn a_router_that_answers_with_icmp_unreachable_does_not_end_the_measurement_and_is_the_cause_of_the_outage() {
    for interrupted in unreachable(12_000, Span::from_secs(3)).unwrap_or_default() {
        interrupted.check();
        assert_eq!(interrupted.reported[0].cause.as_deref(), Some("host unreachable"));
    }
}

#[test]
fn an_agent_that_restarts_is_measured_on_and_its_absence_is_listed() {
    let interrupted = restart(8000, Span::from_secs(2));
    interrupted.check();
    let warnings = &interrupted.emulated.measured.warnings;
    assert!(warnings.iter().any(|warning| warning.contains("was opened again")), "{warnings:?}");
}

#[test]
fn an_agent_replies_from_each_address_of_its_host_that_is_asked() {
    for (address, [reported, recorded]) in of_every_address(500).unwrap_or_default() {
        assert_eq!((reported, recorded), (0, 0), "{address}");
    }
}
