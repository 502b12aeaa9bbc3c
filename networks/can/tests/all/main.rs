//! Scenarios of CAN networks against what is known of them by other means.

mod can_blind;
mod can_bounds;
mod can_errors;
mod can_identifiers;
mod can_offsets;
mod can_over_ip;
mod can_polls;
mod can_queues;
mod can_scenarios;
mod can_services;
mod support;
