//! One logical channel of a link: its call, its windows, its timers (X.25 section 4, ISO 8208).

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::{Duration, Time};

use super::counters::Counters;
use super::output::{Output, TrunkId};
use super::receiving::Receiving;
use super::sending::{Sending, Unit};
use super::settings::{Settings, Significance};
use crate::StreamData;
use crate::rose::wire::{Body, Call, Cause, Diagnostic, Facilities, Packet};

/// Where a channel stands; one that is free has no [`Channel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// p2: this switch called, and waits.
    CallSent,
    /// p3: the neighbour called, and waits.
    CallReceived,
    /// p4, d1: data flow.
    Open,
    /// p4, d2: this switch resets, and waits.
    Resetting,
    /// p6: this switch clears, and waits.
    Clearing,
}

/// Why a circuit ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Closing {
    pub cause: Cause,
    pub diagnostic: Diagnostic,
    pub facilities: Option<Arc<Facilities>>,
}

impl Closing {
    pub const fn new(cause: Cause, diagnostic: Diagnostic) -> Self {
        Closing { cause, diagnostic, facilities: None }
    }
}

/// What a packet came to, for the other end of the circuit.
#[derive(Debug)]
pub(super) enum Happening<D> {
    /// Nothing but what has been done.
    Nothing,
    /// The neighbour has taken packets, or takes them again.
    Progress,
    /// The call is through.
    Accepted,
    /// Data in sequence.
    Data(Unit<D>),
    /// The circuit counts from 0 again; data are lost.
    Reset(Cause, Diagnostic),
    /// Interrupting data.
    Interrupt(D),
    /// The interrupt has arrived.
    InterruptConfirmed,
    /// The neighbour ended the circuit, and knows that this switch knows.
    Cleared(Closing),
    /// This switch ended it, and the neighbour knows.
    Confirmed,
    /// The packet breaks the rules of its state: the circuit must be cleared.
    Violation(Diagnostic),
}

/// What a channel is handed with everything that happens to it.
pub(super) struct Turn<'a, D> {
    pub now: Time,
    pub settings: &'a Settings,
    pub outputs: &'a mut VecDeque<Output<D>>,
    pub counters: &'a mut Counters,
    /// Numbers that the channel at the circuit's other end may acknowledge now.
    pub freed: &'a mut Vec<u8>,
    pub trunk: TrunkId,
    pub number: u16,
}

impl<D> Turn<'_, D> {
    pub fn transmit(&mut self, body: Body<D>) {
        self.outputs.push_back(Output::Transmit { trunk: self.trunk, packet: Packet::new(self.number, body) });
    }

    fn after(&self, span: Duration) -> Time {
        Time::from_picoseconds(self.now.picoseconds().saturating_add(span.picoseconds()))
    }
}

/// A channel that is not free. `E` names the other end of its circuit.
#[derive(Debug)]
pub(super) struct Channel<D, E> {
    pub state: State,
    pub other: Option<E>,
    /// The call that made it, unless it was cleared at once.
    pub call: Option<Arc<Call>>,
    pub sending: Sending<D>,
    receiving: Receiving,
    /// Once what waits has been sent, the circuit ends so.
    closing: Option<Closing>,
    /// T21 to T25, by state.
    deadline: Time,
    hold_back: Time,
    tries: u8,
}

impl<D: StreamData, E: Copy> Channel<D, E> {
    fn new(state: State, other: Option<E>, call: Option<Arc<Call>>) -> Self {
        Channel {
            state,
            other,
            call,
            sending: Sending::new(),
            receiving: Receiving::default(),
            closing: None,
            deadline: Time::NEVER,
            hold_back: Time::NEVER,
            tries: 0,
        }
    }

    /// A channel on which a call came in.
    pub fn called(call: Arc<Call>) -> Self {
        Channel::new(State::CallReceived, None, Some(call))
    }

    /// A channel on which this switch calls.
    pub fn calling(turn: &mut Turn<'_, D>, call: Arc<Call>, other: E) -> Self {
        let mut channel = Channel::new(State::CallSent, Some(other), Some(call));
        channel.ask(turn);
        channel
    }

    /// A channel that is cleared at once: the neighbour's call is refused, or it believes that there is one.
    pub fn cleared(turn: &mut Turn<'_, D>, closing: Closing) -> Self {
        let mut channel = Channel::new(State::Clearing, None, None);
        channel.clear(turn, closing);
        channel
    }

    /// Sends the call, which a collision may have moved here.
    pub fn ask(&mut self, turn: &mut Turn<'_, D>) {
        if let Some(call) = &self.call {
            turn.transmit(Body::CallRequest(Arc::clone(call)));
        }
        self.deadline = turn.after(turn.settings.t21);
    }

    /// The station called has answered.
    pub fn accept(&mut self, turn: &mut Turn<'_, D>) {
        if self.state == State::CallReceived {
            turn.transmit(Body::CallAccepted);
            self.open(turn);
        }
    }

    fn open(&mut self, turn: &mut Turn<'_, D>) {
        self.state = State::Open;
        self.deadline = Time::NEVER;
        self.tries = 0;
        self.pump(turn);
    }

    /// Data for the neighbour.
    pub fn send(&mut self, turn: &mut Turn<'_, D>, unit: Unit<D>) {
        self.sending.push(unit);
        self.pump(turn);
    }

    /// Sends what the window allows; every packet acknowledges what may be.
    fn pump(&mut self, turn: &mut Turn<'_, D>) {
        if self.state != State::Open {
            return;
        }
        while let Some((send, unit)) = self.sending.take(turn.settings.window) {
            let body = Body::Data { p_s: send, p_r: self.receiving.tell(), more: unit.more, data: unit.data };
            let Unit { q_bit, d_bit, .. } = unit;
            let packet = Packet { q_bit, d_bit, channel: turn.number, body };
            turn.outputs.push_back(Output::Transmit { trunk: turn.trunk, packet });
            turn.counters.forwarded += 1;
            self.hold_back = Time::NEVER;
            if self.deadline == Time::NEVER {
                self.await_window(turn);
            }
        }
        if self.sending.waiting() == 0
            && let Some(closing) = self.closing.take()
        {
            self.clear(turn, closing);
        }
    }

    /// T25 runs while the neighbour owes an acknowledgement and does not say that it is busy.
    fn await_window(&mut self, turn: &Turn<'_, D>) {
        let awaits = self.sending.unacknowledged() > 0 && !self.sending.peer_busy;
        let span = turn.settings.t25.filter(|_| awaits);
        self.deadline = span.map_or(Time::NEVER, |span| turn.after(span));
    }

    /// The circuit ends once all that waits has been sent.
    pub fn close(&mut self, turn: &mut Turn<'_, D>, closing: Closing) {
        match self.state {
            State::Clearing => {}
            State::Open | State::Resetting if self.sending.waiting() > 0 => self.closing = Some(closing),
            _ => self.clear(turn, closing),
        }
    }

    /// The circuit ends now.
    pub fn clear(&mut self, turn: &mut Turn<'_, D>, closing: Closing) {
        let Closing { cause, diagnostic, facilities } = closing;
        self.drop_data(turn);
        turn.transmit(Body::ClearRequest { cause, diagnostic, facilities });
        self.state = State::Clearing;
        self.other = None;
        self.closing = None;
        self.tries = 1;
        self.deadline = turn.after(turn.settings.t23);
    }

    /// Counts from 0; data under way are lost. They were not if the neighbour took them and did not say so yet, which
    /// nobody can tell.
    pub fn drop_data(&mut self, turn: &mut Turn<'_, D>) {
        turn.counters.lost += u64::from(self.sending.reset());
        self.receiving = Receiving::default();
        self.hold_back = Time::NEVER;
    }

    /// The circuit begins anew, because of this switch or of what is behind it.
    pub fn reset(&mut self, turn: &mut Turn<'_, D>, cause: Cause, diagnostic: Diagnostic) {
        if self.state != State::Open {
            return;
        }
        self.drop_data(turn);
        turn.counters.resets += 1;
        turn.transmit(Body::ResetRequest { cause, diagnostic });
        self.state = State::Resetting;
        self.tries = 1;
        self.deadline = turn.after(turn.settings.t22);
    }

    /// What the other end of the circuit took may be acknowledged: the packets of these numbers.
    pub fn release(&mut self, turn: &mut Turn<'_, D>, numbers: &[u8]) {
        numbers.iter().for_each(|number| self.receiving.release(*number));
        self.acknowledge(turn);
    }

    /// Interrupting data for the neighbour, or the news that its own has arrived.
    pub fn interrupt(&mut self, turn: &mut Turn<'_, D>, body: Body<D>) {
        if self.state == State::Open {
            turn.transmit(body);
        }
    }

    /// The other end of the circuit has no room, or has room again.
    pub fn set_busy(&mut self, turn: &mut Turn<'_, D>, busy: bool) {
        if self.state == State::Open && self.receiving.busy != busy {
            self.receiving.busy = busy;
            self.tell(turn);
        }
    }

    /// Acknowledges at once if the window is full, else in a while.
    fn acknowledge(&mut self, turn: &mut Turn<'_, D>) {
        let owed = self.receiving.owed();
        if self.state != State::Open || owed == 0 {
            return;
        }
        if owed >= turn.settings.window {
            self.tell(turn);
        } else if self.hold_back == Time::NEVER {
            self.hold_back = turn.after(turn.settings.ack_hold_back);
        }
    }

    fn tell(&mut self, turn: &mut Turn<'_, D>) {
        let receive = self.receiving.tell();
        self.hold_back = Time::NEVER;
        turn.counters.rr_rnr_sent += 1;
        turn.counters.rnr_sent += u64::from(self.receiving.busy);
        let busy = self.receiving.busy;
        turn.transmit(if busy { Body::ReceiveNotReady { p_r: receive } } else { Body::ReceiveReady { p_r: receive } });
    }

    /// A packet of the channel came in.
    pub fn receive(&mut self, turn: &mut Turn<'_, D>, packet: Packet<D>) -> Happening<D> {
        let Packet { q_bit, d_bit, body, .. } = packet;
        match (self.state, body) {
            (_, Body::ClearRequest { cause, diagnostic, facilities }) => {
                self.drop_data(turn);
                if self.state == State::Clearing {
                    return Happening::Confirmed;
                }
                turn.transmit(Body::ClearConfirmation);
                Happening::Cleared(Closing { cause, diagnostic, facilities })
            }
            (State::Clearing, Body::ClearConfirmation) => Happening::Confirmed,
            (State::Clearing, _) => Happening::Nothing,
            (State::CallSent, Body::CallAccepted) => {
                self.open(turn);
                Happening::Accepted
            }
            (State::CallSent | State::CallReceived, _) => Happening::Violation(Diagnostic::INVALID_WHILE_CALLING),
            (_, Body::ResetRequest { cause, diagnostic }) => self.reset_by_neighbour(turn, cause, diagnostic),
            (State::Resetting, Body::ResetConfirmation) => {
                self.open(turn);
                Happening::Progress
            }
            (State::Resetting, Body::Data { .. }) => {
                turn.counters.lost += 1;
                Happening::Nothing
            }
            (State::Resetting, _) => Happening::Nothing,
            (State::Open, Body::Data { p_s, p_r, more, data }) => {
                let unit = Unit { data, more, q_bit, d_bit, origin: None };
                self.take_data(turn, p_s, p_r, unit)
            }
            (State::Open, Body::ReceiveReady { p_r }) => self.supervised(turn, p_r, false, false),
            (State::Open, Body::ReceiveNotReady { p_r }) => self.supervised(turn, p_r, true, false),
            (State::Open, Body::Reject { p_r }) => self.supervised(turn, p_r, false, true),
            (State::Open, Body::Interrupt(data)) => Happening::Interrupt(data),
            (State::Open, Body::InterruptConfirmation) => Happening::InterruptConfirmed,
            (State::Open, _) => Happening::Violation(Diagnostic::INVALID_WHEN_CONNECTED),
        }
    }

    fn reset_by_neighbour(&mut self, turn: &mut Turn<'_, D>, cause: Cause, diagnostic: Diagnostic) -> Happening<D> {
        if self.state == State::Resetting {
            // both wanted it: each takes the other's request for a confirmation
            self.open(turn);
            return Happening::Progress;
        }
        self.drop_data(turn);
        turn.counters.resets += 1;
        turn.transmit(Body::ResetConfirmation);
        self.deadline = Time::NEVER;
        Happening::Reset(cause, diagnostic)
    }

    /// The neighbour expects `receive` next; none of the packets that were sent if that makes no sense.
    fn progress(&mut self, turn: &mut Turn<'_, D>, receive: u8) -> Option<usize> {
        let count = self.sending.acknowledge(receive, turn.freed)?;
        if count > 0 {
            self.await_window(turn);
        }
        Some(count)
    }

    fn take_data(&mut self, turn: &mut Turn<'_, D>, send: u8, receive: u8, mut unit: Unit<D>) -> Happening<D> {
        if self.progress(turn, receive).is_none() {
            return self.reset_here(turn, Diagnostic::INVALID_RECEIVE_NUMBER);
        }
        let withheld = unit.d_bit || turn.settings.significance == Significance::EndToEnd;
        if !self.receiving.take(send, withheld) {
            turn.counters.lost += 1;
            return self.reset_here(turn, Diagnostic::INVALID_SEND_NUMBER);
        }
        unit.origin = withheld.then_some(send);
        self.pump(turn);
        self.acknowledge(turn);
        Happening::Data(unit)
    }

    fn supervised(&mut self, turn: &mut Turn<'_, D>, receive: u8, busy: bool, again: bool) -> Happening<D> {
        if self.progress(turn, receive).is_none() {
            return self.reset_here(turn, Diagnostic::INVALID_RECEIVE_NUMBER);
        }
        if again {
            turn.counters.resent += self.sending.unacknowledged() as u64;
            self.sending.go_back();
        }
        if std::mem::replace(&mut self.sending.peer_busy, busy) != busy || again {
            self.await_window(turn);
        }
        self.pump(turn);
        Happening::Progress
    }

    fn reset_here(&mut self, turn: &mut Turn<'_, D>, diagnostic: Diagnostic) -> Happening<D> {
        self.reset(turn, Cause::LOCAL_PROCEDURE_ERROR, diagnostic);
        Happening::Reset(Cause::REMOTE_PROCEDURE_ERROR, diagnostic)
    }

    /// When a timer next expires.
    pub fn next_wakeup(&self) -> Time {
        self.deadline.min(self.hold_back)
    }

    /// Timers that are due expire.
    pub fn wake(&mut self, turn: &mut Turn<'_, D>) -> Happening<D> {
        if self.hold_back <= turn.now {
            self.tell(turn);
        }
        if self.deadline > turn.now {
            return Happening::Nothing;
        }
        self.deadline = Time::NEVER;
        let again = self.tries < turn.settings.max_transmissions;
        self.tries = self.tries.saturating_add(1);
        match self.state {
            State::CallReceived => Happening::Nothing,
            State::CallSent => Happening::Violation(Diagnostic::CALL_TIMER),
            State::Open => self.reset_here(turn, Diagnostic::TIMER),
            State::Resetting if again => {
                let (cause, diagnostic) = (Cause::LOCAL_PROCEDURE_ERROR, Diagnostic::RESET_TIMER);
                turn.transmit(Body::ResetRequest { cause, diagnostic });
                self.deadline = turn.after(turn.settings.t22);
                Happening::Nothing
            }
            State::Resetting => Happening::Violation(Diagnostic::RESET_TIMER),
            State::Clearing if again => {
                let (cause, diagnostic) = (Cause::LOCAL_PROCEDURE_ERROR, Diagnostic::CLEAR_TIMER);
                turn.transmit(Body::ClearRequest { cause, diagnostic, facilities: None });
                self.deadline = turn.after(turn.settings.t23);
                Happening::Nothing
            }
            State::Clearing => Happening::Confirmed,
        }
    }
}
