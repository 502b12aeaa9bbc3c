//! Whatever is written, reading it ends in a scenario or in mistakes with places, never in a panic.

use crate::documents::support::{FLOW, SHORTHAND};
use proptest::prelude::*;
use sojourn_catalogue::NETWORKS;
use sojourn_scenario::keys::{Key, Kind, Shape};
use sojourn_scenario::{Expectation, check};

/// Reads a text and prints what comes of it.
fn read(text: &str) {
    match NETWORKS.kinds().parse("any.toml", text).and_then(|document| check(&document)) {
        Ok(scenario) => {
            let again = crate::documents::support::scenario(&scenario.expanded_toml());
            assert_eq!(again.canonical_json(), scenario.canonical_json());
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            assert!(!problems.render(false, 80).is_empty());
            problems.to_json();
        }
    }
}

/// A value of any shape, quoted or not.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[-+]?[0-9]{1,30}(\\.[0-9]{1,30})?(e-?[0-9]{1,3})?",
        "\"[-+]?[0-9]{1,30}(\\.[0-9]{1,9})?(e-?[0-9]{1,3})? ?(ps|us|ms|s|min|day|/s|/min|bit/s|kbit/s|B|KiB|MHz|bit|%|x)\"",
        "\"[a-z-]{0,12}\"",
        Just("true".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        Just("[1, \"a\"]".to_owned()),
        Just("{ kind = \"periodic\", interval = \"1 s\" }".to_owned()),
        Just("{ kind = \"nothing\" }".to_owned()),
        Just("1979-05-27".to_owned()),
        Just("inf".to_owned()),
        Just("nan".to_owned()),
    ]
}

fn words_of(key: &Key) -> Vec<String> {
    match key.kind {
        Kind::Word(words) => words.iter().map(|word| format!("\"{}\"", word.word)).collect(),
        Kind::Flag => vec!["true".to_owned(), "false".to_owned()],
        Kind::Integer(low, high) => vec![low.to_string(), high.min(1 << 40).to_string()],
        _ => Vec::new(),
    }
}

/// Lines of keys that exist, in tables that exist.
fn lines() -> impl Strategy<Value = String> {
    let network = NETWORKS.kinds().find("lontalk").unwrap();
    let keys: Vec<(&'static str, Shape, &'static Key)> =
        network.tables.iter().flat_map(|table| table.all().map(|key| (table.name, table.shape, key))).collect();
    let line = (prop::sample::select(keys), value(), any::<prop::sample::Index>(), any::<bool>()).prop_map(
        |((table, shape, key), value, index, valid)| {
            let words = words_of(key);
            let value = if valid && !words.is_empty() { index.get(&words).clone() } else { value };
            let header = if shape == Shape::Many { format!("[[{table}]]") } else { format!("[{table}]") };
            format!("{header}\n{} = {value}\n", key.name)
        },
    );
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_read_as_text(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read(&String::from_utf8_lossy(&bytes));
        read(&format!("[network]\nkind = \"lontalk\"\n{}", String::from_utf8_lossy(&bytes)));
    }

    #[test]
    fn any_lines_of_known_keys(lines in lines()) {
        read(&format!("[network]\nkind = \"lontalk\"\n{lines}"));
        read(&format!("{FLOW}{lines}"));
    }

    #[test]
    fn any_value_of_any_shorthand_key(key in prop::sample::select(vec!["rate", "stations", "service", "repeats", "arrivals", "counts"]), value in value()) {
        let text: String = SHORTHAND.lines().filter(|line| !line.starts_with(key)).map(|line| format!("{line}\n")).collect();
        read(&format!("{text}{key} = {value}\n"));
    }

    #[test]
    fn any_path_and_value_in_a_set(path in "[a-z.]{0,24}", known in prop::sample::select(vec!["background.rate", "station.sender.costs.discard", "flow.probe.data", "station.on", "title"]), value in "\\PC{0,24}") {
        for path in [path.as_str(), known] {
            let argument = format!("--set {path}={value}");
            for text in [FLOW, SHORTHAND] {
                let mut document = crate::documents::support::document(text);
                if document.set(path, &value, &argument).is_ok() {
                    let _ = check(&document).map_err(|problems| problems.render(false, 80));
                }
                let _ = document.axis(&format!("--over {path}={value}")).map_err(|problems| problems.render(false, 80));
                let _ = document.vary(&format!("--vary {path}={value}")).map_err(|problems| problems.render(false, 80));
            }
        }
    }

    #[test]
    fn any_condition(text in "\\PC{0,40}") {
        let _ = Expectation::parse(&text).map_err(|problems| problems.render(true, 40));
    }
}
