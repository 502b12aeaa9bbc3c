//! The emulated path: a link in each direction, the rate limiters that datagrams and connections share, and their clock.

use std::os::fd::BorrowedFd;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use sojourn_core::{Duration, Streams, Time};

use super::impairment::Impairment;
use super::link::EmulatedLink;
use super::rate_limiter::SharedRateLimiter;
use crate::io::clock::{Clock, to_timespec};

/// The longest wait, so that cancellation is noticed.
pub const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// The impairments of both directions and their seed.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// From clients to the remote host.
    pub forward: Impairment,
    /// From the remote host to clients.
    pub reverse: Impairment,
    /// Seed of the random streams.
    pub seed: u64,
}

impl Path {
    /// Impairments of each direction.
    pub fn of(forward: impl Into<Impairment>, reverse: impl Into<Impairment>, seed: u64) -> Path {
        Path { forward: forward.into(), reverse: reverse.into(), seed }
    }

    /// The same in both directions.
    pub fn both(impairment: impl Into<Impairment>, seed: u64) -> Path {
        let impairment = impairment.into();
        Path { forward: impairment.clone(), reverse: impairment, seed }
    }

    /// The links of both directions over shared rate limiters; `member` distinguishes connections.
    pub fn links(&self, member: &str, shared: &Shared) -> [EmulatedLink; 2] {
        let streams = Streams::new(self.seed, 0);
        let link = |impairment: &Impairment, direction, limiter: &Arc<SharedRateLimiter>| {
            EmulatedLink::new(impairment.clone(), &streams, &format!("relay{member}/{direction}")).over(limiter.clone())
        };
        [link(&self.forward, "there", &shared.forward), link(&self.reverse, "back", &shared.reverse)]
    }
}

/// What datagrams and connections on the same path share.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Clock of both directions, from the start of the relay.
    pub clock: Clock,
    forward: Arc<SharedRateLimiter>,
    reverse: Arc<SharedRateLimiter>,
}

impl Shared {
    /// Idle rate limiters, by a clock that starts now.
    pub fn start() -> Shared {
        Shared { clock: Clock::start(), forward: Arc::default(), reverse: Arc::default() }
    }
}

/// Waits until one of the sockets is ready as requested, or until `until`.
pub fn wait(sockets: &[(BorrowedFd<'_>, PollFlags)], now: Time, until: Time) {
    let mut waiting: Vec<PollFd<'_>> =
        sockets.iter().map(|(socket, what)| PollFd::from_borrowed_fd(*socket, *what)).collect();
    let span = until.since(now).min(LONGEST_WAIT);
    // a signal ends the wait early, which does no harm
    let _ = poll(&mut waiting, Some(&to_timespec(span)));
}
