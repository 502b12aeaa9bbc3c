//! TCP connections: each has a thread, requests a grant from the machine, and does what it is granted.
//!
//! A client whose first frame is not authentic gets no response, a connection without a first frame is closed after a few
//! seconds, and their number is limited.

mod connection;
mod echo;
mod events;
mod load;
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
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::server::{Grant, Input};
use sojourn_protocols::probe::wire::Token;

use self::connection::Connection;
use self::events::{Answer, ClosedGuard, EventSender, StreamEvent};
use crate::io::clock::Clock;

/// Connections at a time.
const MAX_CONNECTIONS: usize = 128;
/// Connections of one address without a grant.
const MAX_UNGRANTED_PER_ADDRESS: usize = 8;

/// All TCP connections and their threads.
#[derive(Debug)]
pub struct Streams {
    key: Key,
    clock: Clock,
    open: BTreeMap<u64, Entry>,
    /// Connections accepted so far.
    taken: u64,
    events: EventSender,
    receiver: Receiver<StreamEvent>,
}

#[derive(Debug)]
struct Entry {
    socket: TcpStream,
    from: IpAddr,
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
    /// Without connections, which share a key and a clock.
    pub fn new(key: Key, clock: Clock) -> io::Result<Streams> {
        let (said, receiver) = channel();
        let eventfd_owned = Arc::new(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?);
        let events = EventSender { said, eventfd_owned, pending: Arc::default() };
        Ok(Streams { key, clock, open: BTreeMap::new(), taken: 0, events, receiver })
    }

    /// Serves a connection on a thread, or closes it if there are too many.
    pub fn begin(&mut self, socket: TcpStream, from: SocketAddr) {
        let from_there = |entry: &&Entry| entry.token.is_none() && entry.from == from.ip();
        let unknown = self.open.values().filter(from_there).count();
        if self.open.len() >= MAX_CONNECTIONS || unknown >= MAX_UNGRANTED_PER_ADDRESS {
            return;
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
            key: self.key.clone(),
            clock: self.clock,
            events: self.events.clone(),
            inbox,
        };
        let closed = ClosedGuard { number, events: self.events.clone() };
        let work = move || {
            let _closed_guard = closed;
            serve::serve(connection);
        };
        let Ok(thread) = std::thread::Builder::new().name("sojourn-stream".to_owned()).spawn(work) else { return };
        self.open.insert(number, Entry { socket, from: from.ip(), thread, answers, over, token: None });
    }

    /// Passes the response to its first frame to a connection.
    pub fn answer(&mut self, connection: u64, bytes: &[u8], grant: Option<Grant>) {
        let Some(entry) = self.open.get_mut(&connection) else { return };
        entry.token = grant.map(|grant| grant.token);
        // a closed connection takes no response
        let _ = entry.answers.try_send(Answer { bytes: bytes.to_vec(), grant });
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
    /// Shuts the socket down, which ends blocking calls, and signals the thread to end.
    fn shut_down(&self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}
