//! A context: its parts, requests of the user, timers, and the end of the association.

mod receive;
mod transmit;

use sojourn_core::{Duration, Time};

use super::association::Association;
use super::opening;
use super::outcome::{Event, Purpose, Reason, Refusal};
use super::output::{Cast, Output};
use super::receiver::Receiver;
use super::receivers::Receivers;
use super::sender::Sender;
use super::sync_state::SyncState;
use super::timers::{Timer, Timers, after};
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Code, Header, Options, Traffic, Value};

/// Context: one end of an association.
#[derive(Clone, Debug)]
pub(super) struct Context<D, H> {
    pub association: Association<H>,
    sender: Sender<D>,
    receiver: Receiver<D>,
    sync_state: SyncState,
    /// Receivers of a reliable multicast association, at its sender.
    receivers: Option<Receivers<H>>,
    timers: Timers,
    last_received: Time,
    /// Why it ended; it then answers late packets until it is removed.
    ended: Option<Reason>,
    /// When the endpoint is scheduled to process its timers.
    pub scheduled: Time,
    /// Whether it is queued to send.
    pub waiting: bool,
}

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    pub fn new(association: Association<H>, now: Time) -> Self {
        Context {
            sender: Sender::new(&association.configuration),
            receiver: Receiver::new(0, false),
            association,
            sync_state: SyncState::default(),
            receivers: None,
            timers: Timers::STOPPED,
            last_received: now,
            ended: None,
            scheduled: Time::NEVER,
            waiting: false,
        }
    }

    pub fn is_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Bytes written and not acknowledged; 0 once it has ended.
    pub fn queued(&self) -> u64 {
        self.sender.queued()
    }

    /// SRTT, once there is a sample.
    pub fn srtt(&self) -> Option<Duration> {
        self.sync_state.round_trip.smoothed()
    }

    /// Priority among contexts ready to send: `sort`, without one last.
    #[inline]
    pub fn priority(&self) -> u32 {
        self.association.configuration.sort.map_or(u32::MAX, u32::from)
    }

    /// When a timer next expires.
    #[inline]
    pub fn next_wakeup(&self) -> Time {
        self.timers.next()
    }

    /// Opens the association: sends FIRST with the first part of `data`.
    pub fn open(&mut self, turn: &mut Turn<'_, D, H>, cast: Cast, data: Option<(D, bool)>) {
        if let Cast::Multicast { receivers } = cast {
            let counted = opening::counts_receivers(&self.association.configuration);
            self.receivers = counted.then(|| Receivers::new(receivers));
        }
        if !self.association.multicast || self.receivers.is_some() {
            self.start_context_timer(turn.now);
        }
        if let Some((data, end_of_message)) = data {
            self.sender.write_first(data, end_of_message);
        }
        self.send_first(turn);
    }

    /// Accepts the association opened by FIRST.
    pub fn accept(&mut self, now: Time, header: &Header, traffic: &Traffic) {
        self.receiver = Receiver::new(header.seq, header.options.contains(Options::EDGE));
        self.sender.limit(traffic);
        self.start_context_timer(now);
    }

    /// Accepts data of the user.
    pub fn write(&mut self, data: D, end_of_message: bool) -> Result<(), Refusal> {
        if self.is_ended() {
            return Err(Refusal::Closed);
        }
        self.sender.write(&self.association, data, end_of_message)
    }

    /// The user has consumed `bytes`: a report may be due.
    pub fn consumed(&mut self, turn: &mut Turn<'_, D, H>, bytes: u64) {
        self.receiver.consume(bytes);
        self.answer_delivery_request(turn);
    }

    /// The user has posted a buffer of `bytes`: a report may be due.
    pub fn posted(&mut self, turn: &mut Turn<'_, D, H>, bytes: u64) {
        self.receiver.post(bytes);
        self.answer_delivery_request(turn);
    }

    fn answer_delivery_request(&mut self, turn: &mut Turn<'_, D, H>) {
        if self.receiver.take_delivery_request() {
            self.answer(turn, self.association.peer);
        }
    }

    /// The user stops reading (RCLOSE).
    pub fn stop_reading(&mut self, turn: &mut Turn<'_, D, H>) {
        if self.receiver.stop(turn, &self.association) {
            self.report(turn, self.association.peer);
        }
    }

    /// The user has closed its stream.
    pub fn close(&mut self) {
        self.sender.closing = true;
    }

    /// The user aborts the association.
    pub fn abort(&mut self, turn: &mut Turn<'_, D, H>) {
        self.finish(turn, Reason::Aborted);
    }

    /// Processes all timers due; returns whether the context is to be removed.
    pub fn wake(&mut self, turn: &mut Turn<'_, D, H>) -> bool {
        if self.timers.take_due(Timer::Linger, turn.now) {
            return true;
        }
        if self.timers.take_due(Timer::Timeout, turn.now) {
            self.abandon(turn, Reason::PeerUnresponsive);
            return false;
        }
        if self.timers.take_due(Timer::Wait, turn.now) {
            self.wait_expired(turn);
        }
        if self.timers.take_due(Timer::Context, turn.now) {
            self.context_timer_expired(turn);
        }
        if self.timers.take_due(Timer::Answer, turn.now) {
            self.report(turn, self.association.peer);
        }
        self.timers.take_due(Timer::Rate, turn.now);
        false
    }

    /// Starts CTIMER; each packet received restarts it.
    fn start_context_timer(&mut self, now: Time) {
        self.last_received = now;
        self.timers.set(Timer::Context, after(now, self.association.configuration.ctimer));
    }

    /// Restarts WTIMER at `now`, doubled `doublings` times.
    #[inline]
    fn start_wait_timer(&mut self, now: Time, doublings: u8) {
        let wait = self.sync_state.round_trip.wait(self.association.configuration.min_wtimer, doublings);
        self.timers.set(Timer::Wait, after(now, wait));
    }

    /// WTIMER has expired: a report is overdue, or data wait for allocation.
    fn wait_expired(&mut self, turn: &mut Turn<'_, D, H>) {
        if self.sync_state.has_unanswered() {
            let repeated = self.sync_state.in_handshake() || self.association.is_multicast_sender();
            if repeated && self.sync_state.retries >= self.association.configuration.retry_count {
                return self.abandon(turn, Reason::PeerUnresponsive);
            }
            self.sync_state.retries += u8::from(repeated);
        } else if self.sender.has_data() {
            self.sync_state.waits = self.sync_state.waits.saturating_add(1);
        } else {
            return;
        }
        turn.report(self.association.id, Event::Handshake);
        self.request_status(turn);
    }

    /// CTIMER has expired: requests status if no packet was received in the meantime.
    fn context_timer_expired(&mut self, turn: &mut Turn<'_, D, H>) {
        let ctimer = self.association.configuration.ctimer;
        let due = after(self.last_received, ctimer);
        if due > turn.now {
            return self.timers.set(Timer::Context, due);
        }
        self.timers.set(Timer::Context, after(turn.now, ctimer));
        if !self.sync_state.in_handshake() {
            turn.report(self.association.id, Event::LivenessProbe);
            self.request_status(turn);
        }
    }

    /// Whether both streams have ended and been delivered completely.
    fn is_complete(&self) -> bool {
        match &self.receivers {
            Some(receivers) => self.sender.close_sent && self.sender.all_acknowledged() && receivers.all_closed(),
            None => self.receiver.ended && self.sender.is_finished(),
        }
    }

    /// Ends the association and notifies the peer.
    fn finish(&mut self, turn: &mut Turn<'_, D, H>, reason: Reason) {
        self.send_end(turn, self.association.peer);
        self.end(turn, reason);
    }

    /// Abandons the association and notifies the peer.
    fn abandon(&mut self, turn: &mut Turn<'_, D, H>, reason: Reason) {
        let peer = self.association.peer;
        if self.association.is_multicast_sender() {
            self.send_control(turn, peer, Options::END, self.sync_state.sync, Purpose::End);
        } else {
            let (key, sync) = (self.association.peer_key(), self.sync_state.sync);
            turn.send_diagnostic(peer, key, sync, (Code::Abandoned, Value::Unspecified));
        }
        self.end(turn, reason);
    }

    /// Ends the association. The context lingers to answer late packets.
    fn end(&mut self, turn: &mut Turn<'_, D, H>, reason: Reason) {
        self.sender.drop_data();
        self.receiver.drop_data();
        self.timers = Timers::STOPPED;
        self.timers.set(Timer::Linger, after(turn.now, self.association.configuration.linger));
        self.ended = Some(reason);
        turn.emit(Output::Closed { context: self.association.id, reason });
    }
}
