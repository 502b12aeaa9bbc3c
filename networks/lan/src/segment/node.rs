//! A node of a wire: its MAC, its PLCA if it has one, and what it senses.

use sojourn_core::{Duration, Machine, Stream, Time};
use sojourn_protocols::ethernet_bus::mac::{self, Mac};
use sojourn_protocols::ethernet_bus::plca::{Input as PlcaInput, Plca, Signal};

use super::Offered;
use super::settings::NodeSettings;

/// A station on the wire.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub mac: Mac,
    pub plca: Option<Plca>,
    /// Draws the slots of backoffs.
    pub random: Stream,
    /// Whether it has power.
    pub on: bool,
    /// The frame in the MAC.
    pub held: Option<Held>,
    /// What it transmits, and which frame that is where it is one that may arrive.
    pub sending: Option<(Signal, Option<Held>)>,
    /// The signals of others that are here now.
    pub heard: Vec<Heard>,
    /// What was reported to PLCA last.
    pub sensed: bool,
    pub received: Option<Signal>,
    /// When its machines are to be woken; a later entry of the queue is void.
    pub wakes: [Time; 2],
}

/// A frame in a MAC or on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub offered: Offered,
    /// When the MAC took it, and when it started the attempt in progress.
    pub taken: Time,
    pub first: Time,
    pub started: Time,
    /// The first bit on the wire of the transmission in progress.
    pub on_wire: Time,
    pub collided: Duration,
    pub attempts: u32,
    /// Whether other nodes have had frames since.
    pub contended: bool,
}

/// A signal of another node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    pub from: u32,
    pub signal: Signal,
    /// The frame, if it is for this node.
    pub frame: Option<Held>,
    /// Whether another signal was here at the same time.
    pub damaged: bool,
}

impl Node {
    pub(super) fn new(settings: &NodeSettings, mac: mac::Settings, random: Stream, now: Time) -> Node {
        Node {
            mac: Mac::new(mac),
            plca: settings.plca.map(|plca| Plca::new(plca, now)),
            random,
            on: true,
            held: None,
            sending: None,
            heard: Vec::new(),
            sensed: false,
            received: None,
            wakes: [Time::NEVER; 2],
        }
    }

    /// It is switched on again: its machines begin anew on the wire as it is.
    pub(super) fn begin(&mut self, now: Time, settings: &NodeSettings, mac: mac::Settings) {
        (self.on, self.mac, self.plca) = (true, Mac::new(mac), settings.plca.map(|plca| Plca::new(plca, now)));
        (self.sensed, self.received) = (false, None);
    }

    /// What is received: a signal alone, or several at once, which are like data with errors.
    pub(super) fn reception(&self) -> Option<Signal> {
        match self.heard[..] {
            [] => None,
            [one] => Some(one.signal),
            _ => Some(Signal::Data),
        }
    }

    /// Reports to PLCA, or else to the MAC, what is on the wire here.
    pub(super) fn sense(&mut self, now: Time) {
        let (carrier, received) = (!self.heard.is_empty(), self.reception());
        let crs = carrier || self.sending.is_some();
        let Some(plca) = &mut self.plca else {
            self.mac.handle(now, mac::Input::Carrier(carrier));
            if carrier && self.sending.is_some() {
                self.mac.handle(now, mac::Input::Collision);
            }
            return;
        };
        if crs && !std::mem::replace(&mut self.sensed, crs) {
            plca.handle(now, PlcaInput::CarrierSense(true));
        }
        if received != std::mem::replace(&mut self.received, received) {
            plca.handle(now, PlcaInput::Receive(received));
        }
        if !crs && std::mem::replace(&mut self.sensed, crs) {
            plca.handle(now, PlcaInput::CarrierSense(false));
        }
        if carrier && self.sending.is_some_and(|(signal, _)| signal == Signal::Data) {
            plca.handle(now, PlcaInput::Collision);
        }
    }

    /// When each machine is to be woken.
    pub(super) fn wakeups(&self) -> [Option<Time>; 2] {
        if !self.on {
            return [None; 2];
        }
        [self.mac.next_wakeup(), self.plca.as_ref().and_then(Machine::next_wakeup)]
    }
}
