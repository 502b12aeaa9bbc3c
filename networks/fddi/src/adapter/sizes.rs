//! Frame lengths.

use sojourn_core::Stream;
use sojourn_engine::sample;

/// The shortest and the longest frame that is drawn.
const LEAST: u32 = 20;
const MOST: u32 = 4496;

/// A distribution of frame lengths.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// All alike.
    Constant(u32),
    /// Exponential about a mean, draws outside 20 to 4496 bytes drawn again.
    Exponential(f64),
    /// Normal about one of several lengths, draws of a mode outside the range drawn again.
    Modes(Vec<Mode>),
}

/// Frames of about one length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// Mean length, in bytes.
    pub mean: f64,
    /// Standard deviation in bytes.
    pub deviation: f64,
    /// Share of all frames.
    pub share: f64,
}

const fn mode(mean: f64, deviation: f64, share: f64) -> Mode {
    Mode { mean, deviation, share }
}

/// LAN traffic in four modes (Kalkunte 1991, the shares of frames).
pub const FOUR_MODE: [Mode; 4] =
    [mode(60.0, 22.0, 0.29), mode(576.0, 5.0, 0.67), mode(1518.0, 2.0, 0.03), mode(4496.0, 2.0, 0.01)];

/// LAN traffic in five modes (Kalkunte 1991).
pub const FIVE_MODE: [Mode; 5] = [
    mode(33.0, 1.0, 0.26),
    mode(80.0, 20.0, 0.15),
    mode(576.0, 5.0, 0.55),
    mode(1518.0, 2.0, 0.03),
    mode(4496.0, 2.0, 0.01),
];

/// The five modes with another share of the middle one, at the cost of all others alike.
pub fn five_mode_with(middle: f64) -> Vec<Mode> {
    let others = FIVE_MODE.iter().filter(|mode| mode.mean != 576.0).map(|mode| mode.share).sum::<f64>();
    let scaled = |mode: &Mode| if mode.mean == 576.0 { middle } else { mode.share * (1.0 - middle) / others };
    FIVE_MODE.iter().map(|mode| Mode { share: scaled(mode), ..*mode }).collect()
}

impl Sizes {
    /// The length of the next frame.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u32 {
        match self {
            Sizes::Constant(size) => *size,
            Sizes::Exponential(mean) => inside(|| sample::standard_exponential(stream) * mean),
            Sizes::Modes(modes) => {
                let mode = pick(modes, stream.unit());
                inside(|| mode.mean + mode.deviation * sample::standard_normal(stream))
            }
        }
    }

    /// The mean length of what is drawn, truncation and rounding included.
    pub fn mean(&self) -> f64 {
        match self {
            Sizes::Constant(size) => f64::from(*size),
            Sizes::Exponential(mean) => mean_inside(|size| -libm::expm1(-size.max(0.0) / mean)),
            Sizes::Modes(modes) => modes.iter().map(|mode| mode.share * mode.realised()).sum(),
        }
    }
}

impl Mode {
    /// The mean of what is drawn of it.
    fn realised(&self) -> f64 {
        mean_inside(|size| 0.5 * libm::erfc((self.mean - size) / (self.deviation * std::f64::consts::SQRT_2)))
    }
}

fn pick(modes: &[Mode], at: f64) -> &Mode {
    let mut before = 0.0;
    let found = modes.iter().find(|mode| {
        before += mode.share;
        at < before
    });
    found.unwrap_or(&modes[modes.len() - 1])
}

/// The first draw, rounded, that is a frame's length.
#[inline]
fn inside(mut draw: impl FnMut() -> f64) -> u32 {
    loop {
        let size = libm::round(draw());
        if (f64::from(LEAST)..=f64::from(MOST)).contains(&size) {
            return size as u32;
        }
    }
}

/// The mean of the whole lengths that `inside` gives of a distribution.
fn mean_inside(cumulative: impl Fn(f64) -> f64) -> f64 {
    let (mut total, mut mean) = (0.0, 0.0);
    let mut below = cumulative(f64::from(LEAST) - 0.5);
    for size in LEAST..=MOST {
        let up_to = cumulative(f64::from(size) + 0.5);
        total += up_to - below;
        mean += f64::from(size) * (up_to - below);
        below = up_to;
    }
    mean / total
}
