//! From the text of a scenario to what one replication of it observes.

pub use sojourn_model::testing::event;

sojourn_model::test_functions!(sojourn_catalogue::NETWORKS);
