//! A captured frame.

use sojourn_core::Time;
use sojourn_protocols::ax25::wire::{Address as Callsign, Frame};

use crate::{Address, FlowKey, Service};

/// A frame with its place in the capture.
#[derive(Clone, Copy)]
pub(super) struct Heard<'a> {
    pub frame: Frame<&'a [u8]>,
    pub time: Time,
    pub length: u32,
}

impl Heard<'_> {
    /// Digipeaters that have not repeated the frame.
    pub fn hops_left(&self) -> u8 {
        let digipeaters = &self.frame.addressing.digipeaters;
        digipeaters.iter().filter(|(_, repeated)| !repeated).count() as u8
    }

    /// Whether the station that originated the frame sent this copy, not a digipeater.
    pub fn is_original(&self) -> bool {
        usize::from(self.hops_left()) == self.frame.addressing.digipeaters.len()
    }

    /// Whether this copy is the one that the destination receives.
    pub fn arrives(&self) -> bool {
        self.hops_left() == 0
    }
}

/// The flow between two stations.
pub(super) fn flow_key(from: Callsign, to: Callsign, service: Service) -> FlowKey {
    FlowKey { from: Address::Callsign(from), to: Address::Callsign(to), service }
}
