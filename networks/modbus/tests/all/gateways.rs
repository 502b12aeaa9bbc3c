//! Gateways from TCP to a line, and servers on TCP.

use super::support::*;

const GATEWAY: &str = include_str!("gateway.toml");

/// Clients that read four meters of 5 ms over a gateway, without randomness.
fn gateway(clients: u32) -> String {
    format!(
        r#"
        [network]
        kind = "modbus"

        [[medium]]
        name = "lan"
        mode = "tcp"
        bit_rate = "100 Mbit/s"
        delay = "0.2 ms"

        [[medium]]
        name = "line"
        bit_rate = "9600 bit/s"

        [[station]]
        name = "scada"
        count = {clients}
        on = "lan"

        [[station]]
        name = "gateway"
        on = ["lan", "line"]

        [[station]]
        name = "meter"
        count = 4
        on = "line"
        delay = "5 ms"

        [[flow]]
        name = "meters"
        from = "scada"
        to = "meter"
        count = 10
        timeout = "5 s"
        retries = 0
        arrivals = {{ kind = "poll", start = "at-once" }}

        [run]
        duration = "30 s"
        warm_up = "1 s"
        "#
    )
}

/// The transaction on the line.
const LINE: u64 = 9_166_666_666 + 28_645_833_333 + 2 * 4_010_416_666 + 5 * MILLISECOND;
/// A request of 12 octets and a response of 29 with 90 octets around each at 100 Mbit/s, and 0.2 ms in each direction.
const LINKS: u64 = (102 + 119) * 80_000 + 400_000_000;

#[test]
fn one_client_of_a_gateway_waits_for_the_line_and_the_links() {
    let record = record(&gateway(1), &[]);
    assert_eq!(extremes(&record, "response_time"), [LINE + LINKS; 2]);
    assert!((component_ms(&record, "gateway-queue")).abs() < 1e-9);
}

/// Three clients, one request each: in the steady state each waits for the line twice.
#[test]
fn the_line_behind_a_gateway_is_shared_by_its_clients() {
    let record = record(&gateway(3), &[]);
    let [least, most] = extremes(&record, "response_time");
    assert!(least > 3 * LINE - LINE / 10 && most < 3 * LINE + LINKS, "{least} to {most}, three times {LINE}");
    let queue = component_ms(&record, "gateway-queue");
    assert!((queue - 2.0 * LINE as f64 / MILLISECOND as f64).abs() < 1.0, "{queue} ms");
    assert_eq!(count(&record, "failures"), 0);
}

#[test]
fn a_gateway_answers_for_a_dead_server_after_its_own_timeout() {
    let event = "[[event]]\nname = \"dies\"\nat = \"0 s\"\nstations = \"meter-2\"\naction = \"power-down\"\n";
    let edits = [
        ("station.gateway.gateway.timeout", "300 ms"),
        ("station.gateway.gateway.retries", "1"),
        ("run.warm_up", "0 s"),
    ];
    let record = record(&(gateway(1) + event), &edits);
    let [_, most] = extremes(&record, "poll_cycle");
    // an exception has 9 octets in place of 29
    let dead = 2 * (300 * MILLISECOND + 9_166_666_666) + LINKS - 20 * 80_000;
    assert_eq!(most, 3 * (LINE + LINKS) + dead);
    assert!(count(&record, "failures") >= taken(&record, "poll_cycle"));
}

#[test]
fn a_client_that_gives_up_earlier_leaves_its_request_with_the_gateway() {
    let event = "[[event]]\nname = \"dies\"\nat = \"0 s\"\nstations = \"meter-2\"\naction = \"power-down\"\n";
    let edits = [("flow.meters.timeout", "200 ms"), ("station.gateway.gateway.timeout", "1 s"), ("run.warm_up", "0 s")];
    let record = record(&(gateway(1) + event), &edits);
    // the requests behind it time out as well while the line waits
    assert!(count(&record, "failures") > 2 * taken(&record, "poll_cycle"));
}

#[test]
fn a_full_gateway_refuses_requests() {
    let edits =
        [("station.scada.outstanding", "8"), ("station.gateway.gateway.queue", "1"), ("flow.meters.blocks", "4")];
    assert!(count(&record(&gateway(1), &edits), "failures") > 100);
    let edits =
        [("station.scada.outstanding", "8"), ("station.gateway.gateway.queue", "8"), ("flow.meters.blocks", "4")];
    assert_eq!(count(&record(&gateway(1), &edits), "failures"), 0);
}

#[test]
fn several_requests_at_a_time_hide_the_links_but_not_the_line() {
    let round = |outstanding: &str| {
        extremes(&record(&gateway(1), &[("station.scada.outstanding", outstanding)]), "poll_cycle")[1]
    };
    assert_eq!(round("1"), 4 * (LINE + LINKS));
    assert_eq!(round("4"), 4 * LINE + LINKS, "the line is never idle within a round");
}

#[test]
fn three_clients_a_controller_and_events_keep_all_requests() {
    let plain = record(GATEWAY, &[]);
    assert!(taken(&plain, "response_time/meters") > 1000 && taken(&plain, "response_time/plc") > 1000);
    let event = "[[event]]\nname = \"off\"\nmean_time_between = \"5 s\"\nmean_time_to_repair = \"1 s\"\nstations = [\"gateway\", \"scada-1\", \"meter-2\", \"plc\"]\naction = \"power-down\"\n\n[[event]]\nname = \"cut\"\nat = \"20 s\"\nuntil = \"25 s\"\nmedia = [\"lan\", \"line\"]\naction = \"down\"\n";
    let changed = record(&format!("{GATEWAY}{event}"), &[]);
    assert!(count(&changed, "failures") > count(&plain, "failures"));
}

#[test]
fn two_servers_of_one_unit_behind_a_gateway_are_refused() {
    let text = gateway(1)
        .replace(
            "[[station]]\n        name = \"scada\"",
            "[[medium]]\n        name = \"other\"\n\n        [[station]]\n        name = \"scada\"",
        )
        .replace("on = [\"lan\", \"line\"]", "on = [\"lan\", \"line\", \"other\"]")
        .replace(
            "[[flow]]",
            "[[station]]\n        name = \"pump\"\n        on = \"other\"\n        unit = 3\n\n        [[flow]]",
        )
        .replace("to = \"meter\"", "to = [\"meter\", \"pump\"]");
    let refused = model(&scenario(&text, &[]).unwrap()).err().expect("one unit");
    assert!(refused.to_string().contains("meter-3 and pump behind gateway both have unit 3"), "{refused}");
    let sound = text.replace("unit = 3", "unit = 9");
    assert!(model(&scenario(&sound, &[]).unwrap()).is_ok());
}

#[test]
fn a_route_that_no_gateway_has_is_refused() {
    let text = gateway(1).replace("on = [\"lan\", \"line\"]", "on = \"lan\"");
    let refused = model(&scenario(&text, &[]).unwrap()).err().expect("no route");
    assert!(refused.to_string().contains("no route from scada to meter-1"), "{refused}");
}
