//! Switches in a chain (or as their routes define) on a manual clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::rose::machine::*;
use sojourn_protocols::rose::wire::*;

use super::transcript::{self, Octets, number, ping_calls_pong};

/// Delay of a trunk per packet.
const TRAVEL: Duration = Duration::from_millis(100);
/// Time of a user to connect, or to acknowledge a frame.
const USER: Duration = Duration::from_millis(300);

/// Switches A, B, C ... at 3100000001, 3100000002, ..., each with trunk 0 to the previous and trunk 1 to the next.
/// The user of the first calls; the user of the last accepts, and sends its own data.
pub struct Chain {
    pub now: Time,
    pub switches: Vec<Switch<Octets>>,
    /// Packets sent and events, as "A 1: RR 3" or "C delivers ping".
    pub log: Vec<String>,
    /// Packets sent so far, lost ones too.
    pub sent: usize,
    /// Packets to lose, by their index among those sent.
    pub lose: Vec<usize>,
    /// Frames that each switch delivered to its user.
    pub delivered: Vec<Vec<Octets>>,
    /// The user at each switch, while it is connected or being called.
    pub users: Vec<Option<UserId>>,
    /// How often the user at each switch was disconnected by it.
    pub ended: Vec<usize>,
    /// Whether users acknowledge frames.
    pub users_acknowledge: bool,
    events: BTreeMap<(Time, usize), Event>,
    serial: usize,
}

enum Event {
    Arrive(usize, TrunkId, Packet<Octets>),
    Give(usize, Input<Octets>),
}

pub fn address(index: usize) -> NetworkAddress {
    number(&format!("310000000{}", index + 1))
}

/// Routes along the chain.
fn routes(index: usize, count: usize) -> Vec<Route> {
    let toward = |other: usize| TrunkId(u16::from(other > index));
    (0..count)
        .filter(|other| *other != index)
        .map(|other| Route { prefix: address(other), trunk: toward(other) })
        .collect()
}

impl Chain {
    pub fn new(count: usize, settings: impl Fn(Settings) -> Settings) -> Self {
        let switch = |index| {
            let settings = settings(Settings { routes: routes(index, count), ..Settings::new(address(index)) });
            Switch::new(Arc::new(settings), 2, index as u16).unwrap()
        };
        Chain {
            now: Time::ZERO,
            switches: (0..count).map(switch).collect(),
            log: Vec::new(),
            sent: 0,
            lose: Vec::new(),
            delivered: vec![Vec::new(); count],
            users: vec![None; count],
            ended: vec![0; count],
            users_acknowledge: true,
            events: BTreeMap::new(),
            serial: 0,
        }
    }

    /// All links come up.
    pub fn start(&mut self) {
        for index in 0..self.switches.len() - 1 {
            self.give(index, Input::TrunkUp { trunk: TrunkId(1), role: InterfaceRole::Dce });
            self.give(index + 1, Input::TrunkUp { trunk: TrunkId(0), role: InterfaceRole::Dte });
        }
    }

    /// The user at switch `from` calls the one at switch `to`.
    pub fn call(&mut self, from: usize, to: usize) {
        let user = self.switches[from].reserve_user();
        self.users[from] = Some(user);
        self.give(from, Input::UserCallRequest { user, call: ping_calls_pong(&address(to).to_string()) });
    }

    /// The user at a switch sends, if it is connected.
    pub fn send(&mut self, at: usize, data: &str) {
        if let Some(user) = self.users[at] {
            self.give(at, Input::UserData { user, data: data.into() });
        }
    }

    /// The user at a switch disconnects.
    pub fn hang_up(&mut self, at: usize) {
        if let Some(user) = self.users[at].take() {
            self.give(at, Input::UserDisconnected { user, cause: Cause::DTE_ORIGINATED });
        }
    }

    pub fn give(&mut self, at: usize, input: Input<Octets>) {
        self.switches[at].handle(self.now, input);
        self.drain(at);
    }

    /// Advances time from event to event until none is left.
    pub fn settle(&mut self) {
        for _ in 0..100_000 {
            let event = self.events.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
            let wakeup = self.switches.iter().filter_map(Switch::next_wakeup).min().unwrap_or(Time::NEVER);
            let next = event.min(wakeup);
            if next == Time::NEVER {
                return;
            }
            self.now = next;
            match self.events.first_entry().filter(|_| event <= wakeup) {
                Some(entry) => match entry.remove() {
                    Event::Give(at, input) => self.give(at, input),
                    Event::Arrive(at, trunk, packet) => self.give(at, Input::Receive { trunk, packet }),
                },
                None => (0..self.switches.len()).for_each(|at| {
                    self.switches[at].wake(next);
                    self.drain(at);
                }),
            }
        }
        panic!("it never ends: {:#?}", &self.log[self.log.len() - 50..]);
    }

    fn schedule(&mut self, after: Duration, event: Event) {
        self.serial += 1;
        self.events.insert((self.now + after, self.serial), event);
    }

    fn drain(&mut self, at: usize) {
        while let Some(output) = self.switches[at].poll_output() {
            let lost = matches!(output, Output::Transmit { .. }) && self.lose.contains(&self.sent);
            let words = transcript::of_event(&output);
            self.log.push(format!("{} {words}{}", char::from(b'A' + at as u8), if lost { ", lost" } else { "" }));
            match output {
                Output::Transmit { trunk, packet } => {
                    self.sent += 1;
                    let bytes = packet.to_bytes().expect("a switch sends only what has bytes");
                    assert_eq!(Packet::parse(&bytes).map(|read| read.map(<[u8]>::to_vec)), Ok(packet.clone()));
                    let to = if trunk == TrunkId(0) { at - 1 } else { at + 1 };
                    if !lost {
                        self.schedule(TRAVEL, Event::Arrive(to, TrunkId(1 - trunk.0), packet));
                    }
                }
                Output::CallUser { user, .. } => {
                    self.users[at] = Some(user);
                    self.schedule(USER, Event::Give(at, Input::UserConnected { user }));
                }
                Output::Deliver { user, data, .. } => {
                    self.delivered[at].push(data);
                    if self.users_acknowledge {
                        self.schedule(USER, Event::Give(at, Input::UserAcknowledged { user, frames: 1 }));
                    }
                }
                Output::DisconnectUser { user, .. } if self.users[at] == Some(user) => {
                    self.users[at] = None;
                    self.ended[at] += 1;
                }
                // the AX.25 link is re-established
                Output::TrunkFailed { trunk } => {
                    let (to, other) = if trunk == TrunkId(0) { (at - 1, 1) } else { (at + 1, 0) };
                    self.give(to, Input::TrunkDown { trunk: TrunkId(other) });
                }
                _ => {}
            }
        }
    }

    /// A clear request lost in its last transmission leaves the neighbour its half of the circuit until their trunk
    /// restarts: here all trunks do.
    pub fn begin_anew_where_a_clear_went_unheard(&mut self) {
        if self.log.iter().any(|line| line.ends_with("CLEAR REQUEST (local procedure error, 50), lost")) {
            self.start();
            self.settle();
        }
    }

    /// The number of log lines that begin with `start`.
    pub fn count(&self, start: &str) -> usize {
        self.log.iter().filter(|line| line.starts_with(start)).count()
    }
}
