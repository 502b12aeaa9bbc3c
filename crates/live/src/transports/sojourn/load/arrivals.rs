//! Delivered load: asks the agent, without blocking, how much of this host's load has arrived.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::probe::client::Request;
use sojourn_protocols::probe::wire::{Pdu, Report};

use super::session::LoadSession;
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
    /// Its last report of the session.
    report: Report,
    /// Datagrams and octets that had arrived in earlier sessions, as far as it reported them.
    before: (u64, u64),
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
}

impl Arrivals {
    /// None so far; it is asked from `start` on.
    pub fn from(start: Time) -> Arrivals {
        let (incoming, outgoing) = (vec![0; LARGEST_DATAGRAM], Vec::new());
        let (request, report, before) = (None, Report::default(), (0, 0));
        Arrivals { request, due: start + ASK_EVERY, report, before, incoming, outgoing }
    }

    /// Asks if that is due, and takes what has come; returns the octets that arrived since the report before.
    pub fn poll(&mut self, now: Time, session: &mut LoadSession, datagrams: &mut Datagrams) -> u64 {
        let (_, known) = self.total();
        if self.request.is_none() && now >= self.due && !session.is_lost(now) {
            self.due = now + ASK_EVERY;
            self.request = Some(session.session.query(now));
        }
        if let Some(request) = &mut self.request {
            if request.next_wakeup().is_some_and(|wake| wake <= now) {
                request.wake(now);
            }
            while let Some(packet) = request.poll_output() {
                session.session.encode_packet(&packet, &mut self.outgoing);
                // what cannot be sent is not answered
                let _ = datagrams.send(&self.outgoing);
            }
        }
        self.receive(now, session, datagrams);
        session.recover(now, datagrams);
        self.total().1 - known
    }

    /// Datagrams and octets that have arrived, as far as the agent has reported them.
    pub fn total(&self) -> (u64, u64) {
        (self.before.0 + self.report.load_packets, self.before.1 + self.report.load_octets)
    }

    /// Takes the agent's last report of the session.
    pub fn take_last(&mut self, report: Report) {
        self.report = report;
    }

    fn receive(&mut self, now: Time, session: &mut LoadSession, datagrams: &mut Datagrams) {
        loop {
            let bytes = match datagrams.receive(ReadMode::NonBlocking, &mut self.incoming) {
                Received::Datagram(_, bytes) => bytes,
                // of load to an agent that is away
                Received::Notice(_) => continue,
                Received::Nothing => break,
            };
            let renewals = session.renewals();
            let packet = session.read(now, bytes);
            if session.renewals() > renewals {
                self.before = self.total();
                (self.report, self.request) = (Report::default(), None);
            }
            let Some(packet) = packet else { continue };
            if let Pdu::Report { report, .. } = packet.pdu
                && report.load_octets >= self.report.load_octets
            {
                self.report = report;
            }
            if let Some(request) = &mut self.request {
                request.handle(now, packet);
            }
        }
        self.request.take_if(|request| request.outcome().is_some());
    }
}
