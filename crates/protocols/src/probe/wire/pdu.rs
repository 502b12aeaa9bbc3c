//! What a packet says.

use super::{Cookie, Fault, Kind, Limits, Nonce, Reason, Report, Stream};
use crate::cursor::{Reader, Writer};

/// What a packet says, by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pdu {
    /// A client asks for a cookie.
    Hello {
        /// The client's.
        nonce: Nonce,
    },
    /// The agent's answer, for which it keeps nothing.
    Cookie {
        /// That of the hello.
        nonce: Nonce,
        /// To be shown with [`Pdu::Open`].
        cookie: Cookie,
    },
    /// A client wants a session.
    Open {
        /// That of the hello.
        nonce: Nonce,
        /// What the agent gave for it.
        cookie: Cookie,
        /// How much the client means to do.
        wanted: Limits,
    },
    /// There is a session; its token is in the header.
    Opened {
        /// That of the opening.
        nonce: Nonce,
        /// How much the client may do, nowhere more than it wanted.
        granted: Limits,
    },
    /// The agent does not do what was asked.
    Refused {
        /// That of the opening, zeros otherwise.
        nonce: Nonce,
        /// Why.
        reason: Reason,
    },
    /// A client wants a reply as long as this.
    Probe {
        /// When it was sent, on the client's clock.
        sent_ns: u64,
    },
    /// The reply to the probe of the same sequence number.
    Reply {
        /// When the probe came, on the agent's clock.
        receive_ns: u64,
        /// Whether the kernel took that time, rather than the agent when it read the probe.
        receive_by_kernel: bool,
        /// When an earlier reply left.
        held: Option<Held>,
    },
    /// Counted by whoever receives it.
    Load {
        /// When it was sent, on the sender's clock.
        sent_ns: u64,
    },
    /// The agent is to send load.
    Start {
        /// Bits of UDP payload per second, at least 1.
        bit_rate: u64,
        /// Octets of each packet.
        octets: u16,
        /// For how long.
        duration_ns: u64,
    },
    /// The agent is to tell what it counted.
    Ask,
    /// The agent is to send no more load.
    Stop,
    /// What the agent counted: the answer to [`Pdu::Start`], [`Pdu::Ask`] and [`Pdu::Stop`], with their sequence number.
    Report(Report),
    /// The client ends the session.
    Close,
    /// The session has ended.
    Closed {
        /// Why.
        reason: Reason,
        /// What was counted.
        report: Report,
    },
    /// A client wants a TCP connection to carry load or probes.
    Stream(Stream),
    /// The connection may.
    Granted {
        /// The session's.
        limits: Limits,
    },
    /// What came over the connection.
    StreamReport {
        /// Octets.
        octets: u64,
        /// From the grant to the last of them.
        elapsed_ns: u64,
    },
}

/// How long an earlier reply took to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Which one: the sequence number of this reply less that of the earlier one.
    pub earlier: u32,
    /// From the `receive_ns` of its probe to its leaving, up to 4.29 s.
    pub ns: u32,
    /// Whether the kernel took the time of its leaving.
    pub by_kernel: bool,
}

/// The agent's receive stamp is the kernel's.
const RECEIVE_BY_KERNEL: u8 = 1;
/// There is a [`Held`].
const HELD: u8 = 2;
/// Its stamp is the kernel's.
const HELD_BY_KERNEL: u8 = 4;

impl Pdu {
    /// Its kind.
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
            Pdu::Ask => Kind::Ask,
            Pdu::Stop => Kind::Stop,
            Pdu::Report(_) => Kind::Report,
            Pdu::Close => Kind::Close,
            Pdu::Closed { .. } => Kind::Closed,
            Pdu::Stream(_) => Kind::Stream,
            Pdu::Granted { .. } => Kind::Granted,
            Pdu::StreamReport { .. } => Kind::StreamReport,
        }
    }

    pub(super) fn flags(&self) -> u8 {
        let Pdu::Reply { receive_by_kernel, held, .. } = self else { return 0 };
        let received = if *receive_by_kernel { RECEIVE_BY_KERNEL } else { 0 };
        let held = held.map_or(0, |held| HELD | if held.by_kernel { HELD_BY_KERNEL } else { 0 });
        received | held
    }

    pub(super) fn parse(kind: Kind, flags: u8, reader: &mut Reader) -> Result<Pdu, Fault> {
        Ok(match kind {
            Kind::Hello => Pdu::Hello { nonce: reader.array("nonce")? },
            Kind::Cookie => Pdu::Cookie { nonce: reader.array("nonce")?, cookie: reader.array("cookie")? },
            Kind::Open => {
                let (nonce, cookie) = (reader.array("nonce")?, reader.array("cookie")?);
                Pdu::Open { nonce, cookie, wanted: Limits::parse(reader)? }
            }
            Kind::Opened => Pdu::Opened { nonce: reader.array("nonce")?, granted: Limits::parse(reader)? },
            Kind::Refused => Pdu::Refused { nonce: reader.array("nonce")?, reason: Reason::parse(reader)? },
            Kind::Probe => Pdu::Probe { sent_ns: reader.u64("time of sending")? },
            Kind::Reply => {
                let receive_ns = reader.u64("time of receipt")?;
                let (earlier, ns) = (reader.u32("earlier reply")?, reader.u32("time held")?);
                let held = (flags & HELD != 0).then_some(Held { earlier, ns, by_kernel: flags & HELD_BY_KERNEL != 0 });
                Pdu::Reply { receive_ns, receive_by_kernel: flags & RECEIVE_BY_KERNEL != 0, held }
            }
            Kind::Load => Pdu::Load { sent_ns: reader.u64("time of sending")? },
            Kind::Start => {
                let (bit_rate, octets) = (reader.u64("bit rate")?, reader.u16("octets")?);
                Pdu::Start { bit_rate, octets, duration_ns: reader.u64("duration")? }
            }
            Kind::Ask => Pdu::Ask,
            Kind::Stop => Pdu::Stop,
            Kind::Report => Pdu::Report(Report::parse(reader)?),
            Kind::Close => Pdu::Close,
            Kind::Closed => Pdu::Closed { reason: Reason::parse(reader)?, report: Report::parse(reader)? },
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
            Pdu::Opened { nonce, granted } => {
                writer.bytes(nonce);
                granted.emit(writer);
            }
            Pdu::Refused { nonce, reason } => {
                writer.bytes(nonce);
                writer.byte(*reason as u8);
            }
            Pdu::Probe { sent_ns } | Pdu::Load { sent_ns } => writer.u64(*sent_ns),
            Pdu::Reply { receive_ns, held, .. } => {
                writer.u64(*receive_ns);
                writer.u32(held.map_or(0, |held| held.earlier));
                writer.u32(held.map_or(0, |held| held.ns));
            }
            Pdu::Start { bit_rate, octets, duration_ns } => {
                writer.u64(*bit_rate);
                writer.u16(*octets);
                writer.u64(*duration_ns);
            }
            Pdu::Ask | Pdu::Stop | Pdu::Close => {}
            Pdu::Report(report) => report.emit(writer),
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
