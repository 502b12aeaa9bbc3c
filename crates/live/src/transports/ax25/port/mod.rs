//! Ports to a channel: a KISS TNC over TCP or a serial line, or AX.25 in UDP datagrams.
//!
//! Each is a [`PacketIo`] of frames, and of commands for the TNC if there is one.

pub mod axudp;
pub mod kiss;

use sojourn_protocols::kiss::Fault;

use crate::io::line::Loss;
use crate::io::packet_io::PacketIo;

/// The kind of a port's datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A frame, without flags and FCS.
    Channel,
    /// A command to the TNC or its response (KISS SetHardware).
    Tnc,
}

/// A notice of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The connection is lost; the port reconnects.
    Lost(Loss),
    /// The connection is restored.
    Restored,
    /// Received bytes were not KISS.
    Garbage(Fault),
    /// A datagram with a wrong or missing FCS.
    BadFcs,
    /// A frame for a station whose host is not known.
    NoRoute,
    /// The network returned an error for a datagram.
    Refused(crate::io::network_error::NetworkError),
}

/// A port to a channel.
pub trait Port: PacketIo<End = End, Notice = Notice> {
    /// Its name in messages.
    fn name(&self) -> String;
}

/// The KISS command of a frame, which begins each record of a capture of link type 202.
const KISS_DATA: u8 = 0;

/// Replaces `record` by a frame as captures hold it; commands to the TNC are left out.
fn capture(end: End, octets: &[u8], record: &mut Vec<u8>) -> bool {
    record.clear();
    record.push(KISS_DATA);
    record.extend_from_slice(octets);
    end == End::Channel
}
