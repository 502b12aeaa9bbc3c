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
kind = "curves"
experiments = ["D", "D+queued"]
at = [300, 500]
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
fn a_variant_with_a_scenario_of_its_own_has_only_its_own_settings_and_axes() {
    let own = "id = \"queued\"\nscenario = \"queue.toml\"\nover = { \"background.generator\" = [\"open\"] }";
    let study = parse(&STUDY.replace("id = \"queued\"", own)).unwrap();
    let variant = &study.experiments[1];
    assert_eq!((variant.scenario.as_str(), variant.variant_of.as_deref()), ("queue.toml", Some("D")));
    assert_eq!(variant.set.iter().map(|setting| setting.key.as_str()).collect::<Vec<_>>(), ["background.generator"]);
    assert_eq!(variant.over.iter().map(|axis| axis.key.as_str()).collect::<Vec<_>>(), ["background.generator"]);
}

#[test]
fn variants_run_only_when_all_is_asked_for_or_they_are_named() {
    let study = parse(STUDY).unwrap();
    assert_eq!(ids(&study, &[], false), ["D", "E"]);
    assert_eq!(ids(&study, &[], true), ["D", "D+queued", "E"]);
    assert_eq!(ids(&study, &["D"], true), ["D", "D+queued"]);
    assert_eq!(ids(&study, &["D+queued"], false), ["D+queued"]);
}

#[test]
fn an_experiment_that_is_not_there_suggests_the_nearest() {
    let problems = parse(STUDY).unwrap().select(&["D+qeued".to_owned()], false).unwrap_err();
    assert!(problems.render(false, 80).contains("did you mean `D+queued`?"), "{problems}");
}

#[test]
fn every_mistake_of_a_study_is_told_at_once_with_its_line() {
    let text = STUDY.replace("scenario = \"e.toml\"", "scenari = \"e.toml\"").replace("\"D+queued\"]", "\"D+open\"]");
    let text = text.replace("replications = 2", "replications = 0");
    let rendered = parse(&text).unwrap_err().render(false, 100);
    for expected in [
        "unknown key `scenari`",
        "did you mean `scenario`?",
        "`scenario` is missing here",
        "there is no experiment `D+open`",
        "`replications` is a whole number from 1",
    ] {
        assert!(rendered.contains(expected), "{expected} is missing in\n{rendered}");
    }
}

#[test]
fn two_experiments_of_one_id_and_a_study_without_head_are_refused() {
    let rendered = parse(&STUDY.replace("id = \"E\"", "id = \"D\"")).unwrap_err().to_string();
    assert!(rendered.contains("there are two experiments `D`"), "{rendered}");
    assert!(parse("[[experiment]]\nid = \"A\"\nscenario = \"a.toml\"\n").is_err());
    assert!(parse("[study]\ntitle = \"empty\"\n").is_err());
}

#[test]
fn an_experiment_says_how_it_is_set_up_among_real_hosts() {
    let live =
        "scenario = \"e.toml\"\nlive = { queue = \"borrow\", congestion = \"reno\", buffer = \"64 KiB\", mtu = 9180 }";
    let study = parse(&STUDY.replace("scenario = \"e.toml\"", live)).unwrap();
    let found = study.experiments.iter().find(|experiment| experiment.id == "E").unwrap().live.clone().unwrap();
    assert_eq!((found.queue.as_str(), found.congestion.as_str()), ("borrow", "reno"));
    assert_eq!((found.buffer, found.mtu), (Some(65_536), 9180));
    assert_eq!(study.experiments[0].live, None);
}

#[test]
fn what_is_wrong_with_a_set_up_is_named() {
    let live = "scenario = \"e.toml\"\nlive = { queue = \"fifi\", congestion = \"reno\", bufer = \"64\" }";
    let problems = parse(&STUDY.replace("scenario = \"e.toml\"", live)).unwrap_err().0;
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, ["`fifi` is none of fifo, borrow, assured", "unknown key `bufer`"]);
    assert_eq!(problems[0].help.as_deref(), Some("did you mean `fifo`?"));
}
