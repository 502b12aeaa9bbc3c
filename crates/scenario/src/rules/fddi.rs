//! What must hold between the keys of an FDDI scenario.

use crate::{Problem, Problems, Scenario};

/// Adds what does not hold.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    let found: Vec<Problem> = Vec::new();
    let _ = scenario;
    problems.0.extend(found);
}
