//! What the parts of a station work with: its ports, its CPU, and the probe's round trips.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::UserData;
use sojourn_protocols::ax25::machine::{Input, LinkId, LinkKey};
use sojourn_protocols::ax25::wire::{Address, Frame};

use super::information::{Information, of_frame};
use super::latency_budget::Component;
use super::port::Port;
use super::round_trip::RoundTrips;
use super::site::Costs;
use crate::common::cpu::Cpu;

/// Parts of a station that its type works with, at one instant.
pub struct Context<'w> {
    /// Virtual time.
    pub now: Time,
    /// The station's ports.
    pub ports: &'w mut [Port],
    /// Round-trip times and delay budget of the probe.
    pub round_trips: &'w mut RoundTrips,
    pub(super) cpu: &'w mut Cpu<(Job, Duration)>,
    pub(super) costs: Costs,
}

impl Context<'_> {
    /// Requests a link; none if one with this key exists, or the limit of links is reached.
    pub fn connect(&mut self, port: usize, key: LinkKey) -> Option<LinkId> {
        let links = &mut self.ports[port].links;
        let existed = links.link(&key).is_some();
        links.handle(self.now, Input::Connect { key });
        links.link(&key).filter(|_| !existed)
    }

    /// Disconnects a link; unsent data are dropped.
    pub fn disconnect(&mut self, port: usize, link: LinkId) {
        self.ports[port].links.handle(self.now, Input::Disconnect { link });
    }

    /// Sets or clears the receiver-busy condition of a link (RNR).
    pub fn set_busy(&mut self, port: usize, link: LinkId, busy: bool) {
        self.ports[port].links.handle(self.now, Input::SetBusy { link, busy });
    }

    /// Sends information in one I frame, once the CPU has formed it.
    pub fn send(&mut self, port: usize, link: LinkId, information: Information) {
        self.round_trips.account_if(Component::NetworkLayers, &information, self.now);
        let work = self.costs.of(self.costs.send_frame, Some(&information));
        let job = Job::Send { port: port as u32, link, information };
        if let Some(job) = self.cpu.submit(self.now, job, work) {
            run_job(self.now, job, self.ports);
        }
    }

    /// Sends information in a UI frame.
    pub fn broadcast(&mut self, port: usize, destination: Address, information: Information) {
        let key = self.ports[port].key_to(destination);
        let pid = information.pid();
        self.ports[port].links.handle(self.now, Input::SendUnnumbered { key, pid, data: information });
    }

    /// Unacknowledged I frames of a link, those waiting for the CPU included.
    pub fn backlog(&self, port: usize, link: LinkId) -> usize {
        let queued = |(job, _): &&(Job, Duration)| matches!(job, Job::Send { port: of, link: to, .. } if *of as usize == port && *to == link);
        self.ports[port].links.backlog(link) + self.cpu.jobs().filter(queued).count()
    }
}

/// A job of the CPU.
#[derive(Debug)]
pub enum Job {
    /// Process a received frame.
    Receive {
        /// The port.
        port: u32,
        /// The frame.
        frame: Frame<Information>,
    },
    /// Form a frame of a link.
    Send {
        /// The port.
        port: u32,
        /// The link.
        link: LinkId,
        /// The information field.
        information: Information,
    },
}

impl Job {
    /// The port it concerns.
    pub fn port(&self) -> u32 {
        let (Job::Receive { port, .. } | Job::Send { port, .. }) = self;
        *port
    }

    /// The information field of its frame.
    pub fn information(&self) -> Option<&Information> {
        match self {
            Job::Receive { frame, .. } => of_frame(frame),
            Job::Send { information, .. } => Some(information),
        }
    }
}

/// Runs a job to completion. Links request the channel by their outputs; `true` requests it for a frame to digipeat.
pub fn run_job(now: Time, job: Job, ports: &mut [Port]) -> bool {
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
    /// CPU time of a frame that costs `frame` plus a cost per octet of its information.
    pub fn of(&self, frame: Duration, information: Option<&Information>) -> Duration {
        let octets = information.map_or(0, UserData::length);
        if self.per_octet == Duration::ZERO { frame } else { frame + self.per_octet.times(octets as u64) }
    }
}
