//! default < profile < scenario < `--set`, and where each value says it comes from.

use sojourn_catalogue::NETWORKS;
use std::path::PathBuf;

use crate::documents::support::reported;
use sojourn_core::Duration;
use sojourn_scenario::{Origin, Scenario, check, library};

/// A folder of its own for each test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("sojourn-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const NODE: &str = r#"
title = "A slow node"
network = "lontalk"
source = "a bench"
[[value]]
key = "station.costs.discard"
value = "2 ms"
source = "a measurement"
[[value]]
key = "station.receive_records"
value = 5
[[value]]
key = "station.priority_slot"
value = 2
"#;

const CHANNEL: &str = "network = \"lontalk\"\n[[value]]\nkey = \"channel.beta1\"\nvalue = \"900 µs\"\n[[value]]\nkey = \"station.costs.discard\"\nvalue = \"9 ms\"\n";

const SCENARIO: &str = r#"
[network]
kind = "lontalk"
profile = "./channel.toml"
[[station]]
name = "a"
profile = "node.toml"
priority_slot = 1
[[station]]
name = "b"
[[flow]]
name = "f"
from = "a"
to = "b"
arrivals = { kind = "periodic", interval = "1 s" }
"#;

fn read(folder: &Folder, sets: &[&str]) -> Scenario {
    let mut document = NETWORKS.kinds().read(&folder.write("scenario.toml", SCENARIO)).unwrap();
    for set in sets {
        let (path, value) = set.split_once('=').unwrap();
        document.set(path, value, &format!("--set {set}")).unwrap_or_else(|problems| panic!("{problems}"));
    }
    check(&document).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn each_rank_beats_the_one_below() {
    let folder = Folder::new("precedence");
    folder.write("node.toml", NODE);
    folder.write("channel.toml", CHANNEL);
    let scenario = read(&folder, &["station.b.costs.discard=3 ms"]);
    let [a, b] = scenario.list("station") else { panic!("two stations") };
    let discard = |station: &sojourn_scenario::Table| station.table("costs").duration("discard");
    assert_eq!(a.integer("receive_records"), 5, "the profile beats the default");
    assert_eq!(b.integer("receive_records"), 16, "the default");
    assert_eq!(discard(a), Duration::from_millis(2), "the station's profile beats the network's");
    assert_eq!(a.integer("priority_slot"), 1, "the scenario beats the profile");
    assert_eq!(discard(b), Duration::from_millis(3), "--set beats the network's profile");
    assert_eq!(
        a.table("costs").duration("deliver"),
        Duration::from_micros(1480),
        "keys a profile does not name keep their default"
    );
    assert_eq!(
        scenario.list("medium")[0].duration("beta1"),
        Duration::from_micros(900),
        "the profile beats the channel's standard"
    );
    assert!(matches!(a.get("receive_records").unwrap().origin, Origin::Profile(_)));
    assert_eq!(b.get("receive_records").unwrap().origin, Origin::Default);
}

#[test]
fn the_expanded_form_needs_the_profiles_no_more() {
    let folder = Folder::new("expanded");
    folder.write("node.toml", NODE);
    folder.write("channel.toml", CHANNEL);
    let scenario = read(&folder, &[]);
    assert_eq!(
        crate::documents::support::scenario(&scenario.expanded_toml()).canonical_json(),
        scenario.canonical_json()
    );
}

#[test]
fn a_table_of_another_kind_than_the_profile_s_has_none_of_its_values() {
    let hold = |written: &str| {
        let text = format!(
            "[network]\nkind = \"packet-radio\"\n[[medium]]\nname = \"m\"\n[[station]]\nname = \"a\"\nprofile = \"dire-wolf-1.5\"\n\
             {written}\n[[station]]\nname = \"b\"\n[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n[run]\nduration = \"1 s\"\n"
        );
        let scenario = crate::documents::support::scenario(&text);
        let hold = scenario.list("station")[0].table("dcd_hold");
        (hold.word("kind").to_owned(), hold.optional_integer("run"), hold.optional_integer("bits"))
    };
    assert_eq!(hold(""), ("ones".to_owned(), Some(8), None));
    assert_eq!(hold("dcd_hold = { kind = \"ones\", run = 7 }"), ("ones".to_owned(), Some(7), None));
    assert_eq!(hold("dcd_hold = { kind = \"bits\", bits = 0 }"), ("bits".to_owned(), None, Some(0)));
}

#[test]
fn a_wrong_value_in_a_profile_is_shown_in_the_profile() {
    let folder = Folder::new("wrong-profile");
    folder.write("channel.toml", CHANNEL);
    folder.write("node.toml", &NODE.replace("\"2 ms\"", "2").replace("receive_records", "recieve_records"));
    let document = NETWORKS.kinds().read(&folder.write("scenario.toml", SCENARIO)).unwrap();
    let found = check(&document).unwrap_err();
    let files: Vec<_> =
        found.0.iter().map(|problem| problem.place.as_ref().unwrap().source.name.ends_with("node.toml")).collect();
    assert_eq!(files, [true, true], "{found}");
    assert!(reported(&found).iter().any(|reported| reported.starts_with("`discard` needs a unit")), "{found}");
}

#[test]
fn a_profile_that_is_not_there_is_refused_where_it_is_named() {
    let folder = Folder::new("no-profile");
    let document =
        NETWORKS.kinds().read(&folder.write("scenario.toml", &SCENARIO.replace("./channel.toml", "nuron"))).unwrap();
    let found = check(&document).unwrap_err();
    assert!(reported(&found).iter().any(|reported| reported.starts_with("there is no profile `nuron`")), "{found}");
    assert!(reported(&found).iter().any(|reported| reported.contains("node.toml")), "{found}");
    assert_eq!(found.to_json()[0]["line"], 4);
}

#[test]
fn every_profile_of_the_library_is_found_by_name_and_valid() {
    for network in NETWORKS.kinds().all() {
        for name in library::names(&format!("profiles/{}", network.kind)) {
            let text = network.template.replacen("kind =", &format!("profile = \"{name}\"\nkind ="), 1);
            crate::documents::support::scenario(&text);
        }
    }
    let with = |profile: &str| {
        crate::documents::support::scenario(
            &crate::documents::support::SHORTHAND.replace("[station]", &format!("[station]\nprofile = \"{profile}\"")),
        )
    };
    let plain = crate::documents::support::scenario(crate::documents::support::SHORTHAND).canonical_json();
    assert_eq!(with("neuron-10mhz").canonical_json(), plain, "the defaults of a node are those of this profile");
    let costs = with("neuron-10mhz").list("station")[2].table("costs").clone();
    let entry = costs.get("form_packet").unwrap();
    assert!(matches!(&entry.origin, Origin::Profile(name) if name == "neuron-10mhz"), "{:?}", entry.origin);
}
