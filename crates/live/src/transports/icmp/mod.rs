//! ICMP echo (RFC 792, RFC 4443), which the kernel of any host answers.

mod requests;
mod socket;

use sojourn_protocols::icmp::Version;
use sojourn_scenario::Problems;

use self::requests::Requests;
use crate::key::random_bytes;
use crate::prober::udp_peer::UdpPeer;
use crate::target::Target;
use crate::transport::{Information, Listening, Measure, Measurement, PATH_KEYS, TIMED_KEYS, Transport};
use crate::transports::probe_reflector;

/// `icmp://host`: ICMP echo requests, to a host's own kernel.
#[derive(Debug)]
pub struct Icmp;

impl Transport for Icmp {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: "icmp",
            form: "icmp://HOST",
            summary: "ICMP echo requests, which the kernel of any host answers unless a firewall forbids it.",
            needs: Some("a group in sysctl net.ipv4.ping_group_range, or CAP_NET_RAW"),
            sources: &["RFC 792", "RFC 4443, section 4"],
            keys: &[TIMED_KEYS, PATH_KEYS],
            link_type: None,
            is_timed: true,
            scenario: None,
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        let address = target.host_address()?;
        probe_reflector::measure_at(target, address.ip().to_string(), measurement, |clock, plan| {
            let (datagrams, framing) = socket::open(target, clock, address, &plan.marking)?;
            let version = if address.is_ipv4() { Version::V4 } else { Version::V6 };
            let random = random_bytes().map_err(|fault| target.whole_problem(format!("no random numbers: {fault}")))?;
            Ok(UdpPeer::over(Requests::new(version, framing, random), datagrams))
        })
    }

    fn listen(&self, target: &Target, _listening: Listening) -> Result<Measure, Problems> {
        let message = "the kernel of every host answers ICMP echo requests: there is nothing to start";
        Err(target.problem(0..target.scheme().len(), message).into())
    }
}
