//! Errors that the network, the operating system or a service returns on a request.

use std::borrow::Cow;
use std::io;

use rustix::io::Errno;
use sojourn_protocols::can::{canopen, isotp};
use sojourn_protocols::modbus::ExceptionCode;

/// An error on a request, from ICMP, from the operating system or from a service.
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
    /// The service, or the connection to it, failed.
    #[error("{0}")]
    Service(ServiceError),
    /// Any other error of the operating system.
    #[error("{0}")]
    System(Errno),
}

impl NetworkError {
    /// Whether the peer itself answered so: it is there.
    pub fn is_answer(self) -> bool {
        matches!(self, NetworkError::Service(error) if error.is_answer())
    }
}

/// Why a request to a service failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    /// No whole answer before the timeout.
    #[error("no whole answer before the timeout")]
    Timeout,
    /// Too many requests were outstanding.
    #[error("not sent: too many requests were outstanding")]
    NotSent,
    /// The name of the server has no address.
    #[error("the name of the server does not resolve")]
    Resolve,
    /// No listener on that TCP port.
    #[error("connection refused")]
    Refused,
    /// No route to the server.
    #[error("host unreachable")]
    Unreachable,
    /// The connection ended before the whole answer was in.
    #[error("the connection ended before the answer was whole")]
    ConnectionLost,
    /// The TLS handshake failed.
    #[error("TLS: {0}")]
    Tls(&'static str),
    /// The answer violates the protocol.
    #[error("the answer is not valid")]
    Protocol,
    /// The status of an HTTP response, 400 or above (RFC 9110, section 15).
    #[error("HTTP status {0}")]
    Status(u16),
    /// The body of an HTTP response lacks what it has to contain.
    #[error("the body lacks the expected text")]
    Body,
    /// The response code of a DNS response, other than NOERROR (RFC 6895, section 2.3).
    #[error("DNS response code {}", response_code(*.0))]
    ResponseCode(u16),
    /// A DNS response was truncated.
    #[error("the DNS response was truncated")]
    Truncated,
    /// The frame that came as the answer was damaged.
    #[error("the answer was damaged on the line")]
    Damaged,
    /// An exception of a Modbus server.
    #[error("Modbus exception {}, {}", .0.0, .0)]
    ModbusException(ExceptionCode),
    /// A BACnet device answered by an error, whose class and code these are.
    #[error("BACnet error of class {0}, code {1}")]
    BacnetError(u32, u32),
    /// A BACnet device rejected the request for this reason.
    #[error("BACnet reject, reason {0}")]
    BacnetReject(u8),
    /// A BACnet device aborted the transaction for this reason.
    #[error("BACnet abort, reason {0}")]
    BacnetAbort(u8),
    /// A server of UDS answered negatively, with this code (ISO 14229-1, table A.1).
    #[error("UDS negative response code {0:02X}h")]
    NegativeResponse(u8),
    /// A CANopen server aborted the transfer, with this code (CiA 301, table 22).
    #[error("SDO abort code {:08X}h", .0.0)]
    SdoAbort(canopen::Abort),
    /// A message was not transported as a whole (ISO 15765-2).
    #[error("ISO-TP: {}", transport_failure(*.0).1)]
    IsoTp(isotp::Failure),
}

impl ServiceError {
    /// The member of `failures` that counts it.
    pub fn kind(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            ServiceError::Timeout => "timeout",
            ServiceError::NotSent => "not_sent",
            ServiceError::Resolve => "resolve",
            ServiceError::Refused => "connection_refused",
            ServiceError::Unreachable => "unreachable",
            ServiceError::ConnectionLost => "connection_lost",
            ServiceError::Tls(_) => "tls",
            ServiceError::Protocol => "protocol",
            ServiceError::Status(status) => return Cow::Owned(format!("http_{status}")),
            ServiceError::Body => "body",
            ServiceError::ResponseCode(code) => {
                return Cow::Owned(format!("dns_{}", response_code(code).to_lowercase()));
            }
            ServiceError::Truncated => "truncated",
            ServiceError::Damaged => "damaged",
            ServiceError::ModbusException(code) => return Cow::Owned(format!("modbus_exception_{}", code.0)),
            ServiceError::BacnetError(..) => "bacnet_error",
            ServiceError::BacnetReject(_) => "bacnet_reject",
            ServiceError::BacnetAbort(_) => "bacnet_abort",
            ServiceError::NegativeResponse(code) => return Cow::Owned(format!("uds_negative_response_{code:02x}")),
            ServiceError::SdoAbort(code) => return Cow::Owned(format!("sdo_abort_{:08x}", code.0)),
            ServiceError::IsoTp(failure) => transport_failure(failure).0,
        })
    }

    /// Whether nothing came: to a prober it is a request without an answer.
    pub fn is_silence(self) -> bool {
        matches!(self, ServiceError::Timeout | ServiceError::IsoTp(isotp::Failure::FlowControlTimeout))
    }

    /// Whether the server itself answered so: it is there.
    pub fn is_answer(self) -> bool {
        matches!(
            self,
            ServiceError::Status(_)
                | ServiceError::Body
                | ServiceError::ResponseCode(_)
                | ServiceError::Truncated
                | ServiceError::Damaged
                | ServiceError::ModbusException(_)
                | ServiceError::BacnetError(..)
                | ServiceError::BacnetReject(_)
                | ServiceError::BacnetAbort(_)
                | ServiceError::NegativeResponse(_)
                | ServiceError::SdoAbort(_)
        ) || matches!(self, ServiceError::IsoTp(_) if !self.is_silence())
    }
}

/// The kind of a failure of ISO-TP, and what it is.
fn transport_failure(failure: isotp::Failure) -> (&'static str, &'static str) {
    match failure {
        isotp::Failure::FlowControlTimeout => ("isotp_n_bs", "no flow control before N_Bs"),
        isotp::Failure::ConsecutiveTimeout => ("isotp_n_cr", "no consecutive frame before N_Cr"),
        isotp::Failure::WrongSequence => {
            ("isotp_wrong_sequence", "a consecutive frame with another index than the next")
        }
        isotp::Failure::Overflow => ("isotp_overflow", "the receiver has no room for the message"),
        isotp::Failure::Length => ("isotp_length", "the message is empty or too long"),
    }
}

/// The name of a DNS response code (RFC 6895, section 2.3); others by their number.
fn response_code(code: u16) -> Cow<'static, str> {
    const NAMES: [&str; 6] = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];
    NAMES.get(usize::from(code)).map_or_else(|| Cow::Owned(format!("RCODE{code}")), |name| Cow::Borrowed(*name))
}

impl From<&io::Error> for ServiceError {
    fn from(fault: &io::Error) -> ServiceError {
        match fault.kind() {
            io::ErrorKind::ConnectionRefused => ServiceError::Refused,
            io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => ServiceError::Unreachable,
            io::ErrorKind::TimedOut => ServiceError::Timeout,
            io::ErrorKind::InvalidData => ServiceError::Protocol,
            _ => ServiceError::ConnectionLost,
        }
    }
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
