//! The dip test of unimodality: whether values form one population or two.
//!
//! The dip is the largest difference between the empirical distribution and the nearest unimodal one (J. A. and P. M.
//! Hartigan, "The dip test of unimodality", Annals of Statistics 13, 1985; P. M. Hartigan, Algorithm AS 217, Applied
//! Statistics 34, 1985, with the corrections of M. Maechler's R package `diptest`). Among unimodal distributions,
//! samples of the uniform one have the largest dips, so a dip beyond its quantile is significant against every
//! unimodal distribution.

/// Sizes of samples, and the dip times the square root of the size that one uniform sample in a hundred exceeds: of 400 000
/// samples each up to 50 values, of 30 000 of 1000 values. Their standard errors are below 0.002.
const ONE_IN_A_HUNDRED: [(f64, f64); 12] = [
    (5.0, 0.439),
    (6.0, 0.472),
    (7.0, 0.487),
    (8.0, 0.490),
    (10.0, 0.505),
    (15.0, 0.527),
    (20.0, 0.541),
    (30.0, 0.557),
    (50.0, 0.573),
    (100.0, 0.588),
    (200.0, 0.605),
    (1000.0, 0.620),
];

/// Whether a unimodal distribution gives a sample of such a dip less than once in a hundred times. Of fewer
/// than five values it cannot be said.
pub fn is_multimodal(ascending: &[f64]) -> bool {
    let size = ascending.len() as f64;
    size >= ONE_IN_A_HUNDRED[0].0 && dip(ascending) * size.sqrt() > critical(size)
}

/// The critical value at a size, by interpolation; that of the largest size beyond it, where it hardly changes.
fn critical(size: f64) -> f64 {
    let above = ONE_IN_A_HUNDRED.partition_point(|&(known, _)| known < size);
    let Some(&(to, high)) = ONE_IN_A_HUNDRED.get(above) else { return ONE_IN_A_HUNDRED[above - 1].1 };
    let Some(&(from, low)) = above.checked_sub(1).map(|below| &ONE_IN_A_HUNDRED[below]) else { return high };
    low + (high - low) * (size - from) / (to - from)
}

/// The dip of values in ascending order, between 1/(2n) and 1/4.
pub fn dip(ascending: &[f64]) -> f64 {
    let size = ascending.len();
    if size < 2 || ascending[0] == ascending[size - 1] {
        return 0.5 / size.max(1) as f64;
    }
    let (minorant, majorant) = (convex_minorant(ascending), concave_majorant(ascending));
    let (mut low, mut high, mut dip) = (0, size - 1, 1.0_f64);
    loop {
        // the touching points of both between `low` and `high`: of the minorant downwards, of the majorant upwards
        let gcm: Vec<usize> = chain(high, low, &minorant);
        let lcm: Vec<usize> = chain(low, high, &majorant);
        let (distance, at_gcm, at_lcm) = widest(ascending, &gcm, &lcm);
        if distance < dip {
            break;
        }
        let convex = gcm[at_gcm..].windows(2).map(|pair| above_chord(ascending, pair[1], pair[0]));
        let concave = lcm[at_lcm..].windows(2).map(|pair| below_chord(ascending, pair[0], pair[1]));
        dip = convex.chain(concave).fold(dip, f64::max);
        let modal = (gcm[at_gcm], lcm[at_lcm]);
        if modal == (low, high) {
            break;
        }
        (low, high) = modal;
    }
    dip / (2 * size) as f64
}

/// For each value, the one before it on the greatest convex minorant of the distribution up to it.
fn convex_minorant(x: &[f64]) -> Vec<usize> {
    let mut before = vec![0; x.len()];
    for index in 1..x.len() {
        before[index] = index - 1;
        loop {
            let last = before[index];
            let earlier = before[last];
            let (run, rise) = (x[index] - x[last], (index - last) as f64);
            if last == 0 || run * ((last - earlier) as f64) < (x[last] - x[earlier]) * rise {
                break;
            }
            before[index] = earlier;
        }
    }
    before
}

/// For each value, the one after it on the least concave majorant of the distribution from it on.
fn concave_majorant(x: &[f64]) -> Vec<usize> {
    let end = x.len() - 1;
    let mut after = vec![end; x.len()];
    for index in (0..end).rev() {
        after[index] = index + 1;
        loop {
            let next = after[index];
            let later = after[next];
            let (run, rise) = (x[next] - x[index], (next - index) as f64);
            if next == end || run * ((later - next) as f64) < (x[later] - x[next]) * rise {
                break;
            }
            after[index] = later;
        }
    }
    after
}

/// From one value to another by the links of a minorant or a majorant.
fn chain(from: usize, to: usize, links: &[usize]) -> Vec<usize> {
    let mut found = vec![from];
    while let Some(&last) = found.last()
        && last != to
    {
        found.push(links[last]);
    }
    found
}

/// The widest distance between minorant and majorant, in steps of the distribution, and where it lies in each.
fn widest(x: &[f64], gcm: &[usize], lcm: &[usize]) -> (f64, usize, usize) {
    if gcm.len() == 2 && lcm.len() == 2 {
        return (1.0, 1, 1);
    }
    let (mut distance, mut at) = (0.0, (gcm.len() - 1, lcm.len() - 1));
    let (mut left, mut right) = (gcm.len() - 2, 1);
    loop {
        let (on_gcm, on_lcm) = (gcm[left], lcm[right]);
        let found = if on_gcm > on_lcm {
            let before = gcm[left + 1];
            let slope = (on_gcm - before) as f64 / (x[on_gcm] - x[before]);
            right += 1;
            ((on_lcm + 1 - before) as f64 - (x[on_lcm] - x[before]) * slope, (left + 1, right - 1))
        } else {
            let before = lcm[right - 1];
            let slope = (on_lcm - before) as f64 / (x[on_lcm] - x[before]);
            let (height, place) = ((x[on_gcm] - x[before]) * slope, (left, right));
            left = left.saturating_sub(1);
            (height - (on_gcm as f64 - before as f64 - 1.0), place)
        };
        if found.0 >= distance {
            (distance, at) = found;
        }
        right = right.min(lcm.len() - 1);
        if gcm[left] == lcm[right] {
            return (distance, at.0, at.1);
        }
    }
}

/// How far the distribution rises above the chord between two of its values, in steps; at least one.
fn above_chord(x: &[f64], from: usize, to: usize) -> f64 {
    along_chord(x, from, to, |steps, chord| steps + 1.0 - chord)
}

/// How far it falls below it, before the step of each value.
fn below_chord(x: &[f64], from: usize, to: usize) -> f64 {
    along_chord(x, from, to, |steps, chord| chord - (steps - 1.0))
}

fn along_chord(x: &[f64], from: usize, to: usize, distance: impl Fn(f64, f64) -> f64) -> f64 {
    if to - from <= 1 || x[to] == x[from] {
        return 1.0;
    }
    let slope = (to - from) as f64 / (x[to] - x[from]);
    (from..=to).map(|index| distance((index - from) as f64, (x[index] - x[from]) * slope)).fold(1.0, f64::max)
}

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;

    fn sorted(mut values: Vec<f64>) -> Vec<f64> {
        values.sort_by(f64::total_cmp);
        values
    }

    /// How many of 1000 samples are said to be multimodal.
    fn said_of_a_thousand(size: usize, mut draw: impl FnMut(&mut sojourn_core::Stream) -> f64) -> usize {
        let mut said = |replication| {
            let mut stream = Streams::new(1, replication).stream("dip");
            is_multimodal(&sorted((0..size).map(|_| draw(&mut stream)).collect()))
        };
        (0..1000).filter(|&replication| said(replication)).count()
    }

    fn exponential(stream: &mut sojourn_core::Stream) -> f64 {
        -libm::log(stream.unit())
    }

    #[test]
    fn the_dip_is_that_of_the_published_algorithm() {
        // by the R package diptest, through its port to Python (0.12)
        let is = |values: &[f64], published: f64| (dip(values) - published).abs() < 1e-15;
        assert!(is(&[1.0, 2.0, 3.0, 10.0, 11.0, 12.0], 7.0 / 36.0));
        assert!(is(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 1.0 / 12.0));
        assert!(is(&[3.0; 8], 1.0 / 16.0));
    }

    #[test]
    fn of_a_thousand_samples_of_one_population_about_ten_uniform_ones_at_most_are_said_to_be_of_two() {
        for size in [6, 10, 20, 40] {
            let uniform = said_of_a_thousand(size, sojourn_core::Stream::unit);
            assert!((2..=20).contains(&uniform), "{uniform} of uniform samples of {size}");
            let skewed = said_of_a_thousand(size, exponential);
            assert!(skewed <= 10, "{skewed} of exponential samples of {size}");
            let heavy = said_of_a_thousand(size, |stream| libm::exp(2.0 * exponential(stream)));
            assert!(heavy <= 10, "{heavy} of heavy-tailed samples of {size}");
        }
    }

    #[test]
    fn two_populations_of_which_one_has_a_third_are_distinguished_by_forty_values() {
        let two = |stream: &mut sojourn_core::Stream| {
            let place = if stream.unit() < 1.0 / 3.0 { 8.0 } else { 1.0 };
            place * (1.0 + 0.2 * stream.unit())
        };
        let said = said_of_a_thousand(40, two);
        assert!(said >= 950, "{said}");
    }
}
