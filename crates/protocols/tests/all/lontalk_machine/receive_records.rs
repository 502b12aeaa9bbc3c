use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::machine::*;
use sojourn_protocols::lontalk::wire::*;

use super::channel::*;

fn few_records(count: u16) -> Settings {
    Settings { receive_records: count, ..settings() }
}

/// A message of node `from` to node B as it arrives there.
fn arrival(from: u8, transaction: u8, data: u8) -> Input<Bytes> {
    let body = Tpdu::Acknowledged(Apdu::update(1, vec![data]));
    Input::Receive {
        packet: Packet {
            link: Link::default(),
            domain: Domain::NONE,
            source: SubnetNode::new(1, from),
            destination: Destination::Node(SubnetNode::new(1, 2)),
            body: Body::Transport(Numbering { authenticated: false, transaction }, body),
        },
        application_buffer: true,
        challenge: [0; 8],
    }
}

#[test]
fn without_a_free_record_a_message_is_lost_and_not_acknowledged() {
    let mut channel = Channel::with(2, few_records(2));
    for from in [3, 4, 5] {
        channel.give(1, arrival(from, 1, 0));
    }
    assert_eq!(channel.deliveries(1), 2);
    assert_eq!(channel.count("B acknowledgement"), 2);
    assert_eq!(channel.counted(1, Counter::ReceiveTransactionFull), 1);
}

#[test]
fn a_record_is_free_again_when_its_receive_timer_expires() {
    let mut channel = Channel::with(2, few_records(1));
    channel.give(1, arrival(3, 1, 0));
    channel.settle_until(ms(2047));
    channel.give(1, arrival(4, 1, 0));
    assert_eq!(channel.deliveries(1), 1);
    channel.settle_until(ms(2048));
    channel.give(1, arrival(4, 1, 0));
    assert_eq!(channel.deliveries(1), 2);
}

#[test]
fn the_same_message_after_the_receive_timer_counts_as_new() {
    let mut channel = Channel::of(2);
    channel.give(1, arrival(3, 1, 0));
    channel.settle_until(ms(2047));
    channel.give(1, arrival(3, 1, 0));
    assert_eq!((channel.deliveries(1), channel.count("B acknowledgement")), (1, 2));
    channel.settle_until(ms(2048));
    channel.give(1, arrival(3, 1, 0));
    assert_eq!(channel.deliveries(1), 2);
}

#[test]
fn a_groups_messages_are_kept_for_the_groups_receive_timer() {
    let mut channel = Channel::of(2);
    let group = |input: Input<Bytes>| match input {
        Input::Receive { packet, application_buffer, challenge } => {
            let packet = Packet { destination: Destination::Group { group: 7 }, ..packet };
            Input::Receive { packet, application_buffer, challenge }
        }
        other => other,
    };
    channel.give(1, group(arrival(3, 1, 0)));
    channel.settle_until(ms(511));
    channel.give(1, group(arrival(3, 1, 0)));
    assert_eq!(channel.deliveries(1), 1);
    channel.settle_until(ms(512));
    channel.give(1, group(arrival(3, 1, 0)));
    assert_eq!(channel.deliveries(1), 2);
}

#[test]
fn messages_by_unique_id_are_kept_for_8192_ms() {
    let mut channel = Channel::of(2);
    let by_id = |input: Input<Bytes>| match input {
        Input::Receive { packet, application_buffer, challenge } => {
            let destination = Destination::UniqueId { subnet: 0, id: [9, 9, 9, 9, 9, 1] };
            Input::Receive { packet: Packet { destination, ..packet }, application_buffer, challenge }
        }
        other => other,
    };
    channel.give(1, by_id(arrival(3, 1, 0)));
    channel.settle_until(ms(8191));
    channel.give(1, by_id(arrival(3, 1, 0)));
    assert_eq!(channel.deliveries(1), 1);
    channel.settle_until(ms(8192));
    channel.give(1, by_id(arrival(3, 1, 0)));
    assert_eq!(channel.deliveries(1), 2);
}

#[test]
fn another_number_or_other_data_makes_a_new_message_in_the_same_record() {
    let mut channel = Channel::with(2, few_records(1));
    channel.give(1, arrival(3, 1, 0));
    channel.give(1, arrival(3, 2, 0));
    channel.give(1, arrival(3, 2, 9));
    assert_eq!(channel.deliveries(1), 3);
    channel.give(1, arrival(3, 2, 9));
    assert_eq!(channel.deliveries(1), 3);
    assert_eq!(channel.counted(1, Counter::ReceiveTransactionFull), 0);
}

#[test]
fn unacknowledged_messages_need_no_record() {
    let mut channel = Channel::with(3, few_records(1));
    channel.give(1, arrival(4, 1, 0));
    channel.run(message(Service::Unacknowledged, to_b()));
    assert_eq!(channel.deliveries(1), 2);
}

#[test]
fn without_an_application_buffer_a_message_is_lost_and_its_retry_is_new() {
    let mut channel = Channel::with(2, few_records(1));
    channel.without_buffer = vec![1];
    channel.send(0, message(Service::Acknowledged, to_b()));
    channel.settle_until(ms(100));
    assert_eq!(channel.counted(1, Counter::LostMessages), 1);
    assert_eq!(channel.log, ["A message"]);
    channel.without_buffer.clear();
    channel.settle();
    assert_eq!(channel.log, ["A message", "A retry", "B delivers", "B acknowledgement", "A success"]);
}

#[test]
fn a_lost_message_frees_its_record() {
    let mut channel = Channel::with(3, few_records(1));
    channel.without_buffer = vec![1];
    channel.send(0, message(Service::Acknowledged, to_b()));
    channel.settle_until(ms(100));
    channel.give(1, arrival(3, 1, 0));
    assert_eq!(channel.deliveries(1), 1);
}

#[test]
fn an_unacknowledged_message_without_a_buffer_is_lost() {
    let mut channel = Channel::of(2);
    channel.without_buffer = vec![1];
    channel.run(message(Service::Unacknowledged, to_b()));
    assert_eq!(channel.deliveries(1), 0);
    assert_eq!(channel.counted(1, Counter::LostMessages), 1);
}

#[test]
fn a_response_without_a_buffer_is_lost_and_requested_again() {
    let mut channel = Channel::of(2);
    channel.without_buffer = vec![0];
    channel.send(0, message(Service::Request, to_b()));
    channel.settle_until(ms(100));
    assert_eq!(channel.count("A response from B"), 0);
    channel.without_buffer.clear();
    channel.settle();
    assert_eq!(channel.count("A response from B"), 1);
    assert_eq!(channel.deliveries(1), 1);
}

#[test]
fn a_request_retried_before_its_response_waits_for_the_application() {
    let mut channel = Channel::of(2);
    channel.responds = false;
    channel.send(0, message(Service::Request, to_b()));
    channel.settle_until(ms(200));
    assert_eq!(channel.log, ["A message", "B delivers", "A retry"]);
    let (node, request) = channel.requests[0];
    channel.give(node, Input::Respond { request, apdu: Apdu::explicit(0, vec![1]) });
    channel.settle();
    assert_eq!(&channel.log[3..], ["B response", "A response from B", "A success"]);
}

#[test]
fn a_request_gets_one_response_and_only_while_its_record_lasts() {
    let mut channel = Channel::of(2);
    channel.responds = false;
    channel.send(0, message(Service::Request, to_b()));
    channel.settle_until(ms(50));
    let (node, request) = channel.requests[0];
    let respond = || Input::Respond { request, apdu: Apdu::explicit(0, vec![1]) };
    channel.give(node, respond());
    channel.give(node, respond());
    assert_eq!(channel.counted(1, Counter::LateResponses), 1);
    channel.settle_until(Time::ZERO + Duration::from_secs(5));
    channel.give(node, respond());
    assert_eq!(channel.counted(1, Counter::LateResponses), 2);
    assert_eq!(channel.count("B response"), 1);
}

#[test]
fn a_request_replaced_by_the_next_gets_no_response() {
    let mut channel = Channel::of(2);
    channel.responds = false;
    channel.send(0, Message { retries: 0, ..message(Service::Request, to_b()) });
    channel.settle();
    channel.send(0, Message { retries: 0, ..message(Service::Request, to_b()) });
    channel.settle();
    let (node, first) = channel.requests[0];
    channel.give(node, Input::Respond { request: first, apdu: Apdu::explicit(0, vec![1]) });
    assert_eq!(channel.count("B response"), 0);
    assert_eq!(channel.counted(1, Counter::LateResponses), 1);
}
