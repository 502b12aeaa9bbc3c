//! The probe format of UDP echo: requests recognizable when echoed.

use sojourn_core::Time;

use crate::prober::peer::{PeerTimes, Request};
use crate::prober::udp_peer::ProbeFormat;

/// Octets of the sequence number, and of the mark after it.
const NUMBER: usize = 8;
const MARK: usize = 8;

/// A sequence number, a random mark of this measurement, and zeros.
#[derive(Debug)]
pub struct Requests {
    mark: [u8; MARK],
}

impl Requests {
    /// Requests with this random mark.
    pub fn new(mark: [u8; MARK]) -> Requests {
        Requests { mark }
    }
}

impl ProbeFormat for Requests {
    fn write(&mut self, request: Request, _leaves: Time, datagram: &mut Vec<u8>) {
        datagram.extend(request.sequence.to_be_bytes());
        datagram.extend(self.mark);
        datagram.resize(datagram.len().max(request.octets as usize), 0);
    }

    fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
        let (number, rest) = datagram.split_first_chunk::<NUMBER>()?;
        rest.starts_with(&self.mark).then(|| (u64::from_be_bytes(*number), None))
    }

    fn min_octets(&self) -> u32 {
        (NUMBER + MARK) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_is_recognized_by_number_and_mark_and_anything_else_is_not() {
        let mut requests = Requests::new(*b"one mark");
        let mut datagram = Vec::new();
        requests.write(Request { sequence: 7, intended: Time::ZERO, octets: 100 }, Time::ZERO, &mut datagram);
        assert_eq!(datagram.len(), 100);
        assert_eq!(requests.read(&datagram), Some((7, None)));
        assert_eq!(Requests::new(*b"another!").read(&datagram), None);
        for length in 0..16 {
            assert_eq!(requests.read(&datagram[..length]), None);
        }
    }
}
