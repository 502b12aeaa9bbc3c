//! Functions, and the lengths of their PDUs.

/// A table of a server's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// Single bits, read and written.
    Coils,
    /// Single bits, read only.
    DiscreteInputs,
    /// Registers of 16 bits, read and written.
    HoldingRegisters,
    /// Registers of 16 bits, read only.
    InputRegisters,
}

impl Table {
    /// The function that reads it.
    pub const fn read(self) -> Function {
        match self {
            Table::Coils => Function::ReadCoils,
            Table::DiscreteInputs => Function::ReadDiscreteInputs,
            Table::HoldingRegisters => Function::ReadHoldingRegisters,
            Table::InputRegisters => Function::ReadInputRegisters,
        }
    }

    /// Whether it has single bits.
    pub const fn is_of_bits(self) -> bool {
        matches!(self, Table::Coils | Table::DiscreteInputs)
    }
}

/// A public function (Application Protocol V1.1b3, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Function {
    /// Reads coils.
    ReadCoils = 1,
    /// Reads discrete inputs.
    ReadDiscreteInputs = 2,
    /// Reads holding registers.
    ReadHoldingRegisters = 3,
    /// Reads input registers.
    ReadInputRegisters = 4,
    /// Writes one coil.
    WriteSingleCoil = 5,
    /// Writes one holding register.
    WriteSingleRegister = 6,
    /// Writes coils.
    WriteMultipleCoils = 15,
    /// Writes holding registers.
    WriteMultipleRegisters = 16,
    /// Changes single bits of a holding register.
    MaskWriteRegister = 22,
    /// Writes holding registers, then reads some.
    ReadWriteMultipleRegisters = 23,
}

/// Octets of `count` bits.
pub(crate) const fn packed(count: usize) -> usize {
    count.div_ceil(8)
}

impl Function {
    /// All of them, in the order of their codes.
    pub const ALL: [Function; 10] = [
        Function::ReadCoils,
        Function::ReadDiscreteInputs,
        Function::ReadHoldingRegisters,
        Function::ReadInputRegisters,
        Function::WriteSingleCoil,
        Function::WriteSingleRegister,
        Function::WriteMultipleCoils,
        Function::WriteMultipleRegisters,
        Function::MaskWriteRegister,
        Function::ReadWriteMultipleRegisters,
    ];

    /// The function of a code.
    pub fn of(code: u8) -> Option<Function> {
        Function::ALL.into_iter().find(|function| function.code() == code)
    }

    /// Its code.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Whether a server's data are the same afterwards, so that it may be sent again without harm.
    pub const fn is_read(self) -> bool {
        self.code() <= Function::ReadInputRegisters.code()
    }

    /// Whether it may be broadcast: the functions that only write.
    pub const fn is_broadcast(self) -> bool {
        !self.is_read() && !matches!(self, Function::ReadWriteMultipleRegisters)
    }

    /// The most bits or registers that one request reads, or writes where it does not read.
    pub const fn most(self) -> u16 {
        match self {
            Function::ReadCoils | Function::ReadDiscreteInputs => 2000,
            Function::ReadHoldingRegisters | Function::ReadInputRegisters | Function::ReadWriteMultipleRegisters => 125,
            Function::WriteMultipleCoils => 1968,
            Function::WriteMultipleRegisters => 123,
            Function::WriteSingleCoil | Function::WriteSingleRegister | Function::MaskWriteRegister => 1,
        }
    }

    /// The most registers that one request writes beside those that it reads.
    pub const MOST_READ_WRITTEN: u16 = 121;

    /// Octets of a request's PDU for `count` bits or registers. One that reads and writes takes the count of those that it
    /// reads, and writes `written`, which others ignore.
    pub const fn request_length(self, count: u16, written: u16) -> usize {
        match self {
            Function::WriteMultipleCoils => 6 + packed(count as usize),
            Function::WriteMultipleRegisters => 6 + 2 * count as usize,
            Function::MaskWriteRegister => 7,
            Function::ReadWriteMultipleRegisters => 10 + 2 * written as usize,
            _ => 5,
        }
    }

    /// Octets of a response's PDU to a request for `count` bits or registers.
    pub const fn response_length(self, count: u16) -> usize {
        match self {
            Function::ReadCoils | Function::ReadDiscreteInputs => 2 + packed(count as usize),
            Function::ReadHoldingRegisters | Function::ReadInputRegisters | Function::ReadWriteMultipleRegisters => {
                2 + 2 * count as usize
            }
            Function::MaskWriteRegister => 7,
            _ => 5,
        }
    }
}

/// Octets of an exception's PDU.
pub const EXCEPTION_LENGTH: usize = 2;
/// Set in the function of an exception.
pub const EXCEPTION_BIT: u8 = 0x80;

/// Octets of the request's PDU that begins like this; `None` where more of it is needed, or its function is unknown.
pub fn length_of_request(pdu: &[u8]) -> Option<usize> {
    match Function::of(*pdu.first()?)? {
        Function::WriteMultipleCoils | Function::WriteMultipleRegisters => Some(6 + usize::from(*pdu.get(5)?)),
        Function::ReadWriteMultipleRegisters => Some(10 + usize::from(*pdu.get(9)?)),
        other => Some(other.request_length(1, 1)),
    }
}

/// Octets of the response's PDU that begins like this; `None` where more of it is needed, or its function is unknown.
pub fn length_of_response(pdu: &[u8]) -> Option<usize> {
    let code = *pdu.first()?;
    if code & EXCEPTION_BIT != 0 {
        return Some(EXCEPTION_LENGTH);
    }
    let function = Function::of(code)?;
    if function.is_read() || function == Function::ReadWriteMultipleRegisters {
        return Some(2 + usize::from(*pdu.get(1)?));
    }
    Some(function.response_length(1))
}
