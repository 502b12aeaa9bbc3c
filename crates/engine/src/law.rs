//! Laws: distributions of durations, parameterized by their exact mean.
//!
//! A law is a mean and a shape. The variates of a shape have mean 1, so that changing the mean scales them and leaves
//! their coefficient of variation unchanged.

use std::sync::Arc;

use sojourn_core::{Duration, Stream, Time};

use crate::sample::{exponential, exponentials, nearest, standard_exponential, standard_gamma, standard_normal};

/// A distribution of durations.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// Its mean.
    pub mean: Duration,
    /// Which distribution, of mean 1.
    pub shape: Shape,
}

/// A distribution of positive numbers with the mean 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Always 1.
    Constant,
    /// Exponential.
    Exponential,
    /// Normal, with this coefficient of variation: at most 0.3. Draws below zero are drawn again, at 0.3 one in 2300, which
    /// raises the mean by 0.05 %.
    Normal(f64),
    /// Gamma.
    Gamma(Gamma),
    /// Lognormal.
    Lognormal(Lognormal),
    /// Weibull.
    Weibull(Weibull),
    /// One of these values, each as likely as the others.
    Empirical(Arc<[f64]>),
}

/// A gamma distribution: a sum of `shape` exponential times where that is whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gamma {
    shape: f64,
}

/// A lognormal distribution: its logarithm is normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lognormal {
    /// Deviation of the logarithm.
    sigma: f64,
}

/// A Weibull distribution: a power of an exponential time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weibull {
    /// Reciprocal of the shape.
    power: f64,
    /// That gives it the mean 1.
    scale: f64,
}

impl Law {
    /// Always this long.
    pub const fn constant(time: Duration) -> Law {
        Law { mean: time, shape: Shape::Constant }
    }

    /// Exponential.
    pub const fn exponential(mean: Duration) -> Law {
        Law { mean, shape: Shape::Exponential }
    }

    /// One of these durations, each as likely as the others; none of none, or where all are zero.
    pub fn empirical(values: &[Duration]) -> Option<Law> {
        let mean = nearest(values.iter().map(|value| value.picoseconds() as f64).sum::<f64>() / values.len() as f64);
        let relative = |value: &Duration| value.picoseconds() as f64 / mean.picoseconds() as f64;
        (mean > Duration::ZERO).then(|| Law { mean, shape: Shape::Empirical(values.iter().map(relative).collect()) })
    }

    /// The same with another mean; its coefficient of variation stays.
    pub fn with_mean(&self, mean: Duration) -> Law {
        Law { mean, shape: self.shape.clone() }
    }

    /// The shortest time that it draws, or one below it: zero where draws come close to it.
    pub fn least(&self) -> Duration {
        match &self.shape {
            Shape::Constant => self.mean,
            Shape::Empirical(values) => self.stretched(values.iter().copied().fold(f64::INFINITY, f64::min)),
            _ => Duration::ZERO,
        }
    }

    /// The longest time that it draws; none where draws have no upper end.
    pub fn most(&self) -> Option<Duration> {
        match &self.shape {
            Shape::Constant => Some(self.mean),
            Shape::Empirical(values) => Some(self.stretched(values.iter().copied().fold(0.0, f64::max))),
            _ => None,
        }
    }

    fn stretched(&self, relative: f64) -> Duration {
        nearest(relative * self.mean.picoseconds() as f64)
    }

    /// Draws a duration, rounded to picoseconds; 106 days are the most.
    #[inline(always)]
    pub fn draw(&self, stream: &mut Stream) -> Duration {
        match &self.shape {
            Shape::Exponential => exponential(stream, self.mean),
            Shape::Constant => self.mean,
            shape => self.stretched(shape.draw(stream)),
        }
    }

    /// When a time of this law that runs out at `due` does so if it is drawn again at `now`: the rest of an exponential time is
    /// distributed as the whole, whatever has passed of it. Other times have a memory, and stay.
    pub fn redraw(&self, now: Time, due: Time, stream: &mut Stream) -> Time {
        match self.shape {
            Shape::Exponential => now + exponential(stream, self.mean),
            _ => due,
        }
    }

    /// As many as there are places, as [`Law::draw`] draws one after the other.
    #[inline]
    pub fn draw_all(&self, stream: &mut Stream, durations: &mut [Duration]) {
        match self.shape {
            Shape::Exponential => exponentials(stream, self.mean, durations),
            _ => durations.fill_with(|| self.draw(stream)),
        }
    }
}

impl Shape {
    // apart, so that loops over exponential and constant durations do not carry the others along
    #[inline(never)]
    fn draw(&self, stream: &mut Stream) -> f64 {
        match self {
            Shape::Constant => 1.0,
            Shape::Exponential => standard_exponential(stream),
            Shape::Normal(deviation) => normal(stream, *deviation),
            Shape::Gamma(gamma) => gamma.draw(stream),
            Shape::Lognormal(lognormal) => lognormal.draw(stream),
            Shape::Weibull(weibull) => weibull.draw(stream),
            Shape::Empirical(values) => values[stream.below(values.len() as u32) as usize],
        }
    }

    /// Its word in a scenario.
    pub const fn word(&self) -> &'static str {
        match self {
            Shape::Constant => "deterministic",
            Shape::Exponential => "exponential",
            Shape::Normal(_) => "normal",
            Shape::Gamma(_) => "gamma",
            Shape::Lognormal(_) => "lognormal",
            Shape::Weibull(_) => "weibull",
            Shape::Empirical(_) => "empirical",
        }
    }

    /// Standard deviation divided by the mean.
    pub fn coefficient_of_variation(&self) -> f64 {
        match self {
            Shape::Constant => 0.0,
            Shape::Exponential => 1.0,
            Shape::Normal(deviation) => *deviation,
            Shape::Gamma(gamma) => 1.0 / gamma.shape.sqrt(),
            Shape::Lognormal(lognormal) => libm::sqrt(libm::expm1(lognormal.sigma * lognormal.sigma)),
            Shape::Weibull(weibull) => {
                let second = weibull.scale * weibull.scale * libm::tgamma(1.0 + 2.0 * weibull.power);
                (second - 1.0).max(0.0).sqrt()
            }
            Shape::Empirical(values) => {
                let squares = values.iter().map(|value| (value - 1.0) * (value - 1.0)).sum::<f64>();
                (squares / values.len() as f64).sqrt()
            }
        }
    }
}

/// A normal number of mean 1 that is not below zero.
fn normal(stream: &mut Stream, deviation: f64) -> f64 {
    loop {
        let number = 1.0 + deviation * standard_normal(stream);
        if number >= 0.0 {
            return number;
        }
    }
}

impl Gamma {
    /// With this shape, above 0.
    pub const fn new(shape: f64) -> Gamma {
        Gamma { shape }
    }

    /// A shape below 1 by one above it, and a power of a uniform number (Marsaglia and Tsang, section 6).
    fn draw(self, stream: &mut Stream) -> f64 {
        let Gamma { shape } = self;
        if shape >= 1.0 {
            return standard_gamma(stream, shape) / shape;
        }
        let above = standard_gamma(stream, shape + 1.0);
        above * libm::pow(stream.unit(), 1.0 / shape) / shape
    }
}

impl Lognormal {
    /// With this coefficient of variation.
    pub fn new(coefficient_of_variation: f64) -> Lognormal {
        Lognormal { sigma: libm::sqrt(libm::log1p(coefficient_of_variation * coefficient_of_variation)) }
    }

    fn draw(self, stream: &mut Stream) -> f64 {
        let Lognormal { sigma } = self;
        libm::exp(sigma * standard_normal(stream) - 0.5 * sigma * sigma)
    }
}

impl Weibull {
    /// With this shape, above 0: the mean of an exponential time of mean 1 to the power of `1 / shape` is Γ(1 + 1 / shape).
    pub fn new(shape: f64) -> Weibull {
        let power = 1.0 / shape;
        Weibull { power, scale: 1.0 / libm::tgamma(1.0 + power) }
    }

    fn draw(self, stream: &mut Stream) -> f64 {
        self.scale * libm::pow(standard_exponential(stream), self.power)
    }
}

#[cfg(test)]
mod tests;
