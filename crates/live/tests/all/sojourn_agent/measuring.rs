//! A measurement against an agent of this host: requests, load in both directions, and the failure where there is none.

use std::net::SocketAddr;

use sojourn_core::Duration;
use sojourn_live::agent_settings::AgentSettings;
use sojourn_live::io::datagrams::Marking;
use sojourn_live::prober::pacer::Pacing;
use sojourn_live::prober::plan::{Direction, Load, LoadTransport, Phase, TimedTest};
use sojourn_live::prober::schedule::Schedule;
use sojourn_live::transport::NoFrames;
use sojourn_live::{Experiment, Listening, Measured, Measurement, Watch, find};
use sojourn_metrics::record::Observation;
use sojourn_protocols::authentication::Key;

use crate::agent::{Agent, KEY, keyed};
use crate::waiting::until;

pub fn plan() -> TimedTest {
    let phase = Phase { name: "idle", duration: Duration::from_secs(1), loaded: false, recorded: true };
    let schedule = Schedule::Periodic { interval: Duration::from_millis(10) };
    // nothing is lost on a loopback, however long the machine stands still
    TimedTest {
        pacing: Some(Pacing::Sleep),
        timeout: Duration::from_secs(20),
        ..TimedTest::new(schedule, 64, vec![phase])
    }
}

pub fn loaded(loads: Vec<Load>) -> TimedTest {
    let phase = |name, loaded, duration_ms| Phase {
        name,
        duration: Duration::from_millis(duration_ms),
        loaded,
        recorded: true,
    };
    let phases = vec![phase("idle", false, 500), phase("loaded", true, 2500), phase("recovery", false, 500)];
    TimedTest { phases, loads, ..plan() }
}

pub fn load(transport: LoadTransport, direction: Direction) -> Load {
    Load { name: None, transport, direction, streams: 1, dscp: 0, start: Duration::ZERO, stop: None }
}

pub fn measure(address: SocketAddr, plan: TimedTest) -> Measured {
    watched(address, plan, &Watch::new())
}

pub fn watched(address: SocketAddr, plan: TimedTest, watch: &Watch) -> Measured {
    let (transport, target) = find(&format!("sojourn://{address}")).unwrap();
    let measurement = Measurement::timed(plan);
    transport.measure(&target, measurement).unwrap()(watch, &mut NoFrames)
}

pub fn only<'m>(measured: &'m Measured, name: &str) -> &'m Experiment {
    let experiment = measured.experiments.iter().find(|experiment| experiment.name == name).unwrap();
    assert_eq!(experiment.failure, None, "{:?}", measured.warnings);
    experiment
}

#[test]
fn every_request_is_answered_and_both_hosts_delays_are_reported() {
    let agent = Agent::start(keyed());
    let measured = measure(agent.address, TimedTest { key: Some(Key::new(KEY)), ..plan() });
    let record = &only(&measured, "idle").records[0];
    assert_eq!(record.distribution("response_time").count(), 100);
    assert_eq!(record.value("loss"), 0.0);
    assert!(record.distribution("path_time").max() < record.distribution("response_time").max());
    let Some(Observation::Budget(budget)) = record.metrics.get("delay_budget") else { panic!("a budget") };
    assert_eq!(budget.count(), 100, "the agent reports of every reply when it left, also of the last ones");
    assert_eq!(record.distribution("path_time").count(), 100);
    assert_eq!(record.metrics["unknown_residence"], Observation::Count(0));
    // both ends have the clock of this host, started at different times: the one-way delay is part of the response time
    let longest = |name: &str| record.distribution(name).max().unwrap().seconds();
    let (forward, both, error) =
        (longest("one_way_delay/forward"), longest("response_time"), record.value("clock_error"));
    assert!(error > 0.0 && forward <= 1.5 * both + error, "{forward} of {both}, wrong by {error} at most");
    assert!(!record.metrics.contains_key("clock_offset"), "an agent's clock counts from the agent's start");
}

#[test]
fn residence_times_of_back_to_back_replies_are_nearly_all_reported() {
    let agent = Agent::start(keyed());
    // again where the machine stood still: what waited meanwhile is reported in part
    until("a run of which nearly all is reported", || {
        let schedule = Schedule::Periodic { interval: Duration::from_millis(1) };
        let measured = measure(agent.address, TimedTest { key: Some(Key::new(KEY)), schedule, ..plan() });
        let record = &only(&measured, "idle").records[0];
        let Some(Observation::Budget(budget)) = record.metrics.get("delay_budget") else { panic!("a budget") };
        let answered = record.distribution("response_time").count();
        (answered > 900 && budget.count() + 100 > answered).then_some(())
    });
}

#[test]
fn congestion_marks_are_echoed_and_counted_for_ecn_capable_requests() {
    let agent = Agent::start(keyed());
    let marks = |ecn| {
        let marking = Marking { ecn, ..Marking::default() };
        let measured = measure(agent.address, TimedTest { key: Some(Key::new(KEY)), marking, ..plan() });
        let record = &only(&measured, "idle").records[0];
        assert_eq!(record.value("loss"), 0.0);
        record.metrics.get("marks").cloned()
    };
    // sent as if a queue had marked it: no queue of the loopback would
    assert_eq!(marks(3), Some(Observation::Count(100)));
    assert_eq!(marks(2), Some(Observation::Count(0)), "ECN-capable, and nothing was congested");
    assert_eq!(marks(0), None, "what is not ECN-capable cannot be marked");
}

#[test]
fn tcp_load_is_carried_in_the_loaded_phase_only() {
    let agent = Agent::start(AgentSettings::default());
    let pace = Some(40_000_000);
    let tcp = |direction| load(LoadTransport::Tcp { congestion: Some("reno".to_owned()), pace }, direction);
    let measured = measure(agent.address, loaded(vec![tcp(Direction::Up), tcp(Direction::Down)]));
    let record = &only(&measured, "loaded").records[0];
    for name in ["throughput/tcp-up-1", "throughput/tcp-down-2"] {
        assert!(record.value(name) > 0.0, "{name}: {:?}", measured.warnings);
    }
    for name in ["idle", "recovery"] {
        let record = &only(&measured, name).records[0];
        assert_eq!(record.metrics["throughput"], Observation::NotApplicable);
    }
}

#[test]
fn udp_load_is_carried_in_both_directions() {
    let agent = Agent::start(AgentSettings::default());
    let udp = |direction| load(LoadTransport::Udp { rate: 4_000_000, octets: 500 }, direction);
    let measured = measure(agent.address, loaded(vec![udp(Direction::Up), udp(Direction::Down)]));
    let record = &only(&measured, "loaded").records[0];
    for name in ["throughput/udp-up-1", "throughput/udp-down-2"] {
        assert!(record.value(name) > 0.0, "{name}: {:?}", measured.warnings);
    }
    assert!((0.0..1.0).contains(&record.value("loss/load")));
}

#[test]
fn a_stream_that_cannot_be_opened_is_reported() {
    let agent = Agent::start(AgentSettings::default());
    let tcp = LoadTransport::Tcp { congestion: Some("nosuch".to_owned()), pace: None };
    let measured = measure(agent.address, loaded(vec![load(tcp, Direction::Up)]));
    let failure = measured.experiments.iter().find_map(|experiment| experiment.failure.as_deref());
    assert!(failure.is_some_and(|text| text.contains("this host has no congestion control `nosuch`")), "{failure:?}");
}

#[test]
fn a_wrong_key_and_an_absent_agent_are_distinguished() {
    let agent = Agent::start(keyed());
    let reason = |measured: Measured| measured.experiments[0].failure.clone().unwrap();
    let wrong = measure(agent.address, TimedTest { key: Some(Key::new(b"another key, and a long one")), ..plan() });
    let wrong = reason(wrong);
    assert!(wrong.contains("it has another key"), "{wrong}");
    let address = agent.address;
    agent.stop();
    let absent = reason(measure(address, plan()));
    assert!(absent.starts_with("no agent at") && absent.contains("start one there: sojourn agent"), "{absent}");
}

/// Measures for six seconds, of which the agent is down for about two.
pub fn across_a_restart(plan: TimedTest) -> Measured {
    let agent = Agent::start(AgentSettings::default());
    let address = agent.address;
    let phase = Phase { name: "idle", duration: Duration::from_secs(8), loaded: false, recorded: true };
    let watch = Watch::new();
    std::thread::scope(|scope| {
        let measuring = scope.spawn(|| watched(address, TimedTest { phases: vec![phase], ..plan }, &watch));
        until("fifty answers", || watch.standing().filter(|standing| standing.phases[0].answered >= 50));
        agent.stop();
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let again = Agent::at(&format!("sojourn://{address}"), Listening::default());
        let measured = measuring.join().unwrap();
        again.stop();
        measured
    })
}

#[test]
fn a_session_is_opened_again_after_a_restart_of_the_agent() {
    let measured = across_a_restart(TimedTest { timeout: Duration::from_secs(1), ..plan() });
    let experiment = only(&measured, "idle");
    let [outage] = &experiment.outages[..] else { panic!("one outage: {:?}", experiment.outages) };
    assert!(outage.end.is_some() && outage.duration < 4.5, "{outage:?}");
    assert_eq!(outage.cause.as_deref(), Some("no listener on that port (ICMP port unreachable)"));
    let record = &experiment.records[0];
    let lost = record.total("failures");
    assert_eq!(lost, outage.requests, "nothing else was lost");
    assert!(!record.metrics.contains_key("one_way_delay/forward"), "the agent's clock began anew");
    assert!(measured.warnings.iter().any(|warning| warning.contains("was opened again")), "{:?}", measured.warnings);
    assert!(!measured.warnings.iter().any(|warning| warning.contains("not responses")), "{:?}", measured.warnings);
}

#[test]
fn an_agent_at_all_addresses_answers_from_the_one_that_was_asked_and_sends_load_from_it() {
    for bound in ["0.0.0.0", "[::]"] {
        let agent =
            Agent::at(&format!("sojourn://{bound}:0"), Listening { agent: Some(keyed()), ..Listening::default() });
        let asked = SocketAddr::from(([127, 7, 8, 9], agent.address.port()));
        let udp = load(LoadTransport::Udp { rate: 2_000_000, octets: 500 }, Direction::Down);
        let measured = measure(asked, TimedTest { key: Some(Key::new(KEY)), ..loaded(vec![udp]) });
        let record = &only(&measured, "loaded").records[0];
        assert!(record.value("loss") == 0.0 && record.value("throughput") > 0.0, "{bound}: {:?}", measured.warnings);
        let reports = agent.stop();
        assert!(
            crate::agent::sessions(&reports).iter().all(|report| report.peer.starts_with("127.0.0.1:")),
            "{reports:?}"
        );
        assert!(
            crate::agent::lines(&reports, "opened")[0].contains("peer=127.0.0.1:"),
            "an IPv4 address is written as one"
        );
    }
}
