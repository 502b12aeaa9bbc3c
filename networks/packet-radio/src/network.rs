//! The network kind `packet-radio`.

use sojourn_bounds::report::Report;
use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::splitting::Tally;
use sojourn_engine::{Queue, observe};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::Record;
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use super::capture::Capture;
use super::changes::Changes;
use super::design;
use super::event::Events;
use super::gauges::{self, GAUGES};
#[cfg(feature = "rare")]
use super::meaning;
use super::metrics::Metrics;
use super::report;
use super::round_trip::RoundTrips;
use super::scenario;
use super::site::Site;
use super::world::Simulation;
use sojourn_model::branches;
use sojourn_model::rare::{self, Gauge, RareEvent, RareModel, Watched};
use sojourn_model::{Information, Model, Network, Replication, Together, Warning};

/// The network `packet-radio`.
#[derive(Debug)]
pub struct PacketRadioNetwork;

const INFORMATION: Information = Information {
    summary: "Packet radio: round-trip time of blocks over AX.25, digipeaters, NET/ROM nodes and ROSE switches",
    models: &[
        "AX.25 v2.0 and v2.2: timers T1 to T3, windows, REJ and SREJ recovery, digipeaters by callsign and alias, UI frames",
        "half-duplex radio channels: p-persistent CSMA with TXDELAY, TXTAIL, DWAIT, PERSIST and SLOTTIME, carrier detection that begins late and is held, hidden stations, bit errors and spoilt frames; signal levels with capture and fading; forward error correction by FX.25 and IL2P; full-duplex wires",
        "terminals: a PC's program, a full-duplex serial line, packets formed by PACLEN, line end or PACTIME, buffers with flow control (RTS, RNR)",
        "NET/ROM nodes: users and their commands, circuits with windows, choke and timer ticks, NODES broadcasts, buffers with flow control (RNR, choke) and no loss",
        "ROSE switches: X.25 virtual circuits hop by hop; users' links terminate at the switch under the far station's callsign",
        "a CPU per station with costs per frame and octet",
        "a ping-pong of blocks with an exact delay budget of every round trip; background traffic in UI and I frames",
        "users and forwarding mailboxes: sessions that connect along a path, exchange requests and responses, and disconnect, with the delay of every hop",
        "events: stations that lose power and with it links, routes, circuits and calls, media that are down, bit error rates that change, flows that start, stop and burst",
    ],
    leaves_out: &[
        "radio propagation: a station is heard or hidden, path loss and the two states of fading are given, not computed; noise has no level",
        "modes other than AX.25 frames (VARA, ARDOP)",
        "frame contents: bit stuffing is the mean of random bits, also where it decides on the length of an FX.25 block; a frame without a bit error whose FX.25 tag is not recognised is lost",
        "serial lines of stations that send flows or have sessions: data reach the TNC without delay",
        "programs of mailboxes: a response takes its turnaround, however many users are connected",
        "the time a station takes to start, and tables that a node saves over a power failure (BPQNODES.DAT)",
        "of nodes: greeting texts, route listings, IP and other protocols above, INP3",
        "digipeaters that put their callsign in the place of an alias, count down WIDEn-N, or drop a copy of a frame that they have repeated",
        "DAMA masters and the AX.25 segmenter",
    ],
    sources: &[
        "AX.25 Link Access Protocol v2.2",
        "TAPR TNC-2 system manual",
        "M. Chepponis and P. Karn, The KISS TNC, 1987",
        "K4ABT, X-1J4 TheNET node params",
        "Linux net/netrom, KA9Q NOS, TheNetNode",
        "ITU-T X.25; Linux net/rose",
        "packet-radio benchmark of network layers (KP4DJT)",
        "Dire Wolf: xmit.c, hdlc_rec.c, fsk_demod_state.h; Linux drivers/net/hamradio/hdlcdrv.c; Kantronics KPC-9612 Plus reference manual",
    ],
    metrics: &[
        "buffer_overflows",
        "collision_rate",
        "corrected_frames",
        "corrected_octets",
        "delay_budget",
        "failures",
        "hop_delay",
        "loss",
        "packet_rate",
        "packets",
        "polls",
        "processor_utilisation",
        "recovery_time",
        "response_time",
        "retries",
        "session_setup_time",
        "session_time",
        "sessions",
        "throughput",
        "throughput_l3",
        "unrecovered",
        "utilisation",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: true,
    samples_without_probe: false,
};

impl Network for PacketRadioNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn keys(&self) -> &'static NetworkKeys {
        &crate::keys::PACKET_RADIO
    }

    fn bounds(&self, scenario: &Scenario) -> Result<Report, Problems> {
        crate::bounds::bounds(scenario)
    }

    fn gauges(&self) -> &'static [Gauge] {
        &GAUGES
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(PacketRadio::new(scenario::site(scenario)?)))
    }

    #[cfg(feature = "rare")]
    fn together(&self, scenarios: &[&Scenario]) -> Option<Box<dyn Together>> {
        let site = |scenario: &Scenario| scenario::site(scenario).ok();
        let site = branches::one_of_all(scenarios, site, |site: &mut Site| Some(&mut site.timeline.as_mut()?.plan))?;
        Some(Box::new(PacketRadio::new(site)))
    }

    fn warnings(&self, scenario: &Scenario) -> Vec<Warning> {
        // a site that cannot be read is refused by `model`
        scenario::site(scenario).map(|site| design::warnings(scenario, &site)).unwrap_or_default()
    }

    #[cfg(feature = "rare")]
    fn meaning<'s>(&self, scenario: &'s Scenario) -> sojourn_model::Meaning<'s> {
        scenario::site(scenario).map(|site| meaning::of(scenario, &site)).unwrap_or_default()
    }
}

/// A checked site, simulated once per replication.
#[derive(Debug)]
pub struct PacketRadio {
    site: Site,
    flows: usize,
}

impl PacketRadio {
    /// A model of this site.
    pub fn new(site: Site) -> Self {
        let sources = site.sources.iter().map(|source| source.number);
        let numbers = sources.chain(site.sessions.iter().map(|session| session.number));
        let flows = numbers.max().map_or(0, |number| number as usize + 1);
        PacketRadio { site, flows }
    }
}

impl PacketRadio {
    /// The site at rest, and its first events.
    fn begun<'c>(&self, replication: Replication<'c>) -> (Simulation<'_, 'c>, Events) {
        let Replication { seed, index, warm_up, duration, traces, capture, .. } = replication;
        let from = Time::ZERO + warm_up;
        let round_trips = self.site.probe.as_ref().map_or(0, |probe| probe.round_trips);
        let round_trips = RoundTrips::new(round_trips, traces);
        let metrics = Metrics::new(self.flows, from);
        let streams = Streams::new(seed, index);
        let mut events = Queue::new();
        let mut simulation = Simulation::new(&self.site, &streams, round_trips, metrics, capture.map(Capture::new));
        if let Some(timeline) = &self.site.timeline {
            let changes = Changes::new(&self.site, timeline, &streams, [from, from + duration]);
            simulation.start_timeline(timeline, changes, &mut events);
        }
        simulation.start(&mut events);
        (simulation, events)
    }
}

impl Together for PacketRadio {
    fn in_common(&self, warm_up: Duration, duration: Duration) -> Duration {
        branches::in_common(self.site.timeline.as_ref().map(|timeline| &timeline.plan), warm_up, duration)
    }

    fn replicate(&self, replication: &Replication<'_>, numbers: &[usize]) -> Vec<Record> {
        let in_common = self.in_common(replication.warm_up, replication.duration);
        let record = |simulation, end, events| Record { events, ..report::record(simulation, end) };
        branches::replicate(self.begun(replication.without_capture()), replication, in_common, numbers, record)
    }
}

impl Model for PacketRadio {
    fn sampled(&self) -> Option<&'static str> {
        (self.site.probe.is_some() || !self.site.sessions.is_empty()).then_some("response_time")
    }

    fn replicate(&self, replication: Replication<'_>) -> Record {
        let (from, cancelled) = (Time::ZERO + replication.warm_up, replication.cancelled);
        let to = from + replication.duration;
        let (mut simulation, mut events) = self.begun(replication);
        let end = observe(&mut simulation, &mut events, from, to, cancelled);
        Record { events: events.handled(), ..report::record(simulation, end) }
    }

    fn link_type(&self) -> Option<LinkType> {
        Some(LinkType::Ax25Kiss)
    }

    #[cfg(feature = "rare")]
    fn rare(&self) -> Option<&dyn RareModel> {
        // the first occurrence after an event is not a rare event of a steady network
        self.site.timeline.is_none().then_some(self as &dyn RareModel)
    }
}

impl RareModel for PacketRadio {
    fn members(&self, _gauge: u32) -> Vec<String> {
        Vec::new()
    }

    fn importance(&self, condition: Watched) -> Watched {
        gauges::importance(condition)
    }

    fn split(&self, replication: Replication<'_>, event: &RareEvent) -> Tally {
        let from = Time::ZERO + replication.warm_up;
        let metrics = Metrics::new(self.flows, from);
        let streams = Streams::new(replication.seed, replication.index);
        // the probe goes on for as long as is observed
        let mut simulation = Simulation::new(&self.site, &streams, RoundTrips::new(0, false), metrics, None);
        let mut events = Queue::new();
        simulation.start(&mut events);
        rare::split(simulation, events, [from, from + replication.duration], event, &replication)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::{CopyKey, Rekey};
    use sojourn_engine::World;
    use sojourn_engine::splitting::Copied;
    use sojourn_model::copies::assert_copies_go_on_alike;

    /// Twelve nodes with users and mailboxes that forward at night.
    const NIGHT: &str = include_str!("../../../examples/packet-radio-night.toml");

    /// Messages of neighbours and of the town.
    const VALLEY: &str = include_str!("../../../examples/packet-radio-valley.toml");

    fn begin(model: &PacketRadio, until: Duration) -> (Simulation<'_, 'static>, Events) {
        let metrics = Metrics::new(model.flows, Time::ZERO);
        let streams = Streams::new(1, 0);
        let mut simulation = Simulation::new(&model.site, &streams, RoundTrips::new(0, true), metrics, None);
        let mut events = Queue::new();
        if let Some(timeline) = &model.site.timeline {
            let changes = Changes::new(&model.site, timeline, &streams, [Time::ZERO, Time::ZERO + until]);
            simulation.start_timeline(timeline, changes, &mut events);
        }
        simulation.start(&mut events);
        (simulation, events)
    }

    #[test]
    fn copies_go_on_alike_and_rekeyed_ones_do_not() {
        let until = Duration::from_secs(600);
        let model = PacketRadio::new(
            scenario::site(&crate::NETWORKS.checked(&crate::NETWORKS.template("packet-radio"), &[])).unwrap(),
        );
        let (simulation, events) = begin(&model, until);
        assert!(assert_copies_go_on_alike(simulation, events, until, report::record) >= 3);
    }

    #[test]
    fn copies_of_a_valley_with_sessions_and_events_go_on_alike() {
        let until = Duration::from_secs(3 * 3600);
        let model = PacketRadio::new(scenario::site(&crate::NETWORKS.checked(NIGHT, &[])).unwrap());
        assert!(model.site.timeline.is_some() && !model.site.sessions.is_empty());
        let (simulation, events) = begin(&model, until);
        assert_eq!(assert_copies_go_on_alike(simulation, events, until, report::record), 4);
    }

    /// Stations of different levels with messages to each other, and a probe, on one frequency.
    const CHANNEL: &str = r#"
        [network]
        kind = "packet-radio"
        [[medium]]
        name = "channel"
        capture_ratio = "8 dB"
        [[station]]
        name = "near"
        [[station]]
        name = "mailbox"
        [[station]]
        name = "far"
        count = 3
        [[path_loss]]
        name = "hill"
        between = ["far", "mailbox"]
        loss = "10 dB"
        [[flow]]
        name = "messages"
        from = "far"
        to = "mailbox"
        data = "40 B"
        arrivals = { kind = "poisson", interval = "60 s" }
        [probe]
        from = "near"
        to = "mailbox"
        size = "50 B"
        [run]
        duration = "1 h"
    "#;

    #[test]
    fn copies_of_a_channel_that_fades_with_and_without_error_correction_go_on_alike() {
        let fading = "{ bit_error_rate = 0.01, good = \"30 s\", bad = \"3 s\" }";
        let until = Duration::from_secs(3600);
        for (key, value) in [("fading", fading), ("profile", "hf-300")] {
            let framings = ["{ kind = \"fx25\", check = 16 }", "{ kind = \"il2p\" }"];
            let framings = framings.map(|framing| Some(("medium.channel.framing", framing)));
            for framing in framings.into_iter().chain([None]) {
                let key = format!("medium.channel.{key}");
                let edits: Vec<_> = [(key.as_str(), value)].into_iter().chain(framing).collect();
                let model = PacketRadio::new(scenario::site(&crate::NETWORKS.checked(CHANNEL, &edits)).unwrap());
                assert!(model.site.media.iter().all(|medium| medium.fading.is_some()));
                let (simulation, events) = begin(&model, until);
                assert_eq!(assert_copies_go_on_alike(simulation, events, until, report::record), 4, "{edits:?}");
            }
        }
    }

    /// Messages offered in this many hours, those of sessions included; what has no memory is drawn again every minute, or never.
    fn offered(scenario: &str, hours: u64, redraws: bool) -> f64 {
        let model = PacketRadio::new(scenario::site(&crate::NETWORKS.checked(scenario, &[])).unwrap());
        let (until, minute) = (Duration::from_secs(3600 * hours), Duration::from_secs(60));
        let (mut simulation, mut events) = begin(&model, until);
        let mut next = Time::ZERO + minute;
        while let Some((now, event)) = events.pop_until(Time::ZERO + until, Simulation::class) {
            simulation.handle(now, event, &mut events);
            if redraws && now >= next {
                simulation.rekey(CopyKey::new(1, 1, events.handled()));
                simulation.redraw(now, &mut events);
                next = now + minute;
            }
        }
        simulation.metrics.flows.iter().map(|flow| flow.offered.total() as f64).sum()
    }

    #[test]
    fn drawing_arrivals_and_think_times_again_leaves_the_offered_messages_as_many() {
        // a standard deviation of the ratio is about 3 % of messages, 6 % of sessions
        for (scenario, hours, tolerance) in [(VALLEY, 24, 0.1), (NIGHT, 10, 0.2)] {
            let ratio = offered(scenario, hours, true) / offered(scenario, hours, false);
            assert!((ratio - 1.0).abs() < tolerance && ratio != 1.0, "{ratio} of {hours} h");
        }
    }
}
