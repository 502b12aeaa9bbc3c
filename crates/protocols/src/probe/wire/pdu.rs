//! Bodies of packets.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use super::stream::dscp;
use super::{Cookie, Kind, Limits, Nonce, ParseError, PhaseReport, Proof, Reason, Report, Stream};
use crate::cursor::{Reader, Writer};

/// Body of a packet, by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pdu {
    /// A client requests a cookie.
    Hello {
        /// Nonce chosen by the client.
        nonce: Nonce,
    },
    /// The agent's stateless response to a Hello.
    Cookie {
        /// Nonce of the Hello.
        nonce: Nonce,
        /// Cookie to return in [`Pdu::Open`].
        cookie: Cookie,
    },
    /// A client requests a session.
    Open {
        /// Nonce of the Hello.
        nonce: Nonce,
        /// Cookie that the agent returned for it.
        cookie: Cookie,
        /// Limits that the client requests for its session.
        wanted: Limits,
    },
    /// The session is open; its token is in the header.
    Opened {
        /// Nonce of the Open.
        nonce: Nonce,
        /// Limits granted, none above those requested.
        granted: Limits,
        /// Number by which the client confirms its receipt.
        proof: Proof,
        /// Address and port that the Open came from, as the agent sees them; `None` of an agent that does not say.
        seen_at: Option<SocketAddr>,
    },
    /// The agent refuses a request.
    Refused {
        /// Nonce of the Open; zeros for other requests.
        nonce: Nonce,
        /// Reason of the refusal.
        reason: Reason,
    },
    /// A client requests a reply of the same length.
    Probe {
        /// Transmit timestamp on the client's clock, ns.
        sent_ns: u64,
        /// Number of the measurement's phase, which the agent counts by itself.
        phase: u32,
    },
    /// The reply to the probe of the same sequence number.
    Reply {
        /// Receive timestamp of the probe on the agent's clock, ns.
        receive_ns: u64,
        /// Whether it is a kernel timestamp rather than the agent's on reading the probe.
        receive_by_kernel: bool,
        /// Traffic class of the probe as it arrived (RFC 2474 and RFC 3168): six bits of DSCP, two of ECN; `None` over TCP.
        class: Option<u8>,
        /// Residence time of an earlier reply.
        residence: Option<Residence>,
    },
    /// Load, counted by its receiver.
    Load {
        /// Transmit timestamp on the sender's clock, ns.
        sent_ns: u64,
        /// Of an agent: the number that the client confirms its receipt by; of a client 0.
        proof: Proof,
    },
    /// A client requests load from the agent.
    Start {
        /// Rate of UDP payload, bit/s, at least 1.
        bit_rate: u64,
        /// Length of each packet, octets.
        octets: u16,
        /// Duration of the load, ns.
        duration_ns: u64,
        /// Differentiated services code point of its packets, 0 to 63.
        dscp: u8,
        /// Number in the latest packet of the agent that carries one.
        proof: Proof,
    },
    /// A client requests the agent's counters, and confirms that it receives load.
    Query {
        /// Number in the latest load or report that the client received; 0 of none.
        proof: Proof,
    },
    /// A client requests the agent to stop its load.
    Stop,
    /// The agent's counters: the response to [`Pdu::Start`], [`Pdu::Query`] and [`Pdu::Stop`] with their sequence number.
    Report {
        /// The counters.
        report: Report,
        /// Number by which the client confirms its receipt.
        proof: Proof,
    },
    /// A client requests the end of the session.
    Close,
    /// The session has ended.
    Closed {
        /// Reason of its end.
        reason: Reason,
        /// Counters at the end of the session.
        report: Report,
    },
    /// A client requests the counters of a phase.
    PhaseQuery {
        /// Number of the phase.
        phase: u32,
    },
    /// The counters of a phase: the response to [`Pdu::PhaseQuery`] with its sequence number.
    PhaseReport(PhaseReport),
    /// A client requests a TCP connection for load or probes.
    Stream(Stream),
    /// The connection is granted.
    Granted {
        /// Limits of the session.
        limits: Limits,
    },
    /// Octets received over the connection.
    StreamReport {
        /// Octets received over the connection since the grant.
        octets: u64,
        /// Time from the grant to the last of them, ns.
        elapsed_ns: u64,
    },
}

/// Residence time of an earlier reply in the agent, as RFC 8972 and IEEE 1588 use the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residence {
    /// Sequence number of this reply minus that of the earlier one, below 2^24.
    pub earlier: u32,
    /// Time from its probe's `receive_ns` to its transmission, ns, up to 4.29 s.
    pub ns: u32,
    /// Whether its transmit timestamp is the kernel's.
    pub by_kernel: bool,
}

/// Flag: the receive timestamp is the kernel's.
const RECEIVE_BY_KERNEL: u8 = 1;
/// Flag: the packet carries a [`Residence`].
const RESIDENCE: u8 = 2;
/// Flag: its transmit timestamp is the kernel's.
const RESIDENCE_BY_KERNEL: u8 = 4;
/// Flag: the traffic class of the probe is known.
const CLASS: u8 = 8;

impl Pdu {
    /// Kind of the packet.
    pub fn kind(&self) -> Kind {
        match self {
            Pdu::Hello { .. } => Kind::Hello,
            Pdu::Cookie { .. } => Kind::Cookie,
            Pdu::Open { .. } => Kind::Open,
            Pdu::Opened { .. } => Kind::Opened,
            Pdu::Refused { .. } => Kind::Refused,
            Pdu::Probe { .. } => Kind::Probe,
            Pdu::Reply { .. } => Kind::Reply,
            Pdu::Load { .. } => Kind::Load,
            Pdu::Start { .. } => Kind::Start,
            Pdu::Query { .. } => Kind::Query,
            Pdu::Stop => Kind::Stop,
            Pdu::Report { .. } => Kind::Report,
            Pdu::Close => Kind::Close,
            Pdu::Closed { .. } => Kind::Closed,
            Pdu::Stream(_) => Kind::Stream,
            Pdu::Granted { .. } => Kind::Granted,
            Pdu::StreamReport { .. } => Kind::StreamReport,
            Pdu::PhaseQuery { .. } => Kind::PhaseQuery,
            Pdu::PhaseReport(_) => Kind::PhaseReport,
        }
    }

    pub(super) fn flags(&self) -> u8 {
        let Pdu::Reply { receive_by_kernel, class, residence, .. } = self else { return 0 };
        let received = if *receive_by_kernel { RECEIVE_BY_KERNEL } else { 0 };
        let residence =
            residence.map_or(0, |residence| RESIDENCE | if residence.by_kernel { RESIDENCE_BY_KERNEL } else { 0 });
        received | residence | if class.is_some() { CLASS } else { 0 }
    }

    pub(super) fn parse(kind: Kind, flags: u8, reader: &mut Reader) -> Result<Pdu, ParseError> {
        Ok(match kind {
            Kind::Hello => Pdu::Hello { nonce: reader.array("nonce")? },
            Kind::Cookie => Pdu::Cookie { nonce: reader.array("nonce")?, cookie: reader.array("cookie")? },
            Kind::Open => {
                let (nonce, cookie) = (reader.array("nonce")?, reader.array("cookie")?);
                Pdu::Open { nonce, cookie, wanted: Limits::parse(reader)? }
            }
            Kind::Opened => {
                let (nonce, granted) = (reader.array("nonce")?, Limits::parse(reader)?);
                Pdu::Opened { nonce, granted, proof: reader.u64("proof")?, seen_at: address(reader)? }
            }
            Kind::Refused => Pdu::Refused { nonce: reader.array("nonce")?, reason: Reason::parse(reader)? },
            Kind::Probe => Pdu::Probe { sent_ns: reader.u64("transmit timestamp")?, phase: reader.u32("phase")? },
            Kind::Reply => {
                let receive_ns = reader.u64("receive timestamp")?;
                let class = Some(reader.byte("traffic class")?).filter(|_| flags & CLASS != 0);
                let [high, middle, low] = reader.array("earlier reply")?;
                let (earlier, ns) = (u32::from_be_bytes([0, high, middle, low]), reader.u32("residence time")?);
                let residence = (flags & RESIDENCE != 0).then_some(Residence {
                    earlier,
                    ns,
                    by_kernel: flags & RESIDENCE_BY_KERNEL != 0,
                });
                Pdu::Reply { receive_ns, receive_by_kernel: flags & RECEIVE_BY_KERNEL != 0, class, residence }
            }
            Kind::Load => Pdu::Load { sent_ns: reader.u64("transmit timestamp")?, proof: reader.u64("proof")? },
            Kind::Start => {
                let (bit_rate, octets) = (reader.u64("bit rate")?, reader.u16("octets")?);
                let (duration_ns, dscp) = (reader.u64("duration")?, dscp(reader)?);
                Pdu::Start { bit_rate, octets, duration_ns, dscp, proof: reader.u64("proof")? }
            }
            Kind::Query => Pdu::Query { proof: reader.u64("proof")? },
            Kind::Stop => Pdu::Stop,
            Kind::Report => Pdu::Report { report: Report::parse(reader)?, proof: reader.u64("proof")? },
            Kind::Close => Pdu::Close,
            Kind::Closed => Pdu::Closed { reason: Reason::parse(reader)?, report: Report::parse(reader)? },
            Kind::PhaseQuery => Pdu::PhaseQuery { phase: reader.u32("phase")? },
            Kind::PhaseReport => Pdu::PhaseReport(PhaseReport::parse(reader)?),
            Kind::Stream => Pdu::Stream(Stream::parse(reader)?),
            Kind::Granted => Pdu::Granted { limits: Limits::parse(reader)? },
            Kind::StreamReport => {
                Pdu::StreamReport { octets: reader.u64("octets")?, elapsed_ns: reader.u64("elapsed")? }
            }
        })
    }

    pub(super) fn emit(&self, writer: &mut Writer) {
        match self {
            Pdu::Hello { nonce } => writer.bytes(nonce),
            Pdu::Cookie { nonce, cookie } => {
                writer.bytes(nonce);
                writer.bytes(cookie);
            }
            Pdu::Open { nonce, cookie, wanted } => {
                writer.bytes(nonce);
                writer.bytes(cookie);
                wanted.emit(writer);
            }
            Pdu::Opened { nonce, granted, proof, seen_at } => {
                writer.bytes(nonce);
                granted.emit(writer);
                writer.u64(*proof);
                emit_address(*seen_at, writer);
            }
            Pdu::Refused { nonce, reason } => {
                writer.bytes(nonce);
                writer.byte(*reason as u8);
            }
            Pdu::Probe { sent_ns, phase } => {
                writer.u64(*sent_ns);
                writer.u32(*phase);
            }
            Pdu::Load { sent_ns, proof } => {
                writer.u64(*sent_ns);
                writer.u64(*proof);
            }
            Pdu::PhaseQuery { phase } => writer.u32(*phase),
            Pdu::PhaseReport(report) => report.emit(writer),
            Pdu::Reply { receive_ns, class, residence, .. } => {
                writer.u64(*receive_ns);
                writer.byte(class.unwrap_or(0));
                let [_, earlier @ ..] = residence.map_or(0, |residence| residence.earlier).to_be_bytes();
                writer.bytes(&earlier);
                writer.u32(residence.map_or(0, |residence| residence.ns));
            }
            Pdu::Start { bit_rate, octets, duration_ns, dscp, proof } => {
                writer.u64(*bit_rate);
                writer.u16(*octets);
                writer.u64(*duration_ns);
                writer.byte(*dscp);
                writer.u64(*proof);
            }
            Pdu::Query { proof } => writer.u64(*proof),
            Pdu::Stop | Pdu::Close => {}
            Pdu::Report { report, proof } => {
                report.emit(writer);
                writer.u64(*proof);
            }
            Pdu::Closed { reason, report } => {
                writer.byte(*reason as u8);
                report.emit(writer);
            }
            Pdu::Stream(stream) => stream.emit(writer),
            Pdu::Granted { limits } => limits.emit(writer),
            Pdu::StreamReport { octets, elapsed_ns } => {
                writer.u64(*octets);
                writer.u64(*elapsed_ns);
            }
        }
    }
}

/// An address and a port, IPv4 mapped to IPv6; zeros where there is none, as in the padding of an earlier release.
fn address(reader: &mut Reader) -> Result<Option<SocketAddr>, ParseError> {
    let (octets, port) = (reader.array::<16>("address")?, reader.u16("port")?);
    let ip = Ipv6Addr::from(octets).to_canonical();
    Ok((port != 0).then(|| SocketAddr::new(ip, port)))
}

fn emit_address(address: Option<SocketAddr>, writer: &mut Writer) {
    let octets = match address.map(|address| address.ip()) {
        Some(IpAddr::V4(ip)) => ip.to_ipv6_mapped().octets(),
        Some(IpAddr::V6(ip)) => ip.octets(),
        None => [0; 16],
    };
    writer.bytes(&octets);
    writer.u16(address.map_or(0, |address| address.port()));
}
