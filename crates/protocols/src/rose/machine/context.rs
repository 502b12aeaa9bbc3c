//! The context that a switch passes to its channels and trunks with every input.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use super::counters::Counters;
use super::output::{Output, TrunkId};
use super::settings::Settings;
use crate::rose::wire::{Body, Packet};

/// What a switch passes its channels and trunks with every input.
pub(super) struct Context<'a, D> {
    pub now: Time,
    pub settings: &'a Settings,
    pub outputs: &'a mut VecDeque<Output<D>>,
    pub counters: &'a mut Counters,
    /// P(S) that the channel at the circuit's other endpoint may acknowledge now.
    pub freed: &'a mut Vec<u8>,
    pub trunk: TrunkId,
    /// Logical channel number, 0 for the trunk itself.
    pub number: u16,
}

impl<D> Context<'_, D> {
    /// Transmits on the channel.
    pub fn transmit(&mut self, body: Body<D>) {
        self.outputs.push_back(Output::Transmit { trunk: self.trunk, packet: Packet::new(self.number, body) });
    }

    /// The time `span` from now, saturated.
    pub fn after(&self, span: Duration) -> Time {
        Time::from_picoseconds(self.now.picoseconds().saturating_add(span.picoseconds()))
    }
}
