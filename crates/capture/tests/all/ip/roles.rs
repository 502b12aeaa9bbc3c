//! Which host serves.

use sojourn_capture::Outcome::Answered;
use sojourn_capture::ip::IpTracker;
use sojourn_capture::ip::roles::{Evidence, Servers};
use sojourn_capture::{Sink, Tracker};

use super::script::{Report, Script, ack, at, data, packet};

/// The only flow, and what shows its server.
fn flow(report: &Report) -> (String, Vec<(Evidence, u64)>) {
    let flows = &report.0;
    let (_, key) = flows.flows().iter().last().expect("a flow");
    (key.to_string(), flows.evidence().iter().map(|(evidence, count)| (*evidence, *count)).collect())
}

/// A call of NFS 3 over UDP, and its reply.
fn nfs(xid: u8) -> ([u8; 32], [u8; 24]) {
    let (mut call, mut reply) = ([0; 32], [0; 24]);
    (call[3], call[11], call[13], call[14], call[15], call[19]) = (xid, 2, 1, 0x86, 0xa3, 3);
    (reply[3], reply[7]) = (xid, 1);
    (call, reply)
}

#[test]
fn a_client_with_a_low_port_asks_the_port_of_a_common_service() {
    let mut script = Script::of_client(796);
    script.datagram(0, false, 2049, &nfs(1).1);
    for (xid, milliseconds) in [(2, 10), (3, 6_000)] {
        script.datagram(milliseconds, true, 2049, &nfs(xid).0);
        script.datagram(milliseconds + 3, false, 2049, &nfs(xid).1);
    }
    let report = script.report(7_000);
    let expected = ("10.0.0.1 to 10.0.0.2, UDP 2049".to_owned(), vec![(Evidence::Service, 1)]);
    assert_eq!(flow(&report), expected);
    let answered = report
        .transactions()
        .iter()
        .filter_map(|(outcome, _, time, _)| (*outcome == Answered).then_some(*time))
        .collect::<Vec<_>>();
    assert_eq!(answered, [Some(3), Some(3)]);
}

#[test]
fn a_connection_of_before_the_capture_is_served_by_whom_messages_ask() {
    let mut script = Script::of_client(3_000);
    script.server(0, ack(501, 101));
    let headers = [data(101, 501, 0).0, data(501, 119, 0).0];
    script.segment(10, true, 1_025, headers[0], b"GET / HTTP/1.1\r\n\r\n");
    script.segment(17, false, 1_025, headers[1], b"HTTP/1.1 204 No\r\n\r\n");
    let report = script.report(20);
    assert_eq!(flow(&report), ("10.0.0.1 to 10.0.0.2, TCP 1025".to_owned(), vec![(Evidence::Content, 1)]));
    assert_eq!(report.transactions(), [(Answered, 1, Some(7), [18, 19])]);
}

/// Round trips of an unknown application that begin with an answer.
fn unknown() -> Script {
    let mut script = Script::of_client(3_000);
    script.datagram(0, false, 2_900, b"A");
    for milliseconds in [100, 200] {
        script.datagram(milliseconds, true, 2_900, &[b'b', milliseconds as u8]);
        script.datagram(milliseconds + 4, false, 2_900, &[b'B', milliseconds as u8]);
    }
    script
}

#[test]
fn who_sent_first_asks_where_nothing_else_shows_it_and_the_user_may_say_otherwise() {
    let script = unknown();
    let guessed = script.report(300);
    assert_eq!(flow(&guessed), ("10.0.0.2 to 10.0.0.1, UDP 3000".to_owned(), vec![(Evidence::FirstToSend, 1)]));

    let servers = Servers::stated(vec!["10.0.0.2:2900".parse().unwrap()]);
    let (mut tracker, mut out) = (IpTracker::new(&servers), Sink::with_log());
    for (number, (time, data)) in (1..).zip(&script.packets) {
        tracker.packet(&packet(number, *time, data), &mut out);
    }
    tracker.finish(at(300), &mut out);
    let stated = Report(out);
    assert_eq!(flow(&stated), ("10.0.0.1 to 10.0.0.2, UDP 2900".to_owned(), vec![(Evidence::Stated, 1)]));
    assert_eq!(stated.transactions(), [(Answered, 1, Some(4), [2, 2]), (Answered, 1, Some(4), [2, 2])]);
}
