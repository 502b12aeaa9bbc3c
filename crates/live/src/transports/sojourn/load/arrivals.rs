//! What arrives of a load that this host sends: the agent is asked meanwhile, without waiting for it.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::probe::client::{Request, Session};

use crate::io::datagrams::{Datagrams, ReadMode};
use crate::io::packet_io::{LARGEST_DATAGRAM, Received};

/// Interval of requests for the agent's counters.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// The agent's counters during a load.
#[derive(Debug)]
pub struct Arrivals {
    request: Option<Request>,
    /// When it is asked next.
    due: Time,
    /// Octets that had arrived by its last report.
    octets: u64,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
}

impl Arrivals {
    /// None so far; it is asked from `start` on.
    pub fn from(start: Time) -> Arrivals {
        let (incoming, outgoing) = (vec![0; LARGEST_DATAGRAM], Vec::new());
        Arrivals { request: None, due: start + ASK_EVERY, octets: 0, incoming, outgoing }
    }

    /// Asks if that is due, and takes what has come; returns the octets that arrived since the report before.
    pub fn poll(&mut self, now: Time, session: &mut Session, datagrams: &mut Datagrams) -> u64 {
        if self.request.is_none() && now >= self.due {
            self.due = now + ASK_EVERY;
            self.request = Some(session.query(now));
        }
        let Some(request) = &mut self.request else { return 0 };
        if request.next_wakeup().is_some_and(|wake| wake <= now) {
            request.wake(now);
        }
        while let Some(packet) = request.poll_output() {
            session.encode_packet(&packet, &mut self.outgoing);
            // what cannot be sent is not answered
            let _ = datagrams.send(&self.outgoing);
        }
        while let Received::Datagram(_, bytes) = datagrams.receive(ReadMode::NonBlocking, &mut self.incoming) {
            if let Ok(packet) = session.decode(bytes) {
                request.handle(now, packet);
            }
        }
        let Some(outcome) = request.outcome() else { return 0 };
        self.request = None;
        let before = self.octets;
        self.octets = outcome.map_or(before, |report| report.load_octets.max(before));
        self.octets - before
    }
}
