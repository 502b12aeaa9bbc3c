//! Propagation and station delays along a ring.

use sojourn_core::Duration;

use super::settings::MacSettings;

/// What each MAC's place on the ring means in time.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// Per MAC, from a symbol's arrival at MAC 0 to its arrival here.
    offsets: Vec<Duration>,
    latencies: Vec<Duration>,
    round: Duration,
}

impl Path {
    /// Those of `off` are bypassed: light passes them at once.
    pub fn new(macs: &[MacSettings], off: &[bool]) -> Self {
        let mut round = Duration::ZERO;
        let mut offsets = Vec::with_capacity(macs.len());
        let latency = |(mac, off): (&MacSettings, &bool)| if *off { Duration::ZERO } else { mac.latency };
        let latencies: Vec<Duration> = macs.iter().zip(off).map(latency).collect();
        for (mac, latency) in macs.iter().zip(&latencies) {
            offsets.push(round);
            round += *latency + mac.hop;
        }
        Path { offsets, latencies, round }
    }

    /// From a symbol's arrival at MAC 0 to its arrival at `mac`, in the same round.
    #[inline]
    pub fn offset(&self, mac: u32) -> Duration {
        self.offsets[mac as usize]
    }

    #[inline]
    pub fn latency(&self, mac: u32) -> Duration {
        self.latencies[mac as usize]
    }

    /// Once around: the ring latency D.
    #[inline]
    pub fn round(&self) -> Duration {
        self.round
    }

    pub fn macs(&self) -> u32 {
        self.offsets.len() as u32
    }

    /// From a symbol's leaving `from` to its arrival at `to`; once around, less a latency, to `from` itself.
    #[inline]
    pub fn time(&self, from: u32, to: u32) -> Duration {
        let round = if to > from { Duration::ZERO } else { self.round };
        self.offset(to) + round - self.offset(from) - self.latency(from)
    }
}
