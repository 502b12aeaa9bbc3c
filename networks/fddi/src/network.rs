//! The network kind `fddi`.

use sojourn_bounds::report::Report;
use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::splitting::Tally;
use sojourn_engine::{Queue, observe};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::Record;
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use super::capture::Capture;
use super::event::Events;
use super::gauges::{self, GAUGES};
#[cfg(feature = "rare")]
use super::meaning;
use super::metrics::{self, Metrics, Run};
use super::routes::Routes;
use super::scenario;
use super::site::{Mode, Site};
use super::world::Simulation;
use sojourn_model::branches;
use sojourn_model::rare::{self, Gauge, RareEvent, RareModel, Watched};
use sojourn_model::{Information, Model, Network, Replication, Together};

/// The network `fddi`.
#[derive(Debug)]
pub struct FddiNetwork;

const INFORMATION: Information = Information {
    summary: "FDDI token rings with hosts that carry voice and data over XTP: latency, channels, load, loss, multicast",
    models: &[
        "the timed-token protocol: synchronous and asynchronous class, late counter, early token release, claim and recovery, one or several packets per token",
        "hosts with a serial processor (cost per packet, byte and acknowledgement), adapter copies and a clock that reads in steps",
        "voice with converter FIFOs at both ends, any number of channels, measured by exchanges, a stream, and in real time",
        "XTP with selective retransmission, go-back-n, multicast and all its timers; datagrams",
        "background generators, asynchronous messages, unacknowledged and lost packets, routers between rings",
    ],
    leaves_out: &[
        "the dual ring's wrap, station management frames and connection management",
        "restricted tokens",
        "the cost of the generator's frames to hosts: they have no receiver",
        "the XTP 3 stack's field layout: its packets have its lengths, and the procedures of XTP 4.0",
    ],
    sources: &[
        "ANSI X3.139 (FDDI media access control)",
        "A. C. Weaver, J. F. McNabb, D. J. Fenton and B. Simoncic, UVA TR-92-05, 1992",
        "R. Jain, Performance analysis of FDDI token ring networks, SIGCOMM '90",
        "XTP 4.0 (Xpress Transport Protocol)",
    ],
    metrics: &[
        "claims",
        "clock_error",
        "delay_budget",
        "failures",
        "fifo_overflow",
        "fifo_underflow",
        "frames_per_token",
        "handshakes",
        "jitter_p95_p50",
        "loss",
        "mos",
        "one_way_delay",
        "packet_rate",
        "packets",
        "phase",
        "play_out_delay",
        "play_out_loss",
        "processor_utilisation",
        "r_factor",
        "recovery_time",
        "response_time",
        "retries",
        "throughput",
        "token_rotation",
        "tokens_lost",
        "unrecovered",
        "utilisation",
        "voice_channels",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: true,
    samples_without_probe: false,
};

impl Network for FddiNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn keys(&self) -> &'static NetworkKeys {
        &crate::keys::FDDI
    }

    fn bounds(&self, scenario: &Scenario) -> Result<Report, Problems> {
        crate::bounds::bounds(scenario)
    }

    fn gauges(&self) -> &'static [Gauge] {
        &GAUGES
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(Fddi::new(scenario::site(scenario)?)))
    }

    #[cfg(feature = "rare")]
    fn meaning<'s>(&self, scenario: &'s Scenario) -> sojourn_model::Meaning<'s> {
        scenario::site(scenario).map(|site| meaning::of(scenario, &site)).unwrap_or_default()
    }

    #[cfg(feature = "rare")]
    fn together(&self, scenarios: &[&Scenario]) -> Option<Box<dyn Together>> {
        let site = |scenario: &Scenario| scenario::site(scenario).ok();
        let site = branches::one_of_all(scenarios, site, |site: &mut Site| Some(&mut site.timeline.as_mut()?.plan))?;
        Some(Box::new(Fddi::new(site)))
    }
}

/// A site with its routes.
#[derive(Debug)]
pub struct Fddi {
    site: Site,
    routes: Routes,
}

impl Fddi {
    /// Works a site out.
    pub fn new(site: Site) -> Self {
        let routes = Routes::new(&site);
        Fddi { site, routes }
    }

    /// The runs of a replication, each with the time it may observe.
    /// With events, exchanges and voice in real time take all of it.
    fn runs(&self, duration: Duration) -> Vec<(Mode, Duration)> {
        let Some(probe) = &self.site.probe else { return vec![(Mode::Steady, duration)] };
        let mut runs = Vec::new();
        if probe.exchanges > 0 && !probe.one_way {
            runs.push((Mode::Exchange, duration));
        }
        if probe.transfer > 0 {
            runs.push((Mode::Stream, duration));
        }
        if probe.paced > Duration::ZERO {
            let paced = if self.site.timeline.is_some() { duration } else { probe.paced.min(duration) };
            runs.push((Mode::Paced, paced));
        }
        runs
    }
}

impl Fddi {
    /// A run of a replication at rest, and its first events.
    fn begun<'c>(
        &self,
        (mode, observed): (Mode, Duration),
        replication: &Replication<'_>,
        shown: Option<Capture<'c>>,
    ) -> (Simulation<'_, 'c>, Events) {
        let from = Time::ZERO + replication.warm_up;
        let streams = Streams::new(replication.seed, replication.index);
        let mut events = Queue::new();
        let streamed = self.site.probe.filter(|_| mode == Mode::Stream);
        let wanted = streamed.map_or(u64::MAX, |probe| probe.exchanges);
        let mut metrics = Metrics::new(self.site.flows.len(), from, replication.traces, wanted);
        if let Some(timeline) = &self.site.timeline {
            metrics.expect_events(timeline, &streams, from + observed);
        }
        (Simulation::new(&self.site, &self.routes, mode, &streams, metrics, shown, &mut events), events)
    }
}

impl Together for Fddi {
    fn in_common(&self, warm_up: Duration, duration: Duration) -> Duration {
        branches::in_common(self.site.timeline.as_ref().map(|timeline| &timeline.plan), warm_up, duration)
    }

    fn replicate(&self, replication: &Replication<'_>, numbers: &[usize]) -> Vec<Record> {
        let mut done: Vec<Vec<Run<'_>>> = numbers.iter().map(|_| Vec::new()).collect();
        // with events all runs take the whole duration
        let in_common = self.in_common(replication.warm_up, replication.duration);
        for run in self.runs(replication.duration) {
            let begun = self.begun(run, replication, None);
            let ends = branches::replicate(begun, replication, in_common, numbers, Simulation::finish);
            done.iter_mut().zip(ends).for_each(|(done, end)| done.push(end));
        }
        done.into_iter().map(|runs| metrics::record(&self.site, runs, replication.traces)).collect()
    }
}

impl Model for Fddi {
    fn replicate(&self, mut replication: Replication<'_>) -> Record {
        let (from, mut capture) = (Time::ZERO + replication.warm_up, replication.capture.take());
        let mut done = Vec::new();
        for (mode, observed) in self.runs(replication.duration) {
            // a capture shows the first run
            let shown = capture.take().map(|sink| Capture::new(sink, self.site.decodable_capture));
            let (mut simulation, mut events) = self.begun((mode, observed), &replication, shown);
            let end = observe(&mut simulation, &mut events, from, from + observed, replication.cancelled);
            done.push(simulation.finish(end, events.handled()));
        }
        metrics::record(&self.site, done, replication.traces)
    }

    fn sampled(&self) -> Option<&'static str> {
        let is_probed = self.site.probe.is_some() || self.site.flows.iter().any(|flow| flow.probe);
        if is_probed { Some("response_time") } else { self.site.has_voice().then_some("one_way_delay") }
    }

    fn link_type(&self) -> Option<LinkType> {
        Some(LinkType::Fddi)
    }

    #[cfg(feature = "rare")]
    fn rare(&self) -> Option<&dyn RareModel> {
        self.site.timeline.is_none().then_some(self as &dyn RareModel)
    }
}

impl RareModel for Fddi {
    fn members(&self, _gauge: u32) -> Vec<String> {
        Vec::new()
    }

    fn importance(&self, condition: Watched) -> Watched {
        gauges::importance(condition)
    }

    fn split(&self, replication: Replication<'_>, event: &RareEvent) -> Tally {
        let from = Time::ZERO + replication.warm_up;
        let (mode, observed) = self.runs(replication.duration)[0];
        let metrics = Metrics::new(self.site.flows.len(), from, false, u64::MAX);
        let (mut events, streams) = (Queue::new(), Streams::new(replication.seed, replication.index));
        let simulation = Simulation::new(&self.site, &self.routes, mode, &streams, metrics, None, &mut events);
        rare::split(simulation, events, [from, from + observed], event, &replication)
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::{CopyKey, Rekey};
    use sojourn_engine::World;
    use sojourn_engine::splitting::Copied;

    use super::super::event::Event;
    use super::*;
    use sojourn_model::copies::assert_copies_go_on_alike;

    fn assert_copies_of(scenario: &Scenario, until: Duration) {
        let model = Fddi::new(scenario::site(scenario).unwrap());
        let mode = model.runs(until)[0].0;
        let mut metrics = Metrics::new(model.site.flows.len(), Time::ZERO, true, u64::MAX);
        let (mut events, streams) = (Queue::new(), Streams::new(1, 0));
        if let Some(timeline) = &model.site.timeline {
            metrics.expect_events(timeline, &streams, Time::ZERO + until);
        }
        let simulation = Simulation::new(&model.site, &model.routes, mode, &streams, metrics, None, &mut events);
        let record = |copy: Simulation<'_, '_>, end| metrics::record(&model.site, vec![copy.finish(end, 0)], true);
        assert!(assert_copies_go_on_alike(simulation, events, until, record) >= 3);
    }

    #[test]
    fn copies_go_on_alike_and_rekeyed_ones_do_not() {
        assert_copies_of(&crate::NETWORKS.checked(&crate::NETWORKS.template("fddi"), &[]), Duration::from_millis(500));
    }

    #[test]
    fn copies_of_a_ring_with_power_failures_load_and_lost_tokens_go_on_alike() {
        let outage = include_str!("../../../examples/fddi-outage.toml");
        let events = crate::NETWORKS.checked(outage, &[]);
        assert!(!events.events().is_empty());
        assert_copies_of(&events, Duration::from_secs(58));
        assert_copies_of(&crate::NETWORKS.checked(&crate::NETWORKS.template("fddi"), &LOSSES), Duration::from_secs(1));
    }

    #[test]
    fn copies_of_calls_with_codecs_talkspurts_and_jitter_buffers_go_on_alike() {
        for (codec, buffer) in [("evs-13.2", "fixed"), ("g729a", "adaptive")] {
            let calls =
                crate::NETWORKS.checked(CALLS, &[("flow.call.codec", codec), ("flow.call.jitter_buffer", buffer)]);
            assert_copies_of(&calls, Duration::from_secs(20));
        }
    }

    /// Ten calls of people who take turns, and the load of other stations.
    const CALLS: &str = r#"
        [network]
        kind = "fddi"
        [ring]
        ttrt = "8 ms"
        enforce_allocation = false
        [[station]]
        name = "client"
        [[station]]
        name = "server"
        [[flow]]
        name = "call"
        from = "client"
        to = "server"
        traffic = "voice"
        samples = 160
        channels = 10
        playout_delay = "40 ms"
        fifo_packets = 10
        codec = "g711"
        speech = "talkspurts"
        talkspurt = "1 s"
        pause = "1.5 s"
        transport = "datagram"
        [impairment]
        frame_loss = "1 %"
        [run]
        duration = "20 s"
        warm_up = "100 ms"
    "#;

    const LOSSES: [(&str, &str); 4] = [
        ("impairment.token_loss", "20 /s"),
        ("messages.rate", "40 /s"),
        ("messages.arrivals", "poisson"),
        ("background.arrivals", "poisson"),
    ];

    /// Messages, bursts of load and lost tokens of 50 s; what has no memory is drawn again every 10 ms, or never.
    fn happened(model: &Fddi, redraws: bool) -> [f64; 3] {
        let (until, every) = (Duration::from_secs(50), Duration::from_millis(10));
        let (mut events, streams) = (Queue::new(), Streams::new(1, 0));
        let metrics = Metrics::new(model.site.flows.len(), Time::ZERO, false, u64::MAX);
        let mut simulation =
            Simulation::new(&model.site, &model.routes, Mode::Steady, &streams, metrics, None, &mut events);
        let (mut next, mut counts) = (Time::ZERO + every, [0.0; 3]);
        while let Some((now, event)) = events.pop_until(Time::ZERO + until, Simulation::class) {
            match event {
                Event::Arrival(_) => counts[0] += 1.0,
                Event::Load(_) => counts[1] += 1.0,
                Event::LoseToken(_) => counts[2] += 1.0,
                _ => {}
            }
            simulation.handle(now, event, &mut events);
            if redraws && now >= next {
                simulation.rekey(CopyKey::new(1, 1, events.handled()));
                simulation.redraw(now, &mut events);
                next = now + every;
            }
        }
        counts
    }

    #[test]
    fn drawing_what_has_no_memory_again_leaves_it_as_frequent() {
        let model =
            Fddi::new(scenario::site(&crate::NETWORKS.checked(&crate::NETWORKS.template("fddi"), &LOSSES)).unwrap());
        let (plain, redrawn) = (happened(&model, false), happened(&model, true));
        for (before, after) in plain.into_iter().zip(redrawn) {
            // about three standard deviations of a difference of counts
            let tolerance = 4.0 * before.sqrt();
            assert!(before > 900.0 && before != after, "{plain:?}");
            assert!((after - before).abs() < tolerance, "{redrawn:?}, not {plain:?}");
        }
    }
}
