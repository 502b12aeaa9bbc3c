//! Monotone regression.

/// The nearest values that never fall, by least squares with weights: pool adjacent violators (Barlow et al. 1972).
pub fn isotonic(values: impl Iterator<Item = (f64, f64)>) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (value, weight) in values {
        pools.push((value, weight, 1));
        while let [.., (low, _, _), (high, _, _)] = pools[..]
            && low > high
        {
            let (upper, lower) = (pools.pop().expect("two pools"), pools.pop().expect("two pools"));
            let weight = lower.1 + upper.1;
            pools.push(((lower.0 * lower.1 + upper.0 * upper.1) / weight, weight, lower.2 + upper.2));
        }
    }
    pools.into_iter().flat_map(|(value, _, steps)| std::iter::repeat_n(value, steps)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_isotonic_fit_pools_what_falls() {
        let fitted = isotonic([(1.0, 1.0), (3.0, 1.0), (2.0, 3.0), (4.0, 1.0)].into_iter());
        assert_eq!(fitted, [1.0, 2.25, 2.25, 4.0]);
    }
}
