//! The network kind `fddi-adapter`.

use sojourn_bounds::report::Report;
use sojourn_core::{Duration, Time};
use sojourn_engine::law::Law;
use sojourn_engine::splitting::Tally;
use sojourn_engine::{Queue, observe};
use sojourn_metrics::record::Record;
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use super::gauges::{self, GAUGES};
#[cfg(feature = "rare")]
use super::meaning;
use super::scenario;
use super::settings::{Gaps, Pace, Settings};
use super::world::Adapter;
use sojourn_model::rare::{self, Gauge, RareEvent, RareModel, Watched};
use sojourn_model::{Information, Model, Network, Replication};

/// The network `fddi-adapter`.
#[derive(Debug)]
pub struct FddiAdapterNetwork;

const INFORMATION: Information = Information {
    summary: "An FDDI adapter on its system bus, stage by stage: throughput, latency, occupancy, drops by place",
    models: &[
        "the XMI bus to its 64 ns cycle: two round-robin queues, responders first, HOLD, SUP, split reads, transaction lengths",
        "interleaved memory near to the bus (VAX 6000) or behind another one (VAX 9000)",
        "other nodes' transactions in bursts; commanders that always have one",
        "the adapter: FIFOs, ring memory controller, parser, packet memory, ring entry mover, two DMA channels with staging buffers, descriptors read ahead",
        "four-mode, five-mode, constant and exponential frame lengths; exponential, constant and normal gaps; bursts; both directions at once",
        "a ring that is a black box, or a token ring of two stations",
    ],
    leaves_out: &[
        "error frames, the adapter manager's firmware, and what is sent to it",
        "retries and timeouts on the bus: memory acknowledges every command",
        "the host's processor and driver, which take no time",
        "buffers of packet memory that are freed burst by burst: a frame keeps all of them to its end",
    ],
    sources: &[
        "S. Kalkunte, Performance Analysis of a High-speed FDDI Adapter, Digital Technical Journal 3(3), 1991",
        "VAX 6000 Platform Technical User's Guide (XMI)",
        "Computer History Wiki, Extended Memory Interconnect",
    ],
    metrics: &[
        "bus_wait",
        "delay_budget",
        "drops",
        "interference",
        "loss",
        "packet_rate",
        "queue_length",
        "recovery_time",
        "response_time",
        "throughput",
        "unrecovered",
        "utilisation",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
    samples_without_probe: false,
};

impl Network for FddiAdapterNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn keys(&self) -> &'static NetworkKeys {
        &crate::adapter::keys::FDDI_ADAPTER
    }

    fn bounds(&self, scenario: &Scenario) -> Result<Report, Problems> {
        Ok(super::bounds::bounds(scenario))
    }

    fn gauges(&self) -> &'static [Gauge] {
        &GAUGES
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(scenario::settings(scenario)))
    }

    #[cfg(feature = "rare")]
    fn meaning<'s>(&self, scenario: &'s Scenario) -> sojourn_model::Meaning<'s> {
        meaning::of(scenario, &scenario::settings(scenario))
    }
}

impl Model for Settings {
    fn replicate(&self, mut replication: Replication<'_>) -> Record {
        let Pace::Sustainable(share) = self.traffic.pace else { return self.simulate(&replication).1 };
        // what the same point carries when saturated says at which even intervals frames come
        let traces = std::mem::take(&mut replication.traces);
        let (carried, saturated) = Settings { timeline: None, ..self.paced(Pace::Saturating) }.simulate(&replication);
        replication.traces = traces;
        let mut record = self.paced(self.sustained(carried * share)).simulate(&replication).1;
        record.events += saturated.events;
        record
    }

    #[cfg(feature = "rare")]
    fn rare(&self) -> Option<&dyn RareModel> {
        self.timeline.is_none().then_some(self as &dyn RareModel)
    }
}

impl RareModel for Settings {
    fn members(&self, _gauge: u32) -> Vec<String> {
        Vec::new()
    }

    fn importance(&self, condition: Watched) -> Watched {
        gauges::importance(condition)
    }

    fn split(&self, replication: Replication<'_>, event: &RareEvent) -> Tally {
        let from = Time::ZERO + replication.warm_up;
        let mut events = Queue::new();
        // even intervals at a share of what a saturated run carries are found by that run
        let settings = match self.traffic.pace {
            Pace::Sustainable(share) => {
                let carried = self.paced(Pace::Saturating).simulate(&replication).0;
                self.paced(self.sustained(carried * share))
            }
            _ => self.clone(),
        };
        let adapter = Adapter::new(&settings, &replication, &mut events);
        rare::split(adapter, events, [from, from + replication.duration], event, &replication)
    }
}

impl Settings {
    fn paced(&self, pace: Pace) -> Settings {
        let mut settings = self.clone();
        settings.traffic.pace = pace;
        settings
    }

    /// Frames at constant intervals, this many per second.
    fn sustained(&self, rate: f64) -> Pace {
        let mean = self.traffic.sizes.mean() + f64::from(self.ring.overhead);
        let lasts = super::settings::BYTE_TIME.seconds() * mean;
        let Some(mean) = Duration::from_seconds((1.0 / rate - lasts).max(0.0)) else { return Pace::Silent };
        Pace::Gaps(Gaps { burst: 1, law: Law::constant(mean) })
    }

    /// One run: frames a second that were through, and what was observed.
    fn simulate(&self, replication: &Replication<'_>) -> (f64, Record) {
        let Replication { warm_up, duration, cancelled, .. } = *replication;
        let mut events = Queue::new();
        let mut adapter = Adapter::new(self, replication, &mut events);
        let from = Time::ZERO + warm_up;
        observe(&mut adapter, &mut events, from, from + duration, cancelled);
        (adapter.frame_rate(), Record { events: events.handled(), ..adapter.finish(from + duration) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_model::copies::assert_copies_go_on_alike;

    fn assert_copies_of(scenario: &Scenario, until: Duration) {
        let settings = scenario::settings(scenario);
        let mut events = Queue::new();
        let adapter = Adapter::new(&settings, &Replication::alone(until), &mut events);
        assert!(assert_copies_go_on_alike(adapter, events, until, Adapter::finish) >= 3);
    }

    #[test]
    fn copies_go_on_alike_and_rekeyed_ones_do_not() {
        assert_copies_of(
            &crate::NETWORKS.checked(&crate::NETWORKS.template("fddi-adapter"), &[]),
            Duration::from_millis(10),
        );
    }

    /// An adapter that fails, resets and gets bursts while its bus changes and the ring is cut.
    const FAILURES: &str = r#"
        [network]
        kind = "fddi-adapter"
        [bus]
        interference = "30 %"
        [traffic]
        direction = "both"
        load = "50 Mbit/s"
        mix = "exponential"
        [[event]]
        name = "power"
        action = "power-down"
        stations = "adapter"
        mean_time_between = "4 ms"
        mean_time_to_repair = "0.3 ms"
        [[event]]
        name = "cut"
        action = "down"
        media = "ring"
        mean_time_between = "3 ms"
        mean_time_to_repair = "50 us"
        [[event]]
        name = "peak"
        action = "burst"
        flows = "receive"
        size = 20
        at = "2 ms"
        every = "3 ms"
        [[event]]
        name = "backup"
        action = "set"
        set = { "bus.interference" = "60 %" }
        at = "4 ms"
        every = "10 ms"
        duration = "2 ms"
        [run]
        duration = "40 ms"
        warm_up = "1 ms"
    "#;

    #[test]
    fn copies_of_an_adapter_that_fails_and_resets_go_on_alike() {
        for ring in ["black-box", "token-ring"] {
            let failures = crate::NETWORKS.checked(FAILURES, &[("ring.kind", ring)]);
            assert!(!failures.events().is_empty());
            assert_copies_of(&failures, Duration::from_millis(30));
        }
    }
}
