//! Random spans, the same bits on every machine.
//!
//! Exponential and normal draws use the ziggurat (Marsaglia and Tsang, 2000) with 256 layers: one stream draw,
//! one multiplication and one comparison 98 times in 100. Tables and the rare other cases are computed by the
//! `libm` crate, never by the platform.

use std::sync::LazyLock;

use sojourn_core::{Duration, Stream};

const LAYERS: usize = 256;
/// 2^-53.
const STEP: f64 = 1.0 / 9_007_199_254_740_992.0;

/// Right edges of the layers of equal area under a density that falls from 1 at 0, and the density there.
struct Ziggurat {
    /// `edge[0]` is the width of the base layer as if it were a rectangle, `edge[1]` where its tail begins.
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

    /// A draw from the density's positive half, and the stream draw whose bit 8 is still unused.
    #[inline]
    fn draw(&self, stream: &mut Stream, density: fn(f64) -> f64, beyond: fn(&mut Stream) -> f64) -> (f64, u64) {
        let (bits, layer, x) = self.place(stream);
        if x < self.edge[layer + 1] {
            return (x, bits);
        }
        self.draw_on(stream, (bits, layer, x), density, beyond)
    }

    /// A layer and a place in it; the layer from the low 8 bits, the place from the high 53.
    #[inline]
    fn place(&self, stream: &mut Stream) -> (u64, usize, f64) {
        let bits = stream.bits();
        let layer = (bits & 0xff) as usize;
        (bits, layer, ((bits >> 11) as f64 + 0.5) * STEP * self.edge[layer])
    }

    /// What one draw in a hundred needs: the edge of a layer or the tail, and perhaps another draw.
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

/// Where the exponential's tail begins with 256 layers (Marsaglia and Tsang, 2000).
const EXPONENTIAL_TAIL: f64 = 7.697_117_470_131_05;
/// Where the half normal's tail begins with 256 layers (Marsaglia and Tsang, 2000).
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

/// Of the normal density, without its constant.
fn normal_density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}

/// The exponential forgets: beyond the tail's beginning it is itself again.
#[cold]
fn exponential_tail(stream: &mut Stream) -> f64 {
    EXPONENTIAL_TAIL - libm::log(stream.unit())
}

/// Marsaglia's method for the normal tail (1964).
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

/// A draw from the exponential distribution of mean 1.
#[inline]
pub fn standard_exponential(stream: &mut Stream) -> f64 {
    EXPONENTIAL.draw(stream, exponential_density, exponential_tail).0
}

/// A draw from the normal distribution of mean 0 and deviation 1.
#[inline]
pub fn standard_normal(stream: &mut Stream) -> f64 {
    let (x, bits) = NORMAL.draw(stream, normal_density, normal_tail);
    if bits & 0x100 == 0 { x } else { -x }
}

/// A span from the exponential distribution of this mean, to the nearest picosecond.
///
/// Spans beyond 106 days, which a mean of days may give, are cut there.
#[inline]
pub fn exponential(stream: &mut Stream, mean: Duration) -> Duration {
    nearest(standard_exponential(stream) * mean.picoseconds() as f64)
}

/// A span from the normal distribution of this mean and deviation; draws below zero are drawn again.
///
/// With a deviation of at most a third of the mean that is one draw in 740.
#[inline]
pub fn normal(stream: &mut Stream, mean: Duration, deviation: Duration) -> Duration {
    loop {
        let span = mean.picoseconds() as f64 + standard_normal(stream) * deviation.picoseconds() as f64;
        if span >= 0.0 {
            return nearest(span);
        }
    }
}

/// A span uniform on `0..bound`; zero when `bound` is.
#[inline]
pub fn uniform(stream: &mut Stream, bound: Duration) -> Duration {
    let product = u128::from(stream.bits()) * u128::from(bound.picoseconds());
    Duration::from_picoseconds((product >> 64) as u64)
}

/// Picoseconds to the nearest whole one; the conversion, through a signed integer because that is one
/// instruction, saturates.
#[inline]
fn nearest(picoseconds: f64) -> Duration {
    Duration::from_picoseconds((picoseconds + 0.5) as i64 as u64)
}

#[cfg(test)]
mod tests;
