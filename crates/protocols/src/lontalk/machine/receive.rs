//! Incoming packets: which of them are messages, which messages are duplicates, and delivery.
//!
//! A message is answered only after a receive record and an application buffer were found for it.

use std::hint::cold_path;

use sojourn_core::{Duration, Time};

use super::Active;
use super::addressing::Scope;
use super::configuration::NodeConfiguration;
use super::counters::Counter;
use super::message::Service;
use super::output::{Delivery, Output};
use super::records::{Identity, Key, Record};
use crate::UserData;
use crate::lontalk::wire::{
    Apdu, AuthKind, Body, Destination, Domain, Link, Members, Numbering, Packet, Spdu, SubnetNode, Tpdu,
};

/// Messages found by unique id are remembered for a fixed time.
const UNIQUE_ID_RECEIVE_TIME: Duration = Duration::from_millis(8192);

/// A packet's headers, and what the driver said with it.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub link: Link,
    pub domain: Domain,
    pub source: SubnetNode,
    pub destination: Destination,
    pub application_buffer: bool,
    pub challenge: [u8; 8],
}

impl Arrival {
    fn key(&self) -> Key {
        Key {
            priority: self.link.priority,
            source: self.source,
            scope: Scope::of(&self.destination),
            domain: self.domain,
        }
    }
}

impl<D: UserData> Active<D> {
    /// A packet for this node came in.
    #[inline(never)]
    pub(super) fn receive(
        &mut self,
        now: Time,
        node: &NodeConfiguration,
        packet: Packet<D>,
        application_buffer: bool,
        challenge: [u8; 8],
    ) {
        let Packet { link, domain, source, destination, body } = packet;
        let arrival = Arrival { link, domain, source, destination, application_buffer, challenge };
        match body {
            Body::Application(apdu) => self.receive_unacknowledged(&arrival, apdu),
            Body::Transport(numbering, pdu) => self.receive_transport(now, node, &arrival, numbering, pdu),
            Body::Session(numbering, pdu) => self.receive_session(now, node, &arrival, numbering, pdu),
            Body::Authentication(pdu) => match pdu.kind {
                AuthKind::Challenge => self.receive_challenge(now, node, &arrival, &pdu),
                AuthKind::Reply => self.receive_reply(now, node, &arrival, &pdu),
            },
        }
    }

    fn receive_transport(
        &mut self,
        now: Time,
        node: &NodeConfiguration,
        arrival: &Arrival,
        numbering: Numbering,
        pdu: Tpdu<D>,
    ) {
        match pdu {
            Tpdu::Acknowledged(apdu) => {
                self.receive_message(now, node, arrival, numbering, Service::Acknowledged, apdu);
            }
            Tpdu::Repeated(apdu) => {
                self.receive_message(now, node, arrival, numbering, Service::UnacknowledgedRepeated, apdu);
            }
            Tpdu::ReminderMessage(members, apdu) => {
                if !is_listed(node, arrival, members) {
                    self.receive_message(now, node, arrival, numbering, Service::Acknowledged, apdu);
                }
            }
            Tpdu::Reminder(members) => self.receive_reminder(now, node, arrival, numbering, members),
            Tpdu::Acknowledgement => self.receive_answer(node, arrival, numbering, None),
        }
    }

    fn receive_session(
        &mut self,
        now: Time,
        node: &NodeConfiguration,
        arrival: &Arrival,
        numbering: Numbering,
        pdu: Spdu<D>,
    ) {
        match pdu {
            Spdu::Request(apdu) => self.receive_message(now, node, arrival, numbering, Service::Request, apdu),
            Spdu::ReminderMessage(members, apdu) => {
                if !is_listed(node, arrival, members) {
                    self.receive_message(now, node, arrival, numbering, Service::Request, apdu);
                }
            }
            Spdu::Reminder(members) => self.receive_reminder(now, node, arrival, numbering, members),
            Spdu::Response(apdu) => self.receive_answer(node, arrival, numbering, Some(apdu)),
        }
    }

    fn receive_unacknowledged(&mut self, arrival: &Arrival, apdu: Apdu<D>) {
        if !arrival.application_buffer {
            self.counters.count(Counter::LostMessages);
            return;
        }
        self.emit(Output::Deliver(Delivery {
            source: arrival.source,
            destination: arrival.destination,
            service: Service::Unacknowledged,
            priority: arrival.link.priority,
            authenticated: false,
            apdu,
            request: None,
        }));
    }

    /// A member whose answer has arrived need not answer the message that follows.
    fn receive_reminder(
        &mut self,
        now: Time,
        node: &NodeConfiguration,
        arrival: &Arrival,
        numbering: Numbering,
        members: Members,
    ) {
        if is_listed(node, arrival, members)
            && let Some(index) = self.records.find(&arrival.key(), now)
        {
            let record = self.records.at(index);
            if record.number == numbering.transaction && record.service.expects_response() {
                record.muted = true;
            }
        }
    }

    fn receive_message(
        &mut self,
        now: Time,
        node: &NodeConfiguration,
        arrival: &Arrival,
        numbering: Numbering,
        service: Service,
        apdu: Apdu<D>,
    ) {
        let key = arrival.key();
        let known = self.records.find(&key, now);
        if let Some(index) = known {
            let record = self.records.at(index);
            if record.number == numbering.transaction && record.service == service && record.apdu == apdu {
                self.receive_duplicate(node, arrival, index);
                return;
            }
        }
        let asks = numbering.authenticated && !matches!(key.scope, Scope::Broadcast(_));
        let record = Record {
            key,
            number: numbering.transaction,
            service,
            apdu,
            identity: if asks { Identity::Asked(arrival.challenge) } else { Identity::NotAsked },
            delivered: false,
            muted: false,
            alternate_path: arrival.link.alternate_path,
            response: None,
            expires: now + receive_time(node, key.scope),
            serial: 0,
        };
        match self.records.place(known, record, node.settings.receive_records, now) {
            None => self.counters.count(Counter::ReceiveTransactionFull),
            Some(index) if asks => self.send_challenge(node, index),
            Some(index) => self.deliver(node, arrival, index),
        }
    }

    fn receive_duplicate(&mut self, node: &NodeConfiguration, arrival: &Arrival, index: usize) {
        self.counters.count(Counter::Duplicates);
        let record = self.records.at(index);
        record.alternate_path = arrival.link.alternate_path;
        if std::mem::take(&mut record.muted) {
            return;
        }
        match (record.identity, record.delivered) {
            (Identity::Asked(_), _) => self.send_challenge(node, index),
            (_, false) => self.deliver(node, arrival, index),
            (_, true) => self.answer_again(node, index),
        }
    }

    /// Hands the message of a record to the application and acknowledges it, if there is a buffer for it.
    pub(super) fn deliver(&mut self, node: &NodeConfiguration, arrival: &Arrival, index: usize) {
        let request = self.records.request(index);
        let record = self.records.at(index);
        if !arrival.application_buffer {
            cold_path();
            self.counters.count(Counter::LostMessages);
            // a proven sender need not prove itself again when it retries
            if record.identity != Identity::Proven {
                self.records.free(index);
            }
            return;
        }
        record.delivered = true;
        let delivery = Delivery {
            source: record.key.source,
            destination: destination_of(node, &record.key),
            service: record.service,
            priority: record.key.priority,
            authenticated: record.identity == Identity::Proven,
            apdu: record.apdu.clone(),
            request: (record.service == Service::Request).then_some(request),
        };
        self.outputs.push_back(Output::Deliver(delivery));
        if self.records.at(index).service == Service::Acknowledged {
            self.acknowledge(node, index);
        }
    }
}

/// How the message of a record was addressed.
fn destination_of(node: &NodeConfiguration, key: &Key) -> Destination {
    match key.scope {
        Scope::Broadcast(subnet) => Destination::Broadcast { subnet },
        Scope::Group(group) => Destination::Group { group },
        Scope::Node => Destination::Node(node.address),
        Scope::UniqueId => Destination::UniqueId { subnet: 0, id: node.unique_id },
    }
}

/// Whether this node is among the `members` of the group the packet is for.
fn is_listed(node: &NodeConfiguration, arrival: &Arrival, members: Members) -> bool {
    let Destination::Group { group } = arrival.destination else { return false };
    node.membership(group).is_some_and(|membership| members.contains(membership.member))
}

fn receive_time(node: &NodeConfiguration, scope: Scope) -> Duration {
    match scope {
        Scope::UniqueId => UNIQUE_ID_RECEIVE_TIME,
        Scope::Group(group) => {
            node.membership(group).map_or(node.settings.receive_timer, |membership| membership.receive_timer).duration()
        }
        Scope::Broadcast(_) | Scope::Node => node.settings.receive_timer.duration(),
    }
}
