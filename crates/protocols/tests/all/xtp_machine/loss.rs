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
fn of_any_one_packet_with_each_kind_of_status_request() {
    for requests in [Requests::Every(3), Requests::Every(0), Requests::EveryMessage, Requests::Never] {
        for request_by in [RequestBy::Sreq, RequestBy::Dreq, RequestBy::Edge] {
            for fast_nak in [false, true] {
                let configuration = Configuration { requests, request_by, fast_nak, ..configuration() };
                survives_the_loss_of_each_packet(configuration);
            }
        }
    }
}

/// A opens to B and sends `length` bytes; both close.
fn transfer(length: usize, configuration: Configuration, prepare: impl FnOnce(&mut Network)) -> Network {
    let mut network = Network::of(2, configuration.clone());
    prepare(&mut network);
    let context = network.open(1, configuration, b"");
    network.write(0, context, &stream(length), true);
    network.close(0, context);
    network.pass(Duration::from_secs(600));
    network
}

/// A configuration that does not give up where three packets in ten are lost: one of eleven status
/// requests is answered, but for one case in 1600.
fn with_ten_retries(configuration: Configuration) -> Configuration {
    Configuration { retry_count: 10, ..configuration }
}

#[test]
fn of_three_packets_in_ten_leaves_the_stream_whole_and_the_close_completes() {
    for error_control in [ErrorControl::Selective, ErrorControl::GoBackN] {
        for seed in 0..150 {
            let configuration = with_ten_retries(Configuration { error_control, ..configuration() });
            let network = transfer(400, configuration, |network| network.loss = (300, seed));
            assert_eq!(network.seen(1, 0).bytes, stream(400), "seed {seed}: {:#?}", network.log);
            let closed = [network.seen(0, 0).closed, network.seen(1, 0).closed];
            assert_eq!(closed, [Some(Reason::Finished); 2], "seed {seed}: {:#?}", network.log);
            assert!(network.hosts.iter().all(|host| host.contexts() == 0));
        }
    }
}

#[test]
fn with_the_retries_of_the_standard_an_association_in_such_loss_ends_whole_or_says_that_it_does_not() {
    let mut finished = 0;
    for seed in 0..150 {
        let network = transfer(400, configuration(), |network| network.loss = (300, seed));
        let closed = [network.seen(0, 0).closed, network.seen(1, 0).closed];
        if closed == [Some(Reason::Finished); 2] {
            assert_eq!(network.seen(1, 0).bytes, stream(400), "seed {seed}: {:#?}", network.log);
            finished += 1;
        }
        assert!(stream(400).starts_with(&network.seen(1, 0).bytes));
        assert!(closed[0].is_some(), "seed {seed}: {:#?}", network.log);
        assert!(network.hosts.iter().all(|host| host.contexts() == 0), "all timers end");
    }
    assert!(finished > 130, "{finished} of 150 finished");
}

#[test]
fn of_nothing_but_the_order_still_gives_the_stream_once() {
    for seed in 0..100 {
        let prepare = |network: &mut Network| (network.loss, network.disorder) = ((0, seed), 400);
        let network = transfer(400, configuration(), prepare);
        assert_eq!(network.seen(1, 0).bytes, stream(400), "seed {seed}: {:#?}", network.log);
        assert_eq!(network.seen(1, 0).closed, Some(Reason::Finished), "seed {seed}: {:#?}", network.log);
    }
}

#[test]
fn of_order_and_packets_together_still_gives_the_stream_once() {
    for seed in 0..100 {
        for requests in [Requests::EveryPacket, Requests::Every(7)] {
            let configuration = with_ten_retries(Configuration { requests, fast_nak: true, ..configuration() });
            let prepare = |network: &mut Network| (network.loss, network.disorder) = ((200, seed), 400);
            let network = transfer(400, configuration, prepare);
            assert_eq!(network.seen(1, 0).bytes, stream(400), "seed {seed}: {:#?}", network.log);
            assert_eq!(network.seen(1, 0).closed, Some(Reason::Finished), "seed {seed}: {:#?}", network.log);
        }
    }
}

#[test]
fn of_one_packet_in_twenty_leaves_a_mebibyte_whole() {
    let configuration = Configuration { max_data: 4096, ..configuration() };
    for error_control in [ErrorControl::Selective, ErrorControl::GoBackN] {
        let configuration = Configuration { error_control, send_buffer: 1 << 21, ..configuration.clone() };
        let network = transfer(1 << 20, configuration, |network| network.loss = (50, 7));
        assert!(network.seen(1, 0).bytes == stream(1 << 20));
        assert_eq!(network.seen(1, 0).closed, Some(Reason::Finished));
    }
}
