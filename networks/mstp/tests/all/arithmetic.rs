//! Rotations and exchanges that can be computed by hand: characters of 10 bits, a token of 8 octets.

use sojourn_model::testing::value;

use crate::support::metrics;

/// A flow that sends nothing while anybody looks: a scenario has one.
pub const QUIET: &str = "[[flow]]\nname = \"quiet\"\nfrom = \"node-1\"\nto = \"node-2\"\n\
                         arrivals = { kind = \"periodic\", interval = \"1 s\", delay = \"100 day\" }\n";

/// Masters at addresses from 0 on, without gaps and without traffic but for the flow that is given.
pub fn trunk(masters: u32, bit_rate: u32, latency: &str, more: &str) -> String {
    let highest = masters - 1;
    let more = if more.is_empty() { QUIET } else { more };
    format!(
        "[network]\nkind = \"mstp\"\n[trunk]\nbit_rate = \"{bit_rate} bit/s\"\n[[station]]\nname = \"node\"\ncount = {masters}\n\
         max_master = {highest}\n[station.costs]\ntoken_latency = \"{latency}\"\nreply_latency = \"5 ms\"\n{more}\
         [run]\nduration = \"20 s\"\nwarm_up = \"10 s\"\n"
    )
}

fn rotation(masters: u32, bit_rate: u32, latency: &str) -> [f64; 3] {
    let observed = metrics(&trunk(masters, bit_rate, latency, ""), &[]);
    ["mean", "min", "max"].map(|field| value(&observed, "token_rotation", field))
}

fn assert_within_a_nanosecond(seen: f64, expected: f64) {
    assert!((seen - expected).abs() < 1e-9, "{seen} s, not {expected} s");
}

#[test]
fn an_idle_rotation_is_that_of_the_table_of_tokens_and_latencies() {
    for (masters, bit_rate, latency, latency_s) in [
        (32, 38_400, "3 ms", 3e-3),
        (32, 38_400, "10 ms", 10e-3),
        (64, 38_400, "3 ms", 3e-3),
        // the turnaround of 40 bits is longer than the latency
        (8, 9_600, "0 s", 40.0 / 9_600.0),
        (8, 76_800, "0 s", 40.0 / 76_800.0),
        (8, 115_200, "0 s", 40.0 / 115_200.0),
    ] {
        let token = 80.0 / f64::from(bit_rate);
        let expected = f64::from(masters) * (token + latency_s);
        rotation(masters, bit_rate, latency).into_iter().for_each(|seen| assert_within_a_nanosecond(seen, expected));
    }
}

#[test]
fn published_rotations_are_met_to_a_tenth_of_a_millisecond() {
    // 32 masters at 38400 bit/s: 162.7 ms with 3 ms, 386.7 ms with 10 ms; 64 masters 325.3 ms
    for (masters, latency, millis) in [(32, "3 ms", 162.7), (32, "10 ms", 386.7), (64, "3 ms", 325.3)] {
        let [mean, ..] = rotation(masters, 38_400, latency);
        assert!((mean * 1e3 - millis).abs() < 0.05, "{mean}");
    }
}

#[test]
fn an_exchange_of_read_property_takes_its_characters_and_the_server() {
    let flow = "[[flow]]\nname = \"read\"\nfrom = \"node-1\"\nto = \"node-2\"\narrivals = { kind = \"periodic\", interval = \"1 s\" }\n\
                probe = true\n";
    for (bit_rate, latency) in [(9_600, 3e-3), (38_400, 3e-3), (76_800, 3e-3), (115_200, 3e-3)] {
        let observed = metrics(&trunk(4, bit_rate, "3 ms", flow), &[]);
        let octets = |octets: f64| octets * 10.0 / f64::from(bit_rate);
        // 23 and 29 octets, the server's 5 ms between them
        let mean = |component: &str| value(&observed, &format!("delay_budget/{component}"), "mean");
        assert_within_a_nanosecond(mean("request"), octets(23.0));
        assert_within_a_nanosecond(mean("server"), 5e-3);
        assert_within_a_nanosecond(mean("reply"), octets(29.0));
        let wait = value(&observed, "delay_budget/token-wait", "mean");
        let rotation = 4.0 * (octets(8.0) + latency);
        assert!(wait < rotation + octets(52.0) + 8e-3, "{wait}");
    }
}

#[test]
fn a_rotation_with_one_exchange_is_longer_by_the_time_that_it_holds_the_token() {
    // one request after the other: each rotation has one, of 5.99 + 5 + 7.55 + 1.04 ms at 38400 bit/s with an ideal client
    let flow = "[[flow]]\nname = \"read\"\nfrom = \"node-1\"\nto = \"node-2\"\narrivals = { kind = \"saturating\" }\nprobe = true\n";
    let observed = metrics(&trunk(2, 38_400, "0 s", flow), &[]);
    let octets = |octets: f64| octets * 10.0 / 38_400.0;
    let (token, turnaround) = (octets(8.0), 40.0 / 38_400.0);
    let exchange = octets(23.0) + 5e-3 + octets(29.0) + turnaround;
    assert!((exchange * 1e3 - 19.6).abs() < 0.05);
    let expected = 2.0 * (token + turnaround) + exchange;
    assert_within_a_nanosecond(value(&observed, "token_rotation", "mean"), expected);
}

#[test]
fn a_gap_of_96_addresses_lengthens_the_mean_rotation_as_computed() {
    // 31 to 127: 96 of 145 tokens of that node are followed by a poll of 2.083 ms and a wait of 20 ms
    let text = trunk(32, 38_400, "3 ms", "").replace("max_master = 31", "max_master = 127");
    // as many whole sweeps as fit: 145 rotations of 177.3 ms are 25.7 s
    let edits = [("station.node.timers.usage_timeout", "20 ms"), ("run.duration", "257 s"), ("run.warm_up", "30 s")];
    let mean = value(&metrics(&text, &edits), "token_rotation", "mean");
    assert!((mean * 1e3 - 177.3).abs() < 0.3, "{mean}");
}

#[test]
fn a_lone_master_with_a_slave_needs_no_token() {
    let text = "[network]\nkind = \"mstp\"\n[[station]]\nname = \"client\"\n[[station]]\nname = \"sensor\"\ntype = \"slave\"\n\
                [[flow]]\nname = \"read\"\nfrom = \"client\"\nto = \"sensor\"\narrivals = { kind = \"periodic\", interval = \"1 s\" }\n\
                probe = true\n[run]\nduration = \"60 s\"\nwarm_up = \"10 s\"\n";
    let observed = metrics(text, &[]);
    assert_eq!(value(&observed, "loss", "value"), 0.0);
    assert_eq!(value(&observed, "token_rate", "value"), 0.0);
    // it waits for the pending poll
    let wait = value(&observed, "delay_budget/token-wait", "mean");
    assert!(wait > 5e-3 && wait < 37.1e-3, "{wait}");
}
