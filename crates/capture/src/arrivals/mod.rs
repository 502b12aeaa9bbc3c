//! The arrival law of a flow, chosen by fit from its send times.
//!
//! [`SendTimes`] keeps statistics of a flow in bounded memory: the first send times in order, and a uniform sample of
//! the gaps between all of them. [`fit`] estimates the parameters of each law from them and returns the simplest law
//! that the gaps do not contradict. [`Polls`] does the same for a supervisor that polls its stations in turn: the
//! polling pattern appears in the order of receivers, not in any single flow.
//!
//! A capture records when a packet ended, not when the application sent the message: the medium access delay lies
//! between. The distance is therefore the Kolmogorov-Smirnov distance with a tolerance: differences that vanish when
//! each gap is shifted by up to `smear` do not count.

mod distance;
mod heartbeat;
mod law;
mod on_off;
mod periodic;
mod poisson;
mod polls;
mod reservoir;
mod send_times;
mod think;

pub use law::{Fit, Law};
pub use polls::{PollCycle, Polls};
pub use reservoir::Reservoir;
pub use send_times::SendTimes;

/// Gaps below which no law is fitted: the estimates of two parameters would be noise.
pub const FEWEST_GAPS: usize = 8;

/// Send times are not compared more finely, s: many captures have stamps in microseconds.
const RESOLUTION: f64 = 1e-6;

/// The simplest law that agrees with the send times; else the one of least distance, for which [`Fit::is_good`] is false;
/// `None` below [`FEWEST_GAPS`] gaps.
///
/// `smear` in seconds is how far access to the medium moves a send time in this network.
pub fn fit(times: &SendTimes, smear: f64) -> Option<Fit> {
    let mut gaps = times.gaps().values().to_vec();
    if gaps.len() < FEWEST_GAPS {
        return None;
    }
    gaps.sort_by(f64::total_cmp);
    let smear = smear.max(RESOLUTION);
    let candidates = [
        poisson::fit(times, &gaps, smear),
        periodic::fit(times, &gaps, smear),
        think::fit(times, smear),
        on_off::fit_burst(times, &gaps, smear),
        heartbeat::fit(&gaps, smear),
        on_off::fit(times, &gaps, smear),
    ];
    let fits = candidates.into_iter().flatten();
    let order = |fit: &Fit| if fit.is_good() { (0, fit.law.parameters() as f64) } else { (1, fit.distance) };
    fits.min_by(|a, b| {
        let ((a_class, a_order), (b_class, b_order)) = (order(a), order(b));
        a_class.cmp(&b_class).then(a_order.total_cmp(&b_order)).then(a.distance.total_cmp(&b.distance))
    })
}

#[cfg(test)]
mod tests;
