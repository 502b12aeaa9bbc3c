//! The program that sends blocks and measures their round-trip time, after the user has set up the path.

use sojourn_core::{Duration, Time};
use sojourn_protocols::{StreamRange, UserData};

use super::line::Line;
use crate::context::Context;
use crate::information::{PING_STREAM, PONG_STREAM, Payload};
use crate::latency_budget::Component;
use crate::site::Probe;

/// How long the user waits before the next attempt to set up the path.
const RETRY: Duration = Duration::from_secs(10);
/// Blocks after which the positions of the stream wrap around.
const POSITIONS: u64 = 256;

/// State of the program and of the path setup.
#[derive(Clone, Debug)]
pub struct Ping {
    probe: Probe,
    turnaround: Duration,
    state: State,
    /// Round trips completed or failed.
    number: u64,
    /// When the next round trip is due, with or without a path by then.
    due: Time,
    /// End of the state: its timeout where something is awaited.
    until: Time,
    /// Octets of the block returned.
    received: u32,
    /// Text that a node has sent since the last complete line.
    reply: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No path; the setup is retried.
    Down,
    /// The first link is being set up.
    Connecting,
    /// This command has been sent.
    Commanding(usize),
    /// The path is up; the next round trip has not started.
    Ready,
    /// The turnaround time of the program runs.
    Turnaround,
    /// The block is in flight.
    InFlight,
    /// All round trips are complete.
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
            reply: String::new(),
        }
    }

    /// Next wake-up.
    pub fn next_wakeup(&self) -> Time {
        self.until
    }

    /// Starts the path setup.
    pub fn set_up(&mut self, line: &mut Line, context: &mut Context<'_>) {
        let port = self.probe.path.port as usize;
        match context.connect(port, self.probe.path.key) {
            Some(link) => {
                line.attach(port, link);
                self.enter(State::Connecting, self.due + self.probe.timeout);
            }
            // an earlier link is still being disconnected
            None => self.enter(State::Down, context.now + RETRY),
        }
    }

    /// The first link is up.
    pub fn connected(&mut self, line: &mut Line, context: &mut Context<'_>) {
        if self.state == State::Connecting {
            self.command(line, context, 0);
        }
    }

    /// The path is lost, or its setup failed; with a block in flight, the round trip has failed.
    pub fn path_lost(&mut self, line: &mut Line, context: &mut Context<'_>) {
        if let Some((port, link)) = line.link {
            line.detach();
            context.disconnect(port, link);
        }
        if matches!(self.state, State::Turnaround | State::InFlight) {
            self.fail(context);
        }
        self.enter(State::Down, context.now + RETRY);
        self.finish();
    }

    /// A round trip has failed, and the next is due.
    fn fail(&mut self, context: &mut Context<'_>) {
        self.number += 1;
        self.due = context.now;
        context.round_trips.failed();
    }

    /// Data have arrived over the serial line.
    pub fn received(&mut self, line: &mut Line, context: &mut Context<'_>, payload: &Payload) {
        match (payload, self.state) {
            (Payload::Text(_), State::Commanding(step)) => {
                self.reply.push_str(payload.as_text().unwrap_or_default());
                while let Some(end) = self.reply.find('\r') {
                    let line_text: String = self.reply.drain(..=end).collect();
                    self.on_reply(line, context, step, &line_text);
                }
            }
            (Payload::Stream(range), State::InFlight) if self.is_of_block(range) => {
                self.received += range.length() as u32;
                if payload.contains(PONG_STREAM, self.start() + self.probe.size - 1) {
                    self.returned(line, context);
                }
            }
            _ => {}
        }
    }

    /// The state may have ended.
    pub fn wake(&mut self, line: &mut Line, context: &mut Context<'_>) {
        if self.until > context.now {
            return;
        }
        match self.state {
            State::Down if context.now < self.due + self.probe.timeout => self.set_up(line, context),
            // no path within its timeout
            State::Down | State::Connecting | State::Commanding(_) => {
                self.fail(context);
                self.path_lost(line, context);
            }
            State::Ready => self.begin(line, context),
            State::Turnaround => self.write(line, context),
            State::InFlight => self.path_lost(line, context),
            State::Done => self.until = Time::NEVER,
        }
    }

    fn enter(&mut self, state: State, until: Time) {
        self.state = state;
        self.until = until;
    }

    /// Sends the next command; the path is up when none is left.
    fn command(&mut self, line: &mut Line, context: &mut Context<'_>, step: usize) {
        match self.probe.path.commands.get(step) {
            Some(command) => {
                if !command.is_empty() {
                    line.input.write(context.now, Payload::text(&format!("{command}\r")));
                }
                self.reply.clear();
                self.enter(State::Commanding(step), self.due + self.probe.timeout);
            }
            None => self.enter(State::Ready, self.due.max(context.now)),
        }
    }

    /// A node has replied to a command with a line.
    fn on_reply(&mut self, line: &mut Line, context: &mut Context<'_>, step: usize, reply: &str) {
        if self.state != State::Commanding(step) {
            return;
        }
        if reply.contains("Connected to") {
            self.command(line, context, step + 1);
        } else if ["Failure", "Busy", "Disconnected"].iter().any(|word| reply.contains(word)) {
            self.path_lost(line, context);
        }
    }

    fn begin(&mut self, line: &mut Line, context: &mut Context<'_>) {
        context.round_trips.begin(context.now);
        self.received = 0;
        self.enter(State::Turnaround, context.now + self.turnaround);
        if self.turnaround == Duration::ZERO {
            self.write(line, context);
        }
    }

    fn write(&mut self, line: &mut Line, context: &mut Context<'_>) {
        context.round_trips.account(Component::Application, context.now);
        let (start, size) = (self.start(), self.probe.size);
        context.round_trips.follow(PING_STREAM, start + size - 1);
        let range = StreamRange { stream: PING_STREAM, offset: start, length: size as u16 };
        line.input.write(context.now, Payload::Stream(range));
        self.enter(State::InFlight, context.now + self.probe.timeout);
    }

    /// The block's last octet has been returned.
    fn returned(&mut self, line: &mut Line, context: &mut Context<'_>) {
        if self.received != self.probe.size {
            return self.path_lost(line, context);
        }
        context.round_trips.returned(context.now);
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

    /// Start of the current block in its stream.
    fn start(&self) -> u32 {
        (self.number % POSITIONS) as u32 * self.probe.size
    }

    fn is_of_block(&self, range: &StreamRange) -> bool {
        range.stream == PONG_STREAM && range.offset.wrapping_sub(self.start()) < self.probe.size
    }
}
