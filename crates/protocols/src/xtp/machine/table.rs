//! The contexts of a host, by index and by key.

use std::collections::BTreeMap;

use super::association::Role;
use super::context::Context;
use super::output::ContextId;
use crate::StreamData;
use crate::xtp::wire::{Body, Key, Packet};

/// Bit of the keys of contexts opened by a peer. It distinguishes a key without RTN that is the receiver's own from one
/// of the sender's.
const ACCEPTED: u64 = 1 << 62;
/// Bits of a key that count the contexts that have used the same index.
const SERIAL_BITS: u32 = 30;

/// Contexts by index and by the keys of their peers.
#[derive(Clone, Debug)]
pub(super) struct Table<D, H> {
    slots: Vec<Slot<D, H>>,
    free: Vec<u32>,
    /// Keys of peers' contexts: without RTN as in FIRST, with RTN as in a DIAG.
    peers: BTreeMap<(H, Key), u32>,
    first_serial: u32,
}

#[derive(Clone, Debug)]
struct Slot<D, H> {
    serial: u32,
    context: Option<Box<Context<D, H>>>,
}

impl<D: StreamData, H: Copy + Ord> Table<D, H> {
    pub fn new(first_serial: u32) -> Self {
        Table { slots: Vec::new(), free: Vec::new(), peers: BTreeMap::new(), first_serial }
    }

    /// Number of contexts, including ended ones that linger.
    pub fn count(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Reserves identifier and key of a new context.
    pub fn reserve(&mut self, accepted: bool) -> (ContextId, Key) {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { serial: self.first_serial, context: None });
            self.slots.len() as u32 - 1
        });
        let serial = self.slots[index as usize].serial;
        let counted = u64::from(serial) & ((1 << SERIAL_BITS) - 1);
        let key = counted << 32 | u64::from(index) | if accepted { ACCEPTED } else { 0 };
        (ContextId { index, serial }, Key(key))
    }

    /// Inserts a context at its index.
    pub fn insert(&mut self, context: Context<D, H>) {
        let association = &context.association;
        let index = association.id.index;
        if let Role::Acceptor { peer_key, .. } = association.role {
            self.peers.insert((association.peer, peer_key), index);
        }
        let index = index as usize;
        self.slots[index].context = Some(Box::new(context));
    }

    /// Records the key of a peer's context.
    pub fn learn(&mut self, peer: H, key: Key, index: u32) {
        self.peers.insert((peer, key.returned()), index);
    }

    /// Removes the context at an index.
    pub fn remove(&mut self, index: u32) {
        let Some(slot) = self.slots.get_mut(index as usize) else { return };
        let Some(context) = slot.context.take() else { return };
        slot.serial = slot.serial.wrapping_add(1);
        self.free.push(index);
        let key = match context.association.role {
            Role::Acceptor { peer_key, .. } => Some(peer_key),
            Role::Initiator { peer_key, .. } => peer_key.map(Key::returned),
        };
        let peer = context.association.peer;
        if let Some(key) = key
            && self.peers.get(&(peer, key)) == Some(&index)
        {
            self.peers.remove(&(peer, key));
        }
    }

    /// The context at an index.
    #[inline]
    pub fn at(&mut self, index: u32) -> Option<&mut Context<D, H>> {
        self.slots.get_mut(index as usize)?.context.as_deref_mut()
    }

    /// The context with this identifier, if it exists.
    #[inline]
    pub fn get(&mut self, id: ContextId) -> Option<&mut Context<D, H>> {
        self.at(id.index).filter(|context| context.association.id == id)
    }

    /// Shared variant of [`get`](Table::get).
    pub fn look(&self, id: ContextId) -> Option<&Context<D, H>> {
        let context = self.slots.get(id.index as usize)?.context.as_deref()?;
        (context.association.id == id).then_some(context)
    }

    /// Index of the context that a packet addresses.
    #[inline]
    pub fn find(&self, from: H, packet: &Packet<D>) -> Option<u32> {
        let key = packet.header.key;
        let accepted = key.0 & ACCEPTED != 0;
        if key.is_returned() && !(accepted && matches!(packet.body, Body::Diagnostic(_))) {
            return self.own(key.plain());
        }
        if accepted
            && let Some(index) = self.own(key.plain())
            && !key.is_returned()
            && self.slots[index as usize].context.as_ref().is_some_and(|context| context.association.peer == from)
        {
            return Some(index);
        }
        self.peers.get(&(from, key)).copied()
    }

    fn own(&self, key: Key) -> Option<u32> {
        let index = key.0 as u32;
        let context = self.slots.get(index as usize)?.context.as_ref()?;
        (context.association.key == key).then_some(index)
    }
}
