//! The three checks of MS/TP frames.

use crc::{Algorithm, CRC_16_IBM_SDLC, Crc};

/// x^8 + x^7 + 1, bits as the UART sends them, preset to ones and complemented.
const HEADER: Algorithm<u8> =
    Algorithm { width: 8, poly: 0x81, init: 0xff, refin: true, refout: true, xorout: 0xff, check: 0x89, residue: 0 };

/// Koopman's polynomial, least significant bit first EB31D82E, preset to ones and complemented.
const KOOPMAN: Algorithm<u32> = Algorithm {
    width: 32,
    poly: 0x741b_8cd7,
    init: u32::MAX,
    refin: true,
    refout: true,
    xorout: u32::MAX,
    check: 0x2d3d_d0ae,
    residue: 0,
};

/// The check of the five octets from type to length.
pub fn header_crc(octets: &[u8]) -> u8 {
    const CRC: Crc<u8> = Crc::<u8>::new(&HEADER);
    CRC.checksum(octets)
}

/// The check of the data, sent low octet first.
pub fn data_crc(octets: &[u8]) -> u16 {
    const CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_SDLC);
    CRC.checksum(octets)
}

/// The check of encoded data, CRC-32K, sent low octet first and encoded as well.
pub fn crc32k(octets: &[u8]) -> u32 {
    const CRC: Crc<u32> = Crc::<u32>::new(&KOOPMAN);
    CRC.checksum(octets)
}
