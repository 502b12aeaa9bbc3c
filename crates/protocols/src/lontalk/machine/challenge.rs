//! The authentication exchange: a receiver challenges the sender of a message, and the sender replies.

use sojourn_core::Time;

use super::Active;
use super::addressing::Scope;
use super::configuration::NodeConfiguration;
use super::counters::Counter;
use super::output::{Output, Purpose, Ticket};
use super::receive::Headers;
use super::receive_record::{Authentication, Key};
use super::response::responder;
use crate::UserData;
use crate::lontalk::authentication;
use crate::lontalk::wire::{APDU_LIMIT, Apdu, AuthKind, AuthPdu, Body, Destination, Link, Packet};

/// The reply of a sender with the node's key; `None` for an APDU that no packet could hold.
fn expected_reply<D: UserData>(node: &NodeConfiguration, challenge: [u8; 8], apdu: &Apdu<D>) -> Option<[u8; 8]> {
    apdu.check().ok()?;
    let mut buffer = [0; APDU_LIMIT];
    Some(authentication::reply(&node.settings.key, challenge, apdu.bytes(&mut buffer)))
}

impl<D: UserData> Active<D> {
    /// Challenges the sender of a record's message, with the same value if it was challenged before.
    pub(super) fn send_challenge(&mut self, node: &NodeConfiguration, index: usize) {
        let record = self.records.at(index);
        let Authentication::Challenged(value) = record.authentication else { return };
        let packet = Packet {
            link: Link { priority: record.key.priority, alternate_path: record.alternate_path, delta_backlog: 0 },
            domain: record.key.domain,
            source: node.address,
            destination: record.key.scope.response_destination(node, record.key.source),
            body: Body::Authentication(AuthPdu {
                original: record.key.scope.original(),
                transaction: record.number,
                kind: AuthKind::Challenge,
                value,
            }),
        };
        let (ticket, purpose) = (Ticket::NONE, Purpose::Challenge);
        self.outputs.push_back(Output::Transmit { ticket, packet, purpose, attempt: 0 });
    }

    /// A challenge to a message of this node was received.
    pub(super) fn receive_challenge(&mut self, now: Time, node: &NodeConfiguration, headers: &Headers, pdu: &AuthPdu) {
        let priority = headers.link.priority;
        // only a possible responder may challenge
        let Some(transaction) = self.transactions[usize::from(priority)].as_ref().filter(|transaction| {
            transaction.message.is_authenticated()
                && transaction.number == pdu.transaction
                && transaction.scope().original() == pdu.original
                && responder(transaction, headers).is_some()
        }) else {
            return;
        };
        let Some(value) = expected_reply(node, pdu.value, &transaction.message.apdu) else { return };
        let packet = Packet {
            link: Link { delta_backlog: 0, ..headers.link },
            domain: headers.domain,
            source: node.address,
            destination: Destination::Node(headers.source),
            body: Body::Authentication(AuthPdu { kind: AuthKind::Reply, value, ..*pdu }),
        };
        let reply = transaction.transmit(packet, Purpose::Reply);
        self.emit(reply);
        self.note_waiting(priority);
        self.restart_timer(now, priority);
    }

    /// A reply to a challenge was received.
    pub(super) fn receive_reply(&mut self, now: Time, node: &NodeConfiguration, headers: &Headers, pdu: &AuthPdu) {
        let Some(scope) = Scope::of_original(pdu.original) else { return };
        let key = Key { priority: headers.link.priority, source: headers.source, scope, domain: headers.domain };
        let Some(index) = self.records.find(&key, now) else { return };
        let record = self.records.at(index);
        let Authentication::Challenged(challenge) = record.authentication else { return };
        if record.number != pdu.transaction {
            return;
        }
        if expected_reply(node, challenge, &record.apdu) != Some(pdu.value) {
            self.counters.count(Counter::AuthenticationFailures);
            return;
        }
        record.authentication = Authentication::Authenticated;
        self.deliver(node, headers, index);
    }
}
