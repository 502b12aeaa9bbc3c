//! Distributions of durations: the mean that is asked for can be drawn, or the scenario is refused.

use std::collections::BTreeMap;

use crate::support::reported;
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
    let checked = Document::parse_with("queue.toml", &text, files).and_then(|document| check(&document));
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
        let scenario = check(&Document::parse("ip.toml", &text).unwrap()).unwrap();
        scenario.list("flow")[0].duration("start_spread")
    };
    assert_eq!(spread("at-once", ""), Duration::ZERO);
    assert_eq!(spread("spread", ""), Duration::from_millis(100));
    assert_eq!(spread("at-once", "start_spread = \"100 ms\"\n"), Duration::from_millis(100));
}
