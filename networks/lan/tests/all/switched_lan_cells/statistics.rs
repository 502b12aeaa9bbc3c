//! Estimates with their standard errors.

/// A mean of independent samples (batches, repetitions).
#[derive(Clone, Debug, Default)]
pub struct Mean {
    samples: Vec<f64>,
}

impl Mean {
    pub fn add(&mut self, sample: f64) {
        self.samples.push(sample);
    }

    pub fn mean(&self) -> f64 {
        self.samples.iter().sum::<f64>() / self.samples.len() as f64
    }

    fn standard_error(&self) -> f64 {
        let (mean, count) = (self.mean(), self.samples.len() as f64);
        let squares: f64 = self.samples.iter().map(|sample| (sample - mean) * (sample - mean)).sum();
        (squares / (count - 1.0) / count).sqrt()
    }

    /// Panics unless `expected` is within three standard errors.
    pub fn agrees_with(&self, expected: f64, what: &str) {
        let (mean, error) = (self.mean(), self.standard_error());
        assert!((mean - expected).abs() <= 3.0 * error, "{what}: {mean} +- {error}, expected {expected}");
        assert!(error < 0.2 * expected, "{what}: {mean} +- {error} says nothing of {expected}");
    }
}
