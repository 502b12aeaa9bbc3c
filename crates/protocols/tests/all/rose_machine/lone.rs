//! One switch, with packets given by the test.

use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::rose::machine::*;
use sojourn_protocols::rose::wire::*;

use super::transcript::{self, Octets, number, ping_calls_pong};

pub const LINK: TrunkId = TrunkId(0);

/// A switch at 3100908001 with one trunk, the route to all other addresses.
pub struct Lone {
    pub switch: Switch<Octets>,
    pub now: Time,
    /// Users it called, and that called.
    pub users: Vec<UserId>,
}

pub fn settings() -> Settings {
    let routes = vec![Route { prefix: number("3100"), trunk: LINK }];
    Settings { routes, ..Settings::new(number("3100908001")) }
}

impl Lone {
    pub fn new(settings: Settings) -> Self {
        Lone { switch: Switch::new(Arc::new(settings), 1, 0).unwrap(), now: Time::ZERO, users: Vec::new() }
    }

    /// A switch whose trunk is ready.
    pub fn ready(settings: Settings, order: InterfaceRole) -> Self {
        let mut lone = Lone::new(settings);
        lone.give(Input::TrunkUp { trunk: LINK, role: order });
        lone.receive(0, Body::RestartConfirmation);
        lone
    }

    /// A switch with an open circuit, on channel 1, for a user at its own end that called.
    pub fn open(settings: Settings) -> Self {
        let mut lone = Lone::ready(settings, InterfaceRole::Dce);
        lone.call("201256");
        lone.receive(1, Body::CallAccepted);
        lone
    }

    /// What the switch sends and reports on an input.
    pub fn give(&mut self, input: Input<Octets>) -> Vec<String> {
        self.switch.handle(self.now, input);
        self.drain()
    }

    pub fn receive(&mut self, channel: u16, body: Body<Octets>) -> Vec<String> {
        self.give(Input::Receive { trunk: LINK, packet: Packet::new(channel, body) })
    }

    /// A user calls PONG at this address.
    pub fn call(&mut self, address: &str) -> Vec<String> {
        let user = self.switch.reserve_user();
        self.users.push(user);
        self.give(Input::UserCallRequest { user, call: ping_calls_pong(address) })
    }

    pub fn send(&mut self, data: &str) -> Vec<String> {
        let user = self.users[0];
        self.give(Input::UserData { user, data: data.into() })
    }

    /// What the switch sends and reports when its next timer expires, and after what time.
    pub fn expire(&mut self) -> (Duration, Vec<String>) {
        let at = self.switch.next_wakeup().expect("a timer runs");
        let waited = at - self.now;
        self.now = at;
        self.switch.wake(at);
        (waited, self.drain())
    }

    fn drain(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        while let Some(output) = self.switch.poll_output() {
            if let Output::Transmit { packet, .. } = &output {
                assert!(packet.to_bytes().is_ok(), "{packet:?} has no bytes");
            }
            if let Output::CallUser { user, .. } = &output {
                self.users.push(*user);
            }
            words.push(transcript::of_event(&output));
        }
        words
    }
}

pub fn data(send: u8, receive: u8, text: &str) -> Body<Octets> {
    Body::Data { p_s: send, p_r: receive, more: false, data: text.into() }
}

/// A call from PONG at 3100201256 to PING at this address, with this number.
pub fn pong_calls_ping(address: &str, random: u16) -> Body<Octets> {
    let subscriber = |address, name| Some(Subscriber { address: number(address), station: transcript::station(name) });
    let facilities = Facilities {
        random,
        destination: subscriber(address, "PING"),
        source: subscriber("3100201256", "PONG"),
        ..Facilities::default()
    };
    Body::CallRequest(Arc::new(Call { called: number(address), calling: number("3100201256"), facilities }))
}

/// A switch with two ready trunks, and no user.
pub struct Transit {
    switch: Switch<Octets>,
    now: Time,
}

impl Transit {
    pub fn new(settings: Settings) -> Self {
        let mut transit = Transit { switch: Switch::new(Arc::new(settings), 2, 0).unwrap(), now: Time::ZERO };
        for trunk in [0, 1] {
            transit.switch.handle(transit.now, Input::TrunkUp { trunk: TrunkId(trunk), role: InterfaceRole::Dce });
            transit.receive(trunk, 0, Body::RestartConfirmation);
        }
        transit
    }

    /// What the switch sends on a packet on this trunk and channel, and on which trunk.
    pub fn receive(&mut self, trunk: u16, channel: u16, body: Body<Octets>) -> Vec<String> {
        let packet = Packet::new(channel, body);
        self.switch.handle(self.now, Input::Receive { trunk: TrunkId(trunk), packet });
        self.drain()
    }

    pub fn expire(&mut self) -> Vec<String> {
        self.now = self.switch.next_wakeup().expect("a timer runs");
        self.switch.wake(self.now);
        self.drain()
    }

    fn drain(&mut self) -> Vec<String> {
        let mut outputs = Vec::new();
        while let Some(output) = self.switch.poll_output() {
            match &output {
                Output::Transmit { trunk, .. } => {
                    outputs.push(format!("link {} {}", trunk.0, transcript::of_event(&output)))
                }
                Output::TrunkReady { .. } => {}
                _ => outputs.push(transcript::of_event(&output)),
            }
        }
        outputs
    }
}
