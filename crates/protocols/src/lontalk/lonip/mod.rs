//! LonTalk packets in UDP datagrams: ISO/IEC 14908-4 (EIA-852), "LON/IP".
//!
//! ```text
//! IPv4 header (20) | UDP header (8) | common header (20) | LPDU, CRC included
//! ```
//!
//! A [`DataPacket`] is what LON/IP devices exchange; [`capture_record`] puts IPv4 and UDP around one,
//! as a capture file of link type 101 (raw IP) holds it.

mod datagram;
mod header;

pub use datagram::{HEADERS_LENGTH, Stamp, capture_record, datagram_record, destination_host, host};
pub use header::{DataPacket, HEADER_LENGTH, LonIpError, PORT, PacketType};
