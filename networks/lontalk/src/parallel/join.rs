//! The groups' simulations become one, which a record is made of.

use super::partition::Partition;
use crate::in_flight::InFlight;
use crate::message::Message;
use crate::metrics::{FlowMetrics, Metrics};
use crate::world::Simulation;

impl Simulation<'_, '_> {
    /// Takes from the simulation of a group its media, its stations and what it has counted.
    pub(super) fn join(&mut self, mut group: Self, number: u8, partition: &Partition) {
        for (medium, _) in partition.of_medium.iter().enumerate().filter(|&(_, &of)| of == number) {
            std::mem::swap(&mut self.access.segments[medium], &mut group.access.segments[medium]);
        }
        for station in 0..self.site.stations.len() as u32 {
            match self.site.stations[station as usize].on() {
                &[medium] if partition.of_medium[usize::from(medium)] == number => {
                    std::mem::swap(&mut self.nodes[station], &mut group.nodes[station]);
                }
                [_] => {}
                // the group has sent the packets of its routers
                _ => {
                    let sent = group.nodes.active(station).counts;
                    let counts = &mut self.nodes.active(station).counts;
                    counts.sent += sent.sent;
                    counts.collisions += sent.collisions;
                }
            }
        }
        group.in_flight.leave_others();
        group.in_flight.messages.iter().for_each(|message| {
            self.in_flight.messages.insert(*message);
        });
        self.metrics.join(group.metrics);
    }
}

impl InFlight {
    /// Removes the copies of messages that other groups own.
    pub(super) fn leave_others(&mut self) {
        let Some(border) = self.border.take() else { return };
        let is_copy = |&(place, message): &(u32, &Message)| message.shared && !border.owns(place);
        let copies: Vec<u32> = self.messages.entries().filter(is_copy).map(|(place, _)| place).collect();
        copies.into_iter().for_each(|place| {
            self.messages.remove(place);
        });
    }
}

impl Metrics<'_> {
    fn join(&mut self, other: Self) {
        self.flows.iter_mut().zip(&other.flows).for_each(|(flow, other)| flow.join(other));
        self.budget.merge(&other.budget);
        self.buffer_overflows.join(other.buffer_overflows);
        self.requests.join(other.requests);
    }
}

impl FlowMetrics {
    /// Adds what another group has counted; response times are recorded in the core.
    fn join(&mut self, other: &FlowMetrics) {
        self.messages.join(&other.messages);
        self.distinct_packets.join(other.distinct_packets);
        self.missed.join(other.missed);
        self.duplicates.join(other.duplicates);
        self.failures += other.failures;
        self.unreached += other.unreached;
        self.transaction_failures += other.transaction_failures;
        self.retries += other.retries;
        self.completed += other.completed;
    }
}
