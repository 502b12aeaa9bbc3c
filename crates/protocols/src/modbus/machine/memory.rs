//! A device that is its four tables.

use sojourn_core::{Duration, Time};

use super::Device;
use crate::modbus::{EXCEPTION_BIT, ExceptionCode, Request, Response, Table, pack};

/// Four tables of values, which requests read and write; a PDU that is none is answered by the exception that it deserves.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The unit that it answers; `None`: every one. It obeys broadcasts too.
    pub unit: Option<u8>,
    /// From the end of a request to the start of its response.
    pub delay: Duration,
    /// Coils, from address 0.
    pub coils: Vec<bool>,
    /// Discrete inputs.
    pub discrete_inputs: Vec<bool>,
    /// Holding registers.
    pub holding_registers: Vec<u16>,
    /// Input registers.
    pub input_registers: Vec<u16>,
}

/// The values from an address on, or exception 2.
fn part<T>(values: &[T], address: u16, count: usize) -> Result<&[T], ExceptionCode> {
    let first = usize::from(address);
    values.get(first..first + count).ok_or(ExceptionCode::ILLEGAL_DATA_ADDRESS)
}

fn store<T: Copy>(values: &mut [T], address: u16, new: &[T]) -> Result<(), ExceptionCode> {
    let first = usize::from(address);
    let part = values.get_mut(first..first + new.len()).ok_or(ExceptionCode::ILLEGAL_DATA_ADDRESS)?;
    part.copy_from_slice(new);
    Ok(())
}

impl Memory {
    /// A device with `size` values in each table, all zero.
    pub fn new(unit: Option<u8>, size: usize) -> Memory {
        let (bits, registers) = (vec![false; size], vec![0; size]);
        Memory {
            unit,
            delay: Duration::ZERO,
            coils: bits.clone(),
            discrete_inputs: bits,
            holding_registers: registers.clone(),
            input_registers: registers,
        }
    }

    /// Carries out a request.
    pub fn apply(&mut self, request: &Request) -> Result<Response, ExceptionCode> {
        Ok(match *request {
            Request::Read { table, address, count } => self.read(table, address, count.into())?,
            Request::WriteCoil { address, on } => {
                store(&mut self.coils, address, &[on])?;
                Response::WroteCoil { address, on }
            }
            Request::WriteRegister { address, value } => {
                store(&mut self.holding_registers, address, &[value])?;
                Response::WroteRegister { address, value }
            }
            Request::WriteCoils { address, ref values } => {
                store(&mut self.coils, address, values)?;
                Response::WroteCoils { address, count: values.len() as u16 }
            }
            Request::WriteRegisters { address, ref values } => {
                store(&mut self.holding_registers, address, values)?;
                Response::WroteRegisters { address, count: values.len() as u16 }
            }
            Request::MaskWrite { address, and, or } => {
                let old = part(&self.holding_registers, address, 1)?[0];
                store(&mut self.holding_registers, address, &[old & and | or & !and])?;
                Response::MaskWrote { address, and, or }
            }
            Request::ReadWrite { read_address, read_count, write_address, ref values } => {
                part(&self.holding_registers, read_address, read_count.into())?;
                store(&mut self.holding_registers, write_address, values)?;
                let values = part(&self.holding_registers, read_address, read_count.into())?.to_vec();
                Response::ReadWrote { values }
            }
        })
    }

    fn read(&self, table: Table, address: u16, count: usize) -> Result<Response, ExceptionCode> {
        Ok(match table {
            Table::Coils => Response::Bits { table, octets: pack(part(&self.coils, address, count)?) },
            Table::DiscreteInputs => {
                Response::Bits { table, octets: pack(part(&self.discrete_inputs, address, count)?) }
            }
            Table::HoldingRegisters => {
                Response::Registers { table, values: part(&self.holding_registers, address, count)?.to_vec() }
            }
            Table::InputRegisters => {
                Response::Registers { table, values: part(&self.input_registers, address, count)?.to_vec() }
            }
        })
    }
}

/// The PDU of an exception to the request with this PDU.
fn exception(pdu: &[u8], code: ExceptionCode) -> Vec<u8> {
    vec![pdu.first().copied().unwrap_or_default() | EXCEPTION_BIT, code.0]
}

impl Device for Memory {
    /// The octets of a PDU.
    type Request = Vec<u8>;
    /// The octets of a PDU.
    type Response = Vec<u8>;

    fn carry_out(&mut self, now: Time, unit: u8, pdu: &Vec<u8>) -> Option<(Vec<u8>, Time)> {
        if self.unit.is_some_and(|own| own != unit && unit != crate::modbus::BROADCAST) {
            return None;
        }
        let applied = Request::parse(pdu).map_err(|error| error.exception()).and_then(|request| self.apply(&request));
        let written = applied.map(|response| response.to_bytes().expect("a response as short as was asked for"));
        Some((written.unwrap_or_else(|code| exception(pdu, code)), now + self.delay))
    }

    fn busy(&self, pdu: &Vec<u8>) -> Vec<u8> {
        exception(pdu, ExceptionCode::SERVER_DEVICE_BUSY)
    }
}
