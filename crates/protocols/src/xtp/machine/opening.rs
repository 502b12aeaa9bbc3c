//! Opening of associations: FIRST is sent, or received by a listener.

use std::sync::Arc;

use sojourn_core::Time;

use super::configuration::{Configuration, ErrorControl, Requests};
use super::context::{Context, Role};
use super::outcome::{Purpose, Refusal};
use super::output::{AddressFilter, Cast};
use super::receive_state::ReceiveState;
use super::receivers::Receivers;
use super::sending::traffic;
use super::store::Segment;
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Address, Body, Header, Hosts, Options, Service, Traffic};

/// Parameters of [`Input::Open`](super::Input::Open).
pub(super) struct Opening<D, H> {
    pub reference: u32,
    pub to: H,
    pub address: Address,
    pub cast: Cast,
    pub configuration: Arc<Configuration>,
    pub data: Option<(D, bool)>,
}

/// A listener; FIRST packets are offered to listeners in order.
#[derive(Debug)]
pub(super) struct Listener {
    pub name: u32,
    pub filter: AddressFilter,
    pub configuration: Arc<Configuration>,
}

impl Listener {
    /// Whether it accepts a FIRST for `address`.
    pub fn accepts(&self, address: &Address) -> bool {
        match (self.filter, address.hosts) {
            (AddressFilter::Null, Hosts::Null) => true,
            (AddressFilter::Port(port), Hosts::Ipv4 { destination_port, .. }) => port == destination_port,
            _ => false,
        }
    }
}

/// Rejects an invalid configuration.
pub(super) fn check(configuration: &Configuration, cast: Cast) -> Result<(), Refusal> {
    let positive = [
        (configuration.max_data, "packet_data is 0"),
        (configuration.receive_buffer, "receive_buffer is 0"),
        (configuration.initial_window, "initial_window is 0"),
        (configuration.send_buffer, "send_buffer is 0"),
        (configuration.send_rate.burst, "the burst of send_rate is 0"),
        (configuration.receive_rate.burst, "the burst of receive_rate is 0"),
    ];
    if let Some((_, fault)) = positive.into_iter().find(|(value, _)| *value == 0) {
        return Err(Refusal::Configuration(fault));
    }
    if configuration.min_wtimer.picoseconds() == 0 {
        return Err(Refusal::Configuration("min_wtimer is 0"));
    }
    if counts_receivers(configuration) && cast == (Cast::Multicast { receivers: 0 }) {
        return Err(Refusal::Configuration("a multicast association that is answered has no receiver"));
    }
    Ok(())
}

/// Whether the sender of a multicast association tracks its receivers, which unreliable multicast does not.
fn counts_receivers(configuration: &Configuration) -> bool {
    let datagrams = configuration.error_control == ErrorControl::None && configuration.requests == Requests::Never;
    !datagrams || configuration.flow_control
}

/// Service field of FIRST.
fn service(configuration: &Configuration, cast: Cast) -> Service {
    match (cast, configuration.error_control) {
        (Cast::Unicast, ErrorControl::None) => Service::UnacknowledgedDatagram,
        (Cast::Unicast, _) => Service::ReliableUnicastStream,
        (Cast::Multicast { .. }, ErrorControl::None) => Service::UnacknowledgedMulticastStream,
        (Cast::Multicast { .. }, _) => Service::ReliableMulticastStream,
    }
}

/// The role of the end that opens an association.
pub(super) fn initiator(configuration: &Configuration, address: Address, cast: Cast) -> Role {
    Role::Initiator { address, traffic: traffic(configuration, service(configuration, cast)), peer_key: None }
}

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// Sends FIRST with the first part of `data`.
    pub(super) fn open(&mut self, turn: &mut Turn<'_, D, H>, cast: Cast, data: Option<(D, bool)>) {
        if let Cast::Multicast { receivers } = cast {
            self.multicast = true;
            self.receivers = counts_receivers(&self.configuration).then(|| Receivers::new(receivers));
        }
        if !self.multicast || self.receivers.is_some() {
            self.start_context_timer(turn.now);
        }
        if let Some((data, end_of_message)) = data
            && data.length() > 0
        {
            self.outgoing.write(data, end_of_message);
        }
        self.send_first(turn);
    }

    fn send_first(&mut self, turn: &mut Turn<'_, D, H>) {
        let Role::Initiator { address, traffic, .. } = self.role else { return };
        let length = self.outgoing.next_length().unwrap_or(0).min(self.configuration.initial_window as usize);
        let piece = (length > 0).then(|| self.outgoing.take(length)).flatten();
        let (data, end_of_message) = piece.map_or((D::default(), false), |piece| (piece.data, piece.end_of_message));
        self.outgoing.seq += length as u64;
        // the first packet is sent at any rate, and counts towards it
        self.outgoing.rate_control.permission(turn.now);
        self.outgoing.rate_control.spend(length as u64);
        let mut sync = self.sync_state.sync;
        if self.may_ask() {
            sync = self.sync_state.next_sync(Some(turn.now));
            self.arm_wait(turn.now);
        }
        let options = self.options().with(Options::EOM, end_of_message).with(Options::SREQ, self.may_ask());
        let body = Body::First { address, traffic, data: data.clone() };
        self.transmit(turn, options, sync, 0, body, Purpose::Data);
        self.keep(turn, Segment::new(0, length as u32, sync, end_of_message, data).into_first());
    }

    /// Accepts an association opened by FIRST.
    pub(super) fn accept(&mut self, now: Time, header: &Header, traffic: &Traffic) {
        self.multicast = header.options.contains(Options::MULTI);
        self.incoming = ReceiveState::new(header.seq);
        self.incoming.begin_edge(header);
        self.take_traffic(traffic);
        self.start_context_timer(now);
    }
}
