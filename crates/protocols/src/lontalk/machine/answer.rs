//! Acknowledgements and responses: those this node gives, and those it gets.

use sojourn_core::Time;

use super::Active;
use super::configuration::NodeConfiguration;
use super::counters::Counter;
use super::message::{Recipient, Service};
use super::output::{Output, Purpose, RequestHandle, Ticket};
use super::receive::Arrival;
use super::transaction::Transaction;
use crate::UserData;
use crate::lontalk::wire::{Apdu, Body, Destination, Link, Numbering, Packet, Spdu, Tpdu};

/// Whose answer a packet is, if it answers the transaction.
pub(super) enum Answer {
    /// Of the one that is needed.
    Only,
    /// Of this member of the group.
    Member(u8),
}

impl<D: UserData> Active<D> {
    /// Acknowledges the message of a record.
    pub(super) fn acknowledge(&mut self, node: &NodeConfiguration, index: usize) {
        self.send_answer(node, index, Purpose::Acknowledgement, |numbering| {
            Body::Transport(numbering, Tpdu::Acknowledgement)
        });
    }

    /// Answers a duplicate as its original was answered, if it was.
    pub(super) fn answer_again(&mut self, node: &NodeConfiguration, index: usize) {
        let record = self.records.at(index);
        match (record.service, record.response.clone()) {
            (Service::Acknowledged, _) => self.acknowledge(node, index),
            (Service::Request, Some(response)) => self.send_response(node, index, response),
            _ => {}
        }
    }

    /// The application answers a request.
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
        self.send_answer(node, index, Purpose::Response, |numbering| Body::Session(numbering, Spdu::Response(apdu)));
    }

    fn send_answer(
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
            destination: record.key.scope.answer_to(node, record.key.source),
            body: body(Numbering { authenticated: false, transaction: record.number }),
        };
        self.outputs.push_back(Output::Transmit { ticket: Ticket::NONE, packet, purpose, attempt: 0 });
    }

    /// An acknowledgement came in, or with an APDU a response.
    pub(super) fn receive_answer(
        &mut self,
        node: &NodeConfiguration,
        arrival: &Arrival,
        numbering: Numbering,
        apdu: Option<Apdu<D>>,
    ) {
        let priority = arrival.link.priority;
        let service = if apdu.is_some() { Service::Request } else { Service::Acknowledged };
        let open = self.transactions[usize::from(priority)].as_mut().filter(|transaction| {
            transaction.message.service == service && transaction.number == numbering.transaction
        });
        let Some((transaction, answer)) = open.and_then(|transaction| {
            let answer = answer_to(transaction, arrival)?;
            Some((transaction, answer))
        }) else {
            self.counters.count(Counter::LateAcknowledgements);
            return;
        };
        if apdu.is_some() && !arrival.application_buffer {
            self.counters.count(Counter::LostMessages);
            return;
        }
        let is_new = match answer {
            Answer::Only => transaction.answered.insert(0),
            Answer::Member(member) => transaction.answered.insert(member),
        };
        if !is_new {
            return;
        }
        if let Some(apdu) = apdu {
            let reference = transaction.reference;
            self.emit(Output::Response { reference, source: arrival.source, apdu });
        }
        self.finish_if_answered(node, priority);
    }
}

/// Whether the packet's addresses make it an answer to the transaction, and whose.
pub(super) fn answer_to<D>(transaction: &Transaction<D>, arrival: &Arrival) -> Option<Answer> {
    match (transaction.message.recipient, arrival.destination) {
        (Recipient::Node(node), Destination::Node(_)) => (arrival.source == node).then_some(Answer::Only),
        (Recipient::UniqueId { .. }, Destination::Node(_)) => Some(Answer::Only),
        (Recipient::Broadcast { subnet, .. }, Destination::Node(_)) => {
            (subnet == 0 || subnet == arrival.source.subnet).then_some(Answer::Only)
        }
        (Recipient::Group { group, .. }, Destination::GroupAcknowledgement { group: answered, member, .. }) => {
            (group == answered).then_some(Answer::Member(member))
        }
        _ => None,
    }
}
