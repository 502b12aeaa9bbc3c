//! Finds packets in a bit stream, with arbitrary noise between them.

use thiserror::Error;

use super::blocks::{BLOCK_CHECK, HEADER_CHECK, SYNC_BITS, SYNC_ERRORS, SYNC_WORD, Shape, TRAILER, corrected, crc_of};
use super::header::{HEADER, Header};
use crate::ax25::hdlc::fcs;
use crate::reed_solomon::Uncorrectable;

/// Why a packet holds no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// Too many octets are wrong.
    #[error(transparent)]
    Uncorrectable(#[from] Uncorrectable),
    /// The CRC does not match.
    #[error("the trailing CRC does not match")]
    Crc,
    /// The corrected octets are not a header.
    #[error("the corrected header has no address or control field of AX.25")]
    Header,
}

/// A receiver of packets with a CRC, or of those without.
#[derive(Clone, Debug)]
pub struct Receiver {
    has_crc: bool,
    /// The last bits, the latest in the lowest.
    recent: u32,
    /// Whether a sync word was found, and the octets since.
    is_in_packet: bool,
    octets: Vec<u8>,
    octet: u8,
    count: u8,
    /// The frame so far, and octets that were wrong, once the header is known.
    found: Option<(Vec<u8>, usize, Shape)>,
}

impl Receiver {
    /// A receiver that has heard nothing.
    pub fn new(has_crc: bool) -> Self {
        Receiver { has_crc, recent: 0, is_in_packet: false, octets: Vec::new(), octet: 0, count: 0, found: None }
    }

    /// Takes one bit. The last one of a packet returns its frame without FCS and the number of octets that were wrong, or a fault.
    pub fn push(&mut self, bit: bool) -> Option<Result<(Vec<u8>, usize), Fault>> {
        if !self.is_in_packet {
            self.recent = (self.recent << 1 | u32::from(bit)) & ((1 << SYNC_BITS) - 1);
            self.is_in_packet = (self.recent ^ SYNC_WORD).count_ones() <= SYNC_ERRORS;
            return None;
        }
        self.octet = self.octet << 1 | u8::from(bit);
        self.count += 1;
        if self.count < 8 {
            return None;
        }
        self.octets.push(self.octet);
        self.count = 0;
        if self.octets.len() == HEADER + HEADER_CHECK {
            match self.header() {
                Ok(found) => self.found = Some(found),
                Err(fault) => {
                    self.restart();
                    return Some(Err(fault));
                }
            }
        }
        let length = |(_, _, shape): &(_, _, Shape)| (shape.bits() - SYNC_BITS) as usize / 8;
        if self.found.as_ref().is_none_or(|found| self.octets.len() < length(found)) {
            return None;
        }
        let (frame, wrong, shape) = self.found.take()?;
        let result = self.payload(frame, wrong, shape);
        self.restart();
        Some(result)
    }

    fn header(&self) -> Result<(Vec<u8>, usize, Shape), Fault> {
        let (octets, wrong) = corrected(&self.octets, HEADER_CHECK)?;
        let octets: &[u8; HEADER] = octets.as_slice().try_into().map_err(|_| Fault::Header)?;
        let (header, payload) = Header::parse(octets);
        let frame = header.frame().ok_or(Fault::Header)?;
        Ok((frame, wrong, Shape::new(payload, self.has_crc).ok_or(Fault::Header)?))
    }

    fn payload(&self, mut frame: Vec<u8>, mut wrong: usize, shape: Shape) -> Result<(Vec<u8>, usize), Fault> {
        let mut rest = &self.octets[HEADER + HEADER_CHECK..];
        for block in shape.blocks() {
            let (octets, after) = rest.split_at(block + BLOCK_CHECK);
            let (octets, wrong_here) = corrected(octets, BLOCK_CHECK)?;
            frame.extend(octets);
            wrong += wrong_here;
            rest = after;
        }
        let matches = !self.has_crc || crc_of(&rest[..TRAILER]) == fcs(&frame);
        if matches { Ok((frame, wrong)) } else { Err(Fault::Crc) }
    }

    fn restart(&mut self) {
        *self = Receiver::new(self.has_crc);
    }
}
