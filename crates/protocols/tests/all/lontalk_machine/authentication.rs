use sojourn_protocols::lontalk::machine::*;
use sojourn_protocols::lontalk::wire::*;

use super::channel::*;

fn authenticated(service: Service, recipient: Recipient) -> Message<Bytes> {
    Message { authenticated: true, ..message(service, recipient) }
}

fn challenges(channel: &Channel) -> Vec<AuthPdu> {
    let pdus = channel.sent.iter().filter_map(|(.., packet)| match packet.body {
        Body::Authentication(pdu) => Some(pdu),
        _ => None,
    });
    pdus.filter(|pdu| pdu.kind == AuthKind::Challenge).collect()
}

#[test]
fn an_authenticated_message_is_delivered_after_challenge_and_reply() {
    let mut channel = Channel::of(2);
    let log = channel.run(authenticated(Service::Acknowledged, to_b()));
    assert_eq!(
        log,
        ["A message", "B challenge", "A reply", "B delivers authenticated", "B acknowledgement", "A success"]
    );
    assert_eq!(channel.sent.iter().map(|(.., packet)| packet.length()).collect::<Vec<_>>(), [12, 17, 17, 9]);
}

#[test]
fn each_member_of_a_group_sends_its_own_challenge() {
    let mut channel = Channel::of(3);
    let log = channel.run(authenticated(Service::Acknowledged, to_group(3)));
    assert_eq!(log.iter().filter(|line| line.ends_with("delivers authenticated")).count(), 2);
    assert_eq!(channel.count("A reply"), 2);
    assert_eq!(channel.count("A success"), 1);
    let challenge = challenges(&channel)[0];
    assert_eq!(challenge.original, OriginalFormat::Group(7));
    assert_eq!(channel.sent[1].2.length(), 20);
    assert_eq!(channel.sent.iter().filter(|(.., packet)| packet.length() == 18).count(), 2);
}

#[test]
fn a_request_and_a_repeated_message_are_challenged_too() {
    let mut channel = Channel::of(2);
    let log = channel.run(authenticated(Service::Request, to_b()));
    assert_eq!(
        log,
        [
            "A message",
            "B challenge",
            "A reply",
            "B delivers authenticated",
            "B response",
            "A response from B",
            "A success"
        ]
    );
    let mut channel = Channel::of(2);
    channel.run(authenticated(Service::UnacknowledgedRepeated, to_b()));
    assert_eq!(channel.count("B challenge"), 1);
    assert_eq!(channel.deliveries(1), 1);
}

#[test]
fn a_sender_with_another_key_is_not_authenticated() {
    let settings = std::sync::Arc::new(settings());
    let other = std::sync::Arc::new(Settings { key: [0; 6], ..(*settings).clone() });
    let mut channel = Channel::of_nodes([configuration(0, &other), configuration(1, &settings)].into_iter());
    channel.run(authenticated(Service::Acknowledged, to_b()));
    assert_eq!(channel.deliveries(1), 0);
    assert_eq!(channel.count("B acknowledgement"), 0);
    assert_eq!(channel.count("A failure"), 1);
    assert_eq!(channel.counted(1, Counter::AuthenticationFailures), 3);
}

#[test]
fn a_retry_of_a_challenged_message_gets_the_same_challenge() {
    let mut channel = Channel::of(2);
    // the reply is lost, the retry is challenged again
    channel.lose = vec![2];
    channel.run(authenticated(Service::Acknowledged, to_b()));
    let challenges = challenges(&channel);
    assert_eq!(challenges.len(), 2);
    assert_eq!(challenges[0], challenges[1]);
    assert_eq!(channel.count("A success"), 1);
}

#[test]
fn a_duplicate_of_an_authenticated_message_is_not_challenged_again() {
    let mut channel = Channel::of(2);
    // the acknowledgement is lost
    channel.lose = vec![3];
    let log = channel.run(authenticated(Service::Acknowledged, to_b()));
    assert_eq!(&log[log.len() - 3..], ["A retry", "B acknowledgement", "A success"]);
    assert_eq!(challenges(&channel).len(), 1);
    assert_eq!(channel.deliveries(1), 1);
}

#[test]
fn a_challenge_restarts_the_transaction_timer() {
    let mut channel = Channel::of(2);
    // the challenge takes 101 ms, and the reply is lost
    channel.delay = Some((1, sojourn_core::Duration::from_millis(100)));
    channel.lose = vec![2];
    channel.send(0, authenticated(Service::Acknowledged, to_b()));
    channel.settle_until(ms(200));
    assert_eq!(channel.count("A retry"), 0);
    channel.settle_until(ms(102 + 128));
    assert_eq!(channel.count("A retry"), 1);
}

#[test]
fn a_challenge_from_another_node_gets_no_reply() {
    let mut channel = Channel::of(3);
    channel.lose = vec![0];
    channel.send(0, authenticated(Service::Acknowledged, to_b()));
    let challenge = |source, transaction, original| Input::Receive {
        packet: Packet {
            link: Link::default(),
            domain: Domain::NONE,
            source,
            destination: Destination::Node(SubnetNode::new(1, 1)),
            body: Body::Authentication(AuthPdu { original, transaction, kind: AuthKind::Challenge, value: [3; 8] }),
        },
        application_buffer: true,
        challenge: [0; 8],
    };
    channel.give(0, challenge(SubnetNode::new(1, 3), 0, OriginalFormat::Node));
    channel.give(0, challenge(SubnetNode::new(1, 2), 4, OriginalFormat::Node));
    channel.give(0, challenge(SubnetNode::new(1, 2), 0, OriginalFormat::Group(7)));
    assert_eq!(channel.count("A reply"), 0);
    channel.give(0, challenge(SubnetNode::new(1, 2), 0, OriginalFormat::Node));
    assert_eq!(channel.count("A reply"), 1);
}

#[test]
fn a_challenge_to_an_unauthenticated_message_gets_no_reply() {
    let mut channel = Channel::of(2);
    channel.lose = vec![0];
    channel.send(0, message(Service::Acknowledged, to_b()));
    let pdu = AuthPdu { original: OriginalFormat::Node, transaction: 0, kind: AuthKind::Challenge, value: [3; 8] };
    let packet = Packet {
        link: Link::default(),
        domain: Domain::NONE,
        source: SubnetNode::new(1, 2),
        destination: Destination::Node(SubnetNode::new(1, 1)),
        body: Body::Authentication(pdu),
    };
    channel.give(0, Input::Receive { packet, application_buffer: true, challenge: [0; 8] });
    assert_eq!(channel.count("A reply"), 0);
}

#[test]
fn a_broadcast_is_not_authenticated() {
    let mut channel = Channel::of(2);
    let everyone = Recipient::Broadcast { subnet: 0, backlog: 0 };
    let log = channel.run(authenticated(Service::Acknowledged, everyone));
    assert_eq!(log, ["A message", "B delivers", "B acknowledgement", "A success"]);
}

#[test]
fn an_authenticated_message_without_a_buffer_is_delivered_on_the_retry_without_another_challenge() {
    let mut channel = Channel::of(2);
    channel.without_buffer = vec![1];
    channel.send(0, authenticated(Service::Acknowledged, to_b()));
    channel.settle_until(ms(100));
    assert_eq!(channel.deliveries(1), 0);
    assert_eq!(channel.counted(1, Counter::LostMessages), 1);
    channel.without_buffer.clear();
    channel.settle();
    assert_eq!(channel.deliveries(1), 1);
    assert_eq!(challenges(&channel).len(), 1);
    assert_eq!(channel.count("A success"), 1);
}
