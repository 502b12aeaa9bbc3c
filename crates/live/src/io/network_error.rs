//! What the network says in place of an answer.

use std::io;

use rustix::io::Errno;

/// What the network said in place of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// ICMP port unreachable.
    #[error("its host answered that nobody listens on that port (ICMP port unreachable)")]
    PortClosed,
    /// ICMP protocol unreachable.
    #[error("its host answered that nobody listens for this IP protocol (ICMP protocol unreachable)")]
    NoProtocol,
    /// ICMP host or network unreachable, or no route to it.
    #[error("no way leads to its host (unreachable)")]
    Unreachable,
    /// The datagram is larger than the link takes.
    #[error("the datagram is larger than the link takes; choose a smaller packet")]
    TooLarge,
    /// Anything else the operating system says.
    #[error("the operating system refused: {0}")]
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
