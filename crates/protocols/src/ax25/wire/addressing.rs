//! The address field: destination, source, digipeater path, and the command/response bits.

use super::digipeaters::DIGIPEATER_LIMIT;
use super::{Address, Digipeaters, ParseError};
use crate::cursor::{Reader, Writer};

/// Bit 0 of an address's last octet: the field ends here.
const LAST: u8 = 0x01;
/// Bits 5 and 6 of an address's last octet, sent as ones and reserved for local use.
const RESERVED: u8 = 0x60;
/// Bit 7 of an address's last octet: C of destination and source, H of a digipeater.
const FLAG: u8 = 0x80;

/// The address field of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Addressing {
    /// The station that the frame is addressed to.
    pub destination: Address,
    /// The station that originated the frame.
    pub source: Address,
    /// The digipeaters on the path, and which of them have repeated the frame.
    pub digipeaters: Digipeaters,
    /// Whether the frame is a command or a response.
    pub role: Role,
    /// The bits reserved for local use, which a digipeater forwards unchanged.
    pub reserved: ReservedBits,
}

/// Command or response, as the C bits of destination and source indicate (AX.25 v2.2 section 6.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// C set in the destination address only.
    Command,
    /// C set in the source address only.
    Response,
    /// Both or neither: the sender implements a version before 2.0, which does not distinguish commands from responses.
    PreV2 {
        /// The value of both C bits.
        bits: bool,
    },
}

/// Bits 5 and 6 of each address's last octet; ones by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReservedBits {
    /// Two bits an address from the lowest on, inverted.
    cleared: u32,
}

impl ReservedBits {
    /// The two bits of address `index` (0 the destination, 1 the source, then the digipeaters), 3 when unused.
    pub const fn of(&self, index: usize) -> u8 {
        if index < DIGIPEATER_LIMIT + 2 { !(self.cleared >> (2 * index)) as u8 & 3 } else { 3 }
    }

    /// A copy with these two bits at address `index`, 0 to 9.
    pub const fn with(mut self, index: usize, bits: u8) -> Self {
        if index < DIGIPEATER_LIMIT + 2 {
            self.cleared = self.cleared & !(3 << (2 * index)) | ((!bits & 3) as u32) << (2 * index);
        }
        self
    }
}

impl Role {
    const fn of_bits(destination: bool, source: bool) -> Self {
        match (destination, source) {
            (true, false) => Role::Command,
            (false, true) => Role::Response,
            (bits, _) => Role::PreV2 { bits },
        }
    }

    const fn bits(self) -> (bool, bool) {
        match self {
            Role::Command => (true, false),
            Role::Response => (false, true),
            Role::PreV2 { bits } => (bits, bits),
        }
    }
}

impl Addressing {
    /// From `source` to `destination` via `digipeaters`, none of which has repeated the frame.
    pub const fn new(source: Address, destination: Address, digipeaters: Digipeaters, role: Role) -> Self {
        let reserved = ReservedBits { cleared: 0 };
        Addressing { destination, source, digipeaters: digipeaters.unrepeated(), role, reserved }
    }

    /// The address field of a reply along the reversed digipeater path.
    pub fn reversed(&self, role: Role) -> Self {
        Addressing::new(self.destination, self.source, self.digipeaters.reversed(), role)
    }

    /// Reads the address field at the front of a frame; what follows it is the control field.
    pub fn parse(bytes: &[u8]) -> Result<(Self, &[u8]), ParseError> {
        let mut reader = Reader(bytes);
        let addressing = Addressing::read(&mut reader)?;
        Ok((addressing, reader.rest()))
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let mut reserved = ReservedBits::default();
        let mut address = |index, field| -> Result<_, ParseError> {
            let octets: [u8; 7] = reader.array(field)?;
            let address = Address::parse(&octets).map_err(|error| ParseError::Address { field, error })?;
            reserved = reserved.with(index, (octets[6] & RESERVED) >> 5);
            Ok((address, octets[6] & FLAG != 0, octets[6] & LAST != 0))
        };
        let (destination, to_flag, ends) = address(0, "destination address")?;
        if ends {
            return Err(ParseError::NoSource);
        }
        let (source, from_flag, mut ends) = address(1, "source address")?;
        let mut digipeaters = Digipeaters::NONE;
        while !ends {
            if digipeaters.len() == DIGIPEATER_LIMIT {
                return Err(ParseError::TooManyDigipeaters);
            }
            let (digipeater, repeated, last) = address(digipeaters.len() + 2, "digipeater address")?;
            digipeaters.push(digipeater, repeated);
            ends = last;
        }
        Ok(Addressing { destination, source, digipeaters, role: Role::of_bits(to_flag, from_flag), reserved })
    }

    /// Length of the field in octets.
    pub const fn length(&self) -> usize {
        7 * (2 + self.digipeaters.len())
    }

    pub(super) fn write(&self, writer: &mut Writer<'_>) {
        let (to_flag, from_flag) = self.role.bits();
        let ends = [(self.destination, to_flag), (self.source, from_flag)];
        let last = 1 + self.digipeaters.len();
        for (index, (address, flag)) in ends.into_iter().chain(self.digipeaters.iter()).enumerate() {
            let mut octets = address.emit();
            octets[6] |= u8::from(flag) << 7 | self.reserved.of(index) << 5 | u8::from(index == last);
            writer.bytes(&octets);
        }
    }
}
