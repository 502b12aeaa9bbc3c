//! Ends other than the graceful close of an undisturbed association.

use sojourn_core::Duration;
use sojourn_protocols::xtp::machine::*;

use super::network::*;

/// A and B with an association and `bytes` from A in flight.
fn in_flight(bytes: usize) -> (Network, ContextId) {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(5));
    network.write(0, context, &stream(bytes), true);
    (network, context)
}

#[test]
fn an_abort_ends_both_sides_at_once() {
    let (mut network, context) = in_flight(100);
    network.give(0, Input::Abort { context });
    network.pass(Duration::from_millis(5));
    assert_eq!(network.seen(0, 0).closed, Some(Reason::Aborted));
    assert_eq!(network.seen(1, 0).closed, Some(Reason::AbortedByPeer));
    network.pass(Duration::from_secs(3));
    assert!(network.hosts.iter().all(|host| host.contexts() == 0));
}

#[test]
fn a_lost_abort_is_repeated_when_the_peer_sends_again() {
    let (mut network, context) = in_flight(10);
    network.pass(Duration::from_millis(5));
    let other = network.contexts[1][0];
    network.lose = vec![network.sent.len()];
    network.give(0, Input::Abort { context });
    network.pass(Duration::from_millis(5));
    network.write(1, other, b"anyone?", true);
    network.pass(Duration::from_millis(5));
    assert_eq!(network.seen(1, 0).closed, Some(Reason::AbortedByPeer));
}

#[test]
fn a_receiver_that_has_had_enough_stops_the_sender() {
    let (mut network, context) = in_flight(30);
    network.pass(Duration::from_millis(5));
    network.give(1, Input::StopReading { context: network.contexts[1][0] });
    network.write(0, context, &stream(500), true);
    network.pass(Duration::from_secs(1));
    assert_eq!(network.count(0, Event::PeerStoppedReading), 1);
    assert_eq!(network.seen(1, 0).bytes, stream(30));
    network.write(0, context, b"more", true);
    assert_eq!(network.log.last().unwrap(), "A refused: the stream has been closed");
    network.pass(Duration::from_secs(5));
    assert_eq!(network.seen(0, 0).closed, Some(Reason::Finished), "{:#?}", network.log);
    assert_eq!(network.seen(1, 0).closed, Some(Reason::Finished));
}

#[test]
fn a_close_with_data_waiting_delivers_it_first() {
    let (mut network, context) = in_flight(5000);
    network.close(0, context);
    network.pass(Duration::from_secs(2));
    assert_eq!(network.seen(1, 0).bytes, stream(5000));
    assert_eq!(network.seen(1, 0).closed, Some(Reason::Finished));
}

#[test]
fn a_peer_that_has_forgotten_the_context_ends_the_association_with_a_name() {
    let (mut network, context) = in_flight(10);
    network.pass(Duration::from_millis(5));
    network.hosts[1] = Endpoint::new(Limits { first_serial: 1, ..Limits::default() });
    network.write(0, context, b"do you know me?", true);
    network.pass(Duration::from_secs(1));
    let unknown = Reason::Diagnosed(
        sojourn_protocols::xtp::wire::Code::InvalidContext,
        sojourn_protocols::xtp::wire::Value::Unspecified,
    );
    assert_eq!(network.seen(0, 0).closed, Some(unknown), "{:#?}", network.log);
    assert!(network.now < ms(2000), "no timer had to run out");
}

/// A has closed and B too; A's END is lost if `lose` says where it is.
fn closed(lose: Option<usize>) -> Network {
    let (mut network, context) = in_flight(10);
    network.lose.extend(lose);
    network.close(0, context);
    network.pass(Duration::from_millis(2));
    assert_eq!(network.seen(0, 0).closed, Some(Reason::Finished));
    network
}

#[test]
fn a_close_whose_end_was_lost_and_forgotten_finishes_all_the_same() {
    let end = closed(None).sent.iter().position(|sent| sent.purpose == Purpose::End);
    let mut network = closed(end);
    network.hosts[0] = Endpoint::new(Limits { first_serial: 1, ..Limits::default() });
    network.pass(Duration::from_secs(5));
    assert_eq!(network.sent_for(0, Purpose::Diagnostic).len(), 1, "B asked, since no END came");
    assert_eq!(network.seen(1, 0).closed, Some(Reason::Finished), "{:#?}", network.log);
}
