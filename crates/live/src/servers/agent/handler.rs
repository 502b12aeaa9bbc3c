//! Connects the listeners with the machine: authenticates datagrams and reports events.

use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_core::{Machine, Time};
use sojourn_protocols::probe::server::{Arrival, Event, Input, Output, Server, Summary, canonical};
use sojourn_protocols::probe::wire::{
    NO_TOKEN, Packet, ParseError, Pdu, PhaseReport, Reason, Token, WallClock, tag_field,
};

use super::endpoint::{Endpoint, Outgoing};
use super::keyring::Keyring;
use super::listeners::Listeners;
use super::log::Log;
use super::replies::Reply;
use crate::io::clock::Clock;
use crate::io::cpu_idle::SharedGuard;
use crate::io::drive::{AppPoll, Handler};
use crate::io::host_clock;
use crate::io::wall_clock::Pair;
use crate::key::NamedKey;
use crate::progress::report::Report;
use crate::progress::watch::Watch;
use crate::transport::Listening;

/// Longest run of an agent: its time overflows after 213 days.
const LONGEST_SERVICE: sojourn_core::Duration = sojourn_core::Duration::from_secs(200 * 86_400);

/// Decodes, encodes, and logs.
pub struct ServerHandler<'a> {
    keyring: Keyring,
    /// The datagram that was authenticated last: its token and its key.
    last: Option<(Token, Arc<NamedKey>)>,
    clock: Clock,
    listening: &'a Listening,
    watch: &'a Watch,
    log: Log,
    cpu_guard: Option<SharedGuard>,
}

impl<'a> ServerHandler<'a> {
    /// Reports events to `watch`.
    pub fn new(
        keyring: Keyring,
        no_cpu_idle: bool,
        clock: Clock,
        listening: &'a Listening,
        watch: &'a Watch,
    ) -> ServerHandler<'a> {
        let cpu_guard = no_cpu_idle.then(SharedGuard::default);
        ServerHandler { keyring, last: None, clock, listening, watch, log: Log::default(), cpu_guard }
    }

    fn report_event(&mut self, now: Time, event: &Event) {
        let key = match event {
            Event::Closed(summary) => self.keyring.closed(&summary.token),
            Event::Opened { .. } => self.last.as_ref().map(|(_, key)| key.clone()),
            _ => None,
        };
        let key = key.map(|key| key.name.clone()).filter(|name| !name.is_empty());
        if let Event::Closed(summary) = event {
            self.watch.report(Report { key: key.clone(), ..report(summary) });
        }
        match (&mut self.cpu_guard, event) {
            (Some(cpu_guard), Event::Opened { .. }) => cpu_guard.acquire(),
            (Some(cpu_guard), Event::Closed(_)) => cpu_guard.release(),
            _ => {}
        }
        match key {
            Some(key) => self.write(now, event.kind(), format_args!("{event} key={key}")),
            None => self.write(now, event.kind(), event),
        }
    }

    #[cold]
    fn write(&mut self, now: Time, kind: &'static str, line: impl std::fmt::Display) {
        if let Some(line) = self.log.line(now, kind, line) {
            self.watch.report(Report::log(line));
        }
    }

    /// The key that authenticates a packet to a client: that of its session, or of the datagram that it answers.
    fn key_of(&self, packet: &Packet) -> Option<Arc<NamedKey>> {
        let answered = self.last.as_ref();
        if let Some((_, key)) = answered.filter(|(token, _)| *token == packet.token) {
            return Some(key.clone());
        }
        if let (Pdu::Opened { .. }, Some((_, key))) = (packet.pdu, answered) {
            self.keyring.opened(packet.token, key);
        }
        self.keyring.of_session(&packet.token).or_else(|| answered.map(|(_, key)| key.clone()))
    }

    fn is_over(&self, now: Time, server: &Server) -> bool {
        let limit = self.listening.duration.unwrap_or(LONGEST_SERVICE).min(LONGEST_SERVICE);
        let enough = self.listening.count.is_some_and(|count| server.ended_sessions() >= count);
        self.watch.is_cancelled() || enough || now >= Time::ZERO + limit
    }
}

impl Handler<Server, Listeners> for ServerHandler<'_> {
    fn decode(&mut self, now: Time, from: Endpoint, datagram: &[u8]) -> Option<Input> {
        let Endpoint::From { path, at, kernel_at, class, socket_drops } = from else { return None };
        let address = canonical(path.peer);
        let octets = u16::try_from(datagram.len()).ok()?;
        let received = kernel_at.unwrap_or(at);
        let (receive_ns, by_kernel) = (received.picoseconds() / 1000, kernel_at.is_some());
        let (parsed, key) = self.keyring.parse(datagram);
        match parsed {
            Ok(packet) => {
                self.last = Some((packet.token, key));
                let arrival = Arrival { path, packet, octets, receive_ns, by_kernel, class, socket_drops };
                Some(Input::Packet(arrival))
            }
            Err(ParseError::Version(_)) => {
                self.last = Some((NO_TOKEN, key));
                Some(Input::ForeignVersion { path, octets, tag: tag_field(datagram)? })
            }
            Err(fault @ (ParseError::Unauthenticated | ParseError::Short(_))) => {
                self.write(
                    now,
                    "unauthenticated",
                    format_args!("event=unauthenticated peer={address} fault={fault:?}"),
                );
                None
            }
            Err(fault) => {
                self.write(now, "malformed", format_args!("event=malformed peer={address} fault={fault:?}"));
                None
            }
        }
    }

    fn encode(&mut self, now: Time, output: Output, datagram: &mut Vec<u8>) -> Option<Endpoint> {
        match output {
            Output::Transmit { path, mut packet, octets, dscp } => {
                if let Pdu::PhaseReport(report) = &mut packet.pdu {
                    *report = PhaseReport { wall: wall_clock(&self.clock), ..*report };
                }
                let Packet { token, sequence, pdu } = packet;
                let key = self.key_of(&packet)?;
                packet.emit(&key.key, octets, datagram);
                let what = match pdu {
                    Pdu::Reply { receive_ns, .. } => Outgoing::Reply(Reply { token, sequence, receive_ns }),
                    Pdu::Load { .. } => Outgoing::Load { dscp },
                    _ => Outgoing::Control,
                };
                Some(Endpoint::To { path, what })
            }
            // its thread has the key
            Output::StreamResponse { connection, packet, grant } => {
                Some(Endpoint::Stream { connection, packet, grant })
            }
            Output::EndStreams { token } => Some(Endpoint::AllStreamsOf { token }),
            Output::Event(event) => {
                self.report_event(now, &event);
                None
            }
        }
    }

    fn notice(&mut self, _now: Time, notice: Input) -> Option<Input> {
        Some(notice)
    }

    fn poll_app(&mut self, now: Time, server: &mut Server) -> AppPoll {
        if self.is_over(now, server) {
            server.handle(now, Input::ShutDown);
            return AppPoll::Done;
        }
        AppPoll::Wait(Time::NEVER)
    }
}

/// The clock of timestamps and the wall clock, now.
fn wall_clock(clock: &Clock) -> WallClock {
    let Pair { at, wall_ns, .. } = Pair::read(clock);
    let error_ns = host_clock::largest_error().map(|error| error.picoseconds() / 1000);
    WallClock { clock_ns: at.picoseconds() / 1000, wall_ns: wall_ns.max(0) as u64, error_ns }
}

/// The report of a session's end.
fn report(summary: &Summary) -> Report {
    let Summary { token: _, peer, reason, lasted, report, stream_octets_in, stream_octets_out } = summary;
    let bytes = report.load_octets + report.sent_octets + stream_octets_in + stream_octets_out;
    let seconds = lasted.seconds();
    Report {
        kind: "session",
        peer: canonical(*peer).to_string(),
        bytes,
        messages: report.probes,
        seconds,
        bit_rate: if seconds > 0.0 { 8.0 * bytes as f64 / seconds } else { 0.0 },
        ended: reason.to_string(),
        well: matches!(reason, Reason::ClientClosed | Reason::ShuttingDown),
        counts: BTreeMap::from([
            ("load_packets", report.load_packets),
            ("load_octets", report.load_octets),
            ("sent_packets", report.sent_packets),
            ("sent_octets", report.sent_octets),
            ("stream_octets_in", *stream_octets_in),
            ("stream_octets_out", *stream_octets_out),
            ("replayed", report.replayed),
            ("over_limit", report.over_limit),
        ]),
        ..Report::default()
    }
}
