//! Checks counts that a quantity could write with a fraction.

use crate::{Problem, Scenario, Table};

/// Adds each of a table's keys that is not a whole number of what it counts (octets, cells, packets).
pub fn whole(scenario: &Scenario, table: &Table, keys: &[&str], found: &mut Vec<Problem>) {
    for key in keys {
        if table.optional_number(key).is_some_and(|octets| octets.fract() != 0.0) {
            found.push(scenario.problem(table, key, format!("`{key}` is not a whole number"), None));
        }
    }
}
