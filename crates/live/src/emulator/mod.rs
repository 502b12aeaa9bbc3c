//! A way between two hosts that is as bad as asked for, in user space: where the kernel has no netem, or nobody may set it
//! up.
//!
//! Whoever would speak to a host speaks to the relay in its place, which passes everything on, late, or not at all:
//!
//! 1. a [`Line`] decides the fate of what it is offered, from named random streams: the same seed, the same fate; all of
//!    one direction wait for one [`Trunk`];
//! 2. [`datagrams`] carries UDP over a line in each direction, for many at a time;
//! 3. [`connections`] does so with TCP, where nothing can be lost or overtaken, only late or slow;
//! 4. a [`Service`] does both at one port and says in the end what became of everything.
//!
//! Every packet wakes the relay twice, so it adds some tens of microseconds of its own, more on a busy host; its delays
//! are worth a millisecond's precision, not a microsecond's.

pub mod connections;
pub mod datagrams;
mod link;
mod service;

pub use self::link::{Counts, Fate, Impairment, Line, Trunk};
pub use self::service::Service;

use std::os::fd::BorrowedFd;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use sojourn_core::{Duration, Streams, Time};

use crate::io::clock::{Clock, to_timespec};

/// The longest wait, so that a wish to stop is heard.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// The impairments of both directions and their seed.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// From those who reach the relay to the far host.
    pub there: Impairment,
    /// From the far host.
    pub back: Impairment,
    /// Seed of every draw.
    pub seed: u64,
}

impl Way {
    /// The same in both directions.
    pub fn both(impairment: Impairment, seed: u64) -> Way {
        Way { there: impairment.clone(), back: impairment, seed }
    }

    /// The two lines over shared trunks; `member` tells those of connections apart.
    fn lines(&self, member: &str, shared: &Shared) -> [Line; 2] {
        let streams = Streams::new(self.seed, 0);
        let line = |impairment: &Impairment, direction, trunk: &Arc<Trunk>| {
            Line::new(impairment.clone(), &streams, &format!("relay{member}/{direction}")).over(trunk.clone())
        };
        [line(&self.there, "there", &shared.there), line(&self.back, "back", &shared.back)]
    }
}

/// What datagrams and connections have in common that pass the same way.
#[derive(Clone, Debug)]
pub struct Shared {
    clock: Clock,
    there: Arc<Trunk>,
    back: Arc<Trunk>,
}

impl Shared {
    /// Trunks that nobody sends over yet, by a clock that begins now.
    pub fn start() -> Shared {
        Shared { clock: Clock::start(), there: Arc::default(), back: Arc::default() }
    }
}

/// Waits until one of the sockets is ready for what is asked of it, or an instant has come.
fn wait(sockets: &[(BorrowedFd<'_>, PollFlags)], now: Time, until: Time) {
    let mut waiting: Vec<PollFd<'_>> =
        sockets.iter().map(|(socket, what)| PollFd::from_borrowed_fd(*socket, *what)).collect();
    let span = until.since(now).min(LONGEST_WAIT);
    // a signal ends the wait early, which does no harm
    let _ = poll(&mut waiting, Some(&to_timespec(span)));
}
