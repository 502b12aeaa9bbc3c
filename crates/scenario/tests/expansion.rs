//! Shorthands, defaults and `--expand`.

use sojourn_scenario::{Document, Scenario, check, keys};

fn scenario(text: &str) -> Scenario {
    let document = Document::parse("test.toml", text).unwrap_or_else(|problems| panic!("{problems}"));
    check(&document).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn every_template_is_a_valid_scenario_and_expands_to_itself() {
    for network in keys::kinds() {
        let short = scenario(network.template);
        let text = short.expanded_toml();
        let full = scenario(&text);
        assert_eq!(full.canonical_json(), short.canonical_json(), "{text}");
        assert_eq!(strip_comments(&full.expanded_toml()), strip_comments(&text), "expanding twice changes nothing");
    }
}

/// Values that were defaults are written ones the second time, so their comments go.
fn strip_comments(text: &str) -> String {
    text.lines().map(|line| line.split(" # ").next().unwrap_or(line).trim_end()).collect::<Vec<_>>().join("\n")
}
