//! Bounds for hosts on links with packet queues (`ip`, Ethernet of `switched-lan`): closed loops of datagrams, and
//! TCP connections whose windows bound their data in flight.
//!
//! A datagram passes the processors and adapters of both hosts and the outputs on its path; each is a server of
//! [`sojourn_bounds::network`]. Under round robin and token buckets, an output is a separate server for each
//! connection; under strict priority, for each class.

mod build;
mod classes;
pub(crate) mod port;
mod share;
mod tcp;
mod theorems;
pub(crate) mod turns;

use std::collections::{BTreeMap, BTreeSet};

use crate::ip;
use crate::model::LanModel;
use crate::site::{Service, Site};
use sojourn_core::Duration;
use sojourn_scenario::{Problems, Scenario};

use self::build::{Carried, Network};
use sojourn_bounds::network::Analysis;
use sojourn_bounds::report::{END_TO_END, Report, SUM_OF_HOPS, Worst};

/// The bounds of a scenario of kind `ip` or `switched-lan`.
pub fn bounds(scenario: &Scenario) -> Result<Report, Problems> {
    let model = match scenario.kind {
        "ip" => ip::scenario::model(scenario, |router| router.duration("forwarding_delay"))?,
        _ if scenario.table("lan").word("framing") == "cells" => {
            return Ok(Report::none(
                "cells of ATM: the bound would need the cell rates of all circuits, which UBR and ABR do not fix",
            ));
        }
        _ => ip::scenario::model(scenario, |switch| switch.table("switch").duration("latency"))?,
    };
    if let Some(conditioner) = model.fabric.conditioners.iter().find(|conditioner| conditioner.meter.is_some()) {
        let name = &conditioner.name;
        return Ok(Report::none(&format!("marking, as of {name}: a meter decides which packets are dropped")));
    }
    if let Some((port, _)) = model.fabric.ports.iter().enumerate().find(|(_, port)| port.queue.early.is_some()) {
        return Ok(Report::none(&format!(
            "random early detection, as at {}: whether a packet is dropped is random",
            model.site.ports[port]
        )));
    }
    let is_random = |(_, port): &(usize, &ip::PortSettings)| port.queue.discipline.drops_at_random();
    if let Some((port, _)) = model.fabric.ports.iter().enumerate().find(is_random) {
        return Ok(Report::none(&format!(
            "the queue of {}: whether a packet is dropped or marked there is random",
            model.site.ports[port]
        )));
    }
    if let Some((port, _)) = model.fabric.ports.iter().enumerate().find(|(_, port)| port.link.trace.is_some()) {
        return Ok(Report::none(&format!("the rate of {} over time is that of a trace", model.site.ports[port])));
    }
    if let Some(segment) = model.fabric.segments.iter().find(|segment| segment.leader().is_none()) {
        let name = &segment.name;
        return Ok(Report::none(&format!(
            "CSMA/CD on {name}: no bound exists, since a frame may collide until it is given up, and others may go before it each time"
        )));
    }
    if let Some(segment) = model.fabric.segments.iter().find(|segment| !segment.takes_turns()) {
        let name = &segment.name;
        return Ok(Report::none(&format!(
            "PLCA on {name}: a bound needs nodes with an ID each, silence that all hear within to_timer, and power"
        )));
    }
    if let Some(reason) = endless(&model) {
        return Ok(Report::none(&reason));
    }
    let network = Network::of(&model.site, &model.fabric);
    let solved = solve(network);
    let mut report = Report::default();
    solved.assumptions(&mut report);
    solved.flows(&mut report);
    solved.queues(&mut report);
    Ok(report)
}

/// Which random time on the path of packets has no upper end, or which flow has no path of its own.
fn endless(model: &LanModel<ip::Settings>) -> Option<String> {
    let is_endless =
        |port: &usize| model.site.is_used(*port as u32) && model.fabric.ports[*port].link.jitter.most().is_none();
    if let Some(port) = (0..model.site.ports.len()).find(is_endless) {
        return Some(format!("the jitter of {}: its distribution has no largest value", model.site.ports[port]));
    }
    model.site.activities.iter().find_map(|activity| match &activity.service {
        Service::Echo(echo) if echo.cycle.server.most().is_none() => {
            Some(format!("the server time of {}: its distribution has no largest value", activity.name))
        }
        _ if !activity.polled.is_empty() => {
            Some(format!("the requests of {} to several servers in turn", activity.name))
        }
        _ => None,
    })
}

/// A network whose flows keep to what its bounds assume.
struct Solved<'a> {
    network: Network<'a>,
    analysis: Analysis,
}

/// Bounds assume that no request times out and no segment is repeated. Flows for which their own bounds do not show that
/// lose their windows, and all is worked out again.
fn solve(mut network: Network<'_>) -> Solved<'_> {
    loop {
        let analysis = network.analyse();
        if !network.give_up_windows(&analysis) {
            return Solved { network, analysis };
        }
    }
}

impl Solved<'_> {
    fn site(&self) -> &Site {
        self.network.site
    }

    fn assumptions(&self, report: &mut Report) {
        let has =
            |wanted: fn(&Service) -> bool| self.site().activities.iter().any(|activity| wanted(&activity.service));
        if has(|service| matches!(service, Service::Echo(_))) {
            report.assume(
                "an echo has one request or response in the network at a time, since no bound exceeds its timeout",
            );
        }
        if has(|service| matches!(service, Service::Bulk(_))) {
            report.assume(
                "a TCP connection has no more in flight than the smaller of send buffer and receive window, and as many \
                 acknowledgements: no segment is lost or repeated",
            );
        }
        for reason in self.network.flows.iter().filter_map(|flow| flow.reason.as_ref()) {
            report.assume(reason.clone());
        }
    }

    fn flows(&self, report: &mut Report) {
        let probed: Vec<&Carried> = self.network.flows.iter().filter(|flow| flow.probed).collect();
        let mut worst: BTreeMap<u32, (&Carried, Result<Duration, String>)> = BTreeMap::new();
        for flow in probed {
            let bound = self.path(flow);
            let longer = |(_, before): &(&Carried, Result<Duration, String>)| match (before, &bound) {
                (Ok(before), Ok(bound)) => bound > before,
                (before, _) => before.is_ok(),
            };
            if worst.get(&flow.number).is_none_or(longer) {
                worst.insert(flow.number, (flow, bound));
            }
        }
        let several = worst.len() > 1;
        let mut longest = Ok(Duration::ZERO);
        for (number, (flow, bound)) in worst {
            let name = &self.site().flows[number as usize];
            let metric = if several { format!("response_time/{name}") } else { "response_time".to_owned() };
            self.path_rows(report, name, &metric, flow, bound.clone());
            longest = longest.and_then(|longest: Duration| bound.map(|bound| longest.max(bound)));
        }
        if several {
            let bounded = longest.map(|bound| (Worst::Delay(bound), SUM_OF_HOPS));
            report.row("all probed flows", END_TO_END, Some("response_time"), bounded);
        }
        for flow in self.network.flows.iter().filter(|flow| !flow.probed) {
            let bounded = self.path(flow).map(|bound| (Worst::Delay(bound), SUM_OF_HOPS));
            let metric = self.delay_of(flow);
            report.row(&flow.name, END_TO_END, metric.as_deref(), bounded);
        }
        self.one_way_flows(report);
    }

    /// Streams and calls with several sources or directions, which are observed together.
    fn one_way_flows(&self, report: &mut Report) {
        let several = self.network.flows.iter().filter(|flow| flow.one_way).map(|flow| flow.number);
        let several: BTreeSet<u32> = several.filter(|&number| self.one_way(number) > 1).collect();
        for number in several {
            let of_flow = self.network.flows.iter().filter(|flow| flow.number == number);
            let longest = of_flow
                .map(|flow| self.path(flow))
                .try_fold(Duration::ZERO, |longest, bound| bound.map(|bound| longest.max(bound)));
            let name = format!("all of {}", self.site().flows[number as usize]);
            let bounded = longest.map(|bound| (Worst::Delay(bound), SUM_OF_HOPS));
            report.row(&name, END_TO_END, Some(&self.one_way_delay(number)), bounded);
        }
    }

    /// The metric of a flow's one-way delay, where it is that of one source, or of one direction of one call.
    fn delay_of(&self, flow: &Carried) -> Option<String> {
        let name = self.one_way_delay(flow.number);
        match self.one_way(flow.number) {
            1 => Some(name),
            2 if flow.is_call => Some(format!("{name}/{}", if flow.is_back() { "return" } else { "forward" })),
            _ => None,
        }
    }

    /// How many sources and directions a flow has whose one-way delays are samples.
    fn one_way(&self, number: u32) -> usize {
        self.network.flows.iter().filter(|flow| flow.number == number && flow.one_way).count()
    }

    fn one_way_delay(&self, number: u32) -> String {
        format!("one_way_delay/{}", self.site().flows[number as usize])
    }

    fn path_rows(
        &self,
        report: &mut Report,
        name: &str,
        metric: &str,
        flow: &Carried,
        bound: Result<Duration, String>,
    ) {
        report.row(name, END_TO_END, Some(metric), bound.map(|bound| (Worst::Delay(bound), SUM_OF_HOPS)));
        for visit in &flow.flow.path {
            let server = &self.network.servers[visit.server];
            let bounded = self.hop(visit.server).map(|delay| (Worst::Delay(delay + visit.onward), server.theorem));
            report.row(name, &server.name, None, bounded);
        }
    }

    fn queues(&self, report: &mut Report) {
        for (port, name) in self.site().ports.iter().enumerate() {
            if self.site().is_used(port as u32) {
                let metric = format!("queue_length/{name}");
                let most = self.network.most_queued(&self.analysis, port);
                let bounded = most.map(|most| (Worst::Backlog(most), theorems::IN_QUEUE));
                report.row("all flows", name, Some(&metric), bounded);
            }
        }
    }

    fn path(&self, flow: &Carried) -> Result<Duration, String> {
        // what makes the others lose their bounds comes first
        if let Some(why) = flow.flow.path.iter().find_map(|visit| self.network.unordered(visit.server)) {
            return Err(why);
        }
        for visit in &flow.flow.path {
            self.hop(visit.server)?;
        }
        self.analysis.end_to_end(&flow.flow).ok_or_else(|| "more arrives than is served".to_owned())
    }

    fn hop(&self, server: usize) -> Result<Duration, String> {
        self.network
            .why_unbounded(&self.analysis, server)
            .map_or_else(|| self.analysis.delays[server].ok_or_else(|| "more arrives than is served".to_owned()), Err)
    }
}
