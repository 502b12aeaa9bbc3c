//! Shorthands, defaults, lists from files, members, and `--expand`.

use sojourn_catalogue::NETWORKS;
use std::path::{Path, PathBuf};

use crate::documents::support::{FLOW, SHORTHAND, scenario};
use sojourn_core::Duration;
use sojourn_scenario::keys::{Kind, Preset};
use sojourn_scenario::{Scenario, WarmUp, check, library};

/// A floor in two segments: the sensors of the far one have names of their own, and flows reach both.
const SPLIT: &str = r#"
    [network]
    kind = "lontalk"
    [[medium]]
    name = "floor"
    channel = "TP/XF-78"
    segments = 2
    [[station]]
    name = "controller"
    on = ["floor"]
    [[station]]
    name = "sensor"
    count = 5
    on = ["floor"]
    [station.member.sensor-2]
    priority_slot = 1
    [station.member.sensor-4]
    priority_slot = 2
    [[flow]]
    name = "report"
    from = "sensor"
    to = "controller"
    arrivals = { kind = "poisson", interval = "1 s" }
    [[flow]]
    name = "alarm"
    from = "sensor-5"
    to = ["controller", "sensor-1"]
    probe = true
    arrivals = { kind = "poisson", interval = "1 s" }
"#;

/// One scenario for each kind of `arrivals` and each form a scenario can take.
fn examples() -> Vec<String> {
    let kinds = [
        "{ kind = \"poisson\", rate = \"7 /min\", start = \"at-once\" }",
        "{ kind = \"periodic\", interval = \"1 s\", jitter = \"10 ms\", delay = \"3 s\" }",
        "{ kind = \"normal\", rate = \"3 /s\", deviation = \"10 ms\" }",
        "{ kind = \"burst\", interval = \"1 min\", size = 5, gap = \"1 ms\" }",
        "{ kind = \"on-off\", interval = \"10 ms\", on = \"1 s\", off = \"2 s\" }",
        "{ kind = \"saturating\" }",
        "{ kind = \"heartbeat\", max_interval = \"60 s\", min_interval = \"5 s\", change_interval = \"20 s\" }",
        "{ kind = \"poll\", interval = \"100 ms\" }",
    ];
    let mut texts: Vec<String> =
        kinds.iter().map(|kind| FLOW.replace("{ kind = \"poisson\", interval = \"1 s\" }", kind)).collect();
    texts.push(SHORTHAND.to_owned());
    texts.push(format!("{SHORTHAND}service = \"authenticated\"\narrivals = {{ kind = \"poisson\" }}\n[station.generator-3]\nreceive_records = 4\n[station.generator-3.costs]\ndiscard = \"1 ms\"\n[expect]\n\"response_time.p99\" = \"< 100 ms\"\n"));
    texts.push(FLOW.replace("count = 4", "count = 4\n[station.member.sensor-2]\npriority_slot = 1"));
    texts.push(SPLIT.to_owned());
    texts.extend(NETWORKS.kinds().all().map(|network| network.template.to_owned()));
    texts.extend(NETWORKS.kinds().all().filter_map(|network| NETWORKS.kinds().template(network.kind)));
    texts.extend(NETWORKS.kinds().measurements().filter_map(|(known, _)| NETWORKS.kinds().template(known.name)));
    texts
}

#[test]
fn the_expanded_form_is_a_scenario_with_the_same_canonical_measurement_json() {
    for text in examples() {
        let short = scenario(&text);
        let expanded = short.expanded_toml();
        let full = scenario(&expanded);
        assert_eq!(full.canonical_measurement_json(), short.canonical_measurement_json(), "{expanded}");
        assert_eq!(
            without_comments(&full.expanded_toml()),
            without_comments(&expanded),
            "expanding twice changes nothing"
        );
    }
}

#[test]
fn a_medium_of_two_segments_is_two_media_that_a_router_joins_and_half_of_each_group_is_on_the_far_one() {
    let full = without_comments(&scenario(SPLIT).expanded_toml());
    let by_hand = SPLIT
        .replace("segments = 2", "[[medium]]\nname = \"floor-far\"\nchannel = \"TP/XF-78\"")
        .replace("count = 5", "count = 3")
        .replace(
            "[station.member.sensor-4]",
            "[[station]]\nname = \"sensor-far\"\ncount = 2\non = \"floor-far\"\n[station.member.sensor-far-1]",
        )
        .replace("[[flow]]\n    name = \"report\"\n    from = \"sensor\"", ROUTER)
        .replace("sensor-5", "sensor-far-2");
    assert_eq!(full, without_comments(&scenario(&by_hand).expanded_toml()));
}

const ROUTER: &str = "[[station]]\nname = \"floor-router\"\non = [\"floor\", \"floor-far\"]\nrouter = \"configured\"\n\
    [[flow]]\nname = \"report\"\nfrom = [\"sensor\", \"sensor-far\"]";

#[test]
fn every_example_and_study_of_the_repository_is_valid_and_expands_to_itself() {
    let mut checked = 0;
    for folder in ["examples", "studies"] {
        for path in toml_files(&library::root().join(folder)) {
            let document = NETWORKS.kinds().read(&path).unwrap_or_else(|problems| panic!("{problems}"));
            let short = check(&document).unwrap_or_else(|problems| panic!("{problems}"));
            assert_eq!(scenario(&short.expanded_toml()).canonical_json(), short.canonical_json(), "{}", path.display());
            checked += 1;
        }
    }
    assert!(checked > 0, "there are no examples in {}", library::root().display());
}

/// Scenario files below a folder.
fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let files = paths.into_iter().flat_map(|path| if path.is_dir() { toml_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|ext| ext == "toml") && !path.ends_with("study.toml")).collect()
}

/// Values that were defaults are written ones the second time, so their comments go.
fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split(" # ").next().unwrap_or(line).trim_end()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_canonical_json_leaves_out_title_expectations_and_seed_and_nothing_else() {
    let plain = scenario(SHORTHAND).canonical_json();
    let other = |more: &str| scenario(&format!("{SHORTHAND}{more}")).canonical_json();
    assert_eq!(plain, other("[run]\nseed = 99\n[expect]\n\"failures\" = \"= 0\"\n"));
    assert_eq!(plain, scenario(&format!("title = \"x\"\n{SHORTHAND}")).canonical_json());
    assert_ne!(plain, other("[run]\nreplications = 11\n"));
    assert_ne!(plain, other("data = \"2 B\"\n"));
    assert_eq!(plain, scenario(&SHORTHAND.replace("300 /s", "18000 /min")).canonical_json(), "a unit changes nothing");
}

#[test]
fn every_default_and_template_is_valid() {
    for network in NETWORKS.kinds().all() {
        for key in
            network.tables.iter().flat_map(|table| table.all()).flat_map(|key| std::iter::once(key).chain(key.inner()))
        {
            assert!(!key.help.is_empty() && key.help.ends_with('.'), "{} has no sentence", key.name);
        }
        scenario(network.template);
        scenario(&NETWORKS.kinds().template(network.kind).unwrap());
    }
}

#[test]
fn every_simulated_key_of_lontalk_states_a_source_for_its_default() {
    let network = NETWORKS.kinds().find("lontalk").unwrap();
    for key in
        network.tables.iter().flat_map(|table| table.all()).flat_map(|key| std::iter::once(key).chain(key.inner()))
    {
        let has_default = matches!(key.preset, Preset::Value(_) | Preset::By(..));
        assert!(!has_default || !key.source.is_empty(), "{}", key.name);
    }
}

#[test]
fn the_shorthand_makes_a_channel_three_stations_and_two_flows() {
    let scenario = scenario(SHORTHAND);
    let medium = &scenario.list("medium")[0];
    assert_eq!(
        (medium.name(), medium.duration("beta2"), medium.number("bit_rate")),
        ("channel", Duration::from_micros(72), 78_125.0)
    );
    let names: Vec<String> = scenario.members().into_iter().map(|member| member.name).collect();
    assert_eq!(
        (names.len(), names[0].as_str(), names[1].as_str(), names[2].as_str(), names[33].as_str()),
        (34, "sender", "receiver", "generator-1", "generator-32")
    );
    let [probe, background] = scenario.list("flow") else { panic!("two flows") };
    assert_eq!((probe.name(), probe.flag("probe"), probe.words("to")), ("probe", true, vec!["receiver"]));
    assert_eq!(
        (background.name(), background.flag("probe"), background.word("addressing")),
        ("background", false, "group")
    );
    assert_eq!(scenario.receivers(background, 2), [3], "generator-1 and generator-2 are partners");
    assert_eq!(scenario.receivers(background, 3), [2]);
}

#[test]
fn the_background_rate_counts_all_packets_a_message_causes() {
    let interval = |service: &str, more: &str| {
        let scenario = scenario(&format!("{SHORTHAND}service = \"{service}\"\n{more}"));
        scenario.list("flow")[1].table("arrivals").duration("interval").picoseconds()
    };
    // 32 stations, 300 packets a second
    let of = |packets: u64| (32 * packets * 1_000_000_000_000 + 150) / 300;
    assert_eq!(interval("acknowledged", ""), of(2));
    assert_eq!(interval("acknowledged", "authenticated = true\n"), of(4));
    assert_eq!(interval("authenticated", ""), of(4));
    assert_eq!(interval("unacknowledged", ""), of(1));
    assert_eq!(interval("unacknowledged-repeated", ""), of(4));
    assert_eq!(interval("unacknowledged-repeated", "repeats = 1\n"), of(2));
    assert_eq!(interval("acknowledged", "counts = \"messages\"\n"), of(1));
}

#[test]
fn standard_channels_have_the_times_of_their_parameter_blocks() {
    // cycles of 0.6 µs: slot 20 x control + 40; beta 1 285 + slot + 41 x padding + 317; packet cycle 1794 a unit
    let blocks = [
        ("TP/XF-1250", 0, 0, 4),
        ("TP/XF-78", 4, 15, 4),
        ("TP/RS485-78", 4, 15, 4),
        ("TP/FT-10", 12, 15, 5),
        ("TP/RS485-39", 6, 16, 5),
        ("TP/RS485-625", 2, 15, 4),
        ("PL-20N", 166, 103, 63),
    ];
    for (channel, control, padding, cycle) in blocks {
        let scenario = scenario(&SHORTHAND.replace("TP/XF-78", channel));
        let medium = &scenario.list("medium")[0];
        let cycles = |n: u64| Duration::from_nanos(600 * n);
        let slot = 20 * control + 40;
        assert_eq!(medium.duration("beta2"), cycles(slot), "{channel}");
        assert_eq!(medium.duration("beta1"), cycles(285 + slot + 41 * padding + 317), "{channel}");
        assert_eq!(medium.duration("packet_cycle"), cycles(1794 * cycle), "{channel}");
        assert!(medium.duration("carrier_sense_latency") < medium.duration("beta2"), "{channel}");
    }
    let key = NETWORKS.kinds().find("lontalk").unwrap().table("medium").unwrap().find("channel").unwrap();
    let Kind::Word(words) = key.kind else { panic!("a word") };
    // and IP-852, which has no medium access
    assert_eq!(words.len(), blocks.len() + 1);
}

#[test]
fn addressing_follows_from_the_receivers_unless_it_is_written() {
    let addressing = |to: &str, more: &str| {
        let text = FLOW.replace("to = \"controller\"", &format!("to = {to}\n{more}"));
        scenario(&text).list("flow")[0].word("addressing").to_owned()
    };
    assert_eq!(addressing("\"controller\"", ""), "unicast");
    assert_eq!(addressing("\"partner\"", ""), "unicast");
    assert_eq!(addressing("\"sensor\"", ""), "group");
    assert_eq!(addressing("[\"controller\", \"sensor-1\"]", ""), "group");
    assert_eq!(addressing("\"everyone\"", ""), "broadcast");
    assert_eq!(addressing("\"controller\"", "addressing = \"group\""), "group");
}

#[test]
fn receivers_never_include_the_sender_nor_anyone_twice() {
    let scenario = scenario(&FLOW.replace("to = \"controller\"", "to = [\"sensor\", \"controller\", \"sensor-1\"]"));
    let flow = &scenario.list("flow")[0];
    assert_eq!(scenario.receivers(flow, 1), [0, 2, 3, 4]);
    let scenario = crate::documents::support::scenario(&FLOW.replace("to = \"controller\"", "to = \"everyone\""));
    assert_eq!(scenario.receivers(&scenario.list("flow")[0], 4), [0, 1, 2, 3]);
}

#[test]
fn names_resolve_to_members() {
    let scenario = scenario(FLOW);
    assert_eq!(
        (scenario.resolve("sensor"), scenario.resolve("sensor-3"), scenario.resolve("controller")),
        (0..4, 2..3, 4..5)
    );
    for stranger in ["sensor-0", "sensor-5", "sensor-03", "controller-1", "absent", ""] {
        assert!(scenario.resolve(stranger).is_empty(), "{stranger}");
    }
}

#[test]
fn stations_may_come_from_a_file() {
    let folder = std::env::temp_dir().join(format!("sojourn-stations-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text =
        format!("stations = \"site.csv\"\n{}", FLOW.replace("to = \"controller\"", "to = \"supervisor\"\nretries = 1"));
    std::fs::write(folder.join("scenario.toml"), text).unwrap();
    let read = |csv: &str| {
        std::fs::write(folder.join("site.csv"), csv).unwrap();
        check(&NETWORKS.kinds().read(&folder.join("scenario.toml")).unwrap())
    };
    let scenario =
        read("name, count, input_clock, priority_slot\n# floor 1\nsupervisor,,5 MHz,2\n\"lamp\",3,,\n").unwrap();
    let station = scenario.list("station").iter().find(|station| station.name() == "supervisor").unwrap();
    assert_eq!((station.number("input_clock"), station.integer("priority_slot"), station.count()), (5e6, 2, 1));
    assert_eq!(scenario.resolve("lamp").len(), 3);
    assert_eq!(
        crate::documents::support::scenario(&scenario.expanded_toml()).canonical_json(),
        scenario.canonical_json()
    );

    let found = read("name,input_clok,priority_slot\nsupervisor,5 MHz,200\n").unwrap_err();
    let shown: Vec<(String, &str)> =
        found.0.iter().map(|p| (p.message.clone(), p.place.as_ref().unwrap().text())).collect();
    assert_eq!(
        shown,
        [
            ("a station has no key `input_clok` that fits in a column".to_owned(), "input_clok"),
            ("`priority_slot` is 200, outside its range".to_owned(), "200")
        ]
    );
    std::fs::remove_file(folder.join("site.csv")).unwrap();
    let found = check(&NETWORKS.kinds().read(&folder.join("scenario.toml")).unwrap()).unwrap_err();
    assert!(found.0[0].message.contains("no such file") && found.0[0].place.is_some(), "{found}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_trace_is_read_with_the_scenario_and_belongs_to_its_hash() {
    let folder = std::env::temp_dir().join(format!("sojourn-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = FLOW.replace("{ kind = \"poisson\", interval = \"1 s\" }", "{ kind = \"trace\", file = \"t.csv\" }");
    std::fs::write(folder.join("scenario.toml"), text).unwrap();
    let read = |csv: &str| -> Scenario {
        std::fs::write(folder.join("t.csv"), csv).unwrap();
        check(&NETWORKS.kinds().read(&folder.join("scenario.toml")).unwrap()).unwrap()
    };
    let first = read("time,from,to,size\n0.1,sensor-1,controller,1\n");
    assert!(first.list("flow")[0].table("arrivals").file("file").starts_with("time,from"));
    assert_eq!(
        crate::documents::support::scenario(&first.expanded_toml()).canonical_json(),
        first.canonical_json(),
        "from any folder"
    );
    assert_ne!(read("time,from,to,size\n0.2,sensor-1,controller,1\n").canonical_json(), first.canonical_json());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_run_has_its_settings() {
    let scenario =
        scenario(&format!("{FLOW}[run]\nduration = \"10 min\"\nwarm_up = \"5 s\"\nreplications = 3\nseed = 7\n"));
    let run = scenario.run();
    assert_eq!(
        (run.duration, run.warm_up, run.replications, run.seed),
        (Duration::from_secs(600), WarmUp::Fixed(Duration::from_secs(5)), 3, 7)
    );
    assert_eq!(crate::documents::support::scenario(FLOW).run().warm_up, WarmUp::Auto);
}

#[test]
fn a_domain_of_32385_stations_stays_two_tables() {
    let scenario = scenario(&FLOW.replace("count = 4", "count = 32384"));
    let members = scenario.members();
    assert_eq!((scenario.list("station").len(), members.len()), (2, 32_385));
    assert!(members[..32_384].iter().all(|member| std::ptr::eq(member.station, &scenario.list("station")[0])));
    let one = changed(&FLOW.replace("count = 4", "count = 32384"), "station.sensor-9.priority_slot");
    let own =
        one.members().iter().filter(|member| !std::ptr::eq(member.station, &one.list("station")[member.index])).count();
    assert_eq!(own, 1, "one member set apart has a table of its own");
}

fn changed(text: &str, path: &str) -> Scenario {
    let mut document = crate::documents::support::document(text);
    document.set(path, "1", &format!("--set {path}=1")).unwrap();
    check(&document).unwrap()
}
