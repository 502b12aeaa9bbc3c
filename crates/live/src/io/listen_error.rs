//! The error message for a socket that cannot be bound.

use sojourn_scenario::Problem;

use crate::target::Target;

/// The problem of a socket that could not be bound to `address` over `transport` (UDP or TCP).
pub fn listen_error(
    target: &Target,
    transport: &str,
    address: std::net::SocketAddr,
    fault: &std::io::Error,
) -> Problem {
    let (ip, port) = (address.ip(), address.port());
    match fault.kind() {
        std::io::ErrorKind::AddrInUse => target
            .whole_problem(format!("{transport} port {port} of {ip} is in use"))
            .help(format!("choose another port, or find its owner: ss -tulpn 'sport = :{port}'")),
        std::io::ErrorKind::PermissionDenied => target
            .whole_problem(format!("listening on {transport} port {port} needs the capability CAP_NET_BIND_SERVICE"))
            .help("choose a port above 1023"),
        std::io::ErrorKind::AddrNotAvailable => target
            .whole_problem(format!("this host has no address {ip}"))
            .help("0.0.0.0 and [::] listen on all addresses, 127.0.0.1 and [::1] on loopback only"),
        _ => target.whole_problem(format!("cannot listen on {transport} port {port} of {ip}: {fault}")),
    }
}
