//! Segments that are sent again, overtaken or captured twice.

use sojourn_capture::Outcome::Answered;
use sojourn_core::Time;
use sojourn_protocols::ip::protocol;

use super::script::{Script, ack, data, packet, sack, stamped, syn, syn_ack};

/// Ten segments of 100 octets from 101 on, 1 ms apart from 30 ms on.
fn ten_segments(script: &mut Script) {
    script.handshake(0);
    for number in 0..10 {
        script.client(30 + u64::from(number), data(101 + 100 * number, 501, 100));
    }
}

/// A handshake at a point of capture 10 ms from both sides and back.
fn handshake_midway(script: &mut Script) {
    script.client(0, syn(100));
    script.server(10, syn_ack(500, 101));
    script.client(20, ack(101, 501));
}

#[test]
fn a_loss_that_selective_acknowledgements_show_is_repaired_by_fast_retransmission() {
    let mut script = Script::default();
    ten_segments(&mut script);
    script.server(50, ack(501, 301));
    for number in 0..5 {
        script.server(52 + number, sack(501, 301, &[(401, 501 + 100 * number as u32)]));
    }
    script.client(56, data(301, 501, 100));
    script.server(76, ack(501, 1101));
    let report = script.report(100);
    assert_eq!(report.retransmissions(), [1, 0, 1, 0, 0]);
    assert_eq!(report.samples("acknowledgement_rtt/forward"), [20, 19], "what follows the loss is ambiguous");
    assert_eq!(report.packets()[2], 1);
}

#[test]
fn after_silence_the_timer_sends_again_and_what_follows_belongs_to_it() {
    let mut script = Script::default();
    ten_segments(&mut script);
    script.client(300, data(101, 501, 100));
    script.server(320, ack(501, 201));
    script.client(320, data(201, 501, 100));
    script.client(321, data(301, 501, 100));
    let report = script.report(400);
    assert_eq!(report.retransmissions(), [3, 3, 0, 0, 0]);
}

#[test]
fn the_last_segment_sent_again_soon_is_a_tail_loss_probe() {
    let mut script = Script::default();
    ten_segments(&mut script);
    script.server(50, ack(501, 1001));
    script.client(90, data(1001, 501, 100));
    script.server(110, ack(501, 1101));
    assert_eq!(script.report(200).retransmissions(), [1, 0, 0, 1, 0]);
}

#[test]
fn a_retransmission_is_spurious_if_the_data_were_acknowledged_or_arrive_twice() {
    let mut acknowledged = Script::default();
    ten_segments(&mut acknowledged);
    acknowledged.server(60, ack(501, 1101));
    acknowledged.client(61, data(101, 501, 100));
    assert_eq!(acknowledged.report(100).retransmissions(), [1, 0, 0, 0, 1]);

    let mut duplicate = Script::default();
    ten_segments(&mut duplicate);
    duplicate.client(300, data(101, 501, 100));
    duplicate.server(310, ack(501, 1101));
    duplicate.server(320, sack(501, 1101, &[(101, 201)]));
    assert_eq!(duplicate.report(400).retransmissions(), [1, 0, 0, 0, 1]);
}

#[test]
fn a_retransmission_is_spurious_if_the_timestamp_of_the_first_copy_is_returned() {
    let session = |ts_ecr| {
        let mut script = Script::default();
        script.client(0, stamped(syn(100), 1, 0));
        script.server(20, stamped(syn_ack(500, 101), 9, 1));
        script.client(20, stamped(ack(101, 501), 21, 9));
        script.client(30, stamped(data(101, 501, 100), 31, 9));
        script.client(300, stamped(data(101, 501, 100), 301, 9));
        script.server(310, stamped(ack(501, 201), 300, ts_ecr));
        script.report(400).retransmissions()
    };
    assert_eq!(session(31), [1, 0, 0, 0, 1]);
    assert_eq!(session(301), [1, 1, 0, 0, 0]);
}

#[test]
fn a_segment_lost_before_the_point_of_capture_is_a_retransmission_and_its_data_count_once() {
    let mut script = Script::default();
    handshake_midway(&mut script);
    script.client(30, data(101, 501, 100));
    script.client(32, data(301, 501, 100));
    script.server(52, sack(501, 201, &[(301, 401)]));
    script.client(75, data(201, 501, 100));
    script.server(95, data(501, 401, 7));
    let report = script.report(200);
    assert_eq!((report.retransmissions(), report.count("out_of_order")), ([1, 0, 1, 0, 0], 0));
    assert_eq!(report.transactions(), [(Answered, 2, Some(65), [300, 7])]);
}

#[test]
fn a_segment_that_was_overtaken_is_out_of_order_and_not_sent_again() {
    let mut script = Script::default();
    handshake_midway(&mut script);
    script.client(30, data(101, 501, 100));
    script.client(32, data(301, 501, 100));
    script.client(33, data(201, 501, 100));
    let report = script.report(200);
    assert_eq!((report.count("retransmissions"), report.count("out_of_order"), report.packets()[2]), (0, 1, 0));
}

#[test]
fn a_segment_that_fills_a_gap_after_three_duplicate_acknowledgements_was_sent_again_however_soon_it_comes() {
    let mut script = Script::default();
    // the handshake waited for 100 ms in a queue that is shorter afterwards
    script.client(0, syn(100));
    script.server(10, syn_ack(500, 101));
    script.client(110, ack(101, 501));
    script.client(120, data(101, 501, 100));
    script.server(121, ack(501, 201));
    for number in 0..3 {
        script.client(122 + number, data(301 + 100 * number as u32, 501, 100));
        script.server(123 + number, sack(501, 201, &[(301, 401 + 100 * number as u32)]));
    }
    script.client(140, data(201, 501, 100));
    script.server(141, ack(501, 601));
    let report = script.report(200);
    assert_eq!((report.retransmissions(), report.count("out_of_order")), ([1, 0, 1, 0, 0], 0));
}

/// Whether a segment of 100 octets that fills a gap within a millisecond was sent again, when the receiver has asked for it so
/// often, and acknowledged these ranges behind it.
fn is_sent_again(duplicates: u32, blocks: &[(u32, u32)]) -> bool {
    let mut script = Script::default();
    handshake_midway(&mut script);
    script.client(30, data(101, 501, 100));
    script.server(31, ack(501, 201));
    script.client(32, data(301, 501, 400));
    (0..duplicates).for_each(|_| script.server(32, sack(501, 201, blocks)));
    script.client(33, data(201, 501, 100));
    let report = script.report(200);
    let found = (report.count("retransmissions"), report.count("out_of_order"));
    assert!(matches!(found, (1, 0) | (0, 1)), "{found:?}");
    found.0 == 1
}

#[test]
fn a_loss_is_reported_by_more_than_two_segments_behind_it_or_by_three_ranges_of_any_size() {
    assert!(!is_sent_again(1, &[(301, 501)]), "two segments may as well have overtaken it");
    assert!(is_sent_again(1, &[(301, 502)]));
    assert!(!is_sent_again(1, &[(301, 311), (321, 331)]));
    assert!(is_sent_again(1, &[(301, 311), (321, 331), (341, 351)]));
    assert!(!is_sent_again(2, &[]) && is_sent_again(3, &[]), "three duplicate acknowledgements, without any range");
}

#[test]
fn a_segment_that_is_lost_again_is_sent_by_the_timer_though_acknowledgements_of_others_go_on() {
    let session = |again: u64| {
        let mut script = Script::default();
        ten_segments(&mut script);
        // the second segment is lost, and its fast retransmission at 60 ms as well; others are acknowledged all the time
        script.server(50, ack(501, 201));
        for number in 0..80 {
            let end = 401 + 10 * u32::min(number, 70);
            script.server(52 + 4 * u64::from(number), sack(501, 201, &[(301, end)]));
        }
        script.client(60, data(201, 501, 100));
        script.client(again, data(201, 501, 100));
        script.packets.sort_by_key(|(time, _)| *time);
        script.report(500).retransmissions()
    };
    // the least RTO is 200 ms
    assert_eq!(session(250), [2, 0, 2, 0, 0]);
    assert_eq!(session(270), [2, 1, 1, 0, 0]);
}

#[test]
fn a_packet_that_is_captured_twice_counts_once() {
    let mut script = Script::default();
    script.handshake(0);
    script.client(30, data(101, 501, 100));
    script.again(30);
    script.server(50, data(501, 201, 100));
    let report = script.report(100);
    assert_eq!((report.count("captured_twice"), report.count("retransmissions")), (1, 0));
    assert_eq!((report.packets(), report.transactions()), ([3, 2, 0], vec![(Answered, 1, Some(20), [100, 100])]));
}

#[test]
fn a_keep_alive_is_no_retransmission() {
    let mut script = Script::default();
    script.handshake(0);
    script.client(30, data(101, 501, 100));
    script.server(50, ack(501, 201));
    script.client(9_000, data(200, 501, 1));
    script.server(9_020, ack(501, 201));
    let report = script.report(9_100);
    assert_eq!((report.count("retransmissions"), report.samples("acknowledgement_rtt/forward")), (0, vec![20, 20]));
}

#[test]
fn sequence_numbers_wrap() {
    let mut script = Script::default();
    script.client(0, syn(u32::MAX - 150));
    script.server(10, syn_ack(500, u32::MAX - 149));
    script.client(10, ack(u32::MAX - 149, 501));
    script.client(20, data(u32::MAX - 149, 501, 100));
    script.client(21, data(u32::MAX - 49, 501, 100));
    script.server(31, ack(501, 50));
    script.client(40, data(50, 501, 10));
    script.server(53, data(501, 60, 1));
    let report = script.report(100);
    assert_eq!((report.retransmissions(), report.count("unseen_acknowledged")), ([0; 5], 0));
    assert_eq!(report.samples("acknowledgement_rtt/forward"), [10, 10, 13]);
    assert_eq!(report.transactions(), [(Answered, 1, Some(33), [210, 1])]);
}

#[test]
fn a_capture_of_one_direction_alone_is_followed_in_bounded_memory_and_time() {
    let mut script = Script::default();
    for number in 0..50_000 {
        script.client(number / 100, data(101 + 100 * number as u32, 501, 100));
        if number % 10 == 9 {
            script.client(number / 100, data(101 + 100 * (number as u32 - 5), 501, 100));
        }
    }
    let report = script.report(1_000);
    assert_eq!((report.count("retransmissions"), report.transactions().len()), (5_000, 1));
}

#[test]
fn the_connection_that_was_silent_longest_is_evicted_beyond_the_limit() {
    let connections = sojourn_capture::ip::tcp::CONNECTIONS;
    let (mut tracker, mut out) = (sojourn_capture::ip::IpTracker::default(), sojourn_capture::Sink::with_log());
    let mut segment = [&[0x45, 0, 0, 40, 0, 0, 0, 0, 64, protocol::TCP, 0, 0][..], &[10; 28]].concat();
    (segment[32], segment[33]) = (0x50, 0x02);
    for number in 0..=connections as u32 {
        segment[12..16].copy_from_slice(&number.to_be_bytes());
        sojourn_capture::Tracker::packet(&mut tracker, &packet(1, Time::ZERO, &segment), &mut out);
    }
    assert_eq!(super::script::Report(out).count("evicted"), 1);
}
