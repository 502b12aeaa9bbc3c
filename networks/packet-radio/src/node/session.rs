//! The session of one user: first commands to the node, then a connection of two ends.

use std::sync::Arc;

use sojourn_core::Machine;
use sojourn_protocols::ax25::machine::LinkKey;
use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::netrom::machine::{Input, Node as Protocol};

use super::command::Command;
use super::forwarding::{End, Flow};
use super::settings::NodeSettings;
use crate::context::Context;
use crate::information::Payload;

/// Sum of the SSIDs of a user on either side of a node.
const MIRROR_SSID: u8 = 15;

/// Side of the end that connected to the node.
pub const UPPER: usize = 0;
/// Side of the end that the node opened.
pub const LOWER: usize = 1;

/// A user, and the two ends of the session.
#[derive(Clone, Debug)]
pub struct Session {
    user: Address,
    /// The end that connected, and the one that was opened; none once disconnected.
    pub ends: [Option<End>; 2],
    state: State,
    /// Data from each end.
    pub flows: [Flow; 2],
    /// An incomplete command line.
    line: String,
    /// The name that the user connects to.
    target: String,
    /// Prefix of the node's replies.
    prefix: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The user sends commands.
    Commanding,
    /// The lower end is being opened.
    Opening,
    /// Data are forwarded.
    Connected,
    /// One end is disconnected, the other follows when its data are delivered.
    Closing,
}

impl Session {
    /// A user who has just connected.
    pub fn new(user: Address, upper: End, prefix: Arc<str>) -> Self {
        Session {
            user,
            ends: [Some(upper), None],
            state: State::Commanding,
            flows: Default::default(),
            line: String::new(),
            target: String::new(),
            prefix,
        }
    }

    /// The side of an end.
    pub fn side(&self, end: End) -> Option<usize> {
        self.ends.iter().position(|own| *own == Some(end))
    }

    /// Whether both ends are disconnected.
    pub fn is_over(&self) -> bool {
        self.state == State::Closing && self.ends == [None, None]
    }

    /// The lower end is connected.
    pub fn connected(&mut self) {
        if self.state == State::Opening {
            self.state = State::Connected;
            self.reply(&format!("Connected to {}", self.target));
        }
    }

    /// An end is disconnected, or `refused` the connection.
    pub fn disconnected(&mut self, side: usize, refused: bool) {
        self.ends[side] = None;
        self.flows[side].finish();
        if side == LOWER && self.state == State::Opening {
            self.state = State::Commanding;
            let target = &self.target;
            let reply = if refused { format!("Busy from {target}") } else { format!("Failure with {target}") };
            self.reply(&reply);
        } else {
            self.state = State::Closing;
        }
    }

    /// Executes commands, forwards data, and closes the last end when its data are delivered.
    pub fn forward(
        &mut self,
        context: &mut Context<'_>,
        protocol: &mut Protocol<Payload>,
        settings: &NodeSettings,
        buffers_low: bool,
    ) {
        while self.state == State::Commanding && self.run_command(context, protocol, settings) {}
        let [upper, lower] = self.ends;
        if matches!(self.state, State::Connected | State::Closing) {
            self.flows[UPPER].forward([upper, lower], context, protocol, settings);
        }
        self.flows[LOWER].forward([lower, upper], context, protocol, settings);
        for (flow, end) in self.flows.iter_mut().zip([upper, lower]) {
            flow.apply_back_pressure(end, context, settings.threshold, buffers_low);
        }
        if self.state == State::Closing {
            self.close(context, protocol);
        }
    }

    /// Processes the next input of the user; returns whether there was any.
    fn run_command(
        &mut self,
        context: &mut Context<'_>,
        protocol: &mut Protocol<Payload>,
        settings: &NodeSettings,
    ) -> bool {
        let end = self.line.find('\r').or_else(|| {
            let typed = self.flows[UPPER].take(self.ends[UPPER], context, protocol)?;
            self.line.push_str(typed.as_text().unwrap_or_default());
            self.line.find('\r')
        });
        let Some(end) = end else { return !self.flows[UPPER].is_empty() };
        let line: String = self.line.drain(..=end).collect();
        match Command::parse(&line) {
            Command::Connect(name) => self.connect(name, context, protocol, settings),
            Command::Bye => self.state = State::Closing,
            Command::Unknown => self.reply("Invalid command"),
        }
        true
    }

    /// Connects to a node by a circuit, or to a station by a link under the user's callsign.
    fn connect(
        &mut self,
        name: String,
        context: &mut Context<'_>,
        protocol: &mut Protocol<Payload>,
        settings: &NodeSettings,
    ) {
        self.target = name;
        let node = protocol.find(&self.target).filter(|node| *node != protocol.address());
        let station = self.target.parse::<Address>();
        let opened = match (node, station) {
            (Some(destination), _) => {
                protocol.handle(context.now, Input::Connect { user: self.user, destination });
                protocol.opened().map(End::Circuit)
            }
            (None, Ok(station)) => {
                let port = settings.port_to(station);
                context.connect(port, self.down_link(station)).map(|link| End::Link { port, link })
            }
            (None, Err(_)) => return self.reply("Invalid call"),
        };
        match opened {
            Some(end) => {
                self.ends[LOWER] = Some(end);
                self.state = State::Opening;
            }
            None => self.reply(&format!("Busy from {}", self.target)),
        }
    }

    /// Key of the link that represents the user towards a station.
    fn down_link(&self, station: Address) -> LinkKey {
        let mirrored = Address::new(self.user.callsign(), MIRROR_SSID - self.user.ssid());
        LinkKey::direct(mirrored.expect("an SSID within its range"), station)
    }

    /// Disconnects the remaining end once its data are delivered.
    fn close(&mut self, context: &mut Context<'_>, protocol: &mut Protocol<Payload>) {
        for side in [UPPER, LOWER] {
            let Some(end) = self.ends[side] else { continue };
            let gone = match end {
                _ if !self.flows[1 - side].is_empty() => false,
                End::Link { port, link } => context.backlog(port, link) == 0,
                End::Circuit(_) => true,
            };
            if gone {
                self.ends[side] = None;
                match end {
                    End::Link { port, link } => context.disconnect(port, link),
                    End::Circuit(circuit) => protocol.handle(context.now, Input::Finish { circuit }),
                }
            }
        }
    }

    fn reply(&mut self, text: &str) {
        self.flows[LOWER].push_text(&format!("{}}} {text}\r", self.prefix));
    }
}
