use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::lontalk::machine::*;

use super::channel::*;

#[test]
fn the_transaction_timer_starts_at_the_hand_off_and_is_scaled_by_the_model() {
    for (scale, expected) in [(1.0, Duration::from_millis(128)), (0.875, Duration::from_millis(112))] {
        let mut channel = Channel::with(2, Settings { transaction_timer_scale: scale, ..settings() });
        channel.lose = vec![0];
        channel.send(0, message(Service::Acknowledged, to_b()));
        assert_eq!(channel.nodes[0].next_wakeup(), Some(Time::ZERO + expected));
        channel.settle();
        assert_eq!(channel.sent[1].0, Time::ZERO + expected);
    }
}

#[test]
fn the_transaction_timer_may_start_at_the_end_of_the_transmission() {
    let settings = Settings { transaction_timer_starts: TimerStart::AfterTransmission, ..settings() };
    let mut channel = Channel::with(2, settings);
    channel.reports = false;
    channel.lose = vec![0];
    channel.send(0, message(Service::Acknowledged, to_b()));
    assert_eq!(channel.nodes[0].next_wakeup(), None);
    let ticket = first_ticket();
    channel.now = ms(40);
    channel.give(0, Input::Transmitted { ticket });
    assert_eq!(channel.nodes[0].next_wakeup(), Some(ms(40 + 128)));
}

/// The ticket of a node's first message, whose reference is 1.
fn first_ticket() -> Ticket {
    let mut channel = Channel::of(1);
    let node = &mut channel.nodes[0];
    node.handle(Time::ZERO, Input::Send { reference: 1, message: message(Service::Acknowledged, to_b()) });
    match node.poll_output() {
        Some(Output::Transmit { ticket, .. }) => ticket,
        other => panic!("no packet but {other:?}"),
    }
}

#[test]
fn waiting_copies_are_withdrawn_when_the_response_arrives() {
    let mut channel = Channel::of(2);
    channel.reports = false;
    channel.delay = Some((1, Duration::from_millis(200)));
    let log = channel.run(message(Service::Acknowledged, to_b()));
    assert_eq!(&log[log.len() - 2..], ["A withdraws", "A success"]);

    let mut channel = Channel::with(2, Settings { withdraw: false, ..settings() });
    channel.reports = false;
    channel.run(message(Service::Acknowledged, to_b()));
    assert_eq!(channel.count("A withdraws"), 0);
    assert_eq!(channel.count("A success"), 1);
}

#[test]
fn without_waiting_copies_nothing_is_withdrawn() {
    let mut channel = Channel::of(2);
    channel.run(message(Service::Acknowledged, to_b()));
    assert_eq!(channel.count("A withdraws"), 0);
}

#[test]
fn tickets_identify_their_message_among_others_of_the_same_reference() {
    let mut channel = Channel::of(1);
    let node = &mut channel.nodes[0];
    let mut tickets = Vec::new();
    for _ in 0..2 {
        node.handle(Time::ZERO, Input::Send { reference: 5, message: message(Service::Unacknowledged, to_b()) });
        while let Some(output) = node.poll_output() {
            if let Output::Transmit { ticket, .. } = output {
                tickets.push(ticket);
            }
        }
    }
    assert_ne!(tickets[0], tickets[1]);
    assert!(tickets.iter().all(|ticket| ticket.reference() == Some(5)));
    assert_eq!(Ticket::NONE.reference(), None);
}

#[test]
fn each_packet_carries_the_number_of_previous_tries() {
    let mut channel = Channel::of(1);
    let node = &mut channel.nodes[0];
    node.handle(Time::ZERO, Input::Send { reference: 1, message: message(Service::Acknowledged, to_b()) });
    let mut attempts = Vec::new();
    loop {
        while let Some(output) = node.poll_output() {
            match output {
                Output::Transmit { attempt, purpose, .. } => attempts.push((attempt, purpose)),
                Output::Finished { retries, .. } => assert_eq!(retries, 2),
                _ => {}
            }
        }
        let Some(at) = node.next_wakeup() else { break };
        node.wake(at);
    }
    assert_eq!(attempts, [(0, Purpose::Message), (1, Purpose::Retry), (2, Purpose::Retry)]);
}
