//! Every kind of mistake has its place and its advice.

use sojourn_catalogue::NETWORKS;
use std::path::Path;

use crate::documents::support::{FLOW, SHORTHAND, document, problems, replaced, reported};
use sojourn_scenario::check;

/// What is found when one line of the flow scenario reads otherwise.
fn after(line: &str, by: &str) -> Vec<String> {
    reported(&problems(&replaced(FLOW, line, by)))
}

/// What is found when the flow has one more line.
fn with(line: &str) -> Vec<String> {
    after("to = \"controller\"", &format!("to = \"controller\"\n{line}"))
}

#[test]
fn a_misspelt_key_is_shown_with_a_caret_and_the_key_that_was_meant() {
    let text = replaced(FLOW, "to = \"controller\"", "to = \"controller\"\nretires = 2");
    let expected = "
  × [[flow]] has no key `retires`
    ╭─[test.toml:12:1]
 11 │ to = \"controller\"
 12 │ retires = 2
    · ───────
 13 │ arrivals = { kind = \"poisson\", interval = \"1 s\" }
    ╰────
  help: did you mean `retries`?
";
    assert_eq!(problems(&text).render(false, 100).trim_end(), expected.trim_start_matches('\n').trim_end());
}

#[test]
fn the_json_form_names_file_line_and_column() {
    let text = replaced(FLOW, "to = \"controller\"", "to = \"controller\"\nretires = 2");
    let json = problems(&text).to_json();
    assert_eq!(json[0]["file"], "test.toml");
    assert_eq!((json[0]["line"].as_u64(), json[0]["column"].as_u64()), (Some(12), Some(1)));
    assert_eq!(json[0]["message"], "[[flow]] has no key `retires`");
    assert_eq!(json[0]["help"], "did you mean `retries`?");
}

#[test]
fn the_first_twenty_mistakes_are_shown_and_the_others_counted() {
    let wrong =
        |count: usize| problems(&format!("{}{FLOW}", (0..count).map(|n| format!("x{n} = 1\n")).collect::<String>()));
    let few = wrong(20).render(false, 100);
    assert_eq!((few.matches("╭─[").count(), few.contains(" more ")), (20, false));
    let found = wrong(23);
    let text = found.render(false, 100);
    assert_eq!(text.matches("╭─[").count(), 20);
    assert!(text.ends_with("\nand 3 more mistakes\n"), "{text}");
    assert_eq!(found.to_json().as_array().unwrap().len(), 20);
    assert!(wrong(21).render(false, 100).ends_with("\nand 1 more mistake\n"));
}

#[test]
fn a_wrong_line_of_many_characters_is_shown_cut_with_its_caret_and_its_column() {
    let long = format!("note = \"{}\", wrng = 2, tail = \"{}\"", "é".repeat(100_000), "z".repeat(100_000));
    let text = replaced(FLOW, "interval = \"1 s\"", &format!("interval = \"1 s\", {long}"));
    let found = problems(&text);
    let shown = found.render(false, 100);
    assert!(shown.len() < 20_000, "{} octets", shown.len());
    let line = shown.lines().find(|line| line.contains("wrng = 2")).expect("the place is in what is kept");
    assert!(line.contains('…') && line.chars().count() < 400, "{line}");
    let carets = shown.lines().skip_while(|line| !line.contains("wrng = 2")).nth(1).unwrap();
    let under: String =
        line.chars().zip(carets.chars()).filter(|(_, mark)| "─┬".contains(*mark)).map(|(c, _)| c).collect();
    assert!(under.starts_with("wrng"), "{under:?} in\n{shown}");
    assert!(found.to_json().to_string().len() < 10_000);
}

#[test]
fn all_mistakes_are_reported_at_once_in_the_order_of_the_text() {
    let text = replaced(FLOW, "count = 4", "count = 0\ninput_clok = \"10 MHz\"");
    let text = replaced(&text, "to = \"controller\"", "to = \"absent\"\nretries = 16\ndata = 1");
    let lines: Vec<u64> =
        problems(&text).to_json().as_array().unwrap().iter().map(|p| p["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [5, 6, 12, 13, 14]);
}

#[test]
fn a_missing_unit_names_the_units_there_are() {
    assert_eq!(with("data = 4"), ["`data` needs a unit | write \"4 B\"; units: B, kB, MB, KiB, MiB"]);
    assert_eq!(with("data = \"4\""), ["`data` needs a unit | write \"4 B\"; units: B, kB, MB, KiB, MiB"]);
    assert_eq!(
        with("data = \"4 Byte\""),
        ["`Byte` is not a unit of `data`, which is a size | units: B, kB, MB, KiB, MiB"]
    );
    assert_eq!(with("data = \"much\"").len(), 1);
}

#[test]
fn a_value_outside_its_range_names_the_range() {
    assert_eq!(with("retries = 16"), ["`retries` is 16, outside its range | 0 to 15"]);
    assert_eq!(with("retries = -1"), ["`retries` is -1, outside its range | 0 to 15"]);
    assert_eq!(with("data = \"229 B\"\nmessage = \"explicit\""), ["`data` is 229 B, outside its range | 0 B to 228 B"]);
}

#[test]
fn a_timer_that_is_no_code_names_the_codes_of_that_timer() {
    assert_eq!(
        with("transaction_timer = \"100 ms\""),
        [
            "`transaction_timer` is 100 ms, which is not a LonTalk code of a transaction or repeat timer | the codes are 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072 ms"
        ]
    );
    assert_eq!(
        with("receive_timer = \"16 ms\""),
        [
            "`receive_timer` is 16 ms, which is not a LonTalk code of a receive timer | the codes are 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576 ms"
        ]
    );
    assert!(with_ok("transaction_timer = \"0.128 s\""), "a code may be written in any unit of time");
}

fn with_ok(line: &str) -> bool {
    let text = replaced(FLOW, "to = \"controller\"", &format!("to = \"controller\"\n{line}"));
    NETWORKS.kinds().parse("test.toml", &text).and_then(|document| sojourn_scenario::check(&document)).is_ok()
}

#[test]
fn a_word_that_is_none_names_the_words_and_the_nearest() {
    let found = with("service = \"acknowlegded\"");
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("did you mean \"acknowledged\"?"), "{found:?}");
}

#[test]
fn a_value_of_the_wrong_type_says_what_the_key_takes() {
    assert_eq!(with("retries = \"4\""), ["`retries` takes a whole number without quotes | write retries = 4"]);
    assert_eq!(with("priority = 1"), ["`priority` takes true or false, not a whole number"]);
    assert_eq!(with("message = 3").len(), 1);
    assert_eq!(after("count = 4", "count = 4\nbuffers = 3").len(), 1);
    assert_eq!(after("count = 4", "count = 2024-01-01"), ["`count` takes a whole number, not a date | 1 to 1000000"]);
}

#[test]
fn two_stations_of_one_name_are_refused_with_the_line_of_the_first() {
    let found = after("[[flow]]", "[[station]]\nname = \"controller\"\n[[flow]]");
    assert_eq!(found, ["two stations are called `controller` | the other one is in line 7 of test.toml"]);
    let found = after("[[flow]]", "[[station]]\nname = \"sensor-3\"\n[[flow]]");
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("two stations are called `sensor-3`"), "{found:?}");
}

#[test]
fn a_medium_without_stations_is_refused() {
    let media = "[[medium]]\nname = \"floor\"\n[[medium]]\nname = \"attic\"\n";
    let text = format!(
        "{media}{}",
        FLOW.replace("count = 4", "count = 4\non = \"floor\"")
            .replace("\"controller\"\n[[flow]]", "\"controller\"\non = \"floor\"\n[[flow]]")
    );
    assert_eq!(
        reported(&problems(&text)),
        ["no station is on medium `attic` | name it in `on` of a station, or remove it"]
    );
}

#[test]
fn a_station_on_no_known_medium_gets_the_nearest_one() {
    assert_eq!(
        after("count = 4", "count = 4\non = \"chanel\""),
        ["there is no medium `chanel` | did you mean `channel`?"]
    );
}

#[test]
fn a_flow_without_receiver_or_to_an_unknown_one_is_refused() {
    assert_eq!(
        after("to = \"controller\"", "to = []"),
        ["flow `temperature` has no receiver | write at least one name"]
    );
    assert_eq!(
        after("to = \"controller\"", "to = \"contoller\""),
        ["there is no station `contoller` | did you mean `controller`?"]
    );
    assert_eq!(
        after("to = \"controller\"", "to = \"sensor-5\""),
        ["there is no station `sensor-5` | its members are sensor-1 to sensor-4"]
    );
    let alone = FLOW.replace("count = 4", "count = 1").replace("to = \"controller\"", "to = \"sensor\"");
    assert_eq!(reported(&problems(&alone)), ["flow `temperature` has no receiver except its own sender"]);
}

#[test]
fn an_odd_number_of_stations_cannot_talk_in_pairs() {
    let found =
        reported(&problems(&FLOW.replace("count = 4", "count = 5").replace("to = \"controller\"", "to = \"partner\"")));
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("odd number"), "{found:?}");
    let found = reported(&problems(&SHORTHAND.replace("stations = 32", "stations = 33")));
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_load_of_zero_or_below_is_refused() {
    for load in ["0 /s", "-300 /s"] {
        let found = reported(&problems(&SHORTHAND.replace("300 /s", load)));
        assert_eq!(found, [format!("`rate` is {load}, outside its range | above 0 /s, up to 1e9 /s")]);
    }
}

#[test]
fn an_acknowledged_group_has_at_most_64_members() {
    let group = |count: u32, service: &str| {
        FLOW.replace("count = 4", &format!("count = {count}")).replace(
            "from = \"sensor\"\nto = \"controller\"",
            &format!("from = \"controller\"\nto = \"sensor\"\nservice = \"{service}\""),
        )
    };
    let found = reported(&problems(&group(65, "acknowledged")));
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("65 members exceed the maximum of an acknowledged group"), "{found:?}");
    crate::documents::support::scenario(&group(64, "acknowledged"));
    crate::documents::support::scenario(&group(65, "unacknowledged-repeated"));
}

#[test]
fn a_priority_slot_the_channel_does_not_have_is_refused() {
    let found = reported(&problems(&SHORTHAND.replace("collision_detection = true", "priority_slot = 1")));
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("priority slot 1 does not exist: medium `channel` has 0"), "{found:?}");
}

#[test]
fn a_network_variable_has_at_most_31_bytes() {
    assert_eq!(
        with("data = \"32 B\""),
        ["`data` exceeds 31 bytes, the maximum of a network variable | message = \"explicit\" carries up to 228 bytes"]
    );
    assert!(with_ok("data = \"228 B\"\nmessage = \"explicit\""));
}

#[test]
fn a_domain_has_0_1_3_or_6_bytes() {
    let found = reported(&problems(&SHORTHAND.replace("priority_slots = 0", "domain_length = 2")));
    assert_eq!(found, ["`domain_length` is 2, outside its range | one of 0, 1, 3, 6"]);
}

#[test]
fn a_carrier_sensed_later_than_a_slot_lasts_is_refused() {
    let found = reported(&problems(&SHORTHAND.replace("priority_slots = 0", "carrier_sense_latency = \"72 µs\"")));
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_station_between_two_media_must_be_a_router_and_a_router_needs_two() {
    let media = "[[medium]]\nname = \"a\"\n[[medium]]\nname = \"b\"\n";
    let on = |extra: &str| {
        format!(
            "{media}{}",
            FLOW.replace("count = 4", &format!("count = 4\non = [\"a\", \"b\"]\n{extra}"))
                .replace("name = \"controller\"\n", "name = \"controller\"\non = \"a\"\n")
        )
    };
    assert!(reported(&problems(&on("")))[0].contains("is on several media but is not a router"));
    crate::documents::support::scenario(&on("router = \"configured\""));
    let found = reported(&problems(&FLOW.replace("count = 4", "count = 4\nrouter = \"repeater\"")));
    assert_eq!(
        found,
        ["router `sensor` is on only one medium | name the media it connects: on = [\"floor-1\", \"backbone\"]"]
    );
}

#[test]
fn required_keys_and_tables_that_are_missing_are_named() {
    assert!(after("to = \"controller\"\n", "")[0].starts_with("[[flow]] `temperature` needs `to`"));
    assert!(
        after("arrivals = { kind = \"poisson\", interval = \"1 s\" }\n", "")[0]
            .starts_with("[[flow]] `temperature` needs `arrivals`")
    );
    assert!(after("interval = \"1 s\"", "")[0].starts_with("`arrivals` needs `interval`"));
    assert!(
        reported(&problems(&SHORTHAND.replace("rate = \"300 /s\"\n", "")))[0].starts_with("[background] needs `rate`")
    );
    assert_eq!(reported(&problems("[network]\nkind = \"lontalk\"\n")).len(), 2, "no stations and no flow");
}

#[test]
fn an_empty_scenario_is_reported_what_to_begin_with() {
    let kinds = NETWORKS.kinds().all().map(|network| network.kind).collect::<Vec<_>>().join(", ");
    let message_of = "the scenario names no kind of network | write [network] and kind = \"...\"; kinds:";
    assert_eq!(reported(&problems("")), [format!("{message_of} {kinds}")]);
    assert_eq!(
        reported(&problems("[netwrok]\nkind = \"lontalk\"")),
        ["a scenario has no table `netwrok` | did you mean `network`?"]
    );
    assert_eq!(
        reported(&problems("[network]\nkind = \"lontak\"")),
        ["there is no network \"lontak\" | did you mean `lontalk`?"]
    );
    assert_eq!(reported(&problems("[network]\n")).len(), 1);
}

#[test]
fn text_that_is_not_toml_is_shown_where_it_stops_being_toml() {
    let found = problems("[network]\nkind = \"lontalk\nduration = = 3\n");
    assert!(found.0.iter().all(|problem| problem.message.starts_with("this is not TOML") && problem.place.is_some()));
    assert_eq!(found.to_json()[0]["line"], 2);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let missing = NETWORKS.kinds().read(Path::new("no/such/file.toml")).unwrap_err();
    assert!(missing.0[0].message.starts_with("cannot read no/such/file.toml: no such file"), "{missing}");
    let folder = NETWORKS.kinds().read(&std::env::temp_dir()).unwrap_err();
    assert!(folder.0[0].message.starts_with("cannot read"), "{folder}");
    let path = std::env::temp_dir().join(format!("sojourn-latin-1-{}.toml", std::process::id()));
    std::fs::write(&path, b"title = \"caf\xe9\"\n").unwrap();
    let found = NETWORKS.kinds().read(&path).unwrap_err();
    std::fs::remove_file(&path).unwrap();
    assert!(found.0[0].message.contains("is not UTF-8 text: byte 12, line 1"), "{found}");
}

#[test]
fn a_list_form_and_a_table_form_are_reported_apart() {
    let found = reported(&problems("[network]\nkind = \"lontalk\"\n[flow]\nname = \"x\"\n[[station]]\nname = \"a\"\n"));
    assert!(found[0].starts_with("`flow` is a list of tables | write [[flow]]"), "{found:?}");
    let found = reported(&problems(&format!("{SHORTHAND}[[medium]]\nname = \"other\"\n")));
    assert!(found.iter().any(|reported| reported.starts_with("[channel] is for one uniform medium")), "{found:?}");
    let found = reported(&problems(&SHORTHAND.replace("[station.sender]", "[station.sendr]")));
    assert_eq!(found, ["there is no station `sendr` | did you mean `sender`?"]);
}

#[test]
fn an_expectation_without_a_relation_or_a_metric_is_refused() {
    let found = reported(&problems(&format!(
        "{FLOW}[expect]\n\"response_time.p99\" = \"100 ms\"\nresponse_time.p50 = \"< 1 ms\"\n"
    )));
    assert!(found[0].starts_with("`100 ms` has no relation"), "{found:?}");
    assert_eq!(
        found[1],
        "a condition is text in quotes, not a table | quote the metric: \"response_time.p99\" = \"< 100 ms\""
    );
}

#[test]
fn a_count_that_is_refused_causes_no_second_mistake() {
    let text = FLOW.replace("count = 4", "count = \"four\"").replace("\"sensor\"", "\"sensor-1\"");
    let text = text.replace("name = \"sensor-1\"", "name = \"sensor\"");
    assert_eq!(reported(&problems(&text)), ["`count` takes a whole number, not text in quotes | 1 to 1000000"]);
}

#[test]
fn a_medium_that_is_named_and_missing_is_shown_how_to_write() {
    let found = after("count = 4", "count = 4\non = \"floor-1\"");
    assert_eq!(found[0], "there is no medium `floor-1` | write [[medium]] with name = \"floor-1\"");
}

#[test]
fn a_rate_beside_an_interval_is_refused() {
    let found = after("interval = \"1 s\"", "interval = \"1 s\", rate = \"1 /s\"");
    assert_eq!(found, ["both `rate` and `interval` are given | write one of them"]);
    let found = reported(&problems(&format!("{SHORTHAND}arrivals = {{ kind = \"poisson\", interval = \"1 s\" }}\n")));
    assert_eq!(found, ["the pace of [background] follows from `rate` | leave `interval` out"]);
}

#[test]
fn more_stations_than_a_domain_holds_are_refused() {
    let found = reported(&problems(&FLOW.replace("count = 4", "count = 40000")));
    assert!(found[0].starts_with("40001 stations exceed the capacity of a domain"), "{found:?}");
}

#[test]
fn a_member_set_apart_must_exist_and_keeps_its_name_and_number() {
    let member =
        |lines: &str| reported(&problems(&FLOW.replace("count = 4", &format!("count = 4\n[station.member.{lines}"))));
    assert_eq!(
        member("sensor-5]\npriority_slot = 1"),
        ["station `sensor` has no member `sensor-5` | its members are sensor-1 to sensor-4"]
    );
    assert!(member("sensor-2]\ncount = 3")[0].starts_with("`sensor-2` is one member of a station"));
    assert_eq!(
        member("sensor-2]\nprioriy_slot = 3"),
        ["[[station]] has no key `prioriy_slot` | did you mean `priority_slot`?"]
    );
    assert!(
        reported(&problems(&SHORTHAND.replace("collision_detection = true", "name = \"x\"")))[0]
            .contains("keeps its name")
    );
}

/// A stream between two hosts of an IP network, with these keys of the flow and of the queue.
fn conditioned(flow: &str, queue: &str) -> Vec<String> {
    reported(&problems(&format!(
        r#"
[network]
kind = "ip"

[[medium]]
name = "line"
queue = {{ kind = "fifo"{queue} }}

[[station]]
name = "host"
count = 2

[[flow]]
name = "data"
from = "host-1"
to = "host-2"
service = "stream"
arrivals = {{ kind = "poisson", rate = "10 /s" }}
{flow}
"#
    )))
}

#[test]
fn marking_is_of_assured_forwarding_and_its_rates_and_buckets_fit() {
    let single = "marking = { kind = \"single-rate\", rate = \"1 Mbit/s\"";
    let advice =
        "dscp = 10, 18, 26 or 34 (AF11, AF21, AF31, AF41); or police: red = \"drop\" and excess_burst = \"0 B\"";
    assert_eq!(
        conditioned(&format!("{single} }}"), ""),
        [format!("`marking` sets the drop precedence of assured forwarding, and code point 0 has none | {advice}")]
    );
    assert_eq!(
        conditioned(&format!("dscp = 46\n{single}, red = \"drop\", excess_burst = \"3 kB\" }}"), ""),
        [format!("`marking` sets the drop precedence of assured forwarding, and code point 46 has none | {advice}")]
    );
    assert_eq!(
        conditioned(&format!("dscp = 10\n{single}, burst = \"0 B\" }}"), ""),
        ["neither bucket holds a token: all packets would be red | give `burst` or `excess_burst`"]
    );
    let two = "dscp = 10\nmarking = { kind = \"two-rate\", rate = \"2 Mbit/s\", peak_rate = \"1 Mbit/s\" }";
    assert_eq!(conditioned(two, ""), ["the peak rate is below the committed rate | at least `rate` (RFC 2698)"]);
}

#[test]
fn a_higher_drop_precedence_is_dropped_earlier() {
    assert_eq!(
        conditioned("", ", wred = { green_min = 20 }"),
        ["yellow packets would be dropped later than green ones: 28 against 20 packets | at most green_min, 20"]
    );
    assert_eq!(
        conditioned("", ", wred = { red_min = 24, red_max = 20 }"),
        ["`red_min` is above `red_max`: 24 against 20 packets"]
    );
}

/// A network, and what is written after the name of a thing that ignores it.
const IGNORED: [(&str, &[(&str, &str)]); 4] = [
    (
        "ip",
        &[
            ("router", "costs = { packet = \"10 µs\" }"),
            ("laptop", "forwarding_delay = \"1 ms\""),
            ("laptop", "tcp = { profile = \"bsd95\", delayed_ack = \"10 ms\" }"),
            ("laptop", "costs = { bus_rate = \"1 Gbit/s\" }"),
        ],
    ),
    ("mstp", &[("trunk", "delay = \"1 ms\""), ("lan", "turnaround = \"50 bit\"")]),
    (
        "packet-radio",
        &[
            ("ping", "netrom = { ttl = 5 }"),
            ("pong", "rose = { packet_size = \"64 B\" }"),
            ("wire", "persistence = \"50 %\""),
            ("wire", "slottime = \"50 ms\""),
            ("wire", "first_slot = \"after-slottime\""),
            ("wire", "dcd_hold = { kind = \"bits\", bits = 8 }"),
            ("far", "pactime = \"2 s\""),
        ],
    ),
    (
        "fddi",
        &[
            ("more", "channels = 4"),
            ("more", "codec = \"g711\""),
            ("more", "arrivals = { kind = \"poisson\", interval = \"2 ms\" }"),
        ],
    ),
];

/// A scenario of the network that has all of their tables.
fn scenario_of(kind: &str) -> String {
    match kind {
        "packet-radio" => {
            NETWORKS.kinds().template(kind).unwrap().replace("[[station]]\n", "[[station]]\non = \"radio\"\n")
                + "[[medium]]\nname = \"wire\"\ntype = \"wire\"\n\
                   [[station]]\nname = \"near\"\ntype = \"node\"\ncallsign = \"NEAR\"\non = [\"radio\", \"wire\"]\n\
                   [[station]]\nname = \"far\"\ntype = \"node\"\ncallsign = \"FAR\"\non = \"wire\"\n"
        }
        "fddi" => "[network]\nkind = \"fddi\"\n[[station]]\nname = \"one\"\n[[station]]\nname = \"other\"\n\
                   [[flow]]\nname = \"more\"\nfrom = \"one\"\nto = \"other\"\ntraffic = \"bulk\"\n"
            .to_owned(),
        _ => NETWORKS.kinds().template(kind).unwrap(),
    }
}

#[test]
fn a_key_that_its_table_would_ignore_is_refused_with_what_obeys_it() {
    for (kind, keys) in IGNORED {
        let text = scenario_of(kind);
        check(&document(&text)).unwrap_or_else(|problems| panic!("{problems}"));
        for (thing, written) in keys {
            let named = format!("name = \"{thing}\"\n");
            let found = reported(&problems(&replaced(&text, &named, &format!("{named}{written}\n"))));
            let [line] = &found[..] else { panic!("{kind} {written}: {found:?}") };
            let (name, help) = line[1..].split_once("` is of ").unwrap_or_else(|| panic!("{kind} {written}: {line}"));
            assert!(written.contains(name), "{kind} {written}: {line}");
            assert!(help.contains("nothing would obey it: leave it out, or change"), "{line}");
        }
    }
}

#[test]
fn a_key_that_is_set_for_all_stations_may_be_for_some_of_them_alone() {
    let mut document = document(&scenario_of("packet-radio"));
    document.set("station.netrom.window", "16", "--set").unwrap();
    assert!(check(&document).is_ok());
}

#[test]
fn what_others_call_a_network_is_known_by_its_name_here() {
    for (word, kind) in [("lonworks", "lontalk"), ("AX.25", "packet-radio")] {
        let found = NETWORKS.kinds().suggestion(word, []);
        assert_eq!(found, Some(format!("did you mean `{kind}`?")));
    }
}
