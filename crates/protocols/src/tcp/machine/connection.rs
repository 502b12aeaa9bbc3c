//! A connection: its state, and how inputs and timers reach the parts that take them.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::{Machine, Time};

use super::congestion::Window;
use super::numbering::{FIRST, Numbering};
use super::output::{End, Input, Output};
use super::receiving::Receiving;
use super::recovery::Recovery;
use super::round_trip::RoundTrip;
use super::sending::Sending;
use super::settings::Settings;
use super::timers::{Timer, Timers};

/// How far a connection is. What RFC 9293 calls FIN-WAIT, CLOSE-WAIT, CLOSING and LAST-ACK follows from which end has
/// finished and what is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing.
    Closed,
    /// Waits for the other end's SYN.
    Listen,
    /// Has sent SYN.
    SynSent,
    /// Has sent SYN and knows the other end's.
    SynReceived,
    /// Both directions are numbered.
    Synchronized,
    /// Both ends have finished; late segments are still answered.
    TimeWait,
}

/// A connection.
#[derive(Clone, Debug)]
pub struct Connection {
    pub(super) settings: Arc<Settings>,
    pub(super) state: State,
    pub(super) outputs: VecDeque<Output>,
    pub(super) timers: Timers,
    pub(super) round_trip: RoundTrip,
    pub(super) congestion: Window,
    pub(super) recovery: Recovery,
    pub(super) sending: Sending,
    pub(super) receiving: Receiving,
    /// What both ends have agreed to.
    pub(super) agreed: Agreed,
    pub(super) tries: u8,
    pub(super) retransmissions: u64,
}

/// What both ends have agreed to when the connection was opened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Agreed {
    pub sack: bool,
    pub timestamps: bool,
    pub scaling: bool,
    /// By how many bits the other end's windows, and the own ones, are shifted.
    pub shifts: (u8, u8),
}

impl Connection {
    /// A connection that is not open.
    pub fn new(settings: Arc<Settings>) -> Self {
        Connection {
            state: State::Closed,
            outputs: VecDeque::new(),
            timers: Timers::STOPPED,
            round_trip: RoundTrip::new(settings.clock, settings.max_rto),
            congestion: Window::new(&settings),
            recovery: Recovery::default(),
            sending: Sending {
                numbering: Numbering { initial: settings.iss },
                written: FIRST,
                segment: settings.mss.into(),
                ..Sending::default()
            },
            receiving: Receiving::default(),
            agreed: Agreed::default(),
            tries: 0,
            retransmissions: 0,
            settings,
        }
    }

    /// How many octets more the user may write.
    pub fn send_space(&self) -> u64 {
        let held = self.sending.written - self.sending.unacknowledged.clamp(FIRST, self.sending.written);
        if self.sending.finishes { 0 } else { self.settings.send_buffer.saturating_sub(held) }
    }

    /// Octets sent and not acknowledged.
    pub fn flight_size(&self) -> u64 {
        self.sending.furthest - self.sending.unacknowledged
    }

    /// The congestion window in octets.
    pub fn cwnd(&self) -> u64 {
        self.congestion.octets()
    }

    /// Segments that were sent again.
    pub fn retransmissions(&self) -> u64 {
        self.retransmissions
    }

    /// Whether both directions are up.
    pub fn is_established(&self) -> bool {
        self.state == State::Synchronized
    }

    pub(super) fn tell(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    pub(super) fn end(&mut self, end: End) {
        if self.state != State::Closed {
            self.state = State::Closed;
            self.timers = Timers::STOPPED;
            self.sending.again = None;
            self.receiving.owed = false;
            self.tell(Output::Closed { end });
        }
    }

    fn write(&mut self, octets: u64) {
        let taken = octets.min(self.send_space());
        self.sending.full = taken < octets || self.send_space() == taken;
        self.sending.written += taken;
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
            Input::Write { octets } => self.write(octets),
            Input::Read { octets } => self.read(octets),
            Input::Close => self.close(),
            Input::Abort => self.abort(now),
            Input::Receive { header, length } => self.receive(now, &header, length),
        }
        self.transmit(now);
    }

    fn wake(&mut self, now: Time) {
        if self.timers.take_due(Timer::Acknowledgement, now) {
            self.receiving.owed = true;
        }
        if self.timers.take_due(Timer::Retransmission, now) {
            self.timed_out(now);
        }
        if self.timers.take_due(Timer::Persist, now) {
            self.round_trip.back_off();
            self.sending.forced = true;
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
        let next = self.timers.next();
        (next != Time::NEVER).then_some(next)
    }
}
