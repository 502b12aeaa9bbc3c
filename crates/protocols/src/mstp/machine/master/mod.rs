//! The master node (clause 9.5.6): its state, what it hears, its timers.

mod idle;
mod poll;
mod token;

use std::collections::VecDeque;

use sojourn_core::{Machine, Time, clone_fields};

use super::counters::{Counter, Counters};
use super::messages::{Input, Output};
use super::settings::{MIN_OCTETS, Settings};
use crate::UserData;
use crate::limits::ParameterOutOfRange;
use crate::mstp::wire::{Frame, FrameType};

/// The states of a master. USE_TOKEN is left in the step in which it is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// IDLE: waits for a frame.
    Idle,
    /// WAIT_FOR_REPLY: has the token and waits for a reply.
    WaitForReply,
    /// DONE_WITH_TOKEN: has the token, and a frame without a reply is being sent.
    DoneWithToken,
    /// PASS_TOKEN: listens whether its successor uses the token.
    PassToken,
    /// NO_TOKEN: the token is lost; waits for its slot to generate one.
    NoToken,
    /// POLL_FOR_MASTER: waits for the reply of an address that it has polled.
    PollForMaster,
    /// ANSWER_DATA_REQUEST: the application owes a reply.
    AnswerDataRequest,
}

/// A frame of the application that waits for the token.
#[derive(Clone, Debug)]
struct Queued<D> {
    kind: FrameType,
    destination: u8,
    data: D,
}

/// A master node.
#[derive(Debug)]
pub struct Master<D> {
    settings: Settings,
    state: State,
    /// Whether the frame of the last [`Output::Transmit`] has not left yet.
    is_sending: bool,
    /// SoleMaster: the only master that it knows of.
    is_sole: bool,
    /// Whether its slot to generate a token has passed, in NO_TOKEN.
    has_missed_slot: bool,
    /// Next Station (NS): the successor, the node itself while unknown.
    next: u8,
    /// Poll Station (PS): the address polled last.
    poll: u8,
    /// The node that waits for a reply, in ANSWER_DATA_REQUEST; in WAIT_FOR_REPLY the one that is asked.
    peer: u8,
    /// TokenCount: tokens since the last sweep.
    tokens: u32,
    /// FrameCount: frames sent with this token.
    frames: u32,
    /// RetryCount: repetitions of a token.
    retries: u32,
    /// EventCount: octets and errors.
    events: u32,
    /// When the SilenceTimer was last cleared.
    silent: Time,
    queue: VecDeque<Queued<D>>,
    outputs: VecDeque<Output<D>>,
    counters: Counters,
}

clone_fields!([D: Clone] Master<D> {
    settings, state, is_sending, is_sole, has_missed_slot, next, poll, peer, tokens, frames, retries, events, silent, queue, outputs, counters
});

impl<D: UserData + Default> Master<D> {
    /// A master after its start at `now` (INITIALIZE): its successor is unknown, and it polls with the first token.
    pub fn new(settings: Settings, now: Time) -> Result<Self, ParameterOutOfRange> {
        settings.check_master()?;
        Ok(Master {
            settings,
            state: State::Idle,
            is_sending: false,
            is_sole: false,
            has_missed_slot: false,
            next: settings.address,
            poll: settings.address,
            peer: settings.address,
            tokens: settings.poll,
            frames: 0,
            retries: 0,
            events: 0,
            silent: now,
            queue: VecDeque::new(),
            outputs: VecDeque::new(),
            counters: Counters::default(),
        })
    }

    /// Starts again at `now`, as after a loss of power: successor, queue and outputs are forgotten. Counters go on.
    pub fn restart(&mut self, now: Time) {
        let Settings { address, poll, .. } = self.settings;
        (self.state, self.is_sending, self.is_sole) = (State::Idle, false, false);
        (self.next, self.poll, self.tokens, self.silent) = (address, address, poll, now);
        self.queue.clear();
        self.outputs.clear();
    }

    /// The settings that it was created with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The state.
    #[inline]
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether a frame is being sent.
    #[inline]
    pub fn is_sending(&self) -> bool {
        self.is_sending
    }

    /// Whether it has the token.
    pub fn has_token(&self) -> bool {
        match self.state {
            State::WaitForReply | State::DoneWithToken | State::PollForMaster => true,
            State::PassToken => self.is_sending,
            State::Idle | State::NoToken | State::AnswerDataRequest => false,
        }
    }

    /// The successor; none while it is not known.
    pub fn successor(&self) -> Option<u8> {
        (self.next != self.settings.address).then_some(self.next)
    }

    /// Whether it knows no other master.
    pub fn is_sole(&self) -> bool {
        self.is_sole
    }

    /// Frames that wait for the token.
    #[inline]
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// The data of the frames that wait for the token, the oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &D> {
        self.queue.iter().map(|queued| &queued.data)
    }

    /// The node's event counters.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Swaps the output queue with `outputs`. A driver of many nodes passes each the same queue, which thus stays in the CPU
    /// cache, and drains it itself.
    #[inline]
    pub fn exchange_outputs(&mut self, outputs: &mut VecDeque<Output<D>>) {
        std::mem::swap(&mut self.outputs, outputs);
    }

    fn transmit(&mut self, frame: Frame<D>) {
        self.is_sending = true;
        self.outputs.push_back(Output::Transmit(frame));
    }

    fn transmit_bare(&mut self, kind: FrameType, destination: u8) {
        self.transmit(Frame::bare(kind, destination, self.settings.address));
    }

    fn count(&mut self, counter: Counter) {
        self.counters.count(counter);
    }

    /// Octets on the line: EventCount goes up, the SilenceTimer is cleared.
    #[inline]
    fn hear(&mut self, octets: u32, until: Time) {
        self.silent = self.silent.max(until);
        self.events = self.events.saturating_add(octets);
        let is_watching = matches!(self.state, State::PassToken | State::NoToken);
        if is_watching && !self.is_sending && self.events > MIN_OCTETS {
            // SawTokenUser, SawFrame
            self.state = State::Idle;
        }
    }

    fn sent(&mut self, now: Time) {
        self.is_sending = false;
        self.silent = now;
        if self.state == State::DoneWithToken {
            self.done_with_token();
        }
    }

    fn receive(&mut self, frame: Frame<D>) {
        // a frame has more octets than N_min_octets, whether or not the driver has reported them
        if matches!(self.state, State::PassToken | State::NoToken) {
            self.state = State::Idle;
        }
        if frame.source == self.settings.address {
            return self.count(Counter::DuplicateNode);
        }
        match self.state {
            State::Idle => self.receive_idle(frame),
            State::WaitForReply => self.receive_reply(frame),
            State::PollForMaster => self.receive_poll_reply(&frame),
            State::DoneWithToken | State::PassToken | State::NoToken | State::AnswerDataRequest => {}
        }
    }

    fn receive_for_others(&mut self) {
        match self.state {
            State::PassToken | State::NoToken => self.state = State::Idle,
            State::WaitForReply => self.disturbed(),
            State::PollForMaster => self.drop_token(),
            State::Idle | State::DoneWithToken | State::AnswerDataRequest => {}
        }
    }

    fn receive_invalid(&mut self) {
        self.count(Counter::InvalidFrames);
        match self.state {
            State::WaitForReply => self.disturbed(),
            State::PollForMaster => self.no_poll_reply(),
            _ => {}
        }
    }

    /// ReceivedUnexpectedFrame: there may be another token.
    fn drop_token(&mut self) {
        self.count(Counter::TokensDropped);
        self.state = State::Idle;
    }

    /// When the timer of the state expires.
    #[inline]
    fn due(&self) -> Option<Time> {
        if self.is_sending {
            return None;
        }
        let settings = &self.settings;
        let wait = match self.state {
            State::Idle => settings.no_token,
            State::WaitForReply => settings.reply_timeout,
            State::PassToken => settings.usage_timeout,
            State::PollForMaster => settings.poll_timeout(self.poll),
            State::AnswerDataRequest => settings.reply_delay,
            State::NoToken => return Some(self.generation_due()),
            State::DoneWithToken => return None,
        };
        Some(self.silent + wait)
    }

    fn expire(&mut self, now: Time) {
        match self.state {
            State::Idle => self.lose_token(),
            State::WaitForReply => self.reply_timeout(),
            State::PassToken => self.token_unused(),
            State::PollForMaster => self.no_poll_reply(),
            State::AnswerDataRequest => self.postpone(),
            State::NoToken => self.generate_token(now),
            State::DoneWithToken => {}
        }
    }
}

impl<D: UserData + Default> Machine for Master<D> {
    type Input = Input<D>;
    type Output = Output<D>;

    #[inline]
    fn handle(&mut self, now: Time, input: Input<D>) {
        match input {
            Input::Activity { octets, until } => self.hear(octets, until),
            // a node that sends does not listen
            Input::Frame(_) | Input::NotForUs | Input::Invalid if self.is_sending => {}
            Input::Frame(frame) => self.receive(frame),
            Input::NotForUs => self.receive_for_others(),
            Input::Invalid => self.receive_invalid(),
            Input::Sent => self.sent(now),
            Input::Send { kind, destination, data } => self.queue.push_back(Queued { kind, destination, data }),
            Input::Reply { destination, data } => self.reply(destination, data),
            Input::Postpone => {
                if self.state == State::AnswerDataRequest {
                    self.postpone();
                }
            }
        }
    }

    fn wake(&mut self, now: Time) {
        while let Some(due) = self.due()
            && due <= now
        {
            self.expire(now);
        }
    }

    #[inline]
    fn poll_output(&mut self) -> Option<Output<D>> {
        self.outputs.pop_front()
    }

    #[inline]
    fn next_wakeup(&self) -> Option<Time> {
        self.due()
    }
}
