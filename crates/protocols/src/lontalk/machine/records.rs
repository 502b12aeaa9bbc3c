//! The table of receive records: what a node remembers of messages it received, to tell duplicates by.

use smallvec::SmallVec;
use sojourn_core::Time;

use super::addressing::Scope;
use super::message::Service;
use super::output::RequestHandle;
use crate::lontalk::wire::{Apdu, Domain, SubnetNode};

/// What tells one sender's stream of messages from another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub priority: bool,
    pub source: SubnetNode,
    pub scope: Scope,
    pub domain: Domain,
}

/// A message that came in, until its receive timer ends.
#[derive(Debug)]
pub(super) struct Record<D> {
    pub key: Key,
    pub number: u8,
    pub service: Service,
    pub apdu: Apdu<D>,
    pub identity: Identity,
    pub delivered: bool,
    /// A REMINDER said that this node's answer has arrived: the next duplicate is not answered.
    pub muted: bool,
    pub alternate_path: bool,
    pub response: Option<Apdu<D>>,
    pub expires: Time,
    pub serial: u32,
}

/// Whether the sender of a message is who it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// The message does not ask for proof.
    NotAsked,
    /// It was challenged with this number.
    Asked([u8; 8]),
    /// It has replied rightly.
    Proven,
}

/// The receive records of a node.
#[derive(Debug)]
pub(super) struct Records<D> {
    serials: u32,
    /// Of thousands of nodes most hear from one other, whose record then needs no memory of its own.
    records: SmallVec<[Record<D>; 1]>,
}

impl<D> Default for Records<D> {
    fn default() -> Self {
        Records { serials: 0, records: SmallVec::new() }
    }
}

impl<D> Records<D> {
    /// Where the record of `key` is, if its timer still runs.
    pub fn find(&self, key: &Key, now: Time) -> Option<usize> {
        self.records.iter().position(|record| record.key == *key && now < record.expires)
    }

    /// The record at a place that [`find`](Records::find) or [`place`](Records::place) gave.
    pub fn at(&mut self, index: usize) -> &mut Record<D> {
        &mut self.records[index]
    }

    /// The record a request was delivered from, if it is still the same.
    pub fn of_request(&mut self, request: RequestHandle, now: Time) -> Option<(usize, &mut Record<D>)> {
        let index = usize::from(request.record);
        let record = self.records.get_mut(index)?;
        (record.serial == request.serial && now < record.expires).then_some((index, record))
    }

    /// A handle of the record at `index`.
    pub fn request(&self, index: usize) -> RequestHandle {
        RequestHandle { record: index as u16, serial: self.records[index].serial }
    }

    /// Puts `record` in the place of an older message of its key, or in a free one of `limit`; `None` when all
    /// are in use.
    pub fn place(&mut self, older: Option<usize>, mut record: Record<D>, limit: u16, now: Time) -> Option<usize> {
        self.serials = self.serials.wrapping_add(1);
        record.serial = self.serials;
        // those whose time is over first, so that a node that seldom hears anything keeps few
        let index = older
            .or_else(|| self.records.iter().position(|old| old.expires <= now))
            .or_else(|| (self.records.len() < usize::from(limit)).then_some(self.records.len()))?;
        if index == self.records.len() {
            self.records.push(record);
        } else {
            self.records[index] = record;
        }
        Some(index)
    }

    /// Frees the record at `index` before its time.
    pub fn free(&mut self, index: usize) {
        self.records[index].expires = Time::ZERO;
    }
}
