//! Opening of associations: listeners, refused configurations, and the segments of FIRST.

use std::sync::Arc;

use super::association::Role;
use super::configuration::{Configuration, ErrorControl, Requests};
use super::outcome::Refusal;
use super::output::{AddressFilter, Cast};
use crate::xtp::wire::{Address, Hosts, Service, Specification, Traffic};

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
#[derive(Clone, Debug)]
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
pub(super) fn counts_receivers(configuration: &Configuration) -> bool {
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

/// Traffic segment of an end: what it requests or grants.
pub(super) fn traffic(configuration: &Configuration, service: Service) -> Traffic {
    let specification = Specification::Rates {
        max_data: configuration.max_data,
        in_rate: configuration.receive_rate.bytes_per_second,
        in_burst: configuration.receive_rate.burst,
        out_rate: configuration.send_rate.bytes_per_second,
        out_burst: configuration.send_rate.burst,
    };
    Traffic { service, specification }
}
