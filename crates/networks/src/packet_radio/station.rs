//! A station: its ports, its processor, and what it is.

use sojourn_core::{Duration, Machine, Streams, Time};
use sojourn_protocols::UserData;
use sojourn_protocols::ax25::machine::{Input, LinkId, LinkKey, Output};
use sojourn_protocols::ax25::wire::{Address, Frame};

use super::budget::Component;
use super::information::Information;
use super::node::Node;
use super::port::Port;
use super::receive::information;
use super::round_trip::Account;
use super::site::{Costs, KindSite, PortPlace, Site};
use super::switch::Switch;
use super::terminal::Terminal;
use crate::common::cpu::{Cpu, TimerInterrupts};

/// A station as it runs.
#[derive(Debug)]
pub struct Station {
    /// A port on each of its media.
    pub ports: Vec<Port>,
    /// Its processor.
    pub processor: Cpu<(Job, Duration)>,
    /// What its processor spends.
    pub costs: Costs,
    /// What it is.
    pub kind: Kind,
    /// When it is next woken.
    pub scheduled: Time,
}

/// What a station is.
#[derive(Debug)]
pub enum Kind {
    /// A PC on the serial line of a TNC.
    Terminal(Box<Terminal>),
    /// A digipeater: its ports do it all.
    Digipeater,
    /// A NET/ROM node.
    Node(Box<Node>),
    /// A ROSE switch.
    Switch(Box<Switch>),
}

/// What a processor does.
#[derive(Debug)]
pub enum Job {
    /// Takes a frame that came in at an instant.
    Receive {
        /// On which port.
        port: u32,
        /// The frame.
        frame: Frame<Information>,
    },
    /// Hands information to a link.
    Send {
        /// On which port.
        port: u32,
        /// The link.
        link: LinkId,
        /// The information.
        information: Information,
    },
}

impl Job {
    /// Which port it is of.
    pub fn port(&self) -> u32 {
        let (Job::Receive { port, .. } | Job::Send { port, .. }) = self;
        *port
    }

    /// The information in it.
    pub fn information(&self) -> Option<&Information> {
        match self {
            Job::Receive { frame, .. } => information(frame),
            Job::Send { information, .. } => Some(information),
        }
    }
}

/// What a station is handed with everything it is told.
pub struct Context<'w> {
    /// The clock.
    pub now: Time,
    /// Its ports.
    pub ports: &'w mut [Port],
    /// The account of the probe's round trip.
    pub account: &'w mut Account,
    processor: &'w mut Cpu<(Job, Duration)>,
    costs: Costs,
}

impl Context<'_> {
    /// Asks for a link; none when there is one with this key already, or no room for it.
    pub fn connect(&mut self, port: usize, key: LinkKey) -> Option<LinkId> {
        let links = &mut self.ports[port].links;
        let existed = links.link(&key).is_some();
        links.handle(self.now, Input::Connect { key });
        links.link(&key).filter(|_| !existed)
    }

    /// Ends a link; what has not been sent is dropped.
    pub fn disconnect(&mut self, port: usize, link: LinkId) {
        self.ports[port].links.handle(self.now, Input::Disconnect { link });
    }

    /// Takes no more information (RNR), or takes it again.
    pub fn set_busy(&mut self, port: usize, link: LinkId, busy: bool) {
        self.ports[port].links.handle(self.now, Input::SetBusy { link, busy });
    }

    /// Sends information in one I frame, once the processor has made it.
    pub fn send(&mut self, port: usize, link: LinkId, information: Information) {
        self.account.charge_if(Component::NetworkLayers, &information, self.now);
        let work = self.costs.of(self.costs.send_frame, Some(&information));
        let job = Job::Send { port: port as u32, link, information };
        if let Some(job) = self.processor.submit(self.now, job, work) {
            perform(self.now, job, self.ports);
        }
    }

    /// Sends information in a UI frame.
    pub fn broadcast(&mut self, port: usize, destination: Address, information: Information) {
        let key = self.ports[port].key_to(destination);
        let pid = information.pid();
        self.ports[port].links.handle(self.now, Input::SendUnnumbered { key, pid, data: information });
    }

    /// I frames of a link that are not acknowledged, those that wait for the processor included.
    pub fn backlog(&self, port: usize, link: LinkId) -> usize {
        let made = |(job, _): &&(Job, Duration)| matches!(job, Job::Send { port: of, link: to, .. } if *of as usize == port && *to == link);
        self.ports[port].links.backlog(link) + self.processor.jobs().filter(made).count()
    }
}

/// Does a job whose time is over; what its port must ask the channel for is said by its links' outputs, or, for a frame
/// to repeat, by `true`.
pub fn perform(now: Time, job: Job, ports: &mut [Port]) -> bool {
    match job {
        Job::Receive { port, frame } => ports[port as usize].receive(now, frame),
        Job::Send { port, link, information } => {
            let pid = information.pid();
            ports[port as usize].links.handle(now, Input::Send { link, pid, data: information });
            false
        }
    }
}

impl Costs {
    /// Work on a frame that costs so much by itself, with what it carries.
    pub fn of(&self, frame: Duration, information: Option<&Information>) -> Duration {
        let octets = information.map_or(0, UserData::length);
        if self.per_octet == Duration::ZERO { frame } else { frame + self.per_octet.times(octets as u64) }
    }
}

impl Station {
    /// Station number `index` of a site, whose observation begins at `from`.
    pub fn new(site: &Site, index: usize, from: Time, streams: &Streams) -> Self {
        let settings = &site.stations[index];
        let port = |(port, place): (u32, &super::site::PortSite)| {
            let is_wire = site.media[place.medium as usize].is_wire;
            Port::new(PortPlace { station: index as u32, port }, settings, is_wire)
        };
        let kind = match &settings.kind {
            KindSite::Terminal(terminal) => {
                Kind::Terminal(Box::new(Terminal::new(site, index as u32, *terminal, from)))
            }
            KindSite::Digipeater => Kind::Digipeater,
            KindSite::Node(node) => Kind::Node(Box::new(Node::new(node, settings.address, &settings.name, streams))),
            KindSite::Switch(switch) => Kind::Switch(Box::new(Switch::new(switch))),
        };
        Station {
            ports: (0..).zip(&settings.ports).map(port).collect(),
            processor: Cpu::new(TimerInterrupts::default()),
            costs: settings.costs,
            kind,
            scheduled: Time::NEVER,
        }
    }

    /// What the station's kind works with, apart from the kind itself.
    pub fn parts<'w>(&'w mut self, now: Time, account: &'w mut Account) -> (&'w mut Kind, Context<'w>) {
        let Station { ports, processor, costs, kind, .. } = self;
        (kind, Context { now, ports, account, processor, costs: *costs })
    }

    /// When it must be woken: a timer of its links, its processor, or its kind's own.
    pub fn next_wakeup(&self) -> Time {
        let links = self.ports.iter().filter_map(|port| port.links.next_wakeup()).min().unwrap_or(Time::NEVER);
        links.min(self.processor.done()).min(self.kind.next_wakeup())
    }
}

impl Kind {
    /// The station has been switched on.
    pub fn start(&mut self, context: &mut Context<'_>) {
        match self {
            Kind::Terminal(terminal) => terminal.start(context),
            Kind::Digipeater | Kind::Node(_) => {}
            Kind::Switch(switch) => switch.start(context),
        }
    }

    /// A link of a port tells something, never that it wants the channel or transmits.
    pub fn told(&mut self, context: &mut Context<'_>, port: usize, output: Output<Information>) {
        match self {
            Kind::Terminal(terminal) => terminal.told(context, port, output),
            Kind::Digipeater => {}
            Kind::Node(node) => node.told(context, port, output),
            Kind::Switch(switch) => switch.told(context, port, output),
        }
    }

    /// The transmitter of a port has been keyed, or is off again.
    pub fn transmits(&mut self, context: &mut Context<'_>, on: bool) {
        match self {
            Kind::Terminal(terminal) => terminal.transmits(context, on),
            Kind::Digipeater | Kind::Node(_) | Kind::Switch(_) => {}
        }
    }

    /// One of its own timers may be due.
    pub fn wake(&mut self, context: &mut Context<'_>) {
        match self {
            Kind::Terminal(terminal) => terminal.wake(context),
            Kind::Digipeater => {}
            Kind::Node(node) => node.wake(context),
            Kind::Switch(switch) => switch.wake(context),
        }
    }

    /// Whether it has links under addresses of others.
    pub fn stands_in(&self) -> bool {
        matches!(self, Kind::Node(_))
    }

    fn next_wakeup(&self) -> Time {
        match self {
            Kind::Terminal(terminal) => terminal.next_wakeup(),
            Kind::Digipeater => Time::NEVER,
            Kind::Node(node) => node.next_wakeup(),
            Kind::Switch(switch) => switch.next_wakeup(),
        }
    }
}
