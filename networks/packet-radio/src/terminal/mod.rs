//! A terminal: a PC with its program, a serial line, and a TNC between it and the link.
//!
//! | file | concern |
//! |---|---|
//! | `line` | the serial line and the link behind it |
//! | `serial_input` | from the PC to the TNC; packet formation |
//! | `serial_output` | from the TNC to the PC |
//! | `ping` | the program that sends blocks |
//! | `pong` | the program that returns them |

mod line;
mod ping;
mod pong;
mod serial_input;
mod serial_output;
pub mod settings;
#[cfg(test)]
mod tests;

use sojourn_core::Time;
use sojourn_protocols::ax25::machine::Output as LinkOutput;

pub use settings::{DataMode, TerminalSettings, character_time};

use self::line::Line;
use self::ping::Ping;
use self::pong::Pong;
use super::context::Context;
use super::information::Information;
use super::site::Site;

/// State of a terminal.
#[derive(Clone, Debug)]
pub struct Terminal {
    program: Program,
    line: Line,
}

/// The PC's program.
#[derive(Clone, Debug)]
enum Program {
    Idle,
    Ping(Ping),
    Pong(Pong),
}

impl Terminal {
    /// Terminal number `index` of a site, whose round trips start at `from` or later.
    pub fn new(site: &Site, index: u32, settings: TerminalSettings, from: Time) -> Self {
        let program = match &site.probe {
            Some(probe) if probe.from == index => Program::Ping(Ping::new(probe.clone(), settings.turnaround, from)),
            Some(probe) if probe.to == index => Program::Pong(Pong::new(probe.size, settings.turnaround)),
            _ => Program::Idle,
        };
        let line = Line::new(settings);
        Terminal { program, line }
    }

    /// Starts the program.
    pub fn start(&mut self, context: &mut Context<'_>) {
        if let Program::Ping(ping) = &mut self.program {
            ping.set_up(&mut self.line, context);
        }
    }

    /// Handles an output of a link.
    pub fn on_link_output(&mut self, context: &mut Context<'_>, port: usize, output: LinkOutput<Information>) {
        match output {
            LinkOutput::Deliver { link, data: Information::User(payload), .. } => {
                let returns = matches!(self.program, Program::Pong(_));
                if returns && !self.line.is_attached(port, link) {
                    self.line.attach(port, link);
                }
                if self.line.is_attached(port, link) {
                    self.line.deliver(context, port, link, payload);
                }
            }
            LinkOutput::Connected { link, .. } if self.line.is_attached(port, link) => {
                if let Program::Ping(ping) = &mut self.program {
                    ping.connected(&mut self.line, context);
                }
            }
            LinkOutput::Acknowledged { link, frames } if self.line.is_attached(port, link) => {
                self.line.input.acknowledged(context.now, frames);
            }
            LinkOutput::Reset { link, .. } if self.line.is_attached(port, link) => self.line.input.clear(),
            LinkOutput::Disconnected { link, .. } if self.line.is_attached(port, link) => {
                self.line.detach();
                if let Program::Ping(ping) = &mut self.program {
                    ping.path_lost(&mut self.line, context);
                }
            }
            _ => {}
        }
    }

    /// The transmitter has been keyed or unkeyed.
    pub fn transmits(&mut self, context: &mut Context<'_>, on: bool) {
        self.line.input.transmits(context.now, on);
        self.line.send(context);
    }

    /// A timer may be due.
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

    /// Next wake-up.
    pub fn next_wakeup(&self) -> Time {
        let program = match &self.program {
            Program::Idle => Time::NEVER,
            Program::Ping(ping) => ping.next_wakeup(),
            Program::Pong(pong) => pong.next_wakeup(),
        };
        program.min(self.line.input.next_event()).min(self.line.output.next_event())
    }
}
