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
fn the_corpus_of_documents_and_the_templates_that_it_begins_with_do_no_harm() {
    let inputs = corpus("scenario_document");
    assert!(inputs.len() >= 6);
    inputs.iter().for_each(|bytes| fuzz::document(bytes));
    NETWORKS.kinds().all().for_each(|network| fuzz::document(NETWORKS.template(network.kind).as_bytes()));
}

#[test]
fn the_corpus_of_arguments_does_no_harm() {
    let inputs = corpus("scenario_argument");
    assert!(inputs.len() >= 6);
    inputs.iter().for_each(|bytes| fuzz::argument(bytes));
}

#[test]
fn the_corpus_of_rate_traces_does_no_harm() {
    let inputs = corpus("rate_trace");
    assert!(inputs.len() >= 2);
    inputs.iter().for_each(|bytes| fuzz::rate_trace(bytes));
}

#[test]
fn the_corpus_of_station_files_does_no_harm() {
    let inputs = corpus("stations_file");
    assert!(!inputs.is_empty());
    inputs.iter().for_each(|bytes| fuzz::stations(bytes));
}
