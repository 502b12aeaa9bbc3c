//! The backlog of a circuit: data delivered but not consumed, and the choke that they cause.

use std::collections::VecDeque;

use super::settings::{BacklogUnit, Choke};

/// The data that a circuit's user has not consumed.
#[derive(Clone, Debug)]
pub(super) struct Backlog {
    /// Octets of each packet, oldest first.
    packets: VecDeque<u16>,
    /// The peer is choked, or is about to be.
    pub choking: bool,
}

impl Backlog {
    pub const fn new() -> Self {
        Backlog { packets: VecDeque::new(), choking: false }
    }

    /// Packets delivered and not consumed.
    pub fn packets(&self) -> usize {
        self.packets.len()
    }

    /// A packet was delivered.
    pub fn push(&mut self, octets: usize) {
        self.packets.push_back(u16::try_from(octets).unwrap_or(u16::MAX));
    }

    /// The user consumed the oldest packets; returns false if there are not as many.
    pub fn consume(&mut self, packets: u16) -> bool {
        let enough = usize::from(packets) <= self.packets.len();
        if enough {
            self.packets.drain(..usize::from(packets));
        }
        enough
    }

    /// Whether the backlog exceeds its threshold, or free buffers fall below theirs.
    pub fn is_congested(&self, choke: &Choke, free_buffers: u16) -> bool {
        self.size(choke.unit) > choke.above || free_buffers < choke.min_free_buffers
    }

    /// Whether backlog and free buffers allow release.
    pub fn may_release(&self, choke: &Choke, free_buffers: u16) -> bool {
        let buffers = choke.min_free_buffers == 0 || free_buffers > choke.release_free_buffers;
        self.size(choke.unit) < choke.below && buffers
    }

    fn size(&self, unit: BacklogUnit) -> u32 {
        match unit {
            BacklogUnit::Packets => self.packets.len() as u32,
            BacklogUnit::Octets => self.packets.iter().map(|octets| u32::from(*octets)).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::Settings;
    use super::*;

    #[test]
    fn congestion_and_release_have_thresholds_of_their_own() {
        let choke = Choke { above: 2, below: 2, unit: BacklogUnit::Packets, ..Settings::x1j4().transport.choke };
        let mut backlog = Backlog::new();
        let states = [0, 1, 2].map(|_| {
            backlog.push(100);
            (backlog.is_congested(&choke, u16::MAX), backlog.may_release(&choke, u16::MAX))
        });
        assert_eq!(states, [(false, true), (false, false), (true, false)]);
    }

    #[test]
    fn few_free_buffers_choke_regardless_of_the_backlog() {
        let choke = Choke { min_free_buffers: 30, release_free_buffers: 62, ..Settings::x1j4().transport.choke };
        let backlog = Backlog::new();
        assert!(backlog.is_congested(&choke, 29) && !backlog.is_congested(&choke, 30));
        assert!(!backlog.may_release(&choke, 62) && backlog.may_release(&choke, 63));
    }

    #[test]
    fn no_more_can_be_consumed_than_was_delivered() {
        let mut backlog = Backlog::new();
        backlog.push(1);
        assert!(!backlog.consume(2) && backlog.consume(1));
    }
}
