//! Requests over a TCP connection of the session: the same metrics, schedules and limits, and the failure where
//! there is none.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_live::agent_settings::AgentSettings;
use sojourn_live::emulator::{Path, datagrams};
use sojourn_live::io::datagrams::Marking;
use sojourn_live::prober::plan::{Direction, LoadTransport, Phase, RequestTransport, TimedTest};
use sojourn_live::prober::schedule::Schedule;
use sojourn_live::prober::voice::Voice;
use sojourn_live::{Listening, Measurement, Watch, find};
use sojourn_metrics::record::Record;
use sojourn_protocols::authentication::Key;

use super::measuring::{load, loaded, measure, only, plan as over_udp, watched};
use crate::agent::{Agent, KEY, keyed, lines, open, sessions};
use crate::waiting::until;

fn plan() -> TimedTest {
    TimedTest { transport: RequestTransport::Tcp, ..over_udp() }
}

#[test]
fn the_metrics_are_those_of_requests_over_udp() {
    for (settings, key) in [(keyed(), Some(Key::new(KEY))), (open(), None)] {
        let agent = Agent::start(settings);
        let [udp, tcp] =
            [over_udp(), plan()].map(|plan| measure(agent.address, TimedTest { key: key.clone(), ..plan }));
        let [udp, tcp] = [&udp, &tcp].map(|measured| &only(measured, "idle").records[0]);
        // the budget needs the kernel's stamps, which are taken of datagrams; TCP knows what it sent again, and how long
        // acknowledgements take
        let of_one = ["delay_budget", "unknown_residence", "retransmissions", "srtt"];
        // losses and drops of a stream are not counted
        let counted = ["loss/", "duplicates/", "reordering/", "socket_drops/"];
        let is_of_both =
            |name: &&String| !of_one.contains(&name.as_str()) && !counted.iter().any(|prefix| name.starts_with(prefix));
        let names = |record: &Record| -> Vec<String> { record.metrics.keys().filter(is_of_both).cloned().collect() };
        assert_eq!(names(udp), names(tcp));
        assert!(of_one.map(|name| udp.metrics.contains_key(name)) == [true, true, false, false]);
        assert!(of_one.map(|name| tcp.metrics.contains_key(name)) == [false, false, true, true]);
        assert!(tcp.value("srtt") > 0.0);
        assert_eq!((tcp.distribution("response_time").count(), tcp.value("loss")), (100, 0.0));
        // the agent reports when a request came, and how long it had the one before
        let forward = tcp.distribution("one_way_delay/forward");
        assert!(forward.count() == 100 && tcp.value("clock_error") > 0.0);
        assert!(forward.quantile(0.5).unwrap() < tcp.distribution("response_time").quantile(0.5).unwrap());
        let reports = agent.stop();
        assert!(lines(&reports, "stream")[0].contains("direction=Echo"));
        let counts: Vec<_> = sessions(&reports).iter().map(|session| session.counts["stream_octets_in"]).collect();
        assert_eq!(counts, [0, 6464], "all went over the connection, and one that asks for the last residence time");
    }
}

#[test]
fn requests_leave_by_every_schedule_and_a_closed_loop_takes_any_size() {
    let settings = Some(AgentSettings::default());
    let agent = Agent::at("sojourn://[::1]:0", Listening { agent: settings, ..Listening::default() });
    let millisecond = Duration::from_millis(1);
    // a second's worth of the largest that do not wait for answers finds room where it waits to be sent
    let schedules = [
        (Schedule::Poisson { mean: millisecond.times(5) }, 16_384, 100),
        (Schedule::Burst { size: 20, interval: millisecond.times(100) }, 16_384, 100),
        (Schedule::PingPong { think: millisecond, spread: Duration::ZERO }, 65_507, 1),
    ];
    for (schedule, largest, least) in schedules {
        let measured = measure(agent.address, TimedTest { schedule, sizes: vec![64, 4096, largest], ..plan() });
        assert_eq!(measured.experiments.len(), 3, "{:?}", measured.warnings);
        for experiment in &measured.experiments {
            let record = &experiment.records[0];
            let answered = record.distribution("response_time").count();
            assert!(answered >= least && experiment.failure.is_none(), "{schedule:?}: {answered} {experiment:?}");
            assert_eq!(record.value("loss"), 0.0, "{schedule:?}");
        }
    }
    agent.stop();
}

#[test]
fn requests_and_load_use_separate_connections_that_count_together() {
    let mut settings = keyed();
    settings.rules.limits.streams = 2;
    let agent = Agent::start(settings);
    let pace = Some(20_000_000);
    let tcp = load(LoadTransport::Tcp { congestion: None, pace }, Direction::Up);
    let plan = TimedTest { transport: RequestTransport::Tcp, key: Some(Key::new(KEY)), ..loaded(vec![tcp.clone()]) };
    let measured = measure(agent.address, plan.clone());
    let record = &only(&measured, "loaded").records[0];
    assert!(record.value("throughput/tcp-up-1") > 0.0 && record.value("loss") == 0.0, "{:?}", measured.warnings);
    let measured = measure(agent.address, TimedTest { loads: vec![tcp.clone(), tcp], ..plan });
    let failure = measured.experiments[0].failure.clone().unwrap();
    assert!(failure.contains("2 TCP connections, requested 3"), "{failure}");
    agent.stop();
}

#[test]
fn partial_results_are_kept_when_the_agent_stops() {
    let agent = Agent::start(AgentSettings::default());
    let address = agent.address;
    let phase = Phase { name: "idle", duration: Duration::from_secs(600), loaded: false, recorded: true };
    let watch = Watch::new();
    let measured = std::thread::scope(|scope| {
        let plan = TimedTest { phases: vec![phase], outage_limit: Some(Duration::from_secs(2)), ..plan() };
        let measuring = scope.spawn(|| watched(address, plan, &watch));
        until("fifty answers", || watch.standing().filter(|standing| standing.phases[0].answered >= 50));
        agent.stop();
        measuring.join().unwrap()
    });
    let experiment = &measured.experiments[0];
    let failure = experiment.failure.as_deref().unwrap();
    assert!(
        failure.contains("over TCP became unreachable") && failure.contains("partial results are kept"),
        "{failure}"
    );
    assert!(experiment.records[0].distribution("response_time").count() >= 50);
    assert!(measured.warnings.iter().any(|warning| warning.contains("the agent closed the session")));
}

#[test]
fn a_measurement_over_tcp_connects_again_after_a_restart_of_the_agent() {
    let measured = super::measuring::across_a_restart(TimedTest { timeout: Duration::from_secs(1), ..plan() });
    let experiment = only(&measured, "idle");
    assert_eq!(experiment.outages.len(), 1, "{:?}", experiment.outages);
    assert!(experiment.outages[0].end.is_some());
}

#[test]
fn a_path_that_blocks_tcp_alone_is_reported_with_the_tcp_port() {
    let agent = Agent::start(AgentSettings::default());
    let relay = datagrams::Relay::open("127.0.0.1:0".parse().unwrap(), agent.address, &Path::default()).unwrap();
    let (address, watch) = (relay.address().unwrap(), Arc::new(Watch::new()));
    let shared = watch.clone();
    let running = std::thread::spawn(move || relay.run(&shared));
    let failure = measure(address, plan()).experiments[0].failure.clone().unwrap();
    watch.cancel();
    running.join().unwrap();
    assert!(failure.contains("responds over UDP, but TCP connections are refused: if a firewall"), "{failure}");
    let reports = agent.stop();
    assert_eq!(sessions(&reports)[0].ended, "the client closed it");
}

#[test]
fn options_that_tcp_does_not_support_are_refused() {
    for (url, transport) in
        [("sojourn://127.0.0.1", RequestTransport::Tcp), ("tcp-echo://127.0.0.1", RequestTransport::Udp)]
    {
        let (of_url, target) = find(url).unwrap();
        let refused = |plan: TimedTest| {
            let measurement = Measurement::timed(TimedTest { transport, ..plan });
            of_url.measure(&target, measurement).map(drop).unwrap_err().0[0].message.clone()
        };
        let voice = Some(Voice::default());
        assert!(refused(TimedTest { voice, ..plan() }).starts_with("--voice needs datagrams"));
        let marking = Marking { ecn: 2, ..Marking::default() };
        assert!(refused(TimedTest { marking, ..plan() }).starts_with("--ecn marks datagrams"));
    }
}
