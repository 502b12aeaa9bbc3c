//! Reconnects after a connection has ended, on a separate thread, so that requests stay on schedule.

use std::fmt;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread::JoinHandle;

use sojourn_core::{Duration, Time};

/// Interval between attempts.
const RETRY_EVERY: Duration = Duration::from_secs(1);

/// Opens a connection, with the format of its probes.
pub type Connect<F> = Arc<dyn Fn() -> io::Result<(TcpStream, F)> + Send + Sync>;

/// Attempts to open another connection.
pub(super) struct Reconnection<F> {
    connect: Connect<F>,
    attempt: Option<JoinHandle<io::Result<(TcpStream, F)>>>,
    next: Time,
}

impl<F> fmt::Debug for Reconnection<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reconnection").field("next", &self.next).finish_non_exhaustive()
    }
}

impl<F: Send + 'static> Reconnection<F> {
    /// No attempt yet.
    pub fn new(connect: Connect<F>) -> Reconnection<F> {
        Reconnection { connect, attempt: None, next: Time::ZERO }
    }

    /// Begins an attempt that is due, and returns the connection of one that has succeeded.
    pub fn poll(&mut self, now: Time) -> Option<(TcpStream, F)> {
        if let Some(attempt) = self.attempt.take_if(|attempt| attempt.is_finished()) {
            self.next = now + RETRY_EVERY;
            return attempt.join().ok()?.ok();
        }
        if self.attempt.is_none() && now >= self.next {
            let connect = self.connect.clone();
            // without a thread now there may be one later
            self.attempt = std::thread::Builder::new().name("sojourn-connect".to_owned()).spawn(move || connect()).ok();
            self.next = now + RETRY_EVERY;
        }
        None
    }
}
