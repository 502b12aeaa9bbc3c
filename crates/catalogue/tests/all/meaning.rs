//! What is noted before a run: true, and nothing of what Sojourn comes with that is not meant.

use std::path::{Path, PathBuf};

use sojourn_catalogue::NETWORKS;
use sojourn_scenario::{Scenario, check};

fn notes_of(scenario: &Scenario) -> Vec<String> {
    let network = NETWORKS.find(scenario.kind).expect("a network");
    network.notes(scenario).iter().map(sojourn_model::Warning::in_words).collect()
}

fn notes(text: &str, edits: &[(&str, &str)]) -> Vec<String> {
    notes_of(&NETWORKS.checked(text, edits))
}

/// The only note of a scenario.
fn note(text: &str, edits: &[(&str, &str)]) -> String {
    let mut found = notes(text, edits);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn documents(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(Path::new("../..").join(folder)).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(documents(path.strip_prefix("../..").expect("below").to_str().expect("a name")));
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn of_what_it_comes_with_only_what_is_meant_to_be_too_much_is_noted() {
    let mut said = Vec::new();
    for path in ["examples", "installations", "studies"].into_iter().flat_map(documents) {
        let Ok(document) = NETWORKS.kinds().read(&path) else { continue };
        let Ok(scenario) = check(&document) else { continue };
        if !scenario.is_measurement() {
            said.extend(notes_of(&scenario));
        }
    }
    for network in NETWORKS.0 {
        said.extend(notes(&NETWORKS.template(network.kind()), &[]));
    }
    assert_eq!(said, Vec::<String>::new());
}
