//! The table of receive records, by which a node detects duplicates.

use smallvec::SmallVec;
use sojourn_core::Time;

use super::addressing::Scope;
use super::message::Service;
use super::output::RequestHandle;
use crate::lontalk::wire::{Apdu, Domain, SubnetNode};

/// The key of a receive record: one per source, destination and priority class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub priority: bool,
    pub source: SubnetNode,
    pub scope: Scope,
    pub domain: Domain,
}

/// A received message, kept until its receive timer expires.
#[derive(Clone, Debug)]
pub(super) struct ReceiveRecord<D> {
    pub key: Key,
    pub number: u8,
    pub service: Service,
    pub apdu: Apdu<D>,
    pub authentication: Authentication,
    pub delivered: bool,
    /// A REMINDER listed this node's response as received: the next duplicate gets no response.
    pub suppressed: bool,
    pub alternate_path: bool,
    pub response: Option<Apdu<D>>,
    pub expires: Time,
    pub serial: u32,
}

/// The authentication state of a message's sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Authentication {
    /// The message is not authenticated.
    NotRequired,
    /// It was challenged with this value.
    Challenged([u8; 8]),
    /// Its reply was correct.
    Authenticated,
}

/// The table of receive records of a node.
#[derive(Clone, Debug)]
pub(super) struct ReceiveRecords<D> {
    serials: u32,
    /// Most of thousands of nodes receive from one other, whose record then needs no allocation.
    records: SmallVec<[ReceiveRecord<D>; 1]>,
}

impl<D> Default for ReceiveRecords<D> {
    fn default() -> Self {
        ReceiveRecords { serials: 0, records: SmallVec::new() }
    }
}

impl<D> ReceiveRecords<D> {
    /// A table without records, whose serial numbers go on.
    pub fn emptied(&self) -> Self {
        ReceiveRecords { serials: self.serials, records: SmallVec::new() }
    }

    /// The index of the record of `key`, if its receive timer still runs.
    pub fn find(&self, key: &Key, now: Time) -> Option<usize> {
        self.records.iter().position(|record| record.key == *key && now < record.expires)
    }

    /// The record at an index returned by [`find`](ReceiveRecords::find) or [`insert`](ReceiveRecords::insert).
    pub fn at(&mut self, index: usize) -> &mut ReceiveRecord<D> {
        &mut self.records[index]
    }

    /// The record of a delivered request, if it is still valid.
    pub fn of_request(&mut self, request: RequestHandle, now: Time) -> Option<(usize, &mut ReceiveRecord<D>)> {
        let index = usize::from(request.record);
        let record = self.records.get_mut(index)?;
        (record.serial == request.serial && now < record.expires).then_some((index, record))
    }

    /// The handle of the record at `index`.
    pub fn request(&self, index: usize) -> RequestHandle {
        RequestHandle { record: index as u16, serial: self.records[index].serial }
    }

    /// Replaces an older record of the same key by `record`, or uses a free one of `limit`; `None` if all are in use.
    pub fn insert(
        &mut self,
        older: Option<usize>,
        mut record: ReceiveRecord<D>,
        limit: u16,
        now: Time,
    ) -> Option<usize> {
        self.serials = self.serials.wrapping_add(1);
        record.serial = self.serials;
        // expired records first, so that a node with little traffic keeps few
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

    /// Frees the record at `index` before its receive timer expires.
    pub fn free(&mut self, index: usize) {
        self.records[index].expires = Time::ZERO;
    }
}
