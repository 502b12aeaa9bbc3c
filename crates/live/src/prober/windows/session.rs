//! One session with a peer, window by window.

use std::collections::VecDeque;
use std::ops::Range;

use sojourn_core::random::Streams;
use sojourn_core::{Duration, Time};
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::results::PathFinding;

use super::event::{MONITORED, Window, WindowEvent, Windows};
use super::outage_watch::{Change, OutageWatch};
use crate::io::alarm::Alarm;
use crate::io::clock::Clock;
use crate::io::wall_clock::Pair;
use crate::prober::clock_estimate::ClockEstimate;
use crate::prober::host_pauses::Pause;
use crate::prober::loader::{LoadWindow, Loader};
use crate::prober::measured::Measured;
use crate::prober::outages::{RunOutages, SHORTEST};
use crate::prober::pacer::{Pacer, Pacing};
use crate::prober::packets::Verdict;
use crate::prober::path::{self, Known};
use crate::prober::peer::{Peer, PeerCounts};
use crate::prober::phase_metrics;
use crate::prober::plan::TimedTest;
use crate::prober::probing::{ProbePhase, Prober, Timing};
use crate::prober::schedule::Departures;
use crate::prober::silence::{EndReason, SilenceLimits};
use crate::prober::verdicts::Verdicts;
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
        looked_at: began,
        window: Current { begin: began, first: 0, loaded: false },
        ended: VecDeque::new(),
        decided: 0,
        outages: OutageWatch::new(plan.timeout),
        pauses: VecDeque::new(),
        unreported: 0,
        has_responded: false,
        rebindings: 0,
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
    looked_at: Time,
    window: Current,
    /// Windows that have ended, some of whose requests may still be answered.
    ended: VecDeque<Ended>,
    /// Requests before this one are answered or lost, and looked through for outages.
    decided: u64,
    outages: OutageWatch,
    /// Pauses of this host, as long as windows may have a part of them.
    pauses: VecDeque<Pause>,
    /// Requests not sent in windows that are not reported, as this host was paused throughout.
    unreported: u64,
    has_responded: bool,
    /// Rebindings that were reported.
    rebindings: usize,
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
    /// When its last request was sent, or its end.
    last_sent: Time,
    /// Requests that were due in it and not sent.
    not_sent: u64,
    /// When the peer was asked for its counters first.
    asked_at: Option<Time>,
}

impl Ended {
    /// A window without requests.
    fn new(begin: Time, end: Time) -> Ended {
        Ended {
            begin,
            end,
            requests: 0..0,
            loaded: false,
            is_last_loaded: false,
            last_sent: end,
            not_sent: 0,
            asked_at: None,
        }
    }
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
            phase.until = window_ends.min(self.next_look(&phase));
            if let Err(ending) = self.prober.probe(&mut phase) {
                return self.end(Some(&ending));
            }
            self.look();
            if self.windows.has_moved() {
                return self.end(None);
            }
            if phase.until == window_ends {
                self.next_window();
                if self.is_over() {
                    return self.end(None);
                }
            }
            self.reduce_due();
        }
    }

    /// When outages are looked for next: with a departure where one is near, since each wake-up costs as much as a request.
    fn next_look(&self, phase: &ProbePhase) -> Time {
        let tick = if self.is_asking() { ASKING_TICK } else { TICK };
        let (at, departure) = (phase.until + tick, phase.departures.after_next());
        if departure >= at && departure < at + tick { departure } else { at }
    }

    /// The window has ended, and another begins.
    fn next_window(&mut self) {
        let next = self.prober.packets().next_sequence();
        self.prober.phase_over();
        let Current { begin, first, loaded } = self.window.clone();
        let end = begin + self.windows.length;
        let is_last_loaded = loaded && self.loading.is_some_and(|loading| loading.end <= end);
        self.end_window(Ended { requests: first..next, loaded, is_last_loaded, ..Ended::new(begin, end) });
        let still_loaded = self.loading.is_some_and(|loading| loading.end > end);
        self.window = Current { begin: end, first: next, loaded: still_loaded };
        self.begin_load();
        self.prober.worked();
    }

    /// Keeps a window until its requests are decided.
    fn end_window(&mut self, window: Ended) {
        let packets = self.prober.packets();
        let last = window.requests.end.checked_sub(1).filter(|last| *last >= window.requests.start);
        let last_sent = last.and_then(|last| packets.get(last)).map_or(window.end, |packet| packet.sent);
        let not_sent = self.prober.take_not_sent();
        self.ended.push_back(Ended { last_sent: last_sent.max(window.end), not_sent, ..window });
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
        let looked_at = std::mem::replace(&mut self.looked_at, self.clock.now());
        self.prober.look_for_suspension(looked_at);
        for pause in self.prober.take_pauses() {
            let [begin_ns, end_ns] = [pause.begin, pause.end].map(|at| self.wall_ns(at));
            let suspended_ns = pause.suspended.picoseconds() / 1000;
            let begin_ns = begin_ns.saturating_sub(suspended_ns);
            self.windows.send(WindowEvent::HostPaused { begin_ns, end_ns });
            self.pauses.push_back(pause);
        }
        let decided = self.prober.settle(self.clock.now());
        let mut changes = Vec::new();
        let mut responding = None;
        for sequence in self.decided..decided {
            let Some(packet) = self.prober.packets().get(sequence) else { continue };
            if !self.has_responded && packet.is_in_time(self.plan.timeout) {
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
                    let cause = cause.or_else(|| outage.late_cause(self.prober.packets().all(), self.plan.timeout));
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
        self.ended.front().is_some_and(|window| self.is_due(window, self.clock.now()))
    }

    /// Whether all requests of a window are decided: a timeout after the last has left, which may be after the window's end.
    /// Where answers come after the timeout, those of the last are waited for.
    fn is_due(&self, window: &Ended, now: Time) -> bool {
        let timeout = self.plan.timeout;
        let decided = window.last_sent + timeout;
        if now < decided + SHORTEST + LATER || now >= decided + timeout {
            return now >= decided + SHORTEST + LATER;
        }
        let packets = self.prober.packets();
        let mut within = window.requests.clone().filter_map(|sequence| packets.get(sequence));
        !within.any(|packet| packet.verdict(timeout) == Verdict::Late)
    }

    /// The pauses of this host that a window has a part of.
    fn pauses_within(&self, begin: Time, end: Time) -> impl Iterator<Item = &Pause> {
        self.pauses.iter().filter(move |pause| pause.begin < end && pause.end >= begin)
    }

    /// Reduces windows whose requests are decided, once the peer's counters are known or have been waited for.
    fn reduce_due(&mut self) {
        let longest = self.plan.timeout + COUNTS_WAIT;
        while let Some(window) = self.ended.front() {
            let now = self.clock.now();
            if !self.is_due(window, now) {
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
        let host_paused = self.pauses_within(begin, end).count() as u64;
        let not_sent = std::mem::take(&mut self.unreported) + window.not_sent;
        if requests.is_empty() && host_paused > 0 {
            self.unreported = not_sent;
            return;
        }
        let packets = self.prober.packets();
        let first = packets.first_sequence();
        let range = (requests.start - first) as usize..(requests.end.max(requests.start) - first) as usize;
        let within = &packets.all()[range.clone()];
        let estimate = ClockEstimate::of(within);
        let timeout = self.plan.timeout;
        let phase = range.clone();
        let mut record = phase_metrics::record(packets, range, timeout, estimate.as_ref(), end.since(begin), counts);
        let outages = RunOutages::known(self.outages.known(), timeout, (begin, self.clock.now()), self.prober.errors());
        outages.of_phase(within, (begin, end), &mut record);
        let responses = within.iter().filter_map(|packet| packet.measured(timeout)).collect();
        let Verdicts { answered, late, .. } = Verdicts::of(within, timeout);
        let sent = within.len() as u64;
        record.count("not_sent", not_sent);
        record.count("host_paused", host_paused);
        let path = self.path(phase, (begin, loaded), estimate.as_ref());
        let peer = self.prober.peer();
        if let Some(estimate) = estimate.as_ref().filter(|_| peer.has_wall_clock()) {
            let (value, error) = (estimate.ahead_of_wall_s(Pair::read(&self.clock)), estimate.error_ns() * 1e-9);
            record.observe("clock_offset", Observation::Estimate { value, interval: [value - error, value + error] });
        }
        peer.record_metrics(requests.clone(), timeout, &mut record);
        self.end_load(loaded, is_last_loaded, begin, &mut record);
        let [begin_ns, end_ns] = [begin, end].map(|time| self.wall_ns(time));
        let counts = Window { sent, answered, late, not_sent, host_paused, ..Window::default() };
        let window = Window { begin_ns, end_ns, loaded, responses, path, record, ..counts };
        self.windows.send(WindowEvent::Window(Box::new(window)));
        let kept = self.prober.packets().next_sequence().saturating_sub(KEPT);
        self.prober.forget(requests.end.min(kept).min(self.decided), begin);
        self.outages.forget(begin);
        self.pauses.retain(|pause| pause.end >= begin);
    }

    /// What the path did to the packets of a window, and rebindings not reported yet.
    fn path(
        &mut self,
        phase: Range<usize>,
        (begin, is_loaded): (Time, bool),
        estimate: Option<&ClockEstimate>,
    ) -> Vec<PathFinding> {
        let peer = self.prober.peer();
        let (has_restarted, responds_in_order) = (peer.has_restarted(), peer.responds_in_order());
        let rebindings = peer.rebindings().to_vec();
        let reported = std::mem::replace(&mut self.rebindings, rebindings.len());
        let estimate = estimate.filter(|_| !has_restarted);
        let timeout = self.plan.timeout;
        let known = Known { phase: None, began: begin, timeout, estimate, has_restarted, responds_in_order, is_loaded };
        let packets = self.prober.packets();
        let mut found = path::of_run(packets, &rebindings[reported..], &known);
        found.extend(path::of_phase(packets, phase, &known));
        found
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
            self.end_window(Ended { requests, loaded, is_last_loaded, ..Ended::new(begin, end) });
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
