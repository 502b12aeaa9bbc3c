//! LonTalk routers that learn, repeat, or stand in for each other.

use sojourn_core::Streams;
use sojourn_lontalk::LonTalkNetwork;
use sojourn_metrics::record::Record;
use sojourn_model::Network;

use crate::support::{event, record, replication, requests, scenario};

/// Three channels in a row, a router between each two: what is sent between stations of the first or the second passes the last router only
/// where that does not know better.
const ROW: &str = r#"
    [network]
    kind = "lontalk"
    [[medium]]
    name = "a"
    [[medium]]
    name = "b"
    [[medium]]
    name = "c"
    [[station]]
    name = "left"
    count = 2
    on = ["a"]
    [[station]]
    name = "middle"
    on = ["b"]
    [[station]]
    name = "right"
    on = ["c"]
    [[station]]
    name = "first"
    on = ["a", "b"]
    router = "configured"
    [[station]]
    name = "last"
    on = ["b", "c"]
    router = "learning"
    [run]
    duration = "100 s"
    warm_up = "0 s"
"#;

/// A flow that sends 10 messages a second.
fn flow(name: &str, from: &str, to: &str, keys: &str) -> String {
    format!(
        "[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = {to}\nprobe = true\n\
         arrivals = {{ kind = \"periodic\", interval = \"100 ms\" }}\n{keys}\n"
    )
}

const ACKNOWLEDGED: &str = "service = \"acknowledged\"";
const UNACKNOWLEDGED: &str = "service = \"unacknowledged\"";

fn sent_by(record: &Record, station: &str) -> u64 {
    let name = format!("packets/{station}");
    if record.metrics.contains_key(&name) { record.total(&name) } else { 0 }
}

#[test]
fn a_packet_for_a_subnet_that_was_not_heard_is_forwarded_and_none_once_it_was() {
    let answered = record(&format!("{ROW}{}", flow("updates", "left-1", "\"middle\"", ACKNOWLEDGED)), &[]);
    assert_eq!(answered.total("failures"), 0);
    assert!((999..=1001).contains(&answered.distribution("response_time/updates").count()));
    assert_eq!(sent_by(&answered, "last"), 1, "the first update; its acknowledgement shows where the subnet is");
    // a station that never sends is never heard
    let silent = record(&format!("{ROW}{}", flow("updates", "left-1", "\"middle\"", UNACKNOWLEDGED)), &[]);
    assert!((999..=1001).contains(&sent_by(&silent, "last")), "{}", sent_by(&silent, "last"));
    // within a subnet, the source shows where the destination is
    let edits = [("station.first.router", "learning")];
    let within = record(&format!("{ROW}{}", flow("updates", "left-1", "\"left-2\"", UNACKNOWLEDGED)), &edits);
    assert_eq!([sent_by(&within, "first"), sent_by(&within, "last")], [0, 0]);
}

#[test]
fn a_learning_router_forwards_what_is_for_the_other_side_before_and_after_it_knows() {
    let text = format!("{ROW}{}", flow("updates", "left-1", "\"right\"", ACKNOWLEDGED));
    let record = record(&text, &[("station.first.router", "learning")]);
    assert_eq!(record.total("failures"), 0);
    // an update and its acknowledgement each
    assert!((1998..=2002).contains(&sent_by(&record, "last")), "{}", sent_by(&record, "last"));
    assert_eq!(record.total("duplicates"), 0);
}

#[test]
fn a_learning_router_forwards_every_packet_for_a_group_and_a_configured_one_those_for_members_beyond_it() {
    let text = format!("{ROW}{}", flow("both", "left-1", "[\"left-2\", \"middle\"]", UNACKNOWLEDGED));
    let learning = record(&text, &[]);
    let configured = record(&text, &[("station.last.router", "configured")]);
    assert!((999..=1001).contains(&sent_by(&learning, "last")), "{}", sent_by(&learning, "last"));
    assert_eq!(sent_by(&configured, "last"), 0);
    assert_eq!(sent_by(&learning, "first"), sent_by(&configured, "first"));
}

#[test]
fn a_learning_router_that_restarts_or_loses_power_has_forgotten_what_it_learned() {
    let text = format!("{ROW}{}", flow("updates", "left-1", "\"middle\"", ACKNOWLEDGED));
    for (keys, floods) in [
        ("at = \"50 s\"\nstations = \"last\"\naction = \"restart\"", 2),
        ("at = \"50 s\"\nduration = \"5 s\"\nstations = \"last\"\naction = \"power-down\"", 2),
        // its tables are not those of the router beside it
        ("at = \"50 s\"\nstations = \"middle\"\naction = \"restart\"", 1),
        ("at = [\"20 s\", \"40 s\", \"60 s\"]\nstations = \"last\"\naction = \"restart\"", 4),
    ] {
        let record = record(&format!("{text}{}", event(keys)), &[]);
        assert_eq!(sent_by(&record, "last"), floods, "{keys}");
    }
}

#[test]
fn a_repeater_and_a_bridge_forward_every_packet_of_the_domain() {
    let text = format!("{ROW}{}", flow("updates", "left-1", "\"middle\"", ACKNOWLEDGED));
    let [repeater, bridge] = ["repeater", "bridge"].map(|router| record(&text, &[("station.last.router", router)]));
    assert!((1998..=2002).contains(&sent_by(&repeater, "last")), "{}", sent_by(&repeater, "last"));
    assert_eq!(repeater, bridge);
}

/// Two channels joined by `count` routers.
const PAIR: &str = r#"
    [network]
    kind = "lontalk"
    [[medium]]
    name = "floor"
    [[medium]]
    name = "backbone"
    [[station]]
    name = "sensor"
    on = ["floor"]
    [[station]]
    name = "panel"
    on = ["backbone"]
    [[station]]
    name = "archive"
    on = ["backbone"]
    [[station]]
    name = "router"
    count = 2
    on = ["floor", "backbone"]
    router = "configured"
    [run]
    duration = "100 s"
    warm_up = "0 s"
"#;

#[test]
fn redundant_routers_forward_each_packet_and_receive_records_drop_the_second_copy() {
    for service in ["acknowledged", "request", "unacknowledged-repeated", "authenticated"] {
        let slow = "arrivals = { kind = \"periodic\", interval = \"1 s\" }";
        let text = format!("{PAIR}{}", flow("updates", "sensor", "\"panel\"", &format!("service = \"{service}\"")))
            .replace("arrivals = { kind = \"periodic\", interval = \"100 ms\" }", slow);
        let record = record(&text, &[]);
        let delivered = record.distribution("response_time/updates").count();
        assert!((99..=101).contains(&delivered), "{service}: {delivered}");
        assert_eq!([record.total("failures"), record.total("duplicates")], [0, 0], "{service}");
        assert!(sent_by(&record, "router-1") >= 99, "{service}");
        let [one, other] = [sent_by(&record, "router-1"), sent_by(&record, "router-2")];
        assert!(one.abs_diff(other) * 50 <= one, "{service}: {one} and {other}");
    }
}

#[test]
fn of_an_unacknowledged_message_the_application_gets_both_copies_or_none_where_they_collide() {
    let text = format!("{PAIR}{}", flow("updates", "sensor", "\"panel\"", UNACKNOWLEDGED));
    let record = record(&text, &[("run.duration", "1000 s")]);
    let delivered = record.distribution("response_time/updates").count();
    assert!(delivered - record.total("duplicates") <= 1, "{} of {delivered}", record.total("duplicates"));
    // the routers are as fast as each other, and each draws one of the 16 slots of the base window
    let (messages, expected) = (10_000.0, 1.0 / 16.0);
    let lost = record.total("failures") as f64 / messages;
    let deviation = f64::sqrt(expected * (1.0 - expected) / messages);
    assert!((lost - expected).abs() < 4.0 * deviation, "{lost} of {expected} ± {deviation}");
}

#[test]
fn transactions_go_on_when_either_of_two_redundant_routers_fails_and_stop_without_both() {
    let text = format!("{PAIR}{}", flow("updates", "sensor", "\"panel\"", ACKNOWLEDGED));
    let outage = |stations: &str| {
        let keys = format!("at = \"40 s\"\nduration = \"20 s\"\nstations = {stations}\naction = \"power-down\"");
        record(&format!("{text}{}", event(&keys)), &[])
    };
    for router in ["\"router-1\"", "\"router-2\""] {
        let record = outage(router);
        assert_eq!([record.total("failures"), record.total("transaction_failures")], [0, 0], "{router}");
        assert_eq!(requests(&record, 40.0, 60.0), [200, 200], "{router}");
    }
    // the last one is retried until they are back
    let [sent, answered] = requests(&outage("[\"router-1\", \"router-2\"]"), 40.0, 60.0);
    assert!(sent > 30 && answered <= 1, "{answered} of {sent}");
}

#[test]
fn packets_for_groups_and_for_the_whole_domain_pass_the_first_redundant_router_alone() {
    for to in ["[\"panel\", \"archive\"]", "\"everyone\""] {
        let text = format!("{PAIR}{}", flow("updates", "sensor", to, UNACKNOWLEDGED));
        let whole = record(&text, &[]);
        assert_eq!(whole.total("duplicates"), 0, "{to}");
        assert!((999..=1001).contains(&sent_by(&whole, "router-1")), "{to}: {}", sent_by(&whole, "router-1"));
        assert_eq!(sent_by(&whole, "router-2"), 0, "{to}");
        let keys = |router: &str| {
            format!("at = \"40 s\"\nduration = \"20 s\"\nstations = \"{router}\"\naction = \"power-down\"")
        };
        let without = |router: &str| record(&format!("{text}{}", event(&keys(router))), &[]);
        let crossed = sent_by(&without("router-1"), "router-1");
        assert!((798..=801).contains(&crossed), "{to}: nothing passes for 20 s: {crossed}");
        assert!(sent_by(&without("router-2"), "router-1") >= 999, "{to}");
    }
}

#[test]
fn no_packet_circulates_among_redundant_routers_whatever_its_destination() {
    // four routers that send and receive themselves, one of them with its channels named in the other order, and a repeater behind
    let more = "[[medium]]\nname = \"attic\"\n[[station]]\nname = \"lamp\"\non = [\"attic\"]\n\
                [[station]]\nname = \"repeater\"\non = [\"backbone\", \"attic\"]\nrouter = \"repeater\"\n\
                [[station]]\nname = \"other\"\non = [\"backbone\", \"floor\"]\nrouter = \"configured\"\n";
    let flows = [
        flow("to-router", "sensor", "\"router-2\"", ACKNOWLEDGED),
        flow("to-other", "panel", "\"other\"", ACKNOWLEDGED),
        flow("from-router", "router-3", "\"lamp\"", ACKNOWLEDGED),
        flow("to-group", "lamp", "[\"router-1\", \"sensor\", \"panel\"]", ACKNOWLEDGED),
        flow("to-all", "sensor", "\"everyone\"", UNACKNOWLEDGED),
    ];
    for flow in flows {
        let slow = flow.replace("100 ms", "2 s");
        let record = record(&format!("{PAIR}{more}{slow}"), &[("station.router.count", "3")]);
        assert_eq!(record.total("failures"), 0, "{flow}");
        // 50 messages, each of at most 4 packets of its own, forwarded by at most 4 routers in each direction and repeated
        assert!(record.total("packets") <= 50 * 4 * (1 + 4 + 4 + 4), "{flow}: {} packets", record.total("packets"));
    }
}

/// Why a site is refused.
fn refused(text: &str, edits: &[(&str, &str)]) -> String {
    let checked = scenario(text, edits).unwrap_or_else(|problems| panic!("{}", problems.render(false, 200)));
    LonTalkNetwork.model(&checked).err().expect("it is refused").render(false, 200)
}

#[test]
fn a_loop_through_a_router_that_would_forward_what_comes_back_is_refused_by_name() {
    let text = format!("{PAIR}{}", flow("updates", "sensor", "\"panel\"", ACKNOWLEDGED));
    for (word, called) in [("learning", "a learning router"), ("repeater", "a repeater"), ("bridge", "a bridge")] {
        let found = refused(&text, &[("station.router.router", word)]);
        assert!(found.contains("routers form a loop: backbone - router-1 - floor - router-2 - backbone"), "{found}");
        assert!(found.contains(&format!("`router-1`, {called}, would forward")), "{found}");
        let mixed =
            format!("{text}[[station]]\nname = \"third\"\non = [\"backbone\", \"floor\"]\nrouter = \"{word}\"\n");
        let found = refused(&mixed, &[]);
        assert!(found.contains("third") && found.contains(&format!("`third`, {called}")), "{found}");
        let line = mixed.lines().position(|line| line == format!("router = \"{word}\"")).expect("it is written") + 1;
        assert!(found.contains(&format!("test.toml:{line}:")), "{found}");
    }
}

#[test]
fn configured_routers_in_a_ring_of_channels_are_refused_since_only_those_on_the_same_channels_are_redundant() {
    let ring = "[[station]]\nname = \"third\"\non = [\"c\", \"a\"]\nrouter = \"configured\"\n";
    let text = format!("{ROW}{ring}{}", flow("updates", "left-1", "\"middle\"", ACKNOWLEDGED));
    let found = refused(&text, &[("station.last.router", "configured")]);
    assert!(["a", "b", "c"].iter().all(|medium| found.contains(medium)) && found.contains("third"), "{found}");
    assert!(found.contains("configured routers are redundant where they are on the same media"), "{found}");
    // a router on all three, beside one on two of them, is not a loop through the third
    let star = "[[station]]\nname = \"star\"\non = [\"a\", \"b\", \"c\"]\nrouter = \"configured\"\n";
    let text = format!("{ROW}{star}{}", flow("updates", "left-1", "\"middle\"", ACKNOWLEDGED));
    let found = refused(&text, &[("station.first.on", "[\"a\", \"b\"]")]);
    let named = found.lines().find(|line| line.contains("form a loop")).expect("a loop");
    assert_eq!(named.matches(" - ").count(), 4, "{named}");
}

/// A site with routers of each kind: a learning one, a repeater, and two that are redundant.
fn site_of_all() -> String {
    let more = "[[medium]]\nname = \"attic\"\n[[medium]]\nname = \"cellar\"\n\
                [[station]]\nname = \"lamp\"\ncount = 3\non = [\"attic\"]\n[[station]]\nname = \"pump\"\ncount = 2\non = [\"cellar\"]\n\
                [[station]]\nname = \"learner\"\non = [\"backbone\", \"attic\"]\nrouter = \"learning\"\n\
                [[station]]\nname = \"repeater\"\non = [\"attic\", \"cellar\"]\nrouter = \"repeater\"\n";
    let flows = [
        flow("updates", "sensor", "\"lamp-1\"", ACKNOWLEDGED),
        flow("reports", "pump", "\"panel\"", UNACKNOWLEDGED),
        flow("polls", "panel", "\"sensor\"", "service = \"request\""),
        flow("to-group", "lamp-2", "[\"sensor\", \"pump\", \"lamp-3\"]", ACKNOWLEDGED),
        flow("to-all", "archive", "\"everyone\"", "service = \"unacknowledged-repeated\""),
    ];
    format!("{PAIR}{more}{}", flows.concat())
}

#[test]
fn whatever_fails_on_a_site_with_routers_of_each_kind_messages_add_up_and_runs_repeat_to_the_bit() {
    let site = site_of_all();
    let stations = ["router-1", "router-2", "learner", "repeater", "panel", "lamp-2", "pump-1"];
    for number in 0..24 {
        let mut draws = Streams::new(number, 0).stream("routers/events");
        let mut pick = |below: usize| draws.below(below as u32) as usize;
        let mut text = site.clone();
        for (name, station) in (0..1 + pick(4)).map(|name| (name, pick(stations.len()))).collect::<Vec<_>>() {
            let at = 1000 + pick(8000);
            let what = match pick(4) {
                0 => format!("stations = \"{}\"\naction = \"restart\"", stations[station]),
                1 => format!("media = \"attic\"\naction = \"down\"\nduration = \"{} ms\"", 1 + pick(900)),
                2 => "action = \"set\"\nset = { \"medium.backbone.bit_error_rate\" = 1e-3 }".to_owned(),
                _ => format!(
                    "stations = \"{}\"\naction = \"power-down\"\nduration = \"{} ms\"",
                    stations[station],
                    1 + pick(900)
                ),
            };
            text += &format!("[[event]]\nname = \"event-{name}\"\nat = \"{at} ms\"\n{what}\n");
        }
        let edits = [("run.duration", "10 s")];
        // outages of one thing may overlap, and are refused then
        if scenario(&text, &edits).is_err() {
            continue;
        }
        // the run itself asserts that messages are conserved, and that delay budgets add up
        let first = replication(&text, &edits, number as u32);
        assert_eq!(first, replication(&text, &edits, number as u32), "{text}");
        assert!(first.total("packets") > 500, "{} packets", first.total("packets"));
    }
}
