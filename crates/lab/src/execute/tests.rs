use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration as WallDuration;

use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::stopping::{Precision, StoppingRule};
use sojourn_experiment::entry::{Key, encode};
use sojourn_experiment::rounds::{Part, Stage, WorkItem};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::Record;
use sojourn_model::{Model, Replication};

use super::*;
use crate::cluster::{Answer, Batch, Offer, Subject, write_answers};

/// A model that draws: its scalar is a draw of the replication, its trace settles after 50 samples.
struct Drawing;

impl Model for Drawing {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let mut record = Record::default();
        let mut stream = Streams::new(replication.seed, replication.index).stream("test");
        // threads end in another order than they began
        std::thread::sleep(WallDuration::from_micros(u64::from(stream.below(3000))));
        record.scalar("utilisation", 1.0 + 0.1 * stream.unit());
        if replication.traces {
            let level = |index: u64| 1.0 + ripple(index) + 50u64.saturating_sub(index) as f64;
            record.traces.insert("response_time".into(), (0..400).map(|index| (index * 1000, level(index))).collect());
        }
        if let Some(capture) = replication.capture {
            capture.frame(Time::ZERO, &[replication.index as u8]);
        }
        record
    }
}

fn ripple(index: u64) -> f64 {
    if index.is_multiple_of(2) { 0.01 } else { 0.0 }
}

/// A model with a bug that some replications meet.
struct Faulty;

impl Model for Faulty {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        assert!(replication.index < 3, "a bug in the model");
        Record::default()
    }
}

/// A model that never ends of itself.
struct Endless;

impl Model for Endless {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        while !replication.cancelled.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
        Record::default()
    }
}

fn work(model: impl Model + 'static, name: &str) -> PointSpec {
    PointSpec {
        model: Arc::new(model),
        scenario: name.to_owned(),
        seed: 7,
        duration: Duration::from_secs(1),
        warm_up: Some(Duration::ZERO),
        rule: StoppingRule::Fixed(8),
        probe: "response_time".to_owned(),
        control_variates: false,
        deciding: None,
        beginning: None,
        part: None,
    }
}

fn run(work: &[PointSpec], jobs: usize, cache: &Cache) -> Vec<Option<PointResult>> {
    let tracker = Tracker::new();
    let settings = Settings {
        identity: "test",
        jobs: Some(jobs),
        cluster: None,
        traces: false,
        capture: None,
        cache,
        tracker: &tracker,
    };
    execute(work, &settings)
}

fn values(finished: &Option<PointResult>) -> Vec<f64> {
    let records = &finished.as_ref().unwrap().records;
    records.iter().map(|record| record.value("utilisation")).collect()
}

#[test]
fn one_two_and_eight_threads_give_the_same_replications_in_the_same_order() {
    let cache = |jobs| Cache::open(Some(&crate::testing::folder(&format!("execute-threads-{jobs}"))));
    let points = [work(Drawing, "a"), PointSpec { seed: 8, ..work(Drawing, "b") }];
    let one = run(&points, 1, &cache(1));
    for jobs in [2, 8] {
        let many = run(&points, jobs, &cache(jobs));
        for (a, b) in one.iter().zip(&many) {
            assert_eq!(values(a), values(b));
        }
    }
    assert_ne!(values(&one[0]), values(&one[1]), "another seed draws otherwise");
}

#[test]
fn a_precision_stops_at_the_same_replication_on_any_number_of_threads() {
    let cache = |jobs| Cache::open(Some(&crate::testing::folder(&format!("execute-precision-{jobs}"))));
    let rule = Precision { metric: "utilisation".into(), field: "value".into(), target: 0.005, cap: 1000 };
    let point = PointSpec { rule: StoppingRule::Precision(rule), ..work(Drawing, "a") };
    let one = run(std::slice::from_ref(&point), 1, &cache(1));
    let eight = run(&[point], 8, &cache(8));
    assert_eq!(values(&one[0]), values(&eight[0]));
    assert!(values(&one[0]).len() > 10);
}

#[test]
fn an_automatic_warm_up_is_found_once_and_used_for_the_point() {
    let cache = Cache::open(Some(&crate::testing::folder("execute-warm-up")));
    let found = run(&[PointSpec { warm_up: None, ..work(Drawing, "a") }], 2, &cache).remove(0).unwrap();
    assert_eq!(found.warm_up, Duration::from_picoseconds(50_000), "50 samples of 1000 ps");
    assert_eq!(found.records.len(), 8);
}

#[test]
fn a_pilot_without_samples_fails_the_point_and_says_what_to_do() {
    let cache = Cache::open(Some(&crate::testing::folder("execute-unsettled")));
    let unsampled = PointSpec { warm_up: None, probe: "ipdv".to_owned(), ..work(Drawing, "a") };
    let failure = run(&[unsampled], 1, &cache).remove(0).unwrap().failure.unwrap();
    assert_eq!(failure, "no ipdv was sampled in 8 s, by which the warm-up is determined: give run.warm_up");
}

#[test]
fn a_panic_in_a_model_fails_its_point_alone_with_the_first_message() {
    for jobs in [1, 4] {
        let cache = Cache::open(Some(&crate::testing::folder(&format!("execute-panic-{jobs}"))));
        let all = run(&[work(Faulty, "faulty"), work(Drawing, "sound")], jobs, &cache);
        let failure = all[0].as_ref().unwrap().failure.as_ref().unwrap();
        assert!(failure.starts_with("replication 3: a bug in the model"), "{failure}");
        assert_eq!(values(&all[1]).len(), 8);
    }
}

#[test]
fn a_second_call_reads_every_replication_from_the_cache() {
    let cache = Cache::open(Some(&crate::testing::folder("execute-cached")));
    let first = run(&[work(Drawing, "a")], 2, &cache);
    let tracker = Tracker::new();
    let settings = Settings {
        identity: "test",
        jobs: None,
        cluster: None,
        traces: false,
        capture: None,
        cache: &cache,
        tracker: &tracker,
    };
    let second = execute(&[PointSpec { rule: StoppingRule::Fixed(10), ..work(Drawing, "a") }], &settings);
    assert_eq!(values(&first[0]), values(&second[0])[..8]);
    let look = tracker.look();
    assert_eq!((look.from_cache, look.replications_done, look.done, look.total), (8, 10, 1, 1));
}

#[test]
fn a_job_reported_to_stop_stops_in_the_middle_of_a_replication_and_stores_nothing_unfinished() {
    let folder = crate::testing::folder("execute-cancelled");
    let cache = Cache::open(Some(&folder));
    let tracker = Tracker::new();
    let settings = Settings {
        identity: "test",
        jobs: Some(2),
        cluster: None,
        traces: false,
        capture: None,
        cache: &cache,
        tracker: &tracker,
    };
    std::thread::scope(|scope| {
        let job = scope.spawn(|| execute(&[work(Endless, "a"), work(Drawing, "b")], &settings));
        std::thread::sleep(WallDuration::from_millis(30));
        tracker.cancelled.store(true, Ordering::Relaxed);
        assert!(job.join().unwrap()[0].is_none());
    });
    assert!(!folder.join("replications").exists(), "an abandoned record was stored");
}

#[test]
fn a_capture_takes_the_frames_of_the_first_replication_alone_even_when_it_is_cached() {
    let folder = crate::testing::folder("execute-capture");
    let cache = Cache::open(Some(&folder.join("cache")));
    run(&[work(Drawing, "a")], 1, &cache);
    let capture = Mutex::new(Capture::create(&folder.join("a.pcap"), LinkType::RawIp).unwrap());
    let tracker = Tracker::new();
    let settings = Settings {
        identity: "test",
        jobs: Some(2),
        cluster: None,
        traces: false,
        capture: Some(&capture),
        cache: &cache,
        tracker: &tracker,
    };
    execute(&[work(Drawing, "a")], &settings);
    capture.into_inner().unwrap().finish().unwrap();
    let bytes = std::fs::read(folder.join("a.pcap")).unwrap();
    assert_eq!(bytes.len(), 24 + 16 + 1, "one frame");
}

/// Takes batches and answers them as a cluster of one worker would, but for what `lose` refuses to deliver.
fn answer(exchange: &Exchange, until: &AtomicBool, mut lose: impl FnMut(u64) -> bool) {
    while !until.load(Ordering::Relaxed) {
        let Some((number, batch)) = exchange.take(0.01, 1) else {
            std::thread::sleep(WallDuration::from_millis(1));
            continue;
        };
        if lose(number) {
            exchange.offer_again(number);
            continue;
        }
        let answers = answers(&batch);
        // whatever arrives twice counts once
        assert!(exchange.deliver(number, &answers));
        assert!(exchange.deliver(number, &answers));
    }
}

/// What a worker answers to a batch.
fn answers(batch: &Batch) -> Vec<u8> {
    let items = batch.runs.iter().flat_map(|run| run.replications.iter().map(move |&replication| (run, replication)));
    let answers: Vec<Answer> = items
        .map(|(run, replication)| {
            let key = run.key(&batch.identity, replication);
            let record = Drawing.replicate(key.replication(&AtomicBool::new(false)));
            Answer { result: Ok(encode(&key, &record)), seconds: 0.001 }
        })
        .collect();
    write_answers(&answers)
}

fn run_on_cluster(work: &[PointSpec], cache: &Cache, lose: impl FnMut(u64) -> bool + Send) -> Vec<Option<PointResult>> {
    let (exchange, tracker, ended) = (Exchange::new("test"), Tracker::new(), AtomicBool::new(false));
    let cluster = Some(Cluster { exchange: &exchange, document: &|_| String::new() });
    let settings =
        Settings { identity: "test", jobs: None, cluster, traces: false, capture: None, cache, tracker: &tracker };
    std::thread::scope(|scope| {
        scope.spawn(|| answer(&exchange, &ended, lose));
        let finished = execute(work, &settings);
        ended.store(true, Ordering::Relaxed);
        finished
    })
}

#[test]
fn a_cluster_gives_what_threads_give_whatever_is_lost_or_arrives_twice() {
    let cache = |name| Cache::open(Some(&crate::testing::folder(&format!("execute-cluster-{name}"))));
    let rule = Precision { metric: "utilisation".into(), field: "value".into(), target: 0.01, cap: 1000 };
    let points = [
        PointSpec { warm_up: None, ..work(Drawing, "a") },
        PointSpec { seed: 8, rule: StoppingRule::Precision(rule), ..work(Drawing, "b") },
    ];
    let threads = run(&points, 2, &cache("threads"));
    let kept = cache("kept");
    let cluster = run_on_cluster(&points, &kept, |number| number.is_multiple_of(3));
    for (threads, cluster) in threads.iter().zip(&cluster) {
        assert_eq!(values(threads), values(cluster));
        assert_eq!(threads.as_ref().unwrap().warm_up, cluster.as_ref().unwrap().warm_up);
    }
    let again = run_on_cluster(&points, &kept, |number| panic!("batch {number} was handed out though all is cached"));
    assert_eq!(values(&again[1]), values(&threads[1]));
}

#[test]
fn of_what_was_on_a_worker_that_ends_again_and_again_one_replication_alone_is_blamed() {
    let (exchange, tracker) = (Exchange::new("test"), Tracker::new());
    let cluster = Some(Cluster { exchange: &exchange, document: &|_| String::new() });
    let cache = Cache::open(Some(&crate::testing::folder("execute-cluster-deaths")));
    let settings = Settings {
        identity: "test",
        jobs: None,
        cluster,
        traces: false,
        capture: None,
        cache: &cache,
        tracker: &tracker,
    };
    let (failure, alone) = std::thread::scope(|scope| {
        let job = scope.spawn(|| execute(&[work(Drawing, "a")], &settings));
        let mut queued: Vec<u64> = Vec::new();
        let mut alone: Vec<u32> = Vec::new();
        while !job.is_finished() {
            while let Some((number, _)) = exchange.take(1.0, 1) {
                queued.push(number);
            }
            // all of them are on the worker that replication 3 ends
            if queued.len() == 8 {
                queued.drain(..).for_each(|number| exchange.suspect(number, "its worker was killed"));
            }
            let Some((number, batch)) = exchange.take_suspect() else { continue };
            let [replication] = batch.runs[0].replications[..] else { panic!("{batch:?}") };
            alone.push(replication);
            match replication {
                3 => exchange.suspect(number, "its worker was killed"),
                _ => assert!(exchange.deliver(number, &answers(&batch))),
            }
        }
        (job.join().unwrap().remove(0).unwrap().failure.unwrap(), alone)
    });
    assert_eq!(failure, "replication 3: its worker was killed");
    assert_eq!(alone, [0, 1, 2, 3, 4, 5, 6, 7, 3, 3]);
    assert!(!exchange.has_suspects());
}

/// An exchange that offers one replication.
fn offered() -> (Exchange, WorkItem) {
    let exchange = Exchange::new("test");
    let item = WorkItem { point: 0, index: 0, stage: Stage::Observed { warm_up: Duration::ZERO } };
    let subject = Arc::new(Subject { scenario: "a".into(), document: String::new() });
    let key =
        Key { identity: "test", scenario: "a", seed: 7, replication: 0, warm_up_ps: 0, duration_ps: 1, traces: false };
    exchange.offer(Offer::new(item, &key, subject));
    (exchange, item)
}

#[test]
fn a_copy_of_a_suspect_is_computed_alone_too_and_its_worker_does_not_count() {
    let (exchange, item) = offered();
    let (first, _) = exchange.take(1.0, 1).unwrap();
    exchange.offer_again(first);
    let (copy, _) = exchange.take(1.0, 1).unwrap();
    exchange.suspect(first, "ended");
    exchange.offer_again(copy);
    assert!(exchange.take(1.0, 1).is_none());
    assert!(exchange.has_suspects());
    exchange.suspect(copy, "ended");
    for _ in 0..3 {
        let (trial, _) = exchange.take_suspect().unwrap();
        assert!(!exchange.is_done());
        exchange.suspect(trial, "ended");
    }
    assert_eq!(exchange.wait(WallDuration::ZERO), [(item, Err("ended".to_owned()))]);
    assert!(exchange.take_suspect().is_none());
}

#[test]
fn bytes_that_are_no_answers_to_a_batch_change_nothing_and_it_waits_for_others() {
    let (exchange, _) = offered();
    let (number, batch) = exchange.take(1.0, 1).unwrap();
    let right = answers(&batch);
    let other = Batch { identity: "other".into(), ..batch.clone() };
    let timeless = write_answers(&[Answer { result: Err("x".into()), seconds: f64::NAN }]);
    for wrong in [b"".as_slice(), b"no answers", &right[..right.len() - 1], &answers(&other), &timeless] {
        assert!(!exchange.deliver(number, wrong));
        assert!(exchange.wait(WallDuration::ZERO).is_empty());
    }
    exchange.offer_again(number);
    let (again, _) = exchange.take(1.0, 1).unwrap();
    assert!(exchange.deliver(again, &right));
    assert!(matches!(exchange.wait(WallDuration::ZERO)[..], [(_, Ok(_))]));
}

#[test]
fn a_shard_computes_its_part_and_one_job_after_all_shards_nothing() {
    let cache = Cache::open(Some(&crate::testing::folder("execute-shards")));
    let whole = run(&[work(Drawing, "a")], 2, &Cache::none());
    for part in [0..3, 3..8] {
        let finished = run(
            &[PointSpec { part: Some(Part { replications: part, is_continued: false }), ..work(Drawing, "a") }],
            2,
            &cache,
        );
        assert!(finished[0].as_ref().unwrap().records.is_empty());
    }
    let tracker = Tracker::new();
    let settings = Settings {
        identity: "test",
        jobs: None,
        cluster: None,
        traces: false,
        capture: None,
        cache: &cache,
        tracker: &tracker,
    };
    assert_eq!(values(&execute(&[work(Drawing, "a")], &settings)[0]), values(&whole[0]));
    assert_eq!(tracker.look().from_cache, 8);
}
