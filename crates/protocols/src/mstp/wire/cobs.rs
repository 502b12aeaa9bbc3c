//! Consistent Overhead Byte Stuffing (COBS) of extended frames: no octet of an encoded field is 55, so that the preamble does
//! not occur in it.

use super::crc::crc32k;
use super::error::Fault;

/// Zeros are what COBS removes; the mask makes them 55.
const MASK: u8 = 0x55;
/// Octets without a zero that one code covers.
const RUN: usize = 254;
/// Octets of an encoded CRC-32K: four, and the code before them.
const ENCODED_CRC: usize = 5;

/// The most octets that `length` octets of data have once encoded, with their CRC.
pub(super) const fn longest(length: usize) -> usize {
    length + length / RUN + 1 + ENCODED_CRC
}

/// Appends `data` encoded, and its CRC.
pub(super) fn emit(data: &[u8], octets: &mut Vec<u8>) {
    let start = octets.len();
    encode(data, octets);
    let crc = crc32k(&octets[start..]).to_le_bytes();
    encode(&crc, octets);
}

/// Appends the data of an encoded field and its CRC to `data`.
pub(super) fn parse(field: &[u8], data: &mut Vec<u8>) -> Result<(), Fault> {
    let Some((encoded, crc)) = field.split_last_chunk::<ENCODED_CRC>() else {
        return Err(Fault::TooShort { found: field.len(), expected: ENCODED_CRC });
    };
    decode(encoded, data)?;
    let before = data.len();
    decode(crc, data)?;
    let sent: Result<[u8; 4], _> = data[before..].try_into();
    data.truncate(before);
    let found = u32::from_le_bytes(sent.map_err(|_| Fault::Encoding(encoded.len()))?);
    let expected = crc32k(encoded);
    if found == expected { Ok(()) } else { Err(Fault::Crc32k { found, expected }) }
}

fn encode(data: &[u8], octets: &mut Vec<u8>) {
    let mut blocks = data.split(|&octet| octet == 0).peekable();
    while let Some(block) = blocks.next() {
        let is_last = blocks.peek().is_none();
        let mut runs = block.chunks(RUN).peekable();
        if block.is_empty() {
            octets.push(1 ^ MASK);
        }
        while let Some(run) = runs.next() {
            octets.push((run.len() + 1) as u8 ^ MASK);
            octets.extend(run.iter().map(|octet| octet ^ MASK));
            // a full run has no zero behind it: one that follows has a code of its own
            if runs.peek().is_none() && run.len() == RUN && !is_last {
                octets.push(1 ^ MASK);
            }
        }
    }
}

fn decode(encoded: &[u8], data: &mut Vec<u8>) -> Result<(), Fault> {
    let mut at = 0;
    while let Some(&code) = encoded.get(at) {
        let code = usize::from(code ^ MASK);
        if code == 0 || at + code > encoded.len() {
            return Err(Fault::Encoding(at));
        }
        data.extend(encoded[at + 1..at + code].iter().map(|octet| octet ^ MASK));
        at += code;
        if code != RUN + 1 && at < encoded.len() {
            data.push(0);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(data: &[u8]) -> Vec<u8> {
        let mut octets = Vec::new();
        encode(data, &mut octets);
        octets.iter().map(|octet| octet ^ MASK).collect()
    }

    /// Cheshire and Baker, Consistent Overhead Byte Stuffing (1999), and the examples of its full runs.
    #[test]
    fn blocks_are_encoded_as_published() {
        assert_eq!(encoded(&[0]), [1, 1]);
        assert_eq!(encoded(&[0x11, 0x22, 0, 0x33]), [3, 0x11, 0x22, 2, 0x33]);
        assert_eq!(encoded(&[0x11, 0, 0, 0]), [2, 0x11, 1, 1, 1]);
        let run: Vec<u8> = (1..=254).collect();
        assert_eq!(encoded(&run), [&[255], &run[..]].concat());
        assert_eq!(encoded(&[&run[..], &[0]].concat()), [&[255], &run[..], &[1, 1]].concat());
        assert_eq!(encoded(&[&run[..], &[255]].concat()), [&[255], &run[..], &[2, 255]].concat());
    }

    #[test]
    fn a_field_of_any_length_survives_a_round_trip_without_an_octet_55() {
        for length in 0..1600 {
            for step in [0, 1, 7] {
                let data: Vec<u8> = (0..length).map(|at| (at * step % 256) as u8).collect();
                let mut octets = Vec::new();
                emit(&data, &mut octets);
                assert!(!octets.contains(&0x55) && octets.len() <= longest(length));
                let mut read = Vec::new();
                assert_eq!(parse(&octets, &mut read), Ok(()));
                assert_eq!(read, data);
            }
        }
    }
}
