//! The twin of a simulated Modbus line has its servers, its polls and its delays.

use sojourn_scenario::check;
use sojourn_twin::Options;

use crate::simulated::{Captured, NANOSECOND};

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

#[test]
fn a_line_is_inferred_with_its_units_delays_and_cycles() {
    let mut captured = Captured::of(SITE, 1, NANOSECOND);
    let options = Options { anonymise: false, name: "twin".to_owned(), bit_rate: Some(38_400) };
    let twin = captured.survey.readings(&options).unwrap().swap_remove(0);
    let text = &twin.scenario;
    let document =
        sojourn_catalogue::NETWORKS.kinds().parse("twin.toml", text).unwrap_or_else(|found| panic!("{text}\n{found}"));
    let scenario = check(&document).unwrap_or_else(|found| panic!("{text}\n{found}"));
    let stations = scenario.list("station");
    let found: Vec<(&str, f64)> =
        stations[1..].iter().map(|station| (station.name(), station.integer("unit") as f64)).collect();
    assert_eq!(found, [("unit-5", 5.0), ("unit-6", 6.0), ("unit-7", 7.0), ("unit-20", 20.0)]);
    for (line, delay) in [("unit = 5\n", "8 ms"), ("unit = 20\n", "2 ms")] {
        let behind = text.split(line).nth(1).unwrap();
        let written = behind.split("delay = \"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(written, delay, "{text}");
    }
    let flows = scenario.list("flow");
    assert_eq!(flows.len(), 2, "{text}");
    let reads = flows.iter().find(|flow| flow.word("function") == "read-input-registers").unwrap();
    assert_eq!((reads.words("to"), reads.integer("count")), (vec!["unit-5", "unit-6", "unit-7"], 10));
    assert!(text.contains("cycle = \"500 ms\"") && text.contains("cycle = \"1 s\""), "{text}");
}
