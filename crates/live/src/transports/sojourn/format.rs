//! The probe format of `sojourn://`.

use std::ops::Range;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::probe::client::{Request as ControlRequest, Session};
use sojourn_protocols::probe::wire::{MIN_PACKET, Pdu, PhaseReport, Reason, WallClock};

use super::control::ask_phase;
use super::renewal::{Renewal, next};
use crate::io::datagrams::Datagrams;
use crate::prober::peer::{PeerCounts, PeerTimes, PeerWallClock, Rebinding, Request, ResidenceTime};
use crate::prober::phase_starts::PhaseStarts;
use crate::prober::udp_peer::ProbeFormat;

/// Probes of a session, which is opened again where the agent has lost it.
#[derive(Debug)]
pub struct Probes {
    /// The session that the agent has granted.
    pub session: Session,
    renewal: Renewal,
    phases: PhaseStarts,
    /// The phase whose counters the agent is asked for among probes, and the request.
    asking: Option<(u32, ControlRequest)>,
    /// The request for what the agent has counted of a phase so far, and when it was made.
    counting: Option<(u32, Time, ControlRequest)>,
    /// Whether the agent left a request for its counters unanswered: it is not asked again.
    silent: bool,
}

impl Probes {
    /// Probes of a session that was just opened.
    pub fn new(session: Session) -> Probes {
        let renewal = Renewal::new(session.key().clone());
        let phases = PhaseStarts::default();
        Probes { session, renewal, phases, asking: None, counting: None, silent: false }
    }

    /// Asks for the counters of a phase, unless the agent has lost the session or left such a request unanswered.
    fn ask(&mut self, phase: u32, datagrams: &mut Datagrams) -> Option<PhaseReport> {
        if self.silent || !self.has_counters() {
            return None;
        }
        let request = self.session.query_phase(phase, datagrams.clock().now());
        let report = ask_phase(request, &self.session, datagrams).ok();
        self.silent = report.is_none();
        report
    }

    /// Why the agent ended the session for good, if it did.
    pub fn ended(&self) -> Option<Reason> {
        self.renewal.reached()
    }

    /// Whether the agent has the counters: one that lost the session lost them.
    fn has_counters(&self) -> bool {
        !self.renewal.has_renewed() && self.ended().is_none()
    }
}

fn counts(report: PhaseReport) -> PeerCounts {
    let PhaseReport { received, replayed, reordered, socket_drops, .. } = report;
    PeerCounts { received, duplicates: replayed, reordered, of_return: None, socket_drops: Some(socket_drops) }
}

/// The agent's wall clock in a report.
pub fn wall_clock(report: PhaseReport) -> PeerWallClock {
    let WallClock { clock_ns, wall_ns, error_ns } = report.wall;
    let ahead_ns = i128::from(wall_ns) - i128::from(clock_ns);
    PeerWallClock { ahead_ns, error: error_ns.map(Duration::from_nanos) }
}

impl ProbeFormat for Probes {
    fn write(&mut self, request: Request, leaves: Time, datagram: &mut Vec<u8>) {
        let octets = u16::try_from(request.octets).unwrap_or(u16::MAX);
        self.session.encode_probe(
            request.sequence,
            leaves.picoseconds() / 1000,
            self.phases.current(),
            octets,
            datagram,
        );
    }

    fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
        let packet = self.session.decode(datagram).ok()?;
        let Pdu::Reply { receive_ns, receive_by_kernel, class, residence } = packet.pdu else { return None };
        let stay = |residence: sojourn_protocols::probe::wire::Residence| {
            let sequence = packet.sequence.checked_sub(residence.earlier.into())?;
            Some(ResidenceTime { sequence, ns: residence.ns.into() })
        };
        let earlier = residence.and_then(stay);
        let far = PeerTimes { received: receive_ns, sent: None, earlier, class, kernel: receive_by_kernel };
        Some((packet.sequence, Some(far)))
    }

    fn min_octets(&self) -> u32 {
        MIN_PACKET.into()
    }

    fn write_control(&mut self, now: Time, datagram: &mut Vec<u8>) -> bool {
        self.renewal.write(now, &mut self.session, datagram)
    }

    fn read_control(&mut self, now: Time, datagram: &[u8]) -> bool {
        if let Ok(packet) = self.session.decode(datagram) {
            let asking = self.asking.as_mut().map(|(_, request)| request);
            let counting = self.counting.as_mut().map(|(_, _, request)| request);
            asking.into_iter().chain(counting).for_each(|request| request.handle(now, packet));
        }
        self.renewal.read(now, &mut self.session, datagram)
    }

    fn write_count_request(&mut self, now: Time, datagram: &mut Vec<u8>) -> bool {
        if !self.has_counters() {
            return false;
        }
        let phase = self.phases.current();
        let mut request = self.session.query_phase(phase, now);
        request.wake(now);
        let packet = request.poll_output();
        // sent once: its answer counts what was sent before it
        self.counting = Some((phase, now, request));
        packet.inspect(|packet| self.session.encode_packet(packet, datagram)).is_some()
    }

    fn last_counts(&mut self) -> Option<(u32, Time, PeerCounts)> {
        let (phase, at, request) = self.counting.take()?;
        Some((phase, at, counts(request.phase_outcome()?.ok()?)))
    }

    fn has_restarted(&self) -> bool {
        self.renewal.has_renewed()
    }

    fn rebindings(&self) -> &[Rebinding] {
        self.renewal.rebindings()
    }

    fn ended(&self) -> Option<String> {
        Probes::ended(self).map(|reason| format!("the agent closed the session: {reason}"))
    }

    fn phase_over(&mut self, next: u64) {
        self.phases.phase_over(next);
    }

    fn wall_clock(&mut self, datagrams: &mut Datagrams) -> Option<PeerWallClock> {
        self.ask(self.phases.current(), datagrams).map(wall_clock)
    }

    fn counts(&mut self, requests: Range<u64>, datagrams: &mut Datagrams) -> Option<PeerCounts> {
        let phase = self.phases.number(&requests)?;
        self.ask(phase, datagrams).map(counts)
    }

    fn poll_counts(&mut self, requests: Range<u64>, now: Time, datagram: &mut Vec<u8>) -> Option<Option<PeerCounts>> {
        let Some(phase) = self.phases.number(&requests).filter(|_| self.has_counters()) else {
            self.asking = None;
            return Some(None);
        };
        if self.asking.as_ref().is_none_or(|(asked, _)| *asked != phase) {
            self.asking = Some((phase, self.session.query_phase(phase, now)));
        }
        let (_, request) = self.asking.as_mut()?;
        if let Some(packet) = next(request, now) {
            self.session.encode_packet(&packet, datagram);
        }
        let answer = request.phase_outcome()?;
        self.asking = None;
        Some(answer.ok().map(counts))
    }
}
