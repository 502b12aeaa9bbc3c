//! 48-bit MAC addresses in canonical form.

use std::fmt;

/// An individual or group address in canonical form: the bit sent first, the I/G bit, is the least significant bit of the
/// first octet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Address(pub [u8; 6]);

impl Address {
    /// The broadcast address, all bits one.
    pub const BROADCAST: Address = Address([0xff; 6]);

    /// The locally administered address of station `number`: 02:00:00:00:00:01 for 1.
    pub const fn local(number: u32) -> Self {
        let [a, b, c, d] = number.to_be_bytes();
        Address([0x02, 0, a, b, c, d])
    }

    /// The locally administered address of group `number`: 03:00:00:00:00:01 for 1.
    pub const fn local_group(number: u32) -> Self {
        let [a, b, c, d] = number.to_be_bytes();
        Address([0x03, 0, a, b, c, d])
    }

    /// Whether it is a group address (I/G bit).
    pub const fn is_group(self) -> bool {
        self.0[0] & 1 == 1
    }

    /// The octets in the bit order of FDDI, most significant bit first, as captures store them.
    pub fn bit_reversed(self) -> [u8; 6] {
        self.0.map(u8::reverse_bits)
    }

    /// The address with these octets in the bit order of FDDI.
    pub fn from_bit_reversed(octets: [u8; 6]) -> Self {
        Address(octets.map(u8::reverse_bits))
    }

    /// The address as a number, first bit sent most significant: decides between claim frames with equal bids.
    pub fn as_sent(self) -> u64 {
        self.bit_reversed().iter().fold(0, |number, &octet| number << 8 | u64::from(octet))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}
