//! One sender and several receivers.

use sojourn_core::{Duration, Machine};
use sojourn_protocols::xtp::machine::*;
use sojourn_protocols::xtp::wire::{Body, Options, Service};

use super::network::*;

/// A sends 200 bytes to all others and closes.
fn group_transfer(hosts: usize, prepare: impl FnOnce(&mut Network)) -> Network {
    let mut network = Network::of(hosts, configuration());
    prepare(&mut network);
    let context = network.open(GROUP, configuration(), b"");
    network.write(0, context, &stream(200), true);
    network.close(0, context);
    network.pass(Duration::from_secs(300));
    network
}

fn all_have_it(network: &Network) {
    for host in 1..network.hosts.len() {
        assert_eq!(network.seen(host, 0).bytes, stream(200), "host {host}: {:#?}", network.log);
        assert_eq!(network.seen(host, 0).closed, Some(Reason::Finished), "host {host}: {:#?}", network.log);
    }
    assert_eq!(network.seen(0, 0).closed, Some(Reason::Finished), "{:#?}", network.log);
    assert!(network.hosts.iter().all(|host| host.contexts() == 0 && host.next_wakeup().is_none()));
}

#[test]
fn every_receiver_gets_the_stream_and_each_packet_goes_out_once() {
    let network = group_transfer(4, |_| ());
    all_have_it(&network);
    assert_eq!(network.sent_for(0, Purpose::Data).len(), 21);
    assert_eq!(network.sent_for(0, Purpose::Retransmission).len(), 0);
    assert!(network.sent.iter().all(|sent| sent.packet.header.options.contains(Options::MULTI)));
    let Body::First { traffic, .. } = network.sent[0].packet.body else { panic!("FIRST comes first") };
    assert_eq!(traffic.service, Service::ReliableMulticastStream);
}

#[test]
fn the_sender_goes_on_when_all_have_answered_and_no_sooner() {
    let mut network = Network::of(3, configuration());
    let narrow = Configuration { initial_window: 20, ..configuration() };
    network.lose = vec![4, 6, 8]; // what C reports
    let context = network.open(GROUP, narrow, b"");
    network.write(0, context, &stream(200), true);
    network.pass(Duration::from_millis(40));
    assert_eq!(network.story(1).iter().filter(|line| line.starts_with("CNTL")).count(), 3, "{:#?}", network.log);
    assert_eq!(network.sent_for(0, Purpose::Data).len(), 3, "B alone has granted more");
    network.pass(Duration::from_secs(10));
    assert_eq!(network.seen(1, 0).bytes, stream(200));
    assert_eq!(network.seen(2, 0).bytes, stream(200));
}

#[test]
fn the_loss_of_each_packet_in_turn_still_gives_every_receiver_the_stream() {
    let whole = group_transfer(3, |_| ());
    for lost in 0..whole.sent.len() {
        let network = group_transfer(3, |network| network.lose = vec![lost]);
        all_have_it(&network);
    }
}

#[test]
fn repair_begins_anew_from_the_lowest_gap() {
    let network = group_transfer(3, |network| network.lose = vec![5]);
    let again = network.sent_for(0, Purpose::Retransmission);
    let again: Vec<_> = again.iter().map(|sent| sent.packet.header.seq).collect();
    assert_eq!(again, (40..200).step_by(10).collect::<Vec<_>>(), "{:#?}", network.log);
    assert_eq!(network.count(1, Event::OutOfOrder), 0);
}

#[test]
fn with_one_packet_in_ten_lost_every_receiver_gets_the_stream() {
    for seed in 0..60 {
        let network = group_transfer(5, |network| network.loss = (100, seed));
        all_have_it(&network);
    }
}

#[test]
fn a_receiver_that_never_answers_ends_the_association_with_a_name() {
    let mut network = Network::of(3, configuration());
    network.give(2, Input::StopListening { listener: 1 });
    let context = network.open(GROUP, configuration(), b"");
    network.write(0, context, &stream(50), true);
    network.pass(Duration::from_secs(20));
    assert_eq!(network.seen(0, 0).closed, Some(Reason::PeerUnresponsive));
    assert_eq!(network.seen(1, 0).closed, Some(Reason::AbortedByPeer), "the other receives the END");
    assert!(network.sent.iter().all(|sent| sent.from != 2), "no host sends a DIAG for packets to a group");
    assert!(network.hosts.iter().all(|host| host.contexts() == 0));
}

#[test]
fn more_receivers_than_announced_are_named_and_not_counted() {
    let mut network = Network::of(3, configuration());
    network.open(GROUP, configuration(), b"x");
    network.pass(Duration::from_secs(1));
    assert_eq!(network.count(0, Event::Violation(Violation::TooManyReceivers)), 0);
    let stranger = network.sent_for(1, Purpose::Report)[0].packet.clone();
    network.give(0, Input::Receive { from: 77, packet: stranger, answer: true });
    assert_eq!(network.count(0, Event::Violation(Violation::TooManyReceivers)), 1);
}

#[test]
fn no_host_answers_unreliable_datagrams_to_a_group() {
    let datagrams = Configuration {
        error_control: ErrorControl::None,
        flow_control: false,
        requests: Requests::Never,
        ..configuration()
    };
    let mut network = Network::of(4, configuration());
    let context = network.open(GROUP, datagrams, b"");
    network.lose = vec![2];
    for nth in 1..=4u8 {
        network.write(0, context, &[nth; 10], true);
    }
    network.close(0, context);
    network.pass(Duration::from_secs(100));
    assert!(network.sent.iter().all(|sent| sent.from == 0), "{:#?}", network.log);
    for host in 1..4 {
        let seen = network.seen(host, 0);
        assert_eq!(seen.bytes, [[1; 10], [3; 10], [4; 10]].concat());
        assert_eq!(seen.closed, Some(Reason::Finished));
    }
    assert_eq!(network.seen(0, 0).closed, Some(Reason::Finished));
}

#[test]
fn receivers_that_keep_answers_back_answer_several_requests_at_once() {
    let damped = Configuration { report_delay: Duration::from_millis(5), ..configuration() };
    let mut network = Network::of(3, damped);
    let context = network.open(GROUP, configuration(), b"");
    network.write(0, context, &stream(200), true);
    network.pass(Duration::from_millis(20));
    assert_eq!(network.sent_for(1, Purpose::Report).len(), 1, "21 packets came within the delay");
    assert_eq!(network.hosts[0].queued(context), 0);
}

#[test]
fn a_receiver_does_not_write() {
    let mut network = Network::of(2, configuration());
    network.open(GROUP, configuration(), b"x");
    network.pass(Duration::from_millis(5));
    let receiver = network.contexts[1][0];
    network.write(1, receiver, b"no", true);
    assert_eq!(network.log.last().unwrap(), "B refused: a receiver of a multicast association does not write");
}

#[test]
fn a_receiver_that_has_had_enough_does_not_delay_the_others() {
    let mut network = Network::of(3, configuration());
    let context = network.open(GROUP, configuration(), b"");
    network.write(0, context, &stream(50), true);
    network.pass(Duration::from_millis(10));
    network.give(1, Input::StopReading { context: network.contexts[1][0] });
    network.write(0, context, &stream(50), true);
    network.close(0, context);
    network.pass(Duration::from_secs(10));
    assert_eq!(network.seen(1, 0).bytes.len(), 50);
    assert_eq!(network.seen(2, 0).bytes.len(), 100);
    assert_eq!(network.seen(0, 0).closed, Some(Reason::Finished), "{:#?}", network.log);
    assert_eq!(network.sent_for(0, Purpose::Retransmission).len(), 0);
}
