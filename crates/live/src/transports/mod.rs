//! Transports: one folder for each scheme of URL, and the registry of them.

pub mod ax25;
mod can;
#[cfg(feature = "services")]
pub(crate) mod dns;
#[cfg(feature = "services")]
pub(crate) mod http;
mod icmp;
mod modbus;
mod mstp;
mod probe_reflector;
mod serial_url;
pub mod sojourn;
pub mod stamp;
pub mod tcp_echo;
pub mod udp_echo;
pub mod xtp;

use sojourn_scenario::Problems;

use crate::target::Target;
use crate::transport::Transport;

/// Every transport, one row each.
pub fn registry() -> &'static [&'static dyn Transport] {
    &[
        &sojourn::Sojourn,
        &xtp::OverUdp,
        &xtp::OverIp,
        &ax25::KISS_OVER_TCP,
        &ax25::KISS_OVER_SERIAL,
        &ax25::Axudp,
        &stamp::Stamp,
        &udp_echo::UdpEcho,
        &tcp_echo::TcpEcho,
        &icmp::Icmp,
        &modbus::ModbusTcp,
        &modbus::ModbusRtu,
        &mstp::Mstp,
        &can::INTERFACE,
        &can::MULTICAST,
        #[cfg(feature = "services")]
        &dns::Dns,
        #[cfg(feature = "services")]
        &http::PLAIN,
        #[cfg(feature = "services")]
        &http::OVER_TLS,
    ]
}

/// The transport of a URL's scheme, and the parsed URL.
pub fn find(url: &str) -> Result<(&'static dyn Transport, Target), Problems> {
    let schemes: Vec<&str> = registry().iter().map(|transport| transport.information().scheme).collect();
    let target = Target::parse(url, &schemes)?;
    let found = registry().iter().copied().find(|transport| transport.information().scheme == target.scheme());
    Ok((found.expect("the URL was parsed with the registry's schemes"), target))
}

/// For fuzzing: reads what a URL says of a server on a bus, opening nothing.
pub(crate) fn check_options(target: &Target) {
    modbus::check_options(target);
    mstp::check_options(target);
    can::check_options(target);
}

/// For fuzzing: octets to both ends of Modbus.
pub(crate) fn modbus_line(octets: &[u8]) {
    modbus::fuzz_line(octets);
}

/// For fuzzing: octets as frames to both ends of UDS and CANopen.
pub(crate) fn can_frames(octets: &[u8]) {
    can::fuzz_frames(octets);
}
