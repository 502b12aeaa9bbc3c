//! A switch: its trunks, its users, and the circuits that connect them.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::{Machine, Time};

use super::channel::{Channel, Closing};
use super::context::Context;
use super::counters::Counters;
use super::endpoint::{ChannelId, Endpoint};
use super::output::{Input, InterfaceRole, Output, TrunkId, UserId};
use super::settings::{Settings, SettingsError};
use super::trunk::{Channels, Trunk};
use super::users::Users;
use crate::StreamData;
use crate::rose::wire::{Body, Cause, Diagnostic, Packet};

mod calls;
mod transfer;

/// A ROSE switch. `D` is the users' data.
#[derive(Clone, Debug)]
pub struct Switch<D> {
    settings: Arc<Settings>,
    trunks: Vec<Trunk<D>>,
    users: Users<D>,
    /// The random number that identifies the last call.
    call_number: u16,
    outputs: VecDeque<Output<D>>,
    counters: Counters,
    /// P(S) that the other endpoint of a circuit may acknowledge; kept to avoid allocations.
    freed: Vec<u8>,
    /// Channels with a due timer; kept to avoid allocations.
    due: Vec<ChannelId>,
}

impl<D: StreamData> Switch<D> {
    /// A switch with this number of trunks, all down. `call_number` is the first random number of its calls; it should
    /// differ between restarts of the switch.
    pub fn new(settings: Arc<Settings>, trunks: u16, call_number: u16) -> Result<Self, SettingsError> {
        settings.check(trunks)?;
        Ok(Switch {
            settings,
            trunks: (0..trunks).map(|_| Trunk::new()).collect(),
            users: Users::new(),
            call_number,
            outputs: VecDeque::new(),
            counters: Counters::default(),
            freed: Vec::new(),
            due: Vec::new(),
        })
    }

    /// Assigns an id to a user's link.
    pub fn reserve_user(&mut self) -> UserId {
        self.users.reserve()
    }

    /// Whether a trunk is ready for calls (r1).
    pub fn is_ready(&self, trunk: TrunkId) -> bool {
        self.trunks.get(usize::from(trunk.0)).is_some_and(Trunk::is_ready)
    }

    /// Logical channels in use on all trunks.
    pub fn channels(&self) -> usize {
        self.trunks.iter().map(|trunk| trunk.channels.len()).sum()
    }

    /// Users that are connected or being called.
    pub fn users(&self) -> usize {
        self.users.count()
    }

    /// Data packets and frames queued in the switch, without those passed to an AX.25 link.
    pub fn backlog(&self) -> usize {
        let channels = self.trunks.iter().flat_map(|trunk| trunk.channels.values());
        channels.map(|channel| channel.sending.waiting()).sum::<usize>() + self.users.waiting()
    }

    /// The switch's event counters.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    fn trunk(&mut self, trunk: TrunkId) -> Option<&mut Trunk<D>> {
        self.trunks.get_mut(usize::from(trunk.0))
    }

    /// Applies `act` to a trunk.
    fn with_trunk<R>(
        &mut self,
        now: Time,
        trunk: TrunkId,
        act: impl FnOnce(&mut Trunk<D>, &mut Context<'_, D>) -> R,
    ) -> Option<R> {
        let (mut context, trunks) = self.context(now, ChannelId { trunk, number: 0 });
        Some(act(trunks.get_mut(usize::from(trunk.0))?, &mut context))
    }

    fn trunk_up(&mut self, now: Time, name: TrunkId, role: InterfaceRole) {
        self.trunk_down(now, name);
        self.with_trunk(now, name, |trunk, context| {
            trunk.role = role;
            trunk.restart(context);
        });
    }

    fn trunk_down(&mut self, now: Time, name: TrunkId) {
        if let Some(channels) = self.trunk(name).map(Trunk::down) {
            self.clear_circuits(now, channels);
        }
    }

    fn restart_timed_out(&mut self, now: Time, name: TrunkId) {
        if self.with_trunk(now, name, Trunk::repeat_restart) == Some(false) {
            self.trunk_down(now, name);
            self.outputs.push_back(Output::TrunkFailed { trunk: name });
        }
    }

    /// A packet on channel 0.
    fn receive_restart(&mut self, now: Time, name: TrunkId, body: &Body<D>) {
        if let Some(channels) = self.with_trunk(now, name, |trunk, context| trunk.receive(context, body)).flatten() {
            self.clear_circuits(now, channels);
            self.with_trunk(now, name, Trunk::ready);
        }
    }

    /// Clears the circuits of a trunk's channels without sending on it.
    fn clear_circuits(&mut self, now: Time, channels: Channels<D>) {
        for mut channel in channels.into_values() {
            self.counters.lost += u64::from(channel.sending.reset());
            if let Some(other) = channel.other {
                let closing = self.with_address(Closing::new(Cause::OUT_OF_ORDER, Diagnostic::NONE));
                self.close(now, other, closing);
            }
        }
    }

    fn channel(&mut self, id: ChannelId) -> Option<&mut Channel<D, Endpoint>> {
        self.trunk(id.trunk)?.channels.get_mut(&id.number)
    }

    /// The context of channel `id`, and the trunks.
    fn context(&mut self, now: Time, id: ChannelId) -> (Context<'_, D>, &mut [Trunk<D>]) {
        let context = Context {
            now,
            settings: &self.settings,
            outputs: &mut self.outputs,
            counters: &mut self.counters,
            freed: &mut self.freed,
            trunk: id.trunk,
            number: id.number,
        };
        (context, &mut self.trunks)
    }

    /// Applies `act` to a channel, then lets the other endpoint acknowledge what the neighbour has acknowledged.
    fn with_channel<R>(
        &mut self,
        now: Time,
        id: ChannelId,
        act: impl FnOnce(&mut Channel<D, Endpoint>, &mut Context<'_, D>) -> R,
    ) -> Option<R> {
        let (mut context, trunks) = self.context(now, id);
        let channel = trunks.get_mut(usize::from(id.trunk.0))?.channels.get_mut(&id.number)?;
        let other = channel.other;
        let result = act(channel, &mut context);
        if let Some(other) = other {
            self.release(now, other);
        }
        self.freed.clear();
        Some(result)
    }

    /// The channel at this endpoint may acknowledge the packets in `freed`.
    fn release(&mut self, now: Time, end: Endpoint) {
        if let (Endpoint::Channel(id), false) = (end, self.freed.is_empty()) {
            let freed = std::mem::take(&mut self.freed);
            let (mut context, trunks) = self.context(now, id);
            if let Some(channel) = trunks[usize::from(id.trunk.0)].channels.get_mut(&id.number) {
                channel.release(&mut context, &freed);
            }
            self.freed = freed;
        }
    }

    fn receive(&mut self, now: Time, trunk: TrunkId, packet: Packet<D>) {
        let id = ChannelId { trunk, number: packet.channel };
        if id.number == 0 {
            return self.receive_restart(now, trunk, &packet.body);
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
        if let Some(event) = self.with_channel(now, id, |channel, context| channel.receive(context, packet)) {
            self.channel_event(now, id, event);
        }
    }

    /// A packet on a free channel (p1).
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
            Input::UserData { user, data } => self.user_data(now, user, data),
            Input::UserAcknowledged { user, frames } => self.user_acknowledged(now, user, frames),
            Input::UserCallRequest { user, call } => self.user_call_request(now, user, &call),
            Input::UserConnected { user } => self.user_connected(now, user),
            Input::UserDisconnected { user, cause } => self.user_disconnected(now, user, cause),
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
                self.restart_timed_out(now, id.trunk);
            } else if let Some(event) = self.with_channel(now, id, Channel::wake) {
                self.channel_event(now, id, event);
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
