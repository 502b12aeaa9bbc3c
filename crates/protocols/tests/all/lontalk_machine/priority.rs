use sojourn_protocols::lontalk::machine::*;

use super::channel::*;

fn urgent(service: Service) -> Message<Bytes> {
    Message { priority: true, ..message(service, to_b()) }
}

#[test]
fn all_packets_of_a_priority_message_have_priority() {
    let mut channel = Channel::of(2);
    channel.run(Message { authenticated: true, ..urgent(Service::Acknowledged) });
    assert_eq!(channel.sent.len(), 4);
    assert!(channel.sent.iter().all(|(.., packet)| packet.link.priority));
}

#[test]
fn one_transaction_of_each_priority_class_may_be_open() {
    let mut channel = Channel::of(2);
    channel.send(0, message(Service::Acknowledged, to_b()));
    assert!(channel.nodes[0].is_busy(false) && !channel.nodes[0].is_busy(true));
    channel.send(0, urgent(Service::Acknowledged));
    channel.settle();
    assert_eq!(channel.count("A success"), 2);
    assert_eq!(channel.deliveries(1), 2);
}

#[test]
fn a_second_transaction_of_a_class_is_refused_while_the_first_is_open() {
    let mut channel = Channel::of(2);
    channel.send(0, message(Service::Acknowledged, to_b()));
    channel.send(0, message(Service::Request, to_b()));
    assert_eq!(channel.log, ["A message", "A refused: a transaction of the same priority class is open"]);
    channel.settle();
    assert_eq!(channel.count("A success"), 1);
}

#[test]
fn an_unacknowledged_message_needs_no_transaction() {
    let mut channel = Channel::of(2);
    channel.send(0, message(Service::Acknowledged, to_b()));
    channel.send(0, message(Service::Unacknowledged, to_b()));
    channel.settle();
    assert_eq!(channel.deliveries(1), 2);
    assert_eq!(channel.count("A success"), 2);
}

#[test]
fn an_acknowledgement_of_the_other_class_is_ignored() {
    let mut channel = Channel::of(2);
    channel.lose = vec![0, 1];
    channel.send(0, message(Service::Acknowledged, to_b()));
    channel.send(0, urgent(Service::Acknowledged));
    channel.settle();
    let acknowledgements: Vec<bool> =
        channel.sent.iter().filter(|(_, from, _)| *from == 1).map(|(.., packet)| packet.link.priority).collect();
    assert_eq!(acknowledgements, [false, true]);
    assert_eq!(channel.count("A success"), 2);
}

#[test]
fn the_last_two_tries_and_their_responses_use_the_alternate_path() {
    let mut channel = Channel::of(2);
    channel.lose = vec![0, 1, 2];
    channel.run(Message { retries: 3, ..message(Service::Acknowledged, to_b()) });
    let paths: Vec<bool> = channel.sent.iter().map(|(.., packet)| packet.link.alternate_path).collect();
    assert_eq!(paths, [false, false, true, true, true]);
}

#[test]
fn repeated_service_never_uses_the_alternate_path() {
    let mut channel = Channel::of(2);
    channel.run(message(Service::UnacknowledgedRepeated, to_b()));
    assert!(channel.sent.iter().all(|(.., packet)| !packet.link.alternate_path));
}
