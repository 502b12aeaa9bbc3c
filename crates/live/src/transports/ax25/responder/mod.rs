//! The far station: accepts links and echoes blocks, until it is cancelled.

mod session;

use std::collections::BTreeMap;

use sojourn_core::{Machine, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::ax25::machine::{self, Counter, LinkId};

use self::session::Session;
use crate::io::drive::{AppPoll, Driver};
use crate::io::injected_loss::InjectedLoss;
use crate::progress::report::Report;
use crate::progress::watch::Watch;
use crate::transport::{Listening, Measured};
use crate::transports::ax25::handler::{PortHandler, StationApp};
use crate::transports::ax25::port::Port;
use crate::transports::ax25::settings::Settings;
use crate::transports::ax25::shutdown::shut_down;
use crate::transports::ax25::transceiver::{Input, StationOutput, Transceiver};

/// Frames queued for a peer above which it is sent RNR, and below which it may continue.
const BUSY_ABOVE: usize = 512;
const READY_BELOW: usize = 256;

/// Serves until the count or the duration is reached, or until it is cancelled; then disconnects.
pub fn answer<P: Port>(
    port: P,
    settings: &Settings,
    listening: &Listening,
    watch: &Watch,
    frames: &mut dyn FrameSink,
) -> Measured {
    let loss = InjectedLoss::new(listening.seed, 0, "agent", listening.inject_loss);
    let mut port_handler = PortHandler::new(port.name(), watch);
    let mut transceiver = settings.transceiver().expect("the settings were checked when they were read");
    watch.begin("answering", "B", 0);
    watch.report(Report::of_listener(format!("{} as {}", port.name(), settings.own)));
    let mut driver = Driver::new(port, loss, frames);
    let mut agent = Agent::new(listening, &mut port_handler);
    driver.run(&mut transceiver, &mut agent);
    let sessions = std::mem::take(&mut agent.sessions);
    let now = driver.clock.now();
    let disc_timeout = sessions.keys().filter_map(|link| transceiver.station().key(*link));
    let disc_timeout = disc_timeout.map(|key| settings.disc_timeout(&key)).max().unwrap_or_default();
    shut_down(&mut driver, &mut transceiver, &mut port_handler, sessions.keys().copied().collect(), disc_timeout);
    for session in sessions.into_values() {
        watch.report(report(&session, now, 0, "ended here", false));
    }
    Measured::default()
}

/// Sends back what it receives on every link that is set up to its station.
pub struct Agent<'c, 'a> {
    listening: &'c Listening,
    port_handler: &'c mut PortHandler<'a>,
    sessions: BTreeMap<LinkId, Session>,
    /// Data to echo at the next poll.
    outgoing: Vec<(LinkId, Vec<u8>)>,
    /// I frames retransmitted so far.
    retransmitted: u64,
    /// Sessions that have ended.
    ended: u64,
}

impl<'c, 'a> Agent<'c, 'a> {
    /// An agent without sessions.
    pub fn new(listening: &'c Listening, port_handler: &'c mut PortHandler<'a>) -> Agent<'c, 'a> {
        Agent { listening, port_handler, sessions: BTreeMap::new(), outgoing: Vec::new(), retransmitted: 0, ended: 0 }
    }

    fn is_over(&self, now: Time) -> bool {
        let late = self.listening.duration.is_some_and(|duration| now >= Time::ZERO + duration);
        self.port_handler.watch().is_cancelled()
            || late
            || self.listening.count.is_some_and(|count| self.ended >= count)
    }

    /// Echoes data, and sends RNR to peers that send faster than they receive, or that have begun a block for whose answer
    /// the airtime budget had no room; returns when that has room again. The answer itself is not held back.
    fn send_back(&mut self, now: Time, transceiver: &mut Transceiver) -> Time {
        let mut next = Time::NEVER;
        for (link, back) in std::mem::take(&mut self.outgoing) {
            if let Some(session) = self.sessions.get_mut(&link) {
                session.overdraws |= transceiver.affords(now, transceiver.airtime_to_send(back.len() as u64)) > now;
                // in the burst of the answer: a peer that has all of it would begin its next block
                set_busy(now, link, session, transceiver);
            }
            transceiver.send(now, link, &back);
        }
        for (link, session) in &mut self.sessions {
            if session.name.is_empty()
                && let Some(key) = transceiver.station().key(*link)
            {
                session.name = key.peer.to_string();
            }
            if session.overdraws {
                let affordable = transceiver.affords(now, transceiver.airtime_of(session.largest()));
                session.overdraws = affordable > now;
                next = if session.overdraws { next.min(affordable) } else { next };
            }
            set_busy(now, *link, session, transceiver);
        }
        self.retransmitted = transceiver.station().counters().get(Counter::InformationResent);
        next
    }
}

impl<'a> StationApp<'a> for Agent<'_, 'a> {
    fn port_handler(&mut self) -> &mut PortHandler<'a> {
        self.port_handler
    }

    fn indicate(&mut self, now: Time, output: StationOutput) {
        match output {
            machine::Output::Connected { link, incoming: true, .. } => {
                self.sessions.insert(link, Session::new(String::new(), now, self.retransmitted));
            }
            machine::Output::Deliver { link, data, .. } => {
                if let Some(session) = self.sessions.get_mut(&link) {
                    let back = session.take(&data);
                    self.port_handler.watch().add_done(back.len() as u64);
                    self.outgoing.push((link, back));
                }
            }
            machine::Output::Disconnected { link, cause, .. } => {
                if let Some(session) = self.sessions.remove(&link) {
                    self.ended += 1;
                    let well = cause == machine::Cause::ByPeer;
                    let ended = if well { "ended by the other station" } else { "the other station did not respond" };
                    self.port_handler.watch().report(report(
                        &session,
                        now,
                        self.retransmitted - session.retransmitted_before,
                        ended,
                        well,
                    ));
                }
            }
            _ => {}
        }
    }

    fn poll_app(&mut self, now: Time, transceiver: &mut Transceiver) -> AppPoll {
        let next = self.send_back(now, transceiver);
        if self.is_over(now) { AppPoll::Done } else { AppPoll::Wait(next) }
    }
}

/// Sends RNR or ends it. A block that has begun is received in any case.
fn set_busy(now: Time, link: LinkId, session: &mut Session, transceiver: &mut Transceiver) {
    let waiting = transceiver.station().backlog(link);
    let full = if session.is_busy { waiting > READY_BELOW } else { waiting > BUSY_ABOVE };
    let busy = full || session.overdraws && session.is_between_blocks();
    if busy != session.is_busy {
        session.is_busy = busy;
        transceiver.handle(now, Input::Station(machine::Input::SetBusy { link, busy }));
    }
}

fn report(session: &Session, now: Time, retransmitted: u64, ended: &str, well: bool) -> Report {
    let seconds = session.stay(now).seconds();
    Report {
        kind: "visitor",
        peer: session.name.clone(),
        bytes: session.octets,
        messages: session.blocks,
        seconds,
        bit_rate: if seconds > 0.0 { session.octets as f64 * 8.0 / seconds } else { 0.0 },
        retransmissions: retransmitted,
        ended: ended.to_owned(),
        well,
        ..Report::default()
    }
}

#[cfg(test)]
mod tests;
