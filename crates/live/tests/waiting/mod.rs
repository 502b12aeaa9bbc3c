//! Waiting for what must come, however slow the machine is and however long it stood still.
#![allow(dead_code, reason = "each of the tests that share this uses a part of it")]

use std::io::{self, ErrorKind, Read};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// What must come is there long before; a test that fails waits no longer.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Looks again and again until there is something.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < TIMEOUT, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Does again what the end of a pause of the whole process interrupts (signal(7)).
pub fn uninterrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(fault) if fault.kind() == ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

/// The next datagram within a time, or that there is none. What this process stands still for does not count.
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

/// How much still comes over a connection until it ends, which it must.
pub fn rest(connection: &mut TcpStream) -> usize {
    connection.set_read_timeout(Some(TIMEOUT)).unwrap();
    let mut bytes = Vec::new();
    match connection.read_to_end(&mut bytes) {
        Err(fault) if fault.kind() != ErrorKind::ConnectionReset => panic!("it does not end: {fault}"),
        _ => bytes.len(),
    }
}

/// A UDP port that is free, and that no socket is given meanwhile that asks for any port: those lie above (ip(7)).
pub fn free_port() -> u16 {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    until("a free port", || {
        let number = std::process::id().wrapping_mul(31).wrapping_add(ASKED.fetch_add(1, Ordering::Relaxed));
        let port = 20_000 + (number % 12_000) as u16;
        UdpSocket::bind(("127.0.0.1", port)).ok().map(|_| port)
    })
}
