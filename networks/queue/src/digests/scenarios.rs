//! Scenarios of every kind that the network runs.

/// A name and the text of a scenario.
type Named = (&'static str, String);

const EXPONENTIAL: &str = r#"{ kind = "exponential", mean = "8 ms" }"#;
const SLOW: &str = r#"{ kind = "exponential", mean = "20 ms" }"#;
const CONSTANT: &str = r#"{ kind = "deterministic", mean = "8 ms" }"#;
const SOMETIMES_NONE: &str = r#"{ kind = "empirical", values = ["0 s", "0 s", "4 ms", "20 ms"] }"#;
const POISSON: &str = r#"{ kind = "poisson", interval = "10 ms" }"#;
const SELDOM: &str = r#"{ kind = "poisson", interval = "25 ms" }"#;
const EVERY_8_MS: &str = r#"{ kind = "periodic", interval = "8 ms", start = "at-once" }"#;
const EVERY_20_MS: &str = r#"{ kind = "periodic", interval = "20 ms", start = "at-once" }"#;

fn station(name: &str, servers: u32, service: &str) -> String {
    format!("[[station]]\nname = \"{name}\"\nservers = {servers}\nservice = {service}\n")
}

fn limited(name: &str, servers: u32, service: &str, capacity: u32) -> String {
    format!("{}capacity = {capacity}\n", station(name, servers, service))
}

fn flow(name: &str, path: &[&str], arrivals: &str) -> String {
    format!("[[flow]]\nname = \"{name}\"\npath = {path:?}\narrivals = {arrivals}\n")
}

fn closed(name: &str, path: &[&str], population: u32, think: &str) -> String {
    flow(name, path, &format!("{{ kind = \"closed\", population = {population}, think = {think} }}"))
}

fn event(name: &str, keys: &[&str]) -> String {
    format!("[[event]]\nname = \"{name}\"\n{}\n", keys.join("\n"))
}

fn scenario(tables: &[String]) -> String {
    format!("[network]\nkind = \"queue\"\n{}[run]\nduration = \"20 s\"\nwarm_up = \"1 s\"\n", tables.concat())
}

/// Without events.
pub fn plain() -> Vec<Named> {
    let (a, b) = (station("a", 1, EXPONENTIAL), station("b", 1, EXPONENTIAL));
    let (desks, slow) = (station("b", 3, SLOW), station("a", 3, SLOW));
    let one = |path: &[&str]| flow("one", path, POISSON);
    let two = |path: &[&str]| flow("two", path, SELDOM);
    let normal = r#"{ kind = "normal", mean = "7 ms", deviation = 0.3 }"#;
    let gamma = r#"{ kind = "gamma", mean = "30 ms", shape = 0.5 }"#;
    let weibull = r#"{ kind = "weibull", mean = "6 ms", shape = 0.8 }"#;
    let lognormal = r#"{ kind = "lognormal", mean = "9 ms", deviation = 1.5 }"#;
    let bursts = r#"{ kind = "burst", interval = "100 ms", size = 8 }"#;
    let on_off = r#"{ kind = "on-off", interval = "5 ms", on = "50 ms", off = "60 ms" }"#;
    let half = r#"{ kind = "exponential", mean = "12 ms" }"#;
    let tables: [(&str, Vec<String>); 32] = [
        ("M/M/1", vec![a.clone(), one(&["a"])]),
        ("M/M/3", vec![slow.clone(), one(&["a"])]),
        ("D/D/1", vec![station("a", 1, CONSTANT), flow("one", &["a"], EVERY_8_MS)]),
        ("M/M/1/4", vec![limited("a", 1, EXPONENTIAL, 4), one(&["a"])]),
        ("a tandem", vec![station("a", 1, normal), desks.clone(), one(&["a", "b"])]),
        ("zero services in order", vec![station("a", 1, SOMETIMES_NONE), one(&["a"])]),
        ("two flows at one server", vec![station("a", 1, weibull), one(&["a"]), flow("two", &["a"], SELDOM)]),
        ("two flows at three servers", vec![slow.clone(), one(&["a"]), flow("two", &["a"], SELDOM)]),
        ("crossing flows", vec![a.clone(), b.clone(), flow("one", &["a", "b"], SELDOM), two(&["b", "a"])]),
        ("M/M/3 before M/M/1", vec![slow.clone(), b.clone(), one(&["a", "b"])]),
        ("M/M/3 between two", vec![a.clone(), desks.clone(), station("c", 1, EXPONENTIAL), one(&["a", "b", "c"])]),
        (
            "M/G/3/4 between two",
            vec![a.clone(), limited("b", 3, gamma, 4), station("c", 1, CONSTANT), one(&["a", "b", "c"])],
        ),
        ("a revisited station", vec![a.clone(), b.clone(), two(&["a", "b", "a"])]),
        ("revisited servers", vec![a.clone(), station("b", 2, lognormal), two(&["a", "b", "a", "b"])]),
        ("twice in a row", vec![limited("a", 1, EXPONENTIAL, 5), two(&["a", "a"])]),
        (
            "a full station before another",
            vec![limited("a", 2, SLOW, 3), limited("b", 1, EXPONENTIAL, 2), one(&["a", "b"])],
        ),
        (
            "two flows, one probe",
            vec![a.clone(), b.clone(), format!("{}probe = true\n", flow("one", &["a", "b"], SELDOM)), two(&["b"])],
        ),
        (
            "bursts and a limit",
            vec![limited("a", 2, half, 6), b.clone(), flow("one", &["a", "b"], bursts), two(&["b"])],
        ),
        ("on and off", vec![station("a", 2, half), b.clone(), flow("one", &["a", "b"], on_off)]),
        ("fifty who think", vec![a.clone(), station("b", 1, half), closed("one", &["a", "b"], 50, "\"500 ms\"")]),
        ("fifty who do not think", vec![a.clone(), station("b", 1, half), closed("one", &["a", "b"], 50, "\"0 s\"")]),
        (
            "those who think after three servers",
            vec![a.clone(), desks.clone(), closed("one", &["a", "b"], 12, "\"60 ms\"")],
        ),
        ("those who think at four servers", vec![station("a", 4, SLOW), closed("one", &["a"], 9, gamma)]),
        (
            "two populations",
            vec![
                a.clone(),
                b.clone(),
                closed("one", &["a", "b"], 5, "\"20 ms\""),
                closed("two", &["b", "a", "b"], 3, "\"0 s\""),
            ],
        ),
        (
            "from outside and around",
            vec![a.clone(), b.clone(), two(&["a", "b"]), closed("two-closed", &["b"], 4, "\"90 ms\"")],
        ),
        ("zero services of two flows", vec![station("a", 1, SOMETIMES_NONE), one(&["a"]), two(&["a"])]),
        ("zero services at two servers twice", vec![station("a", 2, SOMETIMES_NONE), two(&["a", "a"])]),
        (
            "ties of two flows",
            vec![station("a", 1, CONSTANT), flow("one", &["a"], EVERY_20_MS), flow("two", &["a"], EVERY_20_MS)],
        ),
        (
            "ties of departures and arrivals",
            vec![limited("a", 1, CONSTANT, 2), flow("one", &["a"], EVERY_8_MS), flow("two", &["a"], EVERY_20_MS)],
        ),
        (
            "ties of transfers",
            vec![
                station("a", 1, CONSTANT),
                limited("b", 1, CONSTANT, 1),
                flow("one", &["a", "b"], EVERY_8_MS),
                flow("two", &["a"], SELDOM),
            ],
        ),
        (
            "ties of transfers and arrivals",
            vec![
                station("a", 1, CONSTANT),
                station("b", 1, CONSTANT),
                flow("one", &["a", "b"], EVERY_20_MS),
                flow("two", &["b"], EVERY_8_MS),
            ],
        ),
        (
            "ties of a population",
            vec![
                station("a", 2, CONSTANT),
                station("b", 1, CONSTANT),
                closed("one", &["a", "b"], 7, "{ kind = \"deterministic\", mean = \"16 ms\" }"),
            ],
        ),
    ];
    tables.into_iter().map(|(name, tables)| (name, scenario(&tables))).collect()
}

/// With events.
pub fn with_events() -> Vec<Named> {
    let (a, b) = (station("a", 1, EXPONENTIAL), station("b", 1, EXPONENTIAL));
    let one = |path: &[&str]| flow("one", path, POISSON);
    let down = |stations: &str| {
        let stations = format!("stations = {stations}");
        event("outage", &["at = \"5 s\"", "duration = \"1 s\"", &stations, "action = \"down\""])
    };
    let again = event(
        "again",
        &["at = \"3 s\"", "every = \"3 s\"", "duration = \"0.1 s\"", "stations = \"a\"", "action = \"down\""],
    );
    let failures = event(
        "failures",
        &[
            "mean_time_between = \"2 s\"",
            "mean_time_to_repair = \"0.2 s\"",
            "stations = [\"a\", \"b\"]",
            "action = \"down\"",
        ],
    );
    let slower = event(
        "slower",
        &["at = \"4 s\"", "until = \"7 s\"", "action = \"set\"", "set = { \"station.a.service.mean\" = \"16 ms\" }"],
    );
    let rush = event("rush", &["at = \"3 s\"", "until = \"6 s\"", "flows = [\"two\"]", "action = \"start\""]);
    let pause = event("pause", &["at = \"8 s\"", "until = \"9 s\"", "flows = [\"one\"]", "action = \"stop\""]);
    let burst =
        event("burst", &["at = \"2 s\"", "every = \"2 s\"", "flows = [\"one\"]", "action = \"burst\"", "size = 10"]);
    let at_once = [
        event("off", &["at = \"5 s\"", "stations = \"a\"", "action = \"down\""]),
        event("on", &["at = \"5 s\"", "stations = \"a\"", "action = \"up\""]),
    ]
    .concat();
    let tables: [(&str, Vec<String>); 16] = [
        ("an outage", vec![a.clone(), one(&["a"]), down("\"a\"")]),
        ("an outage of three servers", vec![station("a", 3, SLOW), one(&["a"]), down("\"a\"")]),
        ("an outage of two stations", vec![a.clone(), b.clone(), one(&["a", "b"]), down("[\"a\", \"b\"]")]),
        (
            "outages again and again",
            vec![a.clone(), station("b", 2, SLOW), flow("one", &["a", "b", "a"], SELDOM), again.clone()],
        ),
        (
            "random failures",
            vec![a.clone(), b.clone(), one(&["a", "b"]), flow("two", &["b"], SELDOM), failures.clone()],
        ),
        ("slower service", vec![a.clone(), one(&["a"]), slower.clone()]),
        (
            "a flow that starts and one that stops",
            vec![a.clone(), one(&["a"]), flow("two", &["a"], SELDOM), rush, pause],
        ),
        ("bursts", vec![limited("a", 2, SLOW, 7), one(&["a"]), burst.clone()]),
        (
            "a population and outages",
            vec![a.clone(), station("b", 3, SLOW), closed("one", &["a", "b"], 12, "\"60 ms\""), down("\"b\"")],
        ),
        ("a population and slower service", vec![station("a", 2, SLOW), closed("one", &["a"], 12, "\"0 s\""), slower]),
        (
            "random failures and a population",
            vec![a.clone(), b.clone(), closed("one", &["a", "b"], 6, "\"60 ms\""), failures],
        ),
        ("an outage without length", vec![station("a", 3, SLOW), one(&["a"]), at_once]),
        ("bursts of zero services", vec![station("a", 2, SOMETIMES_NONE), one(&["a"]), burst.clone(), down("\"a\"")]),
        (
            "events at the ties of one station",
            vec![
                limited("a", 2, CONSTANT, 9),
                flow("one", &["a"], EVERY_8_MS),
                flow("two", &["a"], EVERY_20_MS),
                burst,
                down("\"a\""),
            ],
        ),
        (
            "an outage at the ties of transfers",
            vec![
                station("a", 1, CONSTANT),
                limited("b", 1, CONSTANT, 1),
                flow("one", &["a", "b"], EVERY_8_MS),
                down("\"a\""),
            ],
        ),
        (
            "outages at the ties of transfers and arrivals",
            vec![
                station("a", 1, CONSTANT),
                station("b", 1, CONSTANT),
                flow("one", &["a", "b"], EVERY_20_MS),
                flow("two", &["b"], EVERY_8_MS),
                again,
            ],
        ),
    ];
    tables.into_iter().map(|(name, tables)| (name, scenario(&tables))).collect()
}

/// With the gauge of a rare event and the station whose queue leads to it, the value that it is above, and the number of levels.
pub fn split() -> Vec<(&'static str, String, [u32; 2], u64, u64)> {
    let plain: std::collections::BTreeMap<_, _> = plain().into_iter().collect();
    let all = sojourn_model::rare::Watched::ALL;
    let (mixed, thinking) = ("from outside and around", "those who think at four servers");
    let cases = [
        ("M/M/1", [0, 0], 30, 15),
        ("M/M/3", [0, 0], 20, 10),
        ("M/G/3/4 between two", [0, 1], 3, 1),
        ("M/M/1/4", [1, all], 150, 2),
        ("a tandem", [0, 1], 16, 8),
        ("M/M/3 between two", [2, 1], 300_000, 6),
        ("crossing flows", [0, all], 12, 6),
        ("on and off", [0, 0], 20, 10),
        ("ties of transfers and arrivals", [0, 1], 4, 3),
        (thinking, [0, 0], 8, 4),
        (mixed, [0, all], 9, 4),
    ];
    cases.map(|(name, watched, above, levels)| (name, plain[name].clone(), watched, above, levels)).to_vec()
}
