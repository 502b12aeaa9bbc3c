//! Reconnects after a connection has ended, on a separate thread, so that requests stay on schedule.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use sojourn_core::{Duration, Time};

/// Interval between attempts.
const RETRY_EVERY: Duration = Duration::from_secs(1);

/// Opens a connection.
pub type Open<C> = Arc<dyn Fn() -> io::Result<C> + Send + Sync>;

/// Attempts to open another connection.
pub struct Reconnection<C> {
    open: Open<C>,
    attempt: Option<JoinHandle<io::Result<C>>>,
    next: Time,
}

impl<C> fmt::Debug for Reconnection<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reconnection").field("next", &self.next).finish_non_exhaustive()
    }
}

impl<C: Send + 'static> Reconnection<C> {
    /// No attempt yet.
    pub fn new(open: Open<C>) -> Reconnection<C> {
        Reconnection { open, attempt: None, next: Time::ZERO }
    }

    /// Begins an attempt that is due, and returns the connection of one that has succeeded.
    pub fn poll(&mut self, now: Time) -> Option<C> {
        if let Some(attempt) = self.attempt.take_if(|attempt| attempt.is_finished()) {
            self.next = now + RETRY_EVERY;
            return attempt.join().ok()?.ok();
        }
        if self.attempt.is_none() && now >= self.next {
            let open = self.open.clone();
            // without a thread now there may be one later
            self.attempt = std::thread::Builder::new().name("sojourn-connect".to_owned()).spawn(move || open()).ok();
            self.next = now + RETRY_EVERY;
        }
        None
    }
}
