//! The circuits of a node, and which of them a number means.

use super::circuit::Circuit;
use super::output::CircuitId;
use crate::ax25::wire::Address;
use crate::netrom::wire::CircuitNumber;

/// Circuits by place. A place's number on the air is one more: 0 means none.
#[derive(Debug)]
pub(super) struct Circuits<D> {
    places: Vec<Place<D>>,
    serials: u32,
}

#[derive(Debug)]
struct Place<D> {
    /// Of the numbers it gives, the last.
    id: u8,
    circuit: Option<Box<Circuit<D>>>,
    /// The last circuit that was here, by its own number, the other node's, and the other node: its end may be asked
    /// for once more.
    last: Option<(CircuitNumber, CircuitNumber, Address)>,
}

impl<D> Circuits<D> {
    pub const fn new() -> Self {
        Circuits { places: Vec::new(), serials: 0 }
    }

    /// A name and a number for a new circuit, if there are fewer than `limit`.
    pub fn reserve(&mut self, limit: u8) -> Option<(CircuitId, CircuitNumber)> {
        let free = self.places.iter().position(|place| place.circuit.is_none());
        let index = free.unwrap_or(self.places.len());
        if index >= usize::from(limit) {
            return None;
        }
        if index == self.places.len() {
            self.places.push(Place { id: 0, circuit: None, last: None });
        }
        let place = &mut self.places[index];
        place.id = place.id.checked_add(1).unwrap_or(1);
        self.serials = self.serials.wrapping_add(1);
        let number = CircuitNumber { index: index as u8 + 1, id: place.id };
        Some((CircuitId { index: index as u8, serial: self.serials }, number))
    }

    /// Puts a circuit in its place.
    pub fn insert(&mut self, circuit: Circuit<D>) {
        let index = usize::from(circuit.id.index);
        self.places[index].circuit = Some(Box::new(circuit));
    }

    /// Takes a circuit out, until it is put back or forgotten.
    pub fn take(&mut self, index: u8) -> Option<Box<Circuit<D>>> {
        self.places.get_mut(usize::from(index))?.circuit.take()
    }

    /// Puts back a circuit that was taken out.
    pub fn put_back(&mut self, circuit: Box<Circuit<D>>) {
        let index = usize::from(circuit.id.index);
        self.places[index].circuit = Some(circuit);
    }

    /// Remembers a circuit that has ended.
    pub fn remember(&mut self, circuit: &Circuit<D>) {
        self.places[usize::from(circuit.id.index)].last = Some((circuit.own, circuit.peer, circuit.node));
    }

    /// The circuit of this name.
    pub fn look(&self, id: CircuitId) -> Option<&Circuit<D>> {
        let circuit = self.places.get(usize::from(id.index))?.circuit.as_deref()?;
        (circuit.id == id).then_some(circuit)
    }

    /// How many places there are.
    pub fn count(&self) -> u8 {
        self.places.len() as u8
    }

    /// The circuit at a place.
    pub fn at(&self, index: u8) -> Option<&Circuit<D>> {
        self.places.get(usize::from(index))?.circuit.as_deref()
    }

    /// All circuits.
    pub fn iter(&self) -> impl Iterator<Item = &Circuit<D>> {
        self.places.iter().filter_map(|place| place.circuit.as_deref())
    }

    /// The circuit that the node itself calls so, with that node at the other end.
    pub fn own(&self, number: CircuitNumber, node: Address) -> Option<CircuitId> {
        let place = self.places.get(usize::from(number.index.checked_sub(1)?))?;
        let circuit = place.circuit.as_deref()?;
        (circuit.own == number && circuit.node == node).then_some(circuit.id)
    }

    /// The circuit that the other node calls so.
    pub fn peer(&self, number: CircuitNumber, node: Address) -> Option<CircuitId> {
        let same = |circuit: &&Circuit<D>| circuit.incoming && circuit.peer == number && circuit.node == node;
        self.iter().find(same).map(|circuit| circuit.id)
    }

    /// The other node's number of a circuit that has ended.
    pub fn ended(&self, number: CircuitNumber, node: Address) -> Option<CircuitNumber> {
        let place = self.places.get(usize::from(number.index.checked_sub(1)?))?;
        let (own, peer, of) = place.last?;
        (own == number && of == node).then_some(peer)
    }
}
