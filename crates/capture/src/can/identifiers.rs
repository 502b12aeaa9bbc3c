//! The identifiers of a bus.

use sojourn_core::Time;
use sojourn_protocols::can::frame::{Id, Length};

/// Times between frames that follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Intervals {
    /// Intervals.
    pub count: u64,
    /// Mean in seconds.
    pub mean: f64,
    /// Sum of the squared deviations from the mean.
    squares: f64,
    /// Shortest in seconds.
    pub least: f64,
    /// Longest in seconds.
    pub most: f64,
}

impl Intervals {
    fn record(&mut self, seconds: f64) {
        self.count += 1;
        let before = seconds - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (seconds - self.mean);
        self.least = if self.count == 1 { seconds } else { self.least.min(seconds) };
        self.most = self.most.max(seconds);
    }

    /// The jitter: their standard deviation in seconds; `None` of fewer than two.
    pub fn jitter(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.squares.max(0.0) / (self.count - 1) as f64).sqrt())
    }
}

/// Bits at the nominal bit rate, and at that of the data phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    /// At the nominal rate.
    pub nominal: u64,
    /// At the rate of the data phase.
    pub data: u64,
}

impl Bits {
    pub(super) fn add(&mut self, length: Length) {
        self.nominal += u64::from(length.nominal);
        self.data += u64::from(length.data);
    }
}

/// What was seen of an identifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CanIdentifier {
    /// The identifier.
    pub id: Id,
    /// Data frames.
    pub frames: u64,
    /// Remote frames.
    pub remote_frames: u64,
    /// Data in bytes.
    pub bytes: u64,
    /// Fewest and most data of a frame in bytes.
    pub lengths: [u8; 2],
    /// Of CAN FD.
    pub is_fd: bool,
    /// Between data frames.
    pub intervals: Intervals,
    /// All bits on the bus.
    pub bits: Bits,
    last: Option<Time>,
}

impl CanIdentifier {
    pub(super) fn new(id: Id) -> Self {
        CanIdentifier {
            id,
            frames: 0,
            remote_frames: 0,
            bytes: 0,
            lengths: [u8::MAX, 0],
            is_fd: false,
            intervals: Intervals::default(),
            bits: Bits::default(),
            last: None,
        }
    }

    /// A data frame that ended at `time`.
    pub(super) fn data(&mut self, time: Time, octets: u8) {
        self.frames += 1;
        self.bytes += u64::from(octets);
        self.lengths = [self.lengths[0].min(octets), self.lengths[1].max(octets)];
        if let Some(last) = self.last.replace(time) {
            self.intervals.record(time.since(last).seconds());
        }
    }
}
