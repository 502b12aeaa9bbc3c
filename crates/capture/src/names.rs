//! Names of flows, addresses and services: as text for users, and as members of metric names.
//!
//! A member has letters, digits, `-` and `_` only: `acknowledged/1-5/1-9` in `response_time/acknowledged/1-5/1-9`.

use std::fmt::{self, Display};
use std::net::IpAddr;

use sojourn_protocols::modbus::Function;

use crate::{Address, FlowKey, LonTalkService, Service};

impl FlowKey {
    /// The flow as a member of a metric's name: service, initiator, responder.
    pub fn member(&self) -> String {
        format!("{}/{}/{}", self.service.member(), self.from.member(), self.to.member())
    }
}

impl Display for FlowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}, {}", self.from, self.to, self.service)
    }
}

impl Address {
    /// The address as a member of a metric's name.
    pub fn member(&self) -> String {
        let text = match self {
            Address::LonTalk(_, node) => format!("{}-{}", node.subnet, node.node),
            other => other.to_string(),
        };
        let domain = match self {
            Address::LonTalk(domain, _) | Address::LonTalkGroup(domain, _) | Address::LonTalkBroadcast(domain, _) => {
                domain_identifier(domain)
            }
            _ => String::new(),
        };
        let member = if domain.is_empty() { text } else { format!("domain-{domain}-{text}") };
        member.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect()
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Unknown => write!(f, "unknown"),
            Address::Mac([a, b, c, d, e, g]) => write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}"),
            Address::Ip(IpAddr::V4(address)) => address.fmt(f),
            Address::Ip(IpAddr::V6(address)) => address.fmt(f),
            Address::LonTalk(_, node) => write!(f, "{}/{}", node.subnet, node.node),
            Address::LonTalkGroup(_, group) => write!(f, "group {group}"),
            Address::LonTalkBroadcast(_, 0) => write!(f, "domain"),
            Address::LonTalkBroadcast(_, subnet) => write!(f, "subnet {subnet}"),
            Address::UniqueId(id) => id.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            Address::Callsign(callsign) => callsign.fmt(f),
            Address::Circuit(vpi, vci) => write!(f, "{vpi}/{vci}"),
            Address::Mstp(station) => write!(f, "MAC {station}"),
            Address::Client => write!(f, "client"),
            Address::Unit(unit) => write!(f, "unit {unit}"),
            Address::Can(id) => id.fmt(f),
            Address::Node(node) => write!(f, "node {node}"),
            Address::J1939(address) => write!(f, "SA {address:02X}"),
            Address::Everyone => write!(f, "everyone"),
        }
    }
}

fn domain_identifier(domain: &[u8; 7]) -> String {
    let length = usize::from(domain[0]).min(6);
    domain[1..=length].iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Service {
    /// The service as a member of a metric's name.
    pub fn member(&self) -> String {
        match self {
            Service::LonTalk(service) => service.member().to_owned(),
            Service::Tcp(port) => format!("tcp-{port}"),
            Service::Udp(port) => format!("udp-{port}"),
            Service::Echo => "echo".to_owned(),
            Service::Ax25 => "ax25".to_owned(),
            Service::Ax25Unnumbered => "ui".to_owned(),
            Service::NetRom => "netrom".to_owned(),
            Service::Rose => "rose".to_owned(),
            Service::Xtp(0) => "xtp".to_owned(),
            Service::Xtp(port) => format!("xtp-{port}"),
            Service::Bacnet => "bacnet".to_owned(),
            Service::BacnetUnconfirmed => "bacnet-unconfirmed".to_owned(),
            Service::Mstp => "mstp".to_owned(),
            Service::Modbus(function) => format!("modbus-{function}"),
            Service::Can => "can".to_owned(),
            Service::RemoteFrame => "remote".to_owned(),
            Service::Uds(service) => format!("uds-{service:02X}"),
            Service::Sdo => "sdo".to_owned(),
            Service::ParameterGroup(pgn) => format!("pgn-{pgn}"),
            Service::Other(number) => format!("protocol-{number}"),
        }
    }
}

impl Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Service::LonTalk(service) => service.fmt(f),
            Service::Tcp(port) => write!(f, "TCP {port}"),
            Service::Udp(port) => write!(f, "UDP {port}"),
            Service::Echo => write!(f, "ICMP echo"),
            Service::Ax25 => write!(f, "AX.25"),
            Service::Ax25Unnumbered => write!(f, "AX.25 UI"),
            Service::NetRom => write!(f, "NET/ROM"),
            Service::Rose => write!(f, "ROSE"),
            Service::Xtp(0) => write!(f, "XTP"),
            Service::Xtp(port) => write!(f, "XTP {port}"),
            Service::Bacnet => write!(f, "BACnet"),
            Service::BacnetUnconfirmed => write!(f, "BACnet, unconfirmed"),
            Service::Mstp => write!(f, "MS/TP"),
            Service::Modbus(function) => modbus(*function, f),
            Service::Can => write!(f, "CAN"),
            Service::RemoteFrame => write!(f, "remote frame"),
            Service::Uds(service @ ..0x10) => write!(f, "OBD {service:02X}"),
            Service::Uds(service) => uds(*service, f),
            Service::Sdo => write!(f, "SDO"),
            Service::ParameterGroup(pgn) => write!(f, "J1939 request, PGN {pgn}"),
            Service::Other(number) => write!(f, "protocol {number}"),
        }
    }
}

/// A function of Modbus by its code and, where it is a public one, its name.
fn modbus(code: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "Modbus {code}")?;
    match Function::of(code) {
        Some(Function::ReadCoils) => write!(f, ", read coils"),
        Some(Function::ReadDiscreteInputs) => write!(f, ", read discrete inputs"),
        Some(Function::ReadHoldingRegisters) => write!(f, ", read holding registers"),
        Some(Function::ReadInputRegisters) => write!(f, ", read input registers"),
        Some(Function::WriteSingleCoil) => write!(f, ", write single coil"),
        Some(Function::WriteSingleRegister) => write!(f, ", write single register"),
        Some(Function::WriteMultipleCoils) => write!(f, ", write multiple coils"),
        Some(Function::WriteMultipleRegisters) => write!(f, ", write multiple registers"),
        Some(Function::MaskWriteRegister) => write!(f, ", mask write register"),
        Some(Function::ReadWriteMultipleRegisters) => write!(f, ", read/write multiple registers"),
        None => Ok(()),
    }
}

/// A service of UDS by its number and, where it is a common one, its name (ISO 14229-1, table 2).
fn uds(number: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let name = match number {
        0x10 => "session control",
        0x11 => "ECU reset",
        0x14 => "clear diagnostic information",
        0x19 => "read DTC information",
        0x22 => "read data by identifier",
        0x23 => "read memory by address",
        0x27 => "security access",
        0x28 => "communication control",
        0x2e => "write data by identifier",
        0x2f => "input output control",
        0x31 => "routine control",
        0x34 => "request download",
        0x35 => "request upload",
        0x36 => "transfer data",
        0x37 => "request transfer exit",
        0x3d => "write memory by address",
        0x3e => "tester present",
        0x85 => "control DTC setting",
        _ => return write!(f, "UDS {number:02X}"),
    };
    write!(f, "UDS {number:02X}, {name}")
}

impl LonTalkService {
    const fn member(self) -> &'static str {
        match self {
            LonTalkService::Unacknowledged => "unacknowledged",
            LonTalkService::Repeated => "repeated",
            LonTalkService::Acknowledged => "acknowledged",
            LonTalkService::Authenticated => "authenticated",
            LonTalkService::RequestResponse => "request",
            LonTalkService::AuthenticatedRequestResponse => "authenticated-request",
        }
    }
}

impl Display for LonTalkService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LonTalkService::Unacknowledged => "unacknowledged",
            LonTalkService::Repeated => "unacknowledged repeated",
            LonTalkService::Acknowledged => "acknowledged",
            LonTalkService::Authenticated => "acknowledged, authenticated",
            LonTalkService::RequestResponse => "request/response",
            LonTalkService::AuthenticatedRequestResponse => "request/response, authenticated",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use sojourn_protocols::lontalk::wire::SubnetNode;

    use super::*;

    #[test]
    fn a_member_has_the_characters_of_metric_names_only() {
        let domain = [1, 0x4a, 0, 0, 0, 0, 0];
        let key = FlowKey {
            from: Address::LonTalk(domain, SubnetNode::new(1, 5)),
            to: Address::Ip(Ipv6Addr::LOCALHOST.into()),
            service: Service::LonTalk(LonTalkService::Acknowledged),
        };
        assert_eq!(key.member(), "acknowledged/domain-4a-1-5/--1");
        let plain = Address::LonTalk([0; 7], SubnetNode::new(1, 5));
        assert_eq!((plain.member().as_str(), plain.to_string().as_str()), ("1-5", "1/5"));
    }
}
