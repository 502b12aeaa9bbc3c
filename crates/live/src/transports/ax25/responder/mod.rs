//! The far station: takes links, sends blocks back, until it is told to stop.

mod session;

use std::collections::BTreeMap;

use sojourn_core::{Machine, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::ax25::machine::{self, Counter, LinkId};
use sojourn_protocols::ax25::wire::Pid;

use self::session::Visitor;
use crate::io::drive::{Driver, Turn};
use crate::io::injected_loss::InjectedLoss;
use crate::progress::report::Report;
use crate::progress::watch::Watch;
use crate::transport::{Listening, Measured};
use crate::transports::ax25::handler::{Actor, Clerk};
use crate::transports::ax25::port::Port;
use crate::transports::ax25::settings::Settings;
use crate::transports::ax25::shutdown::farewell;
use crate::transports::ax25::transceiver::{Input, StationOutput, Transceiver};

/// Frames waiting for a visitor beyond which it is told to wait (RNR), and below which it may go on.
const MOST_WAITING: usize = 512;
const FEW_WAITING: usize = 256;

/// Answers until the count or the time is over, or the watcher says so; then takes leave.
pub fn answer<P: Port>(
    port: P,
    settings: &Settings,
    listening: &Listening,
    watch: &Watch,
    frames: &mut dyn FrameSink,
) -> Measured {
    let loss = InjectedLoss::new(listening.seed, 0, "agent", listening.inject_loss);
    let mut clerk = Clerk::new(port.name(), watch);
    let mut transceiver = settings.transceiver().expect("the settings were checked when they were read");
    watch.begin("answering", "B", 0);
    watch.report(Report::of_listener(format!("{} as {}", port.name(), settings.own)));
    let mut driver = Driver::new(port, loss, frames);
    let mut agent =
        Agent { listening, clerk: &mut clerk, visitors: BTreeMap::new(), said: Vec::new(), resent: 0, ended: 0 };
    driver.run(&mut transceiver, &mut agent);
    let visitors = std::mem::take(&mut agent.visitors);
    let now = driver.clock.now();
    let patience = visitors.keys().filter_map(|link| transceiver.station().key(*link));
    let patience = patience.map(|key| settings.patience(&key)).max().unwrap_or_default();
    farewell(&mut driver, &mut transceiver, &mut clerk, visitors.keys().copied().collect(), patience);
    for visitor in visitors.into_values() {
        watch.report(told(&visitor, now, 0, "ended here", false));
    }
    Measured::default()
}

struct Agent<'c, 'a> {
    listening: &'c Listening,
    clerk: &'c mut Clerk<'a>,
    visitors: BTreeMap<LinkId, Visitor>,
    /// What goes back at the next turn.
    said: Vec<(LinkId, Vec<u8>)>,
    /// I frames sent again so far.
    resent: u64,
    /// Visitors that have left.
    ended: u64,
}

impl Agent<'_, '_> {
    fn is_over(&self, now: Time) -> bool {
        let late = self.listening.duration.is_some_and(|duration| now >= Time::ZERO + duration);
        self.clerk.watch().is_cancelled() || late || self.listening.count.is_some_and(|count| self.ended >= count)
    }

    /// Sends back what is due, and tells visitors to wait who send faster than they take.
    fn send_back(&mut self, now: Time, transceiver: &mut Transceiver) {
        for (link, back) in std::mem::take(&mut self.said) {
            let limit = usize::from(transceiver.station().n1(link)).max(1);
            for piece in back.chunks(limit) {
                let data = piece.to_vec();
                transceiver.handle(now, Input::Station(machine::Input::Send { link, pid: Pid::NONE, data }));
            }
        }
        for (link, visitor) in &mut self.visitors {
            if visitor.name.is_empty()
                && let Some(key) = transceiver.station().key(*link)
            {
                visitor.name = key.peer.to_string();
            }
            let waiting = transceiver.station().backlog(*link);
            let busy = if visitor.is_held { waiting > FEW_WAITING } else { waiting > MOST_WAITING };
            if busy != visitor.is_held {
                visitor.is_held = busy;
                transceiver.handle(now, Input::Station(machine::Input::SetBusy { link: *link, busy }));
            }
        }
        self.resent = transceiver.station().counters().get(Counter::InformationResent);
    }
}

impl<'a> Actor<'a> for Agent<'_, 'a> {
    fn clerk(&mut self) -> &mut Clerk<'a> {
        self.clerk
    }

    fn told(&mut self, now: Time, output: StationOutput) {
        match output {
            machine::Output::Connected { link, incoming: true, .. } => {
                self.visitors.insert(link, Visitor::new(String::new(), now, self.resent));
            }
            machine::Output::Deliver { link, data, .. } => {
                if let Some(visitor) = self.visitors.get_mut(&link) {
                    let back = visitor.take(&data);
                    self.clerk.watch().add_done(back.len() as u64);
                    self.said.push((link, back));
                }
            }
            machine::Output::Disconnected { link, cause, .. } => {
                if let Some(visitor) = self.visitors.remove(&link) {
                    self.ended += 1;
                    let well = cause == machine::Cause::ByPeer;
                    let ended = if well { "ended by the other station" } else { "the other station did not answer" };
                    self.clerk.watch().report(told(&visitor, now, self.resent - visitor.resent_before, ended, well));
                }
            }
            _ => {}
        }
    }

    fn turn(&mut self, now: Time, transceiver: &mut Transceiver) -> Turn {
        self.send_back(now, transceiver);
        if self.is_over(now) { Turn::Done } else { Turn::Wait(Time::NEVER) }
    }
}

fn told(visitor: &Visitor, now: Time, resent: u64, ended: &str, well: bool) -> Report {
    let seconds = visitor.stay(now).seconds();
    Report {
        kind: "visitor",
        peer: visitor.name.clone(),
        bytes: visitor.octets,
        messages: visitor.blocks,
        seconds,
        bit_rate: if seconds > 0.0 { visitor.octets as f64 * 8.0 / seconds } else { 0.0 },
        retransmissions: resent,
        ended: ended.to_owned(),
        well,
        ..Report::default()
    }
}
