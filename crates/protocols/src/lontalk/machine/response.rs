//! Acknowledgements and responses, sent and received.

use sojourn_core::Time;

use super::Active;
use super::configuration::NodeConfiguration;
use super::counters::Counter;
use super::message::{Recipient, Service};
use super::output::{Output, Purpose, RequestHandle, Ticket};
use super::receive::Headers;
use super::transaction::Transaction;
use crate::UserData;
use crate::lontalk::wire::{Apdu, Body, Destination, Link, Numbering, Packet, Spdu, Tpdu};

/// The sender of a response to the transaction.
#[derive(Clone)]
pub(super) enum Responder {
    /// The only recipient whose response is needed.
    Only,
    /// This member of the group.
    Member(u8),
}

impl<D: UserData> Active<D> {
    /// Acknowledges the message of a record.
    pub(super) fn acknowledge(&mut self, node: &NodeConfiguration, index: usize) {
        self.send_to_source(node, index, Purpose::Acknowledgement, |numbering| {
            Body::Transport(numbering, Tpdu::Acknowledgement)
        });
    }

    /// Repeats the response to a duplicate, if there was one.
    pub(super) fn repeat_response(&mut self, node: &NodeConfiguration, index: usize) {
        let record = self.records.at(index);
        match (record.service, record.response.clone()) {
            (Service::Acknowledged, _) => self.acknowledge(node, index),
            (Service::Request, Some(response)) => self.send_response(node, index, response),
            _ => {}
        }
    }

    /// The application responds to a request.
    pub(super) fn respond(&mut self, now: Time, node: &NodeConfiguration, request: RequestHandle, apdu: Apdu<D>) {
        match self.records.of_request(request, now) {
            Some((index, record)) if record.service == Service::Request && record.response.is_none() => {
                record.response = Some(apdu.clone());
                self.send_response(node, index, apdu);
            }
            _ => self.counters.count(Counter::LateResponses),
        }
    }

    fn send_response(&mut self, node: &NodeConfiguration, index: usize, apdu: Apdu<D>) {
        self.send_to_source(node, index, Purpose::Response, |numbering| Body::Session(numbering, Spdu::Response(apdu)));
    }

    fn send_to_source(
        &mut self,
        node: &NodeConfiguration,
        index: usize,
        purpose: Purpose,
        body: impl FnOnce(Numbering) -> Body<D>,
    ) {
        let record = self.records.at(index);
        let packet = Packet {
            link: Link { priority: record.key.priority, alternate_path: record.alternate_path, delta_backlog: 0 },
            domain: record.key.domain,
            source: node.address,
            destination: record.key.scope.response_destination(node, record.key.source),
            body: body(Numbering { authenticated: false, transaction: record.number }),
        };
        self.outputs.push_back(Output::Transmit { ticket: Ticket::NONE, packet, purpose, attempt: 0 });
    }

    /// An acknowledgement was received, or with an APDU a response.
    pub(super) fn receive_response(
        &mut self,
        node: &NodeConfiguration,
        headers: &Headers,
        numbering: Numbering,
        apdu: Option<Apdu<D>>,
    ) {
        let priority = headers.link.priority;
        let service = if apdu.is_some() { Service::Request } else { Service::Acknowledged };
        let open = self.transactions[usize::from(priority)].as_mut().filter(|transaction| {
            transaction.message.service == service && transaction.number == numbering.transaction
        });
        let Some((transaction, responder)) = open.and_then(|transaction| {
            let responder = responder(transaction, headers)?;
            Some((transaction, responder))
        }) else {
            self.counters.count(Counter::LateAcknowledgements);
            return;
        };
        if apdu.is_some() && !headers.application_buffer {
            self.counters.count(Counter::LostMessages);
            return;
        }
        let is_new = match responder {
            Responder::Only => transaction.responded.insert(0),
            Responder::Member(member) => transaction.responded.insert(member),
        };
        if !is_new {
            return;
        }
        if let Some(apdu) = apdu {
            let reference = transaction.reference;
            self.emit(Output::Response { reference, source: headers.source, apdu });
        }
        self.finish_if_complete(node, priority);
    }
}

/// The responder if the packet's addresses make it a response to the transaction.
pub(super) fn responder<D>(transaction: &Transaction<D>, headers: &Headers) -> Option<Responder> {
    match (transaction.message.recipient, headers.destination) {
        (Recipient::Node(node), Destination::Node(_)) => (headers.source == node).then_some(Responder::Only),
        (Recipient::UniqueId { .. }, Destination::Node(_)) => Some(Responder::Only),
        (Recipient::Broadcast { subnet, .. }, Destination::Node(_)) => {
            (subnet == 0 || subnet == headers.source.subnet).then_some(Responder::Only)
        }
        (Recipient::Group { group, .. }, Destination::GroupAcknowledgement { group: responding, member, .. }) => {
            (group == responding).then_some(Responder::Member(member))
        }
        _ => None,
    }
}
