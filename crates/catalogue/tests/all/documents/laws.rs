//! Distributions of durations: the mean that is asked for can be drawn, or the scenario is refused.

use sojourn_catalogue::NETWORKS;
use std::collections::BTreeMap;

use crate::documents::support::reported;
use sojourn_core::Duration;
use sojourn_scenario::{Document, check, empirical};

/// A queue with this service and these arrivals, beside a file of measured times.
fn queue(service: &str, arrivals: &str) -> Result<Vec<Duration>, Vec<String>> {
    let text = format!(
        "[network]\nkind = \"queue\"\n[[station]]\nname = \"desk\"\nservice = {{ {service} }}\n\
         [[flow]]\nname = \"customers\"\npath = \"desk\"\narrivals = {{ {arrivals} }}\n"
    );
    let measured = "day,seconds,note\nMon,0.001,x\nTue,0.25\nWed,,late\n";
    let files = [("measured.csv", measured), ("alone.csv", "seconds\n1\n2.5\n"), ("bad.csv", "seconds\n1\nsoon\n")];
    let files: BTreeMap<String, String> = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    let checked = NETWORKS.kinds().parse_with("queue.toml", &text, files).and_then(|document| check(&document));
    let scenario = checked.map_err(|problems| reported(&problems))?;
    let service = scenario.list("station")[0].table("service");
    Ok(if service.word("kind") == "empirical" { empirical::values(service).unwrap() } else { Vec::new() })
}

const POISSON: &str = "kind = \"poisson\", rate = \"1 /s\"";
const EXPONENTIAL: &str = "kind = \"exponential\", mean = \"1 ms\"";

fn service_refused(service: &str) -> String {
    queue(service, POISSON).unwrap_err().join("\n")
}

fn arrivals_refused(arrivals: &str) -> String {
    queue(EXPONENTIAL, arrivals).unwrap_err().join("\n")
}

#[test]
fn a_normal_deviation_that_would_shift_the_mean_is_refused_with_the_kinds_that_take_it() {
    assert!(queue("kind = \"normal\", mean = \"10 ms\", deviation = 0.3", POISSON).is_ok());
    assert_eq!(
        service_refused("kind = \"normal\", mean = \"10 ms\", deviation = 0.4"),
        "`deviation` is 0.4, outside its range | 0 to 0.3; kinds that vary more: gamma, lognormal, weibull, empirical"
    );
    assert!(queue(EXPONENTIAL, "kind = \"normal\", interval = \"50 ms\", deviation = \"15 ms\"").is_ok());
    assert_eq!(
        arrivals_refused("kind = \"normal\", rate = \"20 /s\", deviation = \"25 ms\""),
        "`deviation` is 0.500 of the interval, and at most 0.3 of it: a normal distribution, truncated at zero, keeps its mean \
         up to there | kind = \"gamma\" with shape = 4.000 has this deviation; kinds that vary more: gamma, lognormal, weibull, \
         empirical"
    );
}

#[test]
fn every_law_is_taken_up_to_the_ends_of_its_range_and_not_beyond() {
    for right in
        ["kind = \"gamma\", shape = 0.05", "kind = \"weibull\", shape = 100", "kind = \"lognormal\", deviation = 5"]
    {
        assert!(queue(&format!("{right}, mean = \"1 ms\""), POISSON).is_ok(), "{right}");
    }
    for wrong in
        ["kind = \"gamma\", shape = 0.04", "kind = \"weibull\", shape = 0.2", "kind = \"lognormal\", deviation = 5.1"]
    {
        assert!(service_refused(&format!("{wrong}, mean = \"1 ms\"")).contains("outside its range"), "{wrong}");
    }
    assert!(queue(EXPONENTIAL, "kind = \"lognormal\", interval = \"1 s\", deviation = \"5 s\"").is_ok());
    assert!(
        arrivals_refused("kind = \"lognormal\", interval = \"1 s\", deviation = \"5.1 s\"").contains("at most 5 of it")
    );
}

#[test]
fn measured_times_are_a_list_or_a_column_of_a_file() {
    let ms = Duration::from_millis;
    let of = |service: &str| queue(&format!("kind = \"empirical\", {service}"), POISSON).unwrap();
    assert_eq!(of("values = [\"3 ms\", \"5 ms\", \"3 ms\"]"), [ms(3), ms(5), ms(3)]);
    // a shorter column ends earlier
    assert_eq!(of("file = \"measured.csv\", column = \"seconds\""), [ms(1), ms(250)]);
    assert_eq!(of("file = \"alone.csv\""), [ms(1000), ms(2500)]);
    assert!(queue(EXPONENTIAL, "kind = \"empirical\", values = [\"3 ms\", \"5 ms\"], start = \"at-once\"").is_ok());
}

#[test]
fn measured_times_that_cannot_be_read_say_where() {
    let of = |service: &str| service_refused(&format!("kind = \"empirical\"{service}"));
    assert!(of("").starts_with("an empirical distribution needs its values | write values = "));
    assert!(of(", values = [\"1 ms\"], file = \"alone.csv\"").starts_with("both `values` and `file` are given"));
    assert_eq!(
        of(", file = \"measured.csv\""),
        "the file has more than one column | write column = \"...\": day, seconds, note"
    );
    assert_eq!(
        of(", file = \"measured.csv\", column = \"second\""),
        "the file has no column `second` | did you mean `seconds`?"
    );
    assert!(of(", file = \"bad.csv\"").starts_with("line 3 of the file: \"soon\" is not a time in seconds"));
    assert!(of(", values = [\"0 s\"]").starts_with("an empirical distribution needs a value above zero"));
}

#[test]
fn a_burst_that_lasts_until_the_next_is_refused() {
    assert!(queue(EXPONENTIAL, "kind = \"burst\", size = 5, gap = \"2 ms\", interval = \"9 ms\"").is_ok());
    let refused = arrivals_refused("kind = \"burst\", size = 5, gap = \"2 ms\", interval = \"8 ms\"");
    assert!(refused.starts_with("a burst of 5 messages 2 ms apart lasts as long as the 8 ms"), "{refused}");
}

#[test]
fn streams_that_start_at_once_have_no_spread_unless_it_is_written() {
    let spread = |start: &str, written: &str| {
        let text = format!(
            "[network]\nkind = \"ip\"\n[[medium]]\nname = \"m\"\n[[station]]\nname = \"s\"\ncount = 2\n\
             [[flow]]\nname = \"f\"\nfrom = \"s-1\"\nto = \"s-2\"\nservice = \"stream\"\n{written}\
             arrivals = {{ kind = \"periodic\", interval = \"20 ms\", start = \"{start}\" }}\n"
        );
        let scenario = check(&NETWORKS.kinds().parse("ip.toml", &text).unwrap()).unwrap();
        scenario.list("flow")[0].duration("start_spread")
    };
    assert_eq!(spread("at-once", ""), Duration::ZERO);
    assert_eq!(spread("spread", ""), Duration::from_millis(100));
    assert_eq!(spread("at-once", "start_spread = \"100 ms\"\n"), Duration::from_millis(100));
}

/// An echo with these lines in its flow, which begin in line 13.
fn echo(lines: &str) -> String {
    format!(
        "[network]\nkind = \"ip\"\n[[medium]]\nname = \"wire\"\n[[station]]\nname = \"s\"\ncount = 2\n\
         [[flow]]\nname = \"f\"\nfrom = \"s-1\"\nto = \"s-2\"\nservice = \"echo\"\n{lines}\n"
    )
}

fn flow_of(document: &Document) -> sojourn_scenario::Table {
    check(document).unwrap_or_else(|problems| panic!("{problems}")).list("flow")[0].clone()
}

const GAMMA: &str = "{ kind = \"gamma\", mean = \"20 ms\", shape = 0.5 }";

#[test]
fn a_think_time_is_a_time_or_a_distribution() {
    let ms = Duration::from_millis;
    let plain = NETWORKS.kinds().parse("echo.toml", &echo("think = \"20 ms\"")).unwrap();
    assert_eq!(flow_of(&plain).duration("think"), ms(20));
    let law = NETWORKS.kinds().parse("echo.toml", &echo(&format!("think = {GAMMA}"))).unwrap();
    let think = flow_of(&law).table("think").clone();
    assert_eq!((think.word("kind"), think.duration("mean"), think.number("shape")), ("gamma", ms(20), 0.5));
    // what `--expand` writes is the same scenario
    let expanded = check(&law).unwrap().expanded_toml();
    let again = check(&NETWORKS.kinds().parse("expanded.toml", &expanded).unwrap()).unwrap();
    assert_eq!(again.canonical_json(), check(&law).unwrap().canonical_json());
    assert!(expanded.contains("[flow.think]\nkind = \"gamma\""), "{expanded}");
}

#[test]
fn a_time_that_may_be_a_distribution_is_an_axis_a_range_and_a_parameter_as_any_time() {
    let mut document = NETWORKS.kinds().parse("echo.toml", &echo("think = \"20 ms\"")).unwrap();
    let axis = document.axis("flow.f.think=10:30:10 ms").unwrap();
    assert_eq!((axis.unit, axis.values.len()), (Some("s"), 3));
    let vary = document.vary("flow.f.think=1:9 ms").unwrap();
    assert_eq!((vary.low, vary.high, vary.unit.as_str()), (1.0, 9.0, "ms"));
    let parameter = document.parameter("flow.f.think").unwrap();
    assert_eq!((parameter.values, parameter.low, parameter.unit), (vec![0.02], Some(0.0), "s"));
    assert!(document.written_numbers().contains(&"flow.f.think".to_owned()));
    assert_eq!(NETWORKS.kinds().label("ip", "flow.f.think").unwrap().shown_unit, "s");
    // values of both forms
    let both = document.axis(&format!("flow.f.think=5 ms,{GAMMA}")).unwrap();
    assert_eq!(both.values[1].text, GAMMA);
    document.set("flow.f.think", GAMMA, "--set").unwrap();
    assert_eq!(flow_of(&document).table("think").word("kind"), "gamma");
    document.set("flow.f.think", "5 ms", "--set").unwrap();
    assert_eq!(flow_of(&document).duration("think"), Duration::from_millis(5));
}

#[test]
fn the_mean_of_a_distribution_is_an_axis_a_range_and_a_parameter() {
    let mut document = NETWORKS.kinds().parse("echo.toml", &echo(&format!("think = {GAMMA}"))).unwrap();
    let axis = document.axis("flow.f.think.mean=10:30:10 ms").unwrap();
    assert_eq!((axis.unit, axis.values.len()), (Some("s"), 3));
    assert_eq!(document.vary("flow.f.think.mean=1:9 ms").unwrap().high, 9.0);
    assert_eq!(document.parameter("flow.f.think.mean").unwrap().values, [0.02]);
    assert_eq!(NETWORKS.kinds().label("ip", "flow.f.think.mean").unwrap().label, "Mean");
    for (path, value) in [("flow.f.think.mean", "5 ms"), ("flow.think.shape", "3")] {
        document.set(path, value, "--set").unwrap();
    }
    let think = flow_of(&document).table("think").clone();
    assert_eq!((think.duration("mean"), think.number("shape")), (Duration::from_millis(5), 3.0));
    let mut plain = NETWORKS.kinds().parse("echo.toml", &echo("think = \"20 ms\"")).unwrap();
    plain.set("flow.f.think.mean", "5 ms", "flow.f.think.mean=5 ms").unwrap();
    assert!(check(&plain).unwrap_err().to_string().contains("`think` needs `kind`"));
}

/// The first mistake of an echo with these lines: where it is, and what it is.
fn refused_echo(lines: &str) -> (u64, u64, String) {
    let problems = NETWORKS.kinds().parse("echo.toml", &echo(lines)).and_then(|document| check(&document)).unwrap_err();
    let json = problems.to_json()[0].clone();
    assert_eq!(json["file"], "echo.toml");
    (json["line"].as_u64().unwrap(), json["column"].as_u64().unwrap(), reported(&problems)[0].clone())
}

#[test]
fn a_distribution_that_cannot_be_says_where_it_stands_and_what_can() {
    let normal = refused_echo("think = { kind = \"normal\", mean = \"1 ms\", deviation = 0.4 }");
    let beyond = "0 to 0.3; kinds that vary more: gamma, lognormal, weibull, empirical";
    assert_eq!(normal, (13, 55, format!("`deviation` is 0.4, outside its range | {beyond}")));
    let empirical = refused_echo("server_time = { kind = \"empirical\" }");
    assert_eq!((empirical.0, empirical.1), (13, 24));
    assert!(empirical.2.starts_with("an empirical distribution needs its values | write values = "), "{}", empirical.2);
    for key in ["think", "server_time"] {
        let beside = refused_echo(&format!("{key} = {GAMMA}\n{key}_spread = \"5 ms\""));
        let message = format!("`{key}_spread` is beside a `{key}` that is a distribution already");
        assert_eq!((beside.0, beside.1), (14, key.len() as u64 + 11));
        assert!(beside.2.starts_with(&message), "{}", beside.2);
    }
    let recorded = refused_echo("interval = { kind = \"recorded\" }");
    assert!(recorded.2.starts_with("a recorded sequence needs its values"), "{}", recorded.2);
    let twice = refused_echo("interval = \"1 s\"\nthink = \"5 ms\"");
    assert!(twice.2.starts_with("`think` is beside an `interval`, which paces the requests already"), "{}", twice.2);
    let alone = refused_echo("interval_spread = \"1 s\"");
    assert!(alone.2.starts_with("`interval_spread` is without an `interval`"), "{}", alone.2);
    let wrong = refused_echo("think = true");
    assert!(wrong.2.starts_with("`think` takes a time in quotes, such as \"1 "), "{}", wrong.2);
    assert!(wrong.2.contains("or a table, not"), "{}", wrong.2);
    assert_eq!(refused_echo("think = { mean = \"1 ms\" }").2.split(" | ").next(), Some("`think` needs `kind`"));
    assert_eq!(refused_echo("think = \"20\"").2.split(" | ").next(), Some("`think` needs a unit"));
}

#[test]
fn the_schema_and_the_template_have_both_forms() {
    let schema = NETWORKS.kinds().schema(Some("ip")).unwrap();
    let think = &schema["properties"]["flow"]["items"]["properties"]["think"];
    assert_eq!((&think["x-unit"], &think["x-range"]), (&"s".into(), &"0 s to 200 day".into()));
    let forms = think["anyOf"].as_array().unwrap();
    assert_eq!(forms[0]["type"], "string");
    assert_eq!(forms[4]["properties"]["kind"]["const"], "gamma");
    assert_eq!(forms[4]["required"], serde_json::json!(["mean", "shape", "kind"]));
    assert_eq!(forms[8]["properties"]["kind"]["const"], "recorded");
    assert_eq!(forms.len(), 9);
}
