//! Waits of tests, independent of the machine's speed and of pauses of the process.

use std::io::{self, ErrorKind, Read};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sojourn_live::Watch;
use sojourn_live::progress::survey::{ChannelStats, Survey};

/// Timeout of a wait, far beyond what a passing test needs.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Polls until there is a value.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < TIMEOUT, "timed out: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The statistics of a radio channel that is monitored.
pub fn channel(watch: &Watch) -> Option<ChannelStats> {
    match watch.survey()? {
        Survey::Channel(channel) => Some(channel),
        Survey::Trunk(_) | Survey::Bus(_) => None,
    }
}

/// Repeats a call that was interrupted by a signal (signal(7)).
pub fn uninterrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(fault) if fault.kind() == ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

/// The next datagram within a time, if any; pauses of the process do not count.
pub fn receive(socket: &UdpSocket, buffer: &mut [u8], within: Duration) -> Option<(usize, SocketAddr)> {
    const SLICE: Duration = Duration::from_millis(20);
    socket.set_read_timeout(Some(SLICE)).unwrap();
    let mut waited = Duration::ZERO;
    while waited < within {
        match socket.recv_from(buffer) {
            Ok(came) => return Some(came),
            Err(fault) if matches!(fault.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => waited += SLICE,
            Err(fault) if fault.kind() == ErrorKind::Interrupted => {}
            Err(fault) => panic!("{fault}"),
        }
    }
    None
}

/// Octets received on a connection until it is closed.
pub fn rest(connection: &mut TcpStream) -> usize {
    connection.set_read_timeout(Some(TIMEOUT)).unwrap();
    let mut bytes = Vec::new();
    match connection.read_to_end(&mut bytes) {
        Err(fault) if fault.kind() != ErrorKind::ConnectionReset => panic!("it does not end: {fault}"),
        _ => bytes.len(),
    }
}

/// A free UDP port below the ephemeral range (ip(7)).
///
/// The kernel's table is read, nothing is bound: a process that another test starts meanwhile would hold the socket
/// until it executes its program.
pub fn free_port() -> u16 {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    until("a free port", || {
        let number = std::process::id().wrapping_mul(31).wrapping_add(ASKED.fetch_add(1, Ordering::Relaxed));
        let port = 20_000 + (number % 12_000) as u16;
        let bound = std::fs::read_to_string("/proc/net/udp").expect("Linux lists its UDP sockets");
        (!bound.contains(&format!(":{port:04X} "))).then_some(port)
    })
}
