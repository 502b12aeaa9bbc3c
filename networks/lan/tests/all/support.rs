//! From the text of a scenario to what one replication of it observes.

#[allow(unused_imports, reason = "not every network asks for all of it")]
pub use sojourn_model::testing::*;

sojourn_model::functions_of_tests!(sojourn_lan::NETWORKS);
