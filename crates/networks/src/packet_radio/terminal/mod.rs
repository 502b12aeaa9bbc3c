//! A terminal: a PC with its program, a serial line, and a TNC between it and the link.
//!
//! | file | concern |
//! |---|---|
//! | `input` | from the PC to the TNC, and packets made of characters |
//! | `output` | from the TNC to the PC |
//! | `ping` | the program that sends blocks |
//! | `pong` | the program that returns them |

mod ping;
mod pong;
mod serial_input;
mod serial_output;
mod settings;
#[cfg(test)]
mod tests;

use sojourn_core::Time;
use sojourn_protocols::ax25::machine::{LinkId, Output as Told};

pub use settings::{DataMode, TerminalSettings, character_time};

use self::ping::Ping;
use self::pong::Pong;
use self::serial_input::Input;
use self::serial_output::Output;
use super::budget::Component;
use super::information::{Information, Payload};
use super::site::Site;
use super::station::Context;

/// The stream of blocks that are sent.
pub const PING_STREAM: u32 = 0;
/// The stream of blocks that are returned.
pub const PONG_STREAM: u32 = 1;

/// A terminal as it runs.
#[derive(Debug)]
pub struct Terminal {
    program: Program,
    line: Line,
}

/// What its PC runs.
#[derive(Debug)]
enum Program {
    Idle,
    Ping(Ping),
    Pong(Pong),
}

/// The serial line, and the link that the TNC joins it to.
#[derive(Debug)]
struct Line {
    input: Input,
    output: Output,
    link: Option<(usize, LinkId)>,
    receive_buffer: u32,
    /// Whether the link has been told that the buffer is full.
    busy: bool,
}

impl Terminal {
    /// Terminal number `index` of a site, whose round trips begin at `from` or later.
    pub fn new(site: &Site, index: u32, settings: TerminalSettings, from: Time) -> Self {
        let program = match &site.probe {
            Some(probe) if probe.from == index => Program::Ping(Ping::new(probe.clone(), settings.turnaround, from)),
            Some(probe) if probe.to == index => Program::Pong(Pong::new(probe.size, settings.turnaround)),
            _ => Program::Idle,
        };
        let line = Line {
            input: Input::new(settings),
            output: Output::new(settings.character),
            link: None,
            receive_buffer: settings.receive_buffer,
            busy: false,
        };
        Terminal { program, line }
    }

    /// It has been switched on.
    pub fn start(&mut self, context: &mut Context<'_>) {
        if let Program::Ping(ping) = &mut self.program {
            ping.set_up(&mut self.line, context);
        }
    }

    /// A link tells something.
    pub fn told(&mut self, context: &mut Context<'_>, port: usize, told: Told<Information>) {
        match told {
            Told::Deliver { link, data: Information::User(payload), .. } => {
                let returns = matches!(self.program, Program::Pong(_));
                if returns && !self.line.is_joined(port, link) {
                    self.line.join(port, link);
                }
                if self.line.is_joined(port, link) {
                    self.line.deliver(context, port, link, payload);
                }
            }
            Told::Connected { link, .. } if self.line.is_joined(port, link) => {
                if let Program::Ping(ping) = &mut self.program {
                    ping.connected(&mut self.line, context);
                }
            }
            Told::Acknowledged { link, frames } if self.line.is_joined(port, link) => {
                self.line.input.acknowledged(context.now, frames);
            }
            Told::Reset { link, .. } if self.line.is_joined(port, link) => self.line.input.clear(),
            Told::Disconnected { link, .. } if self.line.is_joined(port, link) => {
                self.line.part();
                if let Program::Ping(ping) = &mut self.program {
                    ping.lost(&mut self.line, context);
                }
            }
            _ => {}
        }
    }

    /// The transmitter has been keyed, or is off again.
    pub fn transmits(&mut self, context: &mut Context<'_>, on: bool) {
        self.line.input.transmits(context.now, on);
        self.line.send(context);
    }

    /// A timer is due.
    pub fn wake(&mut self, context: &mut Context<'_>) {
        while let Some(payload) = self.line.receive(context) {
            match &mut self.program {
                Program::Idle => {}
                Program::Ping(ping) => ping.received(&mut self.line, context, &payload),
                Program::Pong(pong) => pong.received(context, &payload),
            }
        }
        match &mut self.program {
            Program::Idle => {}
            Program::Ping(ping) => ping.wake(&mut self.line, context),
            Program::Pong(pong) => pong.wake(&mut self.line, context),
        }
        self.line.send(context);
    }

    /// When it must be woken.
    pub fn next_wakeup(&self) -> Time {
        let program = match &self.program {
            Program::Idle => Time::NEVER,
            Program::Ping(ping) => ping.next_wakeup(),
            Program::Pong(pong) => pong.next_wakeup(),
        };
        program.min(self.line.input.next_event()).min(self.line.output.next_event())
    }
}

impl Line {
    fn is_joined(&self, port: usize, link: LinkId) -> bool {
        self.link == Some((port, link))
    }

    /// What the PC writes goes to this link.
    fn join(&mut self, port: usize, link: LinkId) {
        self.part();
        self.link = Some((port, link));
    }

    /// The link is down.
    fn part(&mut self) {
        self.link = None;
        self.busy = false;
        self.input.clear();
    }

    /// What the link delivers goes to the PC.
    fn deliver(&mut self, context: &mut Context<'_>, port: usize, link: LinkId, payload: Payload) {
        self.output.push(context.now, payload);
        if self.output.waiting() >= self.receive_buffer && !self.busy {
            self.busy = true;
            context.set_busy(port, link, true);
        }
    }

    /// What has reached the PC.
    fn receive(&mut self, context: &mut Context<'_>) -> Option<Payload> {
        let payload = self.output.take(context.now)?;
        if context.account.is_in(&payload) {
            context.account.account(Component::SerialLine, context.now);
        }
        if self.busy && self.output.waiting() <= self.receive_buffer / 2 {
            self.busy = false;
            if let Some((port, link)) = self.link {
                context.set_busy(port, link, false);
            }
        }
        Some(payload)
    }

    /// Packets that are complete go to the link.
    fn send(&mut self, context: &mut Context<'_>) {
        while let Some((packet, last)) = self.input.take(context.now) {
            if context.account.is_in(&packet) {
                context.account.account(Component::SerialLine, last);
                context.account.account(Component::PacketFormation, context.now);
            }
            if let Some((port, link)) = self.link {
                context.send(port, link, Information::User(packet));
            }
        }
    }
}
