//! What one replication observed.

use sojourn_core::{Duration, Time};
use sojourn_metrics::{Budget, Distribution, Observation, Record, RequestLog};

use super::levels::{Seen, Window};
use super::loads;
use super::observer::Observer;
use super::plan::Effect;
use super::scenario::Settings;
use sojourn_model::flow_tally::FlowTally;
use sojourn_model::timed::{Step, Timed};

/// The parts of a response time.
const COMPONENTS: &[&str] = &["waiting", "service"];

/// Counts and samples of the customers.
pub(super) struct Metrics<'a> {
    settings: &'a Settings,
    window: Window,
    flows: Vec<FlowMetrics>,
    budget: Budget,
    /// Samples of the probes in the order of arrival, when they were asked for.
    trace: Option<Vec<(u64, f64)>>,
    /// The probes one by one, by flow and the station that they enter first, when they were asked for.
    requests: RequestLog,
    /// Customers since time 0; one that leaves after the end counts as in flight.
    tally: FlowTally,
    /// Of these, those that leave after the end: their flow, and when they entered.
    leaving: Vec<(u32, Time)>,
    /// The events of the scenario, and what is observed of the probes beside them.
    pub timed: Option<Timed<'a, Effect>>,
}

#[derive(Clone, Default)]
struct FlowMetrics {
    response_time: Distribution,
    lost: u64,
}

impl Observer for Metrics<'_> {
    const SEES_TRANSFERS: bool = false;

    #[inline]
    fn offer(&mut self, now: Time, flow: u32) {
        self.offer_all(1);
        if self.timed.is_some() {
            self.observe_over_time(flow, |timed| timed.sent(now));
        }
    }

    #[inline]
    fn complete(&mut self, departure: Time, flow: u32, entered: Time, served: Duration) {
        if departure > self.window.to {
            self.leaving.push((flow, entered));
            return;
        }
        self.tally.deliver(0);
        if self.timed.is_some() {
            self.observe_over_time(flow, |timed| timed.ended(entered, Some(departure.since(entered))));
        }
        if departure < self.window.from {
            return;
        }
        let response_time = departure.since(entered);
        self.flows[flow as usize].response_time.record(response_time);
        if self.settings.flows[flow as usize].probe {
            self.budget.record(&[response_time - served, served]);
            if let Some(trace) = &mut self.trace {
                trace.push((departure.picoseconds(), response_time.seconds()));
            }
            self.requests.responded(flow, 0, entered, response_time);
        }
    }

    #[inline]
    fn lose(&mut self, now: Time, flow: u32, entered: Time) {
        self.tally.lose(1);
        if self.timed.is_some() {
            self.observe_over_time(flow, |timed| timed.ended(entered, None));
        }
        if self.window.holds(now) {
            self.flows[flow as usize].lost += 1;
            if self.settings.flows[flow as usize].probe {
                self.requests.failed(flow, 0, entered);
            }
        }
    }

    fn take(&mut self, now: Time, step: Step) -> (Option<(Time, Step)>, Vec<Effect>) {
        let (next, effects) = self.timed.as_mut().expect("the scenario has events").take(now, step);
        (next, effects.collect())
    }
}

impl<'a> Metrics<'a> {
    /// Nothing seen yet.
    pub fn new(settings: &'a Settings, window: Window, traced: bool, timed: Option<Timed<'a, Effect>>) -> Self {
        Metrics {
            settings,
            window,
            flows: vec![FlowMetrics::default(); settings.flows.len()],
            budget: Budget::new(COMPONENTS),
            trace: traced.then(Vec::new),
            requests: RequestLog::new(traced),
            tally: FlowTally::default(),
            leaving: Vec::new(),
            timed,
        }
    }

    /// Observes a customer of the probes beside the events of the scenario.
    // inlined, it would slow runs without events
    #[inline(never)]
    fn observe_over_time(&mut self, flow: u32, observe: impl FnMut(&mut Timed<'a, Effect>)) {
        self.timed.iter_mut().filter(|_| self.settings.flows[flow as usize].probe).for_each(observe);
    }

    /// So many customers arrive from outside.
    #[inline]
    pub fn offer_all(&mut self, customers: u64) {
        self.tally.offered.add(customers);
    }

    /// Customers of a flow leave at the instants `departure`, as by [`Observer::complete`] one after the other.
    pub fn complete_all(&mut self, departure: &[Time], flow: u32, entered: &[Time], waited: &[Duration]) {
        let visits = departure
            .iter()
            .zip(entered)
            .zip(waited)
            .map(|((&departure, &entered), &waited)| (departure, entered, waited));
        let are_inside = departure.iter().all(|&departure| self.window.holds(departure));
        if !are_inside || self.trace.is_some() {
            return visits.for_each(|(departure, entered, waited)| {
                self.complete(departure, flow, entered, departure.since(entered) - waited);
            });
        }
        self.tally.delivered.add(departure.len() as u64);
        let response_times = departure.iter().zip(entered).map(|(&departure, &entered)| departure.since(entered));
        self.flows[flow as usize].response_time.record_all(response_times);
        if self.settings.flows[flow as usize].probe {
            let parts = visits.map(|(departure, entered, waited)| [waited, departure.since(entered) - waited]);
            self.budget.record_all(parts);
        }
    }

    /// The record. The customers `in_transit`, by flow and when they entered, are between two stations at the end.
    pub fn finish(mut self, stations: Vec<Seen>, in_transit: impl Iterator<Item = (u32, Time)>) -> Record {
        self.leaving.extend(in_transit);
        self.tally.check_conservation(self.leaving.len() as u64);
        self.censor();
        let mut record = Record::default();
        record.units.insert("queue_length".to_owned(), "customers".to_owned());
        self.report_flows(&mut record);
        self.report_stations(stations, &mut record);
        record.observe("delay_budget", Observation::Budget(self.budget));
        if let Some(trace) = self.trace.take() {
            record.trace("response_time".to_owned(), trace);
        }
        if let Some(timed) = self.timed.take() {
            timed.finish(&mut record);
        }
        self.requests.store(&mut record, |flow, _| {
            let flow = &self.settings.flows[flow as usize];
            (flow.name.clone(), self.settings.stations[flow.path[0]].name.clone())
        });
        record
    }

    /// Customers that found no room never come back, nor do those that are older than all that came back.
    fn censor(&mut self) {
        for (index, flow) in (0..).zip(&mut self.flows) {
            flow.response_time.censor(flow.lost);
            let open = self.leaving.iter().filter(|(of, _)| *of == index);
            flow.response_time.censor_open(open.map(|&(_, entered)| self.window.to.since(entered)));
        }
    }

    /// Response times, rate and loss of the probes together, and of each flow where there are several.
    fn report_flows(&mut self, record: &mut Record) {
        let mut probes = FlowMetrics::default();
        let several = self.flows.len() > 1;
        for (settings, flow) in self.settings.flows.iter().zip(std::mem::take(&mut self.flows)) {
            if settings.probe {
                probes.response_time.merge(&flow.response_time);
                probes.lost += flow.lost;
            }
            if several {
                self.report_flow(record, &format!("/{}", settings.name), flow);
            }
        }
        self.report_flow(record, "", probes);
    }

    fn report_flow(&self, record: &mut Record, member: &str, flow: FlowMetrics) {
        let completed = flow.response_time.count();
        let offered = completed + flow.lost;
        let observed = self.window.to.since(self.window.from).seconds();
        let share = |part: u64, whole: f64| if whole > 0.0 { part as f64 / whole } else { 0.0 };
        record.scalar(format!("transaction_rate{member}"), share(completed, observed));
        record.share(format!("loss{member}"), flow.lost, offered);
        record.count(format!("failures{member}"), flow.lost);
        record.observe(format!("response_time{member}"), Observation::Distribution(flow.response_time));
    }

    /// Each station, and without a member the bottleneck: the station of the highest utilisation.
    fn report_stations(&self, stations: Vec<Seen>, record: &mut Record) {
        // events change rates, services and servers in the run
        if self.settings.events.is_none() {
            let busy: Vec<f64> = stations.iter().map(|seen| seen.utilisation).collect();
            for (settings, load) in self.settings.stations.iter().zip(loads::of(self.settings, &busy)) {
                record.load(&settings.name, load);
            }
        }
        let busier =
            |most: usize, at: usize| if stations[at].utilisation > stations[most].utilisation { at } else { most };
        let bottleneck = (0..stations.len()).fold(0, busier);
        for (at, (settings, seen)) in self.settings.stations.iter().zip(stations).enumerate() {
            let member = format!("/{}", settings.name);
            if at == bottleneck {
                report_station(&seen, "", record);
            }
            report_station(&seen, &member, record);
            if let Some(trace) = seen.trace {
                record.traces.insert(format!("queue_length{member}"), trace);
            }
        }
    }
}

fn report_station(seen: &Seen, member: &str, record: &mut Record) {
    record.scalar(format!("utilisation{member}"), seen.utilisation);
    let level = Observation::TimeWeighted { mean: seen.mean, max: seen.max };
    record.observe(format!("queue_length{member}"), level);
    for (metric, timeline) in ["queue_length", "utilisation"].iter().zip(seen.timelines.iter().flatten()) {
        record.observe(format!("{metric}{member}/timeline"), Observation::Timeline(timeline.clone()));
    }
}
