//! The frame check sequence: CRC-16 with generator x^16 + x^12 + x^5 + 1, preset to ones, complemented.

use crc::{CRC_16_IBM_SDLC, Crc, Table};

/// The CRC register after an undamaged frame and its FCS.
pub const GOOD_RESIDUE: u16 = 0xf0b8;

const CRC: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_IBM_SDLC);

/// The FCS of a frame's octets. Its low octet is sent first.
pub fn fcs(octets: &[u8]) -> u16 {
    CRC.checksum(octets)
}

/// The register after these octets: [`GOOD_RESIDUE`] when they are a frame followed by its FCS.
pub fn residue(octets: &[u8]) -> u16 {
    !fcs(octets)
}

/// A frame's octets followed by their FCS, as AXUDP carries them.
pub fn appended(octets: &[u8]) -> Vec<u8> {
    [octets, &fcs(octets).to_le_bytes()].concat()
}

/// The frame's octets without their FCS; `None` if the FCS does not match.
pub fn checked(octets: &[u8]) -> Option<&[u8]> {
    let (frame, _) = octets.split_last_chunk::<2>()?;
    (residue(octets) == GOOD_RESIDUE).then_some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fcs_gives_its_check_value_and_leaves_its_residue() {
        assert_eq!(fcs(b"123456789"), 0x906e);
        assert_eq!(residue(&appended(b"123456789")), GOOD_RESIDUE);
    }

    #[test]
    fn any_single_bit_error_is_detected() {
        let sound = appended(b"PING to PONG");
        assert_eq!(checked(&sound), Some(&b"PING to PONG"[..]));
        for bit in 0..8 * sound.len() {
            let mut damaged = sound.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(checked(&damaged), None, "bit {bit}");
        }
        assert_eq!(checked(&[0]), None);
    }
}
