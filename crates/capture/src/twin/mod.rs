//! A twin: a scenario that reproduces what a capture shows.
//!
//! A [`Survey`] takes every packet of a capture and keeps what a scenario needs: who is where, what is sent how often, how
//! large, which timers show. [`Survey::twin`] writes it as TOML; a comment before each inferred value states how it was
//! inferred, from how much, and how sure that is. LonTalk networks have twins so far.

mod arrivals;
mod document;
pub mod fuzz;
mod lontalk;
mod scenario;

use thiserror::Error;

use self::lontalk::LonTalk;
pub use self::scenario::{Options, Trace, Twin};
use crate::Packet;

/// Why there is no twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoTwin {
    /// The capture has no LonTalk packets.
    #[error("a scenario is inferred from LonTalk packets, and the capture has none")]
    Nothing,
}

/// What a capture shows of the network behind it.
#[derive(Debug, Default)]
pub struct Survey {
    lontalk: LonTalk,
}

impl Survey {
    /// Takes the next packet of the capture.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        self.lontalk.packet(packet);
    }

    /// The scenario of the network that most packets belong to.
    pub fn twin(self, options: &Options) -> Result<Twin, NoTwin> {
        if self.lontalk.packets() > 0 { Ok(self.lontalk.twin(options)) } else { Err(NoTwin::Nothing) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Octets that the fuzz target takes for packets: short headers with few addresses, then anything.
    fn packets() -> impl Strategy<Value = Vec<u8>> {
        let packet = (any::<u8>(), 0..4_u8, 1..3_u8, 1..4_u8, any::<[u8; 4]>(), 0..16_u8).prop_map(
            |(kind, format, subnet, node, rest, number)| {
                let body = [
                    0,
                    format << 2 | (rest[0] & 0x30),
                    subnet,
                    node | 0x80,
                    1,
                    rest[1] & 3 | 0x80,
                    number | rest[2],
                    rest[3],
                ];
                [vec![kind, body.len() as u8], body.to_vec()].concat()
            },
        );
        prop::collection::vec(packet, 0..120).prop_map(|packets| packets.concat())
    }

    proptest! {
        #[test]
        fn no_packets_make_the_inference_panic(packets in packets(), noise in prop::collection::vec(any::<u8>(), 0..400)) {
            fuzz::packets(&packets);
            fuzz::packets(&noise);
        }
    }

    #[test]
    fn a_capture_without_a_known_network_has_no_twin() {
        let options = Options { anonymise: false, name: "none".to_owned() };
        assert_eq!(Survey::default().twin(&options), Err(NoTwin::Nothing));
    }
}
