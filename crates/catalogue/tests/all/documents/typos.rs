//! A typo of any key suggests the right one.

use sojourn_catalogue::NETWORKS;
use sojourn_scenario::keys::{Key, Shape};
use sojourn_scenario::{check, hint};

/// A slip of the fingers: two letters change places, or one is lost where they are alike or the word is short.
fn misspelt(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let middle = letters.len() / 2;
    if letters.len() > 3 && letters[middle] != letters[middle - 1] {
        let mut swapped = letters.clone();
        swapped.swap(middle - 1, middle);
        return swapped.into_iter().collect();
    }
    format!("{word}x")
}

fn helps(text: &str) -> Vec<String> {
    match NETWORKS.kinds().parse("typo.toml", text).and_then(|document| check(&document)) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.0.into_iter().filter_map(|problem| problem.help).collect(),
    }
}

#[test]
fn a_typo_of_every_key_of_every_table_suggests_the_key() {
    let mut tried = 0;
    for network in NETWORKS.kinds().all() {
        for table in network.tables {
            for key in table.all().filter(|key| !(table.name == "network" && key.name == "kind")) {
                let header = if table.shape == Shape::Many {
                    format!("[[{}]]", table.name)
                } else {
                    format!("[{}]", table.name)
                };
                let kind = if table.name == "network" { "" } else { "[network]\n" };
                let (before, after) = match table.name {
                    "network" => (format!("{header}\nkind = \"{}\"\n", network.kind), ""),
                    _ => (format!("{kind}kind = \"{}\"\n{header}\n", network.kind), ""),
                };
                let found = helps(&format!("{before}{} = 1\n{after}", misspelt(key.name)));
                let wanted = format!("did you mean `{}`?", key.name);
                assert!(found.contains(&wanted), "{}.{}: {} gave {found:?}", table.name, key.name, misspelt(key.name));
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "only {tried} keys were tried");
}

#[test]
fn a_typo_of_every_key_of_every_inline_table_suggests_the_key() {
    let suggests =
        |name: &str, all: &[&Key]| hint::nearest(&misspelt(name), all.iter().map(|key| key.name)) == Some(name);
    for network in NETWORKS.kinds().all() {
        for key in network.tables.iter().flat_map(|table| table.all()) {
            let inner = key.inner();
            for own in &inner {
                assert!(suggests(own.name, &inner), "{}.{}", key.name, own.name);
            }
        }
    }
}

#[test]
fn a_typo_of_every_table_suggests_the_table() {
    for network in NETWORKS.kinds().all() {
        for table in network.tables.iter().filter(|table| table.name != "network") {
            let found = helps(&format!("[network]\nkind = \"{}\"\n[{}]\n", network.kind, misspelt(table.name)));
            assert!(found.contains(&format!("did you mean `{}`?", table.name)), "{}: {found:?}", table.name);
        }
    }
}

#[test]
fn a_typo_of_every_word_suggests_the_word() {
    for network in NETWORKS.kinds().all() {
        let inner =
            network.tables.iter().flat_map(|table| table.all()).flat_map(|key| std::iter::once(key).chain(key.inner()));
        for key in inner {
            let words = || key.words().iter().map(|word| word.word);
            for word in words() {
                // TP/RS485-39, -78 and -625 are one slip apart from each other; any of them is a fair guess
                let near = hint::nearest(&misspelt(word), words());
                assert!(
                    near == Some(word) || near.is_some() && word.starts_with("TP/"),
                    "{}: {word} gave {near:?}",
                    key.name
                );
            }
        }
    }
}
