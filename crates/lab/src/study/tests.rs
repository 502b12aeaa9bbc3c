use super::*;

const STUDY: &str = r#"
[study]
title = "Loads"
reference = "bulletin/light.csv"
[[experiment]]
id = "D"
scenario = "d.toml"
set = { "probe.priority" = true }
over = { "probe.service" = ["acknowledged", "unacknowledged"], "background.rate" = "50:150:50 /s" }
quick = { duration = "2 s", replications = 2 }
[[experiment.variant]]
id = "queued"
set = { "background.generator" = "queued" }
[[experiment]]
id = "E"
scenario = "e.toml"
[[figure]]
id = "1"
kind = "histogram"
experiments = ["D", "D+queued"]
x = "background.rate"
y = ["response_time"]
at = [300, 500]
[[answer]]
id = "load"
kind = "knee"
experiments = ["D"]
x = "background.rate"
y = "response_time"
"#;

fn parse(text: &str) -> Result<Study, Problems> {
    Study::parse(&Source::new("study.toml", text), PathBuf::from("/studies/loads"))
}

fn ids(study: &Study, wanted: &[&str], all: bool) -> Vec<String> {
    let wanted: Vec<String> = wanted.iter().map(|id| id.to_string()).collect();
    study.select(&wanted, all).unwrap().iter().map(|experiment| experiment.id.clone()).collect()
}

#[test]
fn a_study_reads_its_experiments_axes_and_variants_in_the_order_written() {
    let study = parse(STUDY).unwrap();
    assert_eq!((study.name.as_str(), study.reference.as_slice()), ("loads", &["bulletin/light.csv".to_owned()][..]));
    let variant = &study.experiments[1];
    assert_eq!(variant.id, "D+queued");
    assert_eq!(
        variant.set.iter().map(|setting| setting.key.as_str()).collect::<Vec<_>>(),
        ["probe.priority", "background.generator"]
    );
    assert_eq!(
        variant.over.iter().map(|axis| axis.key.as_str()).collect::<Vec<_>>(),
        ["probe.service", "background.rate"]
    );
    let json = serde_json::to_value(&study).unwrap();
    assert_eq!(json["experiments"][0]["over"][1]["values"], "50:150:50 /s");
    assert_eq!(json["figures"][0]["at"], serde_json::json!([300, 500]));
}

#[test]
fn a_variant_with_its_own_scenario_has_only_its_own_settings_and_axes() {
    let own = "id = \"queued\"\nscenario = \"queue.toml\"\nover = { \"background.generator\" = [\"open\"] }";
    let text = STUDY.replace("id = \"queued\"", own).replace("[\"D\", \"D+queued\"]", "[\"D\"]");
    let study = parse(&text).unwrap();
    let variant = &study.experiments[1];
    assert_eq!((variant.scenario.as_str(), variant.variant_of.as_deref()), ("queue.toml", Some("D")));
    assert_eq!(variant.set.iter().map(|setting| setting.key.as_str()).collect::<Vec<_>>(), ["background.generator"]);
    assert_eq!(variant.over.iter().map(|axis| axis.key.as_str()).collect::<Vec<_>>(), ["background.generator"]);
}

#[test]
fn variants_run_only_when_requested_by_all_or_by_name() {
    let study = parse(STUDY).unwrap();
    assert_eq!(ids(&study, &[], false), ["D", "E"]);
    assert_eq!(ids(&study, &[], true), ["D", "D+queued", "E"]);
    assert_eq!(ids(&study, &["D"], true), ["D", "D+queued"]);
    assert_eq!(ids(&study, &["D+queued"], false), ["D+queued"]);
}

#[test]
fn an_unknown_experiment_suggests_the_nearest() {
    let problems = parse(STUDY).unwrap().select(&["D+qeued".to_owned()], false).unwrap_err();
    assert!(problems.render(false, 80).contains("did you mean `D+queued`?"), "{problems}");
}

#[test]
fn every_mistake_of_a_study_is_reported_at_once_with_its_line() {
    let text = STUDY.replace("scenario = \"e.toml\"", "scenari = \"e.toml\"").replace("\"D+queued\"]", "\"D+open\"]");
    let text = text.replace("replications = 2", "replications = 0");
    let rendered = parse(&text).unwrap_err().render(false, 100);
    for expected in [
        "unknown key `scenari`",
        "did you mean `scenario`?",
        "`scenario` is missing here",
        "there is no experiment `D+open`",
        "`replications` is an integer, at least 1",
    ] {
        assert!(rendered.contains(expected), "{expected} is missing in\n{rendered}");
    }
}

#[test]
fn duplicate_experiment_ids_and_a_study_without_a_head_are_refused() {
    let rendered = parse(&STUDY.replace("id = \"E\"", "id = \"D\"")).unwrap_err().to_string();
    assert!(rendered.contains("there are two experiments `D`"), "{rendered}");
    assert!(parse("[[experiment]]\nid = \"A\"\nscenario = \"a.toml\"\n").is_err());
    assert!(parse("[study]\ntitle = \"empty\"\n").is_err());
}

#[test]
fn an_experiment_describes_its_testbed_of_real_hosts() {
    let live =
        "scenario = \"e.toml\"\nlive = { queue = \"borrow\", congestion = \"reno\", buffer = \"64 KiB\", mtu = 9180 }";
    let study = parse(&STUDY.replace("scenario = \"e.toml\"", live)).unwrap();
    let found = study.experiments.iter().find(|experiment| experiment.id == "E").unwrap().live.clone().unwrap();
    assert_eq!((found.queue.as_str(), found.congestion.as_str()), ("borrow", "reno"));
    assert_eq!((found.buffer, found.mtu), (Some(65_536), 9180));
    assert_eq!(study.experiments[0].live, None);
}

#[test]
fn mistakes_in_a_testbed_are_named() {
    let live = "scenario = \"e.toml\"\nlive = { queue = \"fifi\", congestion = \"reno\", bufer = \"64\" }";
    let problems = parse(&STUDY.replace("scenario = \"e.toml\"", live)).unwrap_err().0;
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, ["`fifi` is not one of fifo, borrow, assured", "unknown key `bufer`"]);
    assert_eq!(problems[0].help.as_deref(), Some("did you mean `fifo`?"));
}

/// The messages and hints of every problem in a study with `old` replaced by `new`.
fn mistakes(old: &str, new: &str) -> Vec<(String, Option<String>)> {
    let text = STUDY.replace(old, new);
    assert_ne!(text, STUDY, "{old} is not in the study");
    let problems = parse(&text).expect_err("the study has a mistake").0;
    assert!(problems.iter().all(|problem| problem.place.is_some()), "every mistake has a caret: {problems:?}");
    problems.into_iter().map(|problem| (problem.message, problem.help)).collect()
}

fn one(message: &str, help: &str) -> Vec<(String, Option<String>)> {
    vec![(message.to_owned(), (!help.is_empty()).then(|| help.to_owned()))]
}

#[test]
fn an_unknown_kind_of_figure_or_answer_suggests_the_nearest() {
    let found = mistakes("kind = \"histogram\"", "kind = \"histogran\"");
    assert_eq!(found, one("there is no figure kind `histogran`", "did you mean `histogram`?"));
    let found = mistakes("kind = \"knee\"", "kind = \"kneee\"");
    assert_eq!(found, one("there is no answer kind `kneee`", "did you mean `knee`?"));
}

#[test]
fn figures_that_misspell_kind_axis_and_metric_are_reported_at_once() {
    let figure =
        "[[figure]]\nid = \"2\"\nkind = \"extreems\"\nx = \"nonsense.key\"\ny = [\"respons_time\"]\n[[answer]]";
    let found: Vec<String> = mistakes("[[answer]]", figure).into_iter().map(|(message, _)| message).collect();
    let expected = [
        "there is no figure kind `extreems`",
        "none of these experiments varies `nonsense.key`",
        "there is no metric `respons_time`",
    ];
    assert_eq!(found, expected);
}

#[test]
fn an_axis_must_vary_in_every_experiment_shown() {
    let found = mistakes("experiments = [\"D\", \"D+queued\"]", "experiments = [\"D\", \"E\"]");
    assert_eq!(found, one("experiment `E` does not vary `background.rate`", ""));
}

#[test]
fn an_option_of_another_kind_is_refused() {
    let found = mistakes("at = [300, 500]", "at = [300, 500]\nstatistics = [\"mean\"]");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "unknown key `statistics` of figure kind `histogram`");
}

#[test]
fn a_required_option_that_is_missing_points_at_its_table() {
    assert_eq!(mistakes("y = [\"response_time\"]\n", ""), one("`y` is missing here", ""));
}

#[test]
fn a_histogram_refuses_a_metric_without_samples() {
    let found = mistakes("y = [\"response_time\"]", "y = [\"utilisation\"]");
    assert_eq!(found[0].0, "`utilisation` has no samples");
}

#[test]
fn a_value_of_the_wrong_type_is_refused() {
    let found = mistakes("at = [300, 500]", "at = [300, 500]\nbin = \"15\"");
    assert_eq!(found, one("`bin` is a time with its unit, such as \"15 ms\"", ""));
    let found = mistakes("at = [300, 500]", "at = [300, 500]\nscale = { x = \"logarithmic\" }");
    assert_eq!(found[0].0, "`logarithmic` is not one of log");
}

#[test]
fn a_setting_that_no_experiment_varies_is_refused() {
    let found = mistakes("at = [300, 500]", "at = [300, 500]\nwhere = { \"probe.sevice\" = \"acknowledged\" }");
    assert_eq!(found, one("none of these experiments varies `probe.sevice`", "did you mean `probe.service`?"));
}

#[test]
fn two_figures_of_one_id_are_refused() {
    let again = "[[figure]]\nid = \"1\"\nkind = \"budget\"\n[[answer]]";
    assert_eq!(mistakes("[[answer]]", again), one("there are two figures `1`", ""));
}

#[test]
fn kinds_are_declared_in_order_of_name_with_unique_options() {
    for (kinds, common) in [(figure_kinds::KINDS, figure_kinds::COMMON), (answer_kinds::KINDS, answer_kinds::COMMON)] {
        assert!(kinds.is_sorted_by(|a, b| a.name < b.name));
        for kind in kinds {
            let mut names: Vec<&str> = kind.options.iter().map(|option| option.name).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}: {names:?}", kind.name);
        }
        assert!(common.iter().any(|option| option.name == "id" && option.required));
    }
}

#[test]
fn a_value_at_which_no_experiment_is_run_is_refused() {
    let study = parse(STUDY).unwrap();
    let point = |rate: f64| BTreeMap::from([("background.rate".to_owned(), results::Setting::Number(rate))]);
    let run = [("D", point(300.0)), ("D", point(400.0)), ("D+queued", point(300.0))];
    let points = run.iter().map(|(id, set)| (*id, set));
    let problems = study.refuse_unrun_values(points).unwrap_err().0;
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].message, "`background.rate` is not run at 500");
    assert_eq!(problems[0].help.as_deref(), Some("it is run at 300, 400"));
    let only_one = [("D", point(300.0))];
    assert!(study.refuse_unrun_values(only_one.iter().map(|(id, set)| (*id, set))).is_ok(), "not all are run");
}
