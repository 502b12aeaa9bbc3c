//! Delay and backlog bounds: the horizontal and the vertical deviation of an arrival curve from a service curve.

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub};

use super::{Arrival, Rational, Service};

/// What a delay is rounded up to where its exact value needs longer numbers than there are: 2^-20 of a unit of time.
const DELAY_PARTS: i128 = 1 << 20;
/// The same of a ratio of rates.
const SLOPE_PARTS: i128 = 1 << 40;

impl Arrival {
    /// The horizontal deviation: no data are delayed longer by a server that serves in the order of arrival (LBT, 1.4.1,
    /// theorem 1.4.2). `None` where more arrives in the long run than is served.
    ///
    /// What arrives at `t` is delayed by at most the least of some lines in `t`, one for each bucket and part of the service.
    /// Their highest point is where a rising and a falling one meet, or at 0: by the duality of linear programs the least
    /// over all such pairs. It is exact, or rounded up where numbers are too long.
    pub fn delay_bound(&self, service: &Service) -> Option<Rational> {
        if self.rate() > service.rate() {
            return None;
        }
        let lines: Vec<Line> = self
            .buckets()
            .iter()
            .flat_map(|bucket| {
                service.parts().iter().map(|part| Line {
                    at_zero: part.serves(bucket.burst),
                    slope: bucket.rate / part.rate - Ratio::from_integer(1),
                })
            })
            .collect();
        let (rising, falling): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(|line| line.slope > Ratio::ZERO);
        let pairs = falling.iter().flat_map(|down| rising.iter().filter_map(move |up| up.meets(down)));
        falling.iter().map(|line| line.at_zero).chain(pairs).min()
    }

    /// The vertical deviation: never more data wait (LBT, 1.4.1, theorem 1.4.1). `None` where more arrives in the long
    /// run than is served.
    pub fn backlog_bound(&self, service: &Service) -> Option<Rational> {
        if self.rate() > service.rate() {
            return None;
        }
        let times = std::iter::once(Ratio::ZERO).chain(self.corners()).chain(service.corners());
        times.map(|time| self.at(time) - service.at(time)).max()
    }
}

/// A delay that changes evenly with the time of arrival.
#[derive(Clone, Copy)]
struct Line {
    at_zero: Rational,
    slope: Rational,
}

impl Line {
    /// How high a rising line is where it meets a falling one, or a little more; `None` where numbers are too short for that.
    fn meets(&self, falling: &Line) -> Option<Rational> {
        exact_meeting(self, falling).or_else(|| exact_meeting(&self.rounded_up()?, &falling.rounded_up()?))
    }

    /// A line that is above this one from 0 on, in shorter numbers.
    fn rounded_up(&self) -> Option<Line> {
        Some(Line { at_zero: rounded_up(self.at_zero, DELAY_PARTS)?, slope: rounded_up(self.slope, SLOPE_PARTS)? })
    }
}

fn exact_meeting(rising: &Line, falling: &Line) -> Option<Rational> {
    let down = Ratio::ZERO.checked_sub(&falling.slope).filter(|down| *down >= Ratio::ZERO)?;
    let heights = rising.at_zero.checked_mul(&down)?.checked_add(&falling.at_zero.checked_mul(&rising.slope)?)?;
    heights.checked_div(&rising.slope.checked_add(&down)?)
}

/// The next multiple of a part.
fn rounded_up(number: Rational, parts: i128) -> Option<Rational> {
    let (whole, rest) = (number.numer().div_euclid(*number.denom()), number.numer().rem_euclid(*number.denom()));
    let rest = Ratio::new(rest, *number.denom()).checked_mul(&Ratio::from_integer(parts))?.ceil().to_integer();
    Some(Ratio::new(whole.checked_mul(parts)?.checked_add(rest)?, parts))
}

#[cfg(test)]
mod tests {
    use super::super::RateLatency;
    use super::*;

    const PARTS: i128 = 1 << 40;

    fn rate(number: i128) -> Rational {
        Ratio::new(number, PARTS)
    }

    fn value(number: Rational) -> f64 {
        *number.numer() as f64 / *number.denom() as f64
    }

    /// Seconds in picoseconds, and one more: no round number.
    fn seconds(number: i128) -> Rational {
        Ratio::from_integer(number * 1_000_000_000_000 + 1)
    }

    #[test]
    fn a_bound_whose_exact_value_is_too_long_is_rounded_up() {
        let at_once = Arrival::token_bucket(seconds(7), rate(PARTS * 9 + 7));
        let arrival = at_once.min(&Arrival::token_bucket(seconds(70), rate(PARTS / 3 + 1)));
        let part = |number, latency| RateLatency::new(rate(number), seconds(latency) / rate(number));
        let service = Service::largest(vec![part(PARTS / 5 + 3, 1), part(PARTS / 2 + 9, 30)]).unwrap();
        assert_eq!((arrival.buckets().len(), service.parts().len()), (2, 2));
        let delay = |time: f64| {
            let buckets = arrival.buckets().iter().map(|bucket| value(bucket.burst) + value(bucket.rate) * time);
            let work = buckets.fold(f64::INFINITY, f64::min);
            let parts = service.parts().iter().map(|part| value(part.latency) + work / value(part.rate));
            parts.fold(f64::INFINITY, f64::min) - time
        };
        let longest = (0..200_000).map(|step| delay(f64::from(step) * 1e9)).fold(0.0, f64::max);
        let bound = value(arrival.delay_bound(&service).unwrap());
        assert!((1.0..1.0001).contains(&(bound / longest)), "{bound} {longest}");
    }
}
