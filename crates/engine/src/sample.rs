//! Random durations with identical bits on every machine.
//!
//! Exponential and normal variates come from the ziggurat method (Marsaglia and Tsang, 2000) with 256 layers: 98 % of
//! them take one draw of the stream, one multiplication and one comparison. The `libm` crate, never the platform,
//! computes the tables and the rare other cases.

use std::sync::LazyLock;

use sojourn_core::{Duration, Stream};

const LAYERS: usize = 256;
/// 2^-53.
const STEP: f64 = 1.0 / 9_007_199_254_740_992.0;

/// Right edges of the layers of equal area under a density that decreases from 1 at 0, and the density at them.
struct Ziggurat {
    /// `edge[0]` is the width of a rectangle with the area of the base layer, `edge[1]` the start of the tail.
    edge: [f64; LAYERS + 1],
    height: [f64; LAYERS + 1],
}

impl Ziggurat {
    fn new(tail: f64, area: f64, density: fn(f64) -> f64, inverse: fn(f64) -> f64) -> Self {
        let mut edge = [0.0; LAYERS + 1];
        edge[0] = area / density(tail);
        edge[1] = tail;
        for i in 2..LAYERS {
            edge[i] = inverse(density(edge[i - 1]) + area / edge[i - 1]);
        }
        Ziggurat { edge, height: edge.map(density) }
    }

    /// A variate from the positive half of the density, and the draw of the stream, whose bit 8 is unused.
    #[inline]
    fn draw(&self, stream: &mut Stream, density: fn(f64) -> f64, beyond: fn(&mut Stream) -> f64) -> (f64, u64) {
        let (bits, layer, x) = self.place(stream);
        if x < self.edge[layer + 1] {
            return (x, bits);
        }
        self.draw_on(stream, (bits, layer, x), density, beyond)
    }

    /// A layer, from the low 8 bits of a draw, and a position in it, from the high 53.
    #[inline]
    fn place(&self, stream: &mut Stream) -> (u64, usize, f64) {
        let bits = stream.bits();
        // layer and position come from different bits: sharing them correlates the two (Doornik, 2005)
        let layer = (bits & 0xff) as usize;
        (bits, layer, ((bits >> 11) as f64 + 0.5) * STEP * self.edge[layer])
    }

    /// The remaining 2 % of variates: the edge of a layer or the tail, with further draws on rejection.
    #[cold]
    #[inline(never)]
    fn draw_on(
        &self,
        stream: &mut Stream,
        mut place: (u64, usize, f64),
        density: fn(f64) -> f64,
        beyond: fn(&mut Stream) -> f64,
    ) -> (f64, u64) {
        loop {
            let (bits, layer, x) = place;
            if x < self.edge[layer + 1] {
                return (x, bits);
            }
            if layer == 0 {
                return (beyond(stream), bits);
            }
            let rise = self.height[layer + 1] - self.height[layer];
            if self.height[layer] + stream.unit() * rise < density(x) {
                return (x, bits);
            }
            place = self.place(stream);
        }
    }
}

/// Start of the tail of the exponential density with 256 layers (Marsaglia and Tsang, 2000).
const EXPONENTIAL_TAIL: f64 = 7.697_117_470_131_05;
/// Start of the tail of the half-normal density with 256 layers (Marsaglia and Tsang, 2000).
const NORMAL_TAIL: f64 = 3.654_152_885_361_009;

static EXPONENTIAL: LazyLock<Ziggurat> = LazyLock::new(|| {
    // rectangle and tail of the base layer: (r + 1) exp(-r)
    let area = (EXPONENTIAL_TAIL + 1.0) * libm::exp(-EXPONENTIAL_TAIL);
    Ziggurat::new(EXPONENTIAL_TAIL, area, exponential_density, |y| -libm::log(y))
});

static NORMAL: LazyLock<Ziggurat> = LazyLock::new(|| {
    // rectangle and tail of the base layer: r exp(-r²/2) + sqrt(π/2) erfc(r/√2)
    let tail = libm::sqrt(std::f64::consts::FRAC_PI_2) * libm::erfc(NORMAL_TAIL * std::f64::consts::FRAC_1_SQRT_2);
    let area = NORMAL_TAIL * normal_density(NORMAL_TAIL) + tail;
    Ziggurat::new(NORMAL_TAIL, area, normal_density, |y| libm::sqrt(-2.0 * libm::log(y)))
});

fn exponential_density(x: f64) -> f64 {
    libm::exp(-x)
}

/// Normal density without its normalizing constant.
fn normal_density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}

/// The exponential distribution is memoryless: its tail is the distribution itself, shifted.
#[cold]
fn exponential_tail(stream: &mut Stream) -> f64 {
    EXPONENTIAL_TAIL - libm::log(stream.unit())
}

/// The normal tail by the method of Marsaglia (1964).
#[cold]
fn normal_tail(stream: &mut Stream) -> f64 {
    loop {
        let x = -libm::log(stream.unit()) / NORMAL_TAIL;
        let y = -libm::log(stream.unit());
        if 2.0 * y > x * x {
            return NORMAL_TAIL + x;
        }
    }
}

/// A variate of the exponential distribution with mean 1.
#[inline]
pub fn standard_exponential(stream: &mut Stream) -> f64 {
    EXPONENTIAL.draw(stream, exponential_density, exponential_tail).0
}

/// A variate of the normal distribution with mean 0 and standard deviation 1.
#[inline]
pub fn standard_normal(stream: &mut Stream) -> f64 {
    let (x, bits) = NORMAL.draw(stream, normal_density, normal_tail);
    if bits & 0x100 == 0 { x } else { -x }
}

/// A duration from the exponential distribution with this mean, rounded to picoseconds.
///
/// Durations above 106 days, which are possible only with a mean of days, are limited to it.
#[inline]
pub fn exponential(stream: &mut Stream, mean: Duration) -> Duration {
    nearest(standard_exponential(stream) * mean.picoseconds() as f64)
}

/// As many durations from the exponential distribution as there are places, as [`exponential`] draws one after the other.
#[inline]
pub fn exponentials(stream: &mut Stream, mean: Duration, durations: &mut [Duration]) {
    let (ziggurat, mean) = (&*EXPONENTIAL, mean.picoseconds() as f64);
    for duration in durations {
        *duration = nearest(ziggurat.draw(stream, exponential_density, exponential_tail).0 * mean);
    }
}

/// A number from the gamma distribution with this shape, at least 1, and scale 1: the method of Marsaglia and Tsang, "A simple method
/// for generating gamma variables", ACM TOMS 26 (2000), of which 98 % of the draws are one normal and one uniform variate.
#[inline]
pub fn standard_gamma(stream: &mut Stream, shape: f64) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (3.0 * d.sqrt());
    loop {
        let x = standard_normal(stream);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        let u = stream.unit();
        let squeezed = u < 1.0 - 0.0331 * x * x * x * x;
        if squeezed || libm::log(u) < 0.5 * x * x + d * (1.0 - v + libm::log(v)) {
            return d * v;
        }
    }
}

/// A duration from the uniform distribution on `0..bound`; zero if `bound` is zero.
#[inline]
pub fn uniform(stream: &mut Stream, bound: Duration) -> Duration {
    let product = u128::from(stream.bits()) * u128::from(bound.picoseconds());
    Duration::from_picoseconds((product >> 64) as u64)
}

/// Rounds to whole picoseconds, saturating; the conversion through a signed integer is one instruction.
#[inline]
pub(crate) fn nearest(picoseconds: f64) -> Duration {
    Duration::from_picoseconds((picoseconds + 0.5) as i64 as u64)
}

#[cfg(test)]
mod tests;
