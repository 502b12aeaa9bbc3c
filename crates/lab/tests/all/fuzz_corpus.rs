//! The committed fuzz corpora, run through the functions that the fuzz targets call.

use std::fs;
use std::path::Path;

use sojourn_lab::fuzz;

/// The inputs of a target; a reader that is given none has nothing to fail at.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let inputs: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(!inputs.is_empty(), "{target} has no inputs");
    inputs
}

#[test]
fn what_caches_workers_and_measurements_hand_over_does_no_harm() {
    corpus("cache_entry").iter().for_each(|bytes| fuzz::record(bytes));
    corpus("cluster_answers").iter().for_each(|bytes| fuzz::answers(bytes));
    corpus("measured_results").iter().for_each(|bytes| fuzz::measured(bytes));
}

#[test]
fn octets_that_are_no_record_are_none() {
    for octets in [&[][..], &[0xff; 64], b"{}"] {
        fuzz::record(octets);
        fuzz::answers(octets);
        fuzz::measured(octets);
    }
}
