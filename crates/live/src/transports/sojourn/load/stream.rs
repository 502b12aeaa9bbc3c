//! Bulk data over one TCP connection.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration as Wait;

use sojourn_core::Duration;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::Session;
use sojourn_protocols::probe::wire::{Congestion, Direction as Wire, Pdu, Stream};

use super::{Flow, LoadContext, Outcome};
use crate::io::clock::to_system;
use crate::prober::plan::Direction;
use crate::prober::tcp_peer::connect;
use crate::transports::sojourn::connection::{answer, begin};

/// Octets per write or read.
const CHUNK: usize = 64 << 10;
/// An idle connection checks this often whether it must end.
const POLL_INTERVAL: Wait = Wait::from_millis(100);
/// A sender looks this often at what was acknowledged.
const ACKED_EVERY: Duration = Duration::from_millis(10);
/// Unsent octets in the send buffer at most: what it holds when a stream stops still loads the network.
const UNSENT: usize = 128 << 10;

nix::setsockopt_impl!(
    MaxPacingRate,
    libc::SOL_SOCKET,
    libc::SO_MAX_PACING_RATE,
    usize,
    nix::sys::socket::sockopt::SetUsize
);
/// SO_MAX_PACING_RATE, in octets per second (socket(7)).
#[derive(Clone, Copy, Debug)]
struct MaxPacingRate;

nix::setsockopt_impl!(
    NotSentLowWater,
    libc::IPPROTO_TCP,
    libc::TCP_NOTSENT_LOWAT,
    usize,
    nix::sys::socket::sockopt::SetUsize
);
/// TCP_NOTSENT_LOWAT, in octets (tcp(7)).
#[derive(Clone, Copy, Debug)]
struct NotSentLowWater;

/// Octets of `struct tcp_info` that are read, up to `tcpi_bytes_acked` (Linux 4.1).
const INFO: usize = ACKED_OFFSET + 8;
/// Offset of the octets acknowledged (linux/tcp.h, `tcpi_bytes_acked`).
const ACKED_OFFSET: usize = 120;

nix::getsockopt_impl!(
    TcpInfo,
    libc::IPPROTO_TCP,
    libc::TCP_INFO,
    [u8; INFO],
    nix::sys::socket::sockopt::GetStruct<[u8; INFO]>
);
/// The socket option TCP_INFO (tcp(7)).
#[derive(Clone, Copy, Debug)]
struct TcpInfo;

/// The frame that requests a connection.
pub fn frame(
    session: &mut Session,
    direction: Direction,
    congestion: Option<&str>,
    pace: Option<u64>,
    dscp: u8,
) -> Result<Vec<u8>, String> {
    let name = congestion.unwrap_or_default();
    let unknown = || format!("`{name}` is not a valid congestion control: up to 16 letters, digits, _ and -");
    let congestion = Congestion::new(name).ok_or_else(unknown)?;
    let direction = match direction {
        Direction::Up => Wire::Up,
        Direction::Down => Wire::Down,
    };
    let mut bytes = Vec::new();
    let stream = Stream { direction, congestion, bit_rate: pace.unwrap_or(0), octets: 0, duration_ns: 0, dscp };
    session.encode_stream(stream, &mut bytes);
    Ok(bytes)
}

/// Transfers bulk data from start to stop; returns how much arrived.
pub fn carry(
    context: LoadContext,
    direction: Direction,
    key: &Key,
    frame: &[u8],
    congestion: Option<&str>,
    pace: Option<u64>,
) -> Outcome {
    let outcome = if context.await_start() {
        let flow = open(&context, direction, congestion, pace).and_then(|connection| {
            begin(&connection, key, frame)?;
            match direction {
                Direction::Up => give(&connection, &context, key),
                Direction::Down => take(&connection, &context),
            }
        });
        flow.map_err(|fault| fault.to_string())
    } else {
        Ok(Flow::default())
    };
    (context.name, outcome)
}

fn open(
    context: &LoadContext,
    direction: Direction,
    congestion: Option<&str>,
    pace: Option<u64>,
) -> io::Result<TcpStream> {
    let connection = connect(context.peer, &context.marking, |socket| {
        let Some(name) = congestion.filter(|_| direction == Direction::Up) else { return Ok(()) };
        let unknown = |_| {
            let message = format!(
                "this host has no congestion control `{name}`: sysctl net.ipv4.tcp_available_congestion_control"
            );
            io::Error::other(message)
        };
        rustix::net::sockopt::set_tcp_congestion(socket, name).map_err(unknown)
    })?;
    if let Some(bit_rate) = pace.filter(|_| direction == Direction::Up) {
        let octets = usize::try_from(bit_rate / 8).unwrap_or(usize::MAX);
        nix::sys::socket::setsockopt(&connection, MaxPacingRate, &octets)?;
    }
    nix::sys::socket::setsockopt(&connection, NotSentLowWater, &UNSENT)?;
    Ok(connection)
}

/// Writes until the end; the agent reports what arrived. Meanwhile what it has acknowledged counts as delivered.
fn give(mut connection: &TcpStream, context: &LoadContext, key: &Key) -> io::Result<Flow> {
    let zeros = vec![0; CHUNK];
    connection.set_write_timeout(Some(to_system(ACKED_EVERY)))?;
    let (mut acked, mut due) = (acked_octets(connection), context.clock.now());
    while !context.is_over() {
        match connection.write(&zeros) {
            Ok(_) => {}
            Err(fault) if is_wait(&fault) => {}
            Err(fault) => return Err(fault),
        }
        let now = context.clock.now();
        if now >= due {
            let before = std::mem::replace(&mut acked, acked_octets(connection));
            context.deliver(acked.saturating_sub(before));
            due = now + ACKED_EVERY;
        }
    }
    connection.shutdown(Shutdown::Write)?;
    match answer(connection, key)? {
        Pdu::StreamReport { octets, elapsed_ns } => {
            Ok(Flow { bit_rate: octets as f64 * 8e9 / elapsed_ns.max(1) as f64, ..Flow::default() })
        }
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Reads until the end.
fn take(mut connection: &TcpStream, context: &LoadContext) -> io::Result<Flow> {
    let mut chunk = vec![0; CHUNK];
    connection.set_read_timeout(Some(POLL_INTERVAL))?;
    let began = context.clock.now();
    let mut octets = 0;
    while !context.is_over() {
        match connection.read(&mut chunk) {
            Ok(0) => return Err(io::Error::other("the agent closed the connection")),
            Ok(read) => {
                octets += read as u64;
                context.deliver(read as u64);
            }
            Err(fault) if is_wait(&fault) => {}
            Err(fault) => return Err(fault),
        }
    }
    let elapsed = context.clock.now().since(began).max(Duration::from_nanos(1));
    Ok(Flow { bit_rate: octets as f64 * 8.0 / elapsed.seconds(), ..Flow::default() })
}

/// Octets that the peer has acknowledged; 0 if the kernel does not report them.
fn acked_octets(connection: &TcpStream) -> u64 {
    let info = nix::sys::socket::getsockopt(connection, TcpInfo).unwrap_or([0; INFO]);
    info[ACKED_OFFSET..].first_chunk().map_or(0, |field| u64::from_ne_bytes(*field))
}

/// Whether an error is only a timeout or an interruption.
fn is_wait(fault: &io::Error) -> bool {
    matches!(fault.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}
