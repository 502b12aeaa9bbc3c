//! A Modbus server for tests, whose registers hold their own addresses: on TCP for several clients, or on a serial line.

mod serial_line;
mod tcp;

use std::net::TcpListener;

use sojourn_core::Duration;
use sojourn_protocols::modbus::machine::Memory;
use sojourn_protocols::modbus::tcp::PORT;
use sojourn_scenario::{Problem, Problems};

use self::serial_line::LineServer;
use self::tcp::Connections;
use super::{USUAL, query, silence};
use crate::io::line::Line;
use crate::io::listen_error::listen_error;
use crate::progress::report::Report;
use crate::target::Target;
use crate::target::options::Options;
use crate::transport::{Listening, Measure, Measured};
use crate::transports::serial_url::{SerialLine, unopened};

/// Values in each table.
const SIZE: u32 = 0x1_0000;

/// Listens at the URL's address; the closure serves until it is cancelled.
pub fn over_tcp(target: &Target, listening: Listening) -> Result<Measure, Problems> {
    let (address, rest) = target.socket_address_and_rest(Some(PORT))?;
    let mut options = Options::of(target, query(target, rest)?);
    let unit = options.number("unit", 0..=255)?.map(|unit| unit as u8);
    let memory = memory(&mut options, unit)?;
    options.finish()?;
    let refused = |fault: std::io::Error| listen_error(target, "TCP", address, &fault);
    let socket = TcpListener::bind(address).map_err(refused)?;
    socket.set_nonblocking(true).map_err(refused)?;
    let here = socket.local_addr().map_err(refused)?;
    Ok(Box::new(move |watch, _frames| {
        watch.begin("serving", "1", 0);
        watch.report(Report::of_listener(here.to_string()));
        let mut connections = Connections::new(socket, memory);
        connections.serve(&listening, watch);
        let (requests, clients) = (connections.requests(), connections.served());
        watch.report(Report::note(format!("{here}: {requests} requests answered, {clients} connections served")));
        Measured::default()
    }))
}

/// Opens the URL's device; the closure serves until it is cancelled.
pub fn over_serial_line(target: &Target, listening: Listening) -> Result<Measure, Problems> {
    let (line, mut options) = SerialLine::of(target, USUAL)?;
    let unit = options.number("unit", 1..=247)?.unwrap_or(1) as u8;
    let memory = memory(&mut options, Some(unit))?;
    options.finish()?;
    let place = line.place();
    let file = place.open().map_err(|fault| unopened(target, &line.name(), fault))?;
    let t35 = silence(&line.settings).t35;
    Ok(Box::new(move |watch, frames| {
        watch.begin("serving", "1", 0);
        watch.report(Report::of_listener(line.name()));
        let mut server = LineServer::new(Line::new(place, file), t35, memory);
        server.serve(&listening, watch, frames);
        let (requests, damaged) = (server.requests(), server.damaged());
        watch.report(Report::note(format!("{}: {requests} requests answered, {damaged} damaged", line.name())));
        Measured { warnings: line.latency_note().into_iter().collect(), ..Measured::default() }
    }))
}

/// The device: each register holds its address, and each bit whether that is odd.
fn memory(options: &mut Options<'_>, unit: Option<u8>) -> Result<Memory, Problem> {
    let size = options.number("size", 1..=SIZE)?.unwrap_or(SIZE) as usize;
    let delay = options.number("delay", 0..=60_000)?.unwrap_or(0);
    let registers: Vec<u16> = (0..=u16::MAX).take(size).collect();
    let bits: Vec<bool> = (0..size).map(|address| address % 2 == 1).collect();
    Ok(Memory {
        delay: Duration::from_millis(delay.into()),
        coils: bits.clone(),
        discrete_inputs: bits,
        holding_registers: registers.clone(),
        input_registers: registers,
        ..Memory::new(unit, 0)
    })
}
