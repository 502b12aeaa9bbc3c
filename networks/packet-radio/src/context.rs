//! The context of a station's parts: its ports, its CPU, and the probe's round trips.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ax25::machine::{Input, LinkId, LinkKey};
use sojourn_protocols::ax25::wire::Address;

use super::information::Information;
use super::latency_budget::Component;
use super::port::Port;
use super::processor::{Costs, Job, run_job};
use super::round_trip::RoundTrips;
use sojourn_model::cpu::Cpu;

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
