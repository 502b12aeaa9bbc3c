//! Incoming packets: dispatch, duplicate detection, and delivery.
//!
//! A message is acknowledged only if there is a receive record and an application buffer for it.

use std::hint::cold_path;

use sojourn_core::{Duration, Time};

use super::Active;
use super::addressing::Scope;
use super::configuration::NodeConfiguration;
use super::counters::Counter;
use super::message::Service;
use super::output::{Delivery, Output};
use super::receive_record::{Authentication, Key, ReceiveRecord};
use crate::UserData;
use crate::lontalk::wire::{
    Apdu, AuthKind, Body, Destination, Domain, Link, Members, Numbering, Packet, Spdu, SubnetNode, Tpdu,
};

/// Receive timer of messages addressed by unique id.
const UNIQUE_ID_RECEIVE_TIME: Duration = Duration::from_millis(8192);

/// A packet's headers, and the driver's input with it.
#[derive(Clone, Copy)]
pub(super) struct Headers {
    pub link: Link,
    pub domain: Domain,
    pub source: SubnetNode,
    pub destination: Destination,
    pub application_buffer: bool,
    pub challenge: [u8; 8],
}

impl Headers {
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
    /// A packet for this node was received.
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
        let headers = Headers { link, domain, source, destination, application_buffer, challenge };
        match body {
            Body::Application(apdu) => self.receive_unacknowledged(&headers, apdu),
            Body::Transport(numbering, pdu) => self.receive_transport(now, node, &headers, numbering, pdu),
            Body::Session(numbering, pdu) => self.receive_session(now, node, &headers, numbering, pdu),
            Body::Authentication(pdu) => match pdu.kind {
                AuthKind::Challenge => self.receive_challenge(now, node, &headers, &pdu),
                AuthKind::Reply => self.receive_reply(now, node, &headers, &pdu),
            },
        }
    }

    fn receive_transport(
        &mut self,
        now: Time,
        node: &NodeConfiguration,
        headers: &Headers,
        numbering: Numbering,
        pdu: Tpdu<D>,
    ) {
        match pdu {
            Tpdu::Acknowledged(apdu) => {
                self.receive_message(now, node, headers, numbering, Service::Acknowledged, apdu);
            }
            Tpdu::Repeated(apdu) => {
                self.receive_message(now, node, headers, numbering, Service::UnacknowledgedRepeated, apdu);
            }
            Tpdu::ReminderMessage(members, apdu) => {
                if !is_listed(node, headers, members) {
                    self.receive_message(now, node, headers, numbering, Service::Acknowledged, apdu);
                }
            }
            Tpdu::Reminder(members) => self.receive_reminder(now, node, headers, numbering, members),
            Tpdu::Acknowledgement => self.receive_response(node, headers, numbering, None),
        }
    }

    fn receive_session(
        &mut self,
        now: Time,
        node: &NodeConfiguration,
        headers: &Headers,
        numbering: Numbering,
        pdu: Spdu<D>,
    ) {
        match pdu {
            Spdu::Request(apdu) => self.receive_message(now, node, headers, numbering, Service::Request, apdu),
            Spdu::ReminderMessage(members, apdu) => {
                if !is_listed(node, headers, members) {
                    self.receive_message(now, node, headers, numbering, Service::Request, apdu);
                }
            }
            Spdu::Reminder(members) => self.receive_reminder(now, node, headers, numbering, members),
            Spdu::Response(apdu) => self.receive_response(node, headers, numbering, Some(apdu)),
        }
    }

    fn receive_unacknowledged(&mut self, headers: &Headers, apdu: Apdu<D>) {
        if !headers.application_buffer {
            self.counters.count(Counter::LostMessages);
            return;
        }
        self.emit(Output::Deliver(Delivery {
            source: headers.source,
            destination: headers.destination,
            service: Service::Unacknowledged,
            priority: headers.link.priority,
            authenticated: false,
            apdu,
            request: None,
        }));
    }

    /// A listed member need not respond to the message that follows.
    fn receive_reminder(
        &mut self,
        now: Time,
        node: &NodeConfiguration,
        headers: &Headers,
        numbering: Numbering,
        members: Members,
    ) {
        if is_listed(node, headers, members)
            && let Some(index) = self.records.find(&headers.key(), now)
        {
            let record = self.records.at(index);
            if record.number == numbering.transaction && record.service.expects_response() {
                record.suppressed = true;
            }
        }
    }

    fn receive_message(
        &mut self,
        now: Time,
        node: &NodeConfiguration,
        headers: &Headers,
        numbering: Numbering,
        service: Service,
        apdu: Apdu<D>,
    ) {
        let key = headers.key();
        let known = self.records.find(&key, now);
        if let Some(index) = known {
            let record = self.records.at(index);
            if record.number == numbering.transaction && record.service == service && record.apdu == apdu {
                self.receive_duplicate(node, headers, index);
                return;
            }
        }
        let challenge = numbering.authenticated && !matches!(key.scope, Scope::Broadcast(_));
        let record = ReceiveRecord {
            key,
            number: numbering.transaction,
            service,
            apdu,
            authentication: if challenge {
                Authentication::Challenged(headers.challenge)
            } else {
                Authentication::NotRequired
            },
            delivered: false,
            suppressed: false,
            alternate_path: headers.link.alternate_path,
            response: None,
            expires: now + receive_time(node, key.scope),
            serial: 0,
        };
        match self.records.insert(known, record, node.settings.receive_records, now) {
            None => self.counters.count(Counter::ReceiveTransactionFull),
            Some(index) if challenge => self.send_challenge(node, index),
            Some(index) => self.deliver(node, headers, index),
        }
    }

    fn receive_duplicate(&mut self, node: &NodeConfiguration, headers: &Headers, index: usize) {
        self.counters.count(Counter::Duplicates);
        let record = self.records.at(index);
        record.alternate_path = headers.link.alternate_path;
        if std::mem::take(&mut record.suppressed) {
            return;
        }
        match (record.authentication, record.delivered) {
            (Authentication::Challenged(_), _) => self.send_challenge(node, index),
            (_, false) => self.deliver(node, headers, index),
            (_, true) => self.repeat_response(node, index),
        }
    }

    /// Delivers the message of a record to the application and acknowledges it, if there is a buffer for it.
    pub(super) fn deliver(&mut self, node: &NodeConfiguration, headers: &Headers, index: usize) {
        let request = self.records.request(index);
        let record = self.records.at(index);
        if !headers.application_buffer {
            cold_path();
            self.counters.count(Counter::LostMessages);
            // an authenticated sender is not challenged again when it retries
            if record.authentication != Authentication::Authenticated {
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
            authenticated: record.authentication == Authentication::Authenticated,
            apdu: record.apdu.clone(),
            request: (record.service == Service::Request).then_some(request),
        };
        self.outputs.push_back(Output::Deliver(delivery));
        if self.records.at(index).service == Service::Acknowledged {
            self.acknowledge(node, index);
        }
    }
}

/// The destination address of a record's message.
fn destination_of(node: &NodeConfiguration, key: &Key) -> Destination {
    match key.scope {
        Scope::Broadcast(subnet) => Destination::Broadcast { subnet },
        Scope::Group(group) => Destination::Group { group },
        Scope::Node => Destination::Node(node.address),
        Scope::UniqueId => Destination::UniqueId { subnet: 0, id: node.unique_id },
    }
}

/// Whether this node is among the `members` of the group that the packet is addressed to.
fn is_listed(node: &NodeConfiguration, headers: &Headers, members: Members) -> bool {
    let Destination::Group { group } = headers.destination else { return false };
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
