//! What is sent again, and what is not.

use sojourn_core::Duration;
use sojourn_protocols::xtp::machine::*;
use sojourn_protocols::xtp::wire::{Options, Span};

use super::network::*;

/// A sends `count` packets of 10 bytes behind an empty FIRST; those in `lose`, from 1, are lost when first sent.
fn sent_again(configuration: Configuration, count: usize, lose: &[usize]) -> (Network, Vec<u64>) {
    let mut network = Network::of(2, configuration.clone());
    let context = network.open(1, configuration, b"");
    network.pass(Duration::from_millis(5));
    let before = network.sent.len();
    network.lose = lose.iter().map(|nth| before + nth - 1).collect();
    network.write(0, context, &stream(10 * count), true);
    network.pass(Duration::from_secs(2));
    assert_eq!(network.seen(1, 0).bytes, stream(10 * count), "{:#?}", network.log);
    let again = network.sent_for(0, Purpose::Retransmission);
    assert!(again.iter().all(|sent| sent.packet.header.options.contains(Options::SREQ)));
    let again = again.iter().map(|sent| sent.packet.header.seq / 10 + 1).collect();
    (network, again)
}

#[test]
fn selective_retransmission_sends_only_the_gaps_again_and_each_once() {
    let (network, again) = sent_again(configuration(), 12, &[3, 4, 8]);
    assert_eq!(again, [3, 4, 8]);
    assert_eq!(network.count(1, Event::Duplicate), 0);
    assert_eq!(network.count(1, Event::OutOfOrder), 9 - 2);
    assert_eq!(network.count(0, Event::Handshake), 0, "the reports sufficed, no timer was needed");
}

#[test]
fn go_back_n_sends_everything_again_from_the_gap_on() {
    let configuration = Configuration { error_control: ErrorControl::GoBackN, ..configuration() };
    let (network, again) = sent_again(configuration, 12, &[3]);
    assert_eq!(again, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    assert_eq!(network.count(1, Event::DroppedAfterGap), 9);
    assert_eq!(network.count(1, Event::OutOfOrder), 0);
}

#[test]
fn spans_are_reported_and_widen_as_packets_come() {
    let (network, _) = sent_again(configuration(), 8, &[2, 6]);
    let reports: Vec<_> = network.story(1).into_iter().filter(|line| line.starts_with("ECNTL")).collect();
    assert_eq!(
        reports,
        [
            "ECNTL 10 [20,30)",
            "ECNTL 10 [20,40)",
            "ECNTL 10 [20,50)",
            "ECNTL 10 [20,50) [60,70)",
            "ECNTL 10 [20,50) [60,80)",
            "ECNTL 50 [60,80)",
        ]
    );
}

#[test]
fn a_retransmission_that_is_lost_is_sent_once_more() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(5));
    // FIRST and its answer, then packets 1 to 3; 2 is lost, and again when it is sent the second time
    let before = network.sent.len();
    network.lose = vec![before + 1];
    network.write(0, context, &stream(30), true);
    network.pass(Duration::from_micros(2500));
    let again = network.sent.iter().position(|sent| sent.purpose == Purpose::Retransmission);
    assert_eq!(again, Some(before + 5), "{:#?}", network.log);
    network.pass(Duration::from_secs(1));
    let mut twice = Network::of(2, configuration());
    let context = twice.open(1, configuration(), b"");
    twice.pass(Duration::from_millis(5));
    twice.lose = vec![before + 1, before + 5];
    twice.write(0, context, &stream(30), true);
    twice.pass(Duration::from_secs(1));
    assert_eq!(twice.sent_for(0, Purpose::Retransmission).len(), 2);
    assert_eq!(twice.seen(1, 0).bytes, stream(30));
}

#[test]
fn the_loss_of_the_last_packet_is_found_by_wtimer_alone() {
    let (network, again) = sent_again(configuration(), 5, &[5]);
    assert_eq!(again, [5]);
    assert_eq!(network.count(0, Event::Handshake), 1);
    assert_eq!(network.count(1, Event::Duplicate), 0);
}

#[test]
fn a_lost_report_costs_nothing_where_a_later_one_arrives() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(5));
    let before = network.sent.len();
    network.lose = vec![before + 3, before + 4]; // the reports of packets 1 and 2
    network.write(0, context, &stream(30), true);
    network.pass(Duration::from_secs(1));
    assert!(network.story(1).contains(&"CNTL 10, lost"), "{:#?}", network.log);
    assert_eq!(network.sent_for(0, Purpose::Retransmission).len(), 0);
    assert_eq!(network.count(0, Event::Handshake), 0);
    assert_eq!(network.hosts[0].queued(context), 0);
}

#[test]
fn a_request_not_honoured_keeps_the_data_and_the_next_report_covers_them() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(5));
    let before = network.sent.len();
    network.mute = vec![before, before + 1];
    network.write(0, context, &stream(30), true);
    network.pass(Duration::from_secs(1));
    assert_eq!(network.seen(1, 0).bytes, stream(30));
    assert_eq!(network.sent_for(0, Purpose::Retransmission).len(), 0, "{:#?}", network.log);
    let answers: Vec<_> = network.story(1).into_iter().filter(|line| line.starts_with("CNTL")).collect();
    assert_eq!(answers, ["CNTL 30"]);
}

#[test]
fn with_fastnak_a_gap_is_reported_without_a_request() {
    let quiet = Configuration { requests: Requests::Every(0), ..configuration() };
    let (slow, again) = sent_again(quiet.clone(), 12, &[3]);
    assert_eq!(again, [3]);
    let (fast, again) = sent_again(Configuration { fast_nak: true, ..quiet }, 12, &[3]);
    assert_eq!(again, [3]);
    let reported = |network: &Network| network.story(1).iter().filter(|line| line.starts_with("ECNTL")).count();
    assert_eq!((reported(&slow), reported(&fast)), (1, 2), "{:#?}", fast.log);
    assert!(fast.story(1).contains(&"ECNTL 20 [30,40)"), "at the first packet behind the gap");
}

#[test]
fn without_error_control_nothing_is_sent_again_and_gaps_are_passed_over() {
    let plain = Configuration { error_control: ErrorControl::None, ..configuration() };
    let mut network = Network::of(2, plain.clone());
    let context = network.open(1, plain, b"");
    network.pass(Duration::from_millis(5));
    network.lose = vec![network.sent.len() + 1];
    for nth in 0..4u8 {
        network.write(0, context, &[nth; 10], true);
    }
    network.pass(Duration::from_secs(1));
    assert_eq!(network.sent_for(0, Purpose::Retransmission).len(), 0);
    assert_eq!(network.count(1, Event::Skipped(10)), 1);
    assert_eq!(network.story(1).iter().filter(|line| line.starts_with("delivers")).count(), 3);
}

#[test]
fn a_report_lists_no_more_spans_than_it_may_and_all_is_repaired_all_the_same() {
    let configuration = Configuration { max_spans: 2, reorder_packets: 3, ..configuration() };
    let (network, again) = sent_again(configuration, 20, &[2, 4, 6, 8, 10, 12]);
    assert!(network.count(1, Event::DroppedAfterGap) > 0, "only three packets are held");
    assert!(again.len() >= 6);
    let spans = network.sent.iter().map(|sent| match &sent.packet.body {
        sojourn_protocols::xtp::wire::Body::ErrorControl(_, spans) => spans.len(),
        _ => 0,
    });
    assert_eq!(spans.max(), Some(2));
    assert_eq!(Span::LENGTH, 16);
}

#[test]
fn of_data_lost_at_random_nothing_that_arrived_is_sent_again_by_reports_alone() {
    for seed in 0..30 {
        let mut network = Network::of(2, configuration());
        let context = network.open(1, configuration(), b"");
        network.pass(Duration::from_millis(5));
        (network.loss, network.loss_of) = ((100, seed), Some(0));
        network.write(0, context, &stream(4000), true);
        network.pass(Duration::from_secs(10));
        assert_eq!(network.seen(1, 0).bytes, stream(4000), "seed {seed}");
        assert_eq!(network.count(1, Event::Duplicate), 0, "seed {seed}: {:#?}", network.log);
        let lost = network.log.iter().filter(|line| line.starts_with("A DATA") && line.ends_with("lost")).count();
        assert_eq!(network.sent_for(0, Purpose::Retransmission).len(), lost, "seed {seed}");
    }
}
