use sojourn_protocols::lontalk::machine::*;
use sojourn_protocols::lontalk::wire::*;

use super::channel::*;

fn backlogs(channel: &Channel) -> Vec<u8> {
    channel.sent.iter().filter(|(_, from, _)| *from == 0).map(|(.., packet)| packet.link.delta_backlog).collect()
}

#[test]
fn a_group_message_is_acknowledged_by_every_other_member() {
    let mut channel = Channel::of(4);
    let log = channel.run(message(Service::Acknowledged, to_group(4)));
    assert_eq!(
        log,
        [
            "A message",
            "B delivers",
            "B acknowledgement",
            "C delivers",
            "C acknowledgement",
            "D delivers",
            "D acknowledgement",
            "A success",
        ]
    );
    let (_, _, acknowledgement) = &channel.sent[2];
    let node = SubnetNode::new(1, 1);
    assert_eq!(acknowledgement.destination, Destination::GroupAcknowledgement { node, group: 7, member: 2 });
    assert_eq!(backlogs(&channel), [3]);
}

#[test]
fn a_message_to_a_group_of_two_is_eleven_bytes_and_so_is_its_acknowledgement() {
    let mut channel = Channel::of(2);
    channel.run(message(Service::Acknowledged, to_group(2)));
    assert_eq!(channel.sent.iter().map(|(.., packet)| packet.length()).collect::<Vec<_>>(), [11, 11]);
}

#[test]
fn a_retry_lists_the_members_that_have_responded_and_only_the_others_respond_again() {
    let mut channel = Channel::of(4);
    channel.lose = vec![2];
    let log = channel.run(message(Service::Acknowledged, to_group(4)));
    assert_eq!(&log[log.len() - 3..], ["A retry", "C acknowledgement", "A success"]);
    let members = Members::from_iter([1, 3]);
    let numbering = Numbering { authenticated: false, transaction: 0 };
    let expected = Tpdu::ReminderMessage(members, Apdu::update(1, vec![0x55]));
    assert_eq!(channel.bodies(0)[1], &Body::Transport(numbering, expected));
    assert_eq!(backlogs(&channel), [3, 1]);
    assert!((1..4).all(|node| channel.deliveries(node) == 1));
}

#[test]
fn when_no_member_received_the_message_the_retry_lists_none() {
    let mut channel = Channel::of(3);
    channel.lose = vec![0];
    channel.run(message(Service::Acknowledged, to_group(3)));
    let numbering = Numbering { authenticated: false, transaction: 0 };
    let expected = Tpdu::ReminderMessage(Members::NONE, Apdu::update(1, vec![0x55]));
    assert_eq!(channel.bodies(0)[1], &Body::Transport(numbering, expected));
    assert_eq!(backlogs(&channel), [2, 2]);
}

#[test]
fn a_list_of_more_than_two_bytes_is_sent_as_a_reminder_followed_by_the_message() {
    let mut channel = Channel::of(24);
    channel.lose = vec![3];
    let log = channel.run(message(Service::Acknowledged, to_group(24)));
    assert_eq!(&log[log.len() - 4..], ["A reminder", "A retry", "D acknowledgement", "A success"]);
    let answered = Members::from_iter((1..24).filter(|member| *member != 3));
    let numbering = Numbering { authenticated: false, transaction: 0 };
    assert_eq!(channel.bodies(0)[1], &Body::Transport(numbering, Tpdu::Reminder(answered)));
    assert_eq!(channel.bodies(0)[2], channel.bodies(0)[0]);
    assert_eq!(backlogs(&channel), [23, 0, 1]);
    assert!((1..24).all(|node| channel.deliveries(node) == 1));
}

#[test]
fn after_a_lost_reminder_all_members_respond_again_and_the_transaction_completes() {
    let mut channel = Channel::of(24);
    channel.lose = vec![3, 24];
    let log = channel.run(message(Service::Acknowledged, to_group(24)));
    assert_eq!(log.iter().filter(|line| line.ends_with("acknowledgement")).count(), 22 + 23);
    assert_eq!(channel.count("A success"), 1);
}

#[test]
fn a_listed_member_responds_to_a_later_message() {
    let mut channel = Channel::of(24);
    // B is listed; the retry itself is lost, and so is the next reminder
    channel.lose = vec![3, 25, 26];
    channel.run(message(Service::Acknowledged, to_group(24)));
    channel.log.clear();
    channel.lose.clear();
    channel.run(message(Service::Acknowledged, to_group(24)));
    assert_eq!(channel.count("B acknowledgement"), 1);
    assert_eq!(channel.count("A success"), 1);
}

#[test]
fn sixteen_members_fit_a_reminder_with_message_and_seventeen_do_not() {
    for (size, reminders) in [(16, 0), (17, 1)] {
        let mut channel = Channel::of(size);
        channel.lose = vec![1];
        channel.run(message(Service::Acknowledged, to_group(size as u16)));
        assert_eq!(channel.count("A reminder"), reminders, "{size} members");
        assert_eq!(channel.count("A success"), 1);
    }
}

#[test]
fn a_sender_outside_the_group_waits_for_all_members() {
    let settings = std::sync::Arc::new(settings());
    let outside = NodeConfiguration { groups: Box::default(), ..configuration(0, &settings) };
    let members = (1..4).map(|index| configuration(index, &settings));
    let mut channel = Channel::of_nodes(std::iter::once(outside).chain(members));
    let log = channel.run(message(Service::Acknowledged, to_group(3)));
    assert_eq!(log.len(), 1 + 2 * 3 + 1);
    assert_eq!(backlogs(&channel), [3]);
}

#[test]
fn a_group_request_collects_a_response_from_every_member() {
    let mut channel = Channel::of(4);
    channel.lose = vec![3];
    let log = channel.run(message(Service::Request, to_group(4)));
    for line in ["A response from B", "A response from C", "A response from D", "A success"] {
        assert_eq!(log.iter().filter(|entry| *entry == line).count(), 1, "{line}");
    }
    assert!((1..4).all(|node| channel.deliveries(node) == 1));
    assert!(matches!(channel.bodies(0)[1], Body::Session(_, Spdu::ReminderMessage(..))));
}

#[test]
fn a_request_to_a_large_group_sends_reminders_in_the_session_layer() {
    let mut channel = Channel::of(20);
    channel.lose = vec![19];
    channel.run(message(Service::Request, to_group(20)));
    assert!(matches!(channel.bodies(0)[1], Body::Session(_, Spdu::Reminder(_))));
    assert_eq!(channel.count("A success"), 1);
    assert!((1..20).all(|node| channel.deliveries(node) == 1));
}

#[test]
fn a_group_of_the_sender_alone_is_complete_at_once() {
    let mut channel = Channel::of(1);
    let log = channel.run(message(Service::Acknowledged, to_group(1)));
    assert_eq!(log, ["A message", "A withdraws", "A success"]);
}
