//! Polls for masters: how many, and at which cost.

use sojourn_model::testing::value;

use crate::arithmetic::QUIET;
use crate::support::metrics;

/// Two masters, 0 and 1, up to Max_Master 9: master 1 has a gap of 8 addresses.
const GAP: &str = "[network]\nkind = \"mstp\"\n[trunk]\nbit_rate = \"115200 bit/s\"\n[[station]]\nname = \"node\"\ncount = 2\n\
                   max_master = 9\n[station.timers]\nusage_timeout = \"20 ms\"\n[station.costs]\ntoken_latency = \"0 s\"\n";

#[test]
fn the_share_of_tokens_with_a_poll_is_the_gap_over_the_gap_and_49_over_1e5_tokens() {
    // a rotation has 2 tokens, and on average 8/57 of a poll
    let octet = 10.0 / 115_200.0;
    let rotation = 2.0 * (8.0 * octet + 40.0 / 115_200.0) + 8.0 / 57.0 * (8.0 * octet + 20e-3);
    let text = format!("{GAP}{QUIET}[run]\nduration = \"{} s\"\nwarm_up = \"10 s\"\n", 1e5 * rotation);
    let observed = metrics(&text, &[]);
    let tokens = value(&observed, "token_rate", "value") * 1e5 * rotation / 2.0;
    let polls = value(&observed, "polls_for_master/node-2", "value");
    assert!((tokens - 1e5).abs() < 30.0, "{tokens}");
    // exact but for the sweep at each end
    assert!((polls - tokens * 8.0 / 57.0).abs() <= 8.0, "{polls} polls of {tokens} tokens");
    assert!(!observed.contains_key("polls_for_master/node-1"), "it has no gap");
}

#[test]
fn addresses_that_are_known_to_be_vacant_cost_less() {
    let run = "[run]\nduration = \"60 s\"\nwarm_up = \"10 s\"\n";
    let mean = |edits: &[(&str, &str)]| value(&metrics(&format!("{GAP}{QUIET}{run}"), edits), "token_rotation", "mean");
    let (known, unknown) = (mean(&[("station.node.timers.vacant_timeout", "0 s")]), mean(&[]));
    // 8 of 57 rotations wait 20 ms less
    assert!((unknown - known - 8.0 / 57.0 * 20e-3).abs() < 1e-4, "{unknown} - {known}");
}

#[test]
fn a_master_that_gets_power_is_found_by_the_one_before_it() {
    let event = "[[event]]\nname = \"on\"\nat = \"30 s\"\nstations = \"late\"\naction = \"power-up\"\n";
    let late = "[[station]]\nname = \"late\"\naddress = 5\nmax_master = 9\n";
    let flow = "[[flow]]\nname = \"read\"\nfrom = \"late\"\nto = \"node-1\"\narrivals = { kind = \"periodic\", interval = \"1 s\" }\nprobe = true\n";
    let run = "[run]\nduration = \"60 s\"\nwarm_up = \"0 s\"\n";
    let observed = metrics(&format!("{GAP}{late}{flow}{event}{run}"), &[]);
    let answered = value(&observed, "response_time", "count");
    assert!(answered >= 27.0, "{answered}");
}
