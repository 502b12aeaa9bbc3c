//! Messages of several frames.

use sojourn_core::Duration;
use sojourn_model::testing::value;

use crate::support::{bus, metrics, number, periodic, record};

fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// A frame with 8 bytes and its intermission, without CPU time; and up to its end.
const FRAME: u64 = 270;
const ALONE: u64 = 264;

fn longest(flow: &str, edits: &[(&str, &str)]) -> Option<Duration> {
    record(&bus(&["a"], flow), edits).distribution("response_time").max()
}

#[test]
fn a_remote_frame_is_answered_by_a_data_frame() {
    let flow = periodic("ask", "a", 0x100, "10 ms", "1 ms", "service = \"remote\"");
    // 55 bits without data, less 3; the answer after the intermission
    assert_eq!(longest(&flow, &[]), Some(us(110 + ALONE)));
}

#[test]
fn a_service_data_object_of_four_bytes_takes_a_frame_in_each_direction() {
    let flow = periodic("read", "a", 0x601, "10 ms", "1 ms", "service = \"sdo\"\ndata = \"4 B\"");
    assert_eq!(longest(&flow, &[]), Some(us(FRAME + ALONE)));
    let costs = [("station.sink.costs.receive", "100 us"), ("station.sink.costs.send", "50 us")];
    // the answer comes when the bus has been free for long
    assert_eq!(longest(&flow, &costs), Some(us(2 * ALONE + 150)));
}

#[test]
fn a_longer_object_takes_two_frames_for_each_segment() {
    let flow = periodic("read", "a", 0x601, "10 ms", "1 ms", "service = \"sdo\"\ndata = \"20 B\"");
    assert_eq!(longest(&flow, &[]), Some(us(7 * FRAME + ALONE)));
}

#[test]
fn an_object_in_blocks_takes_its_segments_and_an_answer_to_each_block() {
    let flow = |more: &str| periodic("update", "a", 0x601, "1 s", "1 ms", &format!("service = \"sdo-block\"\n{more}"));
    // begin and its answer, three segments and their answer, end and its answer
    assert_eq!(longest(&flow("data = \"20 B\""), &[]), Some(us(7 * FRAME + ALONE)));
    // 585 segments in five blocks
    assert_eq!(longest(&flow("data = \"4095 B\""), &[]), Some(us((2 + 585 + 5 + 1) * FRAME + ALONE)));
    assert_eq!(longest(&flow("data = \"4095 B\"\nblock_size = 65"), &[]), Some(us((2 + 585 + 9 + 1) * FRAME + ALONE)));
}

#[test]
fn a_message_of_iso_tp_takes_its_frames_and_its_separation_times() {
    let flow = |more: &str| periodic("update", "a", 0x7e0, "100 ms", "1 ms", &format!("service = \"isotp\"\n{more}"));
    assert_eq!(longest(&flow("data = \"7 B\""), &[]), Some(us(ALONE)));
    // 6 bytes first, flow control, then 14 in two frames
    assert_eq!(longest(&flow("data = \"20 B\""), &[]), Some(us(3 * FRAME + ALONE)));
    let separated = longest(&flow("data = \"20 B\"\nseparation = \"5 ms\""), &[]);
    assert_eq!(separated, Some(us(2 * FRAME + ALONE + 5000 + ALONE)), "5 ms from the end of a frame to the next");
}

#[test]
fn a_message_of_j1939_to_all_takes_its_packet_intervals() {
    let flow = "[[flow]]\nname = \"dm1\"\nfrom = \"a\"\nto = [\"sink\", \"b\"]\nid = 0x18fecaf9\nextended = true\nservice = \"j1939\"\ndata = \"20 B\"\nprobe = true\n\
                arrivals = { kind = \"periodic\", interval = \"1 s\", start = \"at-once\", delay = \"100 ms\" }\n";
    let metrics = metrics(&bus(&["a", "b"], flow), &[]);
    // the announcement and three packets of 157 bits, 50 ms apart
    let expected = (4.0 * 157.0 * 2e-6 + 3.0 * 0.05) * 1e3;
    let found = value(&metrics, "response_time", "max") * 1e3;
    assert!((found - expected).abs() < 1e-6, "{found} ms, not {expected} ms");
    assert_eq!(value(&metrics, "response_time", "count"), 20.0, "two receivers");
    assert!((value(&metrics, "delay_budget/pacing", "mean") - 0.15).abs() < 1e-9);
}

#[test]
fn a_message_of_j1939_to_one_has_its_window_cleared() {
    let flow = "[[flow]]\nname = \"block\"\nfrom = \"a\"\nto = \"sink\"\nid = 0x18efc8f9\nextended = true\nservice = \"j1939\"\ndata = \"39 B\"\nprobe = true\n\
                arrivals = { kind = \"periodic\", interval = \"1 s\", start = \"at-once\", delay = \"100 ms\" }\n";
    // request, clear to send, six packets: 160 bits each
    assert_eq!(longest(flow, &[]), Some(us(7 * 320 + 314)));
    // with windows of 2: two more clear to send
    assert_eq!(longest(flow, &[("flow.block.window", "2")]), Some(us(9 * 320 + 314)));
}

#[test]
fn messages_of_a_session_wait_for_each_other() {
    let flow = "[[flow]]\nname = \"read\"\nfrom = \"a\"\nto = \"sink\"\nid = 0x601\nservice = \"sdo\"\ndata = \"4 B\"\nprobe = true\n\
                arrivals = { kind = \"burst\", interval = \"1 s\", size = 3, gap = \"0 s\" }\n";
    let record = record(&bus(&["a"], flow), &[]);
    assert_eq!(record.distribution("response_time").max(), Some(us(5 * FRAME + ALONE)));
}

#[test]
fn a_request_without_answer_is_begun_again_and_then_lost() {
    let flow = periodic("read", "a", 0x601, "1 s", "0 s", "service = \"sdo\"\ntimeout = \"100 ms\"\nretries = 2");
    let off = sojourn_model::testing::event(
        "action = \"power-down\"\nstations = \"sink\"\nat = \"3500 ms\"\nduration = \"2 s\"",
    );
    let record = record(&format!("{}{off}", bus(&["a", "b"], &flow)), &[]);
    assert_eq!((number(&record, "failures"), number(&record, "retries")), (2.0, 4.0));
    assert!((number(&record, "loss") - 0.2).abs() < 1e-9);
}

#[test]
fn control_frames_beside_a_firmware_update_wait_for_at_most_one_frame() {
    let update = "[[flow]]\nname = \"update\"\nfrom = \"a\"\nto = \"sink\"\nid = 0x7e0\nservice = \"isotp\"\ndata = \"4095 B\"\n\
                  arrivals = { kind = \"saturating\" }\n";
    let flows = format!("{update}{}", periodic("control", "b", 0x100, "10 ms", "0 s", ""));
    let record = record(&bus(&["a", "b"], &flows), &[]);
    assert!(number(&record, "utilisation") > 0.99);
    assert!(record.distribution("response_time").max() <= Some(us(FRAME + ALONE)));
}

#[test]
fn an_application_takes_its_time_for_an_answer_and_not_for_other_frames() {
    let flow = periodic("read", "a", 0x601, "10 ms", "1 ms", "service = \"sdo\"\ndata = \"20 B\"");
    let costs = [("station.sink.costs.answer", "700 us")];
    // the bus is free when the answer is; segments follow as before
    assert_eq!(longest(&flow, &costs), Some(us(ALONE + 700 + 6 * FRAME + ALONE)));
    let remote = periodic("ask", "a", 0x100, "10 ms", "1 ms", "service = \"remote\"");
    assert_eq!(longest(&remote, &costs), Some(us(104 + 700 + ALONE)));
}

#[test]
fn a_data_frame_that_asks_is_answered_by_one_of_another_length() {
    let keys = "service = \"request\"\ndata = \"3 B\"\nresponse_data = \"8 B\"\nresponse_id = 0x101";
    let flow = periodic("ask", "a", 0x100, "10 ms", "1 ms", keys);
    // 55 + 30 bits, then 135 less 3
    assert_eq!(longest(&flow, &[]), Some(us(170 + ALONE)));
}

#[test]
fn a_diagnostic_request_is_answered_in_frames_with_flow_control() {
    let flow = |more: &str| periodic("ask", "a", 0x7e0, "100 ms", "1 ms", &format!("service = \"uds\"\n{more}"));
    let single = flow("data = \"3 B\"\nresponse_data = \"7 B\"");
    assert_eq!(longest(&single, &[]), Some(us(FRAME + ALONE)));
    // request, first frame, flow control, two consecutive frames of the answer
    let long = flow("data = \"3 B\"\nresponse_data = \"20 B\"");
    assert_eq!(longest(&long, &[]), Some(us(4 * FRAME + ALONE)));
    // a request of three frames with flow control before it
    let both = flow("data = \"20 B\"\nresponse_data = \"20 B\"");
    assert_eq!(longest(&both, &[]), Some(us(7 * FRAME + ALONE)));
    assert_eq!(longest(&single, &[("station.sink.costs.answer", "30 ms")]), Some(us(ALONE + 30_000 + ALONE)));
}

#[test]
fn a_control_unit_without_power_answers_no_diagnostic_request() {
    let keys = "service = \"uds\"\ndata = \"3 B\"\nresponse_data = \"20 B\"\ntimeout = \"100 ms\"\nretries = 1";
    let flow = periodic("ask", "a", 0x7e0, "1 s", "0 s", keys);
    let off = sojourn_model::testing::event(
        "action = \"power-down\"\nstations = \"sink\"\nat = \"3500 ms\"\nduration = \"2 s\"",
    );
    let record = record(&format!("{}{off}", bus(&["a", "b"], &flow)), &[]);
    assert_eq!((number(&record, "failures"), number(&record, "retries")), (2.0, 2.0));
}

#[test]
fn an_answer_longer_than_its_service_carries_is_refused() {
    let flow = periodic("ask", "a", 0x100, "10 ms", "1 ms", "service = \"request\"\nresponse_data = \"9 B\"");
    let problems = crate::support::scenario(&bus(&["a"], &flow), &[]).unwrap_err().to_string();
    assert!(problems.contains("9 bytes do not fit an answer of service request"), "{problems}");
}
