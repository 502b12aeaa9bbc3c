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
pub(super) enum Said {
    /// To the machine.
    Machine(Input),
    /// That it is over.
    Over(u64),
}

/// How a connection's thread speaks: what it says, the doors hear at once.
#[derive(Clone, Debug)]
pub(super) struct Mouth {
    pub(super) said: Sender<Said>,
    pub(super) bell: Arc<OwnedFd>,
    /// Whether anything was said that the doors have not heard: so much cheaper to ask than the channel is.
    pub(super) has_word: Arc<AtomicBool>,
}

impl Mouth {
    pub(super) fn say(&self, said: Said) {
        // nobody listens any more when the agent has ended
        let _ = self.said.send(said);
        self.has_word.store(true, Ordering::Release);
        let _ = rustix::io::write(&*self.bell, &1u64.to_ne_bytes());
    }

    /// Tells the machine.
    pub(super) fn tell(&self, input: Input) {
        self.say(Said::Machine(input));
    }
}

/// Says that a connection is over when its thread ends, however that happens.
pub(super) struct Farewell {
    pub(super) number: u64,
    pub(super) mouth: Mouth,
}

impl Drop for Farewell {
    fn drop(&mut self) {
        self.mouth.say(Said::Over(self.number));
    }
}
