//! Invalid scenarios.

use crate::support::scenario;
use crate::switched_lan::template;

/// The errors that the network reports.
fn errors(text: &str, edits: &[(&str, &str)]) -> String {
    let scenario = match scenario(text, edits) {
        Ok(scenario) => scenario,
        Err(problems) => return problems.to_string(),
    };
    match crate::support::model(&scenario) {
        Ok(_) => panic!("{edits:?} is accepted"),
        Err(problems) => problems.to_string(),
    }
}

fn rejects(text: &str, edits: &[(&str, &str)], to: &str) {
    let found = errors(text, edits);
    assert!(found.contains(to), "{edits:?}: {found}");
}

#[test]
fn a_medium_joins_two_stations_or_a_switch_and_its_hosts() {
    rejects(
        &template().replace("name = \"client\"\non = \"left\"", "name = \"client\"\non = \"trunk\""),
        &[],
        "medium `trunk` has 2 switches and 1 host",
    );
    rejects(&template(), &[("station.client.on", "[\"left\", \"right\"]")], "host `client` has 2 links");
}

#[test]
fn flows_are_between_hosts_with_a_path() {
    rejects(&template(), &[("probe.to", "s2")], "`s2` is not a host");
    rejects(&template(), &[("probe.to", "client")], "`client` would send to itself");
    rejects(&template(), &[("probe.to", "receiver")], "`to` names 3 hosts");
    let islands = template()
        .replace("on = [\"right\", \"trunk\"]", "on = [\"right\"]")
        .replace("on = [\"left\", \"trunk\"]", "on = [\"left\"]");
    let islands = islands.replace("[[medium]]\nname = \"trunk\"\n", "");
    rejects(&islands, &[], "no path from `client` to `server`");
}

#[test]
fn a_probe_has_two_ends() {
    rejects(&template().replace("to = \"server\"\n", ""), &[], "[probe] has `from` but not `to`");
}

#[test]
fn what_a_frame_holds_fits_the_mtu() {
    rejects(
        &template(),
        &[("probe.size", "9161 B")],
        "a datagram of 9161 bytes and its headers exceed the MTU of 9188 bytes",
    );
    rejects(&template(), &[("station.tcp.mss", "9149 B")], "a segment of 9149 bytes and its headers exceed the MTU");
    rejects(
        &template(),
        &[("lan.framing", "packets"), ("station.tcp.mss", "1461 B")],
        "a segment of 1461 bytes and its headers exceed the MTU of 1500 bytes",
    );
}

#[test]
fn a_vci_is_used_once_on_a_link() {
    rejects(
        &template(),
        &[("probe.vci", "101"), ("background.vci", "100")],
        "the virtual circuits client to server and sender-2 to receiver-2 have the same VCI 101 on",
    );
    rejects(&template(), &[("background.vci", "65534")], "the flow needs VCIs above 65 535");
    let shared = template()
        + "[[flow]]\nname = \"too\"\nfrom = \"client\"\nto = \"server\"\nservice = \"bulk\"\nservice_category = \"abr\"\n";
    rejects(&shared, &[], "flows between the same hosts share a virtual circuit but set different parameters for it");
}

#[test]
fn a_flow_name_is_used_once() {
    let text = template() + "[[flow]]\nname = \"probe\"\nfrom = \"sender\"\nto = \"receiver\"\nservice = \"echo\"\n";
    rejects(&text, &[], "two flows are called `probe`");
}

#[test]
fn parameters_outside_their_ranges_are_rejected_with_the_range() {
    rejects(&template(), &[("abr.icr", "156 Mbit/s")], "the initial cell rate (icr) is above the peak cell rate (pcr)");
    rejects(&template(), &[("abr.nrm", "33")], "one of 2, 4, 8, 16, 32, 64, 128, 256");
    rejects(&template(), &[("station.switch.buffer", "0 cells")], "`buffer` is 0 cells, outside its range");
    rejects(&template(), &[("station.switch.buffer", "1.5 cells")], "`buffer` is not a whole number of cells");
    rejects(&template(), &[("probe.size", "64.5 B")], "`size` is not a whole number");
    rejects(&template(), &[("lan.mtu", "9188.5 B")], "`mtu` is not a whole number");
    rejects(
        &template(),
        &[("abr.mcr", "11 Mbit/s")],
        "the minimum cell rate (mcr) is above the initial cell rate (icr)",
    );
    rejects(&template(), &[("abr.rdf", "16")], "rdf = 16 would decrease the rate by more than all of it");
    rejects(&template(), &[("abr.mrm", "32")], "mrm = 32 is not below nrm = 32");
    rejects(&template(), &[("lan.mtu", "70 kB")], "outside its range");
}

#[test]
fn marking_ends_below_its_threshold_and_early_discard_begins_below_the_buffer() {
    rejects(
        &template(),
        &[("station.switch.marking_ends", "501 cells")],
        "marking ends at 501 cells, above its threshold of 500",
    );
    let early = ("station.switch.discard", "early-packet");
    rejects(
        &template(),
        &[early, ("station.switch.discard_threshold", "13001 cells")],
        "the threshold of 13001 cells exceeds the buffer",
    );
    rejects(&template(), &[early, ("station.switch.buffer", "unlimited")], "an unlimited buffer needs a threshold");
}

#[test]
fn a_key_that_the_framing_of_the_lan_would_ignore_is_refused_where_it_is_written() {
    let flow =
        "[[flow]]\nname = \"calls\"\nfrom = \"client\"\nto = \"server\"\nservice = \"stream\"\ndscp = 46\npcp = 5\n";
    let queue = "name = \"trunk\"\nqueue = { kind = \"priority\" }\nmtu = \"9000 B\"\njitter = \"1 ms\"\n";
    let text = template().replace("name = \"trunk\"\n", queue) + flow;
    let found = errors(&text, &[]);
    for (key, line) in
        [("queue", "queue = {"), ("mtu", "mtu = "), ("jitter", "jitter = "), ("dscp", "dscp = "), ("pcp", "pcp = ")]
    {
        assert!(found.contains(&format!("`{key}` is of packets, and this LAN carries cells")), "{key}: {found}");
        let at = text.lines().position(|written| written.starts_with(line)).expect("it is written") + 1;
        assert!(found.contains(&format!(":{at}:")), "{key} at line {at}: {found}");
    }
    assert!(found.contains("leave it out, or write framing = \"packets\" in [lan]"), "{found}");
    assert!(found.contains("the MTU of virtual circuits is `mtu` of [lan]"), "{found}");
    let packets = ("lan.framing", "packets");
    let of_cells = [
        ("lan.circuits", "per-flow"),
        ("abr.icr", "5 Mbit/s"),
        ("probe.vci", "200"),
        ("station.switch.buffer", "100 cells"),
        ("station.s1.switch.rate_control", "erica"),
    ];
    for (key, value) in of_cells {
        let name = key.rsplit('.').next().expect("a key");
        rejects(&template(), &[packets, (key, value)], &format!("`{name}` is of cells, and this LAN carries packets"));
    }
    // the latency of a switch is of both, and a key that is written as it is by default asks for nothing
    let ours = [packets, ("station.switch.latency", "5 µs"), ("lan.service", "ubr")];
    assert!(scenario(&template(), &ours).is_ok());
}

#[test]
fn a_key_that_the_service_of_a_flow_would_ignore_is_refused_with_the_services_that_obey_it() {
    let flow = |service: &str, keys: &str| {
        let flow =
            format!("[[flow]]\nname = \"more\"\nfrom = \"client\"\nto = \"server\"\nservice = \"{service}\"\n{keys}\n");
        template() + &flow
    };
    for (service, key, value, obeyed) in [
        ("bulk", "think", "\"1 s\"", "\"echo\" or \"request\""),
        ("bulk", "size", "\"100 B\"", "\"echo\" or \"request\" or \"stream\""),
        ("echo", "write", "\"100 B\"", "\"bulk\" or \"request\""),
        ("echo", "connection", "\"established\"", "\"bulk\" or \"request\""),
        ("echo", "arrivals", "{ kind = \"poisson\", interval = \"1 s\" }", "\"stream\""),
        ("request", "timeout", "\"1 s\"", "\"echo\""),
        ("bulk", "server_time", "\"1 ms\"", "\"echo\" or \"request\""),
    ] {
        let text = flow(service, &format!("{key} = {value}"));
        rejects(&text, &[], &format!("`{key}` is of service {obeyed}, and this is \"{service}\""));
    }
    assert!(scenario(&flow("bulk", "size = \"64 B\"\ntimeout = \"2 s\""), &[]).is_ok(), "as they are by default");
    let obeyed = "think = \"1 s\"\nwrite = \"100 B\"\nconnection = \"established\"\nserver_time = \"1 ms\"";
    assert!(scenario(&flow("request", obeyed), &[]).is_ok());
}
