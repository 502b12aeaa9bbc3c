//! Opens a reflector's socket: unicast, or as a multicast group member that receives on the group's address and
//! replies from its own.

use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::ops::Range;
use std::str::FromStr;

use sojourn_scenario::{Problem, Problems};

use super::ReflectorSocket;
use crate::io::clock::Clock;
use crate::io::datagrams::{Datagrams, Marking};
use crate::io::listen_error::listen_error;
use crate::target::Target;
use crate::target::interface;

/// The URL's query for the interface on which the group is joined.
const INTERFACE: &str = "?interface=";

/// Binds the URL's address, or joins the group that it names.
pub fn open(target: &Target, default_port: Option<u16>, clock: Clock) -> Result<ReflectorSocket, Problems> {
    let (address, rest) = target.socket_address_and_rest(default_port)?;
    let refused = |fault: std::io::Error| listen_error(target, "UDP", address, &fault);
    let value =
        target.with_secrets()[rest.clone()].strip_prefix(INTERFACE).map(|value| rest.end - value.len()..rest.end);
    if value.is_none() {
        // this rejects anything else after the port
        target.socket_address(default_port)?;
    }
    if !address.ip().is_multicast() {
        if value.is_some() {
            let message =
                format!("`interface` is for multicast groups, and {} is not a multicast address", address.ip());
            return Err(target.problem(rest, message).into());
        }
        return Ok(ReflectorSocket::new(Datagrams::at(clock, address).map_err(refused)?));
    }
    let (group, own) = member(target, address, value)?;
    let receiving = Datagrams::in_group(clock, group, own).map_err(refused)?;
    let mut from = Marking { bind: Some(own), ..Marking::default() }.local(group);
    from.set_port(group.port());
    let sending = Datagrams::at(clock, from).map_err(refused)?;
    Ok(ReflectorSocket::of_member(receiving, sending))
}

/// The group with its interface, and this host's address there.
fn member(target: &Target, address: SocketAddr, own: Option<Range<usize>>) -> Result<(SocketAddr, IpAddr), Problems> {
    let (group, own) = match address {
        SocketAddr::V4(_) => {
            let own: Option<Ipv4Addr> = own.map(|value| of_this_host(target, value, "IPv4")).transpose()?;
            (address, own.map(IpAddr::V4))
        }
        SocketAddr::V6(group) => {
            let own: Option<Ipv6Addr> = own.map(|value| of_this_host(target, value, "IPv6")).transpose()?;
            let missing = |missing: interface::NoInterface| target.whole_problem(missing.to_string());
            (interface::of_group(group, own).map_err(missing)?.into(), own.map(IpAddr::V6))
        }
    };
    Ok((group, own.map_or_else(|| towards(target, group), Ok)?))
}

fn of_this_host<A: FromStr>(target: &Target, value: Range<usize>, version: impl Display) -> Result<A, Problem> {
    let text = &target.with_secrets()[value.clone()];
    text.parse()
        .map_err(|_| target.problem(value.clone(), format!("`{text}` is not an {version} address of this host")))
}

/// This host's source address for packets to a group.
fn towards(target: &Target, group: SocketAddr) -> Result<IpAddr, Problems> {
    let asked = UdpSocket::bind(Marking::default().local(group)).and_then(|socket| {
        socket.connect(group)?;
        socket.local_addr()
    });
    asked.map(|own| own.ip()).map_err(|_| {
        let message = format!("this host has no route to the group {}", group.ip());
        let help = if group.is_ipv4() {
            format!("give an address of the interface: {INTERFACE}192.0.2.1")
        } else {
            format!("give the interface: [{}%eth0]", group.ip())
        };
        target.whole_problem(message).help(help).into()
    })
}
