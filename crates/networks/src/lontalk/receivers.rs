//! Who hears a packet, and what hearing costs those it is not for.
//!
//! Every station's network processor looks at every valid packet of its medium and discards it if it is for
//! somebody else. Stations that do nothing else carry the same load, so they share one account; a station
//! gets an account of its own when it has other work, and returns to the common one when both agree again.

use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::wire::Destination;

use super::site::{Role, StationClass};
use super::slab::NONE;
use super::station::{Frame, Processor, Station, Work};
use super::world::Simulation;

/// The stations of a medium that only listen.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    /// Their network processors, all alike.
    pub network: Processor,
    /// What each of them pays for a packet of others; none before the first station.
    discard: Option<Duration>,
    /// Stations with accounts of their own.
    pub engaged: Vec<u32>,
}

impl Listeners {
    /// Whether a station that pays `discard` may share the account.
    pub fn admit(&mut self, discard: Duration) -> bool {
        *self.discard.get_or_insert(discard) == discard
    }
}

/// Whether a station shares the account of its medium's listeners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Account {
    /// It does: its own processor is stale.
    Common,
    /// Not at present.
    Own,
    /// It never does, being on several media or paying something else.
    Alone,
}

/// A station's network processor and its input buffers: all that a packet for somebody else touches.
#[derive(Clone, Copy, Debug)]
pub struct Intake {
    /// Layers 3 to 6.
    pub network: Processor,
    /// When the packet will have been dealt with that found the processor idle.
    lone: Time,
    /// What the station pays for a packet of others.
    discard: Duration,
    /// The last packet the station sent or was found a receiver of.
    mark: u32,
    /// Its network input buffers.
    buffers: u16,
    account: Account,
    /// Whether the packets in its buffers are listed, not just one in `lone`.
    listed: bool,
}

impl Intake {
    /// A station on so many media. `admitted` tells whether it may share the account of its medium's listeners.
    pub fn new(class: &StationClass, admitted: bool) -> Self {
        Intake {
            network: Processor::default(),
            lone: Time::ZERO,
            discard: class.costs.discard,
            mark: 0,
            buffers: class.buffers.network_input,
            account: if admitted { Account::Common } else { Account::Alone },
            listed: false,
        }
    }

    /// Takes a packet in at `now`, if a buffer is free; tells when its processing, which costs `cost`, begins and
    /// is done.
    #[inline(always)]
    pub fn take(&mut self, now: Time, cost: Duration, work: &mut Option<Box<Work>>) -> Option<(Time, Time)> {
        if self.network.free <= now && self.buffers > 0 {
            let (start, done) = self.network.serve(now, cost);
            (self.lone, self.listed) = (done, false);
            return Some((start, done));
        }
        self.take_behind(now, cost, work)
    }

    /// The same while the processor is at work.
    #[inline(never)]
    fn take_behind(&mut self, now: Time, cost: Duration, work: &mut Option<Box<Work>>) -> Option<(Time, Time)> {
        let work = work.as_mut().expect("a station with an account of its own has something to do");
        if !self.listed {
            work.input.clear();
            work.input.push(self.lone);
            self.listed = true;
        }
        let buffers = usize::from(self.buffers);
        if work.input.len() >= buffers {
            work.input.retain(|&done| done > now);
            if work.input.len() >= buffers {
                work.counts.missed += 1;
                return None;
            }
        }
        let (start, done) = self.network.serve(now, cost);
        work.input.push(done);
        Some((start, done))
    }
}

impl Simulation<'_, '_> {
    /// Sees to it that `station` has an account of its own.
    #[inline]
    pub(super) fn engage(&mut self, station: u32) {
        if self.stations[station as usize].intake.account == Account::Common {
            self.open_account(station);
        }
    }

    fn open_account(&mut self, station: u32) {
        let Station { intake, first_port, .. } = &mut self.stations[station as usize];
        let port = &self.ports[*first_port as usize];
        let listeners = &mut self.segments[usize::from(port.medium)].listeners;
        listeners.engaged.push(station);
        intake.account = Account::Own;
        intake.network = listeners.network;
        (intake.lone, intake.listed) = (listeners.network.free, false);
        self.set_to_work(station);
    }

    /// Enters a station that never shares an account with others.
    pub(super) fn enter_alone(&mut self, station: u32) {
        let state = &self.stations[station as usize];
        for port in state.first_port..state.first_port + u32::from(state.ports) {
            let segment = usize::from(self.ports[port as usize].medium);
            self.segments[segment].listeners.engaged.push(station);
        }
        self.set_to_work(station);
    }

    /// Lets everyone on a medium hear a valid packet of `sender`; returns, in `receivers`, the ports of those
    /// who keep it.
    pub(super) fn hear(&mut self, now: Time, segment: usize, sender: u32, frame: &Frame) {
        self.mark = self.mark.wrapping_add(1);
        self.stations[sender as usize].intake.mark = self.mark;
        let mut receivers = std::mem::take(&mut self.receivers);
        receivers.clear();
        self.find_receivers(segment, sender, frame, &mut receivers);
        for &port in &receivers {
            let station = self.ports[port as usize].station;
            self.stations[station as usize].intake.mark = self.mark;
            self.engage(station);
        }
        self.receivers = receivers;
        self.discard(now, segment);
    }

    /// Ports of stations on the medium that the packet is for, and of routers that pass it on.
    fn find_receivers(&self, segment: usize, sender: u32, frame: &Frame, receivers: &mut Vec<u32>) {
        match frame.packet.destination {
            Destination::Node(node) | Destination::GroupAcknowledgement { node, .. } => {
                let station = self.plan.station_at(node);
                self.add_receiver(segment, sender, station, receivers);
                let at_home = station != NONE && self.stations[station as usize].ports == 1;
                if at_home && !self.segments[segment].repeated {
                    let home = self.ports[self.stations[station as usize].first_port as usize].medium;
                    let router = self.plan.gateway(segment, usize::from(home));
                    self.add_receiver(segment, sender, router, receivers);
                    return; // no other way leads to it
                }
            }
            Destination::Group { group } => {
                for &station in &self.plan.groups[usize::from(group)].members {
                    self.add_receiver(segment, sender, station, receivers);
                }
            }
            Destination::Broadcast { .. } | Destination::UniqueId { .. } => {
                for index in 0..self.segments[segment].ports.len() {
                    let station = self.ports[self.segments[segment].ports[index] as usize].station;
                    if self.plan.nodes[station as usize].accepts(&frame.packet) {
                        self.add_receiver(segment, sender, station, receivers);
                    }
                }
            }
        }
        for &router in &self.segments[segment].routers {
            let known = |&port: &u32| self.ports[port as usize].station == router;
            if router != sender && !receivers.iter().any(known) && self.forwards(router, segment, frame) {
                receivers.extend(self.port_on(router, segment));
            }
        }
    }

    #[inline]
    fn add_receiver(&self, segment: usize, sender: u32, station: u32, receivers: &mut Vec<u32>) {
        if station != NONE && station != sender {
            receivers.extend(self.port_on(station, segment));
        }
    }

    /// The station's port on a medium, if it is on it.
    #[inline(never)]
    pub(super) fn port_on(&self, station: u32, segment: usize) -> Option<u32> {
        let Station { first_port, ports, .. } = self.stations[station as usize];
        (first_port..first_port + u32::from(ports))
            .find(|&port| usize::from(self.ports[port as usize].medium) == segment)
    }

    /// Whether a router passes a packet heard on `segment` on through any other of its ports.
    fn forwards(&self, router: u32, segment: usize, frame: &Frame) -> bool {
        let state = &self.stations[router as usize];
        state.class.role != Role::Node
            && (0..u32::from(state.ports)).any(|number| {
                let elsewhere = usize::from(self.ports[(state.first_port + number) as usize].medium) != segment;
                elsewhere && self.passes(router, number as usize, &frame.packet.destination)
            })
    }

    /// Whether a router passes a packet on through the `port`-th of its media.
    pub(super) fn passes(&self, router: u32, port: usize, destination: &Destination) -> bool {
        self.stations[router as usize].class.role == Role::Repeater
            || self.plan.passes(self.site, router, port, destination)
    }

    /// Charges everyone who is not concerned for looking at a packet.
    fn discard(&mut self, now: Time, segment: usize) {
        let Self { segments, stations, mark, measure, .. } = self;
        let listeners = &mut segments[segment].listeners;
        if let Some(cost) = listeners.discard {
            listeners.network.serve(now, cost);
        }
        let common = listeners.network;
        let mut place = 0;
        while let Some(&station) = listeners.engaged.get(place) {
            let Station { intake, work, .. } = &mut stations[station as usize];
            place += 1;
            if intake.mark == *mark {
                continue;
            }
            if intake.take(now, intake.discard, work).is_none() {
                measure.missed_packet(now);
            }
            if intake.account == Account::Own && intake.network == common && !intake.listed {
                intake.account = Account::Common;
                place -= 1;
                listeners.engaged.swap_remove(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sojourn_core::Streams;
    use sojourn_protocols::lontalk::machine::{Node, NodeConfiguration, Settings};
    use sojourn_protocols::lontalk::wire::SubnetNode;

    use super::*;

    /// Takes packets of several costs in at random instants, while the processor has other work now and then, and tells
    /// how many were lost: those that came when as many as there are buffers had not been dealt with.
    fn packets_lost(buffers: u16) -> usize {
        let mut stream = Streams::new(1, 0).stream("packets");
        let configuration = NodeConfiguration::new(SubnetNode::new(1, 1), Arc::new(Settings::default()));
        let mut work = Some(Box::new(Work::new(Node::new(configuration), stream.clone())));
        let mut intake = Intake {
            network: Processor::default(),
            lone: Time::ZERO,
            discard: Duration::ZERO,
            mark: 0,
            buffers,
            account: Account::Own,
            listed: false,
        };
        let (mut now, mut free, mut held, mut lost) = (Time::ZERO, Time::ZERO, Vec::new(), 0);
        for _ in 0..10_000 {
            now += Duration::from_micros(u64::from(stream.below(3000)));
            let cost = Duration::from_micros([700, 1480, 4980][stream.below(3) as usize]);
            if stream.below(4) == 0 {
                intake.network.serve(now, cost);
                free = free.max(now) + cost;
                continue;
            }
            held.retain(|&done| done > now);
            let wanted = (held.len() < usize::from(buffers)).then(|| {
                let start = free.max(now);
                free = start + cost;
                held.push(free);
                (start, free)
            });
            lost += usize::from(wanted.is_none());
            assert_eq!(intake.take(now, cost, &mut work), wanted, "at {now} with {buffers} buffers");
        }
        assert_eq!(work.expect("it stays").counts.missed, lost as u64);
        lost
    }

    #[test]
    fn a_packet_is_lost_exactly_when_every_buffer_holds_one_that_has_not_been_dealt_with() {
        let lost = [0, 1, 2, 5, 11].map(packets_lost);
        assert!(lost.is_sorted_by(|fewer, more| fewer > more) && lost[4] > 0, "{lost:?}");
    }
}
