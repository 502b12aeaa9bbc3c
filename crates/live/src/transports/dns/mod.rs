//! Measures DNS servers by queries (RFC 1035) over UDP or TCP.

pub(crate) mod question;
mod tcp;
mod udp;
mod url;

use sojourn_scenario::Problems;

use self::tcp::TcpServer;
use self::udp::UdpServer;
use self::url::{Over, Query};
use crate::prober::service_peer::ServicePeer;
use crate::prober::tcp_peer;
use crate::target::Target;
use crate::transport::{Information, Listening, Measure, Measurement, TIMED_KEYS, Transport};
use crate::transports::probe_reflector::{self, cannot_reach};

/// `dns://server/name`: queries to a DNS server.
#[derive(Debug)]
pub struct Dns;

impl Transport for Dns {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: "dns",
            form: "dns://SERVER[:53]/NAME[?type=TYPE][&over=udp|tcp]",
            summary: "Queries to any DNS server, over UDP or with a TCP connection each; NXDOMAIN, SERVFAIL, REFUSED and \
                      truncated responses count as failures.",
            needs: None,
            sources: &["RFC 1035", "RFC 5452, section 9.1", "RFC 6891", "RFC 7766"],
            keys: &[TIMED_KEYS],
            link_type: None,
            is_timed: true,
            scenario: None,
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        let Query { server, question, over } = Query::of(target)?;
        let name = server.to_string();
        match over {
            Over::Udp => probe_reflector::measure_at(target, name, measurement, |clock, plan| {
                UdpServer::to(server, question, clock, &plan.marking, plan.timeout)
                    .map_err(|fault| cannot_reach(target, server, &fault))
            }),
            Over::Tcp => {
                if let Some(plan) = &measurement.plan {
                    tcp_peer::check(plan, target)?;
                }
                probe_reflector::measure_at(target, name, measurement, |clock, plan| {
                    let service = TcpServer { server, question, marking: plan.marking, clock };
                    ServicePeer::of(service, clock, plan.timeout).map_err(|fault| cannot_reach(target, server, &fault))
                })
            }
        }
    }

    fn listen(&self, target: &Target, _listening: Listening) -> Result<Measure, Problems> {
        let message = "sojourn is not a DNS server: measure any that there is";
        Err(target.problem(0..target.scheme().len(), message).into())
    }
}
