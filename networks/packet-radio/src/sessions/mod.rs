//! Sessions: users who connect along a path, exchange requests and responses with a mailbox or another user, and disconnect;
//! mailboxes that forward to each other. Data reach the TNC without a serial line.
//!
//! | file | concern |
//! |---|---|
//! | `settings` | who connects to whom, and what they exchange |
//! | `arrival` | when sessions are wanted, begin and end |
//! | `setup` | the links of a session: connection, commands to nodes, failure |
//! | `exchange` | requests and responses |
//! | `outage` | flows that stop, and stations that lose power |
//! | `tally` | what is counted |

mod arrival;
mod exchange;
mod outage;
mod setup;
mod tally;

use std::collections::BTreeMap;

use sojourn_core::{Duration, Stream as Random, Streams, Time, rekey_fields};
use sojourn_engine::arrivals::Process;
use sojourn_metrics::record::Record;
use sojourn_protocols::ax25::machine::LinkId;

pub use self::tally::SessionTally;

use super::round_trip::RoundTrips;
use super::site::{SessionSettings, Site};

/// The end that connects; its data are requests.
const USER: usize = 0;
/// The other end; its data are responses.
const PEER: usize = 1;

/// A station's link, by its port.
type PortLink = (u32, LinkId);

/// The sessions of a replication.
#[derive(Clone, Debug)]
pub struct Sessions {
    /// By user.
    all: Vec<Session>,
    /// By station: the session of each link, and which end it is.
    ends: Vec<BTreeMap<PortLink, (u32, usize)>>,
    /// By flow.
    pub tallies: Vec<SessionTally>,
}

/// The session that a user has, and those that wait.
#[derive(Clone, Debug)]
pub struct Session {
    process: Process,
    draws: Random,
    state: State,
    /// Whether the next arrival is scheduled, and for when. An event of the queue for another instant is void.
    pending: bool,
    due: Time,
    /// Why no session is wanted; 0 if they are.
    silent: u8,
    /// Sessions wanted that have not begun.
    waiting: u32,
    /// When the session began.
    begun: Time,
    /// When the setup, the exchange or the state has lasted too long, or the next exchange begins.
    until: Time,
    /// When the response begins.
    reply: Time,
    /// When its next event is scheduled.
    scheduled: Time,
    /// The link of each end, where known.
    links: [Option<PortLink>; 2],
    /// Exchanges completed.
    exchanges: u32,
    transfers: [Transfer; 2],
    /// Text that a node has sent since the last complete line.
    text: String,
}

/// The data of one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Transfer {
    /// Start of the request or response in its stream.
    start: u32,
    /// Octets passed to the link, and octets received.
    sent: u32,
    received: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No session.
    Idle,
    /// The first link is being set up.
    Connecting,
    /// This command has been sent.
    Commanding(usize),
    /// The user reads and types.
    Thinking,
    /// A request is in transit.
    Requesting,
    /// The response is.
    Responding,
    /// The link is being disconnected.
    Closing,
    /// Some time after a session.
    Pausing,
}

impl Sessions {
    /// The sessions of a site, before the first.
    pub fn new(site: &Site, streams: &Streams) -> Self {
        let flows = site.sessions.iter().map(|session| session.number + 1).max().unwrap_or(0);
        Sessions {
            all: site.sessions.iter().map(|settings| Session::new(site, settings, streams)).collect(),
            ends: vec![BTreeMap::new(); if site.sessions.is_empty() { 0 } else { site.stations.len() }],
            tallies: vec![SessionTally::new(); flows as usize],
        }
    }
}

impl Sessions {
    /// Draws again what has no memory of when a user wants the next session, due at `due`; returns when it is due now.
    pub fn redraw_arrival(&mut self, now: Time, due: Time, number: u32) -> Time {
        let session = &mut self.all[number as usize];
        if session.due != due {
            return due;
        }
        session.due = session.process.redraw(now, due, &mut session.draws);
        session.due
    }

    /// Draws again how much longer a user thinks, where that has no memory, until `due`; returns until when now.
    pub fn redraw_think_time(&mut self, now: Time, due: Time, number: u32, site: &Site) -> Time {
        let session = &mut self.all[number as usize];
        let waits_for_it = [session.scheduled, session.until, session.reply] == [due, due, Time::NEVER];
        if session.state != State::Thinking || !waits_for_it || due <= now {
            return due;
        }
        session.until = site.sessions[number as usize].think_time.redraw(now, due, &mut session.draws);
        session.scheduled = session.until;
        session.until
    }

    /// The exchanges open at the end of a run, with their flow and their age; those from the warm-up left out.
    pub fn open_exchanges(&self, round_trips: &RoundTrips, site: &Site, end: Time) -> Vec<(u32, Duration)> {
        let open = |(number, settings): (u32, &SessionSettings)| {
            let is_open = self.all[number as usize].is_exchanging();
            round_trips.exchange_begun(number).filter(|_| is_open).map(|begun| (settings.number, end.since(begun)))
        };
        (0..).zip(&site.sessions).filter_map(open).collect()
    }

    /// Stores what was counted of each flow.
    pub fn store(self, site: &Site, open: &[(u32, Duration)], record: &mut Record) {
        let mut all = SessionTally::new();
        let flows: BTreeMap<u32, &String> =
            site.sessions.iter().map(|session| (session.number, &session.flow)).collect();
        for (number, mut tally) in (0..).zip(self.tallies) {
            let Some(flow) = flows.get(&number) else { continue };
            tally.responses.censor_open(open.iter().filter(|(of, _)| *of == number).map(|(_, age)| *age));
            all.add(&tally);
            tally.store(record, flow, |group| site.groups[group as usize].clone());
        }
        if !flows.is_empty() {
            all.store_totals(record);
        }
    }
}

impl Session {
    fn new(site: &Site, settings: &SessionSettings, streams: &Streams) -> Self {
        let station = &site.stations[settings.ends[USER] as usize].name;
        Session {
            process: settings.process.0.clone(),
            draws: streams.stream(&format!("flow/{}/{station}", settings.flow)),
            state: State::Idle,
            pending: false,
            due: Time::NEVER,
            silent: 0,
            waiting: 0,
            begun: Time::ZERO,
            until: Time::NEVER,
            reply: Time::NEVER,
            scheduled: Time::NEVER,
            links: [None, None],
            exchanges: 0,
            transfers: [Transfer::default(); 2],
            text: String::new(),
        }
    }

    fn enter(&mut self, state: State, until: Time) {
        self.state = state;
        self.until = until;
    }

    fn is_exchanging(&self) -> bool {
        matches!(self.state, State::Requesting | State::Responding)
    }
}

rekey_fields!(Session { draws });
rekey_fields!(Sessions { all });
