//! Closed forms, failures, gateways and bounds of Modbus networks.

mod arithmetic;
mod bounds;
mod failures;
mod gateways;
mod support;
