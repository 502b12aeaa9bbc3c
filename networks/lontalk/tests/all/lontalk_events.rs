//! LonTalk nodes, routers and channels that fail, and flows that start and stop.

use sojourn_metrics::record::Record;

use crate::support::{event, mean_level, record, replication, requests};

/// Two floors behind a router: an update from one to the other every 100 ms.
const SITE: &str = r#"
    [network]
    kind = "lontalk"
    [[medium]]
    name = "west"
    channel = "TP/FT-10"
    [[medium]]
    name = "east"
    channel = "TP/FT-10"
    [[station]]
    name = "sensor"
    on = ["west"]
    [[station]]
    name = "router"
    on = ["west", "east"]
    router = "configured"
    [[station]]
    name = "panel"
    on = ["east"]
    [[flow]]
    name = "updates"
    from = "sensor"
    to = "panel"
    service = "unacknowledged"
    probe = true
    arrivals = { kind = "periodic", interval = "100 ms" }
    [run]
    duration = "60 s"
    warm_up = "2 s"
"#;

fn site_with(keys: &str) -> Record {
    record(&format!("{SITE}{}", event(keys)), &[])
}

#[test]
fn a_router_without_power_forwards_nothing_and_with_power_again_what_comes_next() {
    let record = site_with("at = \"10 s\"\nduration = \"5 s\"\nstations = \"router\"\naction = \"power-down\"");
    assert_eq!(requests(&record, 2.0, 10.0).map(|count| count / 10), [8, 8]);
    // the packet that the router held when it failed is lost as well
    let [sent, answered] = requests(&record, 10.0, 15.0);
    assert_eq!((sent, answered), (50, 0));
    let [sent, answered] = requests(&record, 15.0, 60.0);
    assert_eq!(sent, answered, "all after the outage");
    assert!((50..=51).contains(&record.total("failures")), "{}", record.total("failures"));
    let recovery = record.distribution("recovery_time/it");
    let first_after = recovery.max().expect("it recovers").seconds();
    assert!((5.0..5.1).contains(&first_after), "the first update after the outage: {first_after} s");
}

#[test]
fn a_channel_that_is_down_carries_what_stations_send_and_no_station_receives_it() {
    let record = site_with("at = \"10 s\"\nduration = \"5 s\"\nmedia = \"west\"\naction = \"down\"");
    assert_eq!(requests(&record, 10.0, 15.0), [50, 0]);
    assert_eq!(record.total("failures"), 50);
    // both floors carry an update before, one while the first is down
    let (before, meanwhile) = (
        mean_level(&record, "utilisation/timeline", 2.0, 10.0),
        mean_level(&record, "utilisation/timeline", 10.0, 15.0),
    );
    assert!((meanwhile / before - 0.5).abs() < 0.01, "{meanwhile} of {before}");
}

#[test]
fn a_bit_error_rate_loses_the_share_of_packets_that_independent_bits_give() {
    let keys = "at = \"2 s\"\naction = \"set\"\nset = { \"medium.west.bit_error_rate\" = 1e-3 }";
    let edits = [("run.duration", "1000 s"), ("flow.updates.data", "10 B")];
    let record = record(&format!("{SITE}{}", event(keys)), &edits);
    let length = record.value("packet_length/east");
    // the bits of the packet on the wire: preamble, byte-sync, bytes, code violation (TP/FT-10)
    let bits = 8.0 + 1.0 + 8.0 * length + 3.0;
    let expected = 1.0 - libm::pow(1.0 - 1e-3, bits);
    let packets = 10_000.0;
    let lost = record.total("failures") as f64 / packets;
    let deviation = (expected * (1.0 - expected) / packets).sqrt();
    assert!((lost - expected).abs() < 4.0 * deviation, "{lost} of {expected} ± {deviation}");
}

#[test]
fn an_event_that_changes_nothing_leaves_every_other_metric_as_it_is() {
    let same = site_with("at = \"10 s\"\naction = \"set\"\nset = { \"medium.west.bit_error_rate\" = 0.0 }");
    let without = record(SITE, &[]);
    for (name, observation) in &without.metrics {
        assert_eq!(same.metrics.get(name), Some(observation), "{name}");
    }
    let added: Vec<&String> = same.metrics.keys().filter(|name| !without.metrics.contains_key(*name)).collect();
    let of_events = |name: &&String| name.ends_with("/timeline") || name.ends_with("/it");
    assert!(added.iter().all(of_events) || added.iter().any(|name| name.starts_with("crc_error_rate")), "{added:?}");
}

/// Fifty devices that report every minute, and when they get power, to a panel.
const FLOOR: &str = r#"
    [network]
    kind = "lontalk"
    [[medium]]
    name = "floor"
    channel = "TP/FT-10"
    [[station]]
    name = "device"
    count = 50
    [[station]]
    name = "panel"
    input_clock = "40 MHz"
    buffers = { application_input = 191, network_input = 191 }
    [[flow]]
    name = "report"
    from = "device"
    to = "panel"
    service = "unacknowledged"
    probe = true
    arrivals = { kind = "heartbeat", max_interval = "60 s", min_interval = "1 s" }
    [run]
    duration = "200 s"
    warm_up = "60 s"
"#;

fn power_failure(spread: &str, index: u32) -> Record {
    let keys = "at = \"100 s\"\nduration = \"10 s\"\nstations = \"device\"\naction = \"power-down\"";
    let text = format!("{FLOOR}{}spread = \"{spread}\"\n", event(keys));
    replication(&text, &[], index)
}

/// The time on the wire of a report: preamble, byte-sync, bytes and code violation at 78.125 kbit/s.
fn wire_time(record: &Record) -> f64 {
    (8.0 + 1.0 + 8.0 * record.value("packet_length/floor") + 3.0) / 78_125.0
}

/// Mean and variance of the packets that arrive when `stations` begin at once, each with one packet, a backlog of 1 and no
/// collision detection: all draw among the 16 slots of the base window, those in the lowest slot send, which arrives if only one did, and
/// the others draw again.
fn arrivals_at_once(stations: usize) -> (f64, f64) {
    const SLOTS: f64 = 16.0;
    // [n]: the mean of the packets that arrive and that of their square
    let mut moments = vec![(0.0, 0.0)];
    for waiting in 1..=stations {
        let (mut mean, mut square) = (0.0, 0.0);
        let mut choices = 1.0;
        for first in 1..=waiting {
            choices *= (waiting + 1 - first) as f64 / first as f64;
            let behind = (waiting - first) as i32;
            // `first` of them draw a slot, and the others one of those behind it
            let in_slot = |slot: i32| ((SLOTS - f64::from(slot) - 1.0) / SLOTS).powi(behind);
            let probability = choices * SLOTS.powi(-(first as i32)) * (0..16).map(in_slot).sum::<f64>();
            let alone = if first == 1 { 1.0 } else { 0.0 };
            let (later, later_square) = moments[waiting - first];
            mean += probability * (alone + later);
            square += probability * (alone + 2.0 * alone * later + later_square);
        }
        moments.push((mean, square));
    }
    let (mean, square) = moments[stations];
    (mean, square - mean * mean)
}

#[test]
fn all_devices_report_at_once_when_power_returns_and_collisions_lose_what_the_slots_of_the_base_window_give() {
    let replications = 12;
    let mut total = 0;
    for index in 0..replications {
        let record = power_failure("0 s", index);
        assert_eq!(requests(&record, 100.0, 110.0), [0, 0]);
        let [sent, answered] = requests(&record, 110.0, 113.0);
        assert_eq!(sent, 50);
        total += answered;
        // one packet after another, without the idle time between them
        let last = record.distribution("response_time").max().expect("answers").seconds();
        assert!(last > answered as f64 * wire_time(&record), "{answered} packets: {last} s");
    }
    let (expected, variance) = arrivals_at_once(50);
    let mean = total as f64 / f64::from(replications);
    let deviation = (variance / f64::from(replications)).sqrt();
    assert!((mean - expected).abs() < 3.0 * deviation, "{mean} of {expected} ± {deviation}");
}

#[test]
fn a_power_up_delay_spreads_the_reports_so_that_hardly_one_waits() {
    let record = power_failure("30 s", 0);
    let [sent, answered] = requests(&record, 110.0, 140.0);
    assert_eq!(sent, 50);
    // uniform on 30 s: binomial with a standard deviation of 3.5
    let [half, _] = requests(&record, 110.0, 125.0);
    assert!((25 - 11..=25 + 11).contains(&half), "{half}");
    // one is lost if another is ready within the same slot of 168 µs: 50 · 49 · 168 µs / 30 s; and among those that wait for
    // the same packet, seldom
    assert!(answered >= 49, "{answered}");
    // a report that finds the channel busy waits for that packet, its packet cycle and another draw
    let responses = record.distribution("response_time");
    let (shortest, longest) =
        (responses.min().expect("answers").seconds(), responses.max().expect("answers").seconds());
    let draw = 16.0 * 168e-6;
    let waits = longest - shortest;
    assert!(waits <= draw + wire_time(&record) + 898e-6 + draw, "waits {waits} s");
}

#[test]
fn stations_whose_first_event_gives_them_power_are_off_until_then() {
    let keys = "at = \"20 s\"\nstations = \"sensor\"\naction = \"power-up\"";
    let record = site_with(keys);
    assert_eq!(requests(&record, 2.0, 20.0), [0, 0]);
    let [sent, answered] = requests(&record, 20.0, 62.0);
    // its timer starts with it; what is sent at the very end is in flight
    assert_eq!((sent, answered), (421, 420));
}

#[test]
fn a_reset_of_a_station_without_power_gives_it_none() {
    let failure = "at = \"10 s\"\nduration = \"10 s\"\nstations = \"sensor\"\naction = \"power-down\"";
    let reset = "[[event]]\nname = \"reset\"\nat = \"15 s\"\nstations = \"sensor\"\naction = \"restart\"";
    let record = site_with(&format!("{failure}\n{reset}"));
    assert_eq!(requests(&record, 10.0, 20.0), [0, 0]);
    let [sent, answered] = requests(&record, 20.0, 62.0);
    assert_eq!((sent, answered), (421, 420), "from the end of the failure, one in flight at the end");
}

#[test]
fn a_flow_sends_from_its_start_to_its_stop_and_a_burst_comes_beside() {
    let events = "at = \"20 s\"\nuntil = \"30 s\"\nflows = \"updates\"\naction = \"start\"\n\
                  [[event]]\nname = \"burst\"\nat = \"40 s\"\nflows = \"updates\"\naction = \"burst\"\nsize = 2";
    let record = site_with(events);
    assert_eq!(requests(&record, 2.0, 20.0), [0, 0]);
    assert_eq!(requests(&record, 20.0, 31.0), [100, 100]);
    assert_eq!(requests(&record, 31.0, 40.0), [0, 0]);
    assert_eq!(requests(&record, 40.0, 62.0), [2, 2], "as many as the application output buffers take");
}

/// All services between nodes of two floors, one packet on the other, with failures of everything.
const BUSY: &str = r#"
    [network]
    kind = "lontalk"
    [[medium]]
    name = "west"
    channel = "TP/FT-10"
    [[medium]]
    name = "east"
    channel = "TP/XF-78"
    skew = "100 µs"
    [[station]]
    name = "sensor"
    count = 6
    on = ["west"]
    collision_detection = true
    priority_slot = 2
    [[station]]
    name = "router"
    on = ["west", "east"]
    router = "configured"
    [[station]]
    name = "panel"
    count = 4
    on = ["east"]
    [[flow]]
    name = "acknowledged"
    from = "sensor"
    to = "panel-1"
    authenticated = true
    probe = true
    generator = "queued"
    arrivals = { kind = "poisson", interval = "300 ms" }
    [[flow]]
    name = "group"
    from = "sensor-2"
    to = "panel"
    addressing = "group"
    service = "request"
    arrivals = { kind = "saturating" }
    [[flow]]
    name = "repeated"
    from = "panel-1"
    to = "sensor-1"
    service = "unacknowledged-repeated"
    priority = true
    generator = "open"
    arrivals = { kind = "poisson", interval = "500 ms" }
    [[flow]]
    name = "poll"
    from = "panel-2"
    to = "sensor"
    addressing = "unicast"
    service = "request"
    arrivals = { kind = "poll", interval = "50 ms" }
    [[event]]
    name = "power"
    stations = ["sensor", "router", "panel"]
    action = "power-down"
    mean_time_between = "1500 ms"
    mean_time_to_repair = "300 ms"
    spread = "100 ms"
    [[event]]
    name = "resets"
    at = "3 s"
    every = "700 ms"
    stations = "panel-1"
    action = "restart"
    [[event]]
    name = "cable"
    media = ["west", "east"]
    action = "down"
    mean_time_between = "5 s"
    mean_time_to_repair = "200 ms"
    [run]
    duration = "300 s"
    warm_up = "2 s"
"#;

#[test]
fn nothing_is_lost_from_the_books_when_everything_fails_again_and_again() {
    // conservation of messages and the sums of delay budgets are asserted in the run itself
    let first = record(BUSY, &[]);
    assert_eq!(first, record(BUSY, &[]), "the same bits again");
    let failed = first.total("failures");
    assert!(failed > 100 && first.distribution("response_time").count() > 100, "{failed}");
    for event in ["power", "cable"] {
        let seen = first.distribution(&format!("recovery_time/{event}"));
        assert!(seen.sent() > 30, "{event}: {}", seen.sent());
    }
}
