//! A reflector that is a member of a group: it hears what is sent to the group's address, and answers from its own.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::ops::Range;

use sojourn_scenario::{Problem, Problems};

use super::{Door, unopened};
use crate::clock::Clock;
use crate::measuring::datagrams::Datagrams;
use crate::target::Target;

/// What a URL says of the interface that the group is joined at.
const INTERFACE: &str = "?interface=";

/// Opens a door at the URL's address: of the one reflector that is there, or of a member of the group that it names.
pub fn open(target: &Target, default_port: Option<u16>, clock: Clock) -> Result<Door, Problems> {
    let (address, rest) = target.socket_address_and_rest(default_port)?;
    let interface = match target.text()[rest.clone()].strip_prefix(INTERFACE) {
        Some(value) => Some(interface(target, rest.end - value.len()..rest.end)?),
        None => None,
    };
    let refused = |fault: &std::io::Error| unopened(target, "UDP", address, fault);
    let group = match (address, interface) {
        (SocketAddr::V4(group), _) if group.ip().is_multicast() => group,
        (SocketAddr::V6(group), _) if group.ip().is_multicast() => {
            return Err(target.whole_problem("groups of IPv6 are not joined: name one of IPv4, 224.0.0.0/4").into());
        }
        (_, Some(_)) => {
            let message = format!("this is where a group is joined, and {} is no group", address.ip());
            return Err(target.problem(rest, message).into());
        }
        // which refuses what else stands behind the port
        (_, None) => {
            let address = target.socket_address(default_port)?;
            return Ok(Door::new(Datagrams::at(clock, address).map_err(|fault| refused(&fault))?));
        }
    };
    let own = interface.map_or_else(|| towards(target, group), Ok)?;
    let hearing = Datagrams::in_group(clock, group, own).map_err(|fault| refused(&fault))?;
    let speaking = Datagrams::at(clock, (own, group.port()).into()).map_err(|fault| refused(&fault))?;
    Ok(Door::of_member(hearing, speaking))
}

fn interface(target: &Target, value: Range<usize>) -> Result<Ipv4Addr, Problem> {
    let text = &target.text()[value.clone()];
    text.parse().map_err(|_| target.problem(value.clone(), format!("`{text}` is no IPv4 address of this host")))
}

/// The address of this host that packets to a group leave from.
fn towards(target: &Target, group: SocketAddrV4) -> Result<Ipv4Addr, Problems> {
    let asked = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect(group)?;
        socket.local_addr()
    });
    match asked {
        Ok(SocketAddr::V4(own)) => Ok(*own.ip()),
        _ => {
            let message = format!("no route of this host leads to the group {}", group.ip());
            Err(target
                .whole_problem(message)
                .help(format!("name an address of the interface: {INTERFACE}192.0.2.1"))
                .into())
        }
    }
}
