//! A captured frame.

use std::fmt::Display;

use sojourn_core::Time;
use sojourn_protocols::ax25::wire::{Address as Callsign, Frame};

use crate::{Address, FlowKey, Service, Sink};

/// A frame with its place in the capture.
#[derive(Clone, Copy)]
pub(crate) struct Heard<'a> {
    pub frame: Frame<&'a [u8]>,
    pub time: Time,
    /// Its number in the capture.
    pub number: u64,
    /// Octets of the frame, those that the capture cut included.
    pub length: u32,
    /// Octets that the capture cut.
    pub cut: u32,
}

impl Heard<'_> {
    /// Length of user data before the capture cut it to these octets.
    pub fn octets(&self, captured: &[u8]) -> u32 {
        (captured.len() as u32).saturating_add(self.cut)
    }

    /// Information that does not parse in `layer`.
    pub fn malformed(&self, layer: &'static str, reason: impl Display, out: &mut Sink) {
        if self.cut > 0 {
            out.malformed(self.number, layer, format_args!("{reason} (cut by the snap length)"));
        } else {
            out.malformed(self.number, layer, reason);
        }
    }

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
