//! The program that sends blocks and times their return; before that, the user who sets the path up.

use sojourn_core::{Duration, Time};
use sojourn_protocols::{StreamRange, UserData};

use super::{Line, PING_STREAM, PONG_STREAM};
use crate::packet_radio::budget::Component;
use crate::packet_radio::information::Payload;
use crate::packet_radio::site::Probe;
use crate::packet_radio::station::Context;

/// How long the user waits until the next attempt to set the path up.
const RETRY: Duration = Duration::from_secs(10);
/// Blocks after which the positions of the stream begin anew.
const POSITIONS: u64 = 256;

/// The program, and what its user does.
#[derive(Debug)]
pub struct Ping {
    probe: Probe,
    turnaround: Duration,
    state: State,
    /// Round trips that are over.
    number: u64,
    /// When the next round trip is due, whether there is a path by then or not.
    due: Time,
    /// When the state is over, for the worse where something is awaited.
    until: Time,
    /// Octets of the block that are back.
    received: u32,
    /// What a node has answered since the last line.
    answer: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No path; it is tried again.
    Down,
    /// The first link is being set up.
    Connecting,
    /// This command has been given.
    Commanding(usize),
    /// The path stands; the next round trip has not begun.
    Ready,
    /// The program is at work.
    Turning,
    /// The block is under way.
    Away,
    /// All round trips are over.
    Done,
}

impl Ping {
    /// The program of a probe, whose first round trip is due at `from`.
    pub fn new(probe: Probe, turnaround: Duration, from: Time) -> Self {
        Ping {
            probe,
            turnaround,
            state: State::Down,
            number: 0,
            due: from,
            until: Time::NEVER,
            received: 0,
            answer: String::new(),
        }
    }

    /// When it must be woken.
    pub fn next_wakeup(&self) -> Time {
        self.until
    }

    /// The user begins to set the path up.
    pub fn set_up(&mut self, line: &mut Line, context: &mut Context<'_>) {
        let port = self.probe.path.port as usize;
        match context.connect(port, self.probe.path.key) {
            Some(link) => {
                line.join(port, link);
                self.enter(State::Connecting, self.due + self.probe.time_out);
            }
            // an earlier link is still being ended
            None => self.enter(State::Down, context.now + RETRY),
        }
    }

    /// The first link is up.
    pub fn connected(&mut self, line: &mut Line, context: &mut Context<'_>) {
        if self.state == State::Connecting {
            self.command(line, context, 0);
        }
    }

    /// The path is lost, or was not had: with a block under way, a round trip has failed.
    pub fn lost(&mut self, line: &mut Line, context: &mut Context<'_>) {
        if let Some((port, link)) = line.link {
            line.part();
            context.disconnect(port, link);
        }
        if matches!(self.state, State::Turning | State::Away) {
            self.fail(context);
        }
        self.enter(State::Down, context.now + RETRY);
        self.finish();
    }

    /// A round trip has failed, and the next is due.
    fn fail(&mut self, context: &mut Context<'_>) {
        self.number += 1;
        self.due = context.now;
        context.account.failed();
    }

    /// Something has come over the serial line.
    pub fn received(&mut self, line: &mut Line, context: &mut Context<'_>, payload: &Payload) {
        match (payload, self.state) {
            (Payload::Text(_), State::Commanding(step)) => {
                self.answer.push_str(payload.words().unwrap_or_default());
                while let Some(end) = self.answer.find('\r') {
                    let answer: String = self.answer.drain(..=end).collect();
                    self.answered(line, context, step, &answer);
                }
            }
            (Payload::Stream(range), State::Away) if self.is_of_block(range) => {
                self.received += range.length() as u32;
                if payload.contains(PONG_STREAM, self.start() + self.probe.size - 1) {
                    self.returned(line, context);
                }
            }
            _ => {}
        }
    }

    /// A state may be over.
    pub fn wake(&mut self, line: &mut Line, context: &mut Context<'_>) {
        if self.until > context.now {
            return;
        }
        match self.state {
            State::Down if context.now < self.due + self.probe.time_out => self.set_up(line, context),
            // no path within its time
            State::Down | State::Connecting | State::Commanding(_) => {
                self.fail(context);
                self.lost(line, context);
            }
            State::Ready => self.begin(line, context),
            State::Turning => self.write(line, context),
            State::Away => self.lost(line, context),
            State::Done => self.until = Time::NEVER,
        }
    }

    fn enter(&mut self, state: State, until: Time) {
        self.state = state;
        self.until = until;
    }

    /// Gives a command, or has the path when none is left.
    fn command(&mut self, line: &mut Line, context: &mut Context<'_>, step: usize) {
        match self.probe.path.commands.get(step) {
            Some(command) => {
                if !command.is_empty() {
                    line.input.write(context.now, Payload::text(&format!("{command}\r")));
                }
                self.answer.clear();
                self.enter(State::Commanding(step), self.due + self.probe.time_out);
            }
            None => self.enter(State::Ready, self.due.max(context.now)),
        }
    }

    /// A node has answered a command with a line.
    fn answered(&mut self, line: &mut Line, context: &mut Context<'_>, step: usize, answer: &str) {
        if self.state != State::Commanding(step) {
            return;
        }
        if answer.contains("Connected to") {
            self.command(line, context, step + 1);
        } else if ["Failure", "Busy", "Disconnected"].iter().any(|word| answer.contains(word)) {
            self.lost(line, context);
        }
    }

    fn begin(&mut self, line: &mut Line, context: &mut Context<'_>) {
        context.account.begin(context.now);
        self.received = 0;
        self.enter(State::Turning, context.now + self.turnaround);
        if self.turnaround == Duration::ZERO {
            self.write(line, context);
        }
    }

    fn write(&mut self, line: &mut Line, context: &mut Context<'_>) {
        context.account.account(Component::Application, context.now);
        let (start, size) = (self.start(), self.probe.size);
        context.account.follow(PING_STREAM, start + size - 1);
        let range = StreamRange { stream: PING_STREAM, offset: start, length: size as u16 };
        line.input.write(context.now, Payload::Stream(range));
        self.enter(State::Away, context.now + self.probe.time_out);
    }

    /// The block's last octet is back.
    fn returned(&mut self, line: &mut Line, context: &mut Context<'_>) {
        if self.received != self.probe.size {
            return self.lost(line, context);
        }
        context.account.returned(context.now);
        self.number += 1;
        self.due = context.now + self.probe.pause;
        self.enter(State::Ready, self.due);
        self.finish();
    }

    fn finish(&mut self) {
        if self.number >= self.probe.round_trips {
            self.enter(State::Done, Time::NEVER);
        }
    }

    /// Where the block under way begins in its stream.
    fn start(&self) -> u32 {
        (self.number % POSITIONS) as u32 * self.probe.size
    }

    fn is_of_block(&self, range: &StreamRange) -> bool {
        range.stream == PONG_STREAM && range.offset.wrapping_sub(self.start()) < self.probe.size
    }
}
