//! A UDP socket and a TCP listener on one address and port.

use std::io;
use std::net::{SocketAddr, TcpListener};

use sojourn_core::{Duration, Time};
use sojourn_protocols::probe::server::Input;

use super::gso_queue::GsoQueue;
use super::replies::{Replies, Reply};
use crate::io::clock::Clock;
use crate::io::datagrams::Datagrams;

/// Attempts to find an ephemeral port that is free for both UDP and TCP.
const CHOICES: u32 = 8;

/// A UDP socket and a TCP listener on one address.
#[derive(Debug)]
pub struct ListenSocket {
    /// The address of both.
    pub address: SocketAddr,
    /// Its UDP socket, with kernel timestamps.
    pub datagrams: Datagrams,
    /// Replies that wait for their transmit timestamp.
    pub replies: Replies,
    /// Load about to be sent.
    pub load: GsoQueue,
    /// Its TCP listener, non-blocking.
    pub listener: TcpListener,
    /// Whether the last poll found datagrams.
    pub readable: bool,
    /// Whether it found connections to accept.
    pub accept_ready: bool,
    /// When the last datagram arrived.
    pub last_received: Option<Time>,
    /// Time between the last two.
    pub gap: Duration,
}

/// Why a socket could not be bound.
#[derive(Debug)]
pub struct BindError {
    /// The protocol, `UDP` or `TCP`.
    pub transport: &'static str,
    /// The address that could not be bound.
    pub address: SocketAddr,
    /// Error of the system call.
    pub fault: io::Error,
}

impl ListenSocket {
    /// Binds both sockets to an address, or to one free port for both.
    pub fn open(address: SocketAddr, clock: Clock) -> Result<ListenSocket, BindError> {
        let bind_error = |transport| move |fault| BindError { transport, address, fault };
        let mut choices = if address.port() == 0 { CHOICES } else { 1 };
        let (mut datagrams, address, listener) = loop {
            let datagrams = Datagrams::at(clock, address).map_err(bind_error("UDP"))?;
            // for port 0 the system chooses one, which both use
            let chosen = datagrams.local().map_err(bind_error("UDP"))?;
            choices -= 1;
            match TcpListener::bind(chosen) {
                Ok(listener) => break (datagrams, chosen, listener),
                Err(fault) if fault.kind() == io::ErrorKind::AddrInUse && choices > 0 => {}
                Err(fault) => return Err(BindError { transport: "TCP", address: chosen, fault }),
            }
        };
        datagrams.enable_traffic_class();
        datagrams.enable_local_address();
        listener.set_nonblocking(true).map_err(|fault| BindError { transport: "TCP", address, fault })?;
        let (replies, load) = (Replies::new(), GsoQueue::default());
        Ok(ListenSocket {
            address,
            datagrams,
            replies,
            load,
            listener,
            readable: false,
            accept_ready: false,
            last_received: None,
            gap: Duration::MAX,
        })
    }

    /// A datagram arrived.
    pub fn received(&mut self, at: Time) {
        self.gap = self.last_received.map_or(Duration::MAX, |last| at.since(last));
        self.last_received = Some(at);
    }

    /// The next departure of a reply, by its kernel timestamp.
    pub fn departure(&mut self) -> Option<Input> {
        while let Some((number, at)) = self.datagrams.poll_tx_timestamp() {
            if let Some(reply) = self.replies.take(number) {
                return Some(departed(reply, at, true));
            }
        }
        None
    }
}

/// The departure of a reply, as the machine takes it.
pub fn departed(reply: Reply, at: Time, by_kernel: bool) -> Input {
    let Reply { token, sequence, receive_ns } = reply;
    let residence_ns = (at.picoseconds() / 1000).saturating_sub(receive_ns);
    Input::ReplySent { token, sequence, residence_ns, by_kernel }
}
