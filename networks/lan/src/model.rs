//! The model of a LAN, which can be simulated any number of times.

use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::splitting::Tally;
use sojourn_engine::{Queue, observe};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::{Observation, Record};
use sojourn_scenario::{Problems, Scenario};

use super::capture::Tap;
use super::event::Events;
use super::fabric::{self, Fabric, FabricSettings, Watch};
use super::gauges;
use super::loads;
use super::metrics::{
    Metrics, report_bulk, report_conditioners, report_loops, report_loss, report_one_way, report_ports, report_rates,
    report_segments,
};
use super::site::{Activity, Site};
use super::voice::report_calls;
use super::world::Lan;
use sojourn_model::branches;
use sojourn_model::rare::{self, RareEvent, RareModel, Watched};
use sojourn_model::timed::Sampled;
use sojourn_model::{Model, Replication, Together};

/// Hosts, and the network between them.
#[derive(Clone, Debug)]
pub struct LanModel<S> {
    /// The hosts and what they do.
    pub site: Site,
    /// The network between them.
    pub fabric: S,
}

impl<S: FabricSettings> LanModel<S> {
    /// The hosts at rest, with their first events scheduled, without traces or a capture.
    pub fn begin(&self, replication: &Replication<'_>) -> (Lan<'_, 'static, S::Fabric>, Events) {
        let streams = Streams::new(replication.seed, replication.index);
        let mut fabric = self.fabric.fabric(&self.site.topology, &streams);
        let from = Time::ZERO + replication.warm_up;
        fabric.watch(&Watch { mean_from: from, ..Watch::default() });
        let metrics = Metrics::new(&self.site, from, false);
        let (end, mut events) = (from + replication.duration, Queue::new());
        let lan = Lan::new(&self.site, fabric, &streams, metrics, None, end, &mut events);
        (lan, events)
    }
}

impl<S: FabricSettings> LanModel<S> {
    /// The hosts at rest, with their first events scheduled, as a run observes them.
    fn observed<'c>(&self, replication: Replication<'c>) -> (Lan<'_, 'c, S::Fabric>, Events) {
        let Replication { seed, index, warm_up, duration, traces, capture, .. } = replication;
        let streams = Streams::new(seed, index);
        let site = &self.site;
        let mut fabric = self.fabric.fabric(&site.topology, &streams);
        let from = Time::ZERO + warm_up;
        // levels look alike in all replications
        let pictured = traces && index == 0;
        fabric.watch(&Watch {
            mean_from: from,
            queue_trace: site.watched_port().filter(|_| pictured),
            rate_trace: site.watched_connection().filter(|_| pictured),
            rm_cells: capture.is_some() && site.capture.shows_cells(),
        });
        let tap = capture.map(|sink| Tap::new(sink, site.capture));
        let metrics = Metrics::new(site, from, traces);
        let mut events = Queue::new();
        let lan = Lan::new(site, fabric, &streams, metrics, tap, from + duration, &mut events);
        (lan, events)
    }
}

impl<S: FabricSettings> Together for LanModel<S> {
    fn in_common(&self, warm_up: Duration, duration: Duration) -> Duration {
        branches::in_common(self.site.events.as_ref(), warm_up, duration)
    }

    fn replicate(&self, replication: &Replication<'_>, numbers: &[usize]) -> Vec<Record> {
        let in_common = self.in_common(replication.warm_up, replication.duration);
        branches::replicate(self.observed(replication.without_capture()), replication, in_common, numbers, record)
    }
}

impl<S: FabricSettings> Model for LanModel<S> {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let (from, cancelled) = (Time::ZERO + replication.warm_up, replication.cancelled);
        let to = from + replication.duration;
        let (mut lan, mut events) = self.observed(replication);
        let end = observe(&mut lan, &mut events, from, to, cancelled);
        record(lan, end, events.handled())
    }

    fn sampled(&self) -> Option<&'static str> {
        let probes = |activity: &Activity| activity.service.is_probed_loop() || activity.service.is_probed_one_way();
        let is_probed = self.site.activities.iter().any(probes);
        is_probed.then(|| if self.site.sampled()[0] == Sampled::Responses { "response_time" } else { "one_way_delay" })
    }

    fn link_type(&self) -> Option<LinkType> {
        Some(self.site.capture.link_type())
    }

    #[cfg(feature = "rare")]
    fn rare(&self) -> Option<&dyn RareModel> {
        // the first occurrence after an event is not a rare event of a steady network
        self.site.events.is_none().then_some(self as &dyn RareModel)
    }
}

impl<S: FabricSettings> RareModel for LanModel<S> {
    fn members(&self, _gauge: u32) -> Vec<String> {
        Vec::new()
    }

    fn importance(&self, condition: Watched) -> Watched {
        gauges::importance(condition)
    }

    fn split(&self, replication: Replication<'_>, event: &RareEvent) -> Tally {
        let (lan, events) = self.begin(&replication);
        let from = Time::ZERO + replication.warm_up;
        rare::split(lan, events, [from, from + replication.duration], event, &replication)
    }
}

/// LANs that differ in their events alone, simulated together.
pub fn together<S: FabricSettings + 'static>(
    scenarios: &[&Scenario],
    model: impl Fn(&Scenario) -> Result<LanModel<S>, Problems>,
) -> Option<Box<dyn Together>> {
    let model = |scenario: &Scenario| model(scenario).ok();
    Some(Box::new(branches::one_of_all(scenarios, model, |lan| lan.site.events.as_mut())?))
}

/// The record of a replication that ended at `end`, after this many events.
pub fn record<F: Fabric>(mut lan: Lan<'_, '_, F>, end: Time, events: u64) -> Record {
    let waiting = lan.clients.iter().filter(|client| client.is_waiting()).count()
        + lan.requesters.iter().filter(|requester| requester.exchange.is_some()).count();
    lan.metrics.check_conservation(waiting as u64, lan.packets.len() as u64);
    let clients = lan.clients.iter().filter(|client| client.echo.cycle.probed);
    let requesters = lan.requesters.iter().filter(|requester| requester.request.cycle.probed);
    let open: Vec<_> = clients
        .filter_map(|client| Some((client.flow, client.waited(end)?)))
        .chain(requesters.filter_map(|requester| Some((requester.flow, requester.waited(end)?))))
        .collect();
    lan.metrics.censor_open(&open);
    let tally = lan.fabric.tally(end);
    // a fabric lets its cells and packets pass without events of the queue: each that a port sends is as many
    let sent = tally.ports.iter().map(|port| port.sent).sum::<u64>();
    let mut record = Record { events: events + sent, ..Record::default() };
    if lan.site.channels.is_empty() {
        record.units.insert("queue_length".to_owned(), "packets".to_owned());
        record.count("packets", sent);
    }
    lan.processors(end).for_each(|(host, busy)| record.scalar(format!("processor_utilisation/{host}"), busy));
    loads::report(&lan, &tally, end, &mut record);
    report_ports(lan.site, &tally, &lan.metrics, end, &mut record);
    report_segments(lan.site, &tally, &lan.metrics, end, &mut record);
    report_conditioners(&tally, &mut record);
    report_rates(lan.site, &tally, &mut record);
    report_bulk(lan.site, &lan.metrics, end, &mut record);
    report_calls(lan.site, &lan.talkers, end, &mut record);
    report_one_way(lan.site, &mut lan.metrics, end, &mut record);
    let observed = lan.timed.take();
    report_loss(lan.site, &lan.metrics, &mut record);
    report_loops(lan.site, lan.metrics, &mut record);
    if let Some(observed) = observed {
        observed.events.finish(&mut record);
        record.observe("throughput/timeline", Observation::Timeline(observed.read.finish()));
    }
    let fabric::Tally { queue_trace, rate_trace, .. } = tally;
    for (name, trace) in [("queue_length", queue_trace), ("allowed_cell_rate", rate_trace)] {
        if !trace.is_empty() {
            record.traces.insert(name.to_owned(), trace);
        }
    }
    record
}
