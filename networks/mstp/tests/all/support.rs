//! From the text of a scenario to what one replication of it observes.

#[allow(unused_imports, reason = "not every network asks for all of it")]
pub use sojourn_model::testing::*;

sojourn_model::test_functions!(sojourn_mstp::NETWORKS);
