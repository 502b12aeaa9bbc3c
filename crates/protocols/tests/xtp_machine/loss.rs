//! The loss of each packet in turn, of many at random, and packets out of order.

use sojourn_core::Duration;
use sojourn_protocols::xtp::machine::*;

use super::network::*;

/// A sends 64 bytes in several writes, B answers 23, both close.
fn dialogue(configuration: Configuration, prepare: impl FnOnce(&mut Network)) -> Network {
    let mut network = Network::of(2, configuration.clone());
    prepare(&mut network);
    let bytes = stream(64);
    let context = network.open(1, configuration, &bytes[..5]);
    network.write(0, context, &bytes[5..30], true);
    network.pass(Duration::from_millis(3));
    if let Some(answering) = network.contexts[1].first().copied() {
        network.write(1, answering, &stream(23), true);
    }
    network.write(0, context, &bytes[30..64], true);
    network.close(0, context);
    network.pass(Duration::from_secs(200));
    network
}

fn is_whole(network: &Network) {
    let log = &network.log;
    let (a, b) = (network.seen(0, 0), network.seen(1, 0));
    assert_eq!(b.bytes, stream(64), "{log:#?}");
    assert_eq!(b.messages, [30, 64], "{log:#?}");
    assert!(a.bytes == stream(23) || a.bytes.is_empty(), "{log:#?}");
    assert_eq!((a.closed, b.closed), (Some(Reason::Finished), Some(Reason::Finished)), "{log:#?}");
    assert!(network.hosts.iter().all(|host| host.contexts() == 0), "contexts are forgotten in the end");
}

fn survives_the_loss_of_each_packet(configuration: Configuration) {
    let whole = dialogue(configuration.clone(), |_| ());
    is_whole(&whole);
    assert!(whole.sent.len() > 10, "there is something to lose");
    for lost in 0..whole.sent.len() {
        let network = dialogue(configuration.clone(), |network| network.lose = vec![lost]);
        is_whole(&network);
    }
}

#[test]
fn of_any_one_packet_with_selective_retransmission() {
    survives_the_loss_of_each_packet(configuration());
}

#[test]
fn of_any_one_packet_with_go_back_n() {
    survives_the_loss_of_each_packet(Configuration { error_control: ErrorControl::GoBackN, ..configuration() });
}

#[test]
fn of_any_one_packet_with_each_way_to_ask() {
    for requests in [Requests::Every(3), Requests::Every(0), Requests::EveryMessage, Requests::Never] {
        for request_by in [RequestBy::Status, RequestBy::Delivery, RequestBy::Edge] {
            for fast_nak in [false, true] {
                let configuration = Configuration { requests, request_by, fast_nak, ..configuration() };
                survives_the_loss_of_each_packet(configuration);
            }
        }
    }
}
