//! Keys that are secrets are declared as such, and what is kept of a document has none.

use sojourn_catalogue::NETWORKS;
use sojourn_scenario::keys::{Key, Secrecy};
use sojourn_scenario::redaction::{is_of_secret, shown_document, shown_value};
use sojourn_scenario::{Scenario, check};

/// Every key of every network, also those of inline tables.
fn keys() -> Vec<&'static Key> {
    let mut found: Vec<&'static Key> =
        NETWORKS.kinds().all().flat_map(|network| network.tables).flat_map(|table| table.all()).collect();
    let mut next = 0;
    while next < found.len() {
        let inner: Vec<_> =
            found[next].inner().into_iter().filter(|key| !found.iter().any(|it| same(it, key))).collect();
        found.extend(inner);
        next += 1;
    }
    found
}

fn same(one: &Key, other: &Key) -> bool {
    one.name == other.name && one.help == other.help
}

#[test]
fn a_key_that_is_named_like_a_secret_is_declared_as_one() {
    let undeclared: Vec<&str> = keys()
        .into_iter()
        .filter(|key| (is_of_secret(key.name) || key.name.ends_with("key_file")) && key.secrecy == Secrecy::None)
        .map(|key| key.name)
        .collect();
    assert_eq!(undeclared, Vec::<&str>::new(), "say what of its value is one: .secret(Secrecy::Whole)");
}

#[test]
fn the_value_of_every_key_that_is_a_secret_is_shown_without_it() {
    let mut declared: Vec<&Key> = keys().into_iter().filter(|key| key.secrecy != Secrecy::None).collect();
    declared.sort_by_key(|key| key.name);
    declared.dedup_by_key(|key| key.name);
    assert_eq!(declared.iter().map(|key| key.name).collect::<Vec<_>>(), ["body", "header", "key_file", "peer"]);
    for key in declared.into_iter().filter(|key| key.secrecy != Secrecy::File) {
        let value = match key.secrecy {
            Secrecy::Url => "http://me:hunter2@h/?token=hunter2",
            Secrecy::Fields => "X-Own: hunter2",
            _ => "hunter2",
        };
        for path in [key.name.to_owned(), format!("measure.{}", key.name), format!("--{}", key.name)] {
            assert!(!shown_value(&path, value).contains("hunter2"), "{path}");
            for written in [format!("{path} = \"{value}\""), format!("{path}={value}"), format!("{path} = ['{value}']")]
            {
                assert!(!shown_document(&written).contains("hunter2"), "{written}");
            }
        }
    }
}

fn scenario(text: &str) -> Scenario {
    check(&NETWORKS.kinds().parse("m.toml", text).unwrap()).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn the_hash_of_a_document_is_one_of_what_is_shown() {
    let text = |secret: &str| {
        format!(
            "[network]\nkind = \"ip\"\n[measure]\npeer = \"http://127.0.0.1:1/?token={secret}\"\n\
             header = [\"Authorization: {secret}\", \"Accept: a/b\"]\nbody = \"{secret}\"\n"
        )
    };
    let one = scenario(&text("hunter2")).canonical_measurement_json();
    assert!(!one.contains("hunter2") && one.contains("Accept: a/b"), "{one}");
    assert_eq!(one, scenario(&text("hunter3")).canonical_measurement_json());
}

#[test]
fn a_mistake_is_shown_without_the_secrets_around_it() {
    let text = "[network]\nkind = \"ip\"\n[measure]\npeer = \"http://me:hunter2@h/?token=hunter3\"\n\
                header = \"X-Own: hunter4\"\nrate = \"5 /s\" # password = hunter5\nrte = 1\nbody = \"\"\"hunter6\nhunter7\"\"\"\n\
                statsu = \"hunter8\"\n";
    let problems = NETWORKS.kinds().parse("m.toml", text).and_then(|document| check(&document)).unwrap_err();
    let shown = problems.render(false, 120);
    assert!(shown.contains("m.toml:7:1") && shown.contains("m.toml:10:1"), "places are those of the text: {shown}");
    for secret in 2..8 {
        assert!(!shown.contains(&format!("hunter{secret}")), "hunter{secret}: {shown}");
    }
    assert!(!format!("{problems:?}").contains("hunter"), "{problems:?}");
}
