//! Closed forms, failures, gateways, bounds and captures of Modbus networks.

mod arithmetic;
mod bounds;
mod captures;
mod failures;
mod gateways;
mod notes;
mod support;
