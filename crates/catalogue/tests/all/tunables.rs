//! What a network proposes to change are keys that it has, and values that they take.

use sojourn_catalogue::NETWORKS;
use sojourn_scenario::keys::{Key, Kind, NetworkKeys, To, Tunable};

/// The words that the key of a tunable takes, and whether it takes numbers; an error where there is no such key.
fn takes(network: &NetworkKeys, tunable: &Tunable) -> Result<(Vec<&'static str>, bool), String> {
    let named = |key: Option<&'static Key>| key.ok_or_else(|| format!("there is no {}.{}", tunable.table, tunable.key));
    let mut parts = tunable.key.split('.');
    let table = network.table(tunable.table).ok_or_else(|| format!("there is no table {}", tunable.table))?;
    let mut key = named(parts.next().and_then(|first| table.find(first)))?;
    for part in parts {
        if let (Kind::Variants(variants) | Kind::TimeOrLaw(_, variants), "kind") = (&key.kind, part) {
            return Ok((variants.iter().map(|variant| variant.word).collect(), false));
        }
        key = named(key.inner().into_iter().find(|inner| inner.name == part))?;
    }
    let words = key.words().iter().map(|word| word.word).collect();
    Ok((words, !matches!(key.kind, Kind::Word(_) | Kind::Names(..))))
}

#[test]
fn every_change_that_a_network_proposes_is_of_a_key_that_it_has_and_to_a_value_that_it_takes() {
    let mut wrong = Vec::new();
    for network in NETWORKS.kinds().all() {
        let kind = network.kind;
        for tunable in network.tunables {
            match (takes(network, tunable), &tunable.to) {
                (Err(why), _) => wrong.push(format!("{kind}, {}: {why}", tunable.name)),
                (Ok((_, true)), _) => {}
                (Ok((words, false)), To::Values(values)) => {
                    let unknown = values.iter().filter(|value| !words.contains(value));
                    wrong.extend(
                        unknown.map(|value| format!("{kind}, {}: {value} is not one of {words:?}", tunable.name)),
                    );
                }
                (Ok(_), To::Times(_)) => wrong.push(format!("{kind}, {}: a word has no multiple", tunable.name)),
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
