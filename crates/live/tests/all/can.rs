//! CAN between nodes of this tool in a multicast group on the loopback.

use std::net::UdpSocket;

use sojourn_core::Duration;
use sojourn_live::prober::plan::TimedTest;
use sojourn_live::progress::survey::{BusStats, Survey};
use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measurement, Watch, find};
use sojourn_protocols::can::frame::{Content, Id};
use sojourn_protocols::can::log::Logged;

use crate::modbus::{Server, captured, measured, slowly};
use crate::reflector::plan;
use crate::waiting::free_port;

/// A bus that no other test has.
struct Group(u16);

impl Group {
    fn new() -> Group {
        Group(free_port())
    }

    fn url(&self, query: &str) -> String {
        format!("can-udp://239.255.77.21:{}?interface=127.0.0.1&{query}", self.0)
    }

    fn address(&self) -> String {
        format!("239.255.77.21:{}", self.0)
    }
}

#[test]
fn a_node_answers_every_request_of_uds_in_several_frames_and_the_capture_has_them() {
    let group = Group::new();
    let _node = Server::begin(&group.url("request=7E0&delay=5"), true);
    let (record, frames, warnings) = captured(&group.url("service=uds&request=7E0&data=22F190"), slowly());
    let responses = record.distribution("response_time");
    assert_eq!((responses.count(), record.total("failures")), (20, 0), "{warnings:?}");
    assert!(responses.min().unwrap() >= Duration::from_millis(5), "the node takes 5 ms: {:?}", responses.min());
    let phases = ["request", "first_frame", "whole"].map(|phase| record.distribution(&format!("phase/{phase}")));
    let (sum, mean) = (phases.map(|phase| phase.mean().unwrap()).iter().sum::<f64>(), responses.mean().unwrap());
    assert!((sum - mean).abs() < 1e-9, "{sum} of {mean}");
    // a request, a first frame, flow control, and two frames that follow, of 20 bytes
    assert_eq!(frames.len(), 20 * 5);
    let first: Vec<(u32, Vec<u8>)> = frames[..5].iter().map(|frame| frame_of(frame)).collect();
    assert_eq!(first[0], (0x7e0, vec![3, 0x22, 0xf1, 0x90, 0xcc, 0xcc, 0xcc, 0xcc]));
    assert_eq!(first[1], (0x7e8, vec![0x10, 20, 0x62, 0xf1, 0x90, b'0', b'1', b'2']));
    assert_eq!((first[2].0, first[3].1[0], first[4].1[0]), (0x7e0, 0x21, 0x22));
}

fn frame_of(record: &[u8]) -> (u32, Vec<u8>) {
    let frame = Logged::parse(record).unwrap();
    let Content::Data(data) = frame.content else { panic!("a classical frame") };
    (frame.id.value(), data.to_vec())
}

#[test]
fn objects_of_canopen_are_read_in_one_frame_and_in_segments() {
    for (length, frames_each) in [(4, 2), (20, 2 + 2 * 3)] {
        let group = Group::new();
        let _node = Server::begin(&group.url(&format!("node=5&length={length}")), true);
        let (record, frames, _) = captured(&group.url("service=sdo&node=5&index=1018&sub=1"), slowly());
        assert_eq!((record.distribution("response_time").count(), record.total("failures")), (20, 0));
        assert_eq!(frames.len(), 20 * frames_each, "{length} bytes");
    }
}

#[test]
fn negative_responses_and_aborts_are_answers_that_count_as_failures_of_their_kind() {
    let group = Group::new();
    let _node = Server::begin(&group.url("request=7E0&node=5"), true);
    let (record, _, _) = captured(&group.url("service=uds&request=7E0&data=220001"), slowly());
    assert_eq!((record.total("failures"), record.total("failures/uds_negative_response_31")), (20, 20));
    assert_eq!(record.value("loss"), 0.0, "nothing was lost");
    let (record, _, _) = captured(&group.url("service=sdo&node=5&index=5"), slowly());
    assert_eq!((record.total("failures"), record.total("failures/sdo_abort_06020000")), (20, 20));
}

#[test]
fn a_node_that_is_not_there_leaves_requests_unanswered_one_at_a_time() {
    let group = Group::new();
    let (silent, frames) = measured(&group.url("service=uds&request=7E0&data=22F190"), slowly());
    let failure = silent.experiments[0].failure.as_deref().unwrap();
    assert!(failure.starts_with("no response from 7E0h at 239.255.77.21"), "{failure}");
    // of a second and the wait for the last, each request takes its timeout of half a second
    assert!((2..=6).contains(&frames.len()), "{}", frames.len());
}

/// What a listener of this many frames shows in the end.
fn heard(group: &Group, query: &str, count: u64, send: impl FnOnce()) -> BusStats {
    let (transport, target) = find(&group.url(query)).unwrap();
    let listening = Listening { count: Some(count), duration: Some(Duration::from_secs(20)), ..Listening::default() };
    let listen = transport.listen(&target, listening).unwrap();
    send();
    let watch = Watch::new();
    listen(&watch, &mut NoFrames);
    let Some(Survey::Bus(bus)) = watch.survey() else { panic!("a bus") };
    bus
}

#[test]
fn a_listener_shows_identifiers_by_priority_with_their_share_and_sends_nothing() {
    let group = Group::new();
    let _node = Server::begin(&group.url("node=5"), true);
    let mut frames = Vec::new();
    let bus = heard(&group, "bit-rate=500000", 40, || {
        frames = measured(&group.url("service=sdo&node=5&index=1018&sub=1"), slowly()).1;
    });
    assert_eq!(frames.len(), 40, "those of the measurement alone");
    let seen: Vec<(&str, u64, u8)> = bus.identifiers.iter().map(|id| (id.id.as_str(), id.frames, id.octets)).collect();
    assert_eq!((seen, bus.malformed), (vec![("585", 20, 8), ("605", 20, 8)], 0));
    assert!(bus.load.unwrap() > 0.0 && bus.identifiers.iter().all(|id| id.load.unwrap() < bus.load.unwrap()));
}

#[test]
fn hostile_datagrams_are_counted_and_neither_node_nor_measurement_is_disturbed() {
    let group = Group::new();
    let node = Server::begin(&group.url("request=7E0"), true);
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    let to = group.address();
    let flood = std::thread::spawn(move || {
        let mut datagram = Vec::new();
        for n in 0..4000_u32 {
            let octets: Vec<u8> = (0..n % 300).map(|at| (at.wrapping_mul(n) >> 3) as u8).collect();
            stranger.send_to(&octets, &to).unwrap();
            // frames of other nodes with random contents, and of ISO-TP that answer nothing
            let id = if n.is_multiple_of(2) { Id::Base((n % 0x700) as u16) } else { Id::Base(0x7e0) };
            let content = Content::Data(vec![0x30 | (n % 3) as u8, n as u8, (n >> 8) as u8]);
            Logged { id, content }.emit_datagram(0.0, &mut datagram);
            stranger.send_to(&datagram, &to).unwrap();
            if n.is_multiple_of(50) {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
        }
    });
    let (record, _, _) = captured(&group.url("service=uds&request=7E0&data=3E00"), slowly());
    flood.join().unwrap();
    assert_eq!((record.distribution("response_time").count(), record.total("failures")), (20, 0));
    node.end();
}

#[test]
fn a_rate_that_the_bus_does_not_carry_is_refused() {
    let group = Group::new();
    let (transport, target) = find(&group.url("service=sdo&node=5&index=1018&bit-rate=10000")).unwrap();
    let problems = transport.measure(&target, Measurement::timed(plan(Duration::from_secs(1)))).err().unwrap();
    // two frames of 111 bits
    assert!(problems.0[0].message.starts_with("request and answer take 22.200 ms at 10000 bit/s"), "{problems}");
}

#[test]
fn a_request_that_comes_while_two_others_wait_is_not_sent() {
    let group = Group::new();
    let _node = Server::begin(&group.url("request=7E0&delay=120"), true);
    let plan = TimedTest { timeout: Duration::from_secs(2), ..slowly() };
    let (record, frames, _) = captured(&group.url("service=uds&request=7E0&data=3E00"), plan);
    // in a second 8 or 9 of 20 are answered, and two wait behind them
    assert!(record.total("failures/not_sent") >= 8, "{}", record.total("failures/not_sent"));
    assert!(frames.len() <= 24, "one request at a time, and each once: {}", frames.len());
}
