//! Converts a checked document to the plan of a transport, validated as far as is possible without the peer.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use sojourn_experiment::points::fingerprint;
use sojourn_live::io::cpu_idle::{self, CpuLatencyGuard};
use sojourn_live::io::host_clock;
use sojourn_live::prober::plan::{Direction, Load, LoadTransport, RequestTransport};
use sojourn_live::prober::request_log::run::PointLog;
use sojourn_live::prober::synchronized::Clocks;
use sojourn_live::transport::{Information, Measure, Measured};
use sojourn_live::{Measurement, OnAir, Probe, Target, Transport, find, key};
use sojourn_metrics::results::Setting;
use sojourn_scenario::{Problem, Problems, Scenario};

use super::document::MeasuredPoint;
use super::log;
use super::results::PointMeasured;
use super::timed::{replications, timed};
use super::traffic::{Traffic, ignored};

/// A point that can be measured.
pub struct Ready {
    /// The document and the values of the keys that vary.
    pub document: MeasuredPoint,
    /// Keys that a simulation obeys and real hosts do not; `None` without a `[probe]` between stations.
    simulated: Option<String>,
    transport: &'static dyn Transport,
    target: Target,
    measurement: Measurement,
}

impl Ready {
    /// Checks a point against its transport.
    pub fn new(point: MeasuredPoint) -> Result<Ready, Problems> {
        let scenario = &point.scenario;
        let Some(peer) = scenario.table("measure").optional_word("peer") else {
            let problem = Problem::plain("the document names no peer");
            return Err(problem.help("--peer sojourn://HOST, or peer = \"sojourn://HOST\" in [measure]").into());
        };
        let (transport, target) = find(peer)?;
        let information = transport.information();
        fits(scenario, information)?;
        let traffic = traffic(scenario)?;
        let measurement = match information {
            _ if information.is_timed => Measurement::timed(timed(scenario, traffic.as_ref())?),
            _ => counted(scenario, information)?,
        };
        if let (Some(_), Some(plan)) = (&traffic, &measurement.plan)
            && !plan.loads.is_empty()
            && !information.obeys("load")
        {
            let problem = Problem::plain(format!("{} carries no [background]", information.scheme));
            return Err(problem.help("measure against `sojourn agent`, or without: --set background.streams=0").into());
        }
        let simulated = traffic.as_ref().map(|traffic| ignored(scenario, traffic));
        Ok(Ready { simulated, transport, target, measurement, document: point })
    }

    /// The transport's row in the registry.
    pub fn information(&self) -> &'static Information {
        self.transport.information()
    }

    /// The peer.
    pub fn peer(&self) -> &Target {
        &self.target
    }

    /// What a reader of the results should know: how a measurement differs from a simulation of the same document, and what
    /// its load is.
    pub fn warnings(&self) -> Vec<String> {
        self.beside_simulation().into_iter().chain(self.congestion_control()).collect()
    }

    /// A TCP load of this host whose congestion control is the default, and another one than CUBIC.
    fn congestion_control(&self) -> Option<String> {
        let loads = &self.measurement.plan.as_ref()?.loads;
        let unnamed = |load: &Load| {
            matches!(load.transport, LoadTransport::Tcp { congestion: None, .. }) && load.direction == Direction::Up
        };
        let default = fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").ok()?;
        let default = default.trim();
        (loads.iter().any(unnamed) && default != "cubic").then(|| {
            format!("TCP load of this host is sent with its default congestion control, {default}: --load 'tcp:2,congestion=cubic' chooses one")
        })
    }

    fn beside_simulation(&self) -> Vec<String> {
        let Some(ignored) = &self.simulated else { return Vec::new() };
        let over_tcp = self.measurement.plan.as_ref().is_some_and(|plan| plan.transport == RequestTransport::Tcp);
        let tcp = "requests went over TCP, and a simulation of this scenario sends datagrams".to_owned();
        let keys = format!("keys of the simulated network that a real one does not obey: {ignored}");
        [(over_tcp, tcp), (!ignored.is_empty(), keys)].into_iter().filter(|(is, _)| *is).map(|(_, text)| text).collect()
    }

    /// What was measured as a point of results. A document with a `[probe]` between stations has the name and the hash of
    /// its simulation.
    pub fn point(&self, measured: Measured) -> PointMeasured {
        let (set, experiment, hash) = self.identity();
        PointMeasured { set, experiment, hash, measured }
    }

    /// What is planned for a timed test.
    pub fn planned(&self) -> Option<log::LoggedPoint> {
        let (set, experiment, hash) = self.identity();
        self.measurement.plan.as_ref().map(|plan| log::LoggedPoint::new(set, experiment, hash, plan))
    }

    /// Logs requests of a timed test.
    pub fn log_to(&mut self, log: Option<PointLog>) {
        if let Some(plan) = &mut self.measurement.plan {
            plan.log = log;
        }
    }

    /// The values of the keys that vary, the experiment's name if it is not that of a phase, and the hash of the document.
    fn identity(&self) -> (BTreeMap<String, Setting>, Option<String>, String) {
        let MeasuredPoint { experiment, set, scenario } = &self.document;
        let simulated = self.simulated.is_some();
        let text = if simulated { scenario.canonical_json() } else { scenario.canonical_measurement_json() };
        (set.clone(), simulated.then(|| experiment.clone()), fingerprint(&text))
    }

    /// Opens sockets, reads the key and takes hold of the processors' idle states; the closure measures.
    pub fn open(&self) -> Result<Measure, Problems> {
        let mut measurement = self.measurement.clone();
        if let Some(plan) = &mut measurement.plan {
            let measure = self.document.scenario.table("measure");
            let file = measure.optional_word("key_file").map(PathBuf::from);
            plan.key = key::find(file.as_deref())?;
            plan.clocks = with_own_error(plan.clocks)?;
            plan.no_cpu_idle = no_cpu_idle(measure.flag("no_cpu_idle"))?.map(Arc::new);
        }
        self.transport.measure(&self.target, measurement)
    }
}

/// Checks a document without asking for a peer.
pub fn check(point: MeasuredPoint) -> Result<(), Problems> {
    if point.scenario.table("measure").has("peer") {
        return Ready::new(point).map(drop);
    }
    let traffic = traffic(&point.scenario)?;
    if point.scenario.kind == "ip" {
        timed(&point.scenario, traffic.as_ref())?;
    }
    Ok(())
}

/// The document is of the transport's kind, and every key that was written for real networks is one that it obeys.
fn fits(scenario: &Scenario, information: &Information) -> Result<(), Problems> {
    let on_air = scenario.kind == "packet-radio";
    if on_air != information.scenario.is_some() {
        let kind = if on_air { "ip" } else { "packet-radio" };
        let problem = Problem::plain(format!("{} measures no network of kind {}", information.scheme, scenario.kind));
        return Err(problem.help(format!("kind = \"{kind}\"")).into());
    }
    let simulated = !on_air && scenario.table("probe").has("from");
    if simulated && !information.is_timed {
        let problem = Problem::plain(format!("{} measures no [probe] between stations", information.scheme));
        return Err(problem.help("--peer sojourn://HOST, whose `sojourn agent` carries the background, too").into());
    }
    let mut problems = Problems::new();
    // a load asks for something even where all its keys are as by default
    let loads = if on_air || information.obeys("load") { &[] } else { scenario.list("load") };
    for load in loads {
        let message = format!("`load` has no meaning for {}", information.scheme);
        problems.push(scenario.problem(load, "transport", message, Some("measure against `sojourn agent`".to_owned())));
    }
    for (path, entry) in scenario.changed_live() {
        if path != "load" && !information.obeys(&path) {
            let problem =
                Problem::at(entry.place.clone(), format!("`{path}` has no meaning for {}", information.scheme));
            problems.push(problem);
        }
    }
    // services have requests of their own
    let size = scenario.table("probe").changed().find(|entry| entry.key.name == "size");
    if let Some(entry) = size.filter(|_| information.is_timed && !information.obeys("probe.size")) {
        let message = format!("`probe.size` has no meaning for {}", information.scheme);
        problems.push(Problem::at(entry.place.clone(), message));
    }
    problems.or(())
}

fn traffic(scenario: &Scenario) -> Result<Option<Traffic<'_>>, Problems> {
    let simulated = scenario.kind == "ip" && !scenario.is_measurement();
    simulated.then(|| Traffic::of(scenario)).transpose()
}

/// Round trips, a transfer, or both.
fn counted(scenario: &Scenario, information: &Information) -> Result<Measurement, Problems> {
    let (measure, probe) = (scenario.table("measure"), scenario.table("probe"));
    let exchanges = u32::try_from(probe.integer("round_trips")).unwrap_or(u32::MAX);
    let on_air = information.scenario.map(|_| self::on_air(scenario));
    let xtp = (scenario.kind == "ip").then(|| scenario.table("xtp"));
    let size = xtp.map_or(0, |xtp| xtp.number("transfer") as u64);
    if exchanges == 0 && size == 0 {
        let problem = Problem::plain("there are neither round trips nor a transfer to measure");
        return Err(problem.help("--set probe.round_trips=1000").into());
    }
    Ok(Measurement {
        exchanges,
        exchange_sizes: vec![probe.number("size") as u32],
        size,
        packet_size: xtp.map_or(0, |xtp| xtp.number("packet_size") as u32),
        replications: replications(scenario)?,
        inject_loss: measure.number("inject_loss"),
        seed: scenario.run().seed,
        on_air,
        plan: None,
    })
}

/// The station of `[on_air]`.
pub fn on_air(scenario: &Scenario) -> OnAir {
    let table = scenario.table("on_air");
    let word = table.word("probe");
    OnAir {
        callsign: table.optional_word("callsign").map(str::to_owned),
        airtime: table.optional_duration("airtime"),
        identify: table.duration("identify"),
        probe: Probe::ALL.iter().find(|(name, _)| *name == word).map_or_else(Probe::default, |(_, probe)| *probe),
        via_nodes: table.words("via_node").into_iter().map(str::to_owned).collect(),
        scenario: scenario.clone(),
    }
}

/// The clocks with the largest error that this host states of its own, if it is not given.
fn with_own_error(clocks: Clocks) -> Result<Clocks, Problems> {
    let Clocks::Synchronized { .. } = clocks else { return Ok(clocks) };
    let problem = || {
        let message = "the kernel of this host does not state that its clock is synchronised, and by which error";
        let help = "synchronise it (chronyd with rtcsync, ntpd), or state how far both clocks differ at most: \
                    --clock-error '1 ms'";
        Problem::plain(message).help(help)
    };
    let own_error = host_clock::largest_error().ok_or_else(problem)?;
    Ok(Clocks::Synchronized { own_error })
}

/// Keeps this host's processors out of C-states from now on, if `asked`.
pub fn no_cpu_idle(asked: bool) -> Result<Option<CpuLatencyGuard>, Problems> {
    let refused = |fault| {
        Problem::plain(format!("--no-cpu-idle: {}", cpu_idle::explain(&fault)))
            .help("without it wake-up latency is part of what is measured; calibration reports it")
            .into()
    };
    asked.then(CpuLatencyGuard::acquire).transpose().map_err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Duration;
    use sojourn_live::prober::plan::TimedTest;
    use sojourn_live::prober::schedule::Schedule;

    use crate::measurement::document::Points;
    use crate::request::{self, Change};

    fn ready(peer: &str, options: &[(&str, &str)], load: &[&str]) -> Result<Ready, Problems> {
        let change = |(key, value): &(&str, &str)| Change {
            key: (*key).to_owned(),
            value: (*value).to_owned(),
            argument: format!("--option {value}"),
        };
        let request = request::Measure {
            peer: Some(peer.to_owned()),
            options: options.iter().map(change).collect(),
            load: load.iter().map(|text| (*text).to_owned()).collect(),
            ..request::Measure::default()
        };
        Ready::new(Points::of_measure(&request)?.points.remove(0))
    }

    fn plan(options: &[(&str, &str)], load: &[&str]) -> TimedTest {
        let ready = ready("sojourn://127.0.0.1:1", options, load).unwrap_or_else(|problems| panic!("{problems}"));
        ready.measurement.plan.unwrap()
    }

    fn refused(peer: &str, options: &[(&str, &str)]) -> String {
        ready(peer, options, &[]).err().unwrap().0[0].message.clone()
    }

    #[test]
    fn by_default_a_request_of_64_bytes_leaves_every_ten_milliseconds_for_ten_seconds() {
        let plan = plan(&[], &[]);
        assert_eq!(plan.schedule, Schedule::Periodic { interval: Duration::from_millis(10) });
        assert_eq!((plan.duration(), plan.phases.len(), plan.sizes), (Duration::from_secs(10), 1, vec![64]));
    }

    #[test]
    fn a_load_or_a_size_that_a_transport_does_not_have_is_refused() {
        let refused = |peer, options: &[(&str, &str)], load: &[&str]| {
            let problems = ready(peer, options, load).err().unwrap();
            problems.0.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>()
        };
        assert_eq!(refused("icmp://127.0.0.1", &[], &["tcp:1"]), ["`load` has no meaning for icmp"]);
        let both = refused("http://127.0.0.1/", &[("probe.size", "100 B")], &["udp:1 Mbit/s,down"]);
        assert_eq!(both, ["`load` has no meaning for http", "`probe.size` has no meaning for http"]);
    }

    #[test]
    fn a_load_stands_between_idle_and_recovery_and_a_phase_of_no_length_is_left_out() {
        let plan = plan(&[("run.duration", "30 s"), ("measure.recovery", "0 s")], &["tcp:4"]);
        let phases: Vec<_> = plan.phases.iter().map(|phase| (phase.name, phase.loaded)).collect();
        assert_eq!(phases, [("idle", false), ("loaded", true)]);
        assert_eq!(plan.phases[1].duration, Duration::from_secs(30));
    }

    #[test]
    fn a_closed_loop_pauses_as_the_probe_says() {
        let options = [("measure.schedule", "ping-pong"), ("probe.think", "2 ms"), ("probe.think_spread", "3 ms")];
        let [think, spread] = [2, 3].map(Duration::from_millis);
        assert_eq!(plan(&options, &[]).schedule, Schedule::PingPong { think, spread });
    }

    #[test]
    fn a_transfer_asked_for_alone_is_measured_without_round_trips() {
        let counts = |options: &[(&str, &str)]| {
            let measurement = ready("xtp+udp://127.0.0.1:1", options, &[]).unwrap().measurement;
            (measurement.exchanges, measurement.size)
        };
        assert_eq!(counts(&[]), (1000, 10 << 20));
        assert_eq!(counts(&[("xtp.transfer", "1 MiB")]), (0, 1 << 20));
        assert_eq!(counts(&[("probe.round_trips", "5")]), (5, 0));
        let nothing = [("probe.round_trips", "0"), ("xtp.transfer", "0 B")];
        assert!(refused("xtp+udp://127.0.0.1:1", &nothing).contains("neither round trips nor a transfer"));
    }

    #[test]
    fn a_key_that_the_transport_does_not_obey_is_refused() {
        assert_eq!(
            refused("xtp+udp://127.0.0.1:1", &[("measure.rate", "5 /s")]),
            "`measure.rate` has no meaning for xtp+udp"
        );
        assert_eq!(
            refused("stamp://127.0.0.1", &[("measure.transport", "tcp")]),
            "`measure.transport` has no meaning for stamp"
        );
        assert_eq!(
            refused("sojourn://127.0.0.1", &[("xtp.transfer", "1 MiB")]),
            "`xtp.transfer` has no meaning for sojourn"
        );
    }

    #[test]
    fn contradictions_are_refused() {
        let peer = "sojourn://127.0.0.1:1";
        assert!(refused(peer, &[("measure.idle", "6 s")]).contains("there is no [[load]]"));
        let voice = [("measure.voice.codec", "g711"), ("measure.rate", "5 /s")];
        assert!(refused(peer, &voice).contains("contradicts [measure.voice]"));
        assert!(refused(peer, &[("measure.bind", "here")]).contains("not an IPv4 or IPv6 address"));
        assert!(
            refused(peer, &[("measure.voice.packet_time", "15 ms"), ("measure.voice.codec", "g729a")])
                .contains("whole frames")
        );
    }

    #[test]
    fn every_probe_that_is_declared_is_one_that_stations_know() {
        let key = sojourn_scenario::keys::live::on_air::ON_AIR.find("probe").unwrap();
        let declared: Vec<&str> = key.words().iter().map(|word| word.word).collect();
        assert_eq!(declared, Probe::ALL.map(|(name, _)| name));
    }

    #[test]
    fn every_codec_that_is_declared_is_one_that_is_rated() {
        let declared: Vec<&str> = sojourn_scenario::keys::voice::CODECS.iter().map(|word| word.word).collect();
        let rated: Vec<&str> = sojourn_live::prober::voice::Codec::all().map(|codec| codec.name()).collect();
        assert_eq!(declared, rated);
    }
}
