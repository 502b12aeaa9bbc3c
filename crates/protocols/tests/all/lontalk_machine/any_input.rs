//! Any input at any time: nothing panics, and every transaction has completed or is open.

use proptest::prelude::*;
use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::lontalk::machine::*;
use sojourn_protocols::lontalk::timer::TransactionTimer;
use sojourn_protocols::lontalk::wire::*;

use super::channel::*;

#[derive(Clone, Debug)]
enum Step {
    Send(Message<Bytes>),
    Receive(Packet<Bytes>, bool),
    Respond,
    Transmitted,
    Pass(u64),
}

fn node() -> impl Strategy<Value = SubnetNode> {
    (0u8..3, 0u8..4).prop_map(|(subnet, node)| SubnetNode::new(subnet, node))
}

fn apdu() -> impl Strategy<Value = Apdu<Bytes>> {
    prop_oneof![
        (0u8..3).prop_map(|value| Apdu::update(1, vec![value])),
        (0u8..2, 0usize..230).prop_map(|(code, length)| Apdu::explicit(code, vec![0; length])),
    ]
}

fn message() -> impl Strategy<Value = Message<Bytes>> {
    let service = prop::sample::select(vec![
        Service::Unacknowledged,
        Service::UnacknowledgedRepeated,
        Service::Acknowledged,
        Service::Request,
    ]);
    let recipient = prop_oneof![
        node().prop_map(Recipient::Node),
        (0u16..70).prop_map(|size| Recipient::Group { group: 7, size }),
        (0u8..3, 0u8..70).prop_map(|(subnet, backlog)| Recipient::Broadcast { subnet, backlog }),
        (0u8..3).prop_map(|id| Recipient::UniqueId { subnet: 0, id: [9, 9, 9, 9, 9, id] }),
    ];
    (service, recipient, any::<bool>(), any::<bool>(), 0u8..18, 0u8..16, apdu()).prop_map(
        |(service, recipient, priority, authenticated, retries, timer, apdu)| Message {
            service,
            recipient,
            priority,
            authenticated,
            retries,
            timer: TransactionTimer::from_code(timer).unwrap(),
            apdu,
        },
    )
}

fn packet() -> impl Strategy<Value = Packet<Bytes>> {
    let numbering =
        || (any::<bool>(), 0u8..4).prop_map(|(authenticated, transaction)| Numbering { authenticated, transaction });
    let members = || prop_oneof![Just(0u64), any::<u64>()].prop_map(Members::from_bits);
    let original = prop::sample::select(vec![OriginalFormat::Node, OriginalFormat::Group(7), OriginalFormat::UniqueId]);
    let kind = prop::sample::select(vec![AuthKind::Challenge, AuthKind::Reply]);
    let body = prop_oneof![
        (numbering(), apdu()).prop_map(|(n, apdu)| Body::Transport(n, Tpdu::Acknowledged(apdu))),
        (numbering(), apdu()).prop_map(|(n, apdu)| Body::Transport(n, Tpdu::Repeated(apdu))),
        numbering().prop_map(|n| Body::Transport(n, Tpdu::Acknowledgement)),
        (numbering(), members()).prop_map(|(n, members)| Body::Transport(n, Tpdu::Reminder(members))),
        (numbering(), members(), apdu()).prop_map(|(n, m, apdu)| Body::Transport(n, Tpdu::ReminderMessage(m, apdu))),
        (numbering(), apdu()).prop_map(|(n, apdu)| Body::Session(n, Spdu::Request(apdu))),
        (numbering(), apdu()).prop_map(|(n, apdu)| Body::Session(n, Spdu::Response(apdu))),
        (original, 0u8..4, kind).prop_map(|(original, transaction, kind)| {
            Body::Authentication(AuthPdu { original, transaction, kind, value: [1; 8] })
        }),
        apdu().prop_map(Body::Application),
    ];
    let destination = prop_oneof![
        3 => Just(Destination::Node(SubnetNode::new(1, 1))),
        2 => Just(Destination::Group { group: 7 }),
        2 => (0u8..64).prop_map(|member| {
            Destination::GroupAcknowledgement { node: SubnetNode::new(1, 1), group: 7, member }
        }),
        1 => (0u8..3).prop_map(|subnet| Destination::Broadcast { subnet }),
        1 => Just(Destination::UniqueId { subnet: 0, id: [9, 9, 9, 9, 9, 0] }),
    ];
    (any::<bool>(), node(), destination, body).prop_map(|(priority, source, destination, body)| Packet {
        link: Link { priority, ..Link::default() },
        domain: Domain::NONE,
        source,
        destination,
        body,
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => message().prop_map(Step::Send),
        4 => (packet(), any::<bool>()).prop_map(|(packet, buffer)| Step::Receive(packet, buffer)),
        1 => Just(Step::Respond),
        1 => Just(Step::Transmitted),
        2 => (0u64..400).prop_map(Step::Pass),
    ];
    prop::collection::vec(step, 1..80)
}

/// Drives one node and counts transactions started and completed.
struct Driver {
    node: Node<Bytes>,
    now: Time,
    begun: u32,
    ended: u32,
    tickets: Vec<Ticket>,
    requests: Vec<RequestHandle>,
}

impl Driver {
    fn apply(&mut self, step: Step) {
        match step {
            Step::Send(message) => {
                self.begun += 1;
                self.node.handle(self.now, Input::Send { reference: self.begun, message });
            }
            Step::Receive(packet, application_buffer) => {
                self.node.handle(self.now, Input::Receive { packet, application_buffer, challenge: [2; 8] });
            }
            Step::Respond => {
                if let Some(request) = self.requests.pop() {
                    self.node.handle(self.now, Input::Respond { request, apdu: Apdu::explicit(0, vec![]) });
                }
            }
            Step::Transmitted => {
                let ticket = self.tickets.pop().unwrap_or(Ticket::NONE);
                self.node.handle(self.now, Input::Transmitted { ticket });
            }
            Step::Pass(milliseconds) => self.advance(self.now + Duration::from_millis(milliseconds)),
        }
        self.drain();
    }

    fn advance(&mut self, end: Time) {
        while let Some(at) = self.node.next_wakeup().filter(|at| *at <= end) {
            assert!(at >= self.now, "no wake-up is in the past");
            self.now = at;
            self.node.wake(at);
            self.drain();
        }
        self.now = end;
    }

    fn drain(&mut self) {
        while let Some(output) = self.node.poll_output() {
            match output {
                Output::Transmit { packet, ticket, .. } => {
                    packet.check().expect("a node sends only what has bytes");
                    self.tickets.push(ticket);
                }
                Output::Finished { .. } => self.ended += 1,
                Output::Deliver(delivery) => self.requests.extend(delivery.request),
                Output::Withdraw { .. } | Output::Response { .. } => {}
            }
        }
    }

    fn open(&self) -> u32 {
        [false, true].into_iter().filter(|priority| self.node.is_busy(*priority)).count() as u32
    }
}

proptest! {
    #[test]
    fn every_transaction_has_completed_or_is_open(steps in steps(), late_timer in any::<bool>()) {
        let starts = if late_timer { TimerStart::AfterTransmission } else { TimerStart::HandOff };
        let settings =
            std::sync::Arc::new(Settings { transaction_timer_starts: starts, receive_records: 2, ..settings() });
        let mut driver = Driver {
            node: Node::new(configuration(0, &settings)),
            now: Time::ZERO,
            begun: 0,
            ended: 0,
            tickets: Vec::new(),
            requests: Vec::new(),
        };
        for step in steps {
            driver.apply(step);
            prop_assert_eq!(driver.begun, driver.ended + driver.open());
            let timed = driver.node.next_wakeup().is_some();
            prop_assert!(!timed || driver.open() > 0, "a timer runs for an open transaction only");
            prop_assert!(late_timer || timed == (driver.open() > 0), "every open transaction has a timer");
        }
        if !late_timer {
            driver.advance(driver.now + Duration::from_secs(16 * 4));
            prop_assert_eq!(driver.begun, driver.ended);
        }
    }
}
