//! Outgoing transactions: the first try, retries when the transaction timer expires, and completion.

use std::hint::cold_path;

use sojourn_core::{Duration, Time};

use super::Active;
use super::addressing::Scope;
use super::configuration::{NodeConfiguration, TimerStart};
use super::counters::Counter;
use super::message::{Message, Outcome, Recipient, Refusal, Service};
use super::output::{Output, Purpose, Ticket};
use super::timers::Timer;
use crate::UserData;
use crate::lontalk::wire::{Body, Link, Members, Numbering, Packet, Spdu, Tpdu};

/// Delta backlog of a broadcast whose number of responses is unknown.
const BROADCAST_BACKLOG: u8 = 15;
/// Maximum delta backlog (six bits).
const LARGEST_BACKLOG: u8 = 63;
/// Maximum length of the member list of a REM/MSG in bytes; a longer list is sent as a REMINDER.
const REMINDER_MESSAGE_LIST: usize = 2;

/// The open transaction of a priority class.
#[derive(Clone, Debug)]
pub(super) struct Transaction<D> {
    pub message: Message<D>,
    pub reference: u32,
    pub ticket: Ticket,
    pub number: u8,
    pub responded: Members,
    /// Responses needed to complete, 0 for repeated service.
    expected: u8,
    retries_left: u8,
    period: Duration,
    /// Packets passed to the driver and not reported as transmitted.
    waiting: u8,
}

impl<D: UserData> Transaction<D> {
    /// Responses still missing.
    pub fn missing(&self) -> u8 {
        self.expected.saturating_sub(self.responded.count())
    }

    pub fn scope(&self) -> Scope {
        Scope::of(&self.message.recipient.destination())
    }

    fn retries_made(&self) -> u8 {
        self.message.retries - self.retries_left
    }

    fn is_first_try(&self) -> bool {
        self.retries_made() == 0
    }

    fn link(&self) -> Link {
        Link {
            priority: self.message.priority,
            alternate_path: self.message.service.expects_response() && self.retries_left <= 1,
            delta_backlog: self.delta_backlog().min(LARGEST_BACKLOG),
        }
    }

    fn delta_backlog(&self) -> u8 {
        match (self.message.service, self.message.recipient) {
            (Service::UnacknowledgedRepeated, _) if self.is_first_try() => self.message.retries,
            (Service::Unacknowledged | Service::UnacknowledgedRepeated, _) => 0,
            (_, Recipient::Broadcast { backlog: 0, .. }) => BROADCAST_BACKLOG,
            (_, Recipient::Broadcast { backlog, .. }) => backlog,
            (_, Recipient::Group { .. }) => self.missing(),
            (_, Recipient::Node(_) | Recipient::UniqueId { .. }) => 1,
        }
    }

    fn numbering(&self) -> Numbering {
        Numbering { authenticated: self.message.is_authenticated(), transaction: self.number }
    }

    fn packet(&self, node: &NodeConfiguration, link: Link, body: Body<D>) -> Packet<D> {
        Packet {
            link,
            domain: node.settings.domain,
            source: node.address,
            destination: self.message.recipient.destination(),
            body,
        }
    }

    pub fn transmit(&self, packet: Packet<D>, purpose: Purpose) -> Output<D> {
        Output::Transmit { ticket: self.ticket, packet, purpose, attempt: self.retries_made() }
    }

    /// The PDU of a try without reminder.
    fn plain_body(&self) -> Body<D> {
        let apdu = self.message.apdu.clone();
        match self.message.service {
            Service::Unacknowledged => Body::Application(apdu),
            Service::UnacknowledgedRepeated => Body::Transport(self.numbering(), Tpdu::Repeated(apdu)),
            Service::Acknowledged => Body::Transport(self.numbering(), Tpdu::Acknowledged(apdu)),
            Service::Request => Body::Session(self.numbering(), Spdu::Request(apdu)),
        }
    }

    fn reminder_message_body(&self) -> Body<D> {
        let apdu = self.message.apdu.clone();
        if self.message.service == Service::Request {
            Body::Session(self.numbering(), Spdu::ReminderMessage(self.responded, apdu))
        } else {
            Body::Transport(self.numbering(), Tpdu::ReminderMessage(self.responded, apdu))
        }
    }

    fn reminder_body(&self) -> Body<D> {
        if self.message.service == Service::Request {
            Body::Session(self.numbering(), Spdu::Reminder(self.responded))
        } else {
            Body::Transport(self.numbering(), Tpdu::Reminder(self.responded))
        }
    }
}

/// The number of responses that complete a message.
fn responses_expected<D>(node: &NodeConfiguration, message: &Message<D>) -> u8 {
    match message.recipient {
        _ if !message.service.expects_response() => 0,
        Recipient::Group { group, size } => {
            size.saturating_sub(u16::from(node.membership(group).is_some())).min(64) as u8
        }
        _ => 1,
    }
}

impl<D: UserData> Active<D> {
    /// The application sends a message.
    #[inline(never)]
    pub(super) fn send(&mut self, now: Time, node: &NodeConfiguration, reference: u32, message: Message<D>) {
        if let Err(refusal) = self.may_send(&message) {
            self.emit(Output::Finished { reference, outcome: Outcome::Refused(refusal), retries: 0 });
            return;
        }
        if message.service == Service::Unacknowledged {
            self.send_once(node, reference, &message);
        } else {
            self.open(now, node, reference, message);
        }
    }

    fn may_send(&self, message: &Message<D>) -> Result<(), Refusal> {
        message.check()?;
        let busy = self.transactions[usize::from(message.priority)].is_some();
        if busy && message.service != Service::Unacknowledged { Err(Refusal::Busy) } else { Ok(()) }
    }

    fn send_once(&mut self, node: &NodeConfiguration, reference: u32, message: &Message<D>) {
        let packet = Packet {
            link: Link { priority: message.priority, ..Link::default() },
            domain: node.settings.domain,
            source: node.address,
            destination: message.recipient.destination(),
            body: Body::Application(message.apdu.clone()),
        };
        let ticket = self.next_ticket(reference);
        self.emit(Output::Transmit { ticket, packet, purpose: Purpose::Message, attempt: 0 });
        self.emit(Output::Finished { reference, outcome: Outcome::Success, retries: 0 });
    }

    fn next_ticket(&mut self, reference: u32) -> Ticket {
        // 0 marks packets that belong to no message
        self.tickets = self.tickets.wrapping_add(1).max(1);
        Ticket::new(reference, self.tickets)
    }

    fn open(&mut self, now: Time, node: &NodeConfiguration, reference: u32, message: Message<D>) {
        let priority = message.priority;
        let ticket = self.next_ticket(reference);
        self.transactions[usize::from(priority)] = Some(Transaction {
            reference,
            ticket,
            number: self.numbers.take(now, priority, message.recipient.destination()),
            responded: Members::NONE,
            expected: responses_expected(node, &message),
            retries_left: message.retries,
            period: node.settings.transaction_time(message.timer),
            waiting: 0,
            message,
        });
        self.try_once(now, node, priority);
        self.finish_if_complete(node, priority);
    }

    /// Transmits the packets of one try and starts the timer.
    fn try_once(&mut self, now: Time, node: &NodeConfiguration, priority: bool) {
        let Some(transaction) = &mut self.transactions[usize::from(priority)] else { return };
        let link = transaction.link();
        let grouped = matches!(transaction.message.recipient, Recipient::Group { .. });
        let reminds = grouped && transaction.message.service.expects_response() && !transaction.is_first_try();
        let purpose = match transaction.message.service {
            _ if transaction.is_first_try() => Purpose::Message,
            Service::UnacknowledgedRepeated => Purpose::Repetition,
            _ => Purpose::Retry,
        };
        let mut body = transaction.plain_body();
        if reminds && transaction.responded.list_length() <= REMINDER_MESSAGE_LIST {
            cold_path();
            body = transaction.reminder_message_body();
        } else if reminds {
            cold_path();
            let link = Link { delta_backlog: 0, ..link };
            let packet = transaction.packet(node, link, transaction.reminder_body());
            transaction.waiting = transaction.waiting.saturating_add(1);
            self.outputs.push_back(transaction.transmit(packet, Purpose::Reminder));
        }
        let packet = transaction.packet(node, link, body);
        transaction.waiting = transaction.waiting.saturating_add(1);
        self.outputs.push_back(transaction.transmit(packet, purpose));
        match node.settings.transaction_timer_starts {
            TimerStart::HandOff => self.restart_timer(now, priority),
            TimerStart::AfterTransmission => self.timers.stop(Timer::of_class(priority)),
        }
    }

    /// Restarts the transaction timer of the class at `now`.
    pub(super) fn restart_timer(&mut self, now: Time, priority: bool) {
        if let Some(transaction) = &self.transactions[usize::from(priority)] {
            self.timers.set(Timer::of_class(priority), now + transaction.period);
        }
    }

    /// Another packet of the transaction waits for transmission.
    pub(super) fn note_waiting(&mut self, priority: bool) {
        if let Some(transaction) = &mut self.transactions[usize::from(priority)] {
            transaction.waiting = transaction.waiting.saturating_add(1);
        }
    }

    /// A packet of an open transaction has been transmitted or dropped by the driver.
    pub(super) fn transmitted(&mut self, now: Time, node: &NodeConfiguration, ticket: Ticket) {
        for priority in [false, true] {
            let Some(transaction) = &mut self.transactions[usize::from(priority)] else { continue };
            if transaction.ticket == ticket {
                transaction.waiting = transaction.waiting.saturating_sub(1);
                if node.settings.transaction_timer_starts == TimerStart::AfterTransmission {
                    self.restart_timer(now, priority);
                }
                return;
            }
        }
    }

    /// The transaction timer of the class expired.
    #[inline(never)]
    pub(super) fn expire(&mut self, now: Time, node: &NodeConfiguration, priority: bool) {
        self.timers.stop(Timer::of_class(priority));
        let Some(transaction) = &mut self.transactions[usize::from(priority)] else { return };
        let needs_response = transaction.message.service.expects_response();
        if transaction.retries_left == 0 {
            let outcome = if needs_response { Outcome::Failure } else { Outcome::Success };
            self.finish(node, priority, outcome);
            return;
        }
        transaction.retries_left -= 1;
        if needs_response {
            self.counters.count(Counter::Retries);
        }
        self.try_once(now, node, priority);
    }

    /// Completes the transaction of the class if all responses have been received.
    pub(super) fn finish_if_complete(&mut self, node: &NodeConfiguration, priority: bool) {
        if let Some(transaction) = &self.transactions[usize::from(priority)]
            && transaction.message.service.expects_response()
            && transaction.missing() == 0
        {
            self.finish(node, priority, Outcome::Success);
        }
    }

    fn finish(&mut self, node: &NodeConfiguration, priority: bool, outcome: Outcome) {
        self.timers.stop(Timer::of_class(priority));
        let Some(transaction) = self.transactions[usize::from(priority)].take() else { return };
        if outcome == Outcome::Failure {
            self.counters.count(Counter::TransactionTimeouts);
        } else if node.settings.withdraw && transaction.waiting > 0 {
            self.emit(Output::Withdraw { ticket: transaction.ticket });
        }
        // what is sent several times in any case is not retried
        let retries = if transaction.message.service.expects_response() { transaction.retries_made() } else { 0 };
        self.emit(Output::Finished { reference: transaction.reference, outcome, retries });
    }
}
