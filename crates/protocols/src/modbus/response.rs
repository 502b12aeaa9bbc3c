//! Responses as values.

use super::error::{EmitError, PduError};
use super::exception::ExceptionCode;
use super::function::{EXCEPTION_BIT, Function, Table, packed};
use super::values::{Fields, coil, coil_value, counted, registers};
use crate::cursor::Reader;

/// What a server answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// Bits of functions 1 and 2, eight in an octet, the first in the lowest bit; the last octet is filled with zeros.
    Bits {
        /// Where they are from.
        table: Table,
        /// The octets.
        octets: Vec<u8>,
    },
    /// Registers of functions 3 and 4.
    Registers {
        /// Where they are from.
        table: Table,
        /// Their values.
        values: Vec<u16>,
    },
    /// Function 5: the request again.
    WroteCoil {
        /// The coil.
        address: u16,
        /// Its value.
        on: bool,
    },
    /// Function 6: the request again.
    WroteRegister {
        /// The register.
        address: u16,
        /// Its value.
        value: u16,
    },
    /// Function 15.
    WroteCoils {
        /// The first coil.
        address: u16,
        /// How many.
        count: u16,
    },
    /// Function 16.
    WroteRegisters {
        /// The first register.
        address: u16,
        /// How many.
        count: u16,
    },
    /// Function 22: the request again.
    MaskWrote {
        /// The register.
        address: u16,
        /// Bits that kept their values.
        and: u16,
        /// Values of the others.
        or: u16,
    },
    /// Registers of function 23.
    ReadWrote {
        /// Their values.
        values: Vec<u16>,
    },
    /// The server did not do what was asked.
    Exception {
        /// The code of the request's function.
        function: u8,
        /// Why.
        code: ExceptionCode,
    },
}

impl Response {
    /// The code of its function; of an exception, of the request's function.
    pub const fn function(&self) -> u8 {
        match self {
            Response::Bits { table, .. } | Response::Registers { table, .. } => table.read().code(),
            Response::WroteCoil { .. } => Function::WriteSingleCoil.code(),
            Response::WroteRegister { .. } => Function::WriteSingleRegister.code(),
            Response::WroteCoils { .. } => Function::WriteMultipleCoils.code(),
            Response::WroteRegisters { .. } => Function::WriteMultipleRegisters.code(),
            Response::MaskWrote { .. } => Function::MaskWriteRegister.code(),
            Response::ReadWrote { .. } => Function::ReadWriteMultipleRegisters.code(),
            Response::Exception { function, .. } => *function,
        }
    }

    /// Rejects counts that no response has.
    fn check(&self) -> Result<(), PduError> {
        let of = |table: &Table, count: usize, of_bits: bool| {
            // a table's bits come in a response of bits alone
            let function = table.read();
            let most = if of_bits { packed(usize::from(function.most())) as u16 } else { function.most() };
            if table.is_of_bits() == of_bits {
                counted(function, count, most)
            } else {
                Err(PduError::Function(function.code()))
            }
        };
        match self {
            Response::Bits { table, octets } => of(table, octets.len(), true).map(drop),
            Response::Registers { table, values } => of(table, values.len(), false).map(drop),
            Response::ReadWrote { values } => {
                let function = Function::ReadWriteMultipleRegisters;
                counted(function, values.len(), function.most()).map(drop)
            }
            Response::Exception { function, .. } if function & EXCEPTION_BIT != 0 => Err(PduError::Function(*function)),
            _ => Ok(()),
        }
    }

    /// Appends its PDU.
    pub fn emit(&self, bytes: &mut Vec<u8>) -> Result<(), EmitError> {
        self.check()?;
        let exception = if matches!(self, Response::Exception { .. }) { EXCEPTION_BIT } else { 0 };
        bytes.push(self.function() | exception);
        let mut fields = Fields(bytes);
        match self {
            Response::Bits { octets, .. } => fields.data(octets),
            Response::Registers { values, .. } | Response::ReadWrote { values } => fields.registers(values),
            Response::WroteCoil { address, on } => fields.words(&[*address, coil_value(*on)]),
            Response::WroteRegister { address, value: second }
            | Response::WroteCoils { address, count: second }
            | Response::WroteRegisters { address, count: second } => fields.words(&[*address, *second]),
            Response::MaskWrote { address, and, or } => fields.words(&[*address, *and, *or]),
            Response::Exception { code, .. } => bytes.push(code.0),
        }
        Ok(())
    }

    /// Its PDU.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let mut bytes = Vec::new();
        self.emit(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads the PDU of a response.
    pub fn parse(pdu: &[u8]) -> Result<Response, PduError> {
        let mut reader = Reader(pdu);
        let code = reader.byte("function")?;
        let response = if code & EXCEPTION_BIT != 0 {
            Response::Exception { function: code & !EXCEPTION_BIT, code: ExceptionCode(reader.byte("exception code")?) }
        } else {
            let function = Function::of(code).ok_or(PduError::Function(code))?;
            Response::of(function, &mut reader)?
        };
        reader.end()?;
        response.check()?;
        Ok(response)
    }

    /// Reads what follows the function.
    fn of(function: Function, reader: &mut Reader<'_>) -> Result<Response, PduError> {
        let bits = |table: Table, reader: &mut Reader<'_>| {
            let octets = usize::from(reader.byte("count of octets")?);
            Ok(Response::Bits { table, octets: reader.take(octets, "data")?.to_vec() })
        };
        let words = |reader: &mut Reader<'_>| -> Result<Vec<u16>, PduError> {
            let given = usize::from(reader.byte("count of octets")?);
            if given % 2 != 0 {
                return Err(PduError::Octets { given, needed: given + 1 });
            }
            Ok(registers(reader.take(given, "data")?))
        };
        match function {
            Function::ReadCoils => return bits(Table::Coils, reader),
            Function::ReadDiscreteInputs => return bits(Table::DiscreteInputs, reader),
            Function::ReadHoldingRegisters => {
                return Ok(Response::Registers { table: Table::HoldingRegisters, values: words(reader)? });
            }
            Function::ReadInputRegisters => {
                return Ok(Response::Registers { table: Table::InputRegisters, values: words(reader)? });
            }
            Function::ReadWriteMultipleRegisters => return Ok(Response::ReadWrote { values: words(reader)? }),
            _ => {}
        }
        let (address, second) = (reader.u16("address")?, reader.u16("count or value")?);
        Ok(match function {
            Function::WriteSingleCoil => Response::WroteCoil { address, on: coil(second)? },
            Function::WriteSingleRegister => Response::WroteRegister { address, value: second },
            Function::WriteMultipleCoils => Response::WroteCoils { address, count: second },
            Function::WriteMultipleRegisters => Response::WroteRegisters { address, count: second },
            _ => Response::MaskWrote { address, and: second, or: reader.u16("OR mask")? },
        })
    }
}
