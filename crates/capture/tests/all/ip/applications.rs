//! Requests with identifiers, several open at once: the same are paired as by tshark.

use std::path::Path;

use sojourn_capture::Outcome::{Answered, Open};
use sojourn_capture::{Event, Transaction};
use sojourn_protocols::tcp::wire::Header;

use super::script::{Script, data, syn, syn_ack};
use super::tshark::{tshark_with, write};

/// A connection to a port of the server, with messages of both sides.
struct Session {
    script: Script,
    port: u16,
    /// The next sequence numbers of the client and the server.
    next: [u32; 2],
}

impl Session {
    fn new(port: u16) -> Session {
        let mut script = Script::default();
        let headers = [syn(100).0, syn_ack(500, 101).0, data(101, 501, 0).0];
        for (place, header) in headers.into_iter().enumerate() {
            script.segment(place as u64, place != 1, port, header, &[]);
        }
        Session { script, port, next: [101, 501] }
    }

    fn sends(&mut self, milliseconds: u64, forward: bool, octets: &[u8]) {
        let [client, server] = self.next;
        let (seq, ack) = if forward { (client, server) } else { (server, client) };
        let header = Header { seq, ack: Some(ack), window: 10_000, ..Header::default() };
        self.script.segment(milliseconds, forward, self.port, header, octets);
        self.next[usize::from(!forward)] += octets.len() as u32;
    }
}

/// Milliseconds of the answered requests, in order of their answers.
fn times(script: &Script) -> Vec<u64> {
    let report = script.report(60_000);
    let lines = report.transactions();
    assert!(lines.iter().all(|(outcome, ..)| *outcome == Answered), "{lines:?}");
    lines.iter().filter_map(|(_, _, time, _)| *time).collect()
}

/// The same of what tshark pairs, by a field in seconds.
fn of_tshark(name: &str, script: &Script, field: &str, options: &[&str]) -> Option<Vec<u64>> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pcap"));
    write(script, &path);
    let lines = tshark_with(&path, field, field, options)?;
    // a packet with several answers has several times
    let seconds = lines.iter().flat_map(|line| line.split(',')).map(|time| time.parse::<f64>().unwrap());
    Some(seconds.map(|seconds| (seconds * 1e3).round() as u64).collect())
}

fn agrees(name: &str, script: &Script, field: &str, options: &[&str], expected: &[u64]) {
    assert_eq!(times(script), expected);
    match of_tshark(name, script, field, options) {
        Some(found) => assert_eq!(found, expected, "tshark"),
        None => eprintln!("skipped: tshark is not installed"),
    }
}

/// A message of SMB 2: an echo with its flags, status and message identifier, and where the next one begins.
fn smb(flags: u8, status: u16, id: u8, next: u8) -> Vec<u8> {
    let mut message = [&b"\xfeSMB"[..], &[64, 0], &[0; 58], &[4, 0, 0, 0, 0, 0, 0, 0]].concat();
    message[8..10].copy_from_slice(&status.to_le_bytes());
    (message[12], message[16], message[20], message[24]) = (0x0d, flags, next, id);
    message
}

fn netbios(messages: &[Vec<u8>]) -> Vec<u8> {
    let messages = messages.concat();
    [&(messages.len() as u32).to_be_bytes()[..], &messages].concat()
}

#[test]
fn requests_of_smb_are_paired_by_message_identifier_in_compounds_and_after_a_pending_status() {
    let mut session = Session::new(445);
    session.sends(10, true, &netbios(&[smb(0, 0, 1, 0)]));
    session.sends(12, true, &netbios(&[smb(0, 0, 2, 0)]));
    session.sends(13, true, &netbios(&[smb(0, 0, 3, 72), smb(0, 0, 4, 0)]));
    session.sends(20, false, &netbios(&[smb(3, 0x103, 1, 0)]));
    session.sends(22, false, &netbios(&[smb(1, 0, 2, 0)]));
    session.sends(24, false, &netbios(&[smb(1, 0, 3, 72), smb(1, 0, 4, 0)]));
    session.sends(50, false, &netbios(&[smb(3, 0, 1, 0)]));
    assert_eq!(times(&session.script), [10, 11, 11, 40]);
    let Some(found) = of_tshark("smb", &session.script, "smb2.time", &[]) else {
        eprintln!("skipped: tshark is not installed");
        return;
    };
    // tshark takes the pending status for an answer as well, and the final one for another
    assert_eq!(found, [10, 10, 11, 11, 40]);
}

/// A call and its reply with a record mark.
fn record(xid: u8, is_call: bool) -> Vec<u8> {
    let mut message = vec![0; if is_call { 40 } else { 24 }];
    message[3] = xid;
    if is_call {
        (message[11], message[13], message[14], message[15], message[19]) = (2, 1, 0x86, 0xa3, 3);
    } else {
        message[7] = 1;
    }
    [&(1 << 31 | message.len() as u32).to_be_bytes()[..], &message].concat()
}

#[test]
fn calls_of_nfs_are_paired_by_transaction_identifier_over_tcp_and_udp() {
    let mut session = Session::new(2049);
    session.sends(10, true, &[record(1, true), record(2, true)].concat());
    session.sends(15, false, &record(2, false));
    session.sends(18, true, &record(3, true));
    session.sends(25, false, &record(1, false));
    session.sends(26, false, &record(3, false));
    agrees("nfs-tcp", &session.script, "rpc.time", &[], &[5, 15, 8]);

    let mut script = Script::of_client(796);
    script.datagram(10, true, 2049, &record(1, true)[4..]);
    script.datagram(11, true, 2049, &record(2, true)[4..]);
    script.datagram(15, false, 2049, &record(2, false)[4..]);
    script.datagram(25, false, 2049, &record(1, false)[4..]);
    agrees("nfs-udp", &script, "rpc.time", &[], &[4, 15]);
}

fn sip(start: &str, sequence: &str, branch: &str) -> Vec<u8> {
    format!(
        "{start}\r\nVia: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bK{branch}\r\nFrom: <sip:a@a>;tag=1\r\nTo: <sip:b@b>\r\nCall-ID: 7@a\r\n\
         CSeq: {sequence}\r\nContent-Length: 0\r\n\r\n"
    )
    .into_bytes()
}

#[test]
fn a_call_is_answered_by_its_final_response_and_an_ack_by_none() {
    let mut script = Script::default();
    script.datagram(0, true, 5060, &sip("INVITE sip:b@b SIP/2.0", "1 INVITE", "a"));
    script.datagram(20, false, 5060, &sip("SIP/2.0 100 Trying", "1 INVITE", "a"));
    script.datagram(100, true, 5060, &sip("OPTIONS sip:b@b SIP/2.0", "2 OPTIONS", "b"));
    script.datagram(130, false, 5060, &sip("SIP/2.0 200 OK", "2 OPTIONS", "b"));
    script.datagram(15_000, false, 5060, &sip("SIP/2.0 200 OK", "1 INVITE", "a"));
    script.datagram(15_005, true, 5060, &sip("ACK sip:b@b SIP/2.0", "1 ACK", "c"));
    // the one who was called hangs up
    script.datagram(20_000, false, 5060, &sip("BYE sip:a@a SIP/2.0", "9 BYE", "d"));
    script.datagram(20_009, true, 5060, &sip("SIP/2.0 200 OK", "9 BYE", "d"));
    assert_eq!(times(&script), [30, 15_000, 9]);
}

fn radius(code: u8, identifier: u8) -> Vec<u8> {
    [&[code, identifier, 0, 20][..], &[identifier; 16]].concat()
}

#[test]
fn requests_of_radius_are_paired_by_identifier() {
    let mut script = Script::of_client(1_645);
    script.datagram(0, true, 1_812, &radius(1, 7));
    script.datagram(2, true, 1_812, &radius(1, 8));
    script.datagram(5, false, 1_812, &radius(3, 8));
    script.datagram(9, false, 1_812, &radius(2, 7));
    agrees("radius", &script, "radius.time", &[], &[3, 9]);
}

#[test]
fn confirmations_and_supervisory_frames_are_no_requests() {
    let dnp3 = |from_master: bool, function: u8, sequence: u8| {
        let (control, to, from) = if from_master { (0xc4, 10, 1) } else { (0x44, 1, 10) };
        vec![5, 0x64, 8, control, to, 0, from, 0, 0, 0, 0xc0, 0xc0 | sequence, function, 0, 0]
    };
    let mut outstation = Session::new(20_000);
    outstation.sends(0, true, &dnp3(true, 1, 1));
    outstation.sends(25, false, &dnp3(false, 129, 1));
    outstation.sends(30, true, &dnp3(true, 0, 1));
    outstation.sends(5_000, true, &dnp3(true, 2, 2));
    outstation.sends(5_020, false, &dnp3(false, 129, 2));
    assert_eq!(times(&outstation.script), [25, 20]);

    let command = |kind, cause| [0x68, 14, 0, 0, 0, 0, kind, 1, cause, 0, 1, 0, 0, 0, 0, 20];
    let mut station = Session::new(2_404);
    station.sends(0, true, &command(100, 6));
    station.sends(660, false, &command(100, 7));
    station.sends(700, true, &[0x68, 4, 1, 0, 2, 0]);
    station.sends(9_000, false, &command(13, 3));
    assert_eq!(times(&station.script), [660]);
}

#[test]
fn pipelined_requests_of_http_are_answered_in_order_and_complete_with_their_bodies() {
    let mut session = Session::new(80);
    session.sends(0, true, b"GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n");
    session.sends(10, false, b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
    session.sends(14, false, b"cdHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n");
    session.sends(30, false, b"ab\r\n0\r\n\r\n");
    session.sends(50, true, b"GET /c HTTP/1.1\r\n\r\n");
    session.sends(57, false, b"HTTP/1.1 304 Not Modified\r\n\r\n");
    let report = session.script.report(100);
    assert_eq!(times(&session.script), [10, 14, 7]);
    assert_eq!(report.complete(), [14, 30, 7]);
}

/// Two requests at once, the head and the body of the first answer, and the second answer; each with its milliseconds.
const ASKED: &[u8] = b"GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n";
const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab";
const LAST: &[u8] = b"HTTP/1.1 304 Not Modified\r\n\r\n";

#[test]
fn an_answer_whose_begin_was_not_captured_leaves_the_next_its_request() {
    let mut session = Session::new(80);
    session.sends(0, true, ASKED);
    session.next[1] += HEAD.len() as u32;
    session.sends(12, false, b"cd");
    session.sends(20, false, LAST);
    let report = session.script.report(100);
    let found: Vec<_> = report.transactions().iter().map(|(outcome, _, time, _)| (*outcome, *time)).collect();
    assert_eq!(found, [(Open, None), (Answered, Some(20))]);
}

#[test]
fn an_answer_whose_begin_was_overtaken_is_that_of_its_request() {
    let mut session = Session::new(80);
    session.sends(0, true, ASKED);
    let head = session.next[1];
    session.next[1] += HEAD.len() as u32;
    session.sends(12, false, b"cd");
    let behind = std::mem::replace(&mut session.next[1], head);
    session.sends(15, false, HEAD);
    session.next[1] = behind;
    session.sends(20, false, LAST);
    assert_eq!(times(&session.script), [15, 20]);
}

#[test]
fn an_answer_without_its_end_that_came_before_a_request_answers_none() {
    let mut session = Session::new(80);
    session.sends(0, true, b"GET /a HTTP/1.1\r\n\r\n");
    session.sends(5, false, LAST);
    session.sends(12, false, b"HTTP/1.1 200 OK\r\nServer");
    session.sends(14, true, b"GET /b HTTP/1.1\r\n\r\n");
    let report = session.script.report(100);
    let found: Vec<_> = report.transactions().iter().map(|(outcome, _, time, _)| (*outcome, *time)).collect();
    assert_eq!(found, [(Answered, Some(5)), (Open, None)]);
}

#[test]
fn a_message_that_says_to_be_longer_than_a_stream_is_counted_and_not_followed() {
    for length in [2_147_483_648_u64, 2_200_000_000, 4_294_967_295, 9_999_999_999] {
        let mut session = Session::new(80);
        session.sends(0, true, b"GET /a HTTP/1.1\r\n\r\n");
        session.sends(9, false, format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nab").as_bytes());
        session.sends(11, false, b"cd");
        session.sends(30, true, b"GET /b HTTP/1.1\r\n\r\n");
        session.sends(34, false, LAST);
        assert_eq!(times(&session.script), [9, 4], "{length}");
    }
}

#[test]
fn the_server_of_a_connection_may_ask_as_well() {
    let mut session = Session::new(1883);
    session.sends(0, true, &[0x10, 2, 0, 0]);
    session.sends(4, false, &[0x20, 2, 0, 0]);
    session.sends(10, false, &[0x32, 7, 0, 1, b't', 0, 9, b'o', b'n']);
    session.sends(13, true, &[0x40, 2, 0, 9]);
    let report = session.script.report(20);
    let flows: Vec<String> = report
        .0
        .log()
        .iter()
        .filter_map(|event| match event {
            Event::Transaction(Transaction { flow, .. }) => report.0.flows().key(*flow).map(ToString::to_string),
            _ => None,
        })
        .collect();
    assert_eq!(flows, ["10.0.0.1 to 10.0.0.2, TCP 1883", "10.0.0.2 to 10.0.0.1, TCP 40000"]);
    assert_eq!(times(&session.script), [4, 3]);
}
