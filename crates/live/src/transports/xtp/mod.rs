//! XTP 4.0 between real hosts, over UDP or directly over IPv4 as protocol 36.
//!
//! The machine is [`sojourn_protocols::xtp::machine::Endpoint`], which simulations run as well. This folder gives it
//! sockets and applications:
//!
//! 1. the [`translator`] decodes and encodes packets, and counts them;
//! 2. the [`initiator`] opens an association for [`exchanges`] or for a [`transfer`];
//! 3. the [`listener`] serves two ports: 7 echoes every message, 9 responds to every message with its length and
//!    SHA-256 (the numbers of echo and discard, RFC 862 and RFC 863).
//!
//! XTP has no assigned UDP port: a packet is the payload of a datagram.

mod conversation;
mod exchanges;
mod initiator;
mod listener;
mod payload;

mod association;
mod settings;
mod transfer;
mod translator;

#[cfg(test)]
mod tests;

use std::net::SocketAddr;

use sojourn_metrics::frames::LinkType;
use sojourn_protocols::xtp::ip::PROTOCOL;
use sojourn_scenario::Problems;

use crate::io::link::ip::IpProtocol;
use crate::io::link::{Link, Peer, ip, udp};
use crate::target::Target;
use crate::transport::{Information, Listening, Measure, Measurement, Transport};

/// The XTP port of the echo.
pub const ECHO_PORT: u16 = 7;
/// The XTP port of the sink, which responds with length and SHA-256.
pub const SINK_PORT: u16 = 9;

const XTP: IpProtocol = IpProtocol { number: PROTOCOL, name: "XTP" };
const KEYS: &[&[&str]] = &[&["probe.round_trips", "xtp", "measure.inject_loss"]];
const SOURCES: &[&str] = &["XTP 4.0", "RFC 862", "RFC 863"];

/// `xtp+udp://host:port`: XTP in UDP datagrams.
#[derive(Debug)]
pub struct OverUdp;

/// `xtp+ip://host`: XTP over IP, protocol 36.
#[derive(Debug)]
pub struct OverIp;

impl Transport for OverUdp {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: "xtp+udp",
            form: "xtp+udp://HOST:PORT",
            summary: "XTP 4.0, each packet the payload of a UDP datagram.",
            needs: None,
            sources: SOURCES,
            keys: KEYS,
            link_type: Some(LinkType::RawIp),
            is_timed: false,
            scenario: None,
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        let peer = target.ipv4_address_and_port()?;
        Ok(measure_over(udp::to(target)?, SocketAddr::from(peer).into(), measurement))
    }

    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        Ok(listen_over(udp::bound(target, target.ipv4_address_and_port()?.into())?, listening))
    }
}

impl Transport for OverIp {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: "xtp+ip",
            form: "xtp+ip://HOST",
            summary: "XTP 4.0 as IPv4 protocol 36, both ends on different addresses.",
            needs: Some("CAP_NET_RAW"),
            sources: SOURCES,
            keys: KEYS,
            link_type: Some(LinkType::RawIp),
            is_timed: false,
            scenario: None,
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        let peer = SocketAddr::from((target.address_alone()?, 0));
        Ok(measure_over(ip::to(target, XTP)?, peer.into(), measurement))
    }

    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        Ok(listen_over(ip::at(target, XTP)?, listening))
    }
}

fn measure_over(link: Link, peer: Peer, measurement: Measurement) -> Measure {
    Box::new(move |watch, frames| initiator::measure(link, peer, &measurement, watch, frames))
}

fn listen_over(link: Link, listening: Listening) -> Measure {
    Box::new(move |watch, frames| listener::listen(link, &listening, watch, frames))
}
