//! Every service with each of its packets lost in turn.

use proptest::prelude::*;
use sojourn_protocols::lontalk::machine::*;

use super::channel::*;

/// Runs the message once without loss, then once for each of its packets with that packet lost. In each run every
/// recipient delivers once and the sender succeeds.
fn survives_the_loss_of_each_packet(nodes: usize, message: Message<Bytes>) {
    let mut whole = Channel::of(nodes);
    whole.run(message.clone());
    assert!(whole.sent.len() > 1, "there is something to lose");
    for lost in 0..whole.sent.len() {
        let mut channel = Channel::of(nodes);
        channel.lose = vec![lost];
        channel.run(message.clone());
        let log = &channel.log;
        assert_eq!(channel.count("A success"), 1, "packet {lost} lost: {log:#?}");
        assert!((1..nodes).all(|node| channel.deliveries(node) == 1), "packet {lost} lost: {log:#?}");
        assert!(!channel.nodes[0].is_busy(false));
        assert!(channel.counted(0, Counter::Retries) <= 1);
    }
}

#[test]
fn acknowledged_to_a_node() {
    survives_the_loss_of_each_packet(2, message(Service::Acknowledged, to_b()));
}

#[test]
fn acknowledged_to_a_unique_id() {
    let recipient = Recipient::UniqueId { subnet: 1, id: [9, 9, 9, 9, 9, 1] };
    survives_the_loss_of_each_packet(2, message(Service::Acknowledged, recipient));
}

#[test]
fn acknowledged_to_a_small_group() {
    survives_the_loss_of_each_packet(5, message(Service::Acknowledged, to_group(5)));
}

#[test]
fn acknowledged_to_a_large_group() {
    survives_the_loss_of_each_packet(24, message(Service::Acknowledged, to_group(24)));
}

#[test]
fn acknowledged_broadcast_to_one_node() {
    survives_the_loss_of_each_packet(2, message(Service::Acknowledged, Recipient::Broadcast { subnet: 1, backlog: 1 }));
}

#[test]
fn request_to_a_node() {
    survives_the_loss_of_each_packet(2, message(Service::Request, to_b()));
}

#[test]
fn request_to_a_small_group() {
    survives_the_loss_of_each_packet(4, message(Service::Request, to_group(4)));
}

#[test]
fn request_to_a_large_group() {
    survives_the_loss_of_each_packet(20, message(Service::Request, to_group(20)));
}

#[test]
fn repeated_to_a_node() {
    survives_the_loss_of_each_packet(2, message(Service::UnacknowledgedRepeated, to_b()));
}

#[test]
fn repeated_to_a_group() {
    survives_the_loss_of_each_packet(4, message(Service::UnacknowledgedRepeated, to_group(4)));
}

#[test]
fn authenticated_acknowledged_to_a_node() {
    let message = message(Service::Acknowledged, to_b());
    survives_the_loss_of_each_packet(2, Message { authenticated: true, ..message });
}

#[test]
fn authenticated_acknowledged_to_a_group() {
    let message = message(Service::Acknowledged, to_group(4));
    survives_the_loss_of_each_packet(4, Message { authenticated: true, ..message });
}

#[test]
fn authenticated_acknowledged_to_a_large_group() {
    let message = message(Service::Acknowledged, to_group(20));
    survives_the_loss_of_each_packet(20, Message { authenticated: true, ..message });
}

#[test]
fn authenticated_request_to_a_node() {
    let message = message(Service::Request, to_b());
    survives_the_loss_of_each_packet(2, Message { authenticated: true, ..message });
}

#[test]
fn authenticated_repeated_to_a_node() {
    let message = message(Service::UnacknowledgedRepeated, to_b());
    survives_the_loss_of_each_packet(2, Message { authenticated: true, ..message });
}

#[test]
fn with_priority() {
    let message = message(Service::Acknowledged, to_b());
    survives_the_loss_of_each_packet(2, Message { priority: true, ..message });
}

fn some_service() -> impl Strategy<Value = (usize, Message<Bytes>)> {
    let service = prop::sample::select(vec![Service::Acknowledged, Service::Request, Service::UnacknowledgedRepeated]);
    (service, 2usize..20, any::<bool>(), any::<bool>()).prop_map(|(service, nodes, authenticated, priority)| {
        let recipient = if nodes == 2 { to_b() } else { to_group(nodes as u16) };
        // challenges would extend the tries beyond the group's receive timer
        let authenticated = authenticated && nodes == 2;
        (nodes, Message { authenticated, priority, ..message(service, recipient) })
    })
}

proptest! {
    #[test]
    fn with_any_losses_nothing_is_delivered_twice_and_success_means_delivered(
        (nodes, message) in some_service(),
        lose in prop::collection::vec(0usize..60, 0..20),
    ) {
        let mut channel = Channel::of(nodes);
        channel.lose = lose;
        channel.run(message.clone());
        prop_assert!(!channel.nodes[0].is_busy(message.priority));
        prop_assert_eq!(channel.count("A success") + channel.count("A failure"), 1);
        for node in 1..nodes {
            prop_assert!(channel.deliveries(node) <= 1, "{:#?}", channel.log);
            let sure = message.service.expects_response() && channel.count("A success") == 1;
            prop_assert!(!sure || channel.deliveries(node) == 1, "{:#?}", channel.log);
        }
        let timeouts = channel.counted(0, Counter::TransactionTimeouts) as usize;
        prop_assert_eq!(timeouts, channel.count("A failure"));
    }
}
