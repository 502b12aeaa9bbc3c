//! `[[event]]`: what is read, and what is refused before anything runs.

use sojourn_core::Duration;
use sojourn_scenario::event::Schedule;

use crate::documents::support::{problems, reported, scenario};

const QUEUE: &str = r#"[network]
kind = "queue"
[[station]]
name = "desk"
service = { kind = "exponential", mean = "10 ms" }
[[flow]]
name = "customers"
path = ["desk"]
arrivals = { kind = "poisson", rate = "50 /s" }
[run]
duration = "10 min"
warm_up = "10 s"
"#;

/// A queue with an outage whose keys are these.
fn with(keys: &str) -> String {
    format!("{QUEUE}[[event]]\nname = \"outage\"\n{keys}\n")
}

#[track_caller]
fn refused(keys: &str, caret: &str, message: &str) {
    let found = problems(&with(keys));
    let shown = reported(&found);
    let place = found.0[0].place.as_ref().unwrap_or_else(|| panic!("{shown:?} stands somewhere"));
    assert_eq!((found.0.len(), place.text()), (1, caret), "{shown:?}");
    assert!(shown[0].contains(message), "{shown:?}");
}

const DOWN: &str = "action = \"down\"\nstations = \"desk\"\n";

#[test]
fn an_event_has_its_times_its_stations_and_its_action() {
    let scenario = scenario(&with(&format!("{DOWN}at = \"2 min\"\nuntil = \"130 s\"")));
    let [event] = scenario.events() else { panic!("one event") };
    let seconds = Duration::from_secs;
    assert_eq!(event.schedule, Schedule::At { begins: vec![seconds(120)], lasts: Some(seconds(10)) });
    assert_eq!((event.name.as_str(), event.action.word.word, &event.stations[..]), ("outage", "down", &[0][..]));
}

#[test]
fn a_scenario_without_events_is_the_same_scenario_as_ever_and_one_with_events_another() {
    let plain = scenario(QUEUE).canonical_json();
    assert!(!plain.contains("event"), "{plain}");
    let timed = scenario(&with(&format!("{DOWN}at = \"2 min\"\nduration = \"10 s\""))).canonical_json();
    assert!(timed.contains("outage"), "{timed}");
}

#[test]
fn a_scenario_with_events_in_full_form_is_the_same_scenario() {
    for keys in [
        format!("{DOWN}at = [\"2 min\", \"3 min\"]\nduration = \"10 s\""),
        format!("{DOWN}mean_time_between = \"30 s\"\nmean_time_to_repair = \"1 s\""),
        "action = \"set\"\nat = \"1 min\"\nset = { \"station.desk.service.mean\" = \"5 ms\" }".to_owned(),
    ] {
        let first = scenario(&with(&keys));
        let again = scenario(&first.expanded_toml());
        assert_eq!(first.canonical_json(), again.canonical_json());
    }
}

#[test]
fn what_an_event_names_must_exist() {
    refused(
        "action = \"down\"\nstations = [\"dsek\"]\nat = \"2 min\"",
        "\"dsek\"",
        "there is no station `dsek` | did you mean `desk`?",
    );
    refused("action = \"stop\"\nflows = \"customer\"\nat = \"2 min\"", "\"customer\"", "did you mean `customers`?");
    refused(
        "action = \"set\"\nat = \"2 min\"\nset = { \"station.desk.servise.mean\" = \"1 ms\" }",
        "servise",
        "did you mean `service`?",
    );
}

#[test]
fn an_action_that_the_network_does_not_know_or_that_lacks_what_it_acts_on_is_refused() {
    refused("action = \"powerdown\"\nstations = \"desk\"\nat = \"2 min\"", "\"powerdown\"", "not one of its values");
    refused("action = \"down\"\nat = \"2 min\"", "\"down\"", "\"down\" needs `stations`");
    refused(
        "action = \"stop\"\nstations = \"desk\"\nflows = \"customers\"\nat = \"2 min\"",
        "\"desk\"",
        "takes no `stations`",
    );
    refused(
        "action = \"set\"\nat = \"2 min\"\nset = { \"station.desk.servers\" = 2 }",
        "station.desk.servers",
        "cannot change during a run | keys that can: mean of [[station]]",
    );
    refused("action = \"set\"\nat = \"2 min\"\nset = { \"station.desk.service.mean\" = 2 }", "2", "needs a unit");
}

#[test]
fn times_that_cannot_be_are_refused() {
    let down = |keys: &str| format!("{DOWN}{keys}");
    refused(&down("at = \"2 min\"\nuntil = \"1 min\""), "\"1 min\"", "ends before it begins");
    refused(&down("at = \"5 s\""), "\"5 s\"", "within the warm-up of 10 s");
    refused(&down("at = \"2 h\""), "\"2 h\"", "never happens: the run ends at 610 s");
    refused(&down("at = [\"20 s\", \"25 s\"]\nduration = \"6 s\""), "\"6 s\"", "begins again before it has ended");
    refused(&down("at = \"20 s\"\nevery = \"1 min\"\nuntil = \"25 s\""), "\"25 s\"", "ends one occurrence");
    refused(&down("at = \"20 s\"\nmean_time_between = \"1 h\""), "\"1 h\"", "both `at` and `mean_time_between`");
    refused(&down("mean_time_between = \"1 h\""), "\"1 h\"", "needs `mean_time_to_repair`");
    refused("action = \"up\"\nstations = \"desk\"\nat = \"20 s\"\nuntil = \"25 s\"", "\"25 s\"", "has no end");
}

#[test]
fn outages_of_one_thing_must_not_overlap() {
    let other = "[[event]]\nname = \"second\"\naction = \"down\"\nstations = \"desk\"\n";
    let both = |first: &str, second: &str| with(&format!("{DOWN}{first}\n{other}{second}"));
    let found = reported(&problems(&both("at = \"1 min\"\nuntil = \"2 min\"", "at = \"90 s\"\nduration = \"1 s\"")));
    assert!(found[0].contains("event `second` overlaps `outage`"), "{found:?}");
    let failures = "mean_time_between = \"1 h\"\nmean_time_to_repair = \"1 min\"";
    let found = reported(&problems(&both("at = \"1 min\"\nuntil = \"2 min\"", failures)));
    assert!(found[0].contains("overlaps"), "{found:?}");
    scenario(&both("at = \"1 min\"\nuntil = \"2 min\"", "at = \"2 min\"\nduration = \"1 s\""));
}

#[test]
fn events_need_a_warm_up_of_known_length() {
    let text = with(&format!("{DOWN}at = \"2 min\"")).replace("warm_up = \"10 s\"\n", "");
    let found = reported(&problems(&text));
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("needs a warm-up of known length"), "{found:?}");
}

const LONTALK: &str = r#"[network]
kind = "lontalk"
[[medium]]
name = "floor"
channel = "TP/FT-10"
[[station]]
name = "device"
count = 3
[[station]]
name = "panel"
[[flow]]
name = "report"
from = "device"
to = "panel"
arrivals = { kind = "poisson", interval = "1 s" }
[run]
duration = "10 min"
warm_up = "10 s"
"#;

#[test]
fn lontalk_nodes_have_power_and_its_channels_a_bit_error_rate_and_nothing_else_is_taken() {
    let with = |keys: &str| format!("{LONTALK}[[event]]\nname = \"it\"\nat = \"1 min\"\n{keys}\n");
    let read = scenario(&with("action = \"restart\"\nstations = [\"device\", \"panel\"]\nspread = \"30 s\""));
    let [event] = read.events() else { panic!("one event") };
    assert_eq!((&event.stations[..], event.spread), (&[0, 1, 2, 3][..], Duration::from_secs(30)));

    let refused = |keys: &str, caret: &str, message: &str| {
        let found = problems(&with(keys));
        let shown = reported(&found);
        let place = found.0[0].place.as_ref().unwrap_or_else(|| panic!("{shown:?} stands somewhere"));
        assert_eq!((found.0.len(), place.text()), (1, caret), "{shown:?}");
        assert!(shown[0].contains(message), "{shown:?}");
    };
    refused("action = \"down\"\nmedia = \"floor\"\nspread = \"1 s\"", "\"1 s\"", "\"down\" takes no `spread`");
    refused("action = \"power-down\"\nstations = \"devise\"", "\"devise\"", "did you mean `device`?");
    refused("action = \"power-down\"\nmedia = \"floor\"\nstations = \"panel\"", "\"floor\"", "takes no `media`");
    refused("action = \"power-up\"\nstations = \"panel\"\nduration = \"1 s\"", "\"1 s\"", "has no end");
    refused(
        "action = \"set\"\nset = { \"medium.floor.skew\" = \"1 ms\" }",
        "medium.floor.skew",
        "keys that can: bit_error_rate of [[medium]]",
    );
}
