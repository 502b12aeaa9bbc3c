//! The numbers of a scenario that can be fitted: what they are now, their range, and what is refused.

use crate::documents::support::{FLOW, SHORTHAND, document, reported};
use sojourn_scenario::Parameter;

fn parameter(text: &str, path: &str) -> Parameter {
    document(text).parameter(path).unwrap_or_else(|problems| panic!("{problems}"))
}

fn refused(text: &str, path: &str) -> Vec<String> {
    reported(&document(text).parameter(path).err().unwrap_or_else(|| panic!("{path} was accepted")))
}

#[test]
fn a_number_has_its_unit_its_range_and_its_value_in_si_units() {
    let interval = parameter(FLOW, "flow.temperature.arrivals.interval");
    assert_eq!((interval.unit, interval.suffix, interval.whole), ("s", "s", false));
    assert_eq!((interval.low, interval.high), (Some(0.0), Some(200.0 * 86_400.0)));
    assert_eq!(interval.values, [1.0]);
}

#[test]
fn a_default_and_a_value_of_a_shorthand_are_values_too() {
    assert_eq!(parameter(FLOW, "run.replications").values, [10.0]);
    assert!(parameter(FLOW, "run.replications").whole);
    assert_eq!(parameter(SHORTHAND, "channel.priority_slots").values, [0.0]);
    let rate = parameter(SHORTHAND, "background.rate");
    assert_eq!((rate.unit, rate.suffix, rate.values.len()), ("1/s", "/s", 1));
}

#[test]
fn a_key_of_all_stations_has_one_value_unless_some_differ() {
    let text = FLOW.replace("count = 4\n", "count = 4\ncosts = { deliver = \"2 ms\" }\n");
    assert_eq!(parameter(FLOW, "station.costs.deliver").values.len(), 1);
    let different = parameter(&text, "station.costs.deliver");
    assert_eq!((different.values.len(), different.values[0]), (2, 0.002));
    assert_eq!(parameter(&text, "station.sensor.costs.deliver").values, [0.002]);
}

#[test]
fn a_profile_holds_costs_and_timers_but_no_single_member_and_no_traffic() {
    assert!(parameter(FLOW, "station.costs.deliver").in_profiles);
    assert!(parameter(SHORTHAND, "channel.priority_slots").in_profiles);
    assert!(!parameter(FLOW, "station.sensor.costs.deliver").in_profiles);
    assert!(!parameter(SHORTHAND, "background.rate").in_profiles);
}

#[test]
fn words_and_unknown_keys_are_refused_with_a_hint() {
    assert!(refused(FLOW, "flow.temperature.service")[0].contains("is not a number"));
    let misspelt = refused(SHORTHAND, "background.rte");
    assert!(misspelt.iter().any(|line| line.contains("rate")), "{misspelt:?}");
}
