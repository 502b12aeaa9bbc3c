//! Scenarios that cannot be.

use crate::support::scenario;
use crate::template;

/// What the network objects to.
fn objections(text: &str, edits: &[(&str, &str)]) -> String {
    let scenario = match scenario(text, edits) {
        Ok(scenario) => scenario,
        Err(problems) => return problems.to_string(),
    };
    let network = sojourn_networks::find(scenario.kind).expect("a registered network");
    match network.model(&scenario) {
        Ok(_) => panic!("{edits:?} is no mistake"),
        Err(problems) => problems.to_string(),
    }
}

fn objects(text: &str, edits: &[(&str, &str)], to: &str) {
    let found = objections(text, edits);
    assert!(found.contains(to), "{edits:?}: {found}");
}

#[test]
fn a_medium_joins_two_stations_or_a_switch_and_its_hosts() {
    objects(
        &template().replace("name = \"client\"\non = \"left\"", "name = \"client\"\non = \"trunk\""),
        &[],
        "medium `trunk` has 2 switches and 1 host",
    );
    objects(&template(), &[("station.client.on", "[\"left\", \"right\"]")], "host `client` has 2 links");
}

#[test]
fn flows_are_between_hosts_that_reach_each_other() {
    objects(&template(), &[("probe.to", "s2")], "`s2` is no host");
    objects(&template(), &[("probe.to", "client")], "`client` would talk to itself");
    objects(&template(), &[("probe.to", "receiver")], "`to` names 3 hosts");
    let islands = template()
        .replace("on = [\"right\", \"trunk\"]", "on = [\"right\"]")
        .replace("on = [\"left\", \"trunk\"]", "on = [\"left\"]");
    let islands = islands.replace("[[medium]]\nname = \"trunk\"\n", "");
    objects(&islands, &[], "there is no way from `client` to `server`");
}

#[test]
fn a_probe_has_two_ends() {
    objects(&template().replace("to = \"server\"\n", ""), &[], "[probe] has `from` and needs `to`");
}

#[test]
fn what_a_frame_holds_fits_the_mtu() {
    objects(
        &template(),
        &[("probe.size", "9161 B")],
        "a datagram of 9161 bytes and its headers exceed the MTU of 9188 bytes",
    );
    objects(
        &template(),
        &[("station.tcp.maximum_segment_size", "9149 B")],
        "a segment of 9149 bytes and its headers exceed the MTU",
    );
    objects(
        &template(),
        &[("lan.framing", "packets"), ("station.tcp.maximum_segment_size", "1461 B")],
        "a segment of 1461 bytes and its headers exceed the MTU of 1500 bytes",
    );
}

#[test]
fn a_number_of_a_circuit_is_used_once_on_a_link() {
    objects(
        &template(),
        &[("probe.virtual_channel", "101"), ("background.virtual_channel", "100")],
        "the circuits client to server and sender-2 to receiver-2 have the number 101 on the same link",
    );
    objects(&template(), &[("background.virtual_channel", "65534")], "numbers of circuits end at 65 535");
    let shared = template()
        + "[[flow]]\nname = \"too\"\nfrom = \"client\"\nto = \"server\"\nservice = \"bulk\"\nservice_category = \"abr\"\n";
    objects(&shared, &[], "flows between the same hosts share a circuit, and want different things of it");
}

#[test]
fn a_name_of_a_flow_is_given_once() {
    let text = template() + "[[flow]]\nname = \"probe\"\nfrom = \"sender\"\nto = \"receiver\"\nservice = \"echo\"\n";
    objects(&text, &[], "two flows are called `probe`");
}

#[test]
fn parameters_outside_their_ranges_are_refused_with_the_range() {
    objects(&template(), &[("abr.initial_rate", "156 Mbit/s")], "the rate at first is above the peak rate");
    objects(&template(), &[("abr.cells_per_forward", "33")], "one of 2, 4, 8, 16, 32, 64, 128, 256");
    objects(&template(), &[("station.switch.buffer", "0 cells")], "`buffer` is 0 cells, outside its range");
    objects(&template(), &[("station.switch.buffer", "1.5 cells")], "`buffer` is no whole number of cells");
    objects(&template(), &[("probe.size", "64.5 B")], "`size` is not a whole number");
    objects(&template(), &[("lan.mtu", "9188.5 B")], "`mtu` is not a whole number");
    objects(
        &template(),
        &[("abr.minimum_rate", "11 Mbit/s")],
        "the rate that is always allowed is above the one at first",
    );
    objects(&template(), &[("abr.decrease_divisor", "16")], "a divisor of 16 takes more than the whole rate");
    objects(&template(), &[("abr.least_cells_per_forward", "32")], "32 cells never lie between forward cells");
    objects(&template(), &[("lan.mtu", "70 kB")], "outside its range");
}

#[test]
fn marks_end_below_where_they_begin_and_packets_are_refused_while_there_is_room() {
    objects(&template(), &[("station.switch.marking_ends", "501 cells")], "marking cannot end at 501 cells");
    let early = ("station.switch.discard", "early-packet");
    objects(&template(), &[early, ("station.switch.discard_threshold", "13001 cells")], "never holds 13001");
    objects(&template(), &[early, ("station.switch.buffer", "unlimited")], "an unlimited buffer needs a threshold");
}
