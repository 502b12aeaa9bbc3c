//! What captures show: frames of lines with their CRCs, frames of TCP in IP packets.

use sojourn_core::{Duration, Time};
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_model::Replication;
use sojourn_protocols::modbus::{Request, Response, rtu, tcp};

use super::support::*;

#[derive(Default)]
struct Kept(Vec<(Time, Vec<u8>)>);

impl FrameSink for Kept {
    fn frame(&mut self, at: Time, bytes: &[u8]) {
        self.0.push((at, bytes.to_vec()));
    }
}

fn captured(text: &str, edits: &[(&str, &str)]) -> (LinkType, Vec<(Time, Vec<u8>)>) {
    let model = model(&scenario(text, edits).unwrap()).unwrap();
    let mut kept = Kept::default();
    let replication = Replication { capture: Some(&mut kept), ..Replication::alone(Duration::from_secs(5)) };
    model.replicate(replication);
    (model.link_type().expect("frames"), kept.0)
}

const FUNCTIONS: [&str; 10] = [
    "read-coils",
    "read-discrete-inputs",
    "read-holding-registers",
    "read-input-registers",
    "write-coil",
    "write-register",
    "write-coils",
    "write-registers",
    "mask-write",
    "read-write",
];

#[test]
fn a_capture_of_a_line_has_a_request_and_its_response_in_turn_with_their_lengths_and_crcs() {
    for function in FUNCTIONS {
        let count = if ["write-coil", "write-register", "mask-write"].contains(&function) { "1" } else { "9" };
        let word = format!("\"{function}\"");
        let edits = [("flow.readings.function", word.as_str()), ("flow.readings.count", count)];
        let (link_type, frames) = captured(&line(3), &edits);
        assert_eq!(link_type, LinkType::User0);
        assert!(frames.len() > 100, "{function}: {}", frames.len());
        for pair in frames.chunks_exact(2) {
            let [asked, answered] = [&pair[0].1, &pair[1].1].map(|frame| rtu::parse(frame).expect("a sound frame"));
            let request = Request::parse(asked.pdu).unwrap_or_else(|error| panic!("{function}: {error}"));
            let response = Response::parse(answered.pdu).unwrap_or_else(|error| panic!("{function}: {error}"));
            assert!(request.accepts(&response) && asked.unit == answered.unit, "{function}");
            // stamped with the end of each frame: between them a silence, 5 ms and the response
            let apart = (pair[1].0 - pair[0].0).picoseconds();
            let octets = 11 * answered.pdu.len() as u64 + 33;
            assert_eq!(apart, 4_010_416_666 + 5 * MILLISECOND + octets * 1_000_000_000_000 / 9600, "{function}");
        }
    }
}

#[test]
fn a_capture_of_a_gateway_has_the_frames_of_tcp() {
    let (link_type, frames) = captured(include_str!("gateway.toml"), &[]);
    assert_eq!(link_type, LinkType::RawIp);
    let (mut requests, mut responses) = (0, 0);
    for (_, packet) in &frames {
        // an IPv4 header of 20 octets and one of TCP without options
        assert_eq!((packet[0], packet[9], packet[32] >> 4), (0x45, 6, 5));
        let (adu, rest) = tcp::parse(&packet[40..]).unwrap().expect("a whole frame");
        assert!(rest.is_empty());
        if u16::from_be_bytes([packet[22], packet[23]]) == tcp::PORT {
            requests += usize::from(Request::parse(adu.pdu).is_ok());
        } else {
            responses += usize::from(Response::parse(adu.pdu).is_ok());
        }
    }
    assert_eq!(requests + responses, frames.len());
    assert!(requests.abs_diff(responses) < 20 && responses > 100, "{requests} and {responses}");
}
