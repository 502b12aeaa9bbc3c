//! Connections from handshake to close, requests and answers over them.

use sojourn_capture::Outcome::{Answered, Open, Overlapped, Refused, Unanswered};

use super::script::{Script, ack, data, fin, rst, syn, syn_ack, window};

#[test]
fn a_request_ends_with_the_first_data_of_its_answer() {
    let mut script = Script::default();
    script.handshake(0);
    script.client(30, data(101, 501, 300));
    script.server(55, ack(501, 401));
    script.server(80, data(501, 401, 1000));
    script.server(81, data(1501, 401, 500));
    script.client(90, ack(401, 2001));
    script.client(130, data(401, 2001, 10));
    script.server(170, data(2001, 411, 20));
    script.client(180, fin(411, 2021));
    script.server(181, fin(2021, 412));
    script.client(181, ack(412, 2022));
    let report = script.report(200);
    let expected = [(Answered, 1, Some(50), [300, 1500]), (Answered, 1, Some(40), [10, 20])];
    assert_eq!(report.transactions(), expected);
    assert_eq!((report.samples("handshake_rtt"), report.samples("connect_time")), (vec![20], vec![20]));
    let rtts = ["forward", "return"].map(|side| report.samples(&format!("acknowledgement_rtt/{side}")));
    assert_eq!(rtts, [vec![20, 25, 40, 1], vec![0, 9, 10, 0]]);
    assert_eq!(report.packets(), [7, 6, 0]);
    let counts = ["connections", "connections/open-at-begin", "connections/open-at-end", "retransmissions"];
    assert_eq!(counts.map(|metric| report.count(metric)), [1, 0, 0, 0]);
}

#[test]
fn a_connection_of_before_the_capture_has_its_server_at_the_registered_port() {
    let mut script = Script::default();
    script.server(0, data(501, 101, 100));
    script.client(1, ack(101, 601));
    script.client(30, data(101, 601, 5));
    script.server(37, data(601, 106, 6));
    let report = script.report(100);
    assert_eq!(report.transactions(), [(Answered, 1, Some(7), [5, 6])]);
    assert_eq!(["begin", "end"].map(|side| report.count(&format!("connections/open-at-{side}"))), [1, 1]);
}

#[test]
fn a_connection_that_is_refused_or_not_answered_is_a_failed_request() {
    let mut refused = Script::default();
    refused.client(0, syn(100));
    refused.server(9, rst(0, 101));
    assert_eq!(refused.report(20).transactions(), [(Refused, 1, Some(9), [0, 0])]);

    let mut silent = Script::default();
    [0, 1_000, 3_000].iter().for_each(|milliseconds| silent.client(*milliseconds, syn(100)));
    assert_eq!(silent.report(4_000).transactions(), [(Open, 3, None, [0, 0])]);
    assert_eq!(silent.report(15_000).transactions(), [(Unanswered, 3, None, [0, 0])]);
    assert_eq!(silent.report(15_000).retransmissions(), [2, 2, 0, 0, 0]);
}

#[test]
fn a_handshake_with_a_repeated_syn_takes_its_time_but_measures_no_round_trip() {
    let mut script = Script::default();
    script.client(0, syn(100));
    script.client(1_000, syn(100));
    script.server(1_020, syn_ack(500, 101));
    script.client(1_020, ack(101, 501));
    let report = script.report(2_000);
    assert_eq!((report.samples("connect_time"), report.samples("handshake_rtt")), (vec![1_020], vec![]));
}

#[test]
fn a_reset_refuses_the_open_request_and_the_end_of_the_capture_leaves_it_open() {
    let mut reset = Script::default();
    reset.handshake(0);
    reset.client(30, data(101, 501, 300));
    let open = reset.report(1_000);
    assert_eq!(open.transactions(), [(Open, 1, None, [300, 0])]);
    reset.server(60, rst(501, 401));
    assert_eq!(reset.report(1_000).transactions(), [(Refused, 1, Some(30), [300, 0])]);
}

#[test]
fn probes_of_a_closed_window_are_no_retransmissions() {
    let mut script = Script::default();
    script.handshake(0);
    script.client(30, data(101, 501, 1000));
    script.server(50, window(ack(501, 1101), 0));
    for milliseconds in [300, 900, 2_100] {
        script.client(milliseconds, data(1101, 501, 1));
        script.server(milliseconds + 20, window(ack(501, 1101), 0));
    }
    script.server(3_000, window(ack(501, 1101), 1000));
    script.client(3_010, data(1101, 501, 500));
    script.server(3_030, ack(501, 1601));
    let report = script.report(3_100);
    let counts = ["zero_window_probes", "retransmissions", "unseen_acknowledged"].map(|metric| report.count(metric));
    assert_eq!(counts, [3, 0, 0]);
}

#[test]
fn the_octet_of_a_probe_that_the_receiver_takes_was_captured() {
    let mut script = Script::default();
    script.handshake(0);
    script.client(30, data(101, 501, 1000));
    script.server(50, window(ack(501, 1101), 0));
    script.client(300, data(1101, 501, 1));
    script.server(320, ack(501, 1102));
    script.client(330, data(1102, 501, 500));
    let report = script.report(400);
    assert_eq!((report.count("unseen_acknowledged"), report.count("retransmissions")), (0, 0));
}

#[test]
fn requests_that_overlap_have_no_response_time() {
    let mut script = Script::default();
    script.handshake(0);
    script.client(30, data(101, 501, 100));
    script.server(60, data(501, 201, 10));
    script.client(61, data(201, 511, 100));
    script.client(70, data(301, 511, 100));
    // the answer to the first of the two, before the second has come
    script.server(80, data(511, 301, 10));
    script.server(90, data(521, 401, 10));
    let report = script.report(100);
    let expected = [(Answered, 1, Some(30), [100, 10]), (Overlapped, 1, None, [200, 10])];
    assert_eq!((report.transactions(), report.complete()), (expected.to_vec(), vec![30]));
}

#[test]
fn a_port_that_is_used_again_begins_another_connection() {
    let mut script = Script::default();
    script.handshake(0);
    script.client(30, fin(101, 501));
    script.server(31, fin(501, 102));
    script.client(31, ack(102, 502));
    script.client(500, syn(90_000));
    script.server(507, syn_ack(7_000, 90_001));
    script.client(507, ack(90_001, 7_001));
    let report = script.report(600);
    assert_eq!((report.count("connections"), report.samples("handshake_rtt")), (2, vec![20, 7]));
    assert_eq!(report.count("retransmissions"), 0);
}

#[test]
fn zero_windows_are_counted_and_the_time_to_the_next_window_is_measured() {
    let mut script = Script::default();
    script.handshake(0);
    script.client(30, data(101, 501, 1000));
    script.server(50, window(ack(501, 1101), 0));
    script.server(250, window(ack(501, 1101), 0));
    script.server(350, window(ack(501, 1101), 800));
    let report = script.report(400);
    assert_eq!((report.count("zero_windows"), report.samples("zero_window_time")), (2, vec![300]));
}

#[test]
fn pipelined_requests_of_modbus_are_distinguished_by_their_identifiers() {
    let message = |number: u8, function: u8| [0, number, 0, 0, 0, 6, 1, function, 0, 0, 0, 1];
    let mut script = Script::default();
    let mut send = |milliseconds, forward, (header, _), octets: &[u8]| {
        script.segment(milliseconds, forward, 502, header, octets);
    };
    send(0, true, syn(100), &[]);
    send(1, false, syn_ack(500, 101), &[]);
    send(1, true, data(101, 501, 0), &[message(1, 3), message(2, 3)].concat());
    send(5, true, data(125, 501, 0), &message(3, 6));
    send(9, false, data(501, 137, 0), &message(2, 3));
    send(12, false, data(513, 137, 0), &[message(1, 3), message(3, 0x86)].concat());
    let expected =
        [(Answered, 1, Some(8), [12, 12]), (Answered, 1, Some(11), [12, 12]), (Refused, 1, Some(7), [12, 12])];
    assert_eq!(script.report(20).transactions(), expected);
}
