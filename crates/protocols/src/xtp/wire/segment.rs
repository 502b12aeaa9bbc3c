//! The address and traffic segments, by which a packet that opens an association says for whom and for what it is.

use super::error::ParseError;
use crate::cursor::{Reader, Writer};

/// Whom a FIRST or JCNTL is for, and who sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The `adomain` field.
    pub domain: u8,
    /// The hosts and ports.
    pub hosts: Hosts,
}

/// The two ends in one of the address formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// Format 0: the network below has told.
    #[default]
    Null,
    /// Format 1: IPv4 hosts and ports.
    Ipv4 {
        /// Destination host.
        destination: [u8; 4],
        /// Source host.
        source: [u8; 4],
        /// Destination port.
        destination_port: u16,
        /// Source port.
        source_port: u16,
    },
}

/// What the sender of a FIRST, TCNTL or JCNTL asks of the association or grants it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The kind of association.
    pub service: Service,
    /// Its rates, in one of the traffic formats.
    pub specification: Specification,
}

/// The `service` field of a traffic segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Service {
    /// 0, unspecified.
    #[default]
    Unspecified,
    /// 1, unacknowledged datagram.
    UnacknowledgedDatagram,
    /// 2, acknowledged datagram.
    AcknowledgedDatagram,
    /// 3, transaction.
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
    /// Format 0: four bytes whose meaning is the users' affair.
    Plain(u32),
    /// Format 1. Rates in bytes/s and bursts in bytes; all ones mean that there is no limit.
    Rates {
        /// The largest number of data bytes of one packet.
        max_data: u32,
        /// What the sender of the segment is ready to take.
        in_rate: u32,
        /// The burst it is ready to take.
        in_burst: u32,
        /// What the sender of the segment will send at most.
        out_rate: u32,
        /// The burst it will send at most.
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

    /// The port it is for, in format 1.
    pub const fn destination_port(&self) -> Option<u16> {
        match self.hosts {
            Hosts::Null => None,
            Hosts::Ipv4 { destination_port, .. } => Some(destination_port),
        }
    }

    const fn said_length(&self) -> u16 {
        match self.hosts {
            Hosts::Null => Address::NULL_LENGTH,
            Hosts::Ipv4 { .. } => Address::IPV4_LENGTH,
        }
    }

    /// Bytes of the segment.
    pub const fn length(&self) -> usize {
        self.said_length() as usize
    }

    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let said = reader.u16("address length")?;
        let (domain, format) = (reader.byte("address domain")?, reader.byte("address format")?);
        let expected = match format {
            0 => Address::NULL_LENGTH,
            1 => Address::IPV4_LENGTH,
            other => return Err(ParseError::AddressFormat(other)),
        };
        if said != expected {
            return Err(ParseError::AddressLength { format, said, expected });
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
        writer.u16(self.said_length());
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

    const fn said_length(&self) -> u16 {
        match self.specification {
            Specification::Plain(_) => Traffic::PLAIN_LENGTH,
            Specification::Rates { .. } => Traffic::RATES_LENGTH,
        }
    }

    /// Bytes of the segment.
    pub const fn length(&self) -> usize {
        self.said_length() as usize
    }

    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let said = reader.u16("traffic length")?;
        let (service, format) = (reader.byte("service")?, reader.byte("traffic format")?);
        let expected = match format {
            0 => Traffic::PLAIN_LENGTH,
            1 => Traffic::RATES_LENGTH,
            other => return Err(ParseError::TrafficFormat(other)),
        };
        if said != expected {
            return Err(ParseError::TrafficLength { format, said, expected });
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
        writer.u16(self.said_length());
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
