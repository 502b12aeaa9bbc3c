//! The measuring loop: sends requests when they are due and receives responses, on one thread.
//!
//! Between departures it blocks in the peer's `wait`, so that a response wakes it at once; just before a departure it
//! spins and still receives. Nothing that can be deferred runs between a request and its response: the timer for the
//! next departure is armed before the request, the next request is encoded after the response.

use std::ops::Range;

use sojourn_core::{Duration, Time};

use super::host_pauses::{HostPauses, Pause};
use super::outages::NetworkErrors;
use super::outstanding::Outstanding;
use super::pacer::{Pacer, Pacing, Sleep};
use super::packets::{Packets, Verdict};
use super::peer::{Peer, PeerCounts, Request, Socket};
use super::request_log::run::RunLog;
use super::schedule::Departures;
use super::silence::{EndReason, Silence, SilenceLimits};
use crate::io::alarm::Alarm;
use crate::io::clock::Clock;
use crate::io::datagrams::ReadMode;
use crate::progress::report::Report;
use crate::progress::watch::Watch;

/// The loop wakes at least this often, so that it notices cancellation.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The same where wake-ups are spared.
const SPARING_LOOK_EVERY: Duration = Duration::from_secs(1);
/// Timeouts are checked only when the next departure is at least this far away.
const QUIET: Duration = Duration::from_micros(500);
/// How often a silent peer may send control packets of its own.
const RECOVER_EVERY: Duration = Duration::from_millis(50);
/// Requests that are due within this time of each other leave together after a late wake-up; beyond, they are not sent where
/// wake-ups are spared.
const CATCH_UP: Duration = Duration::from_millis(20);
/// The latest requests by which one knows whether answers come after the timeout.
const LATEST: usize = 100;
/// Requests of one phase at most: 80 bytes each are kept until its end.
pub const MAX_PACKETS: u64 = 2_000_000;
/// The requests of a phase.
#[derive(Debug)]
pub struct ProbePhase {
    /// Departure times of the requests.
    pub departures: Departures,
    /// When the phase ends.
    pub until: Time,
    /// Octets of a request.
    pub octets: u32,
}

/// Clock, timer and pacer of a prober.
#[derive(Debug)]
pub struct Timing {
    /// The clock of the measurement.
    pub clock: Clock,
    /// The timer that ends sleeps.
    pub alarm: Alarm,
    /// Decides when sleeps end.
    pub pacer: Pacer,
}

/// Sends requests and receives responses.
#[derive(Debug)]
pub struct Prober<'a, P> {
    peer: &'a mut P,
    clock: Clock,
    pacer: Pacer,
    alarm: Alarm,
    packets: Packets,
    outstanding: Outstanding,
    silence: Silence,
    /// When the peer may next send control packets while it is silent.
    recover_at: Time,
    /// Whether an outage was reported that has not ended.
    outage_reported: Option<Time>,
    /// Where requests are logged.
    log: Option<RunLog>,
    /// Whether wake-ups are spared.
    is_sparing: bool,
    pauses: HostPauses,
    /// Departures that were left out since this was asked last, as they were overdue.
    not_sent: u64,
    watch: &'a Watch,
}

/// What a prober leaves.
#[derive(Debug)]
pub struct Probed {
    /// The packets of the measurement.
    pub packets: Packets,
    /// Errors of the network.
    pub errors: NetworkErrors,
    /// What keeps time.
    pub timing: Timing,
    /// The log of its requests, which lacks the last ones.
    pub log: Option<RunLog>,
    /// Pauses of this host.
    pub pauses: Vec<Pause>,
}

impl<'a, P: Peer> Prober<'a, P> {
    /// A prober whose first request has sequence number `first`.
    pub fn new(peer: &'a mut P, timing: Timing, first: u64, limits: SilenceLimits, watch: &'a Watch) -> Self {
        let Timing { clock, pacer, alarm } = timing;
        let packets = Packets::starting_at(first).of_class(peer.socket().sent_class());
        Prober {
            peer,
            clock,
            pacer,
            alarm,
            packets,
            outstanding: Outstanding::new(limits.timeout),
            silence: Silence::since(clock.now(), limits),
            recover_at: Time::ZERO,
            outage_reported: None,
            log: None,
            is_sparing: false,
            pauses: HostPauses::since(clock.now()),
            not_sent: 0,
            watch,
        }
    }

    /// The same with as few wake-ups as possible, for a host that has other work: no read waits for a kernel tick, and
    /// cancellation is noticed later. What is overdue is not sent beyond the rate of the schedule.
    pub fn sparing(self) -> Self {
        Prober { is_sparing: true, ..self }
    }

    /// Sends a phase's requests on schedule. Responses may still be in flight when it ends; its departures then are those
    /// of a phase that continues it.
    pub fn probe(&mut self, phase: &mut ProbePhase) -> Result<(), EndReason> {
        let begin = self.packets.next_sequence();
        let (mut awaited, mut prepared, mut slept) = (None, None, false);
        loop {
            let now = self.clock.now();
            if let Some(pause) = self.pauses.runs(now) {
                self.paused(pause);
            }
            if self.is_sparing {
                self.leave_out_overdue(now, phase);
            }
            awaited = self.still_outstanding(awaited, now, &mut phase.departures);
            let intended = phase.departures.next();
            let due = intended < phase.until;
            if !due && now >= phase.until {
                return Ok(());
            }
            if self.watch.is_cancelled() {
                return Err(EndReason::Cancelled);
            }
            self.check_silence(now, phase.until)?;
            if !due {
                self.sleep_until(now, phase.until, Time::NEVER);
                continue;
            }
            let request = Request { sequence: self.packets.next_sequence(), intended, octets: phase.octets };
            if let Some(sleep) = self.pacer.sleep(now, intended) {
                self.sleep_until(now, sleep.until, self.next_wake_up(sleep, phase));
                let after = self.clock.now();
                if after >= sleep.until {
                    self.pacer.woke(sleep, after);
                }
                if prepared != Some(request.sequence) {
                    self.peer.prepare(request);
                    prepared = Some(request.sequence);
                }
                slept = true;
                continue;
            }
            if self.packets.next_sequence() - begin >= MAX_PACKETS {
                return Err(EndReason::Full);
            }
            self.spin_until(intended);
            awaited = self.send(request);
            phase.departures.step();
            // receive and log even if there is never time to sleep
            if !std::mem::take(&mut slept) {
                self.receive(ReadMode::NonBlocking);
                if self.log.as_ref().is_some_and(|log| log.is_overdue(intended)) {
                    self.report_progress(intended);
                }
            }
        }
    }

    /// Signals that all requests of a phase are sent, or, after the last, that responses are [drained](Prober::drain).
    pub fn phase_over(&mut self) {
        self.peer.phase_over(self.packets.next_sequence());
    }

    /// Waits for responses that are still in flight.
    pub fn drain(&mut self) {
        self.receive_until(Prober::last_deadline);
        if let Some(limit) = self.late_deadline() {
            let is_awaited = |prober: &Self| prober.packets.all().last().is_some_and(|last| last.received.is_none());
            self.receive_until(|prober| Some(limit).filter(|_| is_awaited(prober)));
        }
        self.report_progress(self.clock.now());
    }

    /// Receives until a time that may change meanwhile, or none is left.
    fn receive_until(&mut self, mut limit: impl FnMut(&mut Self) -> Option<Time>) {
        while let Some(limit) = limit(self) {
            self.receive(ReadMode::NonBlocking);
            let now = self.clock.now();
            if let Some(pause) = self.pauses.runs(now) {
                self.paused(pause);
            }
            if now >= limit || self.watch.is_cancelled() {
                break;
            }
            self.take_tx_timestamps();
            self.set_alarm(limit.min(self.next_look(now)));
            self.peer.socket().wait(&self.alarm);
        }
    }

    /// Where answers come after the timeout: when another timeout after the last request is over.
    fn late_deadline(&self) -> Option<Time> {
        let timeout = self.outstanding.timeout();
        let all = self.packets.all();
        let mut latest = all.iter().rev().filter(|packet| packet.received.is_some()).take(LATEST);
        let comes_late = latest.any(|packet| packet.verdict(timeout) == Verdict::Late);
        all.last().filter(|_| comes_late).map(|last| last.sent + timeout.times(2))
    }

    fn set_alarm(&mut self, wake: Time) {
        self.pauses.sleeps_until(wake);
        self.alarm.set(wake);
    }

    /// Takes responses that are queued, and counts requests that have timed out by `now` as lost: all before the sequence
    /// number returned are answered or lost.
    pub fn settle(&mut self, now: Time) -> u64 {
        self.receive(ReadMode::NonBlocking);
        self.outstanding.expire_until(now, &self.packets, self.watch.gauge());
        self.packets.first_sequence() + self.outstanding.decided() as u64
    }

    /// Checks for a suspension of this host since `begin`, which the clock does not count.
    pub fn look_for_suspension(&mut self, begin: Time) {
        if let Some(pause) = self.pauses.look_for_suspension(begin, self.clock.now()) {
            self.paused(pause);
        }
    }

    /// The thread did other work until now than to probe, which is not a pause of this host.
    pub fn worked(&mut self) {
        self.pauses.worked(self.clock.now());
    }

    /// Pauses of this host since this was asked last.
    pub fn take_pauses(&mut self) -> Vec<Pause> {
        self.pauses.take()
    }

    /// Departures that were left out since this was asked last, as they were overdue.
    pub fn take_not_sent(&mut self) -> u64 {
        std::mem::take(&mut self.not_sent)
    }

    /// This host was paused: what the kernel received meanwhile is taken, and nothing is known of the other requests whose
    /// responses were due.
    fn paused(&mut self, pause: Pause) {
        self.receive(ReadMode::NonBlocking);
        let timeout = self.outstanding.timeout();
        let due_from = Time::ZERO + pause.begin.since(Time::ZERO + timeout);
        self.packets.paused(due_from, pause.end);
    }

    /// Leaves out departures that are overdue by more than the timeout, or that would leave faster than the schedule has
    /// them.
    fn leave_out_overdue(&mut self, now: Time, phase: &mut ProbePhase) {
        let Some(interval) = phase.departures.interval() else { return };
        let (timeout, catch_up) = (self.outstanding.timeout(), interval.max(CATCH_UP));
        while phase.departures.next() < phase.until {
            let overdue = now.since(phase.departures.next());
            if overdue <= timeout && (overdue <= catch_up || phase.departures.after_next() > now) {
                return;
            }
            self.not_sent += 1;
            phase.departures.step();
        }
    }

    /// Drops the [settled](Prober::settle) requests before a sequence number, and errors of the network before a time.
    pub fn forget(&mut self, before: u64, errors_before: Time) {
        let first = self.packets.first_sequence();
        self.packets.forget(before);
        self.outstanding.forget((self.packets.first_sequence() - first) as usize, &self.packets);
        self.silence.forget(errors_before);
        self.peer.forget(before);
    }

    /// Asks what the peer counted of these requests, without waiting: see [`Peer::poll_counts`].
    pub fn poll_counts(&mut self, requests: Range<u64>, now: Time) -> Option<Option<PeerCounts>> {
        self.peer.poll_counts(requests, now)
    }

    /// The peer that responds.
    pub fn peer(&mut self) -> &mut P {
        self.peer
    }

    /// Errors of the network so far.
    pub fn errors(&self) -> &NetworkErrors {
        self.silence.errors()
    }

    /// Logs requests as they are answered or time out.
    pub fn log_to(&mut self, log: Option<RunLog>) {
        self.log = log;
    }

    /// Ends it.
    pub fn finish(self) -> Probed {
        let Prober { packets, silence, clock, pacer, alarm, log, mut pauses, .. } = self;
        let pauses = pauses.take();
        Probed { packets, errors: silence.into_errors(), timing: Timing { clock, pacer, alarm }, log, pauses }
    }

    /// The packets so far.
    pub fn packets(&self) -> &Packets {
        &self.packets
    }

    /// While the peer is silent, lets it recover, and ends the phase where it counts as lost.
    fn check_silence(&mut self, now: Time, until: Time) -> Result<(), EndReason> {
        let Some(last) = self.silence.silent_since(now, &self.packets) else {
            if let Some(since) = self.outage_reported.take() {
                let lasted = now.since(since).seconds();
                self.watch.report(Report::note(format!("responses again after {lasted:.1} s")));
            }
            return Ok(());
        };
        if self.outage_reported.is_none() && self.packets.has_response() {
            self.outage_reported = Some(last);
            self.watch.report(Report::note(self.silence.describe(last)));
        }
        if now >= self.recover_at {
            self.recover_at = now + RECOVER_EVERY;
            self.peer.recover(now);
        }
        if let Some(reason) = self.peer.ended() {
            return Err(EndReason::Ended { since: last, reason });
        }
        self.silence.check(last, now, until, &self.packets)
    }

    /// The timeout of the last unanswered request, if there is one.
    fn last_deadline(&mut self) -> Option<Time> {
        self.outstanding.expire_until(self.clock.now(), &self.packets, self.watch.gauge());
        self.outstanding.last_deadline(&self.packets, self.peer.last_incomplete())
    }

    /// In a closed loop, the outstanding request; `None` once it is answered or timed out.
    fn still_outstanding(&self, awaited: Option<u64>, now: Time, departures: &mut Departures) -> Option<u64> {
        let sequence = awaited?;
        let sent = self.packets.all().last().map_or(now, |packet| packet.sent);
        if self.packets.is_answered(sequence)
            || self.packets.has_just_failed(sequence)
            || self.outstanding.is_over(sent, now)
        {
            departures.answered(now);
            return None;
        }
        awaited
    }

    /// Sleeps until `wake` or until something arrives, which is received; with spin pacing, only receives. The sleep after
    /// that will end at `then`.
    fn sleep_until(&mut self, now: Time, wake: Time, then: Time) {
        // do no other work while a response is about to arrive
        let response_due =
            self.packets.all().last().is_some_and(|last| last.received.is_none() && now.since(last.sent) < QUIET);
        if wake.since(now) > QUIET && !response_due {
            self.report_progress(now);
        }
        if self.pacer.pacing() == Pacing::Spin {
            return self.receive(ReadMode::NonBlocking);
        }
        let longest = self.peer.socket().max_read_time();
        let may_block = !self.is_sparing && self.outstanding.count(&self.packets) > 0;
        if may_block && longest.is_some_and(|longest| wake.since(now) > longest) {
            return self.receive(ReadMode::Blocking);
        }
        // an unread transmit timestamp would end the wait
        self.take_tx_timestamps();
        self.set_alarm(wake.min(self.next_look(now)));
        if !response_due {
            self.alarm.preset(then);
        }
        if self.peer.socket().wait(&self.alarm) {
            self.receive(ReadMode::NonBlocking);
        }
    }

    fn take_tx_timestamps(&mut self) {
        while let Some(departed) = self.peer.poll_tx_timestamp() {
            self.packets.departed(departed);
        }
    }

    /// When the sleep after the next departure ends, if this sleep is the last before it.
    fn next_wake_up(&self, sleep: Sleep, phase: &ProbePhase) -> Time {
        let ProbePhase { departures, until, .. } = phase;
        let (next, after_next) = (departures.next(), departures.after_next());
        match self.pacer.sleep(next, after_next) {
            Some(wake_up) if sleep.is_last && after_next < *until => wake_up.until.min(self.next_look(next)),
            _ => Time::NEVER,
        }
    }

    /// Spins until a departure and receives meanwhile, even if no response is due: that keeps the receive path in the CPU's
    /// caches.
    fn spin_until(&mut self, intended: Time) {
        let Prober { peer, pacer, packets, outstanding, watch, .. } = self;
        pacer.spin(intended, || {
            outstanding.receive(*peer, ReadMode::NonBlocking, packets, watch.gauge());
        });
    }

    fn send(&mut self, request: Request) -> Option<u64> {
        let sent = match self.peer.send(request) {
            Ok(sent) => sent,
            Err(error) => {
                let now = self.clock.now();
                self.silence.error(error, now);
                now
            }
        };
        self.packets.sent(request.intended, sent);
        self.watch.gauge().sent();
        Some(request.sequence)
    }

    fn receive(&mut self, reading: ReadMode) {
        let error = self.outstanding.receive(self.peer, reading, &mut self.packets, self.watch.gauge());
        if let Some(error) = error {
            self.silence.error(error, self.clock.now());
        }
    }

    /// Updates the progress for the watcher.
    fn report_progress(&mut self, now: Time) {
        self.outstanding.expire_until(now, &self.packets, self.watch.gauge());
        self.watch.set_done(self.packets.all().len() as u64);
        self.log_requests(now);
    }

    /// Logs what is decided, if that is due.
    fn log_requests(&mut self, now: Time) {
        let Some(log) = self.log.as_mut().filter(|log| log.is_due(now)) else { return };
        log.write(self.outstanding.decided(), &self.packets, &self.clock);
        if log.is_second_over(now) {
            log.note(now, self.peer.last_counts());
            // those of requests count on from the last: none may be unread when another packet leaves
            self.take_tx_timestamps();
            self.peer.ask_counts(now);
        }
    }

    /// The next time at which a sleep ends to check for cancellation.
    fn next_look(&self, now: Time) -> Time {
        if self.is_sparing {
            // a request or a look of the session comes first as a rule
            return now + SPARING_LOOK_EVERY;
        }
        Time::ZERO + LOOK_EVERY.times(now.since(Time::ZERO).whole(LOOK_EVERY) + 1)
    }
}
