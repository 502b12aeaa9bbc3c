//! The twin of a simulated bus of CAN has its identifiers, and reproduces its load, its intervals with their jitter, and its response
//! times.

use sojourn_core::Streams;
use sojourn_core::random::Stream;
use sojourn_scenario::{Scenario, check};
use sojourn_twin::behaviour::{Behaviour, Likeness};
use sojourn_twin::{Options, Twin};

use crate::simulated::{Captured, NANOSECOND, pick};

/// A body bus: periodic messages with and without jitter, one on change, a random one, and a tester that reads from a control unit.
const BODY: &str = r#"
[network]
kind = "can"
[bus]
bit_rate = "500 kbit/s"
stuffing = "exact"
[[station]]
name = "brakes"
[[station]]
name = "engine"
costs = { answer = { kind = "gamma", mean = "8 ms", shape = 6 } }
[[station]]
name = "cabin"
[[station]]
name = "tester"
[[flow]]
name = "wheels"
from = "brakes"
to = "cabin"
id = 0x110
payload = "clock"
arrivals = { kind = "periodic", interval = "10 ms", jitter = "800 µs" }
[[flow]]
name = "torque"
from = "engine"
to = "cabin"
id = 0x100
payload = "0102030405060708"
arrivals = { kind = "periodic", interval = "5 ms" }
[[flow]]
name = "handles"
from = "cabin"
to = "engine"
id = 0x300
data = "3 B"
arrivals = { kind = "heartbeat", max_interval = "500 ms", min_interval = "20 ms", change_interval = "100 ms" }
[[flow]]
name = "rain"
from = "cabin"
to = "engine"
id = 0x310
data = "2 B"
arrivals = { kind = "poisson", interval = "15 ms" }
[[flow]]
name = "read"
from = "tester"
to = "engine"
id = 0x7e0
service = "uds"
data = "3 B"
response_data = "20 B"
arrivals = { kind = "periodic", interval = "50 ms", jitter = "5 ms" }
[run]
duration = "60 s"
warm_up = "0 s"
"#;

/// A machine with eight drives: a SYNC, what the drives send upon it, and a client that reads an object of one after another.
const MACHINE: &str = r#"
[network]
kind = "can"
[bus]
bit_rate = "250 kbit/s"
stuffing = "exact"
[[station]]
name = "master"
[[station]]
name = "drive"
count = 8
costs = { answer = { kind = "normal", mean = "1.5 ms", deviation = 0.2 } }
[[flow]]
name = "sync"
from = "master"
to = "drive"
id = 0x080
data = "0 B"
arrivals = { kind = "periodic", interval = "10 ms", start = "at-once", delay = "1 ms" }
[[flow]]
name = "position"
from = "drive"
to = "master"
id = 0x181
data = "6 B"
payload = "clock"
arrivals = { kind = "periodic", interval = "10 ms", start = "at-once", delay = "1300 µs", jitter = "100 µs" }
[[flow]]
name = "alive"
from = "drive"
to = "master"
id = 0x701
data = "1 B"
arrivals = { kind = "periodic", interval = "500 ms" }
[[flow]]
name = "read"
from = "master"
to = "drive"
id = 0x601
service = "sdo"
data = "4 B"
arrivals = { kind = "poll", cycle = "80 ms", interval = "10 µs" }
[run]
duration = "20 s"
warm_up = "0 s"
"#;

/// A vehicle of J1939: periodic groups, trouble codes in several packets to all, and a display that asks for a group.
const VEHICLE: &str = r#"
[network]
kind = "can"
[bus]
bit_rate = "250 kbit/s"
stuffing = "exact"
[[station]]
name = "engine"
costs = { answer = "6 ms" }
[[station]]
name = "brakes"
[[station]]
name = "display"
[[flow]]
name = "eec1"
from = "engine"
to = "display"
id = 0x0cf00400
extended = true
payload = "clock"
arrivals = { kind = "periodic", interval = "10 ms" }
[[flow]]
name = "ebc1"
from = "brakes"
to = "display"
id = 0x18f0010b
extended = true
payload = "F07D7D0000000000"
arrivals = { kind = "periodic", interval = "100 ms", jitter = "4 ms" }
[[flow]]
name = "dm1"
from = "engine"
to = ["display", "brakes"]
id = 0x18feca00
extended = true
service = "j1939"
data = "30 B"
arrivals = { kind = "periodic", interval = "1 s" }
[[flow]]
name = "hours"
from = "display"
to = "engine"
id = 0x18ea0028
extended = true
service = "request"
payload = "E5FE00"
data = "3 B"
response_id = 0x18fee500
arrivals = { kind = "poisson", interval = "50 ms" }
[run]
duration = "30 s"
warm_up = "0 s"
"#;

/// A bus of CAN FD beside classical frames, with diagnosis in frames of 64 bytes.
const FAST: &str = r#"
[network]
kind = "can"
[bus]
bit_rate = "500 kbit/s"
data_bit_rate = "2 Mbit/s"
stuffing = "exact"
[[station]]
name = "camera"
[[station]]
name = "fusion"
costs = { answer = { kind = "gamma", mean = "3 ms", shape = 9 } }
[[flow]]
name = "objects"
from = "camera"
to = "fusion"
id = 0x120
fd = true
data = "64 B"
payload = "random"
arrivals = { kind = "periodic", interval = "5 ms" }
[[flow]]
name = "state"
from = "fusion"
to = "camera"
id = 0x130
fd = true
data = "16 B"
arrivals = { kind = "periodic", interval = "10 ms", jitter = "500 µs" }
[[flow]]
name = "speed"
from = "fusion"
to = "camera"
id = 0x090
arrivals = { kind = "periodic", interval = "10 ms" }
[[flow]]
name = "read"
from = "camera"
to = "fusion"
id = 0x7e1
fd = true
service = "uds"
data = "3 B"
response_data = "100 B"
arrivals = { kind = "saturating", think = "12 ms" }
[run]
duration = "20 s"
warm_up = "0 s"
"#;

fn twin_of(captured: &mut Captured) -> Twin {
    captured.survey.readings(&Options { name: "twin".to_owned(), ..Options::default() }).unwrap().swap_remove(0)
}

/// Looks into a checked scenario.
fn look<T>(twin: &Twin, look: impl FnOnce(&Scenario) -> T) -> T {
    let files = twin.traces.iter().map(|trace| (trace.file.clone(), trace.text.clone())).collect();
    let kinds = sojourn_catalogue::NETWORKS.kinds();
    let render = |found: sojourn_scenario::Problems| -> ! { panic!("{}\n{}", twin.scenario, found.render(false, 100)) };
    let document = kinds.parse_with("twin.toml", &twin.scenario, files).unwrap_or_else(|found| render(found));
    let scenario = check(&document).unwrap_or_else(|found| render(found));
    look(&scenario)
}

/// How like a bus its twin is, over several runs.
fn likeness(original: &Captured, twin: &Twin) -> Likeness {
    let mut whole = Behaviour::default();
    for seed in 11..14 {
        whole.merge(&Captured::of_twin(twin, seed, NANOSECOND).behaviour());
    }
    whole.likeness(&original.behaviour())
}

/// What differs by more than the yardstick allows.
fn differing(likeness: &Likeness) -> Vec<&'static str> {
    let Likeness { percentiles: [p50, _, p99], response_rate, buses, .. } = likeness;
    let buses = buses.expect("a bus");
    let within = |ratio: &f64, share: f64| (ratio - 1.0).abs() <= share;
    [
        ("median", within(p50, 0.05)),
        ("99th percentile", within(p99, 0.15)),
        ("responses", within(response_rate, 0.05)),
        ("load", buses.load.is_alike()),
        ("rate", buses.rate.is_alike()),
        ("jitter", buses.jitter.is_alike()),
    ]
    .into_iter()
    .filter_map(|(what, is_alike)| (!is_alike).then_some(what))
    .collect()
}

/// The twin of a simulated bus, which agrees with it.
fn agreeing(text: &str) -> Twin {
    let mut original = Captured::of(text, 3, NANOSECOND);
    let twin = twin_of(&mut original);
    let likeness = likeness(&original, &twin);
    assert!(differing(&likeness).is_empty(), "{:?}\n{likeness:?}\n{}", differing(&likeness), twin.scenario);
    twin
}

/// Words of the flows of a scenario, by their identifiers.
fn services(scenario: &Scenario) -> Vec<(u64, String)> {
    let flows = scenario.list("flow").iter();
    flows.map(|flow| (flow.integer("id"), flow.word("service").to_owned())).collect()
}

#[test]
fn the_twin_of_a_body_bus_has_its_clocks_its_random_messages_and_the_time_of_its_control_unit() {
    let twin = agreeing(BODY);
    assert!(twin.scenario.contains("bit_rate = \"500 kbit/s\""), "{}", twin.scenario);
    look(&twin, |scenario| {
        let expected =
            [(0x100, "broadcast"), (0x110, "broadcast"), (0x300, "broadcast"), (0x310, "broadcast"), (0x7e0, "uds")];
        let expected = expected.map(|(id, service)| (id, service.to_owned()));
        assert_eq!(services(scenario), expected, "{}", twin.scenario);
        let flows = scenario.list("flow");
        let kinds: Vec<&str> = flows.iter().map(|flow| flow.table("arrivals").word("kind")).collect();
        assert_eq!(kinds, ["periodic", "periodic", "heartbeat", "poisson", "periodic"], "{}", twin.scenario);
        assert_eq!((flows[4].number("data"), flows[4].number("response_data")), (3.0, 20.0));
        let jitter = flows[1].table("arrivals").number("jitter");
        assert!((jitter - 8e-4).abs() < 4e-5, "{jitter} s\n{}", twin.scenario);
    });
    assert!(twin.scenario.contains("Calibration: from the end of a request"), "{}", twin.scenario);
}

#[test]
fn the_twin_of_a_machine_has_its_nodes_its_sync_and_the_round_of_its_client() {
    let twin = agreeing(MACHINE);
    look(&twin, |scenario| {
        let stations: Vec<&str> = scenario.list("station").iter().map(|station| station.name()).collect();
        let nodes = (1..=8).map(|node| format!("node-{node}"));
        let expected: Vec<String> = ["client", "listener"].map(str::to_owned).into_iter().chain(nodes).collect();
        assert_eq!(stations, expected, "{}", twin.scenario);
        let reads = scenario.list("flow").iter().filter(|flow| flow.word_is("service", "sdo"));
        let reads: Vec<(Vec<&str>, &str)> =
            reads.map(|flow| (flow.words("to"), flow.table("arrivals").word("kind"))).collect();
        assert_eq!(reads.len(), 1, "{}", twin.scenario);
        assert_eq!((reads[0].0.len(), reads[0].1), (8, "poll"), "{}", twin.scenario);
    });
}

#[test]
fn the_twin_of_a_vehicle_has_its_source_addresses_its_packets_to_all_and_the_requests_for_a_group() {
    let twin = agreeing(VEHICLE);
    look(&twin, |scenario| {
        let expected =
            [(0x0cf0_0400, "broadcast"), (0x18f0_010b, "broadcast"), (0x1cfe_ca00, "j1939"), (0x18ea_0028, "request")];
        assert_eq!(services(scenario), expected.map(|(id, service)| (id, service.to_owned())), "{}", twin.scenario);
        let flows = scenario.list("flow");
        assert_eq!((flows[2].number("data"), flows[2].words("from")), (30.0, vec!["node-00"]));
        let between = flows[2].number("packet_interval");
        assert!((between - 0.05).abs() < 1e-3, "{between} s");
        assert_eq!((flows[3].words("from"), flows[3].words("to")), (vec!["node-28"], vec!["node-00"]));
    });
}

#[test]
fn the_twin_of_a_bus_of_can_fd_has_both_bit_rates_and_a_tester_in_a_closed_loop() {
    let twin = agreeing(FAST);
    assert!(twin.scenario.contains("data_bit_rate = \"2 Mbit/s\""), "{}", twin.scenario);
    look(&twin, |scenario| {
        let flows = scenario.list("flow");
        let data: Vec<(f64, bool)> = flows.iter().map(|flow| (flow.number("data"), flow.flag("fd"))).collect();
        assert_eq!(data, [(8.0, false), (64.0, true), (16.0, true), (3.0, true)], "{}", twin.scenario);
        assert_eq!(flows[3].table("arrivals").word("kind"), "saturating", "{}", twin.scenario);
    });
}

/// A bus at a bit rate of four, with five to twenty-five messages of clocks, of laws and in bursts, and with requests or without.
fn random_bus(draws: &mut Stream) -> String {
    let rate = pick(draws, &["125", "250", "500", "1000"]);
    let count = 5 + draws.below(21);
    let exchange = pick(draws, &["none", "sdo", "sdo-poll", "uds", "remote", "request"]);
    let delay = pick(
        draws,
        &[
            "\"0 s\"",
            "\"2 ms\"",
            "{ kind = \"gamma\", mean = \"5 ms\", shape = 4 }",
            "{ kind = \"normal\", mean = \"10 ms\", deviation = 0.2 }",
        ],
    );
    let mut text = format!(
        "[network]\nkind = \"can\"\n[bus]\nbit_rate = \"{rate} kbit/s\"\nstuffing = \"exact\"\n\
         [[station]]\nname = \"server\"\ncount = 4\ncosts = {{ answer = {delay} }}\n[[station]]\nname = \"client\"\n\
         [[station]]\nname = \"unit\"\ncount = 3\n"
    );
    for number in 0..count {
        let id = 0x100 + 8 * number + draws.below(8);
        let (bytes, payload) = (pick(draws, &["1", "4", "8"]), pick(draws, &["counter", "clock", "random", "00FF5A"]));
        let interval = pick(draws, &["20 ms", "50 ms", "100 ms", "200 ms"]);
        let arrivals = match draws.below(8) {
            0 => format!("kind = \"poisson\", interval = \"{interval}\""),
            1 => format!(
                "kind = \"heartbeat\", max_interval = \"500 ms\", min_interval = \"10 ms\", change_interval = \"{interval}\""
            ),
            2 => format!("kind = \"normal\", interval = \"{interval}\", deviation = \"3 ms\""),
            3 => format!("kind = \"burst\", interval = \"{interval}\", size = 3, gap = \"2 ms\""),
            4 => format!("kind = \"periodic\", interval = \"{interval}\", jitter = \"2 ms\""),
            _ => format!("kind = \"periodic\", interval = \"{interval}\""),
        };
        text.push_str(&format!(
            "[[flow]]\nname = \"m{number}\"\nfrom = \"unit-{}\"\nto = \"client\"\nid = {id}\ndata = \"{bytes} B\"\npayload = \"{payload}\"\n\
             arrivals = {{ {arrivals} }}\n",
            1 + draws.below(3)
        ));
    }
    let asks = pick(
        draws,
        &[
            "kind = \"periodic\", interval = \"40 ms\"",
            "kind = \"poisson\", interval = \"60 ms\"",
            "kind = \"saturating\", think = \"15 ms\"",
        ],
    );
    let to = if exchange == "sdo-poll" { "server" } else { "server-1" };
    let keys = match exchange {
        "none" => return text + RUN,
        "sdo" => format!("id = 0x601\nservice = \"sdo\"\ndata = \"{} B\"\narrivals = {{ {asks} }}", pick(draws, &["2", "4", "12"])),
        "sdo-poll" => "id = 0x601\nservice = \"sdo\"\ndata = \"4 B\"\narrivals = { kind = \"poll\", cycle = \"100 ms\", interval = \"1 ms\" }".to_owned(),
        "uds" => format!("id = 0x7e0\nservice = \"uds\"\ndata = \"3 B\"\nresponse_data = \"{} B\"\narrivals = {{ {asks} }}", pick(draws, &["5", "20", "60"])),
        "remote" => format!("id = 0x401\nservice = \"remote\"\ndata = \"6 B\"\narrivals = {{ {asks} }}"),
        _ => format!(
            "id = 0x18ea00f9\nextended = true\nservice = \"request\"\ndata = \"3 B\"\npayload = \"ECFE00\"\nresponse_id = 0x18feec00\n\
             arrivals = {{ {asks} }}"
        ),
    };
    text.push_str(&format!("[[flow]]\nname = \"ask\"\nfrom = \"client\"\nto = \"{to}\"\n{keys}\n"));
    text + RUN
}

const RUN: &str = "[run]\nduration = \"10 s\"\nwarm_up = \"0 s\"\n";

#[test]
#[ignore = "simulates two hundred buses; `make nightly` runs it"]
fn nine_of_ten_twins_agree_with_their_buses() {
    let fault = |number: u32| {
        let bus = random_bus(&mut Streams::new(u64::from(number), 0).stream("bus"));
        let mut original = Captured::of(&bus, u64::from(number) + 1, NANOSECOND);
        let twin = twin_of(&mut original);
        let likeness = likeness(&original, &twin);
        let differing = differing(&likeness);
        (!differing.is_empty()).then(|| format!("bus {number}: {differing:?} {likeness:?}"))
    };
    let faults: Vec<String> = (0..50).filter_map(fault).collect();
    println!("{} of 50 differ:\n{}", faults.len(), faults.join("\n"));
    assert!(faults.len() <= 5, "{} differ", faults.len());
}
