//! A switch: its links, its users, and the circuits that join them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use sojourn_core::{Machine, Time};

use super::channel::{Channel, Turn};
use super::counters::Counters;
use super::end::{ChannelId, End, User};
use super::output::{Input, Output, TrunkId, UserId};
use super::settings::{Settings, SettingsError};
use super::trunk::{Readiness, Trunk};
use crate::StreamData;
use crate::rose::wire::{Body, Cause, Diagnostic, Packet};

mod calls;
mod circuit;
mod link;

/// A ROSE switch. `D` is the users' data.
#[derive(Debug)]
pub struct Switch<D> {
    settings: Arc<Settings>,
    trunks: Vec<Trunk<D>>,
    users: BTreeMap<UserId, User<D>>,
    /// Users named so far.
    user_serial: u32,
    /// The number that tells the next call from others.
    call_number: u16,
    outputs: VecDeque<Output<D>>,
    counters: Counters,
    /// Numbers that the other end of a circuit may acknowledge, kept to save allocations.
    freed: Vec<u8>,
    /// Channels woken at one instant, kept likewise.
    due: Vec<ChannelId>,
}

impl<D: StreamData> Switch<D> {
    /// A switch just switched on, with so many links to neighbours. `call_number` is where the numbers begin that tell
    /// its calls apart; two lives of one switch should begin differently.
    pub fn new(settings: Arc<Settings>, trunks: u16, call_number: u16) -> Result<Self, SettingsError> {
        settings.check(trunks)?;
        Ok(Switch {
            settings,
            trunks: (0..trunks).map(|_| Trunk::new()).collect(),
            users: BTreeMap::new(),
            user_serial: 0,
            call_number,
            outputs: VecDeque::new(),
            counters: Counters::default(),
            freed: Vec::new(),
            due: Vec::new(),
        })
    }

    /// A name for a user's link.
    pub fn reserve_user(&mut self) -> UserId {
        self.user_serial = self.user_serial.wrapping_add(1);
        UserId(self.user_serial)
    }

    /// Whether a link takes calls.
    pub fn is_ready(&self, trunk: TrunkId) -> bool {
        self.trunks.get(usize::from(trunk.0)).is_some_and(|trunk| trunk.readiness == Readiness::Ready)
    }

    /// Channels in use, of all links.
    pub fn channels(&self) -> usize {
        self.trunks.iter().map(|trunk| trunk.channels.len()).sum()
    }

    /// Users that are connected or being called.
    pub fn users(&self) -> usize {
        self.users.len()
    }

    /// Data packets and frames that wait in the switch; those that an AX.25 link has been given are not among them.
    pub fn backlog(&self) -> usize {
        let channels = self.trunks.iter().flat_map(|trunk| trunk.channels.values());
        channels.map(|channel| channel.sending.waiting()).sum::<usize>()
            + self.users.values().map(|user| user.waiting.len()).sum::<usize>()
    }

    /// What the switch has counted.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    fn trunk(&mut self, trunk: TrunkId) -> Option<&mut Trunk<D>> {
        self.trunks.get_mut(usize::from(trunk.0))
    }

    fn channel(&mut self, id: ChannelId) -> Option<&mut Channel<D, End>> {
        self.trunk(id.trunk)?.channels.get_mut(&id.number)
    }

    /// What channel `id` is handed, and the links beside it.
    fn turn(&mut self, now: Time, id: ChannelId) -> (Turn<'_, D>, &mut [Trunk<D>]) {
        let turn = Turn {
            now,
            settings: &self.settings,
            outputs: &mut self.outputs,
            counters: &mut self.counters,
            freed: &mut self.freed,
            trunk: id.trunk,
            number: id.number,
        };
        (turn, &mut self.trunks)
    }

    /// Lets `act` happen to a channel, then lets the other end acknowledge what the neighbour has taken.
    fn with_channel<R>(
        &mut self,
        now: Time,
        id: ChannelId,
        act: impl FnOnce(&mut Channel<D, End>, &mut Turn<'_, D>) -> R,
    ) -> Option<R> {
        let (mut turn, trunks) = self.turn(now, id);
        let channel = trunks.get_mut(usize::from(id.trunk.0))?.channels.get_mut(&id.number)?;
        let other = channel.other;
        let result = act(channel, &mut turn);
        if let Some(other) = other {
            self.release(now, other);
        }
        self.freed.clear();
        Some(result)
    }

    /// The channel at this end may acknowledge what has been freed.
    fn release(&mut self, now: Time, end: End) {
        if let (End::Channel(id), false) = (end, self.freed.is_empty()) {
            let freed = std::mem::take(&mut self.freed);
            let (mut turn, trunks) = self.turn(now, id);
            if let Some(channel) = trunks[usize::from(id.trunk.0)].channels.get_mut(&id.number) {
                channel.release(&mut turn, &freed);
            }
            self.freed = freed;
        }
    }

    fn receive(&mut self, now: Time, trunk: TrunkId, packet: Packet<D>) {
        let id = ChannelId { trunk, number: packet.channel };
        if id.number == 0 {
            return self.receive_link(now, trunk, packet.body);
        }
        if !self.is_ready(trunk) {
            self.counters.protocol_errors += 1;
            return;
        }
        if let Body::CallRequest(call) = packet.body {
            return self.receive_call(now, id, call);
        }
        if self.channel(id).is_none() {
            return self.receive_unassigned(now, id, &packet.body);
        }
        if let Some(happening) = self.with_channel(now, id, |channel, turn| channel.receive(turn, packet)) {
            self.happened(now, id, happening);
        }
    }

    /// A packet of a channel that is free.
    fn receive_unassigned(&mut self, now: Time, id: ChannelId, body: &Body<D>) {
        self.counters.protocol_errors += 1;
        match body {
            Body::ClearConfirmation | Body::Diagnostic { .. } => {}
            Body::ClearRequest { .. } => self.transmit(id, Body::ClearConfirmation),
            _ if id.number > self.settings.highest_channel => {
                let code = Diagnostic::UNASSIGNED_CHANNEL;
                self.transmit(ChannelId { number: 0, ..id }, Body::Diagnostic { code, header: None });
            }
            _ => self.refuse(now, id, Cause::LOCAL_PROCEDURE_ERROR, Diagnostic::INVALID_WHEN_READY),
        }
    }

    fn transmit(&mut self, id: ChannelId, body: Body<D>) {
        self.outputs.push_back(Output::Transmit { trunk: id.trunk, packet: Packet::new(id.number, body) });
    }
}

impl<D: StreamData> Machine for Switch<D> {
    type Input = Input<D>;
    type Output = Output<D>;

    fn handle(&mut self, now: Time, input: Input<D>) {
        match input {
            Input::Receive { trunk, packet } => self.receive(now, trunk, packet),
            Input::UserData { user, data } => self.user_sends(now, user, data),
            Input::UserAcknowledged { user, frames } => self.user_took(now, user, frames),
            Input::UserCallRequest { user, call } => self.user_calls(now, user, &call),
            Input::UserConnected { user } => self.user_answered(now, user),
            Input::UserDisconnected { user, cause } => self.user_gone(now, user, cause),
            Input::TrunkUp { trunk, role } => self.trunk_up(now, trunk, role),
            Input::TrunkDown { trunk } => self.trunk_down(now, trunk),
            Input::Unreadable { trunk, code, header } => {
                self.counters.protocol_errors += 1;
                self.transmit(ChannelId { trunk, number: 0 }, Body::Diagnostic { code, header });
            }
        }
    }

    fn wake(&mut self, now: Time) {
        let mut due = std::mem::take(&mut self.due);
        for (index, trunk) in self.trunks.iter().enumerate() {
            let name = TrunkId(index as u16);
            let numbers = trunk.channels.iter().filter(|(_, channel)| channel.next_wakeup() <= now);
            due.extend(numbers.map(|(number, _)| ChannelId { trunk: name, number: *number }));
            if trunk.deadline <= now {
                due.push(ChannelId { trunk: name, number: 0 });
            }
        }
        for id in due.drain(..) {
            if id.number == 0 {
                self.restart_unanswered(now, id.trunk);
            } else if let Some(happening) = self.with_channel(now, id, Channel::wake) {
                self.happened(now, id, happening);
            }
        }
        self.due = due;
    }

    fn poll_output(&mut self) -> Option<Output<D>> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        let each = |trunk: &Trunk<D>| {
            let channels = trunk.channels.values().map(Channel::next_wakeup);
            channels.fold(trunk.deadline, Time::min)
        };
        self.trunks.iter().map(each).min().filter(|at| *at != Time::NEVER)
    }
}
