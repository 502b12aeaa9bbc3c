//! What the threads of connections and the thread of the machine tell each other.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use sojourn_protocols::probe::server::{Grant, Input};

/// What a connection's first frame is answered with.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) bytes: Vec<u8>,
    pub(super) grant: Option<Grant>,
}

/// What a connection has to say.
#[derive(Debug)]
pub(super) enum StreamEvent {
    /// To the machine.
    Machine(Input),
    /// That it is over.
    Closed(u64),
}

/// How a connection's thread speaks: what it says, the doors hear at once.
#[derive(Clone, Debug)]
pub(super) struct EventSender {
    pub(super) said: Sender<StreamEvent>,
    pub(super) eventfd_owned: Arc<OwnedFd>,
    /// Whether anything was said that the doors have not heard: so much cheaper to ask than the channel is.
    pub(super) pending: Arc<AtomicBool>,
}

impl EventSender {
    pub(super) fn send(&self, said: StreamEvent) {
        // nobody listens any more when the agent has ended
        let _ = self.said.send(said);
        self.pending.store(true, Ordering::Release);
        let _ = rustix::io::write(&*self.eventfd_owned, &1u64.to_ne_bytes());
    }

    /// Tells the machine.
    pub(super) fn tell(&self, input: Input) {
        self.send(StreamEvent::Machine(input));
    }
}

/// Says that a connection is over when its thread ends, however that happens.
pub(super) struct ClosedGuard {
    pub(super) number: u64,
    pub(super) events: EventSender,
}

impl Drop for ClosedGuard {
    fn drop(&mut self) {
        self.events.send(StreamEvent::Closed(self.number));
    }
}
