//! The committed fuzz corpora, run through the functions that the fuzz targets call.

use sojourn_catalogue::NETWORKS;
use std::fs;
use std::path::Path;

use sojourn_catalogue::fuzz;

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect()
}

#[test]
fn the_corpus_of_documents_has_each_network_and_does_no_harm() {
    let inputs = corpus("scenario_document");
    inputs.iter().for_each(|bytes| fuzz::document(bytes));
    for network in NETWORKS.kinds().all() {
        let kind = format!("kind = \"{}\"", network.kind);
        assert!(inputs.iter().any(|bytes| String::from_utf8_lossy(bytes).contains(&kind)), "{kind} is missing");
    }
}

#[test]
fn the_corpus_of_arguments_does_no_harm() {
    let inputs = corpus("scenario_argument");
    assert!(inputs.len() >= 6);
    inputs.iter().for_each(|bytes| fuzz::argument(bytes));
}
