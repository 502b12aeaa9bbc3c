//! Metrics of the applications of a replication: response times with their budgets, losses, retries.

use sojourn_core::{Duration, Streams, Time};
use sojourn_metrics::RequestLog;
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_model::effect::{Effect, Timeline};
use sojourn_model::flow_tally::FlowTally;
use sojourn_model::timed::Timed;

use super::latency_budget::COMPONENTS;
use super::request::Request;
use super::site::{Flow, MediumKind, Site};

/// Counters of a flow.
#[derive(Clone, Debug)]
pub struct FlowMetrics {
    /// Its messages, and the octets of NPDUs that were delivered.
    pub messages: FlowTally,
    /// Whether response times are sampled.
    pub probe: bool,
    /// Messages offered after the warm-up that were lost.
    pub failures: u64,
    /// Retries of messages offered after the warm-up.
    pub retries: u64,
    /// Response times.
    pub response: Distribution,
    /// Of a poll, times of rounds that began after the warm-up.
    pub rounds: Distribution,
    /// Instant in picoseconds and response time in seconds, if traces are recorded.
    pub trace: Vec<(u64, f64)>,
}

impl FlowMetrics {
    fn new(flow: &Flow) -> FlowMetrics {
        FlowMetrics {
            messages: FlowTally::default(),
            probe: flow.probe,
            failures: 0,
            retries: 0,
            response: Distribution::new(),
            rounds: Distribution::new(),
            trace: Vec::new(),
        }
    }
}

/// Metrics of a replication.
#[derive(Clone, Debug)]
pub struct Metrics<'a> {
    /// Counters by flow.
    pub flows: Vec<FlowMetrics>,
    /// Mean delay budget of all probes.
    pub budget: Budget,
    /// End of the warm-up.
    pub from: Time,
    /// Replies of stations of trunks since then, and those of them that were postponed.
    pub replies: [u64; 2],
    observing: bool,
    /// Whether traces are recorded.
    pub traces: bool,
    /// The probes' messages one by one, if traces are recorded.
    pub requests: RequestLog,
    /// The longest response time of the probes so far.
    pub longest: Duration,
    /// The scenario's events, and what they do to response times; none without events.
    pub timed: Option<Box<Timed<'a, Effect>>>,
}

impl<'a> Metrics<'a> {
    /// No observations yet; the warm-up ends at `warm_up`.
    pub fn new(site: &Site, warm_up: Time, traces: bool) -> Self {
        Metrics {
            flows: site.flows.iter().map(FlowMetrics::new).collect(),
            budget: Budget::new(components(site)),
            from: warm_up,
            replies: [0; 2],
            observing: false,
            traces,
            requests: RequestLog::new(traces),
            longest: Duration::ZERO,
            timed: None,
        }
    }

    /// Observes what a site's events do, up to `end`.
    pub fn observe_events(&mut self, site: &'a Site, streams: &Streams, end: Time) {
        let timed = |timeline: &'a Timeline| Box::new(Timed::new(&timeline.plan, streams, self.from, end));
        self.timed = site.timeline.as_ref().map(timed);
    }

    /// Ends the warm-up.
    pub fn end_warm_up(&mut self) {
        self.observing = true;
        self.replies = [0; 2];
        self.flows.iter_mut().for_each(|flow| flow.messages.end_warm_up());
    }

    /// Messages of a flow are offered.
    pub fn offered(&mut self, now: Time, flow: u16, messages: u64) {
        let tally = &mut self.flows[usize::from(flow)];
        tally.messages.offered.add(messages);
        if tally.probe
            && let Some(timed) = &mut self.timed
        {
            (0..messages).for_each(|_| timed.sent(now));
        }
    }

    /// A request is sent again that was offered at `started`.
    pub fn retried(&mut self, flow: u16, started: Time) {
        self.flows[usize::from(flow)].retries += u64::from(started >= self.from);
    }

    /// A station of a trunk replies, at once or with its token.
    pub fn replied(&mut self, is_postponed: bool) {
        self.replies[0] += 1;
        self.replies[1] += u64::from(is_postponed);
    }

    /// A poll has asked all its receivers once, the first at `begun`, and each has answered or failed.
    pub fn round_ended(&mut self, now: Time, flow: u16, begun: Time) {
        if begun >= self.from {
            self.flows[usize::from(flow)].rounds.record(now - begun);
        }
    }

    /// A message of `octets` is delivered, or its reply has come, at `at`.
    pub fn delivered(&mut self, at: Time, (flow, station): (u16, u32), request: &Request, octets: u16) {
        let span = at - request.started;
        let tally = &mut self.flows[usize::from(flow)];
        tally.messages.deliver(u64::from(octets));
        if !tally.probe {
            return;
        }
        if let Some(timed) = &mut self.timed {
            timed.ended(request.started, Some(span));
        }
        if request.started < self.from {
            return;
        }
        tally.response.record(span);
        self.longest = self.longest.max(span);
        if self.traces {
            tally.trace.push((at.picoseconds(), span.seconds()));
            self.requests.responded(flow.into(), station, request.started, span);
        }
        let spent = request.budget.components();
        assert_eq!(spent.iter().copied().sum::<Duration>(), span, "the delay budget adds up to the response time");
        self.budget.record(&spent[..self.budget.components().len()]);
    }

    /// A message is lost that was offered at `started`.
    pub fn lost(&mut self, (flow, station): (u16, u32), started: Time) {
        let tally = &mut self.flows[usize::from(flow)];
        tally.messages.lose(1);
        if tally.probe
            && let Some(timed) = &mut self.timed
        {
            timed.ended(started, None);
        }
        if started < self.from {
            return;
        }
        tally.failures += 1;
        if tally.probe {
            self.requests.failed(flow.into(), station, started);
        }
    }

    /// Panics unless offered = delivered + lost + `in_flight` messages.
    pub fn check_conservation(&self, in_flight: u64) {
        let sum = |count: fn(&FlowTally) -> u64| self.flows.iter().map(|flow| count(&flow.messages)).sum::<u64>();
        let ended = sum(|flow| flow.delivered.total()) + sum(|flow| flow.lost.total());
        assert_eq!(sum(|flow| flow.offered.total()), ended + in_flight, "offered = delivered + lost + in flight");
    }
}

/// The components of the delay budget: the last two are of routers and IP networks.
fn components(site: &Site) -> &'static [&'static str] {
    let has_ip = site.media.iter().any(|medium| matches!(medium.kind, MediumKind::Ip { .. }));
    let without = match (has_ip, site.has_routers()) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    &COMPONENTS[..COMPONENTS.len() - without]
}
