//! A NET/ROM node: links to neighbours and users, circuits to other nodes, and the data between them.
//!
//! A user connected to the node types commands: `C` and a node's name opens a circuit to it; `C` and a callsign opens
//! a link under the user's own callsign with the SSID 15 - n. Then data pass through, and when one end disconnects,
//! so does the other. Nothing is dropped: data that cannot be forwarded are queued, and flow control stops their
//! sender (RNR on links, choke on circuits).
//!
//! | file | concern |
//! |---|---|
//! | `neighbours` | links to neighbours, opened on demand |
//! | `sessions` | users and their sessions |
//! | `session` | one user: commands and the two ends |
//! | `forwarding` | one direction of a session: queue and flow control |
//! | `command` | user commands |
//! | `settings` | from keys to settings |

mod command;
mod forwarding;
mod neighbours;
mod session;
mod sessions;
pub mod settings;

use std::sync::Arc;

use sojourn_core::{Duration, Machine, Streams, Time};
use sojourn_protocols::ax25::machine::{Cause, LinkId, Output as LinkOutput};
use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::netrom::machine::{Cause as CircuitCause, Input, Neighbour, Node as Protocol, Output};
use sojourn_protocols::netrom::wire::Nodes;

use self::forwarding::End;
use self::neighbours::Neighbours;
use self::sessions::Sessions;
use super::context::Context;
use super::information::{Information, Payload};

pub use self::settings::{NodeSettings, settings};

/// Destination address of routing broadcasts.
pub const NODES: &str = "NODES";

/// State of a node.
#[derive(Clone, Debug)]
pub struct Node {
    protocol: Protocol<Payload>,
    neighbours: Neighbours,
    sessions: Sessions,
    settings: Arc<NodeSettings>,
    /// Whether buffers are low, so that flow control stops users.
    buffers_low: bool,
    /// Whether flow control stops neighbours too.
    neighbours_stopped: bool,
}

impl Node {
    /// A node in its initial state, which begins `now`. The phase of its timers and broadcasts is random.
    ///
    /// Panics when the settings are out of range, which the scenario's keys exclude.
    pub fn new(settings: &Arc<NodeSettings>, address: Address, name: &str, now: Time, streams: &Streams) -> Self {
        let mut stream = streams.stream(&format!("station/{name}/node"));
        let mut within =
            |span: Duration| now + Duration::from_picoseconds((stream.unit() * span.picoseconds() as f64) as u64);
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
            buffers_low: false,
            neighbours_stopped: false,
        }
    }

    /// Handles an output of a link.
    pub fn on_link_output(&mut self, context: &mut Context<'_>, port: usize, output: LinkOutput<Information>) {
        match output {
            LinkOutput::Connected { link, .. } => self.link_up(context, port, link),
            LinkOutput::Deliver { link, data: Information::NetRom(packet), .. } => {
                let Some(from) = neighbour(context, port, link) else { return };
                self.neighbours.up(context, from, link);
                self.protocol.handle(context.now, Input::Receive { from, packet });
            }
            LinkOutput::Deliver { link, data: Information::User(payload), .. } => {
                let Some(key) = context.ports[port].links.key(link) else { return };
                self.sessions.receive(End::Link { port, link }, key.peer, payload);
            }
            LinkOutput::Disconnected { link, cause, .. } => self.link_down(context, port, link, cause),
            LinkOutput::Unnumbered { addressing, data: Information::Nodes(nodes), .. } => {
                let from = Neighbour { address: addressing.source, port: port as u8 };
                self.protocol.handle(context.now, Input::NodesReceived { from, nodes });
            }
            _ => {}
        }
        self.process_outputs(context);
    }

    /// A timer may be due.
    pub fn wake(&mut self, context: &mut Context<'_>) {
        self.protocol.wake(context.now);
        self.process_outputs(context);
    }

    /// Next wake-up.
    pub fn next_wakeup(&self) -> Time {
        self.protocol.next_wakeup().unwrap_or(Time::NEVER)
    }

    /// Whether its routing table starts as broadcasts would have filled it.
    pub fn starts_converged(&self) -> bool {
        self.settings.starts_converged
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

    /// The quality of its best route to a node, if it has one.
    pub fn route_quality(&self, destination: Address) -> Option<u8> {
        let mut known = self.protocol.destinations().filter(|(address, ..)| *address == destination);
        known.next()?.2.map(|route| route.quality).max()
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
        self.sessions.connected(End::Link { port, link });
    }

    fn link_down(&mut self, context: &mut Context<'_>, port: usize, link: LinkId, cause: Cause) {
        let failed = matches!(cause, Cause::NoResponse | Cause::Refused);
        if let Some(neighbour) = self.neighbours.down(port, link).filter(|_| failed) {
            self.protocol.handle(context.now, Input::LinkFailed { neighbour });
        }
        self.sessions.disconnected(End::Link { port, link }, cause == Cause::Refused);
    }

    /// Processes the outputs of the protocol and forwards the data of sessions until nothing changes.
    fn process_outputs(&mut self, context: &mut Context<'_>) {
        loop {
            while let Some(output) = self.protocol.poll_output() {
                self.on_protocol_output(context, output);
            }
            self.sessions.forward(context, &mut self.protocol, &self.settings, self.buffers_low);
            if self.update_flow_control(context) {
                continue;
            }
            let Some(output) = self.protocol.poll_output() else { return };
            self.on_protocol_output(context, output);
        }
    }

    fn on_protocol_output(&mut self, context: &mut Context<'_>, output: Output<Payload>) {
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
            Output::Connected { circuit, incoming: true, user, .. } => self.sessions.open(End::Circuit(circuit), user),
            Output::Connected { circuit, .. } => self.sessions.connected(End::Circuit(circuit)),
            Output::Deliver { circuit, data, more } => {
                let more = more && self.settings.reassembles;
                if self.sessions.delivered(End::Circuit(circuit), data, more) {
                    self.protocol.handle(context.now, Input::Consumed { circuit, packets: 1 });
                }
            }
            Output::Disconnected { circuit, cause, .. } => {
                self.sessions.disconnected(End::Circuit(circuit), cause == CircuitCause::Refused);
            }
            Output::Acknowledged { .. }
            | Output::HasRoom { .. }
            | Output::Choked { .. }
            | Output::Other { .. }
            | Output::Dropped { .. }
            | Output::Refused { .. } => {}
        }
    }

    /// Updates flow control from the free buffers. Below the low watermark, users are stopped and circuits choked; neighbours
    /// are stopped only when packets for other neighbours alone reach it, since the frames of neighbours may free buffers.
    /// Returns whether users were stopped or released.
    fn update_flow_control(&mut self, context: &mut Context<'_>) -> bool {
        let between_nodes = self.neighbours.queued(context);
        let queued = between_nodes + self.sessions.queued(context, &self.protocol);
        let settings = &self.settings;
        let free = |queued: usize| settings.buffers.saturating_sub(u16::try_from(queued).unwrap_or(u16::MAX));
        let low = |before: bool, queued: usize| match before {
            true => free(queued) <= settings.high_watermark,
            false => free(queued) < settings.low_watermark,
        };
        self.protocol.handle(context.now, Input::FreeBuffers { buffers: free(queued) });
        let stopped = low(self.neighbours_stopped, between_nodes);
        if std::mem::replace(&mut self.neighbours_stopped, stopped) != stopped {
            self.neighbours.set_busy(context, stopped);
        }
        let now_low = low(self.buffers_low, queued);
        std::mem::replace(&mut self.buffers_low, now_low) != now_low
    }
}

/// The neighbour at the other end of a link.
fn neighbour(context: &Context<'_>, port: usize, link: LinkId) -> Option<Neighbour> {
    let key = context.ports[port].links.key(link)?;
    Some(Neighbour { address: key.peer, port: port as u8 })
}
