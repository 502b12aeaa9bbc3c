//! The context that a node passes to its circuits with every input.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use super::counters::{Counter, Counters};
use super::output::{DropReason, Output, Purpose};
use super::routing::Table;
use super::settings::Settings;
use super::timers::Ticks;
use crate::ax25::wire::Address;
use crate::netrom::wire::{Body, Packet};

/// The node's settings, routes and outputs, as its circuits use them.
pub(super) struct Context<'a, D> {
    pub now: Time,
    pub own: Address,
    pub settings: &'a Settings,
    pub ticks: Ticks,
    pub table: &'a Table,
    /// Free buffers of the node.
    pub free_buffers: u16,
    pub outputs: &'a mut VecDeque<Output<D>>,
    pub counters: &'a mut Counters,
}

impl<D> Context<'_, D> {
    pub fn emit(&mut self, output: Output<D>) {
        self.outputs.push_back(output);
    }

    pub fn count(&mut self, counter: Counter) {
        self.counters.count(counter);
    }

    /// When a timer of `span` that starts now expires.
    pub fn expiry(&self, span: Duration) -> Time {
        self.ticks.expiry(self.now, span)
    }

    /// Sends a packet of this node.
    pub fn send(&mut self, destination: Address, body: Body<D>, purpose: Purpose) {
        let ttl = self.settings.routing.ttl;
        self.forward(Packet { origin: self.own, destination, ttl, body }, purpose);
    }

    /// Sends a packet to the next hop on its route.
    pub fn forward(&mut self, packet: Packet<D>, purpose: Purpose) {
        match self.table.next_hop(packet.destination) {
            Some(neighbour) => self.emit(Output::Send { neighbour, packet, purpose }),
            None => {
                self.count(Counter::Unroutable);
                self.emit(Output::Dropped { reason: DropReason::NoRoute });
            }
        }
    }
}
