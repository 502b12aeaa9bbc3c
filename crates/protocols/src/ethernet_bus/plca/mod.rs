//! Physical layer collision avoidance, IEEE 802.3cg-2019, clause 148: nodes take turns in the order of their IDs after a beacon of node 0.
//!
//! A node is the [`control`] state diagram, which follows whose turn it is, and the [`data`] state diagram, which stands between MAC and wire
//! and lets the MAC wait: it shows it a carrier, or a collision that is on no wire. The driver passes what the node senses and what
//! its MAC does, and transmits what the node says.

mod control;
mod data;

use std::collections::VecDeque;

use sojourn_core::{Duration, Machine, Time};

use super::{END_DELIMITER, GAP, PREAMBLE, bit_times};
use control::Control;
use data::Data;

/// local_nodeID of a node without PLCA.
pub const OFF: u8 = 255;

/// Parameters of 148.4; timers are in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bits a second.
    pub rate: u64,
    /// local_nodeID, 0 to 254.
    pub id: u8,
    /// plca_node_count of node 0.
    pub node_count: u8,
    /// to_timer: length of an unused transmit opportunity.
    pub to_timer: u32,
    /// beacon_timer.
    pub beacon_timer: u32,
    /// beacon_det_timer.
    pub beacon_det_timer: u32,
    /// burst_timer.
    pub burst_timer: u32,
    /// max_bc: frames beyond the first in an opportunity.
    pub max_bc: u8,
    /// pending_timer.
    pub pending_timer: u32,
    /// commit_timer.
    pub commit_timer: u32,
    /// Length of the delay line.
    pub delay_line: u32,
    /// plca_status_timer: without a beacon for this long the node does as if it had no PLCA.
    pub status_timer: u32,
}

impl Settings {
    /// The defaults of the clause for a node.
    pub const fn new(rate: u64, id: u8, node_count: u8) -> Settings {
        Settings {
            rate,
            id,
            node_count,
            to_timer: 32,
            beacon_timer: 20,
            beacon_det_timer: 22,
            burst_timer: 128,
            max_bc: 0,
            pending_timer: 512,
            commit_timer: 288,
            delay_line: 396,
            status_timer: 130_090,
        }
    }

    fn time(&self, bits: u32) -> Duration {
        bit_times(bits, self.rate)
    }
}

/// Bits of a cycle: a beacon, and an opportunity of each node, of which `busy` use theirs for frames with this many octets from destination
/// address to FCS, preceded by a gap in which they commit.
pub fn cycle(settings: &Settings, busy: impl Iterator<Item = u32>) -> u64 {
    let (mut used, mut bits) = (0, 0);
    for octets in busy {
        used += 1;
        bits += u64::from(opportunity(octets));
    }
    let idle = u64::from(settings.node_count).saturating_sub(used);
    u64::from(settings.beacon_timer) + idle * u64::from(settings.to_timer) + bits
}

/// Bits of an opportunity with a frame of `octets` octets.
pub const fn opportunity(octets: u32) -> u32 {
    GAP + PREAMBLE + 8 * octets + END_DELIMITER
}

/// What is on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The start of a cycle.
    Beacon,
    /// The node keeps its turn until its MAC sends.
    Commit,
    /// A frame, or what was one.
    Data,
}

/// What happens to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// CRS: something is on the wire here, the node's own signal included.
    CarrierSense(bool),
    /// The signal of others that is received begins, becomes another one, or ends.
    Receive(Option<Signal>),
    /// COL: the node's frame overlaps with another signal.
    Collision,
    /// The MAC starts a frame of this many bits, from preamble to end delimiter.
    Start(u32),
    /// The MAC's jam is over.
    Jammed,
}

/// What the node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// It transmits this signal, in place of the one before.
    Transmit(Signal),
    /// It transmits nothing any more.
    Silence,
    /// Carrier as the MAC sees it.
    MacCarrier(bool),
    /// The MAC sees a collision.
    MacCollision,
    /// A cycle begins, as node 0 counts them.
    Cycle,
    /// The node has an opportunity, and uses it or not.
    Opportunity(bool),
    /// PLCA is in use again, or the node does without since no beacon came.
    Status(bool),
}

/// What a node senses.
#[derive(Clone, Copy, Debug, Default)]
struct Senses {
    crs: bool,
    received: Option<Signal>,
}

impl Senses {
    /// `receiving` of 148.4.4.2.
    fn receiving(&self) -> bool {
        matches!(self.received, Some(Signal::Data | Signal::Commit))
    }
}

/// PLCA of a node.
#[derive(Clone, Debug)]
pub struct Plca {
    settings: Settings,
    senses: Senses,
    control: Control,
    data: Data,
    /// Until when PLCA counts as in use without another beacon; never ends for node 0.
    status_until: Time,
    outputs: VecDeque<Output>,
}

impl Plca {
    /// A node that is switched on at `now`.
    pub fn new(settings: Settings, now: Time) -> Plca {
        let mut node = Plca {
            settings,
            senses: Senses::default(),
            control: Control::default(),
            data: Data::default(),
            status_until: if settings.id == 0 { Time::NEVER } else { now + settings.time(settings.status_timer) },
            outputs: VecDeque::new(),
        };
        node.settle(now);
        node
    }

    /// curID.
    pub fn turn(&self) -> u8 {
        self.control.turn()
    }

    /// Both diagrams until nothing more changes.
    fn settle(&mut self, now: Time) {
        let Plca { settings, senses, control, data, outputs, .. } = self;
        while control.step(now, settings, senses, data, outputs) {}
    }

    fn beacon_seen(&mut self, now: Time) {
        if self.settings.id == 0 {
            return;
        }
        if self.status_until <= now || self.data.is_bypassed() {
            self.outputs.push_back(Output::Status(true));
            self.data.end_bypass(&mut self.outputs);
        }
        self.status_until = now + self.settings.time(self.settings.status_timer);
    }
}

impl Machine for Plca {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::CarrierSense(on) => {
                self.senses.crs = on;
                self.settle(now);
                self.data.carrier_sensed(&self.senses, &mut self.outputs);
            }
            Input::Receive(signal) => {
                let before = std::mem::replace(&mut self.senses.received, signal);
                if signal == Some(Signal::Beacon) {
                    self.beacon_seen(now);
                }
                self.data.received(before, &self.senses, &mut self.outputs);
            }
            Input::Collision => self.data.collided(&mut self.outputs),
            Input::Start(bits) => self.data.started(now, bits, &self.settings, &self.senses, &mut self.outputs),
            Input::Jammed => self.data.jammed(now, &self.settings, &mut self.outputs),
        }
        self.settle(now);
    }

    fn wake(&mut self, now: Time) {
        if self.status_until <= now {
            self.status_until = Time::NEVER;
            self.outputs.push_back(Output::Status(false));
            self.data.bypass(&self.senses, &mut self.outputs);
        }
        self.data.wake(now, &mut self.outputs);
        self.settle(now);
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        let status = Some(self.status_until).filter(|at| *at < Time::NEVER);
        [self.control.next_wakeup(), self.data.next_wakeup(), status].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests;
