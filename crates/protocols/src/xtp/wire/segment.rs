//! Address and traffic segments of packets that open an association.

use super::error::ParseError;
use crate::cursor::{Reader, Writer};

/// Address segment of a FIRST or JCNTL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// `adomain` field, not interpreted.
    pub domain: u8,
    /// Hosts and ports, in one of the address formats.
    pub hosts: Hosts,
}

/// Addresses of both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// Format 0, null: the network below identifies the hosts.
    #[default]
    Null,
    /// Format 1: IPv4 hosts and ports.
    Ipv4 {
        /// `dsthost`: destination IPv4 address.
        destination: [u8; 4],
        /// `srchost`: source IPv4 address.
        source: [u8; 4],
        /// Port at the destination.
        destination_port: u16,
        /// Port at the source.
        source_port: u16,
    },
}

/// Traffic segment: what the sender of a FIRST, TCNTL or JCNTL requests or grants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Service of the association.
    pub service: Service,
    /// Rates and bursts, in one of the traffic formats.
    pub specification: Specification,
}

/// The `service` field of a traffic segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Service {
    /// 0, no service specified.
    #[default]
    Unspecified,
    /// 1, datagram without acknowledgement.
    UnacknowledgedDatagram,
    /// 2, datagram with acknowledgement.
    AcknowledgedDatagram,
    /// 3, request and response as a transaction.
    Transaction,
    /// 4, reliable unicast stream.
    ReliableUnicastStream,
    /// 5, unacknowledged multicast stream.
    UnacknowledgedMulticastStream,
    /// 6, reliable multicast stream.
    ReliableMulticastStream,
}

/// The two formats of a traffic specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specification {
    /// Format 0: four bytes defined by the users.
    Plain(u32),
    /// Format 1. Rates in bytes/s and bursts in bytes; all ones mean unlimited.
    Rates {
        /// `maxdata`: maximum data bytes of a packet.
        max_data: u32,
        /// `inrate`: rate that the sender of the segment accepts.
        in_rate: u32,
        /// `inburst`: burst that it accepts.
        in_burst: u32,
        /// `outrate`: maximum rate that it sends.
        out_rate: u32,
        /// `outburst`: maximum burst that it sends.
        out_burst: u32,
    },
}

impl Default for Specification {
    fn default() -> Self {
        Specification::Plain(0)
    }
}

impl Service {
    /// All services, in the order of their codes.
    pub const ALL: [Service; 7] = [
        Service::Unspecified,
        Service::UnacknowledgedDatagram,
        Service::AcknowledgedDatagram,
        Service::Transaction,
        Service::ReliableUnicastStream,
        Service::UnacknowledgedMulticastStream,
        Service::ReliableMulticastStream,
    ];
}

impl Address {
    const NULL_LENGTH: u16 = 8;
    const IPV4_LENGTH: u16 = 16;

    /// An address of format 0.
    pub const NULL: Address = Address { domain: 0, hosts: Hosts::Null };

    /// An address of format 1: hosts and ports of source and destination.
    pub const fn ipv4(source: ([u8; 4], u16), destination: ([u8; 4], u16)) -> Self {
        let (source, source_port) = source;
        let (destination, destination_port) = destination;
        Address { domain: 0, hosts: Hosts::Ipv4 { destination, source, destination_port, source_port } }
    }

    /// Destination port, in format 1.
    pub const fn destination_port(&self) -> Option<u16> {
        match self.hosts {
            Hosts::Null => None,
            Hosts::Ipv4 { destination_port, .. } => Some(destination_port),
        }
    }

    const fn alen(&self) -> u16 {
        match self.hosts {
            Hosts::Null => Address::NULL_LENGTH,
            Hosts::Ipv4 { .. } => Address::IPV4_LENGTH,
        }
    }

    /// Length of the segment, bytes.
    pub const fn length(&self) -> usize {
        self.alen() as usize
    }

    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let field = reader.u16("address length")?;
        let (domain, format) = (reader.byte("address domain")?, reader.byte("address format")?);
        let expected = match format {
            0 => Address::NULL_LENGTH,
            1 => Address::IPV4_LENGTH,
            other => return Err(ParseError::AddressFormat(other)),
        };
        if field != expected {
            return Err(ParseError::AddressLength { format, field, expected });
        }
        let hosts = if format == 0 {
            reader.u32("null address")?;
            Hosts::Null
        } else {
            Hosts::Ipv4 {
                destination: reader.array("destination host")?,
                source: reader.array("source host")?,
                destination_port: reader.u16("destination port")?,
                source_port: reader.u16("source port")?,
            }
        };
        Ok(Address { domain, hosts })
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) {
        writer.u16(self.alen());
        writer.byte(self.domain);
        match self.hosts {
            Hosts::Null => {
                writer.byte(0);
                writer.u32(0);
            }
            Hosts::Ipv4 { destination, source, destination_port, source_port } => {
                writer.byte(1);
                writer.bytes(&destination);
                writer.bytes(&source);
                writer.u16(destination_port);
                writer.u16(source_port);
            }
        }
    }
}

impl Traffic {
    const PLAIN_LENGTH: u16 = 8;
    const RATES_LENGTH: u16 = 24;

    const fn tlen(&self) -> u16 {
        match self.specification {
            Specification::Plain(_) => Traffic::PLAIN_LENGTH,
            Specification::Rates { .. } => Traffic::RATES_LENGTH,
        }
    }

    /// Length of the segment, bytes.
    pub const fn length(&self) -> usize {
        self.tlen() as usize
    }

    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let field = reader.u16("traffic length")?;
        let (service, format) = (reader.byte("service")?, reader.byte("traffic format")?);
        let expected = match format {
            0 => Traffic::PLAIN_LENGTH,
            1 => Traffic::RATES_LENGTH,
            other => return Err(ParseError::TrafficFormat(other)),
        };
        if field != expected {
            return Err(ParseError::TrafficLength { format, field, expected });
        }
        let service = *Service::ALL.get(usize::from(service)).ok_or(ParseError::Service(service))?;
        let specification = if format == 0 {
            Specification::Plain(reader.u32("traffic specification")?)
        } else {
            Specification::Rates {
                max_data: reader.u32("maxdata")?,
                in_rate: reader.u32("inrate")?,
                in_burst: reader.u32("inburst")?,
                out_rate: reader.u32("outrate")?,
                out_burst: reader.u32("outburst")?,
            }
        };
        Ok(Traffic { service, specification })
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) {
        writer.u16(self.tlen());
        writer.byte(self.service as u8);
        match self.specification {
            Specification::Plain(word) => {
                writer.byte(0);
                writer.u32(word);
            }
            Specification::Rates { max_data, in_rate, in_burst, out_rate, out_burst } => {
                writer.byte(1);
                for word in [max_data, in_rate, in_burst, out_rate, out_burst] {
                    writer.u32(word);
                }
            }
        }
    }
}
