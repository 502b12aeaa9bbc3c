//! Errors that the network or the operating system returns on a datagram.

use std::io;

use rustix::io::Errno;

/// An error on a datagram, from ICMP or from the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// ICMP port unreachable: no listener on that port.
    #[error("no listener on that port (ICMP port unreachable)")]
    PortClosed,
    /// ICMP protocol unreachable: no listener for that IP protocol.
    #[error("no listener for this IP protocol (ICMP protocol unreachable)")]
    NoProtocol,
    /// ICMP host or network unreachable, or no route to it.
    #[error("host unreachable")]
    Unreachable,
    /// The datagram is larger than the path MTU or the protocol allows.
    #[error("the datagram is too large for the path; choose a smaller packet size")]
    TooLarge,
    /// Any other error of the operating system.
    #[error("{0}")]
    System(Errno),
}

impl From<Errno> for NetworkError {
    fn from(fault: Errno) -> NetworkError {
        match fault {
            Errno::CONNREFUSED => NetworkError::PortClosed,
            Errno::NOPROTOOPT => NetworkError::NoProtocol,
            Errno::HOSTUNREACH | Errno::NETUNREACH | Errno::HOSTDOWN => NetworkError::Unreachable,
            Errno::MSGSIZE => NetworkError::TooLarge,
            fault => NetworkError::System(fault),
        }
    }
}

impl From<&io::Error> for NetworkError {
    fn from(fault: &io::Error) -> NetworkError {
        NetworkError::from(Errno::from_io_error(fault).unwrap_or(Errno::IO))
    }
}
