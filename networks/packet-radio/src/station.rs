//! A station: its ports, its CPU, and the behaviour of its type.

use sojourn_core::{Duration, Machine, Streams, Time};
use sojourn_protocols::ax25::machine::Output;

use super::context::Context;
use super::information::Information;
use super::node::Node;
use super::port::Port;
use super::port_settings::{PortPlace, PortSettings};
use super::processor::{Costs, Job};
use super::round_trip::RoundTrips;
use super::site::{Site, TypeSettings};
use super::switch::Switch;
use super::terminal::Terminal;
use sojourn_model::cpu::{Cpu, TimerInterrupts};

/// State of a station.
#[derive(Clone, Debug)]
pub struct Station {
    /// A port on each of its media.
    pub ports: Vec<Port>,
    /// Serves frames received and frames to be formed, one at a time.
    pub cpu: Cpu<(Job, Duration)>,
    /// CPU time per frame.
    pub costs: Costs,
    /// Terminal, node, switch or digipeater, with its state.
    pub kind: StationType,
    /// When its next wake-up is scheduled.
    pub scheduled: Time,
}

/// The type of a station and its state.
#[derive(Clone, Debug)]
pub enum StationType {
    /// A PC on the serial line of a TNC.
    Terminal(Box<Terminal>),
    /// A digipeater: its ports repeat frames.
    Digipeater,
    /// A NET/ROM node.
    Node(Box<Node>),
    /// A ROSE switch.
    Switch(Box<Switch>),
}

impl Station {
    /// Station number `index` of a site, which begins `now`; round trips start at `from` or later.
    pub fn new(site: &Site, index: usize, [now, from]: [Time; 2], streams: &Streams) -> Self {
        let settings = &site.stations[index];
        let port = |(port, site): (u32, &PortSettings)| {
            Port::new(PortPlace { station: index as u32, port }, *site, settings.link_layer())
        };
        let kind = match &settings.kind {
            TypeSettings::Terminal(terminal) => {
                StationType::Terminal(Box::new(Terminal::new(site, index as u32, *terminal, from)))
            }
            TypeSettings::Digipeater => StationType::Digipeater,
            TypeSettings::Node(node) => {
                StationType::Node(Box::new(Node::new(node, settings.address, &settings.name, now, streams)))
            }
            TypeSettings::Switch(switch) => StationType::Switch(Box::new(Switch::new(switch))),
        };
        Station {
            ports: (0..).zip(&settings.ports).map(port).collect(),
            cpu: Cpu::new(TimerInterrupts::default()),
            costs: settings.costs,
            kind,
            scheduled: Time::NEVER,
        }
    }

    /// The state of the station's type, and the context it works with.
    pub fn parts<'w>(&'w mut self, now: Time, round_trips: &'w mut RoundTrips) -> (&'w mut StationType, Context<'w>) {
        let Station { ports, cpu, costs, kind, .. } = self;
        (kind, Context { now, ports, round_trips, cpu, costs: *costs })
    }

    /// Next wake-up: a timer of its links, its CPU, or a timer of its type.
    pub fn next_wakeup(&self) -> Time {
        let links = self.ports.iter().filter_map(|port| port.links.next_wakeup()).min().unwrap_or(Time::NEVER);
        links.min(self.cpu.done()).min(self.kind.next_wakeup())
    }
}

impl StationType {
    /// Starts the station.
    pub fn start(&mut self, context: &mut Context<'_>) {
        match self {
            StationType::Terminal(terminal) => terminal.start(context),
            StationType::Digipeater | StationType::Node(_) => {}
            StationType::Switch(switch) => switch.start(context),
        }
    }

    /// Handles an output of a link, except channel requests and frames.
    pub fn on_link_output(&mut self, context: &mut Context<'_>, port: usize, output: Output<Information>) {
        match self {
            StationType::Terminal(terminal) => terminal.on_link_output(context, port, output),
            StationType::Digipeater => {}
            StationType::Node(node) => node.on_link_output(context, port, output),
            StationType::Switch(switch) => switch.on_link_output(context, port, output),
        }
    }

    /// The transmitter of a port has been keyed or unkeyed.
    pub fn transmits(&mut self, context: &mut Context<'_>, on: bool) {
        match self {
            StationType::Terminal(terminal) => terminal.transmits(context, on),
            StationType::Digipeater | StationType::Node(_) | StationType::Switch(_) => {}
        }
    }

    /// A timer of its type may be due.
    pub fn wake(&mut self, context: &mut Context<'_>) {
        match self {
            StationType::Terminal(terminal) => terminal.wake(context),
            StationType::Digipeater => {}
            StationType::Node(node) => node.wake(context),
            StationType::Switch(switch) => switch.wake(context),
        }
    }

    /// Whether it has links under its users' callsigns.
    pub fn is_proxy(&self) -> bool {
        matches!(self, StationType::Node(_))
    }

    fn next_wakeup(&self) -> Time {
        match self {
            StationType::Terminal(terminal) => terminal.next_wakeup(),
            StationType::Digipeater => Time::NEVER,
            StationType::Node(node) => node.next_wakeup(),
            StationType::Switch(switch) => switch.next_wakeup(),
        }
    }
}
