//! Captures of FDDI: every frame as LLC and SNAP with IPv4 inside, readable back to the packet of XTP 4.0.

use sojourn_core::{Duration, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_model::Replication;
use sojourn_protocols::xtp::wire::{Body, Packet};
use sojourn_scenario::check;

/// Frame control and addresses, then LLC and SNAP, then IPv4.
const LLC: usize = 13;
const IP: usize = LLC + 8;
const PAYLOAD: usize = IP + 20;

#[derive(Default)]
struct Frames(Vec<(Time, Vec<u8>)>);

impl FrameSink for Frames {
    fn frame(&mut self, at: Time, bytes: &[u8]) {
        self.0.push((at, bytes.to_vec()));
    }
}

fn frames(decodable: bool) -> Vec<(Time, Vec<u8>)> {
    let text = format!(
        r#"
        [network]
        kind = "fddi"
        decodable_capture = {decodable}
        [voice]
        samples = 100
        [probe]
        exchanges = 50
        [messages]
        rate = "100 /s"
        [run]
        duration = "1 s"
        "#
    );
    let scenario = sojourn_fddi::NETWORKS.kinds().parse("test.toml", &text).and_then(|document| check(&document));
    let scenario = scenario.unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    let model = crate::support::model(&scenario).expect("a model");
    let mut sink = Frames::default();
    model.replicate(Replication {
        warm_up: Duration::from_millis(100),
        capture: Some(&mut sink),
        ..Replication::alone(Duration::from_secs(1))
    });
    sink.0
}

#[test]
fn every_packet_of_xtp_can_be_read_back_from_the_capture() {
    let frames = frames(true);
    assert!(frames.is_sorted_by_key(|(at, _)| *at));
    let (mut data, mut reports, mut datagrams) = (0, 0, 0);
    for (_, bytes) in &frames {
        assert_eq!(bytes[0] & 0xf0, 0x50, "shown as asynchronous LLC");
        assert_eq!(bytes[LLC..IP], [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]);
        if bytes[IP + 9] == 17 {
            datagrams += 1;
            continue;
        }
        assert_eq!(bytes[IP + 9], 36, "the protocol number of XTP");
        match Packet::parse(&bytes[PAYLOAD..]).expect("a valid packet").body {
            Body::Data { data: user, .. } => {
                assert_eq!(user.len(), 100);
                data += 1;
            }
            body => reports += u32::from(body.control().is_some()),
        }
    }
    assert_eq!(data, 100, "50 there and 50 back");
    assert!(reports >= 100, "each is acknowledged");
    assert!(datagrams > 10, "messages are datagrams");
}

#[test]
fn a_capture_as_sent_shows_the_synchronous_class() {
    let controls: Vec<u8> = frames(false).iter().map(|(_, bytes)| bytes[0]).collect();
    assert!(controls.contains(&0xd0) && controls.iter().any(|control| control & 0xf8 == 0x50));
}
