//! UDP echo (RFC 862): client and server.

mod requests;
mod responder;

use sojourn_scenario::Problems;

use self::requests::Requests;
use self::responder::{Codec, Echo};
use crate::key::random_bytes;
use crate::prober::multicast::MulticastPeer;
use crate::prober::plan::TimedTest;
use crate::prober::udp_peer::UdpPeer;
use crate::servers::reflector;
use crate::target::Target;
use crate::transport::{Information, Listening, Measure, Measurement, PATH_KEYS, TIMED_KEYS, Transport};
use crate::transports::probe_reflector;

/// The echo port, which most networks block.
pub const PORT: u16 = 7;

/// `udp-echo://host`: the echo service over UDP (RFC 862).
#[derive(Debug)]
pub struct UdpEcho;

impl Transport for UdpEcho {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: "udp-echo",
            form: "udp-echo://HOST[:7], udp-echo://GROUP:PORT[?interface=ADDRESS], udp-echo://[GROUP%INTERFACE]:PORT",
            summary: "UDP datagrams to any echo server.",
            needs: Some("CAP_NET_BIND_SERVICE to listen below port 1024"),
            sources: &["RFC 862"],
            keys: &[TIMED_KEYS, PATH_KEYS],
            link_type: None,
            is_timed: true,
            scenario: None,
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        if target.socket_address(Some(PORT))?.ip().is_multicast() {
            let open = |clock, group, plan: &TimedTest| {
                MulticastPeer::to(Requests::new(random_bytes()?), clock, group, &plan.marking)
            };
            return probe_reflector::measure(target, Some(PORT), measurement, open);
        }
        let open = |clock, address, plan: &TimedTest| {
            UdpPeer::to(Requests::new(random_bytes()?), clock, address, &plan.marking)
        };
        probe_reflector::measure(target, Some(PORT), measurement, open)
    }

    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        reflector::listen(target, Some(PORT), listening, |_| (Echo::default(), Codec::default()))
    }
}
