//! The airtime that the far station has used, as far as its frames are heard.
//!
//! An exchange needs airtime of both stations: a far station whose budget is spent sends RNR, or exceeds its limit.
//! That limit is unknown; it is assumed equal to this station's, and exchanges are assumed symmetrical, like an echo.

use sojourn_core::{Duration, Time};
use sojourn_protocols::ax25::wire::{Address, Addressing};

use crate::transports::ax25::airtime::Air;
use crate::transports::ax25::airtime_budget::Budget;

/// A far station and what it has transmitted.
#[derive(Clone, Debug)]
pub struct Partner {
    address: Address,
    budget: Budget,
    /// End of its last frame.
    heard: Option<Time>,
}

impl Partner {
    /// The station of this address, with an unspent budget.
    pub fn new(address: Address, budget: Budget) -> Partner {
        Partner { address, budget, heard: None }
    }

    /// Accounts for a frame that was received at `now`, if it is one of this station.
    ///
    /// It counts from its reception on, although it ends with it: the far station itself counts no later than this.
    pub fn hear(&mut self, now: Time, addressing: &Addressing, octets: &[u8], air: &Air) {
        // of the copies that digipeaters repeat, the last
        if addressing.source != self.address || addressing.digipeaters.next().is_some() {
            return;
        }
        let frame = air.frame(octets);
        let follows = self.heard.is_some_and(|end| now.since(end) < frame + air.transmit_delay);
        let keying = if follows { Duration::ZERO } else { air.keying() };
        self.budget.spend(now, keying + frame);
        self.heard = Some(now);
    }

    /// When it may begin an exchange in which it transmits for `airtime`.
    pub fn affords(&self, now: Time, airtime: Duration) -> Time {
        self.budget.when(now, airtime)
    }
}
