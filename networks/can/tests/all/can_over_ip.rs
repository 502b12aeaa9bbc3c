//! Gateways that send frames in datagrams.

use sojourn_can::{CanNetwork, NETWORKS};
use sojourn_core::Duration;
use sojourn_model::Network;
use sojourn_model::testing::{event, value};

use crate::support::{metrics, number, periodic, record};

fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// A frame with 8 bytes and its intermission; and up to its end.
const FRAME: u64 = 270;
const ALONE: u64 = 264;
/// 71 octets around a frame of 13 at 1 Mbit/s.
const DATAGRAM: u64 = 84 * 8;

/// Two buses of 500 kbit/s whose gateways are on an IP network of 1 Mbit/s with a delay of 1 ms; nothing takes CPU time.
fn tunnel(flows: &str) -> String {
    let bus = |name: &str| format!("[[medium]]\nname = \"{name}\"\nstuffing = \"worst\"\n");
    let station = |name: &str, on: &str| {
        format!(
            "[[station]]\nname = \"{name}\"\non = {on}\ncosts = {{ send = \"0 s\", receive = \"0 s\", forward = \"0 s\" }}\n"
        )
    };
    let stations = [("a", "\"near\""), ("b", "\"near\""), ("left", "[\"near\", \"lan\"]")];
    let more = [("right", "[\"lan\", \"far\"]"), ("sink", "\"far\""), ("other", "\"far\"")];
    let stations: String = stations.iter().chain(&more).map(|(name, on)| station(name, on)).collect();
    format!(
        "[network]\nkind = \"can\"\n{}{}[[medium]]\nname = \"lan\"\ntype = \"ip\"\nlink_rate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
         {stations}{flows}[run]\nduration = \"10 s\"\nwarm_up = \"0 s\"\n",
        bus("near"),
        bus("far")
    )
}

#[test]
fn a_frame_passes_two_buses_a_link_and_its_delay() {
    let text = tunnel(&periodic("m", "a", 0x100, "10 ms", "1 ms", ""));
    let record = record(&text, &[]);
    let expected = us(ALONE + DATAGRAM + 1000 + ALONE);
    assert_eq!(record.distribution("response_time").max(), Some(expected));
    let metrics = metrics(&text, &[]);
    assert!((value(&metrics, "delay_budget/ip-network", "mean") - us(DATAGRAM + 1000).seconds()).abs() < 1e-12);
    // two of the media are buses, each with a frame of 270 µs every 10 ms
    assert!((number(&record, "utilisation") - 0.027).abs() < 1e-3);
}

#[test]
fn datagrams_wait_for_the_link_of_their_gateway() {
    let flows = periodic("one", "a", 0x100, "10 ms", "1 ms", "") + &periodic("two", "b", 0x200, "10 ms", "1 ms", "");
    let record = record(&tunnel(&flows), &[]);
    // the second frame comes a frame after the first, whose datagram takes longer
    let expected = us(ALONE + 2 * DATAGRAM + 1000 + ALONE);
    assert_eq!(record.distribution("response_time/two").max(), Some(expected));
}

#[test]
fn collected_frames_share_a_datagram_and_wait_for_it() {
    let flows = periodic("one", "a", 0x100, "10 ms", "1 ms", "") + &periodic("two", "b", 0x200, "10 ms", "1 ms", "");
    let record = record(&tunnel(&flows), &[("medium.lan.collect", "5 ms")]);
    // from the first frame on, and then both on the far bus
    let datagram = (71 + 2 * 13) * 8;
    let first = us(ALONE + 5000 + datagram + 1000 + ALONE);
    assert_eq!(record.distribution("response_time/one").max(), Some(first));
    assert_eq!(record.distribution("response_time/two").max(), Some(first + us(FRAME)));
}

#[test]
fn an_answer_comes_back_over_the_ip_network() {
    let flow = periodic("read", "a", 0x601, "100 ms", "1 ms", "service = \"sdo\"\ndata = \"4 B\"");
    let record = record(&tunnel(&flow), &[]);
    // the answer is there at the end of the request, and waits for the intermission
    let expected = us(ALONE + DATAGRAM + 1000 + FRAME + ALONE + DATAGRAM + 1000 + ALONE);
    assert_eq!(record.distribution("response_time").max(), Some(expected));
}

#[test]
fn frames_are_lost_while_the_ip_network_is_down() {
    let down = event("action = \"down\"\nmedia = \"lan\"\nat = \"3 s\"\nduration = \"2 s\"");
    let text = format!("{}{down}", tunnel(&periodic("m", "a", 0x100, "10 ms", "1 ms", "")));
    assert!((number(&record(&text, &[]), "loss") - 0.2).abs() < 2e-3);
    // and what a gateway has collected when it loses power
    let off = event("action = \"power-down\"\nstations = \"left\"\nat = \"3 s\"\nduration = \"2 s\"");
    let text = format!("{}{off}", tunnel(&periodic("m", "a", 0x100, "10 ms", "1 ms", "")));
    let lost = number(&record(&text, &[("medium.lan.collect", "50 ms")]), "loss");
    assert!((0.199..0.207).contains(&lost), "{lost}");
}

#[test]
fn the_worst_case_has_the_link_and_its_delay() {
    let flows = periodic("one", "a", 0x100, "10 ms", "1 ms", "") + &periodic("two", "b", 0x200, "10 ms", "1 ms", "");
    let scenario = NETWORKS.checked(&tunnel(&flows), &[]);
    let bounds = (&CanNetwork as &dyn Network).worst_cases(&scenario).unwrap();
    let row = |hop: &str| bounds.rows.iter().find(|row| row.flow == "two" && row.hop == hop).unwrap().delay.unwrap();
    assert!((row("near") - us(2 * FRAME).seconds()).abs() < 1e-12);
    // both datagrams at once
    assert!((row("lan") - us(2 * FRAME + 2 * DATAGRAM + 1000).seconds()).abs() < 1e-12);
    assert!((row("far") - us(2 * FRAME + 2 * DATAGRAM + 1000 + 2 * FRAME).seconds()).abs() < 1e-12);
    let lines = bounds.assumptions.join("\n");
    assert!(lines.contains("no other order of identifiers is looked for"), "{lines}");
}
