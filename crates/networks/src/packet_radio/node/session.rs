//! One user of a node: first the node itself is spoken to, then two ends are joined.

use std::sync::Arc;

use sojourn_core::Machine;
use sojourn_protocols::ax25::machine::LinkKey;
use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::netrom::machine::{Input, Node as Protocol};

use super::command::Command;
use super::forwarding::{End, Flow};
use super::settings::NodeSettings;
use crate::packet_radio::information::Payload;
use crate::packet_radio::station::Context;

/// The larger of two SSIDs that stand for each other on either side of a node.
const MIRROR_SSID: u8 = 15;

/// The end that came.
pub const UPPER: usize = 0;
/// The end that was opened for it.
pub const LOWER: usize = 1;

/// A user, and where the user was led to.
#[derive(Debug)]
pub struct Session {
    user: Address,
    /// The end that came, and the one that was opened; none once it is gone.
    pub ends: [Option<End>; 2],
    state: State,
    /// What came from each end.
    pub flows: [Flow; 2],
    /// A command not finished yet.
    line: String,
    /// Whom the user asked for.
    whom: String,
    /// How the node begins its answers.
    prefix: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The user types commands.
    Commanding,
    /// The lower end is being opened.
    Opening,
    /// Data flow through.
    Joined,
    /// One end is gone, and the other goes when it has all.
    Leaving,
}

impl Session {
    /// A user who has just come.
    pub fn new(user: Address, upper: End, prefix: Arc<str>) -> Self {
        Session {
            user,
            ends: [Some(upper), None],
            state: State::Commanding,
            flows: Default::default(),
            line: String::new(),
            whom: String::new(),
            prefix,
        }
    }

    /// The side of an end.
    pub fn side(&self, end: End) -> Option<usize> {
        self.ends.iter().position(|own| *own == Some(end))
    }

    /// Whether both ends are gone.
    pub fn is_over(&self) -> bool {
        self.state == State::Leaving && self.ends == [None, None]
    }

    /// The lower end is open.
    pub fn opened(&mut self) {
        if self.state == State::Opening {
            self.state = State::Joined;
            self.answer(&format!("Connected to {}", self.whom));
        }
    }

    /// An end is gone; `refused` where it did not want to come.
    pub fn lost(&mut self, side: usize, refused: bool) {
        self.ends[side] = None;
        self.flows[side].ends();
        if side == LOWER && self.state == State::Opening {
            self.state = State::Commanding;
            let whom = &self.whom;
            let answer = if refused { format!("Busy from {whom}") } else { format!("Failure with {whom}") };
            self.answer(&answer);
        } else {
            self.state = State::Leaving;
        }
    }

    /// Obeys commands, sends on what can go, and lets the last end go when it has all.
    pub fn go_on(
        &mut self,
        context: &mut Context<'_>,
        protocol: &mut Protocol<Payload>,
        settings: &NodeSettings,
        short: bool,
    ) {
        while self.state == State::Commanding && self.obey(context, protocol, settings) {}
        let [upper, lower] = self.ends;
        if matches!(self.state, State::Joined | State::Leaving) {
            self.flows[UPPER].go_on([upper, lower], context, protocol, settings);
        }
        self.flows[LOWER].go_on([lower, upper], context, protocol, settings);
        for (flow, end) in self.flows.iter_mut().zip([upper, lower]) {
            flow.hold(end, context, settings.threshold, short);
        }
        if self.state == State::Leaving {
            self.leave(context, protocol);
        }
    }

    /// Takes the next of what the user typed; whether there was any.
    fn obey(&mut self, context: &mut Context<'_>, protocol: &mut Protocol<Payload>, settings: &NodeSettings) -> bool {
        let end = self.line.find('\r').or_else(|| {
            let typed = self.flows[UPPER].take(self.ends[UPPER], context, protocol)?;
            self.line.push_str(typed.words().unwrap_or_default());
            self.line.find('\r')
        });
        let Some(end) = end else { return !self.flows[UPPER].is_empty() };
        let line: String = self.line.drain(..=end).collect();
        match Command::parse(&line) {
            Command::Connect(name) => self.connect(name, context, protocol, settings),
            Command::Bye => self.state = State::Leaving,
            Command::Unknown => self.answer("Invalid command"),
        }
        true
    }

    /// On to a node by a circuit, or to a station by a link in the user's name.
    fn connect(
        &mut self,
        name: String,
        context: &mut Context<'_>,
        protocol: &mut Protocol<Payload>,
        settings: &NodeSettings,
    ) {
        self.whom = name;
        let node = protocol.find(&self.whom).filter(|node| *node != protocol.address());
        let station = self.whom.parse::<Address>();
        let opened = match (node, station) {
            (Some(destination), _) => {
                protocol.handle(context.now, Input::Connect { user: self.user, destination });
                protocol.opened().map(End::Circuit)
            }
            (None, Ok(station)) => {
                let port = settings.port_to(station);
                context.connect(port, self.down_link(station)).map(|link| End::Link { port, link })
            }
            (None, Err(_)) => return self.answer("Invalid call"),
        };
        match opened {
            Some(end) => {
                self.ends[LOWER] = Some(end);
                self.state = State::Opening;
            }
            None => self.answer(&format!("Busy from {}", self.whom)),
        }
    }

    /// The link that stands for the user at the other side.
    fn down_link(&self, station: Address) -> LinkKey {
        let mirrored = Address::new(self.user.callsign(), MIRROR_SSID - self.user.ssid());
        LinkKey::direct(mirrored.expect("an SSID within its range"), station)
    }

    /// Ends what is left of it, once all has gone there.
    fn leave(&mut self, context: &mut Context<'_>, protocol: &mut Protocol<Payload>) {
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

    fn answer(&mut self, words: &str) {
        self.flows[LOWER].say(&format!("{}}} {words}\r", self.prefix));
    }
}
