//! Times from one frame to the end of the next, by how long that is.

use std::collections::BTreeMap;

use sojourn_capture::arrivals::Reservoir;

/// Lengths that are kept apart; frames of further ones are left out.
const LENGTHS: usize = 16;
/// Times kept of each as a sample of all.
const SAMPLE: usize = 256;
/// Bits of a character.
const CHARACTER_BITS: f64 = 10.0;

/// The time of a character at a bit rate, s.
pub(super) fn character(bit_rate: u64) -> f64 {
    CHARACTER_BITS / bit_rate as f64
}

/// A sample of such times.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps {
    /// By octets of the frame that ends them, s.
    pub by_octets: BTreeMap<usize, Reservoir>,
}

impl Gaps {
    /// Takes the time to the end of a frame.
    pub fn add(&mut self, octets: usize, gap: f64) {
        if self.by_octets.len() < LENGTHS || self.by_octets.contains_key(&octets) {
            self.by_octets.entry(octets).or_insert_with(|| Reservoir::new(SAMPLE)).push(gap);
        }
    }

    /// Adds those of another station.
    pub fn merge(&mut self, other: &Gaps) {
        for (octets, gaps) in &other.by_octets {
            if self.by_octets.len() < LENGTHS || self.by_octets.contains_key(octets) {
                self.by_octets.entry(*octets).or_insert_with(|| Reservoir::new(SAMPLE)).merge(gaps);
            }
        }
    }

    /// How many.
    pub fn seen(&self) -> u64 {
        self.by_octets.values().map(Reservoir::seen).sum()
    }

    /// The times to the first character of those frames, ascending, s.
    pub fn latencies(&self, bit_rate: u64) -> Vec<f64> {
        let less = |(octets, gaps): (&usize, &Reservoir)| -> Vec<f64> {
            let on_trunk = *octets as f64 * character(bit_rate);
            gaps.values().iter().map(|gap| (gap - on_trunk).max(0.0)).collect()
        };
        let mut all: Vec<f64> = self.by_octets.iter().flat_map(less).collect();
        all.sort_by(f64::total_cmp);
        all
    }
}
