//! The CRCs: 15 bits of classical frames, 17 and 21 bits of CAN FD.

/// Polynomial of classical frames, without its highest term.
const CRC15: u16 = 0x4599;

/// The remainder of each byte, of 15 bits.
const TABLE: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = ((byte as u16) << 7, 0);
        while bit < 8 {
            crc = if crc & 0x4000 == 0 { crc << 1 } else { crc << 1 ^ CRC15 };
            bit += 1;
        }
        table[byte] = crc & 0x7fff;
        byte += 1;
    }
    table
};

/// The CRC-15 after another byte. It starts at 0, so leading zero bits leave it at 0: a field that is not a multiple of eight
/// bits is filled up in front.
#[inline]
pub fn crc15(crc: u16, byte: u8) -> u16 {
    (crc << 8 ^ TABLE[usize::from((crc >> 7) as u8 ^ byte)]) & 0x7fff
}

/// A CRC of any width, bit by bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crc {
    width: u32,
    polynomial: u32,
    value: u32,
}

impl Crc {
    /// Of classical frames.
    pub const fn of_classic() -> Crc {
        Crc { width: 15, polynomial: CRC15 as u32, value: 0 }
    }

    /// Of a CAN FD frame with so much data: 17 bits up to 16 bytes, else 21. Its highest bit starts at 1 (ISO 11898-1:2015).
    pub const fn of_fd(data: usize) -> Crc {
        match data {
            0..=16 => Crc { width: 17, polynomial: 0x1685b, value: 1 << 16 },
            _ => Crc { width: 21, polynomial: 0x10_2899, value: 1 << 20 },
        }
    }

    /// Takes the next bit.
    pub const fn push(self, bit: bool) -> Crc {
        let feedback = (self.value >> (self.width - 1) & 1 == 1) != bit;
        let shifted = self.value << 1 & ((1 << self.width) - 1);
        Crc { value: if feedback { shifted ^ self.polynomial } else { shifted }, ..self }
    }

    /// The sequence to send.
    pub const fn value(self) -> u32 {
        self.value
    }

    /// Bits of the sequence.
    pub const fn width(self) -> u32 {
        self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crc_followed_by_itself_is_zero() {
        for start in [Crc::of_classic(), Crc::of_fd(16), Crc::of_fd(20)] {
            let push =
                |crc: Crc, word: u32, bits: u32| (0..bits).rev().fold(crc, |crc, bit| crc.push(word >> bit & 1 == 1));
            let sent = push(start, 0x1234_5678, 32);
            assert_eq!(push(sent, sent.value(), sent.width()).value(), 0, "{start:?}");
        }
    }

    #[test]
    fn bytes_and_bits_give_the_same_crc_15() {
        let bytes = [0x12, 0x34, 0xff, 0x00, 0x80, 0x7e];
        let by_byte = bytes.iter().fold(0, |crc, &byte| crc15(crc, byte));
        let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1));
        assert_eq!(u32::from(by_byte), bits.fold(Crc::of_classic(), Crc::push).value());
    }
}
