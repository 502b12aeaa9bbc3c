//! Dialogues of Modbus clients and servers on a hand clock.

mod client;
mod server;
mod together;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::modbus::machine::*;
use sojourn_protocols::modbus::{Request, Response, Table};

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

fn read(count: u16) -> Request {
    Request::Read { table: Table::HoldingRegisters, address: 0, count }
}

fn values(count: usize) -> Response {
    Response::Registers { table: Table::HoldingRegisters, values: vec![7; count] }
}

fn order(unit: u8, retries: u8) -> Order<Request> {
    Order { timeout: Duration::from_millis(100), retries, ..Order::new(unit, read(1)) }
}

fn outputs<M: Machine>(machine: &mut M) -> Vec<M::Output> {
    std::iter::from_fn(|| machine.poll_output()).collect()
}
