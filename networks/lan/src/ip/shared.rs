//! Outputs to wires that stations share: their queues are those of all outputs, and the wire says when the next packet goes.

use sojourn_core::Time;

use super::fabric::{Packets, Step};
use super::port::Due;
use crate::segment::{Offered, SegmentEvent};

impl Packets {
    /// Gives the MAC of an output its next packet, if it takes one.
    pub(super) fn send_on_wire(&mut self, now: Time, port: u32) {
        match self.ports[port as usize].take_next(now, &mut self.store, &mut self.dropped) {
            Some(Due::Sent { number, .. }) => self.offer(now, port, number),
            Some(Due::Again(at)) => self.steps.at(at, Step::Again(port)),
            None => {}
        }
        self.observe(now, port);
    }

    fn offer(&mut self, now: Time, port: u32, number: u32) {
        let Some((wire, node)) = self.shared.outputs[port as usize] else { return };
        self.leaves(now, number);
        let packet = &mut self.store[number];
        let path = &self.paths[packet.frame.connection as usize].ports;
        let Some((_, to)) = self.shared.inputs[path[packet.hop as usize + 1] as usize] else { return };
        let of = &mut self.shared.wires[wire as usize];
        let offered = Offered { packet: number, bits: of.settings.bits(packet.octets), to, queued: packet.queued };
        let mut events = std::mem::take(&mut self.shared.events);
        of.segment.offer(now, node, offered, &mut events);
        self.of_wire(now, wire, events);
    }

    /// Something is due on a wire: it runs until that concerns others, and not beyond `limit` or another step.
    pub(super) fn wire_due(&mut self, now: Time, wire: u32, limit: Time) {
        let of = &mut self.shared.wires[wire as usize];
        if of.armed == now {
            of.armed = Time::NEVER;
        }
        let limit = limit.min(self.steps.next_time());
        let mut events = std::mem::take(&mut self.shared.events);
        let mut at = now;
        while events.is_empty()
            && let Some(then) = of.segment.advance(limit.max(now), &mut events)
        {
            at = then;
        }
        self.of_wire(at, wire, events);
    }

    /// The station at one end of a link to a wire has power, or not.
    pub(super) fn power_of_wire(&mut self, now: Time, port: u32) {
        let Some((wire, node)) = self.shared.outputs.get(port as usize).copied().flatten() else { return };
        let on = !self.ports[port as usize].is_out();
        let mut events = std::mem::take(&mut self.shared.events);
        self.shared.wires[wire as usize].segment.power(now, node, on, &mut events);
        self.of_wire(now, wire, events);
    }

    /// Schedules what wires do by themselves from the start.
    pub(super) fn arm_wires(&mut self) {
        (0..self.shared.wires.len() as u32).for_each(|wire| self.arm(wire));
    }

    fn of_wire(&mut self, now: Time, wire: u32, mut events: Vec<SegmentEvent>) {
        for event in events.iter().copied() {
            match event {
                SegmentEvent::Free(_) => {}
                SegmentEvent::Lost { node, packet } => {
                    let port = self.shared.wires[wire as usize].settings.nodes[node as usize].port;
                    self.ports[port as usize].lost();
                    self.lose(now, packet, port);
                }
                SegmentEvent::Arrived(passage) => {
                    let settings = &self.shared.wires[wire as usize].settings;
                    let port = settings.nodes[passage.node as usize].port;
                    let packet = &mut self.store[passage.packet];
                    let time = settings.time(settings.bits(packet.octets));
                    packet.shared[0] += passage.access;
                    packet.shared[1] += passage.collided;
                    packet.hop += 1;
                    let input = self.paths[packet.frame.connection as usize].ports[packet.hop as usize];
                    self.ports[port as usize].passed(time);
                    if self.ports[port as usize].loses_passed() || self.ports[input as usize].is_out() {
                        self.ports[port as usize].lost();
                        self.lose(now, passage.packet, port);
                        continue;
                    }
                    let latency = self.ports[input as usize].latency;
                    self.steps.at(now + latency, Step::Arrived(passage.packet));
                }
            }
        }
        for event in &events {
            if let SegmentEvent::Free(node) = *event {
                let port = self.shared.wires[wire as usize].settings.nodes[node as usize].port;
                self.ports[port as usize].free();
                self.send_on_wire(now, port);
            }
        }
        events.clear();
        self.shared.events = events;
        self.arm(wire);
    }

    fn arm(&mut self, wire: u32) {
        let of = &mut self.shared.wires[wire as usize];
        let next = of.segment.next_time();
        if next < of.armed {
            of.armed = next;
            self.steps.at(next, Step::Wire(wire));
        }
    }
}
