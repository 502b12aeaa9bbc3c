//! A measure of a capture compared with the same measure of its twin.

/// A measure of a stream, or of the messages of an identifier.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Differing {
    /// That of the capture.
    pub captured: f64,
    /// That of the simulation.
    pub simulated: f64,
    /// How far they differ, in tolerances.
    pub tolerances: f64,
}

impl Differing {
    pub(super) fn of(captured: f64, simulated: f64, tolerance: f64) -> Differing {
        let difference = libm::fabs(simulated - captured);
        let tolerances = if difference == 0.0 { 0.0 } else { difference / tolerance };
        Differing { captured, simulated, tolerances }
    }

    /// The one that differs more.
    pub(super) fn larger(self, other: Differing) -> Differing {
        if other.tolerances > self.tolerances || self.captured == 0.0 && self.simulated == 0.0 { other } else { self }
    }

    /// Whether they are alike.
    pub fn is_alike(&self) -> bool {
        self.tolerances <= 1.0 + 1e-9
    }
}
