//! The committed fuzz corpora, run through the functions that the fuzz targets call.

use std::fs;
use std::path::Path;

use sojourn_live::fuzz;

/// The inputs of a target; a reader that is given none has nothing to fail at.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let inputs: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(!inputs.is_empty(), "{target} has no inputs");
    inputs
}

#[test]
fn urls_logs_and_what_servers_answer_do_no_harm() {
    corpus("live_url").iter().for_each(|bytes| fuzz::url(bytes));
    corpus("modbus_line").iter().for_each(|bytes| fuzz::modbus_line(bytes));
    corpus("can_frames").iter().for_each(|bytes| fuzz::can_frames(bytes));
    corpus("request_log").iter().for_each(|bytes| fuzz::request_log(bytes));
    #[cfg(feature = "services")]
    {
        corpus("dns_response").iter().for_each(|bytes| fuzz::dns_response(bytes));
        corpus("certificate").iter().for_each(|bytes| fuzz::certificate(bytes));
    }
}
