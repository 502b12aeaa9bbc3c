//! What events do to an adapter: outages of power and of the fibre, directions that stop, bursts, keys that change.

use std::collections::BTreeMap;

use sojourn_metrics::merge::merge;
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::timeline::Windows;
use sojourn_scenario::{Problems, Scenario, check};

use super::{Metrics, value};
use crate::adapter::scenario::settings;
use sojourn_model::{Model, Replication};

use sojourn_core::Duration;

const HEAD: &str = "[network]\nkind = \"fddi-adapter\"\n[run]\nduration = \"40 ms\"\nwarm_up = \"5 ms\"\n";
/// Frames of 1000 bytes, with 8 more on the fibre, each 200 µs.
const STEADY: &str = "[traffic]\nframe_size = \"1000 B\"\nload = \"40.32 Mbit/s\"\narrivals = \"constant\"\n";
const BOTH: &str = "direction = \"both\"\n";

fn checked(text: &str) -> Result<Scenario, Problems> {
    check(&crate::NETWORKS.kinds().parse("test.toml", &format!("{HEAD}{text}"))?)
}

fn record(text: &str) -> Record {
    let scenario = checked(text).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    settings(&scenario)
        .replicate(Replication { warm_up: Duration::from_millis(5), ..Replication::alone(scenario.run().duration) })
}

fn run(text: &str) -> Metrics {
    BTreeMap::from_iter(merge(&[record(text)]))
}

fn event(rest: &str) -> String {
    format!("[[event]]\nname = \"event\"\n{rest}\n")
}

/// Frames that came in each window of a span in ms, in all and answered.
fn frames(record: &Record, from_ms: u64, to_ms: u64) -> [u64; 2] {
    let Observation::Timeline(timeline) = &record.metrics["response_time/timeline"] else { panic!("a timeline") };
    let Windows::Requests(windows) = &timeline.windows else { panic!("requests") };
    let [from, to] = [from_ms, to_ms].map(|ms| ms * 1_000_000_000);
    let inside = timeline.edges.windows(2).zip(windows).filter(|(edges, _)| edges[0] >= from && edges[1] <= to);
    inside.fold([0, 0], |[sent, answered], (_, window)| [sent + window.sent, answered + window.responses.count()])
}

const POWER: &str = "action = \"power-down\"\nstations = \"adapter\"\nat = \"20 ms\"\nduration = \"10 ms\"";
const FIBRE: &str = "action = \"down\"\nmedia = \"ring\"\nat = \"20 ms\"\nduration = \"10 ms\"";

#[test]
fn frames_of_an_outage_are_lost_by_its_cause_and_those_after_it_are_not() {
    for (outage, place, other) in [(POWER, "power", "ring"), (FIBRE, "ring", "power")] {
        let text = format!("{STEADY}{}", event(outage));
        let (found, record) = (run(&text), record(&text));
        let lost = value(&found, &format!("drops/{place}"), "value");
        // a frame each 200 us for 10 ms, and one at each end that it cuts
        assert!((50.0..=52.0).contains(&lost), "{place}: {lost}");
        assert_eq!(value(&found, &format!("drops/{other}"), "value"), 0.0, "{place}");
        assert_eq!(value(&found, "drops", "value"), lost, "{place}");
        assert_eq!(frames(&record, 20, 30)[1], 0, "none is answered");
        let [sent, answered] = frames(&record, 31, 45);
        assert!(sent >= 69 && sent - answered <= 1, "{place}: {answered} of {sent}");
    }
}

#[test]
fn the_bus_over_time_adds_up_to_its_utilisation_and_is_idle_while_the_adapter_is_off() {
    let record = record(&format!("{STEADY}{}", event(POWER)));
    let Observation::Timeline(timeline) = &record.metrics["utilisation/timeline"] else { panic!("a timeline") };
    let Windows::Level(levels) = &timeline.windows else { panic!("levels") };
    let windows = || timeline.edges.windows(2).zip(levels).map(|(edges, level)| (edges[0], edges[1], *level));
    let area: f64 = windows().map(|(begin, end, level)| (end - begin) as f64 * level).sum();
    let whole = record.value("utilisation/bus");
    // the last cycle of a window may end in the next
    assert!((area / 40e9 - whole).abs() < 1e-4 * whole, "{} for {whole}", area / 40e9);
    let ms = 1_000_000_000;
    assert!(windows().filter(|(begin, end, _)| *begin > 21 * ms && *end < 29 * ms).all(|(.., level)| level == 0.0));
    assert!(windows().filter(|(_, end, _)| *end < 20 * ms).any(|(.., level)| level > whole));
}

#[test]
fn an_outage_stops_what_the_adapter_sends_and_the_driver_goes_on_after_it() {
    for outage in [POWER, FIBRE] {
        for ring in ["black-box", "token-ring"] {
            let text = format!(
                "[traffic]\nframe_size = \"1000 B\"\nload = \"saturating\"\ndirection = \"transmit\"\n[ring]\nkind = \"{ring}\"\n\
                 bypass_time = \"1 ms\"\n{}",
                event(outage)
            );
            let record = record(&text);
            let before = frames(&record, 10, 20)[1];
            // those begun last wait behind up to 64 others, and are lost with them
            assert!(before > 40, "{ring}: {before} before");
            // of those begun in the outage one leaves, if it waits for the fibre
            let during = frames(&record, 21, 29)[1];
            assert!(during <= 4, "{ring}: {during} during {outage}");
            // 8 ms at line rate are 99 frames of 80.64 us
            let after = frames(&record, 32, 40)[1];
            assert!(after > 80, "{ring}: {after} after {outage}");
        }
    }
}

#[test]
fn a_token_ring_is_interrupted_while_the_bypass_switches_and_goes_on_without_the_adapter() {
    let text =
        |bypass: &str| format!("{STEADY}[ring]\nkind = \"token-ring\"\nbypass_time = \"{bypass}\"\n{}", event(POWER));
    // the peer sends to an adapter that is bypassed, as soon as the ring has recovered
    let lost = |bypass| value(&run(&text(bypass)), "drops/power", "value");
    let (quick, slow) = (lost("0.1 ms"), lost("9 ms"));
    assert!(quick > 45.0, "frames pass the bypassed adapter by: {quick}");
    assert!(slow < quick, "{slow} {quick}");
}

#[test]
fn a_direction_that_stops_has_no_frames_until_it_starts() {
    for (side, direction) in [("receive", "receive"), ("transmit", "transmit")] {
        for ring in ["black-box", "token-ring"] {
            for load in ["\"40.32 Mbit/s\"", "\"saturating\"", "\"single\""] {
                let stop = format!("action = \"stop\"\nflows = \"{side}\"\nat = \"20 ms\"\nuntil = \"30 ms\"");
                let text = format!(
                    "[traffic]\nframe_size = \"1000 B\"\nload = {load}\ndirection = \"{direction}\"\n[ring]\nkind = \"{ring}\"\n{}",
                    event(&stop)
                );
                let record = record(&text);
                let [before, during, after] =
                    [(10, 20), (22, 30), (31, 41)].map(|(from, to)| frames(&record, from, to)[0]);
                let context = format!("{side}, {ring}, {load}: {before}, {during}, {after}");
                assert!(before > 30 && during == 0, "{context}");
                // a driver that always has frames fills the adapter's buffers again, beside what leaves
                assert!(after > before * 4 / 5 && after < before * 3 / 2, "{context}");
            }
        }
    }
}

#[test]
fn a_flow_whose_first_event_starts_it_is_silent_before() {
    let text = format!("{STEADY}{}", event("action = \"start\"\nflows = \"receive\"\nat = \"25 ms\""));
    let record = record(&text);
    assert_eq!(frames(&record, 5, 25)[0], 0);
    assert!(frames(&record, 26, 45)[0] > 90);
}

#[test]
fn a_burst_of_frames_comes_at_line_rate() {
    let text = |side: &str, load: &str, size: u32| {
        let burst = format!("action = \"burst\"\nflows = \"{side}\"\nat = \"20 ms\"\nsize = {size}");
        format!(
            "[traffic]\nframe_size = \"1000 B\"\nload = \"{load}\"\narrivals = \"constant\"\ndirection = \"{side}\"\n{}",
            event(&burst)
        )
    };
    for side in ["receive", "transmit"] {
        let found = record(&text(side, "0 bit/s", 20));
        assert_eq!(frames(&found, 5, 20)[0], 0, "{side}");
        let [sent, answered] = frames(&found, 20, 45);
        assert_eq!([sent, answered], [20, 20], "{side}");
        // 20 frames of 1008 bytes last 1613 us
        assert_eq!(frames(&found, 23, 45)[0], 0, "{side}");
        let beside = record(&text(side, "10 Mbit/s", 20));
        let alone = record(&text(side, "10 Mbit/s", 1));
        // gaps count from the end of a frame, which the burst of 1.6 ms delays on the ring: two frames of 0.8 ms
        let more = frames(&beside, 5, 45)[0] - frames(&alone, 5, 45)[0];
        assert!((17..=19).contains(&more), "{side}: the load goes on beside it, {more}");
    }
}

#[test]
fn interference_that_changes_has_its_share_before_and_after() {
    let set = "action = \"set\"\nset = { \"bus.interference\" = \"60 %\" }\nat = \"25 ms\"";
    let text = format!("[bus]\ninterference = \"20 %\"\n[traffic]\ndirection = \"none\"\n{}", event(set));
    let share = value(&run(&text), "interference", "value");
    assert!((share - 0.4).abs() < 0.01, "20 ms of 20 % and 20 ms of 60 %: {share}");
    let back = text.replace("at = \"25 ms\"", "at = \"25 ms\"\nduration = \"10 ms\"");
    let share = value(&run(&back), "interference", "value");
    assert!((share - 0.3).abs() < 0.01, "10 ms of 60 %: {share}");
    let quiet = text.replace("interference = \"20 %\"", "interference = \"0 %\"");
    let share = value(&run(&quiet), "interference", "value");
    assert!((share - 0.3).abs() < 0.01, "from nothing: {share}");
}

#[test]
fn outages_in_both_directions_at_once_conserve_frames() {
    for ring in ["black-box", "token-ring"] {
        for (load, mix) in [("saturating", "five-mode"), ("50 Mbit/s", "exponential"), ("single", "constant")] {
            for actions in [
                "action = \"power-down\"\nstations = \"adapter\"\nmean_time_between = \"2 ms\"\nmean_time_to_repair = \"0.3 ms\"",
                "action = \"down\"\nmedia = \"ring\"\nmean_time_between = \"1 ms\"\nmean_time_to_repair = \"50 us\"",
                "action = \"restart\"\nstations = \"adapter\"\nat = \"6 ms\"\nevery = \"0.7 ms\"",
            ] {
                let direction = if load == "single" { "" } else { BOTH };
                let text = format!(
                    "[bus]\ninterference = \"30 %\"\n[host]\nsegments = 2\n[adapter]\ntransmit_threshold = \"256 B\"\n[traffic]\n{direction}load = \
                     \"{load}\"\nmix = \"{mix}\"\n[ring]\nkind = \"{ring}\"\nbypass_time = \"0.2 ms\"\n{}",
                    event(actions)
                );
                // conservation is asserted at the end of each run
                let found = run(&text);
                let lost = value(&found, "drops/power", "value") + value(&found, "drops/ring", "value");
                assert!(lost > 0.0, "{ring}, {load}: {actions}");
                assert_eq!(found, run(&text), "the same seed, the same metrics");
            }
        }
    }
}

#[test]
fn a_sustainable_load_is_that_of_a_run_without_events() {
    let text = |event: &str| format!("[traffic]\nframe_size = \"69 B\"\nload = \"sustainable\"\n{event}");
    let outage = event("action = \"power-down\"\nstations = \"adapter\"\nat = \"44 ms\"\nuntil = \"44.5 ms\"");
    let rate = |text: &str| value(&run(text), "packet_rate", "value");
    let (with, without) = (rate(&text(&outage)), rate(&text("")));
    assert!((with / without - 1.0).abs() < 0.03, "{with} {without}");
}

#[test]
fn events_that_cannot_be_are_refused_at_their_place() {
    let cases = [
        ("[traffic]\nstages = \"host-interface\"\n", POWER, "events act on the whole adapter"),
        ("", "action = \"burst\"\nflows = \"receive\"\nat = \"20 ms\"", "`load` is \"saturating\""),
        (
            STEADY,
            "action = \"stop\"\nflows = \"transmit\"\nat = \"20 ms\"",
            "no frames go in the direction \"transmit\"",
        ),
        ("", "action = \"power-down\"\nstations = \"adaptor\"\nat = \"20 ms\"", "did you mean `adapter`?"),
        (
            "",
            "action = \"set\"\nset = { \"bus.interleave\" = 2 }\nat = \"20 ms\"",
            "`bus.interleave` cannot change during a run",
        ),
    ];
    for (rest, written, message) in cases {
        let problems = checked(&format!("{rest}{}", event(written))).map(|_| ()).expect_err(message);
        let rendered = problems.render(false, 200);
        assert!(rendered.contains(message), "{message}: {rendered}");
        assert!(problems.0.iter().all(|problem| problem.place.is_some()), "{rendered}");
    }
}
