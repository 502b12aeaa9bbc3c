//! Requests and responses as values.

use std::fmt;

use super::error::{EmitError, PduError};
use super::function::{EXCEPTION_BIT, Function, Table, packed};
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

/// Why a server refuses a request (Application Protocol V1.1b3, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExceptionCode(pub u8);

impl ExceptionCode {
    /// The server does not know the function.
    pub const ILLEGAL_FUNCTION: ExceptionCode = ExceptionCode(1);
    /// The server has no such address.
    pub const ILLEGAL_DATA_ADDRESS: ExceptionCode = ExceptionCode(2);
    /// A value or count is not allowed.
    pub const ILLEGAL_DATA_VALUE: ExceptionCode = ExceptionCode(3);
    /// The server failed while it carried out the request.
    pub const SERVER_DEVICE_FAILURE: ExceptionCode = ExceptionCode(4);
    /// The request takes long, and the client asks again later.
    pub const ACKNOWLEDGE: ExceptionCode = ExceptionCode(5);
    /// The server is busy with a long command.
    pub const SERVER_DEVICE_BUSY: ExceptionCode = ExceptionCode(6);
    /// The memory of the server has a parity error.
    pub const MEMORY_PARITY_ERROR: ExceptionCode = ExceptionCode(8);
    /// A gateway has no path to the server.
    pub const GATEWAY_PATH_UNAVAILABLE: ExceptionCode = ExceptionCode(10);
    /// The server behind a gateway did not respond.
    pub const GATEWAY_TARGET_FAILED: ExceptionCode = ExceptionCode(11);
}

impl fmt::Display for ExceptionCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match *self {
            ExceptionCode::ILLEGAL_FUNCTION => "illegal function",
            ExceptionCode::ILLEGAL_DATA_ADDRESS => "illegal data address",
            ExceptionCode::ILLEGAL_DATA_VALUE => "illegal data value",
            ExceptionCode::SERVER_DEVICE_FAILURE => "server device failure",
            ExceptionCode::ACKNOWLEDGE => "acknowledge",
            ExceptionCode::SERVER_DEVICE_BUSY => "server device busy",
            ExceptionCode::MEMORY_PARITY_ERROR => "memory parity error",
            ExceptionCode::GATEWAY_PATH_UNAVAILABLE => "gateway path unavailable",
            ExceptionCode::GATEWAY_TARGET_FAILED => "gateway target device failed to respond",
            ExceptionCode(code) => return write!(f, "exception {code}"),
        };
        f.write_str(name)
    }
}

/// Rejects a count outside 1 to `most`.
fn counted(function: Function, count: usize, most: u16) -> Result<u16, PduError> {
    match u16::try_from(count) {
        Ok(within) if (1..=most).contains(&within) => Ok(within),
        _ => Err(PduError::Count { function: function.code(), count, most }),
    }
}

/// Rejects addresses above 65 535.
fn addressed(address: u16, count: u16) -> Result<(), PduError> {
    let is_within = u32::from(address) + u32::from(count) <= 0x1_0000;
    if is_within { Ok(()) } else { Err(PduError::Address { address, count }) }
}

const COIL_ON: u16 = 0xff00;

fn coil(value: u16) -> Result<bool, PduError> {
    match value {
        COIL_ON => Ok(true),
        0 => Ok(false),
        other => Err(PduError::Coil(other)),
    }
}

fn coil_value(on: bool) -> u16 {
    if on { COIL_ON } else { 0 }
}

/// The data behind a count of octets, which must be `needed`.
fn data<'a>(reader: &mut Reader<'a>, needed: usize) -> Result<&'a [u8], PduError> {
    let given = usize::from(reader.byte("count of octets")?);
    if given != needed {
        return Err(PduError::Octets { given, needed });
    }
    Ok(reader.take(needed, "data")?)
}

fn registers(octets: &[u8]) -> Vec<u16> {
    octets.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}

/// The first `count` bits of packed octets.
pub fn unpack(octets: &[u8], count: u16) -> Vec<bool> {
    let bits = octets.iter().flat_map(|octet| (0..8).map(move |bit| octet >> bit & 1 != 0));
    bits.take(usize::from(count)).collect()
}

/// Bits as packed octets.
pub fn pack(values: &[bool]) -> Vec<u8> {
    let octet = |bits: &[bool]| bits.iter().rev().fold(0, |octet, &bit| octet << 1 | u8::from(bit));
    values.chunks(8).map(octet).collect()
}

/// Appends fields to a PDU.
struct Fields<'a>(&'a mut Vec<u8>);

impl Fields<'_> {
    fn words(&mut self, values: &[u16]) {
        values.iter().for_each(|value| self.0.extend_from_slice(&value.to_be_bytes()));
    }

    /// The count of octets, which fits as counts of values are limited, and the octets.
    fn data(&mut self, octets: &[u8]) {
        self.0.push(octets.len() as u8);
        self.0.extend_from_slice(octets);
    }

    fn registers(&mut self, values: &[u16]) {
        self.0.push((2 * values.len()) as u8);
        self.words(values);
    }
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
                let written = self::counted(function, values.len(), Function::MOST_READ_WRITTEN)?;
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
