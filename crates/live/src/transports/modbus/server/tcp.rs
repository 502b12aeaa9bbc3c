//! The server's connections: many clients on one thread, whose requests wait in one queue.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::modbus::machine::{Carrier, Indication, Memory, Reply, Server};
use sojourn_protocols::modbus::tcp;

use crate::io::clock::{Clock, to_timespec};
use crate::io::link::unless_would_block;
use crate::progress::watch::Watch;
use crate::transport::Listening;

/// The longest wait, so that cancellation is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// Connections at a time.
const MOST_CONNECTIONS: usize = 64;
/// Idle timeout of a connection.
const SILENCE: Duration = Duration::from_secs(300);
/// Octets of responses that a client does not take, at most; its connection ends beyond.
const MOST_UNSENT: usize = 1 << 16;
/// Requests that wait for the one that is carried out.
const CARRIER: Carrier = Carrier::Tcp { outstanding: 256 };

/// A listening socket, and the connections to it.
pub struct Connections {
    socket: TcpListener,
    server: Server<Memory>,
    clients: Vec<Client>,
    next: u32,
    served: u64,
    requests: u64,
}

/// A client's connection.
struct Client {
    number: u32,
    stream: TcpStream,
    received: Vec<u8>,
    unsent: Vec<u8>,
    heard: Time,
    is_open: bool,
}

impl Connections {
    /// A server without clients.
    pub fn new(socket: TcpListener, memory: Memory) -> Connections {
        let (server, clients) = (Server::new(CARRIER, memory), Vec::new());
        Connections { socket, server, clients, next: 0, served: 0, requests: 0 }
    }

    /// Requests answered.
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// Connections that have ended.
    pub const fn served(&self) -> u64 {
        self.served
    }

    /// Serves until the limits of `listening`, or until it is cancelled.
    pub fn serve(&mut self, listening: &Listening, watch: &Watch) {
        let clock = Clock::start();
        let mut buffer = vec![0; 4096];
        loop {
            let now = clock.now();
            if listening.is_over(watch, now, self.served) {
                return;
            }
            self.accept(now);
            let Connections { clients, server, .. } = self;
            for client in clients.iter_mut() {
                if client.read(now, &mut buffer, server).is_err() {
                    client.is_open = false;
                }
            }
            self.server.wake(clock.now());
            self.reply(watch);
            let before = self.clients.len();
            self.clients.retain_mut(|client| client.goes_on(now));
            self.served += (before - self.clients.len()) as u64;
            self.wait(&clock);
        }
    }

    fn accept(&mut self, now: Time) {
        while let Ok((stream, _)) = self.socket.accept() {
            // one too many is closed
            if self.clients.len() == MOST_CONNECTIONS
                || stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true)).is_err()
            {
                continue;
            }
            let (received, unsent) = (Vec::new(), Vec::new());
            self.clients.push(Client { number: self.next, stream, received, unsent, heard: now, is_open: true });
            self.next = self.next.wrapping_add(1);
        }
    }

    fn reply(&mut self, watch: &Watch) {
        while let Some(Reply { connection, transaction, unit, response }) = self.server.poll_output() {
            self.requests += 1;
            watch.set_done(self.requests);
            // its client may have gone
            if let Some(client) = self.clients.iter_mut().find(|client| client.number == connection) {
                tcp::emit(transaction, unit, &response, &mut client.unsent);
            }
        }
        for client in &mut self.clients {
            client.is_open &= client.flush().is_ok();
        }
    }

    fn wait(&self, clock: &Clock) {
        let mut files = vec![PollFd::new(&self.socket, PollFlags::IN)];
        files.extend(self.clients.iter().map(|client| {
            let wanted = if client.unsent.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
            PollFd::from_borrowed_fd(client.stream.as_fd(), wanted)
        }));
        let due = self.server.next_wakeup().map_or(LONGEST_WAIT, |due| due.since(clock.now()));
        // a signal ends the wait early, which does no harm
        let _ = poll(&mut files, Some(&to_timespec(due.min(LONGEST_WAIT))));
    }
}

impl Client {
    /// Passes the requests that are whole to the server; an error ends the connection.
    fn read(&mut self, now: Time, buffer: &mut [u8], server: &mut Server<Memory>) -> io::Result<()> {
        while let Some(length) = unless_would_block(self.stream.read(buffer))? {
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.heard = now;
            self.received.extend_from_slice(&buffer[..length]);
            let mut taken = 0;
            while let Some((adu, rest)) =
                tcp::parse(&self.received[taken..]).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?
            {
                taken = self.received.len() - rest.len();
                let (connection, request) = (self.number, adu.pdu.to_vec());
                server.handle(now, Indication { connection, transaction: adu.transaction, unit: adu.unit, request });
            }
            self.received.drain(..taken);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            let Some(length) = unless_would_block(self.stream.write(&self.unsent))? else { break };
            self.unsent.drain(..length);
        }
        if self.unsent.len() > MOST_UNSENT { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
    }

    fn goes_on(&self, now: Time) -> bool {
        self.is_open && now.since(self.heard) <= SILENCE
    }
}
