//! The circuit table of a node: circuits by id and by number.

use super::circuit::Circuit;
use super::output::CircuitId;
use crate::ax25::wire::Address;
use crate::netrom::wire::CircuitNumber;

/// Circuits by slot. A slot's circuit index in packets is one more: 0 means none.
#[derive(Clone, Debug)]
pub(super) struct Circuits<D> {
    slots: Vec<Slot<D>>,
    serials: u32,
}

#[derive(Clone, Debug)]
struct Slot<D> {
    /// The circuit id last assigned.
    id: u8,
    circuit: Option<Box<Circuit<D>>>,
    /// The last circuit in this slot, by its own number, the peer's, and the peer node: its disconnect request may be
    /// repeated.
    last: Option<(CircuitNumber, CircuitNumber, Address)>,
}

impl<D> Circuits<D> {
    pub const fn new() -> Self {
        Circuits { slots: Vec::new(), serials: 0 }
    }

    /// An id and a number for a new circuit, if there are fewer than `limit`.
    pub fn reserve(&mut self, limit: u8) -> Option<(CircuitId, CircuitNumber)> {
        let free = self.slots.iter().position(|slot| slot.circuit.is_none());
        let index = free.unwrap_or(self.slots.len());
        if index >= usize::from(limit) {
            return None;
        }
        if index == self.slots.len() {
            self.slots.push(Slot { id: 0, circuit: None, last: None });
        }
        let slot = &mut self.slots[index];
        slot.id = slot.id.checked_add(1).unwrap_or(1);
        self.serials = self.serials.wrapping_add(1);
        let number = CircuitNumber { index: index as u8 + 1, id: slot.id };
        Some((CircuitId { index: index as u8, serial: self.serials }, number))
    }

    /// Puts a circuit in its slot.
    pub fn insert(&mut self, circuit: Circuit<D>) {
        let index = usize::from(circuit.id.index);
        self.slots[index].circuit = Some(Box::new(circuit));
    }

    /// Removes the circuit in a slot, which has ended.
    pub fn remove(&mut self, index: u8) {
        let Some(slot) = self.slots.get_mut(usize::from(index)) else { return };
        slot.last = slot.circuit.take().map(|circuit| (circuit.own, circuit.peer, circuit.node));
    }

    /// The circuit with this id.
    pub fn get(&self, id: CircuitId) -> Option<&Circuit<D>> {
        let circuit = self.slots.get(usize::from(id.index))?.circuit.as_deref()?;
        (circuit.id == id).then_some(circuit)
    }

    /// The number of slots.
    pub fn count(&self) -> u8 {
        self.slots.len() as u8
    }

    /// The circuit in a slot.
    pub fn at(&mut self, index: u8) -> Option<&mut Circuit<D>> {
        self.slots.get_mut(usize::from(index))?.circuit.as_deref_mut()
    }

    /// All circuits.
    pub fn iter(&self) -> impl Iterator<Item = &Circuit<D>> {
        self.slots.iter().filter_map(|slot| slot.circuit.as_deref())
    }

    /// The circuit with this number of the node itself, and that peer node.
    pub fn own(&self, number: CircuitNumber, node: Address) -> Option<CircuitId> {
        let slot = self.slots.get(usize::from(number.index.checked_sub(1)?))?;
        let circuit = slot.circuit.as_deref()?;
        (circuit.own == number && circuit.node == node).then_some(circuit.id)
    }

    /// The circuit with this number of the peer node.
    pub fn peer(&self, number: CircuitNumber, node: Address) -> Option<CircuitId> {
        let same = |circuit: &&Circuit<D>| circuit.incoming && circuit.peer == number && circuit.node == node;
        self.iter().find(same).map(|circuit| circuit.id)
    }

    /// The peer's number of a circuit that has ended.
    pub fn ended(&self, number: CircuitNumber, node: Address) -> Option<CircuitNumber> {
        let slot = self.slots.get(usize::from(number.index.checked_sub(1)?))?;
        let (own, peer, of) = slot.last?;
        (own == number && of == node).then_some(peer)
    }
}
