//! Fuzzing entry points: what a cache, a worker of a cluster and a file of results hand over.

use std::path::PathBuf;

use sojourn_experiment::entry;

use crate::cluster::{read_answers, write_answers};
use crate::measured::Measured;

/// Reads bytes as the record of a replication in an entry of the cache, whose checksum is right.
pub fn record(bytes: &[u8]) {
    let name = "entry";
    if let Some(record) = entry::decode(name, &entry::around(name, bytes)) {
        let again = entry::encoded(name, &record);
        let read = entry::decode(name, &again).expect("what was written is read");
        assert_eq!(entry::encoded(name, &read), again, "a record reads back");
    }
}

/// Reads bytes as the answers of a worker.
pub fn answers(bytes: &[u8]) {
    if let Some(answers) = read_answers(bytes) {
        let again = read_answers(&write_answers(&answers)).expect("what was written is read");
        assert_eq!(write_answers(&again), write_answers(&answers), "answers read back");
    }
}

/// Reads bytes as the results of a measurement that bounds are compared with.
pub fn measured(bytes: &[u8]) {
    if let Err(problems) = Measured::of_text(PathBuf::from("results.json"), &String::from_utf8_lossy(bytes)) {
        assert!(!problems.render(false, 80).is_empty());
    }
}
