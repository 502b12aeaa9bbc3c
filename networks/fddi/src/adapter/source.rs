//! Source of the frames of one direction.

use sojourn_core::{Duration, Stream, Streams, Time, rekey_fields};
use sojourn_engine::sample;

use super::bus::CYCLE;
use super::settings::{Pace, Traffic};
use super::sizes::Sizes;

/// From the end of a single frame to the next one, and a random part of a bus cycle more: nothing is left of the first
/// when the second comes, and it comes at any moment of the bus's clock.
pub const SINGLE_PAUSE: Duration = Duration::from_micros(50);

/// A source of frames.
#[derive(Clone, Debug)]
pub struct Source {
    sizes: Sizes,
    /// Arrivals of its frames.
    pub pace: Pace,
    /// Share of station management frames.
    pub management_share: f64,
    /// Share of LLC frames without SNAP header.
    pub llc_share: f64,
    /// Whether an event has stopped it.
    pub stopped: bool,
    lengths: Stream,
    gaps: Stream,
    types: Stream,
    /// Frames that still follow without a gap.
    in_burst: u32,
}

/// What the parser looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameType {
    /// LLC with a SNAP header.
    Snap,
    /// LLC without.
    Plain,
    /// Station management.
    Management,
}

impl Source {
    /// A source with random streams named for the direction of its frames.
    pub fn new(traffic: &Traffic, direction: &str, streams: &Streams) -> Self {
        let stream = |what| streams.stream(&format!("traffic/{direction}/{what}"));
        Source {
            sizes: traffic.sizes.clone(),
            pace: traffic.pace.clone(),
            management_share: traffic.management_share,
            llc_share: traffic.llc_share,
            stopped: false,
            lengths: stream("lengths"),
            gaps: stream("gaps"),
            types: stream("types"),
            in_burst: 0,
        }
    }

    /// When the first frame comes: at a random moment of the first gap, or of the bus's cycle.
    pub fn first(&mut self) -> Duration {
        let span = if let Pace::Gaps(gaps) = &self.pace { gaps.law.mean } else { CYCLE };
        sample::uniform(&mut self.gaps, span)
    }

    /// The length of the next frame.
    #[inline]
    pub fn size(&mut self) -> u32 {
        self.sizes.draw(&mut self.lengths)
    }

    /// The type of the next frame.
    #[inline]
    pub fn frame_type(&mut self) -> FrameType {
        if self.management_share + self.llc_share == 0.0 {
            return FrameType::Snap;
        }
        let at = self.types.unit();
        if at < self.management_share {
            FrameType::Management
        } else if at < self.management_share + self.llc_share {
            FrameType::Plain
        } else {
            FrameType::Snap
        }
    }

    /// The gap between the end of one frame and the next; none where the source waits for something else.
    #[inline]
    pub fn gap(&mut self) -> Option<Duration> {
        match &self.pace {
            _ if self.stopped => None,
            Pace::Saturating => Some(Duration::ZERO),
            Pace::Gaps(_) if self.in_burst > 1 => {
                self.in_burst -= 1;
                Some(Duration::ZERO)
            }
            Pace::Gaps(gaps) => {
                self.in_burst = gaps.burst;
                Some(gaps.law.draw(&mut self.gaps))
            }
            Pace::Single | Pace::Silent | Pace::Sustainable(_) => None,
        }
    }

    /// When the next single frame comes after one that was through at `now`.
    pub fn after_single(&mut self, now: Time) -> Option<Time> {
        (self.pace == Pace::Single && !self.stopped)
            .then(|| now + SINGLE_PAUSE + sample::uniform(&mut self.gaps, CYCLE))
    }
}

rekey_fields!(Source { lengths, gaps, types });
