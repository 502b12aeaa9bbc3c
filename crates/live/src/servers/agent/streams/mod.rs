//! TCP connections of the agent: each has a thread, requests a grant from the machine, and acts within it.
//!
//! A client whose first frame is not authentic gets no response, a connection without a first frame is closed after a
//! few seconds, and the number of connections is limited.

mod connection;
mod echo;
mod events;
mod load;
mod measuring;
mod serve;

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use rustix::event::{EventfdFlags, eventfd};
use sojourn_protocols::probe::server::{Grant, Input, client_network};
use sojourn_protocols::probe::wire::{Packet, Token};

use self::connection::Connection;
use self::events::{Answer, ClosedGuard, EventSender, StreamEvent};
use super::keyring::Keyring;
use crate::io::clock::Clock;
use crate::mesh::permission::Permission;

/// Connections at a time.
const MAX_CONNECTIONS: usize = 128;
/// Connections without a grant.
const MAX_UNGRANTED: usize = MAX_CONNECTIONS / 2;
/// Connections of one IPv4 address or IPv6 /64 without a grant.
const MAX_UNGRANTED_PER_NETWORK: usize = 8;

/// All TCP connections and their threads.
#[derive(Debug)]
pub struct Streams {
    keyring: Keyring,
    clock: Clock,
    /// The peers it may measure for its clients, if any.
    permission: Option<Permission>,
    open: BTreeMap<u64, Entry>,
    /// Connections accepted so far.
    taken: u64,
    events: EventSender,
    receiver: Receiver<StreamEvent>,
}

#[derive(Debug)]
struct Entry {
    socket: TcpStream,
    from: SocketAddr,
    /// The client's address, or its /64 of IPv6.
    network: IpAddr,
    thread: JoinHandle<()>,
    answers: SyncSender<Answer>,
    /// Signals the thread to end.
    over: Arc<AtomicBool>,
    /// The session it belongs to, once it is granted something.
    token: Option<Token>,
}

impl AsFd for Streams {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.events.eventfd_owned.as_fd()
    }
}

impl Streams {
    /// Without connections, which share keys and a clock.
    pub fn new(keyring: Keyring, clock: Clock, permission: Option<Permission>) -> io::Result<Streams> {
        let (said, receiver) = channel();
        let eventfd_owned = Arc::new(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?);
        let events = EventSender { said, eventfd_owned, pending: Arc::default() };
        Ok(Streams { keyring, clock, permission, open: BTreeMap::new(), taken: 0, events, receiver })
    }

    /// Serves a connection on a thread, or closes it if there are too many. Where those without a grant take half of the
    /// places, the oldest of them is closed: a client asks for its grant at once.
    pub fn begin(&mut self, socket: TcpStream, from: SocketAddr) {
        if self.open.len() >= MAX_CONNECTIONS {
            self.reap_refused();
        }
        let network = client_network(from.ip());
        let ungranted: Vec<&Entry> = self.open.values().filter(|entry| entry.is_ungranted()).collect();
        let from_there = ungranted.iter().filter(|entry| entry.network == network).count();
        if self.open.len() >= MAX_CONNECTIONS || from_there >= MAX_UNGRANTED_PER_NETWORK {
            return self.events.send_input(Input::StreamRefused { from });
        }
        if ungranted.len() >= MAX_UNGRANTED {
            ungranted[0].shut_down();
            self.events.send_input(Input::StreamRefused { from: ungranted[0].from });
        }
        // a connection for which the system has no thread is closed, as one too many is
        let Ok(own) = socket.try_clone() else { return };
        let (answers, inbox) = sync_channel(1);
        self.taken += 1;
        let number = self.taken;
        let over = Arc::new(AtomicBool::new(false));
        let connection = Connection {
            number,
            over: over.clone(),
            socket: own,
            from,
            keyring: self.keyring.clone(),
            key: None,
            clock: self.clock,
            permission: self.permission.clone(),
            events: self.events.clone(),
            inbox,
        };
        let closed = ClosedGuard { number, events: self.events.clone() };
        let work = move || {
            let _closed_guard = closed;
            serve::serve(connection);
        };
        let Ok(thread) = std::thread::Builder::new().name("sojourn-stream".to_owned()).spawn(work) else { return };
        self.open.insert(number, Entry { socket, from, network, thread, answers, over, token: None });
    }

    /// Passes the response to its first frame to a connection.
    pub fn answer(&mut self, connection: u64, packet: Option<Packet>, grant: Option<Grant>) {
        let Some(entry) = self.open.get_mut(&connection) else { return };
        entry.token = grant.map(|grant| grant.token);
        // a closed connection takes no response
        let _ = entry.answers.try_send(Answer { packet, grant });
    }

    /// Closes the connections of a session.
    pub fn end_all_of(&mut self, token: Token) {
        self.open.values().filter(|entry| entry.token == Some(token)).for_each(Entry::shut_down);
    }

    /// Resets the eventfd that streams signal their events by.
    pub fn drain_eventfd(&self) {
        let _ = rustix::io::read(&*self.events.eventfd_owned, &mut [0; 8]);
    }

    /// Whether events are pending.
    pub fn pending(&self) -> bool {
        self.events.pending.load(Ordering::Acquire)
    }

    /// The next event for the machine.
    pub fn poll_event(&mut self) -> Option<Input> {
        if !self.pending() {
            return None;
        }
        // events sent from here on set it again
        self.events.pending.swap(false, Ordering::AcqRel);
        let input = self.take();
        if input.is_some() {
            self.events.pending.store(true, Ordering::Relaxed);
        }
        input
    }

    fn take(&mut self) -> Option<Input> {
        while let Ok(said) = self.receiver.try_recv() {
            match said {
                StreamEvent::Machine(input) => return Some(input),
                StreamEvent::Closed(number) => {
                    if let Some(token) = self.reap(number) {
                        return Some(Input::StreamEnded { token });
                    }
                }
            }
        }
        None
    }

    /// Closes all connections, and joins their threads.
    pub fn close(&mut self) {
        self.open.values().for_each(Entry::shut_down);
        while let Some((&number, _)) = self.open.first_key_value() {
            self.reap(number);
        }
    }

    /// Joins the threads of connections that were shut down for others: they hold places until they end, at once.
    fn reap_refused(&mut self) {
        let is_refused = |entry: &Entry| entry.token.is_none() && entry.over.load(Ordering::Relaxed);
        let refused: Vec<u64> =
            self.open.iter().filter(|(_, entry)| is_refused(entry)).map(|(number, _)| *number).collect();
        for number in refused {
            self.reap(number);
        }
    }

    /// Joins a connection's thread; returns its session's token, if it had a grant.
    fn reap(&mut self, number: u64) -> Option<Token> {
        let entry = self.open.remove(&number)?;
        drop(entry.answers);
        // a panic was reported on stderr, and affects its own connection only
        let _ = entry.thread.join();
        entry.token
    }
}

impl Entry {
    /// Whether it waits for its first frame, or for the grant.
    fn is_ungranted(&self) -> bool {
        self.token.is_none() && !self.over.load(Ordering::Relaxed)
    }

    /// Shuts the socket down, which ends blocking calls, and signals the thread to end.
    fn shut_down(&self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}
