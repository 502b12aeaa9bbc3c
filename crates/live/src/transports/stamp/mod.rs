//! STAMP (RFC 8762): session-sender against any reflector, and session-reflector.
//!
//! The machines are those of [`sojourn_protocols::stamp`]. With a key, both ends use the authenticated mode. A
//! reflector's sequence numbers ([`numbering`]) separate the losses of the two directions.

mod numbering;
mod own_clock;
mod responder;
mod sender;

use sojourn_protocols::stamp::PORT;
use sojourn_scenario::Problems;

use self::responder::Codec;
use self::sender::Probing;
use crate::prober::udp_peer::UdpPeer;
use crate::servers::reflector;
use crate::target::Target;
use crate::transport::{Information, Listening, Measure, Measurement, PATH_KEYS, TIMED_KEYS, Transport};
use crate::transports::probe_reflector;

/// `stamp://host`: a STAMP session-reflector (RFC 8762).
#[derive(Debug)]
pub struct Stamp;

impl Transport for Stamp {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: "stamp",
            form: "stamp://HOST[:862]",
            summary: "STAMP test packets over UDP, to any session-reflector of RFC 8762; authenticated mode with a key.",
            needs: Some("CAP_NET_BIND_SERVICE to listen below port 1024"),
            sources: &["RFC 8762", "RFC 8972"],
            keys: &[TIMED_KEYS, PATH_KEYS, &["measure.key_file", "measure.clocks", "measure.clock_error"]],
            link_type: None,
            is_timed: true,
            scenario: None,
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        // the seed is the session identifier, so that one sender may have several sessions
        let session = measurement.seed as u16;
        probe_reflector::measure(target, Some(PORT), measurement, |clock, address, plan| {
            UdpPeer::to(Probing::new(session, plan.key.clone(), clock), clock, address, &plan.marking)
        })
    }

    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        let key = listening.key.clone();
        reflector::listen(target, Some(PORT), listening, |clock| (responder::machine(), Codec::new(clock, key)))
    }
}
