//! Requests and their replies: habits, routers, sizes, budgets.

use sojourn_model::testing::value;

use crate::arithmetic::trunk;
use crate::support::{metrics, record};

fn flow(service: &str, arrivals: &str) -> String {
    format!(
        "[[flow]]\nname = \"f\"\nfrom = \"node-1\"\nto = \"node-2\"\nservice = \"{service}\"\narrivals = {arrivals}\nprobe = true\n"
    )
}

const EVERY_SECOND: &str = "{ kind = \"periodic\", interval = \"1 s\" }";

#[test]
fn a_reply_that_is_postponed_waits_for_the_servers_token() {
    let text = trunk(4, 38_400, "3 ms", &flow("read", EVERY_SECOND));
    for (habit, held) in [("postpone", 0.0), ("late", 0.245)] {
        let observed = metrics(&text, &[("station.node.reply", habit)]);
        assert_eq!(value(&observed, "postponed", "value"), 1.0, "{habit}");
        let server = value(&observed, "delay_budget/server", "mean");
        assert!((server - (5e-3_f64).max(held)).abs() < 1e-6, "{habit}: {server}");
        assert!(value(&observed, "delay_budget/postponed-wait", "mean") > 0.0);
        assert_eq!(value(&observed, "loss", "value"), 0.0);
    }
}

#[test]
fn a_reply_that_takes_longer_than_the_reply_delay_is_postponed_by_the_protocol() {
    let text = trunk(4, 38_400, "3 ms", &flow("read-multiple", EVERY_SECOND));
    let observed = metrics(&text, &[("station.node.costs.reply_latency", "400 ms")]);
    assert_eq!(value(&observed, "postponed", "value"), 1.0);
    assert!((value(&observed, "delay_budget/server", "mean") - 0.4).abs() < 1e-6);
    // a property more is a property later
    let edits = [("station.node.costs.reply_latency", "10 ms"), ("station.node.costs.reply_per_property", "2 ms")];
    assert!((value(&metrics(&text, &edits), "delay_budget/server", "mean") - 0.026).abs() < 1e-6);
}

#[test]
fn every_service_is_answered_and_none_is_lost() {
    for service in ["read", "read-multiple", "write", "cov", "cov-confirmed", "who-is"] {
        let observed = metrics(&trunk(4, 38_400, "3 ms", &flow(service, EVERY_SECOND)), &[]);
        assert_eq!(value(&observed, "loss", "value"), 0.0, "{service}");
        assert!(value(&observed, "response_time", "count") >= 19.0, "{service}");
    }
}

#[test]
fn every_arrival_process_sends() {
    for arrivals in [
        "{ kind = \"heartbeat\", max_interval = \"2 s\", min_interval = \"0.2 s\", change_interval = \"1 s\" }",
        "{ kind = \"poll\", cycle = \"1 s\" }",
        "{ kind = \"saturating\", think = \"0.5 s\" }",
        "{ kind = \"burst\", interval = \"5 s\", size = 3 }",
    ] {
        let observed = metrics(&trunk(4, 38_400, "3 ms", &flow("read", arrivals)), &[]);
        assert!(value(&observed, "response_time", "count") >= 8.0, "{arrivals}");
    }
}

#[test]
fn an_npdu_above_501_octets_goes_in_an_extended_frame() {
    let text = trunk(4, 38_400, "3 ms", &flow("read-multiple", EVERY_SECOND));
    let observed = metrics(&text, &[("flow.f.response_data", "1000 B")]);
    // 1000 octets, 4 codes, 5 of the CRC-32K and 8 of the header
    let expected = (1000.0 + 4.0 + 5.0 + 8.0) * 10.0 / 38_400.0;
    assert!((value(&observed, "delay_budget/reply", "mean") - expected).abs() < 1e-9);
}

#[test]
fn more_requests_than_may_be_outstanding_wait_in_the_client() {
    let burst = flow("read", "{ kind = \"burst\", interval = \"2 s\", size = 4 }");
    let text = trunk(4, 38_400, "3 ms", &burst);
    let (one, four) = (metrics(&text, &[]), metrics(&text, &[("flow.f.outstanding", "4")]));
    let queue = |observed| value(observed, "delay_budget/client-queue", "mean");
    assert!(queue(&one) > 0.02 && queue(&four) < queue(&one) / 2.0, "{} {}", queue(&one), queue(&four));
}

/// Two trunks and an IP network behind one router.
const SITE: &str = "[network]\nkind = \"mstp\"\n[[medium]]\nname = \"north\"\n[[medium]]\nname = \"south\"\nbit_rate = \"76800 bit/s\"\n\
    [[medium]]\nname = \"lan\"\ntype = \"ip\"\n[[station]]\nname = \"router\"\non = [\"north\", \"south\", \"lan\"]\nmax_info_frames = 10\nmax_master = 10\n\
    [[station]]\nname = \"n\"\ncount = 5\non = \"north\"\nmax_master = 10\n[[station]]\nname = \"s\"\ncount = 5\non = \"south\"\nmax_master = 10\n\
    [[station]]\nname = \"desk\"\non = \"lan\"\n[run]\nduration = \"60 s\"\nwarm_up = \"10 s\"\n";

fn between(from: &str, to: &str, service: &str) -> String {
    format!(
        "{SITE}[[flow]]\nname = \"f\"\nfrom = \"{from}\"\nto = \"{to}\"\nservice = \"{service}\"\narrivals = {EVERY_SECOND}\nprobe = true\n"
    )
}

#[test]
fn requests_pass_routers_between_trunks_and_to_and_from_an_ip_network() {
    for service in ["read", "cov", "who-is"] {
        for (from, to) in [("desk", "n"), ("n", "desk"), ("n", "s"), ("s", "router")] {
            let observed = metrics(&between(from, to, service), &[]);
            assert_eq!(value(&observed, "loss", "value"), 0.0, "{from} to {to}: {service}");
            assert!(value(&observed, "response_time", "count") > 50.0, "{from} to {to}: {service}");
        }
    }
}

#[test]
fn a_request_from_an_ip_network_carries_nine_octets_more_and_its_reply_ten() {
    // SNET, SLEN and six octets of SADR; DNET, DLEN, six octets of DADR and the hop count
    let observed = metrics(&between("desk", "n-1", "read"), &[]);
    let octet = 10.0 / 38_400.0;
    assert!((value(&observed, "delay_budget/request", "mean") - 32.0 * octet).abs() < 1e-9);
    assert!((value(&observed, "delay_budget/reply", "mean") - 39.0 * octet).abs() < 1e-9);
    assert!(value(&observed, "delay_budget/routers", "mean") > 1e-3);
    assert!((value(&observed, "delay_budget/ip-network", "mean") - 1e-3).abs() < 1e-4, "twice 500 us and the links");
}

#[test]
fn a_router_postpones_the_reply_of_another_network() {
    let observed = metrics(&between("n-1", "desk", "read"), &[]);
    // the workstation has no trunk: no reply of a station of trunks is postponed, and the token is not held for it
    assert!(!observed.contains_key("postponed"));
    assert!(value(&observed, "token_rotation/north", "max") < 0.15);
}

#[test]
fn noise_destroys_frames_and_retries_bring_the_requests_through() {
    let text = trunk(4, 38_400, "3 ms", &flow("read", EVERY_SECOND));
    let edits = [("trunk.bit_error_rate", "2e-4"), ("run.duration", "300 s")];
    let observed = metrics(&text, &edits);
    // 1 - (1 - 2e-4)^80 of the tokens are lost
    let damaged = value(&observed, "crc_error_rate", "value");
    assert!(damaged > 0.012 && damaged < 0.022, "{damaged}");
    assert!(value(&observed, "retries", "value") > 0.0 && value(&observed, "token_retries", "value") > 0.0);
    assert!(value(&observed, "loss", "value") < 0.02);
}

#[test]
fn the_same_seed_gives_the_same_record() {
    let text = between("desk", "n", "read-multiple");
    assert_eq!(record(&text, &[]), record(&text, &[]));
}
