//! Servers: when a station replies to what it was asked.

use sojourn_core::{Duration, Time};
use sojourn_protocols::mstp::machine::Input;

use super::event::{Event, Events};
use super::latency_budget::Component;
use super::npdu::{Npdu, Role};
use super::request::Packet;
use super::site::Reply;
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// A station is asked; its reply is ready after its latency.
    pub(super) fn serve(&mut self, now: Time, port: u32, npdu: &Npdu, events: &mut Events) {
        let flow = &self.site.flows[usize::from(npdu.flow)];
        let (octets, properties) = (flow.response_data, flow.properties);
        let station = self.ports[port as usize].station as usize;
        let settings = &self.site.stations[station];
        let state = &mut self.stations[station];
        let per_property = settings.reply_per_property.times(u64::from(properties));
        let mut latency = state.reply_latency.draw(&mut state.replies) + per_property;
        let node = self.site.ports[port as usize].node.as_ref().filter(|node| !node.is_slave);
        if let (Some(node), Role::Request) = (node, npdu.role) {
            match settings.reply {
                Reply::Immediate => {}
                Reply::Postpone => latency = latency.max(self.postpone_after(now, port, Duration::ZERO, events)),
                Reply::Late => {
                    latency = latency.max(self.postpone_after(now, port, node.protocol.reply_delay, events));
                }
            }
        }
        let reply = Npdu { from: npdu.to, to: npdu.from, octets, length: octets, role: Role::Reply, ..*npdu };
        let packet = self.packets.insert(self.packet(port, reply));
        events.at(now + latency, Event::Ready(packet));
    }

    /// A station postpones its reply after a time, at least that of its other frames; that time.
    pub(super) fn postpone_after(&mut self, now: Time, port: u32, after: Duration, events: &mut Events) -> Duration {
        let state = &self.ports[port as usize];
        let (station, epoch, medium) = (state.station as usize, state.epoch, state.medium);
        let turnaround = self.trunk(medium).turnaround;
        let after = after.max(self.token_latency(station)).max(turnaround);
        events.at(now + after, Event::Postpone(port, epoch));
        after
    }

    /// A station postpones its reply.
    pub(super) fn postpone(&mut self, now: Time, port: u32, epoch: u32, events: &mut Events) {
        let state = &self.ports[port as usize];
        if state.epoch == epoch {
            self.drive(now, port, Input::Postpone, events);
        }
    }

    /// The reply of a station is ready.
    pub(super) fn ready(&mut self, now: Time, packet: u32, events: &mut Events) {
        let Packet { npdu, port, epoch } = self.packets.remove(packet);
        let state = &self.ports[port as usize];
        let station = state.station;
        if state.epoch != epoch || self.stations[station as usize].is_off {
            return;
        }
        self.account(&npdu, Component::Server, now);
        self.send(now, station, npdu, events);
    }
}
