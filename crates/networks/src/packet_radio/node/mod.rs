//! A NET/ROM node: links to neighbours and users, circuits to other nodes, and what flows between them.
//!
//! A user who links to the node types commands; `C` and the name of a node opens a circuit there, `C` and a callsign a
//! link on under the user's own callsign with the SSID 15 - n. From then on data flow through, and an end that goes takes
//! the other with it. Nothing is dropped: what cannot go on waits, and who sends it is told to wait (RNR on links, choke
//! on circuits).
//!
//! | file | concern |
//! |---|---|
//! | `neighbours` | links to neighbours, opened when a packet is for them |
//! | `sessions` | users, and which end is whose |
//! | `session` | one user: commands, the two ends, and how they end |
//! | `flow` | one direction: what waits, and how it goes on |
//! | `command` | what a user types |
//! | `settings` | from the scenario's keys |

mod command;
mod forwarding;
mod neighbours;
mod session;
mod sessions;
mod settings;

use std::sync::Arc;

use sojourn_core::{Machine, Streams, Time};
use sojourn_protocols::ax25::machine::{Cause, LinkId, Output as Told};
use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::netrom::machine::{Cause as CircuitCause, Input, Neighbour, Node as Protocol, Output};
use sojourn_protocols::netrom::wire::Nodes;

use self::forwarding::End;
use self::neighbours::Neighbours;
use self::sessions::Sessions;
use super::information::{Information, Payload};
use super::station::Context;

pub use self::settings::{NodeSettings, settings};

/// Where a node's broadcasts go to.
pub const NODES: &str = "NODES";

/// A node as it runs.
#[derive(Debug)]
pub struct Node {
    protocol: Protocol<Payload>,
    neighbours: Neighbours,
    sessions: Sessions,
    settings: Arc<NodeSettings>,
    /// Whether it is short of buffers, and users have to wait.
    short: bool,
    /// Whether neighbours have to wait too.
    neighbours_stopped: bool,
}

impl Node {
    /// A node that has just been switched on. When it was, as against the others, is drawn: its timers and its
    /// broadcasts run from there.
    ///
    /// Panics when the settings are out of range; the scenario's keys have seen to that.
    pub fn new(settings: &Arc<NodeSettings>, address: Address, name: &str, streams: &Streams) -> Self {
        let mut stream = streams.stream(&format!("station/{name}/node"));
        let mut within =
            |span: sojourn_core::Duration| Time::from_picoseconds((stream.unit() * span.picoseconds() as f64) as u64);
        let first_tick = within(settings.protocol.tick);
        let first_broadcast = within(settings.protocol.routing.broadcast_interval);
        let qualities = settings.port_qualities.clone();
        let protocol =
            Protocol::new(address, settings.alias, qualities, Arc::new(settings.protocol.clone()), first_tick)
                .expect("settings within their ranges")
                .broadcasting_from(first_broadcast);
        Node {
            protocol,
            neighbours: Neighbours::default(),
            sessions: Sessions::new(&format!("{}:{address}", settings.alias)),
            settings: Arc::clone(settings),
            short: false,
            neighbours_stopped: false,
        }
    }

    /// A link of a port tells something.
    pub fn told(&mut self, context: &mut Context<'_>, port: usize, told: Told<Information>) {
        match told {
            Told::Connected { link, .. } => self.link_up(context, port, link),
            Told::Deliver { link, data: Information::NetRom(packet), .. } => {
                let Some(from) = neighbour(context, port, link) else { return };
                self.neighbours.up(context, from, link);
                self.protocol.handle(context.now, Input::Receive { from, packet });
            }
            Told::Deliver { link, data: Information::User(payload), .. } => {
                let Some(key) = context.ports[port].links.key(link) else { return };
                self.sessions.typed(End::Link { port, link }, key.peer, payload);
            }
            Told::Disconnected { link, cause, .. } => self.link_down(context, port, link, cause),
            Told::Unnumbered { addressing, data: Information::Nodes(nodes), .. } => {
                let from = Neighbour { address: addressing.source, port: port as u8 };
                self.protocol.handle(context.now, Input::NodesReceived { from, nodes });
            }
            _ => {}
        }
        self.settle(context);
    }

    /// A timer is due.
    pub fn wake(&mut self, context: &mut Context<'_>) {
        self.protocol.wake(context.now);
        self.settle(context);
    }

    /// When it must be woken.
    pub fn next_wakeup(&self) -> Time {
        self.protocol.next_wakeup().unwrap_or(Time::NEVER)
    }

    /// Whether its routing table starts as broadcasts would have filled it.
    pub fn starts_converged(&self) -> bool {
        self.settings.knows_routes
    }

    /// The NODES broadcasts of its table, before the run begins.
    pub fn make_broadcasts(&mut self) -> Vec<Arc<Nodes>> {
        self.protocol.handle(Time::ZERO, Input::Broadcast);
        let outputs = std::iter::from_fn(|| self.protocol.poll_output());
        outputs.filter_map(|output| if let Output::Broadcast { nodes } = output { Some(nodes) } else { None }).collect()
    }

    /// Takes a neighbour's NODES broadcast, before the run begins.
    pub fn hear_broadcast(&mut self, from: Neighbour, nodes: Arc<Nodes>) {
        self.protocol.handle(Time::ZERO, Input::NodesReceived { from, nodes });
    }

    /// Count of destinations in its routing table, and sum of the qualities of all routes.
    pub fn table_sums(&self) -> (usize, u64) {
        self.protocol.destinations().fold((0, 0), |(count, sum), (.., routes)| {
            (count + 1, sum + routes.map(|route| u64::from(route.quality)).sum::<u64>())
        })
    }

    fn link_up(&mut self, context: &mut Context<'_>, port: usize, link: LinkId) {
        let Some(neighbour) = neighbour(context, port, link) else { return };
        if self.neighbours.has(neighbour) {
            self.neighbours.up(context, neighbour, link);
            self.protocol.handle(context.now, Input::LinkUp { neighbour });
        }
        self.sessions.opened(End::Link { port, link });
    }

    fn link_down(&mut self, context: &mut Context<'_>, port: usize, link: LinkId, cause: Cause) {
        let failed = matches!(cause, Cause::NoResponse | Cause::Refused);
        if let Some(neighbour) = self.neighbours.down(port, link).filter(|_| failed) {
            self.protocol.handle(context.now, Input::LinkFailed { neighbour });
        }
        self.sessions.lost(End::Link { port, link }, cause == Cause::Refused);
    }

    /// Passes on what the layers say and what sessions hold until all is still.
    fn settle(&mut self, context: &mut Context<'_>) {
        loop {
            while let Some(output) = self.protocol.poll_output() {
                self.said(context, output);
            }
            self.sessions.go_on(context, &mut self.protocol, &self.settings, self.short);
            if self.mind_buffers(context) {
                continue;
            }
            let Some(output) = self.protocol.poll_output() else { return };
            self.said(context, output);
        }
    }

    fn said(&mut self, context: &mut Context<'_>, output: Output<Payload>) {
        match output {
            Output::Send { neighbour, packet, .. } => {
                self.neighbours.send(context, neighbour, Information::NetRom(packet));
            }
            Output::Broadcast { nodes } => {
                let destination = NODES.parse().expect("an address of five letters");
                for port in 0..context.ports.len() {
                    context.broadcast(port, destination, Information::Nodes(Arc::clone(&nodes)));
                }
            }
            Output::Connected { circuit, incoming: true, user, .. } => self.sessions.come(End::Circuit(circuit), user),
            Output::Connected { circuit, .. } => self.sessions.opened(End::Circuit(circuit)),
            Output::Deliver { circuit, data, more } => {
                let more = more && self.settings.joins_fragments;
                if self.sessions.delivered(End::Circuit(circuit), data, more) {
                    self.protocol.handle(context.now, Input::Consumed { circuit, packets: 1 });
                }
            }
            Output::Disconnected { circuit, cause, .. } => {
                self.sessions.lost(End::Circuit(circuit), cause == CircuitCause::Refused);
            }
            Output::Acknowledged { .. }
            | Output::HasRoom { .. }
            | Output::Choked { .. }
            | Output::Other { .. }
            | Output::Dropped { .. }
            | Output::Refused { .. } => {}
        }
    }

    /// Tells the layers how many buffers are left. When they become few, users have to wait, and circuits are choked;
    /// neighbours only when what waits for other neighbours alone fills them, since what they send may free some.
    /// Whether users have to wait now, or need to no longer.
    fn mind_buffers(&mut self, context: &mut Context<'_>) -> bool {
        let between_nodes = self.neighbours.held(context);
        let held = between_nodes + self.sessions.held(context, &self.protocol);
        let settings = &self.settings;
        let free = |held: usize| settings.buffers.saturating_sub(u16::try_from(held).unwrap_or(u16::MAX));
        let short = |before: bool, held: usize| match before {
            true => free(held) <= settings.enough_buffers,
            false => free(held) < settings.few_buffers,
        };
        self.protocol.handle(context.now, Input::FreeBuffers { buffers: free(held) });
        let stopped = short(self.neighbours_stopped, between_nodes);
        if std::mem::replace(&mut self.neighbours_stopped, stopped) != stopped {
            self.neighbours.set_busy(context, stopped);
        }
        let short = short(self.short, held);
        std::mem::replace(&mut self.short, short) != short
    }
}

/// Whom a link of a port leads to.
fn neighbour(context: &Context<'_>, port: usize, link: LinkId) -> Option<Neighbour> {
    let key = context.ports[port].links.key(link)?;
    Some(Neighbour { address: key.peer, port: port as u8 })
}
