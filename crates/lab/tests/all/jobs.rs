//! Whole jobs: runs, sweeps, searches and studies of the queue network.

use crate::common::{MM1, computing, find, folder, in_one_thread, refusal, request, results, run, sweep, write};
use sojourn_experiment::search::SearchRequest;
use sojourn_experiment::verdict::Verdict;
use sojourn_lab::outcome::Status;
use sojourn_lab::request::{Computing, Find, Run, Runs, Study, Sweep};

fn replications(count: u32) -> Runs {
    Runs { replications: Some(count), ..Runs::default() }
}

#[test]
fn a_run_gives_one_point_whose_mean_meets_the_closed_form() {
    let folder = folder("run");
    let job = run(Run { set: vec!["run.replications=10".into(), "run.duration=20 s".into()], ..request(&folder, MM1) });
    let results = results(job.wait());
    assert_eq!((&results["schema"], &results["network"]), (&1.into(), &"queue".into()));
    let point = &results["points"][0];
    assert_eq!(
        (&point["status"], &point["replications"], &point["duration"]),
        (&"ok".into(), &10.into(), &20.0.into())
    );
    let mean = point["metrics"]["response_time"]["mean"].as_f64().unwrap();
    assert!((mean - 0.005).abs() < 0.0006, "M/M/1 at 0.8: 1 ms / 0.2, not {mean}");
    assert!(point["set"].as_object().unwrap().is_empty());
}

#[test]
fn one_two_and_eight_threads_write_the_same_bytes() {
    let bytes = |jobs: usize| {
        let folder = folder(&format!("threads-{jobs}"));
        let axes = ["station.desk.servers=1,2", "run.warm_up=100 ms,200 ms"];
        let computing = Computing { jobs: Some(jobs), out: Some(folder.join("out")), ..computing(&folder) };
        run(Sweep { computing, ..sweep(&folder, MM1, &axes) });
        std::fs::read(folder.join("out/results.json")).unwrap()
    };
    let one = bytes(1);
    assert_eq!(String::from_utf8(one.clone()).unwrap().matches("\"experiment\"").count(), 4);
    assert!(one == bytes(2) && one == bytes(8));
}

#[test]
fn a_sweep_is_the_product_of_its_axes_in_their_order_and_says_their_units() {
    let folder = folder("sweep");
    let axes = ["station.desk.servers=1,2", "run.duration=1:2:1 s"];
    let results = results(run(sweep(&folder, MM1, &axes)).wait());
    let sets: Vec<String> =
        results["points"].as_array().unwrap().iter().map(|point| point["set"].to_string()).collect();
    let expected = [(1, 1.0), (1, 2.0), (2, 1.0), (2, 2.0)]
        .map(|(servers, span)| format!(r#"{{"run.duration":{span:?},"station.desk.servers":{servers}}}"#));
    assert_eq!(sets, expected);
    assert_eq!(results["axes"]["run.duration"]["unit"], "s");
}

#[test]
fn common_random_numbers_leave_a_point_alone_when_another_is_added() {
    let folder = folder("common");
    let points = |axis: &str| results(run(sweep(&folder, MM1, &[axis])).wait())["points"].clone();
    let (two, three) = (points("station.desk.servers=1,2"), points("station.desk.servers=1,2,3"));
    assert_eq!(two[0], three[0]);
    assert_eq!(two[1], three[1]);
}

#[test]
fn a_second_call_reads_the_cache_and_gives_the_same_bytes() {
    let folder = folder("cached");
    let first = run(request(&folder, MM1));
    let second = run(request(&folder, MM1));
    assert_eq!(first.wait().results_json, second.wait().results_json);
    assert_eq!((first.progress().from_cache, second.progress().from_cache), (0, 4));
    let more = run(Run { runs: replications(6), ..request(&folder, MM1) });
    assert_eq!((more.progress().from_cache, more.progress().replications_done), (4, 6));
}

#[test]
fn writing_results_keeps_traces_and_changes_no_byte() {
    let folder = folder("traces");
    let plain = run(request(&folder, MM1));
    let written = run(Run {
        computing: Computing { out: Some(folder.join("out")), ..computing(&folder) },
        ..request(&folder, MM1)
    });
    assert_eq!(plain.wait().results_json, written.wait().results_json);
    assert_eq!(std::fs::read_to_string(folder.join("out/results.json")).ok(), written.wait().results_json);
    let (without, with) = (&plain.wait().points[0], &written.wait().points[0]);
    assert!(without.traces.is_empty() && with.traces.iter().any(|name| name.starts_with("queue_length")), "{with:?}");
    assert!(with.histograms.contains(&"response_time".to_owned()), "{with:?}");
    let provenance = std::fs::read_to_string(folder.join("out/provenance.json")).unwrap();
    assert!(provenance.contains("\"began\"") && !written.wait().results_json.as_ref().unwrap().contains("began"));
}

#[test]
fn expectations_are_judged_at_every_point() {
    let folder = folder("expect");
    let text = format!("{MM1}[expect]\n\"response_time.mean\" = \"< 1 s\"\n\"response_time.p99\" = \"< 1 us\"\n");
    let job = run(request(&folder, &text));
    let verdicts: Vec<String> =
        job.wait().verdicts.iter().map(|verdict| format!("{:?}", verdict.judgement.verdict)).collect();
    assert_eq!(verdicts, ["Met", "Missed"]);
}

#[test]
fn an_expectation_of_a_metric_that_is_not_there_is_refused_with_the_nearest() {
    let folder = folder("expect-typo");
    let text = refusal(request(&folder, &format!("{MM1}[expect]\n\"respons_time.mean\" = \"< 1 s\"\n")));
    assert!(text.contains("no metric `respons_time`") && text.contains("did you mean `response_time`?"), "{text}");
    let text = refusal(request(&folder, &format!("{MM1}[expect]\n\"response_time.p98\" = \"< 1 s\"\n")));
    assert!(text.contains("no field `p98`"), "{text}");
}

#[test]
fn a_search_finds_the_largest_rate_that_meets_a_limit_near_the_closed_form() {
    let folder = folder("find");
    let find = Find {
        vary: Some("flow.customers.arrivals.rate=100:900 /s".into()),
        until: Some("response_time.mean < 5 ms".into()),
        runs: replications(6),
        set: vec!["run.duration=10 s".into()],
        ..find(&folder, MM1)
    };
    let job = run(find);
    let limit = job.wait().find.clone().unwrap();
    assert_eq!((limit.outcome, limit.direction), ("found", Some("largest")));
    let value = limit.value.unwrap();
    assert!((value - 800.0).abs() < 25.0, "1 / (1 ms - 1/5 ms) = 800 /s, not {value}");
    let [Some(low), Some(high)] = limit.interval else { panic!("both ends are decided: {limit:?}") };
    assert!(low <= value && value <= high && high - low < 100.0, "{limit:?}");
    let summary = &results(job.wait())["limit"];
    assert_eq!((&summary["value"], &summary["decided"]), (&value.into(), &true.into()));
    let points = results(job.wait())["points"].as_array().unwrap().len();
    assert_eq!(points, limit.tried, "every point tried is in the results once");
}

#[test]
fn a_page_that_computes_one_replication_after_the_other_finds_the_same_limit() {
    let folder = folder("find-page");
    let (vary, until) =
        (Some("flow.customers.arrivals.rate=600:950 /s".to_owned()), Some("response_time.mean < 5 ms".to_owned()));
    let job = run(Find { vary: vary.clone(), until: until.clone(), runs: replications(6), ..find(&folder, MM1) });
    let asked = SearchRequest { vary, until, ..SearchRequest::default() };
    assert_eq!(job.wait().find.as_ref(), Some(&in_one_thread(MM1, &asked, &replications(6))));
}

#[test]
fn a_question_of_the_scenario_is_answered_for_the_value_asked_about_and_for_today() {
    let folder = folder("find-question");
    let text = format!(
        "{MM1}[expect]\n\"response_time.mean\" = \"< 5 ms\"\n\"response_time.p50\" = \"> 0 s\"\n\
         [question]\ntext = \"More?\"\nvary = \"flow.customers.arrivals.rate=100:900 /s\"\nasked = \"900 /s\"\n"
    );
    let text = text.replace("800 /s", "500 /s");
    let job = run(Find { set: vec!["run.duration=10 s".into()], ..find(&folder, &text) });
    let limit = job.wait().find.clone().unwrap();
    assert_eq!((limit.question.as_deref(), limit.outcome), (Some("More?"), "found"));
    let (asked, today, found) = (limit.asked.unwrap(), limit.written.unwrap(), limit.found.unwrap());
    assert_eq!((asked.value, asked.verdict), (Some(900.0), Verdict::Missed));
    assert_eq!((today.value_text.as_str(), today.verdict), ("500 /s", Verdict::Met));
    assert_eq!(found.value, limit.value);
    let mean = asked.conditions[0].judgement.value.unwrap();
    assert!((mean - 0.010).abs() < 0.003, "M/M/1 at 0.9: 1 ms / 0.1, not {mean}");
    let points = results(job.wait())["points"].as_array().unwrap().len();
    assert_eq!(points, limit.tried, "a value asked about that bounds the range is tried once");
}

#[test]
fn a_value_asked_about_on_the_command_line_takes_the_place_of_the_scenarios() {
    let folder = folder("find-ask");
    let text = format!("{MM1}[question]\ntext = \"More?\"\nvary = \"station.desk.servers=1:3\"\nasked = \"3\"\n");
    let answer = |asked: Find| run(asked).wait().find.clone().unwrap();
    let until = Some("response_time.mean < 2 ms".to_owned());
    let other = answer(Find { ask: Some("2".into()), until: until.clone(), ..find(&folder, &text) });
    assert_eq!((other.question, other.asked.unwrap().value), (None, Some(2.0)));
    let vary = Some("flow.customers.arrivals.rate=100:900 /s".to_owned());
    let other = answer(Find { vary, until, ..find(&folder, &text) });
    assert_eq!((other.question, other.asked), (None, None), "another key is another question");
}

#[test]
fn a_search_without_key_or_condition_says_where_they_may_stand() {
    let folder = folder("find-nothing");
    let reported = refusal(find(&folder, MM1));
    assert!(reported.contains("--vary") && reported.contains("[question]"), "{reported}");
    let vary = Some("station.desk.servers=1:3".to_owned());
    let reported = refusal(Find { vary, ..find(&folder, MM1) });
    assert!(reported.contains("--until") && reported.contains("[expect]"), "{reported}");
}

#[test]
fn a_range_written_from_its_upper_end_is_refused() {
    let folder = folder("find-reversed");
    let vary = Some("station.desk.servers=9:1".to_owned());
    let reported = refusal(Find { vary, until: Some("response_time.mean < 1.2 ms".into()), ..find(&folder, MM1) });
    assert!(reported.contains("write the lower end first: 1:9"), "{reported}");
}

#[test]
fn a_mistake_in_the_scenario_of_a_sweep_is_reported_once() {
    let folder = folder("once");
    let text = MM1.replace("probe = true", "probee = true");
    let reported = refusal(sweep(&folder, &text, &["station.desk.servers=1:9:1"]));
    assert_eq!(reported.matches("did you mean `probe`?").count(), 1, "{reported}");
}

#[test]
fn a_search_over_a_whole_number_steps_by_one_and_finds_the_smallest() {
    let folder = folder("find-whole");
    let find = Find {
        vary: Some("station.desk.servers=1:9".into()),
        until: Some("response_time.mean < 1.2 ms".into()),
        ..find(&folder, &MM1.replace("800 /s", "2600 /s"))
    };
    let limit = run(find).wait().find.clone().unwrap();
    // Erlang's C gives 1.25 ms with 4 and 1.06 ms with 5
    assert_eq!((limit.direction, limit.value, limit.value_text.as_deref()), (Some("smallest"), Some(5.0), Some("5")));
    assert_eq!(limit.interval, [Some(5.0), Some(5.0)], "4 servers are excluded");
}

#[test]
fn a_condition_that_holds_everywhere_or_nowhere_is_said_so() {
    let folder = folder("find-ends");
    let limit = |until: &str| {
        let find = Find {
            vary: Some("flow.customers.arrivals.rate=100:200 /s".into()),
            until: Some(until.into()),
            ..find(&folder, MM1)
        };
        run(find).wait().find.clone().unwrap()
    };
    assert_eq!(
        (limit("response_time.mean < 1 s").outcome, limit("response_time.mean < 1 us").outcome),
        ("always", "never")
    );
}

#[test]
fn a_precision_adds_replications_until_the_interval_is_narrow() {
    let folder = folder("precision");
    let job = run(Run { runs: Runs { precision: Some(0.05), ..Runs::default() }, ..request(&folder, MM1) });
    let point = results(job.wait())["points"][0].clone();
    let time = &point["metrics"]["response_time"];
    let half_width = (time["ci95"][1].as_f64().unwrap() - time["ci95"][0].as_f64().unwrap()) / 2.0;
    assert!(half_width <= 0.05 * time["mean"].as_f64().unwrap());
    assert!(point["replications"].as_u64().unwrap() >= 10);
}

#[test]
fn an_automatic_warm_up_is_reported_in_seconds() {
    let folder = folder("warm-up");
    let job = run(Run { set: vec!["run.warm_up=auto".into()], ..request(&folder, MM1) });
    let point = results(job.wait())["points"][0].clone();
    assert_eq!(point["status"], "ok");
    let warm_up = point["warm_up"].as_f64().unwrap();
    assert!((0.0..=8.0).contains(&warm_up), "{warm_up}");
}

#[test]
fn a_point_to_which_more_arrives_than_is_served_is_observed_and_says_that_it_never_settles() {
    let folder = folder("unsettled");
    let sweep = Sweep {
        set: vec!["run.warm_up=auto".into()],
        computing: Computing { out: Some(folder.join("out")), ..computing(&folder) },
        ..sweep(&folder, MM1, &["flow.customers.arrivals.rate=500,1500 /s"])
    };
    let job = run(sweep);
    let results = results(job.wait());
    assert_eq!(results["points"][0]["status"], "ok");
    let overloaded = &results["points"][1];
    assert_eq!((&overloaded["status"], &overloaded["warm_up"]), (&"ok".into(), &0.0.into()));
    assert_eq!(overloaded["stability"][0]["stable"], false);
    assert_eq!(results["points"][0]["stability"][0]["stable"], true);
    let warnings = &job.wait().warnings;
    assert!(warnings.iter().any(|warning| warning.contains("no steady state")), "{warnings:?}");
    assert!(folder.join("out/results.json").exists());
}

#[test]
fn mistakes_of_a_request_are_reported_before_anything_runs() {
    let folder = folder("mistakes");
    let base = || request(&folder, MM1);
    let refused = |request: Run, expected: &str| {
        let text = refusal(request);
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    };
    let set = |text: &str| Run { set: vec![text.to_owned()], ..base() };
    let runs = |runs: Runs| Run { runs, ..base() };
    let jobs = |jobs| Run { computing: Computing { jobs: Some(jobs), ..computing(&folder) }, ..base() };
    let precision_of =
        |metric: &str| runs(Runs { precision: Some(0.1), precision_of: Some(metric.into()), ..Runs::default() });
    refused(set("run.durration=1 s"), "duration");
    refused(set("run.duration"), "expected KEY=VALUE");
    refused(set("run.duration=5"), "run.duration=5");
    refused(jobs(0), "at least one thread");
    refused(jobs(5000), "at most 1024 threads");
    refused(runs(replications(0)), "at least one replication");
    refused(runs(Runs { precision: Some(2.0), ..Runs::default() }), "share of the value");
    refused(precision_of("respons_time"), "response_time");
    refused(precision_of("response_time.max"), "no interval");
    refused(Run { file: folder.join("nowhere.toml"), ..base() }, "nowhere.toml");
    let twice = refusal(sweep(&folder, MM1, &["station.desk.servers=1,2", "station.desk.servers=3"]));
    assert!(twice.contains("varies twice"), "{twice}");
    assert!(!folder.join("cache").exists(), "nothing ran");
}

#[test]
fn a_job_reported_to_stop_ends_cancelled_and_the_next_call_continues() {
    let folder = folder("cancel");
    let long =
        || Sweep { set: vec!["run.duration=200 s".into()], ..sweep(&folder, MM1, &["station.desk.servers=1:400:1"]) };
    let job = sojourn_lab::Job::start(long(), crate::common::build()).unwrap();
    while job.progress().replications_done < 3 {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    job.cancel();
    assert_eq!(job.wait().status, Status::Cancelled, "long before all is done");
    assert!(run(Run { set: vec!["run.duration=200 s".into()], ..request(&folder, MM1) }).progress().from_cache >= 3);
}

const STUDY: &str = r#"
[study]
title = "Desks"
network = "queue"
[[experiment]]
id = "A"
scenario = "scenario.toml"
over = { "station.desk.servers" = [1, 2] }
quick = { duration = "500 ms", replications = 2 }
metrics = ["response_time", "transaction_time"]
[[experiment.variant]]
id = "longer"
set = { "run.duration" = "3 s" }
"#;

fn study(folder: &std::path::Path, text: &str) -> Study {
    write(folder, "scenario.toml", MM1);
    Study { study: write(folder, "study.toml", text), computing: computing(folder), ..Study::default() }
}

#[test]
fn a_study_runs_its_experiments_and_gives_every_metric_it_names() {
    let folder = folder("study");
    let results = results(run(study(&folder, STUDY)).wait());
    let points = results["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    assert_eq!(points[1]["set"]["station.desk.servers"], 2);
    let absent = &points[0]["metrics"]["transaction_time"];
    assert_eq!((&absent["count"], &absent["mean"]), (&0.into(), &serde_json::Value::Null), "{absent}");
}

#[test]
fn quick_lowers_and_all_adds_the_variants() {
    let folder = folder("study-quick");
    let quick = results(run(Study { quick: true, all: true, ..study(&folder, STUDY) }).wait());
    let points = quick["points"].as_array().unwrap();
    assert_eq!((&points[0]["duration"], &points[0]["replications"]), (&0.5.into(), &2.into()));
    let experiments: Vec<&str> = points.iter().filter_map(|point| point["experiment"].as_str()).collect();
    assert_eq!(experiments, ["A", "A", "A+longer", "A+longer"]);
}

#[test]
fn a_quick_that_raises_is_refused() {
    let folder = folder("study-raised");
    let raised = STUDY.replace("500 ms", "5 s");
    let text = refusal(Study { quick: true, ..study(&folder, &raised) });
    assert!(text.contains("quick only lowers"), "{text}");
}

#[test]
fn more_replications_than_the_scenario_has_may_be_asked_of_a_quick_study() {
    let folder = folder("study-quick-more");
    let request = Study { quick: true, runs: replications(6), ..study(&folder, STUDY) };
    let results = results(run(request).wait());
    assert_eq!(results["points"][0]["replications"], 6);
}

#[test]
fn mistakes_of_a_study_show_their_line_in_it() {
    let folder = folder("study-mistakes");
    for (from, to, expected) in [
        ("[1, 2]", "[1, 0]", "0"),
        ("station.desk.servers", "station.desk.servres", "servers"),
        ("\"scenario.toml\"", "\"absent.toml\"", "there is no scenario"),
        ("\"transaction_time\"", "\"transaction_tim\"", "did you mean `transaction_time`?"),
        ("network = \"queue\"", "network = \"lontalk\"", "the study is of lontalk"),
    ] {
        let text = refusal(study(&folder, &STUDY.replace(from, to)));
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
}
