//! Requests as values.

use super::error::{EmitError, PduError};
use super::function::{Function, Table, packed};
use super::response::Response;
use super::values::{Fields, addressed, coil, coil_value, counted, data, pack, registers, unpack};
use crate::cursor::Reader;

/// What a client asks of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Functions 1 to 4.
    Read {
        /// What is read.
        table: Table,
        /// The first bit or register, from 0.
        address: u16,
        /// How many: up to 2000 bits or 125 registers.
        count: u16,
    },
    /// Function 5.
    WriteCoil {
        /// The coil.
        address: u16,
        /// Its value.
        on: bool,
    },
    /// Function 6.
    WriteRegister {
        /// The register.
        address: u16,
        /// Its value.
        value: u16,
    },
    /// Function 15.
    WriteCoils {
        /// The first coil.
        address: u16,
        /// Up to 1968 values.
        values: Vec<bool>,
    },
    /// Function 16.
    WriteRegisters {
        /// The first register.
        address: u16,
        /// Up to 123 values.
        values: Vec<u16>,
    },
    /// Function 22: the register becomes (value AND `and`) OR (`or` AND NOT `and`).
    MaskWrite {
        /// The register.
        address: u16,
        /// Bits that keep their values.
        and: u16,
        /// Values of the others.
        or: u16,
    },
    /// Function 23: writes, then reads.
    ReadWrite {
        /// The first register that is read.
        read_address: u16,
        /// How many are read: up to 125.
        read_count: u16,
        /// The first register that is written.
        write_address: u16,
        /// Up to 121 values.
        values: Vec<u16>,
    },
}

impl Request {
    /// Its function.
    pub const fn function(&self) -> Function {
        match self {
            Request::Read { table, .. } => table.read(),
            Request::WriteCoil { .. } => Function::WriteSingleCoil,
            Request::WriteRegister { .. } => Function::WriteSingleRegister,
            Request::WriteCoils { .. } => Function::WriteMultipleCoils,
            Request::WriteRegisters { .. } => Function::WriteMultipleRegisters,
            Request::MaskWrite { .. } => Function::MaskWriteRegister,
            Request::ReadWrite { .. } => Function::ReadWriteMultipleRegisters,
        }
    }

    /// Rejects counts and addresses that no request has.
    fn check(&self) -> Result<(), PduError> {
        let function = self.function();
        let counted = |count: usize| counted(function, count, function.most());
        match self {
            Request::Read { address, count, .. } => addressed(*address, counted(usize::from(*count))?),
            Request::WriteCoils { address, values } => addressed(*address, counted(values.len())?),
            Request::WriteRegisters { address, values } => addressed(*address, counted(values.len())?),
            Request::ReadWrite { read_address, read_count, write_address, values } => {
                addressed(*read_address, counted(usize::from(*read_count))?)?;
                let written = super::values::counted(function, values.len(), Function::MOST_READ_WRITTEN)?;
                addressed(*write_address, written)
            }
            Request::WriteCoil { .. } | Request::WriteRegister { .. } | Request::MaskWrite { .. } => Ok(()),
        }
    }

    /// Appends its PDU.
    pub fn emit(&self, bytes: &mut Vec<u8>) -> Result<(), EmitError> {
        self.check()?;
        bytes.push(self.function().code());
        let mut fields = Fields(bytes);
        match self {
            Request::Read { address, count, .. } => fields.words(&[*address, *count]),
            Request::WriteCoil { address, on } => fields.words(&[*address, coil_value(*on)]),
            Request::WriteRegister { address, value } => fields.words(&[*address, *value]),
            Request::WriteCoils { address, values } => {
                fields.words(&[*address, values.len() as u16]);
                fields.data(&pack(values));
            }
            Request::WriteRegisters { address, values } => {
                fields.words(&[*address, values.len() as u16]);
                fields.registers(values);
            }
            Request::MaskWrite { address, and, or } => fields.words(&[*address, *and, *or]),
            Request::ReadWrite { read_address, read_count, write_address, values } => {
                fields.words(&[*read_address, *read_count, *write_address, values.len() as u16]);
                fields.registers(values);
            }
        }
        Ok(())
    }

    /// Its PDU.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let mut bytes = Vec::new();
        self.emit(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads the PDU of a request.
    pub fn parse(pdu: &[u8]) -> Result<Request, PduError> {
        let mut reader = Reader(pdu);
        let code = reader.byte("function")?;
        let function = Function::of(code).ok_or(PduError::Function(code))?;
        let address = reader.u16("address")?;
        let second = reader.u16("count or value")?;
        let request = match function {
            Function::WriteSingleCoil => Request::WriteCoil { address, on: coil(second)? },
            Function::WriteSingleRegister => Request::WriteRegister { address, value: second },
            Function::WriteMultipleCoils => {
                let count = counted(function, second.into(), function.most())?;
                Request::WriteCoils { address, values: unpack(data(&mut reader, packed(count.into()))?, count) }
            }
            Function::WriteMultipleRegisters => {
                let count = counted(function, second.into(), function.most())?;
                Request::WriteRegisters { address, values: registers(data(&mut reader, 2 * usize::from(count))?) }
            }
            Function::MaskWriteRegister => Request::MaskWrite { address, and: second, or: reader.u16("OR mask")? },
            Function::ReadWriteMultipleRegisters => {
                let write_address = reader.u16("write address")?;
                let written = usize::from(reader.u16("write count")?);
                let written = counted(function, written, Function::MOST_READ_WRITTEN)?;
                let values = registers(data(&mut reader, 2 * usize::from(written))?);
                Request::ReadWrite { read_address: address, read_count: second, write_address, values }
            }
            Function::ReadCoils => Request::Read { table: Table::Coils, address, count: second },
            Function::ReadDiscreteInputs => Request::Read { table: Table::DiscreteInputs, address, count: second },
            Function::ReadHoldingRegisters => Request::Read { table: Table::HoldingRegisters, address, count: second },
            Function::ReadInputRegisters => Request::Read { table: Table::InputRegisters, address, count: second },
        };
        reader.end()?;
        request.check()?;
        Ok(request)
    }

    /// Whether a response may be the one to this request: of its function, and as long as it asked for.
    pub fn accepts(&self, response: &Response) -> bool {
        if response.function() != self.function().code() {
            return false;
        }
        match (self, response) {
            (Request::Read { count, .. }, Response::Bits { octets, .. }) => octets.len() == packed(usize::from(*count)),
            (Request::Read { count, .. }, Response::Registers { values, .. })
            | (Request::ReadWrite { read_count: count, .. }, Response::ReadWrote { values }) => {
                values.len() == usize::from(*count)
            }
            _ => true,
        }
    }
}
