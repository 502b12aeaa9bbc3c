//! Stations, rings and flows of FDDI that obey the events of a scenario.

use sojourn_metrics::record::Record;

use crate::support::{Metrics, event, mean_level, record, requests, scenario, value};

/// A client that asks a server a hundred times a second, beside a third station.
const SITE: &str = r#"
    [network]
    kind = "fddi"
    [[medium]]
    name = "ring"
    length = "10 km"
    [[station]]
    name = "client"
    on = "ring"
    clock_tick = "0 s"
    costs = { send_packet = "10 us", receive_packet = "10 us", per_byte = "0 s", send_control = "10 us", receive_control = "10 us", adapter_copy_per_byte = "0 s" }
    [[station]]
    name = "server"
    on = "ring"
    costs = { send_packet = "10 us", receive_packet = "10 us", per_byte = "0 s", send_control = "10 us", receive_control = "10 us", adapter_copy_per_byte = "0 s" }
    [[station]]
    name = "other"
    on = "ring"
    [run]
    duration = "30 s"
    warm_up = "1 s"
"#;

fn queries(transport: &str) -> String {
    format!(
        r#"
        [[flow]]
        name = "query"
        from = "client"
        to = "server"
        traffic = "messages"
        arrivals = {{ kind = "periodic", interval = "10 ms" }}
        data = "200 B"
        transport = "{transport}"
        probe = true
        "#
    )
}

const TRANSFER: &str = r#"
    [[flow]]
    name = "transfer"
    from = "client"
    to = "server"
    traffic = "bulk"
    class = "asynchronous"
    data = "4096 B"
"#;

const CALL: &str = r#"
    [[flow]]
    name = "call"
    from = "client"
    to = "server"
    traffic = "voice"
    samples = 160
    playout_delay = "40 ms"
    fifo_packets = 10
    codec = "g711"
    transport = "datagram"
"#;

fn run(parts: &[&str]) -> Record {
    record(&parts.concat(), &[])
}

fn of(record: &Record) -> Metrics {
    sojourn_metrics::merge::merge(std::slice::from_ref(record)).into_iter().collect()
}

#[test]
fn what_waits_while_the_ring_is_down_is_sent_when_it_has_recovered() {
    let down = event("at = \"10 s\"\nduration = \"1 s\"\nmedia = \"ring\"\naction = \"down\"");
    let found = run(&[SITE, &queries("datagram"), &down]);
    let [sent, answered] = requests(&found, 1.0, 31.0);
    assert_eq!((sent, answered), (3000, 3000), "an adapter keeps what waits for the token");
    let metrics = of(&found);
    // the first that waits is sent at 10 s or up to 10 ms later, and goes on when a claim has followed the beacons
    let longest = value(&metrics, "response_time", "max");
    assert!((0.99..1.001).contains(&longest), "{longest}");
    let recovery = found.distribution("recovery_time/it");
    assert_eq!((recovery.count(), recovery.censored()), (1, 0));
    // a hundred that waited, one for each token, and ten within the level of before
    let after = recovery.max().unwrap().seconds() - 1.0;
    assert!((0.0..0.05).contains(&after), "{after}");
    // one claim after the beacons; the first is before the warm-up's end
    assert_eq!(value(&metrics, "claims", "value"), 1.0);
}

#[test]
fn a_short_interruption_costs_a_token_and_the_timers_that_miss_it() {
    let down = event("at = \"10 s\"\nduration = \"1 ms\"\nmedia = \"ring\"\naction = \"down\"");
    let found = run(&[SITE, &queries("datagram"), &down]);
    let metrics = of(&found);
    assert_eq!((value(&metrics, "tokens_lost", "value"), value(&metrics, "claims", "value")), (1.0, 1.0));
    let longest = value(&metrics, "response_time", "max");
    assert!(longest < 4e-3, "TVX of 2.5 ms, a claim and two rotations: {longest}");
}

#[test]
fn a_station_without_power_hears_nothing_and_the_ring_loses_only_the_time_of_the_bypass() {
    let off = event("at = \"10 s\"\nduration = \"5 s\"\nstations = \"server\"\naction = \"power-down\"");
    let others = r#"
        [[flow]]
        name = "others"
        from = "client"
        to = "other"
        traffic = "messages"
        arrivals = { kind = "periodic", interval = "10 ms" }
        data = "200 B"
        transport = "datagram"
        probe = true
        "#;
    let lost = run(&[SITE, &queries("datagram"), &off]);
    let [sent, answered] = requests(&lost, 10.0, 15.0);
    assert!((499..=501).contains(&sent) && answered == 0, "{answered} of {sent}");
    let [sent, answered] = requests(&lost, 15.0, 31.0);
    assert_eq!(sent, answered, "all is answered with power");
    // just before one is sent
    let passed = run(&[SITE, others, &off.replace("10 s", "10.009 s")]);
    let [sent, answered] = requests(&passed, 1.0, 30.0);
    assert_eq!(sent, answered);
    let longest = value(&of(&passed), "response_time", "max");
    // 25 ms of the bypass, and the ring's recovery; the receiver's CPU takes 1.5 ms
    assert!((0.026..0.027).contains(&longest), "{longest}");
    let metrics = of(&passed);
    assert_eq!(value(&metrics, "claims", "value"), 2.0, "as it leaves and as it enters");
}

#[test]
fn xtp_opens_its_associations_anew_after_either_end_was_off() {
    for station in ["client", "server"] {
        let off =
            event(&format!("at = \"10 s\"\nduration = \"2 s\"\nstations = \"{station}\"\naction = \"power-down\""));
        let found = run(&[SITE, TRANSFER, &off]);
        let throughput = |from, to| mean_level(&found, "throughput/timeline", from, to);
        let before = throughput(2.0, 10.0);
        assert!(before > 10e6, "{before}");
        assert_eq!(throughput(10.1, 12.0), 0.0, "{station}");
        let after = throughput(16.0, 31.0);
        assert!((after / before - 1.0).abs() < 0.01, "{station}: {after} bit/s, before {before}");
    }
}

#[test]
fn queries_over_xtp_that_a_restart_breaks_off_are_lost_and_the_next_ones_answered() {
    let restart = event("at = \"10 s\"\nstations = \"server\"\naction = \"restart\"");
    let found = run(&[SITE, &queries("xtp"), &restart]);
    let [sent, answered] = requests(&found, 1.0, 10.0);
    assert_eq!(sent, answered);
    // three wait for the bypass and are lost with the association; then all are answered
    let [sent, answered] = requests(&found, 10.0, 31.0);
    assert_eq!((sent - answered, value(&of(&found), "failures", "value")), (3, 3.0));
    let recovery = found.distribution("recovery_time/it");
    assert_eq!((recovery.count(), recovery.censored()), (1, 0));
}

#[test]
fn a_flow_that_stops_sends_nothing_until_it_starts_and_a_station_that_is_switched_on_begins_then() {
    let stop = event("at = \"10 s\"\nduration = \"5 s\"\nflows = \"query\"\naction = \"stop\"");
    let found = run(&[SITE, &queries("datagram"), &stop]);
    assert_eq!(requests(&found, 10.0, 15.0), [0, 0]);
    assert_eq!(requests(&found, 1.0, 10.0), [900, 900]);
    assert_eq!(requests(&found, 15.0, 31.0), [1600, 1600]);
    let on = event("at = \"10 s\"\nstations = \"client\"\naction = \"power-up\"");
    for transport in ["datagram", "xtp"] {
        let found = run(&[SITE, &queries(transport), &on]);
        assert_eq!(requests(&found, 1.0, 10.0), [0, 0], "{transport}");
        assert_eq!(requests(&found, 10.0, 31.0), [2100, 2100], "{transport}");
    }
}

#[test]
fn a_closed_loop_has_one_message_in_flight_and_goes_on_as_before_after_what_breaks_it() {
    let breaks = [
        "flows = \"query\"\naction = \"stop\"",
        "stations = \"client\"\naction = \"power-down\"",
        "stations = \"server\"\naction = \"power-down\"",
        "media = \"ring\"\naction = \"down\"",
    ];
    let paced = "kind = \"periodic\", interval = \"10 ms\"";
    for transport in ["datagram", "xtp"] {
        let closed = queries(transport).replace(paced, "kind = \"saturating\", think = \"5 ms\"");
        for broken in breaks {
            let found = run(&[SITE, &closed, &event(&format!("at = \"10 s\"\nduration = \"2 s\"\n{broken}"))]);
            let [sent, answered] = requests(&found, 2.0, 9.0);
            // 5 ms of thought, and less than half a millisecond of ring and processors
            assert!((1270..1400).contains(&sent) && sent.abs_diff(answered) <= 1, "{answered} of {sent}");
            let [again, answered] = requests(&found, 22.0, 29.0);
            assert!(
                again.abs_diff(sent) <= 5 && again.abs_diff(answered) <= 1,
                "{transport}, {broken}: {again}, not {sent}"
            );
        }
        let burst = event("at = \"10 s\"\nflows = \"query\"\naction = \"burst\"\nsize = 20");
        let found = run(&[SITE, &closed, &burst]);
        let [[before, _], [after, _]] = [requests(&found, 2.0, 9.0), requests(&found, 12.0, 19.0)];
        assert!(before.abs_diff(after) <= 5, "{transport}: {before}, after a burst {after}");
    }
}

#[test]
fn a_burst_is_that_many_messages_at_once_and_the_last_waits_for_all_before_it() {
    let burst = event("at = \"10 s\"\nflows = \"query\"\naction = \"burst\"\nsize = 100");
    let found = run(&[SITE, &queries("datagram"), &burst]);
    assert_eq!(requests(&found, 1.0, 31.0), [3100, 3100]);
    let longest = value(&of(&found), "response_time", "max");
    // a packet for each token: the ring latency, the token and the frame of 253 octets with its preamble and delimiters
    let each = 10.0 * 5.085e-6 + 4.0 * 1e-6 + 0.88e-6 + 264.0 * 80e-9;
    assert!((longest / (100.0 * each) - 1.0).abs() < 0.05, "{longest} and not {}", 100.0 * each);
}

#[test]
fn a_call_pauses_while_its_flow_is_stopped_and_is_lost_while_its_gateway_is_off() {
    let quiet = |keys: &str| of(&run(&[SITE, CALL, &event(keys)]));
    let loss = |metrics: &Metrics| value(metrics, "play_out_loss", "value");
    let stopped = quiet("at = \"10 s\"\nduration = \"5 s\"\nflows = \"call\"\naction = \"stop\"");
    assert_eq!(loss(&stopped), 0.0, "a pause is not a loss");
    for station in ["client", "server"] {
        let off =
            quiet(&format!("at = \"10 s\"\nduration = \"6 s\"\nstations = \"{station}\"\naction = \"power-down\""));
        assert!((loss(&off) - 0.2).abs() < 0.01, "6 of 30 s without the {station}: {}", loss(&off));
    }
}

#[test]
fn keys_that_change_do_so_until_the_end_of_the_event() {
    let noise =
        event("at = \"10 s\"\nduration = \"10 s\"\naction = \"set\"\nset = { \"impairment.frame_loss\" = \"25 %\" }");
    let found = run(&[SITE, &queries("datagram"), &noise]);
    let [sent, answered] = requests(&found, 10.0, 20.0);
    assert!((0.70..0.80).contains(&(answered as f64 / sent as f64)), "{answered} of {sent}");
    assert_eq!(requests(&found, 20.0, 31.0), [1100, 1100]);
    let load = "[background]\nrate = \"50 Mbit/s\"\nclass = \"asynchronous\"\n";
    let busy = |found: &Record| value(&of(found), "utilisation", "value");
    let off = event("at = \"16 s\"\naction = \"set\"\nset = { \"background.rate\" = \"0 bit/s\" }");
    let [all, half] = ["", &off].map(|event| busy(&run(&[SITE, &queries("datagram"), load, event])));
    assert!((half / all - 0.5).abs() < 0.01, "{half} of {all}");
    let tokens = event("at = \"11 s\"\naction = \"set\"\nset = { \"impairment.token_loss\" = \"10 /s\" }");
    let lost = value(&of(&run(&[SITE, &queries("datagram"), &tokens])), "tokens_lost", "value");
    assert!((150.0..250.0).contains(&lost), "10 a second for 20 s: {lost}");
}

#[test]
fn exchanges_of_probed_voice_go_on_after_a_restart_until_the_run_ends() {
    let voice = "[network]\nkind = \"fddi\"\n[voice]\nsamples = 64\n[probe]\nexchanges = 10\ntransfer = \"0 B\"\npaced = \"0 s\"\n[run]\nduration = \"20 s\"\nwarm_up = \"1 s\"\n";
    let restart = event("at = \"10 s\"\nstations = \"receiver\"\naction = \"restart\"");
    let found = run(&[voice, &restart]);
    let before = requests(&found, 1.0, 10.0);
    let after = requests(&found, 12.0, 21.0);
    assert!(before[0] > 1000 && before[0] - before[1] <= 1, "{before:?}: one is open at the event");
    let difference = before[0].abs_diff(after[0]);
    assert!(difference < 10, "{before:?} exchanges before, {after:?} after");
    assert!((1.0..3.0).contains(&value(&of(&found), "failures", "value")));
}

#[test]
fn an_event_that_changes_nothing_leaves_response_times_as_they_are() {
    let nothing = event("at = \"10 s\"\naction = \"set\"\nset = { \"impairment.frame_loss\" = \"0 %\" }");
    let parts = [queries("xtp"), TRANSFER.to_owned(), CALL.to_owned()].concat();
    let [plain, timed] = [run(&[SITE, &parts]), run(&[SITE, &parts, &nothing])];
    assert_eq!(plain.distribution("response_time"), timed.distribution("response_time"));
    assert_eq!(plain.metrics["play_out_delay"], timed.metrics["play_out_delay"]);
    assert_eq!(plain.metrics["throughput"], timed.metrics["throughput"]);
}

#[test]
fn what_fddi_cannot_obey_is_refused() {
    let refused = |parts: &[&str]| {
        let checked = scenario(&parts.concat(), &[]);
        let model = checked.and_then(|scenario| crate::support::model(&scenario).map(|_| ()));
        model.expect_err("refused").render(false, 120)
    };
    let burst = event("at = \"10 s\"\nflows = \"transfer\"\naction = \"burst\"");
    assert!(refused(&[SITE, TRANSFER, &burst]).contains("`transfer` sends no messages"));
    let load = event("at = \"10 s\"\naction = \"set\"\nset = { \"background.rate\" = \"10 Mbit/s\" }");
    assert!(refused(&[SITE, &queries("xtp"), &load]).contains("the ring has no generator"));
    let ttrt = event("at = \"10 s\"\naction = \"set\"\nset = { \"medium.ring.ttrt\" = \"10 ms\" }");
    assert!(refused(&[SITE, &queries("xtp"), &ttrt]).contains("frame_loss of [impairment]"));
}
