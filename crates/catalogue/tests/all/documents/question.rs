//! `[question]`: read, checked where it stands, kept out of what is simulated.

use crate::documents::support::{FLOW, SHORTHAND, document, problems, replaced, reported, scenario};
use sojourn_scenario::Question;

const ASKED: &str = "[question]\ntext = \"Two more?\"\nvary = \"station.sensor.count=4:9\"\nasked = \"6\"\n";

#[test]
fn a_question_names_a_key_its_range_and_a_value() {
    let scenario = scenario(&format!("{FLOW}{ASKED}"));
    let expected = Question { text: Some("Two more?"), vary: "station.sensor.count=4:9", asked: Some("6") };
    assert_eq!(scenario.question(), Some(expected));
}

#[test]
fn a_scenario_without_one_has_none_and_simulates_the_same() {
    let (plain, asked) = (scenario(FLOW), scenario(&format!("{FLOW}{ASKED}")));
    assert_eq!(plain.question(), None);
    assert_eq!(plain.canonical_json(), asked.canonical_json());
    assert!(!plain.expanded_toml().contains("[question]"));
}

#[test]
fn a_mistake_in_a_question_stands_where_it_is_written() {
    let found = problems(&replaced(&format!("{FLOW}{ASKED}"), "station.sensor.count", "station.sensr.count"));
    assert_eq!(found.to_json()[0]["line"], 15);
    assert_eq!(reported(&found), ["there is no station `sensr` | did you mean `sensor`?"]);
    let found = problems(&replaced(&format!("{FLOW}{ASKED}"), "asked = \"6\"", "asked = \"none\""));
    assert_eq!(found.to_json()[0]["line"], 16);
}

#[test]
fn a_question_that_names_no_key_says_how_to() {
    let found = problems(&replaced(&format!("{FLOW}{ASKED}"), "vary = \"station.sensor.count=4:9\"", ""));
    assert_eq!(reported(&found), ["[question] needs `vary` | write vary = \"KEY=LOW:HIGH UNIT\""]);
}

#[test]
fn the_expanded_scenario_asks_it_too_unless_its_key_was_of_a_shorthand() {
    let expanded = scenario(&format!("{FLOW}{ASKED}")).expanded_toml();
    assert_eq!(scenario(&expanded).question(), scenario(&format!("{FLOW}{ASKED}")).question());
    let rate = "[question]\nvary = \"background.rate=100:400 /s\"\n";
    let expanded = scenario(&format!("{SHORTHAND}{rate}")).expanded_toml();
    assert_eq!(scenario(&expanded).question(), None);
}

#[test]
fn what_is_written_of_a_key_is_found_at_its_path() {
    let written = |text: &str, path: &str| document(text).written(path).unwrap().map(|setting| setting.text);
    assert_eq!(written(FLOW, "station.sensor.count").as_deref(), Some("4"));
    assert_eq!(written(FLOW, "flow.temperature.arrivals.interval").as_deref(), Some("1 s"));
    assert_eq!(written(FLOW, "station.controller.count"), None);
    assert_eq!(written(SHORTHAND, "background.rate").as_deref(), Some("300 /s"));
    assert_eq!(written(SHORTHAND, "run.seed"), None);
}
