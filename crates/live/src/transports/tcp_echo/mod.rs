//! TCP echo (RFC 862): client and server.

mod requests;
mod responder;

use std::sync::Arc;

use sojourn_scenario::Problems;

use self::requests::Requests;
use crate::prober::plan::TimedTest;
use crate::prober::tcp_peer::{self, TcpPeer};
use crate::target::Target;
use crate::transport::{Information, Listening, Measure, Measurement, PATH_KEYS, TIMED_KEYS, Transport};
use crate::transports::probe_reflector;

/// The echo port, which most networks block.
pub const PORT: u16 = 7;

/// `tcp-echo://host`: the echo service over TCP (RFC 862).
#[derive(Debug)]
pub struct TcpEcho;

impl Transport for TcpEcho {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: "tcp-echo",
            form: "tcp-echo://HOST[:7]",
            summary: "Messages over one TCP connection to any echo server.",
            needs: Some("CAP_NET_BIND_SERVICE to listen below port 1024"),
            sources: &["RFC 862"],
            keys: &[TIMED_KEYS, PATH_KEYS],
            link_type: None,
            is_timed: true,
            scenario: None,
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        if let Some(plan) = &measurement.plan {
            tcp_peer::check(plan, target)?;
        }
        let open = |clock, address, plan: &TimedTest| {
            let marking = plan.marking;
            TcpPeer::open(clock, Arc::new(move || Ok((tcp_peer::connect(address, &marking, |_| Ok(()))?, Requests))))
        };
        probe_reflector::measure(target, Some(PORT), measurement, open)
    }

    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        responder::listen(target, listening)
    }
}
