//! A TCP connection: user calls and timeouts (RFC 9293, 3.10), and the components that they drive.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::{Machine, Time};

use super::congestion::CongestionControl;
use super::ecn::EcnState;
use super::negotiation::Negotiated;
use super::output::{End, Input, Output, Purpose};
use super::pacing::Pacer;
use super::receiver::Receiver;
use super::recovery::{LossRecovery, TailProbe};
use super::rtt::RttEstimator;
use super::sender::Sender;
use super::sequence::FIRST;
use super::settings::{Congestion, Settings};
use super::spurious::SpuriousTimeout;
use crate::ip::Ecn;
use crate::tcp::wire::{Flags, Header, Options, Timestamps};
use crate::timers::Timers;

/// State of a connection (RFC 9293, 3.3.2). FIN-WAIT, CLOSE-WAIT, CLOSING and LAST-ACK are part of `Synchronized`: they
/// follow from which end has sent FIN and whether it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Closed,
    Listen,
    SynSent,
    SynReceived,
    /// ESTABLISHED and the states in which one or both ends have closed.
    Synchronized,
    TimeWait,
}

/// A timer of a connection; the receiver has that of delayed acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// The oldest segment in flight is not acknowledged (RFC 6298, 5).
    Retransmission,
    /// Data wait for the peer's window (RFC 9293, 3.8.6.1).
    Persist,
    /// The connection's state is kept for delayed segments (2 MSL).
    TimeWait,
    /// The next segment may leave.
    Pacing,
    /// Segments sent before one that was delivered count as lost (RFC 8985, 6.2).
    Reordering,
    /// Nothing was acknowledged for long: the last segment is probed for (RFC 8985, 7).
    TailProbe,
}

impl From<Timer> for usize {
    fn from(timer: Timer) -> usize {
        timer as usize
    }
}

/// A TCP connection (RFC 9293) without its data: the driver keeps the octets.
#[derive(Clone, Debug)]
pub struct Connection {
    pub(super) settings: Arc<Settings>,
    pub(super) state: State,
    pub(super) negotiated: Negotiated,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) rtt: RttEstimator,
    pub(super) congestion: CongestionControl,
    pub(super) recovery: LossRecovery,
    pub(super) spurious: SpuriousTimeout,
    pub(super) ecn: EcnState,
    pub(super) pacer: Pacer,
    /// The tail loss probe that is not judged yet.
    pub(super) tail_probe: Option<TailProbe>,
    /// Whether cwnd limited what was sent since the last round trip of rate samples began.
    pub(super) cwnd_limited: bool,
    /// Whether data were sent or acknowledged since the timer of the probe was started.
    pub(super) probe_is_stale: bool,
    pub(super) timers: Timers<Timer, 6>,
    /// Expiries of the retransmission timer since new data were last acknowledged.
    pub(super) rto_expiries: u8,
    /// Whether this end sent FIN before it received the peer's, and so enters TIME-WAIT.
    pub(super) active_close: bool,
    pub(super) retransmissions: u64,
    outputs: VecDeque<Output>,
}

impl Connection {
    /// A connection in state CLOSED.
    pub fn new(settings: Arc<Settings>) -> Self {
        Connection {
            state: State::Closed,
            negotiated: Negotiated::default(),
            sender: Sender::new(settings.iss, settings.mss.into()),
            receiver: Receiver::new(),
            rtt: RttEstimator::new(settings.clock, settings.max_rto),
            congestion: CongestionControl::new(&settings),
            recovery: LossRecovery::new(&settings),
            spurious: SpuriousTimeout::default(),
            ecn: EcnState::default(),
            pacer: Pacer::new(settings.pacing || settings.congestion == Congestion::Bbr),
            tail_probe: None,
            cwnd_limited: false,
            probe_is_stale: false,
            timers: Timers::STOPPED,
            rto_expiries: 0,
            active_close: false,
            retransmissions: 0,
            outputs: VecDeque::new(),
            settings,
        }
    }

    /// An established connection to a host with settings `peer`, without a handshake.
    pub fn established(settings: Arc<Settings>, peer: &Settings) -> Self {
        let mut connection = Connection::new(settings);
        connection.state = State::Synchronized;
        connection.negotiate(&peer.syn_options(Timestamps::default(), None));
        connection.ecn = EcnState::established(&connection.settings, peer);
        let max_window = if connection.negotiated.window_scaling { u64::MAX } else { u16::MAX.into() };
        connection.sender.establish(peer.receive_buffer.min(max_window));
        connection.receiver.synchronize(peer.iss);
        connection.receiver.window_end = FIRST;
        connection.advertise_window();
        connection
    }

    /// Free space of the send buffer, octets.
    pub fn send_space(&self) -> u64 {
        self.sender.space(self.settings.send_buffer)
    }

    /// FlightSize: octets sent and not acknowledged (RFC 5681, 2).
    pub fn flight_size(&self) -> u64 {
        self.sender.flight_size()
    }

    /// Congestion window (cwnd), octets.
    pub fn cwnd(&self) -> u64 {
        self.congestion.cwnd()
    }

    /// Number of segments retransmitted.
    pub fn retransmissions(&self) -> u64 {
        self.retransmissions
    }

    /// Whether the handshake is complete and the connection is not closed.
    pub fn is_established(&self) -> bool {
        self.state == State::Synchronized
    }

    /// Whether both ends have closed, or the connection was given up: it sends nothing more of its own accord. One in TIME-WAIT
    /// acknowledges a FIN that the peer sends again.
    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed | State::TimeWait)
    }

    pub(super) fn negotiate(&mut self, peer: &Options) {
        self.negotiated = Negotiated::new(&self.settings, peer);
        self.recovery.set_sack(self.negotiated.sack);
        self.sender.smss = self.negotiated.smss(&self.settings, peer);
        self.congestion.set_smss(self.sender.smss);
    }

    pub(super) fn output(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    pub(super) fn output_control(&mut self, header: Header) {
        self.output(Output::Transmit { header, offset: 0, length: 0, purpose: Purpose::Control, ecn: Ecn::NotEct });
    }

    pub(super) fn end(&mut self, end: End) {
        if self.state != State::Closed {
            self.state = State::Closed;
            self.timers = Timers::STOPPED;
            self.recovery.cancel_retransmission();
            self.receiver.stop();
            self.output(Output::Closed { end });
        }
    }

    fn connect(&mut self) {
        if matches!(self.state, State::Closed | State::Listen) {
            self.state = State::SynSent;
        }
    }

    fn read(&mut self, octets: u64) {
        let shift = self.negotiated.rcv_wind_shift;
        if self.receiver.read(octets, &self.settings, self.sender.smss, shift) && self.is_established() {
            self.receiver.ack_now = true;
        }
    }

    fn close(&mut self) {
        match self.state {
            State::Closed | State::TimeWait => {}
            State::Listen | State::SynSent => self.end(End::Aborted),
            State::SynReceived | State::Synchronized => self.sender.fin_queued = true,
        }
    }

    fn abort(&mut self, now: Time) {
        if matches!(self.state, State::SynReceived | State::Synchronized) {
            let header = self.header(now, self.sender.snd_nxt, Flags { rst: true, ..Flags::default() });
            self.output_control(header);
        }
        self.end(End::Aborted);
    }

    /// The retransmission timer has expired (RFC 6298, 5.4 to 5.6).
    fn retransmission_timeout(&mut self, now: Time) {
        self.rto_expiries += 1;
        if self.rto_expiries > self.settings.max_retransmits {
            self.end(End::TimedOut);
            return;
        }
        self.rtt.back_off();
        self.rtt.on_loss();
        if self.state != State::Synchronized {
            self.sender.snd_nxt = 0;
            return;
        }
        self.begin_judgement(now);
        self.ecn.on_reduction();
        self.recovery.on_rto(self.rto_expiries, &self.sender, &mut self.congestion);
        if !self.recovery.is_rack() {
            self.sender.snd_nxt = self.sender.snd_una;
        }
        self.tail_probe = None;
        self.timers.stop(Timer::Reordering);
        self.timers.stop(Timer::TailProbe);
        self.start_retransmission_timer(now);
    }

    /// A timeout that interrupts no recovery may be spurious (RFC 5682, 3.1, step 1); one of 4.4BSD counts as a loss.
    fn begin_judgement(&mut self, now: Time) {
        let first = self.rto_expiries == 1;
        // with RACK all in flight is sent again without a judgement
        let is_judged = self.settings.clock.is_fine() && !self.recovery.is_rack();
        if first && is_judged && !self.recovery.is_in_progress(&self.sender) {
            self.spurious.begin(self.congestion.clone(), self.settings.clock.timestamp(now));
        } else if first {
            self.spurious.end();
        }
    }
}

impl Machine for Connection {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::Connect => self.connect(),
            Input::Listen if self.state == State::Closed => self.state = State::Listen,
            Input::Listen => {}
            Input::Write { octets } => self.sender.write(octets, self.settings.send_buffer),
            Input::Read { octets } => self.read(octets),
            Input::Close => self.close(),
            Input::Abort => self.abort(now),
            Input::Receive { header, length, ecn } => self.segment_arrives(now, &header, length, ecn),
        }
        self.transmit(now);
    }

    fn wake(&mut self, now: Time) {
        if self.receiver.delayed_ack <= now {
            self.receiver.delayed_ack = Time::NEVER;
            self.receiver.ack_now = true;
        }
        // before a timeout that is due at the same time, which it puts off (RFC 8985, 7.2)
        if self.timers.take_due(Timer::TailProbe, now) && self.state == State::Synchronized {
            self.send_probe(now);
        }
        if self.timers.take_due(Timer::Retransmission, now) {
            self.retransmission_timeout(now);
        }
        if self.timers.take_due(Timer::Persist, now) {
            self.rtt.back_off();
            self.sender.probe_due = true;
        }
        self.timers.take_due(Timer::Pacing, now);
        if self.timers.take_due(Timer::Reordering, now) {
            self.reordering_timeout(now);
        }
        if self.timers.take_due(Timer::TimeWait, now) {
            self.end(End::Finished);
        }
        self.transmit(now);
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        let next = self.timers.next().min(self.receiver.delayed_ack);
        (next != Time::NEVER).then_some(next)
    }
}
