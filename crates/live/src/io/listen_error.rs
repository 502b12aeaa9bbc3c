//! Why a socket cannot listen, for the user who asked for it.

use sojourn_scenario::Problem;

use crate::target::Target;

/// Why a socket cannot listen.
pub fn unopened(target: &Target, transport: &str, address: std::net::SocketAddr, fault: &std::io::Error) -> Problem {
    let (ip, port) = (address.ip(), address.port());
    match fault.kind() {
        std::io::ErrorKind::AddrInUse => target
            .whole_problem(format!("{transport} port {port} of {ip} is in use"))
            .help(format!("take another port, or see who has it: ss -tulpn 'sport = :{port}'")),
        std::io::ErrorKind::PermissionDenied => target
            .whole_problem(format!("listening on {transport} port {port} needs the capability CAP_NET_BIND_SERVICE"))
            .help("take a port from 1024 on"),
        std::io::ErrorKind::AddrNotAvailable => target
            .whole_problem(format!("this host has no address {ip}"))
            .help("0.0.0.0 and [::] stand for all addresses, 127.0.0.1 and [::1] for this host alone"),
        _ => target.whole_problem(format!("cannot listen on {transport} port {port} of {ip}: {fault}")),
    }
}
