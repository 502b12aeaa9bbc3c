//! Calls: routing, loop detection, collisions, refusal and clearing.

use std::cmp::Reverse;
use std::sync::Arc;

use sojourn_core::Time;

use super::Switch;
use crate::StreamData;
use crate::rose::machine::channel::{Channel, Closing, State};
use crate::rose::machine::endpoint::{ChannelId, Endpoint};
use crate::rose::machine::output::{InterfaceRole, Output, TrunkId, UserId};
use crate::rose::machine::user_path::UserCall;
use crate::rose::wire::{Call, Cause, DNIC_DIGITS, Diagnostic, Facilities, NetworkAddress, Subscriber};

/// Why a call is refused.
type Refused = (Cause, Diagnostic);

impl<D: StreamData> Switch<D> {
    pub(super) fn user_call_request(&mut self, now: Time, user: UserId, requested: &UserCall) {
        self.counters.calls += 1;
        self.users.insert(user, true);
        let placed = match self.call_of(requested) {
            Some(call) => self.place(now, &Arc::new(call), Endpoint::User(user)),
            None => Err((Cause::NOT_OBTAINABLE, Diagnostic::INVALID_CALLED_ADDRESS)),
        };
        if let Err((cause, diagnostic)) = placed {
            self.counters.refused += 1;
            let closing = self.with_address(Closing::new(cause, diagnostic));
            self.close(now, Endpoint::User(user), closing);
        }
    }

    /// The call of a user's path: missing leading digits are the switch's own.
    fn call_of(&mut self, requested: &UserCall) -> Option<Call> {
        let own = self.settings.address;
        let called = own.prefix(own.len().saturating_sub(requested.address.len())).followed_by(&requested.address)?;
        self.call_number = self.call_number.wrapping_add(1).max(1);
        let facilities = Facilities {
            random: self.call_number,
            source_digipeaters: requested.near,
            destination_digipeaters: requested.far,
            destination: Some(Subscriber { address: called, station: requested.called }),
            source: Some(Subscriber { address: own, station: requested.caller }),
            ..Facilities::default()
        };
        Some(Call { called, calling: own, facilities })
    }

    /// CALL REQUEST was received on a channel.
    pub(super) fn receive_call(&mut self, now: Time, id: ChannelId, call: Arc<Call>) {
        match self.channel(id).map(|channel| channel.state) {
            None if id.number > self.settings.highest_channel => {
                self.refuse(now, id, Cause::NETWORK_CONGESTION, Diagnostic::NO_CHANNEL);
            }
            None => self.accept_call(now, id, call),
            Some(State::CallSent) => self.collide(now, id, call),
            Some(State::Clearing) => {}
            Some(_) => self.procedure_error(now, id, Diagnostic::INVALID_WHEN_CONNECTED),
        }
    }

    fn accept_call(&mut self, now: Time, id: ChannelId, call: Arc<Call>) {
        self.counters.calls += 1;
        let loops = self.is_loop(&call);
        let refused = if call.facilities.source.is_none() || call.facilities.destination.is_none() {
            Some((Cause::INVALID_FACILITY, Diagnostic::MISSING_FACILITY))
        } else if loops {
            self.counters.loops += 1;
            Some((Cause::NOT_OBTAINABLE, Diagnostic::ROUTING_LOOP))
        } else {
            let channel = Channel::called(Arc::clone(&call));
            self.trunks[usize::from(id.trunk.0)].channels.insert(id.number, channel);
            self.place(now, &call, Endpoint::Channel(id)).err()
        };
        if let Some((cause, diagnostic)) = refused {
            self.counters.refused += 1;
            self.refuse(now, id, cause, diagnostic);
        }
    }

    /// Whether this call passes the switch already, hence is in a routing loop (as detected by Linux net/rose). Each switch
    /// refuses a call at its second visit.
    fn is_loop(&self, call: &Call) -> bool {
        let number = |call: &Call| (call.facilities.random, call.calling);
        let stations = |call: &Call| (call.facilities.source, call.facilities.destination);
        let mut calls =
            self.trunks.iter().flat_map(|trunk| trunk.channels.values()).filter_map(|channel| channel.call.as_deref());
        calls.any(|known| number(known) == number(call) && stations(known) == stations(call))
    }

    /// Call collision: both ends selected the same channel. The DTE's call stands; the DCE moves its own.
    fn collide(&mut self, now: Time, id: ChannelId, call: Arc<Call>) {
        self.counters.collisions += 1;
        let limit = self.settings.highest_channel;
        let Some(trunk) = self.trunk(id.trunk) else { return };
        if trunk.role == InterfaceRole::Dte {
            return;
        }
        let Some(mut own) = trunk.channels.remove(&id.number) else { return };
        self.accept_call(now, id, call);
        let free = self.trunk(id.trunk).and_then(|trunk| trunk.free_channel(limit));
        let (Some(other), Some(number)) = (own.other, free) else {
            let closing = self.with_address(Closing::new(Cause::NETWORK_CONGESTION, Diagnostic::NO_CHANNEL));
            own.other.into_iter().for_each(|other| self.close(now, other, closing.clone()));
            return;
        };
        let moved = ChannelId { number, ..id };
        let (mut context, trunks) = self.context(now, moved);
        own.send_call(&mut context);
        trunks[usize::from(id.trunk.0)].channels.insert(number, own);
        self.join(other, Endpoint::Channel(moved));
    }

    /// Routes a call, and connects it to the endpoint it came from.
    fn place(&mut self, now: Time, call: &Arc<Call>, from: Endpoint) -> Result<(), Refused> {
        let to = if call.called == self.settings.address {
            self.call_user(call)?
        } else {
            let trunk = self.route(&call.called)?;
            self.call_neighbour(now, trunk, call, from)?
        };
        self.join(from, to);
        self.join(to, from);
        Ok(())
    }

    /// The trunk of the longest matching prefix; among equal prefixes the first that is ready.
    fn route(&self, called: &NetworkAddress) -> Result<TrunkId, Refused> {
        let routes = self.settings.routes.iter().enumerate().filter(|(_, route)| called.starts_with(&route.prefix));
        let best =
            routes.max_by_key(|(place, route)| (route.prefix.len(), self.is_ready(route.trunk), Reverse(*place)));
        match best {
            None => Err((Cause::NOT_OBTAINABLE, Diagnostic::INVALID_CALLED_ADDRESS)),
            Some((_, route)) if !self.is_ready(route.trunk) => Err((Cause::OUT_OF_ORDER, Diagnostic::NONE)),
            Some((_, route)) => Ok(route.trunk),
        }
    }

    fn call_neighbour(
        &mut self,
        now: Time,
        name: TrunkId,
        call: &Arc<Call>,
        from: Endpoint,
    ) -> Result<Endpoint, Refused> {
        let limit = self.settings.highest_channel;
        let number = self.trunk(name).and_then(|trunk| trunk.free_channel(limit));
        let number = number.ok_or((Cause::NETWORK_CONGESTION, Diagnostic::NO_CHANNEL))?;
        let id = ChannelId { trunk: name, number };
        let (mut context, trunks) = self.context(now, id);
        let channel = Channel::calling(&mut context, Arc::clone(call), from);
        trunks[usize::from(name.0)].channels.insert(number, channel);
        Ok(Endpoint::Channel(id))
    }

    fn call_user(&mut self, call: &Call) -> Result<Endpoint, Refused> {
        let Facilities { source, destination, source_digipeaters: far, destination_digipeaters: near, .. } =
            call.facilities;
        let missing = (Cause::INVALID_FACILITY, Diagnostic::MISSING_FACILITY);
        let (source, destination) = source.zip(destination).ok_or(missing)?;
        let user = self.users.reserve();
        self.users.insert(user, false);
        let address = call.calling.without_prefix(DNIC_DIGITS);
        let call = UserCall { caller: source.station, called: destination.station, address, near, far };
        self.outputs.push_back(Output::CallUser { user, call });
        Ok(Endpoint::User(user))
    }

    /// Sets `other` as the other endpoint of `end`'s circuit.
    pub(super) fn join(&mut self, end: Endpoint, other: Endpoint) {
        let place = match end {
            Endpoint::Channel(id) => self.channel(id).map(|channel| &mut channel.other),
            Endpoint::User(user) => self.users.get_mut(user).map(|user| &mut user.other),
        };
        if let Some(place) = place {
            *place = Some(other);
        }
    }

    /// Clears a channel at once, even a free one.
    pub(super) fn refuse(&mut self, now: Time, id: ChannelId, cause: Cause, diagnostic: Diagnostic) {
        let closing = self.with_address(Closing::new(cause, diagnostic));
        let (mut context, trunks) = self.context(now, id);
        let channel = Channel::cleared(&mut context, closing);
        if let Some(trunk) = trunks.get_mut(usize::from(id.trunk.0)) {
            trunk.channels.insert(id.number, channel);
        }
    }

    /// Adds this switch's address as the place where the call failed.
    pub(super) fn with_address(&self, closing: Closing) -> Closing {
        let failed_address = Some(self.settings.address);
        Closing { facilities: Some(Arc::new(Facilities { failed_address, ..Facilities::default() })), ..closing }
    }

    pub(super) fn user_connected(&mut self, now: Time, name: UserId) {
        let Some(other) = self.users.connected(&mut self.outputs, &mut self.counters, name) else { return };
        match other {
            Some(Endpoint::Channel(id)) => {
                self.with_channel(now, id, Channel::accept);
            }
            Some(Endpoint::User(caller)) => self.outputs.push_back(Output::CallConnected { user: caller }),
            None => {}
        }
        self.users.disconnect_if_done(&mut self.outputs, &mut self.counters, name);
    }

    pub(super) fn user_disconnected(&mut self, now: Time, name: UserId, cause: Cause) {
        let Some(user) = self.users.remove(&mut self.counters, name) else { return };
        if let Some(other) = user.other {
            let mut closing = Closing::new(cause, Diagnostic::NONE);
            if cause != Cause::DTE_ORIGINATED {
                closing = self.with_address(closing);
            }
            self.close(now, other, closing);
        }
    }

    /// The circuit was cleared at the other endpoint: clears this one once it has the data sent before.
    pub(super) fn close(&mut self, now: Time, end: Endpoint, closing: Closing) {
        match end {
            Endpoint::Channel(id) => {
                self.with_channel(now, id, |channel, context| {
                    channel.other = None;
                    channel.close(context, closing);
                });
            }
            Endpoint::User(name) => self.users.close(&mut self.outputs, &mut self.counters, name, closing),
        }
    }
}
