//! The twin of a simulated Modbus line has its servers, its polls and its delays, and reproduces its response times.

use sojourn_capture::Outcome;
use sojourn_core::Streams;
use sojourn_core::random::Stream;
use sojourn_scenario::{Scenario, check};
use sojourn_twin::{Options, Twin};

use crate::simulated::{Captured, NANOSECOND, pick};
use crate::twin_of::{Closeness, assert_nine_of_ten_are_close};

const SITE: &str = r#"
[network]
kind = "modbus"
[[medium]]
name = "line"
mode = "rtu"
bit_rate = "38400 bit/s"
[[station]]
name = "controller"
[[station]]
name = "meter"
count = 3
unit = 5
delay = "8 ms"
[[station]]
name = "drive"
unit = 20
delay = "2 ms"
[[flow]]
name = "readings"
from = "controller"
to = "meter"
function = "read-input-registers"
count = 10
arrivals = { kind = "poll", cycle = "500 ms" }
probe = true
[[flow]]
name = "set-point"
from = "controller"
to = "drive"
function = "write-register"
arrivals = { kind = "periodic", interval = "1 s" }
[run]
duration = "1 min"
warm_up = "0 s"
"#;

/// A string of ten meters whose delays vary, of which the fourth is off from the second minute on.
const METERS: &str = r#"
[network]
kind = "modbus"
[[medium]]
name = "line"
bit_rate = "9600 bit/s"
[[station]]
name = "logger"
[[station]]
name = "meter"
count = 10
delay = { kind = "normal", mean = "30 ms", deviation = 0.25 }
[[flow]]
name = "readings"
from = "logger"
to = "meter"
count = 20
timeout = "500 ms"
retries = 2
probe = true
[[event]]
name = "dies"
at = "1 min"
stations = "meter-4"
action = "power-down"
[run]
warm_up = "0 s"
duration = "5 min"
"#;

fn options(bit_rate: Option<u64>) -> Options {
    Options { name: "twin".to_owned(), bit_rate, ..Options::default() }
}

/// The twin of a simulated line.
fn twin_of(captured: &mut Captured, bit_rate: Option<u64>) -> Twin {
    captured.survey.readings(&options(bit_rate)).unwrap().swap_remove(0)
}

/// Looks into a checked scenario.
fn look<T>(text: &str, look: impl FnOnce(&Scenario) -> T) -> T {
    let kinds = sojourn_catalogue::NETWORKS.kinds();
    let document =
        kinds.parse("twin.toml", text).unwrap_or_else(|found| panic!("{text}\n{}", found.render(false, 100)));
    let scenario = check(&document).unwrap_or_else(|found| panic!("{text}\n{}", found.render(false, 100)));
    look(&scenario)
}

/// Starts of requests to a unit, s.
fn asked(captured: &Captured, unit: &str) -> Vec<f64> {
    let flows = captured.out.flows();
    let of_unit =
        |found: &sojourn_capture::Transaction| flows.key(found.flow).is_some_and(|key| key.member().ends_with(unit));
    let found = captured.transactions_of("").into_iter().filter(of_unit);
    found.map(|found| found.begin.since(sojourn_core::Time::ZERO).seconds()).collect()
}

/// The mean interval between requests to a unit, s.
fn interval(captured: &Captured, unit: &str) -> f64 {
    let asked = asked(captured, unit);
    (asked[asked.len() - 1] - asked[0]) / (asked.len() - 1) as f64
}

#[test]
fn a_line_is_inferred_with_its_units_delays_and_cycles() {
    let mut captured = Captured::of(SITE, 1, NANOSECOND);
    let text = twin_of(&mut captured, None).scenario;
    look(&text, |scenario| {
        let found: Vec<(&str, u64)> =
            scenario.list("station")[1..].iter().map(|station| (station.name(), station.integer("unit"))).collect();
        assert_eq!(found, [("unit-5", 5), ("unit-6", 6), ("unit-7", 7), ("unit-20", 20)]);
        let flows = scenario.list("flow");
        assert_eq!(flows.len(), 2, "{text}");
        let reads = flows.iter().find(|flow| flow.word("function") == "read-input-registers").unwrap();
        assert_eq!((reads.words("to"), reads.integer("count")), (vec!["unit-5", "unit-6", "unit-7"], 10));
        assert_eq!(scenario.list("medium")[0].word("parity"), "even");
    });
    for (line, delay) in [("unit = 5\n", "8 ms"), ("unit = 20\n", "2 ms")] {
        let behind = text.split(line).nth(1).unwrap();
        let written = behind.split("delay = \"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(written, delay, "{text}");
    }
    assert!(text.contains("bit_rate = \"38.4 kbit/s\"") || text.contains("bit_rate = \"38400 bit/s\""), "{text}");
    assert!(text.contains("cycle = \"500 ms\"") && text.contains("cycle = \"1 s\""), "{text}");
}

#[test]
fn the_twin_of_a_string_with_a_dead_meter_has_its_response_times_and_its_rounds() {
    let mut original = Captured::of(METERS, 3, NANOSECOND);
    let text = twin_of(&mut original, None).scenario;
    let twin = Captured::of(&text, 11, NANOSECOND);
    let closeness = Closeness::of(&original.responses(""), &twin.responses(""));
    assert_eq!(closeness.fault("meters", METERS, &text), None);
    let unanswered = |of: &Captured| {
        of.transactions_of("")
            .iter()
            .filter(|found| found.outcome == Outcome::Unanswered && found.attempts == 3)
            .count()
    };
    // four minutes of rounds of 0.9 s and 1.5 s that three attempts take
    assert!((90..=110).contains(&unanswered(&original)), "{}", unanswered(&original));
    assert!(unanswered(&twin).abs_diff(unanswered(&original)) <= 3, "{text}");
    for unit in ["unit-1", "unit-4", "unit-10"] {
        let (one, other) = (interval(&original, unit), interval(&twin, unit));
        assert!((other / one - 1.0).abs() < 0.05, "{unit}: {one} {other}\n{text}");
    }
    let timeout = text.split("timeout = \"").nth(1).unwrap().split(' ').next().unwrap().parse::<f64>().unwrap();
    assert!((timeout - 500.0).abs() < 5.0 && text.contains("retries = 2\n"), "{text}");
}

#[test]
fn blocks_of_a_device_a_pause_of_the_client_and_broadcasts_are_inferred() {
    let site = METERS
        .replace("count = 20\n", "count = 10\nblocks = 3\ngap = 5\nbetween = \"20 ms\"\n")
        .replace("[[event]]\nname = \"dies\"\nat = \"1 min\"\nstations = \"meter-4\"\naction = \"power-down\"\n",
            "[[flow]]\nname = \"clock\"\nfrom = \"logger\"\nto = \"meter\"\nfunction = \"write-register\"\nbroadcast = true\n\
             turnaround = \"150 ms\"\narrivals = { kind = \"periodic\", interval = \"30 s\" }\n");
    let mut original = Captured::of(&site, 5, NANOSECOND);
    let text = twin_of(&mut original, Some(9600)).scenario;
    look(&text, |scenario| {
        let flows = scenario.list("flow");
        let reads = flows.iter().find(|flow| flow.word("function") == "read-holding-registers").unwrap();
        assert_eq!((reads.integer("blocks"), reads.integer("gap"), reads.words("to").len()), (3, 5, 10), "{text}");
        assert!((reads.number("between") - 0.02).abs() < 1e-4, "{text}");
        let clock = flows.iter().find(|flow| flow.flag("broadcast")).unwrap();
        assert!((clock.number("turnaround") - 0.15).abs() < 0.01, "{text}");
    });
    let twin = Captured::of(&text, 11, NANOSECOND);
    let closeness = Closeness::of(&original.responses(""), &twin.responses(""));
    assert_eq!(closeness.fault("blocks", &site, &text), None);
    assert!((interval(&twin, "unit-1") / interval(&original, "unit-1") - 1.0).abs() < 0.05, "{text}");
}

#[test]
fn noise_of_a_line_is_a_bit_error_rate() {
    let site = METERS.split("[[event]]").next().unwrap().replace("bit_rate =", "bit_error_rate = 1e-4\nbit_rate =")
        + "[run]\nwarm_up = \"0 s\"\nduration = \"10 min\"\n";
    let mut original = Captured::of(&site, 5, NANOSECOND);
    let text = twin_of(&mut original, None).scenario;
    let rate = text.split("bit_error_rate = ").nth(1).unwrap().lines().next().unwrap().parse::<f64>().unwrap();
    assert!((rate / 1e-4 - 1.0).abs() < 0.15, "{text}");
    let twin = Captured::of(&text, 11, NANOSECOND);
    let closeness = Closeness::of(&original.responses(""), &twin.responses(""));
    assert!(closeness.is_close(), "{closeness} {text}");
}

/// Three computers that ask ten devices over a gateway.
const GATEWAY: &str = r#"
[network]
kind = "modbus"
[[medium]]
name = "lan"
mode = "tcp"
delay = "0.5 ms"
[[medium]]
name = "line"
[[station]]
name = "scada"
count = 3
on = "lan"
[[station]]
name = "gateway"
on = ["lan", "line"]
gateway = { timeout = "500 ms" }
[[station]]
name = "device"
count = 10
on = "line"
delay = { kind = "normal", mean = "15 ms", deviation = 0.25 }
[[flow]]
name = "readings"
from = "scada"
to = "device"
count = 10
arrivals = { kind = "poll", cycle = "2 s" }
probe = true
[run]
duration = "2 min"
warm_up = "0 s"
"#;

#[test]
fn the_twin_of_modbus_tcp_is_one_of_ip_with_its_response_times() {
    let mut original = Captured::of(GATEWAY, 3, NANOSECOND);
    let twin = twin_of(&mut original, None);
    assert!(twin.scenario.contains("kind = \"ip\"") && twin.scenario.contains("recorded"), "{}", twin.scenario);
    let found = Captured::of_clients(&twin.scenario, &twin.traces, 11, NANOSECOND);
    let closeness = Closeness::of(&original.responses(""), &found.responses(""));
    assert_eq!(closeness.fault("gateway", GATEWAY, &twin.scenario), None);
}

/// A line of two to thirty meters, some of which may be dead, with drives that are written beside them.
fn random_line(draws: &mut Stream) -> String {
    let mut pick = |choices: &[&'static str]| pick(draws, choices);
    let (rate, format) = (
        pick(&["2400", "9600", "19200", "38400", "115200"]),
        pick(&["", "parity = \"none\"\nstop_bits = 1\n", "parity = \"odd\"\n"]),
    );
    let (meters, registers) = (pick(&["2", "10", "30"]), pick(&["2", "20", "100"]));
    let delay = pick(&["\"5 ms\"", "\"30 ms\"", "{ kind = \"normal\", mean = \"30 ms\", deviation = 0.25 }"]);
    let (timeout, retries) = (pick(&["1500 ms", "3 s"]), pick(&["0", "1", "3"]));
    let (rounds, pause) = (pick(&["", ", cycle = \"20 s\"", ", cycle = \"60 s\""]), pick(&["0 s", "0 s", "20 ms"]));
    let writes = pick(&["500 ms", "5 s"]);
    let dead = match pick(&["none", "from the start", "later"]) {
        "from the start" => {
            "[[event]]\nname = \"dead\"\nat = \"0 s\"\nstations = \"meter-2\"\naction = \"power-down\"\n"
        }
        "later" => {
            "[[event]]\nname = \"dies\"\nat = \"3 min\"\nuntil = \"6 min\"\nstations = \"meter-1\"\naction = \"power-down\"\n"
        }
        _ => "",
    };
    format!(
        "[network]\nkind = \"modbus\"\n[[medium]]\nname = \"line\"\nbit_rate = \"{rate} bit/s\"\n{format}\
         [[station]]\nname = \"logger\"\n[[station]]\nname = \"meter\"\ncount = {meters}\ndelay = {delay}\n\
         [[station]]\nname = \"drive\"\nunit = 100\ndelay = \"2 ms\"\n\
         [[flow]]\nname = \"readings\"\nfrom = \"logger\"\nto = \"meter\"\ncount = {registers}\ntimeout = \"{timeout}\"\n\
         retries = {retries}\nbetween = \"{pause}\"\narrivals = {{ kind = \"poll\"{rounds} }}\nprobe = true\n\
         [[flow]]\nname = \"set-point\"\nfrom = \"logger\"\nto = \"drive\"\nfunction = \"write-register\"\n\
         between = \"{pause}\"\narrivals = {{ kind = \"periodic\", interval = \"{writes}\" }}\n{dead}\
         [run]\nwarm_up = \"0 s\"\nduration = \"10 min\"\n"
    )
}

/// What is wrong with the twin of a random line; `None` if response times and the intervals of readings are within the bounds.
fn fault(number: u32) -> Option<String> {
    let site = random_line(&mut Streams::new(u64::from(number), 0).stream("line"));
    let mut original = Captured::of(&site, u64::from(number) + 1, NANOSECOND);
    let text = twin_of(&mut original, None).scenario;
    let twin = Captured::of(&text, 1, NANOSECOND);
    let (one, other) = (interval(&original, "unit-1"), interval(&twin, "unit-1"));
    let turns = (other / one - 1.0).abs() > 0.05;
    let turns = turns.then(|| format!("line {number}: intervals {one} s and {other} s\n{site}\n{text}"));
    let closeness = Closeness::of(&original.responses(""), &twin.responses(""));
    turns.or_else(|| closeness.fault(format!("line {number}"), &site, &text))
}

#[test]
#[ignore = "simulates a hundred lines; `make nightly` runs it"]
fn nine_of_ten_twins_have_the_response_times_and_rounds_of_their_lines() {
    assert_nine_of_ten_are_close(fault);
}
