//! Interfaces of this host by number, as the scope of an IPv6 address names them (RFC 4007, section 11).

use std::net::{Ipv6Addr, SocketAddrV6};

use nix::ifaddrs::getifaddrs;
use nix::net::if_::if_nametoindex;
use nix::sys::socket::SockaddrStorage;

/// Why it is not known at which interface a group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoInterface {
    /// The group is another one on every link.
    #[error("this group is on every link: name the interface, [{0}%eth0]")]
    Unnamed(Ipv6Addr),
    /// An address is not one of this host's.
    #[error("this host has no address {0}")]
    Absent(Ipv6Addr),
}

/// The number of the interface with this name, or written as a number.
pub fn named(zone: &str) -> Option<u32> {
    let number = zone.parse().ok().filter(|number| *number > 0);
    number.or_else(|| if_nametoindex(zone).ok())
}

/// A group with the interface that it is reached by: the one that it names, else the one that has the address `own`,
/// else the one that routes lead to, which is 0.
pub fn of_group(group: SocketAddrV6, own: Option<Ipv6Addr>) -> Result<SocketAddrV6, NoInterface> {
    if group.scope_id() != 0 {
        return Ok(group);
    }
    let interface = match own {
        Some(own) => having(own).ok_or(NoInterface::Absent(own))?,
        None if is_of_link(*group.ip()) => return Err(NoInterface::Unnamed(*group.ip())),
        None => 0,
    };
    Ok(SocketAddrV6::new(*group.ip(), group.port(), 0, interface))
}

/// The interface that has an address.
fn having(address: Ipv6Addr) -> Option<u32> {
    let is_it = |found: &SockaddrStorage| found.as_sockaddr_in6().is_some_and(|own| own.ip() == address);
    let found = getifaddrs().ok()?.find(|interface| interface.address.as_ref().is_some_and(is_it))?;
    if_nametoindex(found.interface_name.as_str()).ok()
}

/// Whether a group is no wider than a link: scopes 1 and 2 (RFC 4291, section 2.7).
fn is_of_link(group: Ipv6Addr) -> bool {
    matches!(group.segments()[0] & 0xf, 1 | 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(text: &str) -> SocketAddrV6 {
        text.parse().unwrap()
    }

    #[test]
    fn an_interface_is_known_by_its_name_its_number_and_its_address() {
        let loopback = named("lo").unwrap();
        assert_eq!(named(&loopback.to_string()), Some(loopback));
        assert_eq!(having(Ipv6Addr::LOCALHOST), Some(loopback));
        assert_eq!(
            (named("no such interface"), named("0"), having("2001:db8::7".parse().unwrap())),
            (None, None, None)
        );
    }

    #[test]
    fn a_group_of_every_link_wants_an_interface_and_a_wider_one_has_routes() {
        let loopback = named("lo").unwrap();
        assert_eq!(of_group(group("[ff02::77%9]:7"), None), Ok(group("[ff02::77%9]:7")));
        assert_eq!(of_group(group("[ff02::77]:7"), Some(Ipv6Addr::LOCALHOST)).unwrap().scope_id(), loopback);
        assert_eq!(of_group(group("[ff05::77]:7"), None).unwrap().scope_id(), 0);
        let unnamed = of_group(group("[ff02::77]:7"), None).unwrap_err();
        assert!(unnamed.to_string().ends_with("name the interface, [ff02::77%eth0]"), "{unnamed}");
        let absent = "2001:db8::7".parse().unwrap();
        assert_eq!(of_group(group("[ff05::77]:7"), Some(absent)), Err(NoInterface::Absent(absent)));
    }
}
