//! Events from the threads of connections to the thread of the machine.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use sojourn_protocols::probe::server::{Grant, Input};
use sojourn_protocols::probe::wire::Packet;

/// The response to a connection's first frame.
#[derive(Debug)]
pub(super) struct Answer {
    /// The packet, if there is a response.
    pub(super) packet: Option<Packet>,
    pub(super) grant: Option<Grant>,
}

/// An event of a connection.
#[derive(Debug)]
pub(super) enum StreamEvent {
    /// An input of the machine.
    Machine(Input),
    /// The connection was closed.
    Closed(u64),
}

/// Sends events of a connection's thread, and wakes the listeners.
#[derive(Clone, Debug)]
pub(super) struct EventSender {
    pub(super) said: Sender<StreamEvent>,
    pub(super) eventfd_owned: Arc<OwnedFd>,
    /// Whether an event is pending, which is cheaper to check than the channel.
    pub(super) pending: Arc<AtomicBool>,
}

impl EventSender {
    pub(super) fn send(&self, said: StreamEvent) {
        // the receiver is gone when the agent has ended
        let _ = self.said.send(said);
        self.pending.store(true, Ordering::Release);
        let _ = rustix::io::write(&*self.eventfd_owned, &1u64.to_ne_bytes());
    }

    /// Sends an input to the machine.
    pub(super) fn send_input(&self, input: Input) {
        self.send(StreamEvent::Machine(input));
    }
}

/// Reports a connection as closed when its thread ends, by a panic as well.
pub(super) struct ClosedGuard {
    pub(super) number: u64,
    pub(super) events: EventSender,
}

impl Drop for ClosedGuard {
    fn drop(&mut self) {
        self.events.send(StreamEvent::Closed(self.number));
    }
}
