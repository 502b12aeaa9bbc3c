use sojourn_protocols::lontalk::machine::*;
use sojourn_protocols::lontalk::wire::*;

use super::channel::*;

#[test]
fn an_unacknowledged_message_is_one_packet_without_response() {
    let mut channel = Channel::of(2);
    let log = channel.run(message(Service::Unacknowledged, to_b()));
    assert_eq!(log, ["A message", "A success", "B delivers"]);
    assert!(matches!(channel.sent[0].2.body, Body::Application(_)));
}

#[test]
fn an_acknowledged_message_is_delivered_before_it_is_acknowledged() {
    let mut channel = Channel::of(2);
    let log = channel.run(message(Service::Acknowledged, to_b()));
    assert_eq!(log, ["A message", "B delivers", "B acknowledgement", "A success"]);
    assert_eq!(channel.sent[0].2.link.delta_backlog, 1);
    let (_, _, acknowledgement) = &channel.sent[1];
    assert_eq!(acknowledgement.link, Link::default());
    assert_eq!(acknowledgement.destination, Destination::Node(SubnetNode::new(1, 1)));
    assert_eq!(acknowledgement.length(), 9);
}

#[test]
fn the_application_responds_to_a_request() {
    let mut channel = Channel::of(2);
    let log = channel.run(message(Service::Request, to_b()));
    assert_eq!(log, ["A message", "B delivers", "B response", "A response from B", "A success"]);
    let numbering = Numbering { authenticated: false, transaction: 0 };
    assert_eq!(channel.sent[1].2.body, Body::Session(numbering, Spdu::Response(Apdu::explicit(0, vec![1]))));
}

#[test]
fn a_repeated_message_announces_its_repetitions_as_backlog_and_is_delivered_once() {
    let mut channel = Channel::of(2);
    let log = channel.run(message(Service::UnacknowledgedRepeated, to_b()));
    assert_eq!(log, ["A message", "B delivers", "A repetition", "A repetition", "A success"]);
    let backlogs: Vec<u8> = channel.sent.iter().map(|(.., packet)| packet.link.delta_backlog).collect();
    assert_eq!(backlogs, [2, 0, 0]);
    let times: Vec<_> = channel.sent.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, [ms(0), ms(128), ms(256)]);
    assert_eq!(channel.counted(1, Counter::Duplicates), 2);
}

#[test]
fn when_every_try_is_lost_the_sender_gives_up_after_its_last_timer() {
    let mut channel = Channel::of(2);
    channel.lose = vec![0, 1, 2];
    let log = channel.run(message(Service::Acknowledged, to_b()));
    assert_eq!(log, ["A message, lost", "A retry, lost", "A retry, lost", "A failure"]);
    assert_eq!(channel.now, ms(3 * 128));
    assert_eq!(channel.counted(0, Counter::TransactionTimeouts), 1);
    assert_eq!(channel.counted(0, Counter::Retries), 2);
}

#[test]
fn an_acknowledgement_after_completion_is_counted_as_late() {
    let mut channel = Channel::of(2);
    channel.delay = Some((1, sojourn_core::Duration::from_millis(500)));
    channel.lose = vec![2, 3];
    let log = channel.run(message(Service::Acknowledged, to_b()));
    assert_eq!(log.last().unwrap(), "A failure");
    assert_eq!(channel.counted(0, Counter::LateAcknowledgements), 1);
}

#[test]
fn an_acknowledgement_of_another_number_or_node_is_ignored() {
    let mut channel = Channel::of(3);
    channel.lose = vec![0];
    channel.send(0, message(Service::Acknowledged, to_b()));
    let acknowledgement = |source, transaction| Input::Receive {
        packet: Packet {
            link: Link::default(),
            domain: Domain::NONE,
            source,
            destination: Destination::Node(SubnetNode::new(1, 1)),
            body: Body::Transport(Numbering { authenticated: false, transaction }, Tpdu::Acknowledgement),
        },
        application_buffer: true,
        challenge: [0; 8],
    };
    channel.give(0, acknowledgement(SubnetNode::new(1, 2), 5));
    channel.give(0, acknowledgement(SubnetNode::new(1, 3), 0));
    assert!(channel.nodes[0].is_busy(false));
    assert_eq!(channel.counted(0, Counter::LateAcknowledgements), 2);
    channel.give(0, acknowledgement(SubnetNode::new(1, 2), 0));
    assert!(!channel.nodes[0].is_busy(false));
}

#[test]
fn a_broadcast_completes_with_the_first_acknowledgement() {
    let mut channel = Channel::of(4);
    let log = channel.run(message(Service::Acknowledged, Recipient::Broadcast { subnet: 0, backlog: 0 }));
    assert_eq!(log.iter().filter(|line| line.ends_with("acknowledgement")).count(), 3);
    assert_eq!(channel.count("A success"), 1);
    assert_eq!(channel.sent[0].2.link.delta_backlog, 15);
    assert_eq!(channel.counted(0, Counter::LateAcknowledgements), 2);
}

#[test]
fn a_broadcast_announces_the_backlog_its_sender_expects() {
    let mut channel = Channel::of(2);
    channel.run(message(Service::Acknowledged, Recipient::Broadcast { subnet: 1, backlog: 4 }));
    assert_eq!(channel.sent[0].2.link.delta_backlog, 4);
}

#[test]
fn a_broadcast_to_another_subnet_is_not_received() {
    let mut channel = Channel::of(2);
    let log = channel.run(message(Service::Unacknowledged, Recipient::Broadcast { subnet: 2, backlog: 0 }));
    assert_eq!(log, ["A message", "A success"]);
}

#[test]
fn a_node_receives_packets_to_its_unique_id_in_any_domain() {
    let settings = std::sync::Arc::new(settings());
    let elsewhere = std::sync::Arc::new(Settings { domain: Domain::new(&[7]).unwrap(), ..(*settings).clone() });
    let mut channel = Channel::of_nodes(
        [configuration(0, &elsewhere), configuration(1, &settings), configuration(2, &settings)].into_iter(),
    );
    let recipient = Recipient::UniqueId { subnet: 0, id: [9, 9, 9, 9, 9, 1] };
    let log = channel.run(message(Service::Request, recipient));
    assert_eq!(log, ["A message", "B delivers", "B response", "A response from B", "A success"]);
    assert_eq!(channel.sent[1].2.domain, Domain::new(&[7]).unwrap());
}

#[test]
fn packets_of_another_domain_are_not_received() {
    let settings = std::sync::Arc::new(settings());
    let elsewhere = std::sync::Arc::new(Settings { domain: Domain::new(&[7]).unwrap(), ..(*settings).clone() });
    let mut channel = Channel::of_nodes([configuration(0, &elsewhere), configuration(1, &settings)].into_iter());
    assert_eq!(channel.run(message(Service::Unacknowledged, to_b())), ["A message", "A success"]);
}

#[test]
fn an_unconfigured_node_can_send_its_service_pin_message() {
    let settings = std::sync::Arc::new(settings());
    let new = NodeConfiguration { address: SubnetNode::new(0, 0), ..configuration(0, &settings) };
    let mut channel = Channel::of_nodes([new, configuration(1, &settings)].into_iter());
    let pin = ServicePin { unique_id: [9, 9, 9, 9, 9, 0], program_id: *b"PROGID01" };
    let everyone = Recipient::Broadcast { subnet: 0, backlog: 0 };
    let apdu = Apdu { kind: ApduKind::Management(Management::SERVICE_PIN), data: pin.emit().to_vec() };
    let log = channel.run(Message { apdu, ..message(Service::Unacknowledged, everyone) });
    assert_eq!(log, ["A message", "A success", "B delivers"]);
    assert_eq!(channel.sent[0].2.source, SubnetNode::new(0, 0));
}

#[test]
fn an_invalid_message_is_refused_with_its_reason() {
    let refused = |message| {
        let mut channel = Channel::of(1);
        channel.run(message).concat()
    };
    let acknowledged = message(Service::Acknowledged, to_b());
    assert_eq!(
        refused(Message { retries: 16, ..acknowledged.clone() }),
        "A refused: 16 retries exceed the limit of 15"
    );
    assert_eq!(
        refused(Message { recipient: to_group(65), ..acknowledged.clone() }),
        "A refused: a group of 65 members exceeds the limit of 64 for acknowledged and request service"
    );
    let long = Apdu::explicit(1, vec![0; 229]);
    assert_eq!(refused(Message { apdu: long, ..acknowledged }), "A refused: APDU data length 229 exceeds 228");
}

#[test]
fn a_group_of_more_than_64_accepts_unacknowledged_messages() {
    let mut channel = Channel::of(2);
    let log = channel.run(message(Service::UnacknowledgedRepeated, to_group(200)));
    assert_eq!(log, ["A message", "B delivers", "A repetition", "A repetition", "A success"]);
}
