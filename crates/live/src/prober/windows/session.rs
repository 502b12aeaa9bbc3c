//! One session with a peer, window by window.

use std::collections::VecDeque;
use std::ops::Range;

use sojourn_core::random::Streams;
use sojourn_core::{Duration, Time};
use sojourn_metrics::record::{Observation, Record};

use super::event::{MONITORED, Window, WindowEvent, Windows};
use super::outage_watch::{Change, OutageWatch};
use crate::io::alarm::Alarm;
use crate::io::clock::Clock;
use crate::io::wall_clock::Pair;
use crate::prober::clock_estimate::ClockEstimate;
use crate::prober::loader::{LoadWindow, Loader};
use crate::prober::measured::Measured;
use crate::prober::outages::{RunOutages, SHORTEST};
use crate::prober::pacer::{Pacer, Pacing};
use crate::prober::peer::{Peer, PeerCounts};
use crate::prober::phase_metrics;
use crate::prober::plan::TimedTest;
use crate::prober::probing::{ProbePhase, Prober, Timing};
use crate::prober::schedule::Departures;
use crate::prober::silence::{EndReason, SilenceLimits};
use crate::progress::watch::Watch;

/// From the start to the first request.
const LEAD: Duration = Duration::from_millis(20);
/// How often outages are looked for.
const TICK: Duration = Duration::from_secs(1);
/// The same while the peer is asked for its counters.
const ASKING_TICK: Duration = Duration::from_millis(200);
/// How long the peer's counters of a window are waited for beyond the timeout of a request.
const COUNTS_WAIT: Duration = Duration::from_millis(500);
/// Added to the timeout after a window's end, so that an outage that begins at its end is known.
const LATER: Duration = Duration::from_millis(100);
/// The latest requests are kept: three without a response are silence.
const KEPT: u64 = 3;

/// Measures in windows until the watch is cancelled, the session ends or is over.
pub fn run<P: Peer, L: Loader>(
    peer: &mut P,
    loader: &mut L,
    clock: Clock,
    (plan, windows): (&TimedTest, &Windows),
    watch: &Watch,
) -> Measured {
    let alarm = match Alarm::new(clock) {
        Ok(alarm) => alarm,
        Err(fault) => return Measured::failed(MONITORED, format!("this host has no timer left: {fault}")),
    };
    let pacer = Pacer::new(clock, plan.pacing.unwrap_or(Pacing::Sleep), plan.schedule.spacing(), &[]);
    let limits = SilenceLimits { timeout: plan.timeout, outage: None, has_responded: true };
    let prober = Prober::new(peer, Timing { clock, alarm, pacer }, 0, limits, watch).sparing();
    let began = clock.now() + LEAD;
    let session = Session {
        prober,
        loader,
        clock,
        plan,
        windows,
        watch,
        began,
        window: Current { begin: began, first: 0, loaded: false },
        ended: VecDeque::new(),
        decided: 0,
        outages: OutageWatch::new(plan.timeout),
        has_responded: false,
        loading: None,
        load_slot: None,
    };
    let reason = session.run();
    windows.send(WindowEvent::Ended(reason));
    Measured::default()
}

impl Windows {
    fn send(&self, event: WindowEvent) {
        // without a receiver nothing is left to report to
        let _ = self.events.send((self.target, event));
    }
}

struct Session<'a, 'p, P, L> {
    prober: Prober<'p, P>,
    loader: &'a mut L,
    clock: Clock,
    plan: &'a TimedTest,
    windows: &'a Windows,
    watch: &'a Watch,
    began: Time,
    window: Current,
    /// Windows that have ended, some of whose requests may still be answered.
    ended: VecDeque<Ended>,
    /// Requests before this one are answered or lost, and looked through for outages.
    decided: u64,
    outages: OutageWatch,
    has_responded: bool,
    /// The load of the last loaded window.
    loading: Option<LoadWindow>,
    /// The interval of the schedule of loads that the last window began in.
    load_slot: Option<u64>,
}

/// The window whose requests are sent.
#[derive(Clone, Debug)]
struct Current {
    begin: Time,
    /// Sequence number of its first request.
    first: u64,
    loaded: bool,
}

/// A window whose requests are all sent.
#[derive(Clone, Debug)]
struct Ended {
    begin: Time,
    end: Time,
    requests: Range<u64>,
    loaded: bool,
    /// Whether the load ended in it.
    is_last_loaded: bool,
    /// When the peer was asked for its counters first.
    asked_at: Option<Time>,
}

impl<P: Peer, L: Loader> Session<'_, '_, P, L> {
    /// Returns why the session could not go on, if so.
    fn run(mut self) -> Option<String> {
        self.windows.send(WindowEvent::Opened { at_ns: self.wall_ns(self.began) });
        let stream = Streams::new(self.plan.seed, 0).stream(&format!("departures/{MONITORED}"));
        let departures = Departures::new(self.plan.schedule, self.began, stream);
        let mut phase = ProbePhase { departures, until: self.began, octets: self.plan.sizes[0] };
        self.begin_load();
        loop {
            let window_ends = self.window.begin + self.windows.length;
            let tick = if self.is_asking() { ASKING_TICK } else { TICK };
            phase.until = window_ends.min(phase.until + tick);
            if let Err(ending) = self.prober.probe(&mut phase) {
                return self.end(Some(&ending));
            }
            self.look();
            if phase.until == window_ends {
                self.next_window();
                if self.is_over() {
                    return self.end(None);
                }
            }
            self.reduce_due();
        }
    }

    /// The window has ended, and another begins.
    fn next_window(&mut self) {
        let next = self.prober.packets().next_sequence();
        self.prober.phase_over();
        let Current { begin, first, loaded } = self.window.clone();
        let end = begin + self.windows.length;
        let is_last_loaded = loaded && self.loading.is_some_and(|loading| loading.end <= end);
        self.ended.push_back(Ended { begin, end, requests: first..next, loaded, is_last_loaded, asked_at: None });
        let still_loaded = self.loading.is_some_and(|loading| loading.end > end);
        self.window = Current { begin: end, first: next, loaded: still_loaded };
        self.begin_load();
    }

    /// Loads the path from the begin of the window on, if that is due; not in an outage.
    fn begin_load(&mut self) {
        let Some(times) = self.windows.load.filter(|_| !self.plan.loads.is_empty()) else { return };
        let since_1970 = self.wall_ns(self.window.begin) as f64 * 1e-9;
        let slot = ((since_1970 - times.offset.seconds()) / times.every.seconds()) as u64;
        let is_due = self.load_slot.is_some_and(|last| last != slot);
        self.load_slot = Some(slot);
        if !is_due || self.loading.is_some() || !self.has_responded || self.outages.is_silent() {
            return;
        }
        let loading = LoadWindow { start: self.window.begin, end: self.window.begin + times.duration };
        match self.loader.begin(loading, self.clock, self.watch.gauge().carried()) {
            Ok(()) => {
                self.loading = Some(loading);
                self.window.loaded = true;
            }
            Err(_) => drop(self.loader.end()),
        }
    }

    /// Whether the session ends with this window: it is old, or the peer restarted, whose clock and counters began anew.
    fn is_over(&mut self) -> bool {
        self.prober.peer().has_restarted() || self.window.begin.since(self.began) >= self.windows.session
    }

    /// Looks through requests that are decided by now.
    fn look(&mut self) {
        let decided = self.prober.settle(self.clock.now());
        let mut changes = Vec::new();
        let mut responding = None;
        for sequence in self.decided..decided {
            let Some(packet) = self.prober.packets().get(sequence) else { continue };
            if !self.has_responded && packet.response().is_some_and(|response| response <= self.plan.timeout) {
                self.has_responded = true;
                responding = Some(packet.sent);
            }
            changes.extend(self.outages.next(packet));
        }
        self.decided = self.decided.max(decided);
        if let Some(at) = responding {
            self.windows.send(WindowEvent::Responding { at_ns: self.wall_ns(at) });
        }
        for change in changes {
            self.windows.send(match change {
                Change::Began(outage) => {
                    let cause = self.prober.errors().last_within(outage.begin, outage.until(self.clock.now()));
                    let cause = cause.map(|cause| cause.to_string());
                    WindowEvent::OutageBegan { at_ns: self.wall_ns(outage.begin), cause }
                }
                Change::Ended(outage) => {
                    WindowEvent::OutageEnded { at_ns: self.wall_ns(outage.until(self.clock.now())) }
                }
            });
        }
    }

    /// Whether a window waits for what the peer counted.
    fn is_asking(&self) -> bool {
        self.ended.front().is_some_and(|window| self.clock.now() >= self.due(window))
    }

    /// When all requests of a window are decided.
    fn due(&self, window: &Ended) -> Time {
        window.end + self.plan.timeout + SHORTEST + LATER
    }

    /// Reduces windows whose requests are decided, once the peer's counters are known or have been waited for.
    fn reduce_due(&mut self) {
        let longest = self.plan.timeout + COUNTS_WAIT;
        while let Some(window) = self.ended.front() {
            let now = self.clock.now();
            if now < self.due(window) {
                return;
            }
            let (requests, asked_at) = (window.requests.clone(), window.asked_at.unwrap_or(now));
            // in an outage nothing would answer, and windows would wait for each other
            let counts = if self.outages.is_outage() { Some(None) } else { self.prober.poll_counts(requests, now) };
            if counts.is_none() && now.since(asked_at) < longest {
                self.ended.iter_mut().take(1).for_each(|window| window.asked_at = Some(asked_at));
                return;
            }
            if let Some(window) = self.ended.pop_front() {
                self.reduce(&window, counts.flatten().as_ref());
            }
        }
    }

    /// Reports a window and drops its requests.
    fn reduce(&mut self, window: &Ended, counts: Option<&PeerCounts>) {
        let Ended { begin, end, ref requests, loaded, is_last_loaded, .. } = *window;
        let packets = self.prober.packets();
        let first = packets.first_sequence();
        let range = (requests.start - first) as usize..(requests.end.max(requests.start) - first) as usize;
        let within = &packets.all()[range.clone()];
        let estimate = ClockEstimate::of(within);
        let timeout = self.plan.timeout;
        let mut record = phase_metrics::record(packets, range, timeout, estimate.as_ref(), end.since(begin), counts);
        let outages = RunOutages::known(self.outages.known(), (begin, self.clock.now()), self.prober.errors());
        outages.of_phase(within, (begin, end), &mut record);
        let timely = |response: &Duration| *response <= timeout;
        let responses = within.iter().filter_map(|packet| packet.response().filter(timely)).collect();
        let sent = within.len() as u64;
        let peer = self.prober.peer();
        if let Some(estimate) = estimate.as_ref().filter(|_| peer.has_wall_clock()) {
            let (value, error) = (estimate.ahead_of_wall_s(Pair::read(&self.clock)), estimate.error_ns() * 1e-9);
            record.observe("clock_offset", Observation::Estimate { value, interval: [value - error, value + error] });
        }
        peer.record_metrics(requests.clone(), timeout, &mut record);
        self.end_load(loaded, is_last_loaded, begin, &mut record);
        let [begin_ns, end_ns] = [begin, end].map(|time| self.wall_ns(time));
        self.windows.send(WindowEvent::Window(Box::new(Window { begin_ns, end_ns, loaded, sent, responses, record })));
        let kept = self.prober.packets().next_sequence().saturating_sub(KEPT);
        self.prober.forget(requests.end.min(kept).min(self.decided), begin);
        self.outages.forget(begin);
    }

    /// Records what a load carried with the last window that it loaded.
    fn end_load(&mut self, loaded: bool, is_last: bool, begin: Time, record: &mut Record) {
        if is_last && self.loading.take().is_some() {
            self.loader.end().record(begin, record);
        } else if !loaded {
            record.observe("throughput", Observation::NotApplicable);
        }
    }

    /// Reports all windows as far as their requests are decided.
    fn end(mut self, ending: Option<&EndReason>) -> Option<String> {
        if matches!(ending, None | Some(EndReason::Full)) {
            self.prober.drain();
        }
        self.look();
        let is_partial = self.prober.packets().next_sequence() > self.window.first;
        if is_partial {
            let now = self.clock.now();
            let Current { begin, first, loaded } = self.window.clone();
            let requests = first..self.prober.packets().next_sequence();
            self.prober.phase_over();
            let (end, is_last_loaded) = (now.max(begin), loaded);
            self.ended.push_back(Ended { begin, end, requests, loaded, is_last_loaded, asked_at: None });
        }
        let since = match ending {
            Some(EndReason::Ended { since, .. }) => Some(*since),
            _ => None,
        };
        while let Some(mut window) = self.ended.pop_front() {
            let counts = if ending.is_none() { self.prober.peer().counts(window.requests.clone()) } else { None };
            self.cut(&mut window, since);
            if window.requests.start < window.requests.end {
                self.reduce(&window, counts.as_ref());
            }
        }
        if self.loading.take().is_some() {
            self.loader.end();
        }
        match ending {
            Some(EndReason::Ended { reason, .. }) => Some(reason.clone()),
            _ => None,
        }
    }

    /// Takes requests off a window that are not decided, or were sent after the peer ended the session.
    fn cut(&self, window: &mut Ended, since: Option<Time>) {
        let packets = self.prober.packets();
        let within = |sequence: u64| {
            let sent = packets.get(sequence).map(|packet| packet.sent);
            sequence < self.decided && since.is_none_or(|since| sent.is_some_and(|sent| sent <= since))
        };
        let count = window.requests.clone().take_while(|sequence| within(*sequence)).count() as u64;
        let end = window.requests.start + count;
        if end < window.requests.end {
            window.end = packets.get(end).map_or(window.end, |packet| packet.sent.min(window.end).max(window.begin));
            window.requests.end = end;
        }
    }

    fn wall_ns(&self, at: Time) -> u64 {
        Pair::read(&self.clock).wall_ns_at(at)
    }
}
