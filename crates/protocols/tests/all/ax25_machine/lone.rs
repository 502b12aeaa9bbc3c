use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::transcript::{self, Bytes, address};

pub const EIGHT: Modulo = Modulo::Eight;
pub const EXTENDED: Modulo = Modulo::OneHundredTwentyEight;

/// One station, OWN, that always gets the channel at once; the test acts as PEER.
pub struct Lone {
    pub station: Station<Bytes>,
    pub now: Time,
    pub key: LinkKey,
    log: Vec<String>,
}

/// A v2.0 station without T3 enquiries.
pub fn v2_0() -> Settings {
    Settings { t3: None, ..Settings::default() }
}

/// A v2.2 station without XID negotiation.
pub fn v2_2() -> Settings {
    Settings { version: Version::V2_2, xid_negotiation: false, ..v2_0() }
}

impl Lone {
    pub fn new(settings: Settings) -> Self {
        let station = Station::new([address("OWN")], Arc::new(settings)).unwrap();
        let key = LinkKey::direct(address("OWN"), address("PEER"));
        Lone { station, now: Time::ZERO, key, log: Vec::new() }
    }

    /// A link that PEER has set up, modulo 8.
    pub fn connected(settings: Settings) -> Self {
        let mut lone = Lone::new(settings);
        lone.receive(command_p(Body::Sabm));
        lone
    }

    /// A link that PEER has set up, modulo 128.
    pub fn connected_extended(settings: Settings) -> Self {
        let mut lone = Lone::new(settings);
        lone.receive(command_p(Body::Sabme));
        lone
    }

    pub fn link(&self) -> LinkId {
        self.station.link(&self.key).unwrap()
    }

    pub fn state(&self) -> LinkState {
        self.station.link(&self.key).map_or(LinkState::Disconnected, |link| self.station.state(link))
    }

    /// What the station sends and reports on a received frame.
    pub fn receive(&mut self, frame: Frame<Bytes>) -> Vec<String> {
        self.give(Input::Receive { frame })
    }

    pub fn connect(&mut self) -> Vec<String> {
        self.give(Input::Connect { key: self.key })
    }

    pub fn disconnect(&mut self) -> Vec<String> {
        self.give(Input::Disconnect { link: self.link() })
    }

    pub fn send(&mut self, text: &str) -> Vec<String> {
        self.give(Input::Send { link: self.link(), pid: Pid::NONE, data: text.as_bytes().to_vec() })
    }

    pub fn set_busy(&mut self, busy: bool) -> Vec<String> {
        self.give(Input::SetBusy { link: self.link(), busy })
    }

    pub fn give(&mut self, input: Input<Bytes>) -> Vec<String> {
        self.station.handle(self.now, input);
        self.drain()
    }

    /// What it sends and reports when its next timer expires.
    pub fn expire(&mut self) -> Vec<String> {
        let Some(at) = self.station.next_wakeup() else { return vec!["no timer runs".into()] };
        self.now = self.now.max(at);
        self.station.wake(self.now);
        self.drain()
    }

    pub fn next_wakeup(&self) -> Option<Time> {
        self.station.next_wakeup()
    }

    pub fn advance(&mut self, time: Duration) {
        self.now += time;
    }

    pub fn counted(&self, counter: Counter) -> u64 {
        self.station.counters().get(counter)
    }

    fn drain(&mut self) -> Vec<String> {
        while let Some(output) = self.station.poll_output() {
            match &output {
                Output::SeizeRequest => {
                    self.station.handle(self.now, Input::SeizeConfirm { information_frames: u16::MAX });
                    self.station.handle(self.now, Input::Transmitted);
                }
                Output::Transmit { frame, .. } => self.log.push(transcript::of_frame(frame)),
                _ => self.log.extend(transcript::of_event(&output)),
            }
        }
        std::mem::take(&mut self.log)
    }
}

fn frame(role: Role, poll_final: bool, body: Body<Bytes>) -> Frame<Bytes> {
    let addressing = Addressing::new(address("PEER"), address("OWN"), Digipeaters::NONE, role);
    Frame { addressing, poll_final, body }
}

/// A command of PEER.
pub fn command(body: Body<Bytes>) -> Frame<Bytes> {
    frame(Role::Command, false, body)
}

/// A command of PEER with P.
pub fn command_p(body: Body<Bytes>) -> Frame<Bytes> {
    frame(Role::Command, true, body)
}

/// A response of PEER.
pub fn response(body: Body<Bytes>) -> Frame<Bytes> {
    frame(Role::Response, false, body)
}

/// A response of PEER with F.
pub fn response_f(body: Body<Bytes>) -> Frame<Bytes> {
    frame(Role::Response, true, body)
}

/// A frame of PEER before v2.0, neither command nor response.
pub fn pre_v2(poll_final: bool, body: Body<Bytes>) -> Frame<Bytes> {
    frame(Role::PreV2 { bits: true }, poll_final, body)
}

pub fn i(send: u8, receive: u8, text: &str) -> Body<Bytes> {
    Body::I { modulo: EIGHT, n_s: send, n_r: receive, pid: Pid::NONE, data: text.as_bytes().to_vec() }
}

pub fn rr(receive: u8) -> Body<Bytes> {
    s(Supervisory::Rr, receive)
}

pub fn rnr(receive: u8) -> Body<Bytes> {
    s(Supervisory::Rnr, receive)
}

pub fn rej(receive: u8) -> Body<Bytes> {
    s(Supervisory::Rej, receive)
}

fn s(kind: Supervisory, receive: u8) -> Body<Bytes> {
    Body::S { modulo: EIGHT, kind, n_r: receive, further: SequenceSet::NONE }
}

/// The same I or S frame modulo 128.
pub fn extended(frame: Frame<Bytes>) -> Frame<Bytes> {
    let body = match frame.body {
        Body::I { n_s, n_r, pid, data, .. } => Body::I { modulo: EXTENDED, n_s, n_r, pid, data },
        Body::S { kind, n_r, further, .. } => Body::S { modulo: EXTENDED, kind, n_r, further },
        other => other,
    };
    Frame { body, ..frame }
}

/// SREJ modulo 128 for these frames.
pub fn srej(numbers: &[u8]) -> Body<Bytes> {
    let mut further = SequenceSet::NONE;
    numbers[1..].iter().for_each(|number| further.insert(*number));
    Body::S { modulo: EXTENDED, kind: Supervisory::Srej, n_r: numbers[0], further }
}
