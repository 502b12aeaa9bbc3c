//! A batch as a worker of a cluster computes it: from its text to the bytes of the cache.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use sojourn_catalogue::NETWORKS;
use sojourn_experiment::entry::encode;
use sojourn_experiment::points::reproducible;
use sojourn_lab::cluster::{Answer, Batch, Computation, Refusal, ReplicationSet, read_answers};
use sojourn_scenario::check;

const QUEUE: &str = "../../examples/queue-mm1.toml";

fn batch(duration_ps: u64, replications: &[u32]) -> Batch {
    let document = NETWORKS.kinds().read(QUEUE.as_ref()).unwrap_or_else(|problems| panic!("{problems}"));
    let scenario = check(&document).unwrap_or_else(|problems| panic!("{problems}"));
    let run = ReplicationSet {
        scenario: reproducible(&scenario),
        document: scenario.expanded_toml(),
        seed: 3,
        warm_up_ps: 0,
        duration_ps,
        traces: false,
        replications: replications.to_vec(),
    };
    Batch { identity: "here".to_owned(), runs: vec![run] }
}

fn text(batch: &Batch) -> String {
    serde_json::to_string(batch).unwrap()
}

fn answers(batch: &Batch) -> Vec<Answer> {
    let computation = Computation::start(&text(batch), "here").unwrap();
    assert!(computation.wait(Duration::from_secs(60)));
    read_answers(computation.answers().unwrap()).unwrap()
}

#[test]
fn a_worker_gives_the_entries_that_this_host_would_store() {
    let batch = batch(1_000_000_000_000, &[0, 5]);
    let network = NETWORKS.find("queue").unwrap();
    let scenario =
        check(&NETWORKS.kinds().read(QUEUE.as_ref()).unwrap_or_else(|_| panic!())).unwrap_or_else(|_| panic!());
    let model = network.model(&scenario).unwrap_or_else(|_| panic!());
    let never = AtomicBool::new(false);
    let entries = batch.runs[0].replications.iter().map(|&replication| {
        let key = batch.runs[0].key("here", replication);
        encode(&key, &model.replicate(key.replication(&never)))
    });
    let given: Vec<Vec<u8>> = answers(&batch).into_iter().map(|answer| answer.result.unwrap()).collect();
    assert_eq!(given, entries.collect::<Vec<_>>());
}

#[test]
fn a_batch_for_another_build_is_refused_with_the_identity_it_is_for() {
    let refusal = Computation::start(&text(&batch(1, &[0])), "there").unwrap_err();
    assert_eq!(refusal, Refusal::Build("here".to_owned()));
    assert!(matches!(Computation::start("{}", "here"), Err(Refusal::Unreadable(_))));
}

#[test]
fn a_document_that_reads_as_another_scenario_gives_no_record() {
    let mut batch = batch(1, &[0, 1]);
    batch.runs[0].scenario = "another".to_owned();
    for answer in answers(&batch) {
        assert!(answer.result.unwrap_err().contains("reads back as another one"));
    }
}

#[test]
fn a_cancelled_batch_ends_in_the_middle_of_a_replication_and_gives_nothing() {
    let computation = Computation::start(&text(&batch(u64::MAX / 4, &[0])), "here").unwrap();
    assert!(!computation.wait(Duration::from_millis(50)));
    computation.cancel();
    assert!(computation.wait(Duration::from_secs(60)));
    assert_eq!(computation.answers(), None);
}
