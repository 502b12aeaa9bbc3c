//! LonTalk over an IP network (ANSI/CTA-852): routers and nodes that send datagrams to each other.

use sojourn_metrics::record::{Observation, Record};

use crate::support::{event, record, replication, requests, scenario};

/// Bytes of a datagram on a member's link beside the LPDU: Ethernet 38, IPv4 20, UDP 8, common header 20.
const OVERHEAD: f64 = 38.0 + 20.0 + 8.0 + 20.0;

/// Two nodes on an IP-852 channel at 64 kbit/s whose processors take no time: a message from one to the other every 100 ms.
const PAIR: &str = r#"
    [network]
    kind = "lontalk"
    [[medium]]
    name = "ip"
    channel = "IP-852"
    access_rate = "64 kbit/s"
    delay = "20 ms"
    [[station]]
    name = "sender"
    costs = { send_call = "0 s", form_packet = "0 s", form_packet_per_byte = "0 s", deliver = "0 s", deliver_per_byte = "0 s", application_latency = "0 s", application_jitter = "0 %" }
    buffers = { application_output = 191, network_output = 191, network_input = 191, application_input = 191 }
    [[station]]
    name = "receiver"
    count = 1
    costs = { send_call = "0 s", form_packet = "0 s", form_packet_per_byte = "0 s", deliver = "0 s", deliver_per_byte = "0 s", application_latency = "0 s", application_jitter = "0 %" }
    buffers = { application_output = 191, network_output = 191, network_input = 191, application_input = 191 }
    [[flow]]
    name = "updates"
    from = "sender"
    to = "receiver"
    service = "unacknowledged"
    message = "explicit-without-copy"
    generator = "open"
    data = "10 B"
    probe = true
    arrivals = { kind = "periodic", interval = "100 ms" }
    [run]
    duration = "1000 s"
    warm_up = "0 s"
"#;

/// Seconds of a datagram on the link of a member.
fn copy_time(record: &Record, rate: f64) -> f64 {
    8.0 * (OVERHEAD + record.value("packet_length/ip")) / rate
}

fn share(record: &Record, name: &str) -> f64 {
    let Observation::Share { part, of } = record.metrics[name] else { panic!("{name} is not a share") };
    part as f64 / of as f64
}

fn assert_share(found: f64, expected: f64, of: f64, what: &str) {
    let deviation = (expected * (1.0 - expected) / of).sqrt();
    assert!((found - expected).abs() < 4.0 * deviation, "{what}: {found} of {expected} ± {deviation}");
}

/// The component of the delay budget, in seconds.
fn component(record: &Record, name: &str) -> f64 {
    let Observation::Budget(budget) = &record.metrics["delay_budget"] else { panic!("a budget") };
    let place = budget.components().iter().position(|known| known == name).expect("a component");
    budget.means().expect("transactions")[place]
}

#[test]
fn a_message_takes_its_time_on_the_access_link_and_the_delay_of_the_network_to_the_nanosecond() {
    let record = record(PAIR, &[]);
    let expected = copy_time(&record, 64_000.0) + 0.020;
    let response = record.distribution("response_time/updates");
    for found in [response.min(), response.max()] {
        assert!((found.unwrap().seconds() - expected).abs() < 1e-9, "{found:?} s of {expected}");
    }
    assert_eq!(record.total("failures"), 0);
    let busy = record.value("utilisation/ip");
    assert!((busy - copy_time(&record, 64_000.0) / 0.1).abs() < 1e-3, "{busy}");
    assert_eq!((share(&record, "loss/ip"), share(&record, "late_packets/ip")), (0.0, 0.0));
}

/// Two floors joined over an IP network of 20 ms: a request from one to the other. With a base window of one slot, a station that finds its
/// channel idle sends at once.
const FLOORS: &str = r#"
    [network]
    kind = "lontalk"
    [[medium]]
    name = "west"
    channel = "TP/FT-10"
    base_window = 1
    priority_slots = 0
    [[medium]]
    name = "east"
    channel = "TP/FT-10"
    base_window = 1
    priority_slots = 0
    [[medium]]
    name = "ip"
    channel = "IP-852"
    delay = "20 ms"
    [[station]]
    name = "supervisor"
    costs = { application_jitter = "0 %" }
    on = ["west"]
    [[station]]
    name = "router-west"
    costs = { application_jitter = "0 %" }
    on = ["west", "ip"]
    router = "configured"
    [[station]]
    name = "router-east"
    costs = { application_jitter = "0 %" }
    on = ["east", "ip"]
    router = "configured"
    [[station]]
    name = "device"
    costs = { application_jitter = "0 %" }
    on = ["east"]
    [[flow]]
    name = "requests"
    from = "supervisor"
    to = "device"
    service = "request"
    message = "explicit-without-copy"
    transaction_timer = "3072 ms"
    data = "4 B"
    response_data = "4 B"
    probe = true
    arrivals = { kind = "periodic", interval = "10 s" }
    [run]
    duration = "1000 s"
    warm_up = "0 s"
"#;

#[test]
fn a_request_over_two_routers_takes_the_sum_of_its_steps_to_the_nanosecond() {
    let record = record(FLOORS, &[]);
    let length = record.value("packet_length/ip");
    assert_eq!(length, record.value("packet_length/east"), "request and response are as long");
    let (wire, copy) = ((8.0 + 1.0 + 8.0 * length + 3.0) / 78_125.0, copy_time(&record, 100e6));
    let forward = 1.781e-3 + 19.67e-6 * length;
    let across = 2.0 * wire + copy + 0.020 + 2.0 * forward;
    // CPU times of the bulletin, each with 4 bytes of data
    let form = 1.781e-3 + 4.0 * 19.67e-6;
    let (send, deliver) = (1e-3 + form + 3e-3, 1.48e-3 + 4.0 * 20e-6 + 3.5e-3 + 0.93e-3);
    let (respond, complete) = (1e-3 + form, 2.28e-3 + 4.0 * 20e-6 + 0.93e-3);
    let expected = send + across + deliver + respond + across + complete;
    let response = record.distribution("response_time/requests");
    assert!(response.count() >= 99);
    for found in [response.min(), response.max()] {
        assert!((found.unwrap().seconds() - expected).abs() < 1e-9, "{found:?} of {expected}");
    }
    assert!((component(&record, "ip-network") - 0.040).abs() < 1e-9);
    assert!((component(&record, "transmission") - 2.0 * (2.0 * wire + copy)).abs() < 1e-9);
    assert!((component(&record, "routers") - 4.0 * forward).abs() < 1e-9);
}

#[test]
fn packets_wait_for_the_access_link_as_in_an_m_d_1_queue() {
    let edits = [("flow.updates.arrivals", r#"{ kind = "poisson", interval = "16 ms" }"#), ("run.duration", "4000 s")];
    let record = record(PAIR, &edits);
    let service = copy_time(&record, 64_000.0);
    let load = service / 0.016;
    let expected = load * service / (2.0 * (1.0 - load));
    let found = component(&record, "queues");
    assert!((0.7..0.9).contains(&load), "{load}");
    assert!((found / expected - 1.0).abs() < 0.05, "{found} s of {expected}");
    assert!((record.value("utilisation/ip") / load - 1.0).abs() < 0.01);
    assert_eq!(record.total("buffer_overflows"), 0);
}

#[test]
fn the_network_loses_the_share_of_datagrams_that_it_is_given() {
    let record = record(PAIR, &[("medium.ip.loss", "10 %")]);
    assert_share(share(&record, "loss/ip"), 0.1, 10_000.0, "datagrams");
    assert_share(record.total("failures") as f64 / 10_000.0, 0.1, 10_000.0, "messages");
    assert_eq!(share(&record, "late_packets/ip"), 0.0);
}

#[test]
fn a_broadcast_is_sent_to_each_member_one_after_the_other() {
    let edits =
        [("station.receiver.count", "6"), ("flow.updates.to", "everyone"), ("medium.ip.access_rate", "1 Mbit/s")];
    let record = record(PAIR, &edits);
    let copy = copy_time(&record, 1e6);
    let response = record.distribution("response_time/updates");
    let [first, last] = [response.min(), response.max()].map(|time| time.unwrap().seconds());
    assert!((first - (copy + 0.020)).abs() < 1e-9 && (last - (6.0 * copy + 0.020)).abs() < 1e-9, "{first} to {last}");
    assert!((component(&record, "queues") - 2.5 * copy).abs() < 1e-9, "the mean of 0 to 5 copies before it");
}

#[test]
fn members_that_a_packet_does_not_concern_get_no_copy() {
    let bystanders = "[[station]]\nname = \"other\"\ncount = 5\non = [\"ip\"]\n";
    let with = record(&format!("{FLOORS}{bystanders}"), &[]);
    assert_eq!(with.value("throughput_l3/ip"), record(FLOORS, &[]).value("throughput_l3/ip"));
    let response = with.distribution("response_time/requests");
    assert_eq!(response.max(), response.min());
}

/// With jitter of 50 ms, messages that are sent every 10 ms overtake each other.
const DISORDER: [(&str, &str); 3] = [
    ("medium.ip.jitter", "50 ms"),
    ("medium.ip.access_rate", "10 Mbit/s"),
    ("flow.updates.arrivals", r#"{ kind = "periodic", interval = "10 ms" }"#),
];

#[test]
fn escrow_puts_in_order_what_the_network_reorders_and_without_it_what_comes_late_is_discarded() {
    let with = |more: &[(&str, &str)]| record(PAIR, &[&DISORDER, more].concat());
    let ordered = with(&[("medium.ip.escrow_time", "64 ms")]);
    assert_eq!((ordered.total("failures"), share(&ordered, "late_packets/ip")), (0, 0.0));
    let never = with(&[("medium.ip.escrow_time", "0 s"), ("medium.ip.reordering", "false")]);
    assert_eq!((never.total("failures"), share(&never, "late_packets/ip")), (0, 0.0));
    let without = with(&[("medium.ip.escrow_time", "0 s")]);
    let late = share(&without, "late_packets/ip");
    // late is one that any of the next four overtakes, sent 10 k ms later: with delays uniform on 0 to 1 in units of the jitter, one of
    // delay x is overtaken by none with probability Π (1 - (x - k/5)+) over k = 1 to 4
    let steps = 100_000;
    let none: f64 = (0..steps)
        .map(|step| (f64::from(step) + 0.5) / f64::from(steps))
        .map(|x| (1..5).map(|k| 1.0 - (x - f64::from(k) / 5.0).max(0.0)).product::<f64>())
        .sum();
    assert_share(late, 1.0 - none / f64::from(steps), 20_000.0, "late packets, which are not independent");
    assert!((without.total("failures") as f64 / 100_000.0 - late).abs() < 1e-4);
}

#[test]
fn packets_behind_a_lost_one_wait_for_the_escrow_time() {
    let edits = [
        ("medium.ip.loss", "0.1 %"),
        ("medium.ip.access_rate", "10 Mbit/s"),
        ("flow.updates.arrivals", r#"{ kind = "periodic", interval = "10 ms" }"#),
    ];
    let record = record(PAIR, &edits);
    let base = copy_time(&record, 10e6) + 0.020;
    let response = record.distribution("response_time/updates");
    let [least, most] = [response.min(), response.max()].map(|time| time.unwrap().seconds());
    assert!((least - base).abs() < 1e-9 && (most - base - 0.064).abs() < 1e-9, "{least} to {most} s");
    // behind each lost one the next waits 64 ms, those behind it 54, 44, 34, 24, 14 and 4
    let escrow = component(&record, "ip-network") - 0.020;
    let lost = share(&record, "loss/ip");
    let expected = lost * (0.064 + 0.054 + 0.044 + 0.034 + 0.024 + 0.014 + 0.004);
    assert!((escrow / expected - 1.0).abs() < 0.05, "{escrow} s of {expected}");
}

#[test]
fn a_packet_older_than_the_channel_timeout_is_discarded() {
    let edits =
        [("medium.ip.jitter", "20 ms"), ("medium.ip.access_rate", "1 Gbit/s"), ("medium.ip.channel_timeout", "30 ms")];
    let record = record(PAIR, &edits);
    assert_share(share(&record, "late_packets/ip"), 0.5, 10_000.0, "stale packets");
    assert!(record.distribution("response_time/updates").max().unwrap().seconds() <= 0.030);
}

#[test]
fn a_member_that_is_off_gets_its_copies_and_receives_none() {
    let keys = "at = \"100.05 s\"\nduration = \"200 s\"\nstations = \"receiver-1\"\naction = \"power-down\"";
    let three = [
        ("station.receiver.count", "3"),
        ("flow.updates.to", "everyone"),
        ("medium.ip.access_rate", "1 Mbit/s"),
        ("flow.updates.arrivals", r#"{ kind = "periodic", interval = "100 ms", start = "at-once" }"#),
    ];
    let (with, without) = (record(&format!("{PAIR}{}", event(keys)), &three), record(PAIR, &three));
    assert_eq!(with.value("utilisation/ip"), without.value("utilisation/ip"));
    assert_eq!(requests(&with, 0.0, 100.06), [3_003, 3_003]);
    assert_eq!(requests(&with, 100.0, 300.06), [6_000, 4_000]);
    let [sent, answered] = requests(&with, 300.0, 999.0);
    assert_eq!(sent, answered, "it hears the session that goes on");
    assert!((share(&with, "loss/ip") - 2_000.0 / 30_000.0).abs() < 1e-4);
}

#[test]
fn a_sender_that_restarts_begins_a_session_that_is_heard_at_once() {
    let keys = "at = \"500.01 s\"\nduration = \"1 s\"\nstations = \"sender\"\naction = \"power-down\"";
    let record = record(&format!("{PAIR}{}", event(keys)), &[]);
    let [sent, answered] = requests(&record, 501.01, 1000.0);
    assert_eq!((sent, answered), (4990, 4990));
    assert_eq!(share(&record, "late_packets/ip"), 0.0);
    assert!(record.total("failures") <= 1, "at most the one that was being sent");
}

#[test]
fn a_network_that_is_down_loses_what_is_sent_and_what_is_in_it() {
    let keys = "at = \"100 s\"\nduration = \"10 s\"\nmedia = \"ip\"\naction = \"down\"";
    let record = record(&format!("{PAIR}{}", event(keys)), &[("medium.ip.delay", "1 s")]);
    let [_, answered] = requests(&record, 100.0, 110.0);
    assert_eq!(answered, 0);
    // ten more were in the network
    assert!((109..=111).contains(&record.total("failures")), "{}", record.total("failures"));
    let [sent, answered] = requests(&record, 110.0, 998.0);
    assert_eq!(sent, answered);
}

#[test]
fn an_event_changes_delay_loss_and_jitter_and_its_end_puts_them_back() {
    let keys = |key: &str, value: &str| {
        event(&format!(
            "at = \"100 s\"\nduration = \"100 s\"\naction = \"set\"\nset = {{ \"medium.ip.{key}\" = \"{value}\" }}"
        ))
    };
    let with = |key, value| record(&format!("{PAIR}{}", keys(key, value)), &[]);
    let slower = with("delay", "50 ms");
    let response = slower.distribution("response_time/updates");
    let [least, most] = [response.min(), response.max()].map(|time| time.unwrap().seconds());
    assert!((most - least - 0.030).abs() < 1e-9, "{least} to {most} s");
    assert!((response.mean().unwrap() - least - 0.030 * 0.1).abs() < 1e-4);
    let lossy = with("loss", "20 %");
    assert_share(lossy.total("failures") as f64 / 1_000.0, 0.2, 1_000.0, "messages while it lasts");
    let varied = with("jitter", "10 ms");
    assert!(varied.distribution("response_time/updates").mean().unwrap() - least > 0.000_4);
}

#[test]
fn redundant_routers_over_an_ip_network_carry_updates_on_when_one_fails() {
    let text = FLOORS.replace("name = \"router-east\"", "name = \"router-east\"\ncount = 2");
    let keys = "at = \"300 s\"\nduration = \"300 s\"\nstations = \"router-east-1\"\naction = \"power-down\"";
    // two that forward at the same instant need slots to choose from
    let edits =
        [("flow.requests.arrivals", r#"{ kind = "periodic", interval = "1 s" }"#), ("medium.east.base_window", "16")];
    let one = record(&format!("{text}{}", event(keys)), &edits);
    assert_eq!(one.total("failures"), 0);
    // each request goes to both of them
    assert!(share(&one, "loss/ip") > 0.0);
    let alone = "at = \"300 s\"\nduration = \"300 s\"\nstations = \"router-east\"\naction = \"power-down\"";
    // each request is tried for four transaction timers
    assert!(record(&format!("{FLOORS}{}", event(alone)), &edits).total("failures") >= 20);
}

#[test]
fn a_replication_repeats_to_the_bit_and_another_differs() {
    let text = format!(
        "{PAIR}{}",
        event("mean_time_between = \"50 s\"\nmean_time_to_repair = \"5 s\"\nmedia = \"ip\"\naction = \"down\"")
    );
    let edits = [&DISORDER[..], &[("medium.ip.loss", "2 %"), ("run.duration", "200 s")]].concat();
    assert_eq!(record(&text, &edits), record(&text, &edits));
    assert_ne!(record(&text, &edits).total("failures"), replication(&text, &edits, 1).total("failures"));
}

#[test]
fn a_transaction_timer_shorter_than_the_round_trip_over_the_ip_network_is_a_warning() {
    let warnings = |timer: &str, delay: &str| {
        let edits = [("flow.requests.transaction_timer", timer), ("medium.ip.delay", delay)];
        let scenario = scenario(FLOORS, &edits).unwrap_or_else(|problems| panic!("{problems}"));
        let found = sojourn_lontalk::NETWORKS.find(scenario.kind).unwrap().warnings(&scenario);
        found.iter().map(sojourn_model::Warning::in_words).collect::<Vec<String>>()
    };
    let found = warnings("192 ms", "100 ms");
    assert_eq!(found.len(), 1, "{found:?}");
    let message =
        "the transaction timer of flow `requests` is 192 ms, and the RTT of the IP network alone is up to 200 ms";
    assert!(found[0].contains(message), "{found:?}");
    assert_eq!(warnings("256 ms", "100 ms"), Vec::<String>::new());
    assert_eq!(warnings("16 ms", "1 ms"), Vec::<String>::new());
}

/// What `check` or the model says.
fn refused(text: &str, edits: &[(&str, &str)]) -> String {
    let problems = match scenario(text, edits) {
        Err(problems) => problems,
        Ok(scenario) => match crate::support::model(&scenario) {
            Err(problems) => problems,
            Ok(_) => panic!("{edits:?} was taken"),
        },
    };
    problems.render(false, 200)
}

#[test]
fn keys_of_medium_access_are_refused_on_an_ip_network_and_those_of_an_ip_network_elsewhere() {
    for (key, value) in
        [("bit_error_rate", "0.001"), ("priority_slots", "4"), ("beta2", "1 ms"), ("bit_rate", "1 Mbit/s")]
    {
        let found = refused(PAIR, &[(&format!("medium.ip.{key}"), value)]);
        assert!(
            found.contains(&format!("`{key}` is of a channel with medium access, and `ip` is of type IP-852")),
            "{found}"
        );
    }
    for (key, value) in [("delay", "1 ms"), ("loss", "1 %"), ("escrow_time", "10 ms"), ("access_rate", "1 Mbit/s")] {
        let found = refused(PAIR, &[("medium.ip.channel", "TP/FT-10"), (&format!("medium.ip.{key}"), value)]);
        assert!(found.contains(&format!("`{key}` is of a channel over an IP network")), "{found}");
    }
    let found = refused(PAIR, &[("station.sender.priority_slot", "2")]);
    assert!(found.contains("`sender` has no channel with medium access, which `priority_slot` is for"), "{found}");
    let found = refused(PAIR, &[("medium.ip.channel_timeout", "20 ms")]);
    assert!(found.contains("channel_timeout 20 ms makes every packet stale: the delay is 20 ms"), "{found}");
    // as they are by default they ask for nothing
    assert!(scenario(PAIR, &[("medium.ip.bit_error_rate", "0.0")]).is_ok());
}

#[test]
fn an_event_that_sets_a_key_of_the_other_kind_of_channel_is_refused() {
    let set =
        |path: &str, value: &str| event(&format!("at = \"10 s\"\naction = \"set\"\nset = {{ \"{path}\" = {value} }}"));
    for (path, value) in
        [("medium.ip.bit_error_rate", "0.1"), ("medium.west.delay", "\"5 ms\""), ("medium.east.loss", "\"5 %\"")]
    {
        let found = refused(&format!("{FLOORS}{}", set(path, value)), &[]);
        let (medium, key) = path.trim_start_matches("medium.").split_once('.').unwrap();
        assert!(found.contains(&format!("`{medium}` has no `{key}`")), "{found}");
    }
}
