//! An association as one of its ends sees it: peer, keys, role and configuration.

use std::sync::Arc;

use super::configuration::{Configuration, ErrorControl, Requests};
use super::output::ContextId;
use crate::xtp::wire::{Address, Header, Key, Options, Traffic};

/// What the parts of a context have in common.
#[derive(Clone, Debug)]
pub(super) struct Association<H> {
    /// Identifier of the context.
    pub id: ContextId,
    /// Key of the context.
    pub key: Key,
    /// Destination of packets: the peer or the group.
    pub peer: H,
    pub role: Role,
    pub multicast: bool,
    pub configuration: Arc<Configuration>,
}

/// Role of this end: which end opened the association.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    /// This end opened the association with FIRST.
    Initiator {
        address: Address,
        traffic: Traffic,
        /// Key of the peer's context, once exchanged (`xkey` of TCNTL).
        peer_key: Option<Key>,
    },
    /// The peer opened the association.
    Acceptor {
        /// Key of the peer's context, from FIRST.
        peer_key: Key,
        /// Whether the peer uses this context's key.
        announced: bool,
    },
}

impl<H> Association<H> {
    #[inline]
    pub fn is_initiator(&self) -> bool {
        matches!(self.role, Role::Initiator { .. })
    }

    /// Whether this end is the sender of a multicast association.
    #[inline]
    pub fn is_multicast_sender(&self) -> bool {
        self.multicast && self.is_initiator()
    }

    /// Whether this end is a receiver of a multicast association.
    #[inline]
    pub fn is_multicast_receiver(&self) -> bool {
        self.multicast && !self.is_initiator()
    }

    /// Whether data are retransmitted from the first gap on, as always in multicast.
    #[inline]
    pub fn goes_back(&self) -> bool {
        self.multicast || self.configuration.error_control == ErrorControl::GoBackN
    }

    /// Whether packets may request status: not without error and flow control.
    #[inline]
    pub fn may_request_status(&self) -> bool {
        self.configuration.requests != Requests::Never
    }

    /// Whether this end neither retransmits nor requests status, and so can end once all data are sent.
    pub fn expects_no_report(&self) -> bool {
        self.configuration.error_control == ErrorControl::None && !self.may_request_status()
    }

    /// Key of packets to the peer.
    #[inline]
    pub fn peer_key(&self) -> Key {
        match self.role {
            Role::Initiator { peer_key, .. } => peer_key.unwrap_or(self.key),
            Role::Acceptor { peer_key, .. } => peer_key.returned(),
        }
    }

    /// Key of the peer's context, once exchanged.
    #[inline]
    pub fn exchanged_key(&self) -> Option<Key> {
        match self.role {
            Role::Initiator { peer_key, .. } => peer_key,
            Role::Acceptor { .. } => None,
        }
    }

    /// Records the key of the peer's context from its first TCNTL.
    pub fn exchange_key(&mut self, xkey: Key) {
        if let Role::Initiator { peer_key, .. } = &mut self.role {
            *peer_key = peer_key.or(Some(xkey.plain()));
        }
    }

    /// Records whether the peer uses this context's key, given the key of a packet.
    #[inline]
    pub fn note_key(&mut self, key: Key) {
        if let Role::Acceptor { announced, .. } = &mut self.role {
            *announced |= key.plain() == self.key;
        }
    }

    /// Options that all packets of this end carry.
    #[inline]
    pub fn options(&self) -> Options {
        let configuration = &*self.configuration;
        Options::NONE
            .with(Options::NOCHECK, !configuration.checksum)
            .with(Options::NOERR, configuration.error_control == ErrorControl::None)
            .with(Options::RES, configuration.reservation)
            .with(Options::SORT, configuration.sort.is_some())
            .with(Options::NOFLOW, !configuration.flow_control)
            .with(Options::FASTNAK, configuration.fast_nak)
            .with(Options::MULTI, self.multicast)
    }

    /// Header of a packet to the peer.
    #[inline]
    pub fn header(&self, options: Options, sync: u32, seq: u64) -> Header {
        Header { key: self.peer_key(), options, sort: self.configuration.sort.unwrap_or(0), sync, seq }
    }
}
