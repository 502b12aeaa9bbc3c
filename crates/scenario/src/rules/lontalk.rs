//! What must hold between the keys of a lontalk scenario.

use crate::{Problems, Scenario};

/// Adds what does not hold.
pub fn check(_scenario: &Scenario, _problems: &mut Problems) {}
