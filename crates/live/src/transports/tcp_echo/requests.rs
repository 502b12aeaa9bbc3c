//! The probe format of TCP echo.

use sojourn_core::Time;

use crate::prober::peer::{PeerTimes, Request};
use crate::prober::tcp_peer::StreamFormat;
use crate::prober::udp_peer::ProbeFormat;

/// Octets of the sequence number.
const NUMBER: usize = 8;

/// A sequence number, and zeros.
#[derive(Debug)]
pub struct Requests;

impl ProbeFormat for Requests {
    fn write(&mut self, request: Request, _leaves: Time, message: &mut Vec<u8>) {
        message.extend(request.sequence.to_be_bytes());
        message.resize(message.len().max(request.octets as usize), 0);
    }

    fn read(&mut self, message: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
        message.first_chunk().map(|number| (u64::from_be_bytes(*number), None))
    }

    fn min_octets(&self) -> u32 {
        NUMBER as u32
    }
}

impl StreamFormat for Requests {
    /// The number is enough to detect a server that is not an echo.
    fn head(&self, _octets: usize) -> usize {
        NUMBER
    }
}
