//! The files that a document names.

use std::path::Path;

use sojourn_catalogue::NETWORKS;
use sojourn_scenario::check;

#[test]
fn a_scenario_reads_back_from_the_files_that_it_read() {
    let path = Path::new("../../examples/packet-radio-valley.toml");
    let document = NETWORKS.kinds().read(path).unwrap_or_else(|problems| panic!("{problems}"));
    let scenario = check(&document).unwrap_or_else(|problems| panic!("{problems}"));
    let files = document.files();
    assert_eq!(files.keys().collect::<Vec<_>>(), ["profiles/packet-radio/thenet-x1j4.toml"]);

    let text = std::fs::read_to_string(path).unwrap();
    let again = NETWORKS.kinds().parse_with("valley.toml", &text, files).and_then(|document| check(&document));
    assert_eq!(again.unwrap_or_else(|problems| panic!("{problems}")).canonical_json(), scenario.canonical_json());
}

#[test]
fn a_file_that_was_not_given_is_a_mistake_where_it_is_named() {
    let text = std::fs::read_to_string("../../examples/packet-radio-valley.toml").unwrap();
    let found = NETWORKS.kinds().parse_with("valley.toml", &text, [].into()).and_then(|document| check(&document));
    let problem = &found.unwrap_err().0[0];
    assert_eq!(problem.message, "there is no profile `thenet-x1j4`");
    assert!(problem.place.is_some());
}
