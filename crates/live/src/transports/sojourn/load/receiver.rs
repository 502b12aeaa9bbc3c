//! UDP load from the agent: requested at a rate and counted on arrival, including what was still in flight at its
//! end.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::probe::client::{LoadRequest, Request, RequestError};
use sojourn_protocols::probe::wire::{Packet, Pdu, Reason, Report};

use super::session::LoadSession;
use super::{Flow, LoadContext};
use crate::io::datagrams::{Datagrams, ReadMode};
use crate::io::packet_io::{LARGEST_DATAGRAM, Received};

/// Load that has not arrived for this long, or for a round trip if that is longer, is lost.
pub(super) const SETTLE: Duration = Duration::from_millis(500);
/// How long what is in flight at the end of a load is waited for.
pub(super) const LONGEST_SETTLE: Duration = Duration::from_secs(10);

/// How long before its start the agent is asked for a number that confirms it, which is valid for five seconds; a session that was
/// opened later has one.
const CONFIRM_BEFORE: Duration = Duration::from_secs(2);
/// Interval of keep-alives to an agent that sends.
const ASK_EVERY: Duration = Duration::from_millis(500);
/// Load that has not arrived for this long, and for three of its intervals, has ended at the agent, as after an outage.
const LAPSE: Duration = Duration::from_secs(1);
/// Longest wait on the socket, so that the end of the load is noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Receives load of the agent, also while it waits for an answer.
pub struct Receiver<'a> {
    context: &'a LoadContext,
    datagrams: &'a mut Datagrams,
    session: &'a mut LoadSession,
    buffer: Vec<u8>,
    arrived: Arrived,
    /// The agent's latest counters of the session.
    report: Report,
    /// Datagrams that the agent sent in earlier sessions.
    sent_before: u64,
    /// When the agent was asked last.
    asked: Time,
    /// When it began to send.
    started: Option<Time>,
}

/// The load that has arrived, each datagram once.
#[derive(Debug, Default)]
struct Arrived {
    /// A bit for each sequence number of the session.
    seen: Vec<u64>,
    packets: u64,
    octets: u64,
    /// Arrival of the first, and its octets.
    first: Option<(Time, u64)>,
    last: Time,
}

impl Arrived {
    /// Whether a datagram is not a duplicate; if so it is counted.
    fn count(&mut self, sequence: u64, octets: u64, at: Time) -> bool {
        let (word, bit) = ((sequence / 64) as usize, 1 << (sequence % 64));
        if word >= self.seen.len() {
            self.seen.resize(word + 1, 0);
        }
        let is_new = self.seen[word] & bit == 0;
        if is_new {
            self.seen[word] |= bit;
            self.packets += 1;
            self.octets += octets;
            self.first.get_or_insert((at, octets));
            self.last = at;
        }
        is_new
    }

    /// Another session begins, which numbers its datagrams anew; returns how many the one before had sent at least.
    fn next_session(&mut self) -> u64 {
        let last = self.seen.last().map_or(0, |word| u64::from(u64::BITS - word.leading_zeros()));
        let sent = 64 * (self.seen.len() as u64).saturating_sub(1) + last;
        self.seen.clear();
        sent
    }

    /// Bits per second from the first arrival to the last; the first itself, which starts the interval, is not counted.
    fn bit_rate(&self) -> f64 {
        let Some((first, octets)) = self.first.filter(|(first, _)| self.last > *first) else { return 0.0 };
        (self.octets - octets) as f64 * 8.0 / self.last.since(first).seconds()
    }
}

impl<'a> Receiver<'a> {
    /// Receives on a session's socket.
    pub fn new(context: &'a LoadContext, datagrams: &'a mut Datagrams, session: &'a mut LoadSession) -> Receiver<'a> {
        datagrams.disable_timestamping();
        datagrams.set_gro(true);
        let (buffer, arrived, report) = (vec![0; LARGEST_DATAGRAM], Arrived::default(), Report::default());
        let (asked, started) = (context.clock.now(), None);
        Receiver { context, datagrams, session, buffer, arrived, report, sent_before: 0, asked, started }
    }

    /// Requests load from the agent at the rate, marked as the load is, from the start until the stop of the load, and counts
    /// what arrives. In an outage it goes on, and asks again for the rest of the load.
    pub fn take(mut self, rate: u64, octets: u16) -> Result<Flow, String> {
        let clock = self.context.clock;
        let ask_at = Time::ZERO + self.context.start.since(Time::ZERO + CONFIRM_BEFORE);
        if ask_at > clock.now() {
            if !self.context.await_time(ask_at) {
                return Ok(Flow::default());
            }
            let request = self.session.session.query(clock.now());
            // a session that is lost meanwhile is opened again
            let _ = self.ask(request);
        }
        if !self.context.await_start() {
            return Ok(Flow::default());
        }
        let lapse = LAPSE.max(Duration::from_units(3 * 8 * u64::from(octets), rate));
        let mut failure = None;
        while !self.context.is_over() {
            if let Some(reason) = self.session.reached() {
                return Err(format!("the agent closed the session: {reason}"));
            }
            if self.is_start_due(lapse) {
                failure = self.start(rate, octets)?;
            }
            self.receive(None);
            self.session.recover(clock.now(), self.datagrams);
            if clock.now().since(self.asked) > ASK_EVERY {
                self.remind();
            }
        }
        if let Some(failure) = failure.filter(|_| self.arrived.packets == 0) {
            return Err(failure.to_string());
        }
        let sent = self.stop();
        self.settle(sent);
        let Arrived { packets, .. } = self.arrived;
        let datagrams = Some((sent.max(packets), packets));
        Ok(Flow { bit_rate: self.arrived.bit_rate(), datagrams, renewals: self.session.renewals(), unreported: false })
    }

    /// Whether the agent is to be asked for load: it has not begun, or has ended it, and is there.
    fn is_start_due(&self, lapse: Duration) -> bool {
        let now = self.context.clock.now();
        let is_lapsed = |started: Time| now.since(started.max(self.arrived.last)) > lapse;
        !self.session.is_lost(now) && self.started.is_none_or(is_lapsed)
    }

    /// Asks for load until the stop; why the agent does not send it yet, or an error if it will not.
    fn start(&mut self, bit_rate: u64, octets: u16) -> Result<Option<RequestError>, String> {
        let now = self.context.clock.now();
        let duration_ns = self.context.stop.since(now).picoseconds() / 1000;
        let load = LoadRequest { bit_rate, octets, duration_ns, dscp: self.context.marking.dscp };
        let request = self.session.session.start(load, now);
        let outcome = self.ask(request);
        match outcome {
            Ok(_) => {
                self.started = Some(self.context.clock.now());
                Ok(None)
            }
            // after an outage the number that confirms is old: a report brings another
            Err(RequestError::Refused(Reason::Unconfirmed)) => {
                self.remind();
                Ok(outcome.err())
            }
            Err(RequestError::Refused(reason)) if reason != Reason::NoSession => {
                Err(RequestError::Refused(reason).to_string())
            }
            Err(failure) => Ok(Some(failure)),
        }
    }

    /// Stops the load; returns the number of datagrams that the agent sent, by its last report if it no longer answers.
    fn stop(&mut self) -> u64 {
        let request = self.session.session.stop(self.context.clock.now());
        let sent = self.ask(request).unwrap_or(self.report).sent_packets;
        self.sent_before + sent
    }

    /// Receives what is in flight: until all `sent` datagrams have arrived, or none arrives any more.
    fn settle(&mut self, sent: u64) {
        let clock = self.context.clock;
        let began = clock.now();
        // a round trip, if the agent started at once
        let round_trip = self.arrived.first.map_or(Duration::ZERO, |(first, _)| first.since(self.context.start));
        let quiet = SETTLE.max(round_trip);
        while self.arrived.packets < sent
            && clock.now().since(self.arrived.last.max(began)) < quiet
            && clock.now().since(began) < LONGEST_SETTLE
        {
            self.receive(None);
        }
    }

    /// Sends a request until it is answered.
    fn ask(&mut self, mut request: Request) -> Result<Report, RequestError> {
        loop {
            if let Some(outcome) = request.outcome() {
                return outcome;
            }
            request.wake(self.context.clock.now());
            self.transmit(&mut request);
            self.receive(Some(&mut request));
        }
    }

    /// Sends a keep-alive to the agent; its response arrives among the load.
    fn remind(&mut self) {
        let now = self.context.clock.now();
        self.asked = now;
        let mut request = self.session.session.query(now);
        request.wake(now);
        self.transmit(&mut request);
    }

    fn transmit(&mut self, request: &mut Request) {
        let mut bytes = Vec::new();
        while let Some(packet) = request.poll_output() {
            self.session.session.encode_packet(&packet, &mut bytes);
            // what cannot be sent is sent again
            let _ = self.datagrams.send(&bytes);
        }
    }

    /// Receives what is queued, after a wait for it; what is not load may answer the request.
    fn receive(&mut self, mut request: Option<&mut Request>) {
        self.datagrams.wait_for(POLL_INTERVAL);
        loop {
            let (arrival, bytes) = match self.datagrams.receive(ReadMode::NonBlocking, &mut self.buffer) {
                Received::Datagram(arrival, bytes) => (arrival, bytes),
                Received::Notice(_) => continue,
                Received::Nothing => return,
            };
            let renewals = self.session.renewals();
            let packet = self.session.read(arrival.at, bytes);
            if self.session.renewals() > renewals {
                let sent = std::mem::take(&mut self.report).sent_packets;
                self.sent_before += self.arrived.next_session().max(sent);
                self.started = None;
            }
            let Some(packet) = packet else { continue };
            match packet {
                Packet { sequence, pdu: Pdu::Load { .. }, .. } => {
                    let octets = bytes.len() as u64;
                    if self.arrived.count(sequence, octets, arrival.at) {
                        self.context.deliver(octets);
                    }
                }
                Packet { pdu: Pdu::Report { report, .. }, .. } => self.report = report,
                _ => {}
            }
            if let Some(request) = &mut request {
                request.handle(arrival.at, packet);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_duplicate_is_not_counted_and_a_late_datagram_is() {
        let mut arrived = Arrived::default();
        assert!(arrived.count(0, 100, at(1)) && arrived.count(200, 100, at(2)));
        assert!(!arrived.count(200, 100, at(3)));
        assert!(arrived.count(100, 100, at(3)));
        assert_eq!((arrived.packets, arrived.octets), (3, 300));
    }

    #[test]
    fn another_session_numbers_its_datagrams_anew() {
        let mut arrived = Arrived::default();
        assert_eq!(arrived.next_session(), 0);
        for sequence in [0, 1, 70] {
            arrived.count(sequence, 100, at(sequence));
        }
        assert_eq!(arrived.next_session(), 71, "the last arrived, of those before some did not");
        assert!(arrived.count(0, 100, at(80)) && !arrived.count(0, 100, at(81)));
        assert_eq!((arrived.packets, arrived.octets, arrived.next_session()), (4, 400, 1));
    }

    #[test]
    fn the_rate_is_that_from_the_first_to_the_last_arrival() {
        let mut arrived = Arrived::default();
        assert_eq!(arrived.bit_rate(), 0.0);
        for sequence in 0..11 {
            arrived.count(sequence, 1000, at(400 + 100 * sequence));
        }
        assert_eq!(arrived.bit_rate(), 80_000.0);
    }
}
