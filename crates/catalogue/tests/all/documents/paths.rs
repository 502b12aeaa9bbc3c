//! Key paths: what `--set`, `--over` and `--vary` reach, and what they refuse.

use crate::documents::support::{FLOW, SHORTHAND, document, reported};
use serde_json::json;
use sojourn_scenario::{Document, Problems, Scenario, check};

/// Calls in both directions between two telephones.
const VOICE: &str = r#"
[network]
kind = "ip"

[[medium]]
name = "line"

[[station]]
name = "telephone"
count = 2

[[flow]]
name = "calls"
from = "telephone-1"
to = "telephone-2"
service = "voice"
voice = { channels = 2 }

[[flow]]
name = "others"
from = "telephone-2"
to = "telephone-1"
service = "voice"
voice = {}
"#;

fn set(text: &str, sets: &[&str]) -> Result<Scenario, Problems> {
    let mut document = document(text);
    for set in sets {
        let (path, value) = set.split_once('=').unwrap();
        document.set(path, value, &format!("--set {set}"))?;
    }
    check(&document)
}

fn changed(text: &str, sets: &[&str]) -> Scenario {
    set(text, sets).unwrap_or_else(|problems| panic!("{problems}"))
}

fn refused(text: &str, sets: &[&str]) -> Vec<String> {
    reported(&set(text, sets).err().unwrap_or_else(|| panic!("{sets:?} was accepted")))
}

#[test]
fn a_table_s_key_takes_quantities_words_numbers_and_toml() {
    let sets = [
        "background.rate=150 /s",
        "channel.channel=TP/FT-10",
        "probe.retries=2",
        "probe.priority=false",
        "run.duration=\"2 min\"",
        "title=Another",
    ];
    let scenario = changed(SHORTHAND, &sets);
    let [probe, background] = scenario.list("flow") else { panic!("two flows") };
    assert_eq!(background.table("arrivals").duration("interval").seconds(), 0.426666666667);
    assert_eq!(scenario.list("medium")[0].word("channel"), "TP/FT-10");
    assert_eq!(probe.integer("retries"), 2);
    assert_eq!(scenario.run().duration.seconds(), 120.0);
    assert_eq!(scenario.title, "Another");
}

#[test]
fn a_kind_s_key_reaches_every_member_even_those_that_said_otherwise() {
    let scenario =
        changed(SHORTHAND, &["station.sender.collision_detection=false", "station.collision_detection=true"]);
    assert!(scenario.members().iter().all(|member| member.station.flag("collision_detection")));
    let scenario = changed(FLOW, &["station.sensor-2.priority_slot=1", "station.priority_slot=2"]);
    assert!(scenario.members().iter().all(|member| member.station.integer("priority_slot") == 2));
}

#[test]
fn one_member_s_key_leaves_the_others_alone() {
    let scenario =
        changed(SHORTHAND, &["station.receiver.collision_detection=true", "station.generator-7.receive_records=3"]);
    let of = |name: &str| scenario.members()[scenario.resolve(name).start].station.clone();
    assert!(of("receiver").flag("collision_detection") && of("sender").flag("collision_detection"));
    assert!(!of("generator-7").flag("collision_detection"));
    assert_eq!((of("generator-7").integer("receive_records"), of("generator-8").integer("receive_records")), (3, 16));
    let scenario = changed(FLOW, &["station.sensor-2.costs.discard=3 ms"]);
    let discard = |name: &str| {
        scenario.members()[scenario.resolve(name).start].station.table("costs").duration("discard").seconds()
    };
    assert_eq!((discard("sensor-1"), discard("sensor-2"), discard("sensor-3")), (0.0007, 0.003, 0.0007));
}

#[test]
fn a_key_within_an_inline_table_keeps_its_neighbours() {
    let scenario = changed(
        SHORTHAND,
        &["background.arrivals.kind=poisson", "probe.arrivals.interval=5 s", "station.buffers.network_input=11"],
    );
    let [probe, background] = scenario.list("flow") else { panic!("two flows") };
    assert_eq!(background.table("arrivals").word("kind"), "poisson");
    assert_eq!(
        (probe.table("arrivals").word("kind"), probe.table("arrivals").duration("interval").seconds()),
        ("periodic", 5.0)
    );
    assert_eq!(scenario.list("station")[0].table("buffers").integer("network_input"), 11);
    let scenario = changed(FLOW, &["flow.temperature.arrivals={ kind = \"saturating\" }"]);
    assert_eq!(scenario.list("flow")[0].table("arrivals").word("kind"), "saturating");
}

/// A line with a shaper before its queue.
const SHAPED: &str = r#"
[network]
kind = "ip"

[[medium]]
name = "line"
queue = { kind = "fq-codel", shaping = { rate = "4 Mbit/s", burst = "3200 B" } }

[[medium]]
name = "other"

[[station]]
name = "pc"
on = "line"

[[station]]
name = "router"
type = "router"
on = ["line", "other"]

[[station]]
name = "far"
on = "other"

[[flow]]
name = "transfer"
from = "pc"
to = "far"
service = "bulk"
"#;

#[test]
fn a_key_of_a_table_within_a_table_is_set_and_keeps_its_neighbours() {
    let scenario = changed(SHAPED, &["medium.line.queue.shaping.rate=3 Mbit/s", "medium.line.queue.target=7 ms"]);
    let queue = scenario.list("medium")[0].table("queue");
    let shaping = queue.table("shaping");
    assert_eq!((shaping.number("rate"), shaping.number("burst")), (3e6, 3200.0));
    assert_eq!((queue.word("kind"), queue.duration("target").seconds()), ("fq-codel", 0.007));
    // where nothing of the table is written, it begins
    let sets = ["medium.other.queue.shaping.rate=2 Mbit/s", "medium.other.queue.shaping.burst=2 kB"];
    assert_eq!(changed(SHAPED, &sets).list("medium")[1].table("queue").table("shaping").number("rate"), 2e6);
}

#[test]
fn a_key_of_a_table_within_a_table_is_an_axis_a_range_and_a_parameter() {
    let path = "medium.line.queue.shaping.rate";
    let document = document(SHAPED);
    let axis = document.axis(&format!("{path}=1,2 Mbit/s")).unwrap();
    assert_eq!((axis.values.len(), axis.unit), (2, Some("bit/s")));
    let vary = document.vary(&format!("{path}=1:9 Mbit/s")).unwrap();
    assert_eq!((vary.low, vary.high, vary.scale), (1.0, 9.0, 1e6));
    assert_eq!(document.parameter(path).unwrap().values, [4e6]);
    assert_eq!(document.written(path).unwrap().unwrap().json, json!(4e6));
    assert!(document.written_numbers().contains(&path.to_owned()));
}

#[test]
fn a_mistake_deep_in_a_path_is_hinted_at_where_it_is_and_never_with_itself() {
    let refused = |path: &str| refused(SHAPED, &[&format!("{path}=1 Mbit/s")]).remove(0);
    assert_eq!(refused("medium.line.queue.shaping.rte"), "`shaping` has no key `rte` | did you mean `rate`?");
    assert_eq!(refused("medium.line.queue.shapng.rate"), "`queue` has no key `shapng` | did you mean `shaping`?");
    let beyond = refused("medium.line.queue.shaping.rate.peak");
    assert_eq!(beyond, "`rate` has no key `peak` | `rate` holds a value, and no table");
}

#[test]
fn a_member_that_is_called_like_a_table_of_keys_is_reached_by_its_name() {
    let calls = VOICE.replace("name = \"calls\"", "name = \"voice\"");
    let scenario = changed(&calls, &["flow.voice.start=2 s", "flow.voice.voice.codec=g722"]);
    let flows = scenario.list("flow");
    assert_eq!(flows[0].duration("start").seconds(), 2.0);
    assert_eq!((flows[0].table("voice").word("codec"), flows[1].table("voice").word("codec")), ("g722", "g711"));
    // a key that a flow does not have belongs to the table of all flows
    let scenario = changed(&calls, &["flow.voice.codec=g722"]);
    assert!(scenario.list("flow").iter().all(|flow| flow.table("voice").word("codec") == "g722"));
    let scenario = changed(VOICE, &["flow.voice.channels=3"]);
    assert_eq!(scenario.list("flow")[0].table("voice").integer("channels"), 3);
}

#[test]
fn a_path_that_only_the_expanded_form_has_names_the_shorthand_key() {
    assert_eq!(
        refused(SHORTHAND, &["flow.background.arrivals.interval=1 s"]),
        [
            "`flow.background.arrivals.interval` exists only in the expanded scenario | [background] makes it: set background.rate"
        ]
    );
    assert_eq!(
        refused(SHORTHAND, &["flow.probe.retries=1"]),
        ["`flow.probe.retries` exists only in the expanded scenario | [probe] makes it: set probe.retries"]
    );
    assert_eq!(
        refused(SHORTHAND, &["medium.channel.priority_slots=1"]),
        [
            "`medium.channel.priority_slots` exists only in the expanded scenario | [channel] makes it: set channel.priority_slots"
        ]
    );
    assert_eq!(
        refused(SHORTHAND, &["flow.retries=1"]),
        [
            "`flow.retries` exists only in the expanded scenario | [probe] and [background] make it: set probe.retries or background.retries"
        ]
    );
}

#[test]
fn a_rate_takes_the_place_of_the_interval_that_was_written() {
    let interval = |sets: &[&str]| changed(FLOW, sets).list("flow")[0].table("arrivals").duration("interval").seconds();
    assert_eq!(interval(&["flow.temperature.arrivals.rate=4 /s"]), 0.25);
    assert_eq!(interval(&["flow.temperature.arrivals.rate=4 /s", "flow.arrivals.interval=2 s"]), 2.0);
}

#[test]
fn a_path_to_a_key_of_every_made_flow_names_each_shorthand_s_own_key() {
    let found = refused(SHORTHAND, &["flow.arrivals.interval=1 s"]);
    assert!(found[0].ends_with("set probe.arrivals.interval or background.rate"), "{found:?}");
}

#[test]
fn a_mistake_in_a_path_has_its_caret_in_the_argument() {
    let expected = "
  × `background` has no key `rat`
   ╭─[command line:1:18]
 1 │ --set background.rat=300 /s
   ·                  ───
   ╰────
  help: did you mean `rate`?
";
    let problems = set(SHORTHAND, &["background.rat=300 /s"]).unwrap_err();
    assert_eq!(problems.render(false, 100).trim_end(), expected.trim_start_matches('\n').trim_end());
}

#[test]
fn a_mistake_in_a_value_has_its_caret_in_the_argument() {
    let problems = set(SHORTHAND, &["background.rate=300"]).unwrap_err();
    let place = problems.0[0].place.as_ref().unwrap();
    assert_eq!((place.source.name.as_str(), place.text()), ("command line", "300"));
    assert_eq!(problems.0[0].message, "`rate` needs a unit");
}

#[test]
fn paths_that_lead_nowhere_are_refused_with_what_there_is() {
    assert_eq!(
        refused(FLOW, &["staton.count=2"]),
        ["a lontalk scenario has no table `staton` | did you mean `station`?"]
    );
    assert_eq!(refused(FLOW, &["station.sensr.count=2"]), ["there is no station `sensr` | did you mean `sensor`?"]);
    assert_eq!(
        refused(FLOW, &["station.sensor-9.priority_slot=2"]),
        ["station `sensor` has no member `sensor-9` | its members are sensor-1 to sensor-4"]
    );
    assert_eq!(
        refused(FLOW, &["background.rate=1 /s"]),
        ["the scenario has no [background] | a path edits the scenario as it is written"]
    );
    assert_eq!(
        refused(FLOW, &["flow.temperature.arrivals.intervall=1 s"]),
        ["`arrivals` has no key `intervall` | did you mean `interval`?"]
    );
    assert_eq!(refused(FLOW, &["network.kind=queue"]).len(), 1);
    assert_eq!(refused(FLOW, &["station.name=x"]).len(), 1);
    for nonsense in ["", ".", "run", "run.", "run..duration", "station.", "...", "run.duration.x", "é.è"] {
        assert!(!refused(FLOW, &[&format!("{nonsense}=1")]).is_empty(), "{nonsense}");
    }
}

#[test]
fn an_axis_includes_both_ends_and_is_exact() {
    let axis = document(SHORTHAND).axis("--over background.rate=50:200:50 /s").unwrap();
    assert_eq!((axis.path.as_str(), axis.unit), ("background.rate", Some("1/s")));
    assert_eq!(
        axis.values.iter().map(|v| v.text.as_str()).collect::<Vec<_>>(),
        ["50 /s", "100 /s", "150 /s", "200 /s"]
    );
    assert_eq!(axis.values[1].json, json!(100.0));
    let axis = document(SHORTHAND).axis("network.transaction_timer_scale=0.1:0.5:0.1").unwrap();
    assert_eq!(axis.values.iter().map(|v| v.json.as_f64().unwrap()).collect::<Vec<_>>(), [0.1, 0.2, 0.3, 0.4, 0.5]);
    let axis = document(SHORTHAND).axis("probe.retries=0:4:2").unwrap();
    assert_eq!(axis.values.iter().map(|v| v.json.clone()).collect::<Vec<_>>(), [json!(0), json!(2), json!(4)]);
}

#[test]
fn a_list_axis_takes_words_and_quantities_with_one_unit_at_the_end() {
    let axis = document(SHORTHAND).axis("probe.service=unacknowledged,acknowledged").unwrap();
    assert_eq!(axis.unit, None);
    assert_eq!(axis.values[1].json, json!("acknowledged"));
    for text in ["probe.data=1,8,16 B", "probe.data=1 B, 8 B, 16 B"] {
        let axis = document(SHORTHAND).axis(text).unwrap();
        assert_eq!(axis.values.iter().map(|v| v.json.as_f64().unwrap()).collect::<Vec<_>>(), [1.0, 8.0, 16.0]);
        assert_eq!(axis.values[0].text, "1 B");
    }
}

#[test]
fn a_bad_axis_has_its_caret_on_the_bad_part() {
    let shown = |argument: &str| {
        let problems = document(SHORTHAND).axis(argument).unwrap_err();
        (problems.0[0].place.as_ref().unwrap().text().to_owned(), problems.0[0].message.clone())
    };
    assert_eq!(shown("--over probe.service=acknowledged,confirmed").0, "confirmed");
    assert_eq!(
        shown("--over background.rate=50:500:40 /s").1,
        "the step does not lead from one end to the other in whole steps"
    );
    assert_eq!(shown("--over background.rate=50:500:50").1, "`rate` needs a unit");
    assert_eq!(shown("--over background.rate=50 /s:500 /min:50 /min").0, "50 /s");
    assert_eq!(shown("--over background.rate=a:b:c /s").0, "a");
    assert_eq!(shown("--over probe.retries=14:17:1").1, "`retries` is 16, outside its range");
    assert_eq!(shown("--over background.rat=1,2").0, "rat");
    assert_eq!(shown("background.rate").1, "an axis is KEY=VALUES");
}

#[test]
fn a_range_to_search_has_two_ends_in_one_unit() {
    let vary = document(SHORTHAND).vary("--vary background.rate=10:400 /s").unwrap();
    assert_eq!((vary.low, vary.high, vary.unit.as_str(), vary.si, vary.whole), (10.0, 400.0, "/s", "1/s", false));
    assert_eq!((vary.at(0, 4), vary.at(1, 4), vary.at(4, 4)), ("10 /s".into(), "107.5 /s".into(), "400 /s".into()));
    let vary = document(SHORTHAND).vary("background.stations=2:64").unwrap();
    assert_eq!((vary.whole, vary.steps_whole()), (true, Some(62)));
    assert!(document(SHORTHAND).vary("probe.service=a:b").is_err());
    assert!(document(SHORTHAND).vary("background.rate=0:10 /s").is_err(), "an end outside the range");
    let reversed = document(SHORTHAND).vary("background.rate=400:10 /s").unwrap_err();
    assert_eq!(reversed.0[0].help.as_deref(), Some("write the lower end first: 10:400 /s"));
}

#[test]
fn an_axis_of_a_study_is_a_list_or_a_text() {
    let document = document(SHORTHAND);
    let source = sojourn_scenario::Source::new(
        "study.toml",
        "a = \"50:150:50 /s\"\nb = [\"1 B\", \"8 B\"]\nc = [\"1 B\", \"8\"]\n",
    );
    let entries = sojourn_scenario::tree::parse(&source).unwrap();
    let axis = |path, key| document.axis_node(path, None, entries.get(key).unwrap());
    assert_eq!(axis("background.rate", "a").unwrap().values.len(), 3);
    assert_eq!(axis("probe.data", "b").unwrap().values[1].json, json!(8.0));
    let problems = axis("probe.data", "c").unwrap_err();
    assert_eq!(problems.0[0].place.as_ref().unwrap().text(), "\"8\"");
}

#[test]
fn a_key_s_declaration_is_found_by_its_path() {
    let document = document(SHORTHAND);
    assert_eq!(document.key("background.rate").unwrap().unit(), Some("1/s"));
    assert!(document.key("station.generator-3.receive_records").unwrap().is_integer());
    assert_eq!(document.key("probe.arrivals.interval").unwrap().unit(), Some("s"));
    assert_eq!(document.setting("probe.data", "16 B", "16 B").unwrap().json, json!(16.0));
    assert!(Document::key(&document, "probe.colour").is_err());
}
