//! Counters of a session at the agent.

use super::ParseError;
use crate::cursor::{Reader, Writer};

/// Counters since the session opened; timestamps on the agent's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of probes that the agent replied to.
    pub probes: u64,
    /// Load packets received, each sequence number once.
    pub load_packets: u64,
    /// UDP payload of those packets, octets.
    pub load_octets: u64,
    /// Receive timestamp of the first of them, ns; 0 without one.
    pub first_ns: u64,
    /// Receive timestamp of the last of them, ns; 0 without one.
    pub last_ns: u64,
    /// Packets with a repeated sequence number, or one below the replay window.
    pub replayed: u64,
    /// Packets dropped because they exceeded the limits.
    pub over_limit: u64,
    /// Load packets sent to the client.
    pub sent_packets: u64,
    /// UDP payload of those packets, octets.
    pub sent_octets: u64,
}

impl Report {
    pub(super) fn parse(reader: &mut Reader) -> Result<Report, ParseError> {
        Ok(Report {
            probes: reader.u64("probes")?,
            load_packets: reader.u64("load packets")?,
            load_octets: reader.u64("load octets")?,
            first_ns: reader.u64("first load")?,
            last_ns: reader.u64("last load")?,
            replayed: reader.u64("replayed")?,
            over_limit: reader.u64("over limit")?,
            sent_packets: reader.u64("sent packets")?,
            sent_octets: reader.u64("sent octets")?,
        })
    }

    pub(super) fn emit(&self, writer: &mut Writer) {
        for count in [
            self.probes,
            self.load_packets,
            self.load_octets,
            self.first_ns,
            self.last_ns,
            self.replayed,
            self.over_limit,
            self.sent_packets,
            self.sent_octets,
        ] {
            writer.u64(count);
        }
    }
}
