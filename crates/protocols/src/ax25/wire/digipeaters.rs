//! The list of digipeaters in an address field.

use std::fmt;

use thiserror::Error;

use super::Address;

/// The most digipeaters a frame may name (AX.25 v2.0; the first text of v2.2 had 2, its current edition has 8).
pub const DIGIPEATER_LIMIT: usize = 8;

/// Up to eight digipeaters in the order a frame passes them, and which of them have repeated it (the H bits).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digipeaters {
    list: [Address; DIGIPEATER_LIMIT],
    count: u8,
    repeated: u8,
}

/// More than eight digipeaters were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0} digipeaters exceed the limit of 8")]
pub struct TooManyDigipeaters(pub usize);

impl Digipeaters {
    /// No digipeaters: the stations are in direct range.
    pub const NONE: Digipeaters = Digipeaters { list: [Address::BLANK; DIGIPEATER_LIMIT], count: 0, repeated: 0 };

    /// These digipeaters, none of which has repeated the frame.
    pub fn new(addresses: &[Address]) -> Result<Self, TooManyDigipeaters> {
        if addresses.len() > DIGIPEATER_LIMIT {
            return Err(TooManyDigipeaters(addresses.len()));
        }
        let mut digipeaters = Digipeaters::NONE;
        addresses.iter().for_each(|address| digipeaters.push(*address, false));
        Ok(digipeaters)
    }

    /// Appends one; beyond the limit it is dropped, so callers check first.
    pub(crate) fn push(&mut self, address: Address, repeated: bool) {
        let index = self.len();
        if let Some(entry) = self.list.get_mut(index) {
            *entry = address;
            self.repeated |= u8::from(repeated) << index;
            self.count += 1;
        }
    }

    /// The number of digipeaters, 0 to 8.
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether the stations are in direct range.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Each digipeater, and whether it has repeated the frame.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Address, bool)> + '_ {
        self.list[..self.len()].iter().enumerate().map(|(index, address)| (*address, self.repeated >> index & 1 != 0))
    }

    /// The next digipeater to repeat the frame; `None` once all have.
    pub fn next(&self) -> Option<Address> {
        self.iter().find(|(_, repeated)| !repeated).map(|(address, _)| address)
    }

    /// The list after the next digipeater has repeated the frame.
    pub fn advanced(mut self) -> Self {
        let index = self.iter().position(|(_, repeated)| !repeated);
        self.repeated |= index.map_or(0, |index| 1 << index);
        self
    }

    /// The reverse path: the list in reverse order, all H bits clear.
    pub fn reversed(&self) -> Self {
        let mut back = Digipeaters::NONE;
        self.list[..self.len()].iter().rev().for_each(|address| back.push(*address, false));
        back
    }

    /// The same path with all H bits clear.
    pub const fn unrepeated(mut self) -> Self {
        self.repeated = 0;
        self
    }
}

impl Default for Digipeaters {
    fn default() -> Self {
        Digipeaters::NONE
    }
}

impl fmt::Debug for Digipeaters {
    /// As monitors print it: `DIGI1*,DIGI2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (address, repeated)) in self.iter().enumerate() {
            write!(f, "{}{address}{}", if index > 0 { "," } else { "" }, if repeated { "*" } else { "" })?;
        }
        Ok(())
    }
}
