//! Scenarios that are refused, and what is said of those that are unwise.

use crate::arithmetic::trunk;
use crate::support::{model, scenario};
use sojourn_model::Network;

fn refused(text: &str, edits: &[(&str, &str)]) -> String {
    let problems = match scenario(text, edits) {
        Err(problems) => problems,
        Ok(scenario) => model(&scenario).map(|_| ()).expect_err("a mistake"),
    };
    problems.render(false, 200)
}

/// A station `a` with these keys, and what is written behind it; a flow, where that has none.
fn with(stations: &str) -> String {
    let partner = "[[station]]\nname = \"z\"\naddress = 1\n[[flow]]\nname = \"q\"\nfrom = \"z\"\nto = \"a\"\n\
                   arrivals = { kind = \"periodic\", interval = \"1 s\" }\n";
    let flow = if stations.contains("[[flow]]") { "" } else { partner };
    format!("[network]\nkind = \"mstp\"\n[[station]]\nname = \"a\"\n{stations}{flow}[run]\nduration = \"1 s\"\n")
}

#[test]
fn addresses_are_given_once_and_are_not_too_high() {
    let twice = with("address = 3\n[[station]]\nname = \"b\"\naddress = 3\n");
    assert!(refused(&twice, &[]).contains("`b` and `a` have the same address 3 on one trunk"));
    let high = with("address = 120\ncount = 10\n");
    assert!(refused(&high, &[]).contains("`a-9` would have address 128, and a master has at most 127"));
    let above = with("address = 20\nmax_master = 10\n");
    assert!(refused(&above, &[]).contains("`a` has address 20, above its Max_Master 10"));
}

#[test]
fn a_slave_neither_asks_nor_routes_nor_answers_who_is() {
    let flow =
        "[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\narrivals = { kind = \"periodic\", interval = \"1 s\" }\n";
    let slave = with(&format!("type = \"slave\"\n[[station]]\nname = \"b\"\n{flow}"));
    assert!(refused(&slave, &[]).contains("flow `f` begins at slave `a`, which only answers"));
    let asked = with(&format!("[[station]]\nname = \"b\"\ntype = \"slave\"\n{flow}"));
    assert!(refused(&asked, &[("flow.f.service", "who-is")]).contains("cannot answer Who-Is"));
}

#[test]
fn routers_join_media_as_a_tree_and_every_receiver_has_a_route() {
    let media = "[[medium]]\nname = \"x\"\n[[medium]]\nname = \"y\"\n";
    let station = |name: &str, on: &str| format!("[[station]]\nname = \"{name}\"\non = {on}\n");
    let looped = format!(
        "[network]\nkind = \"mstp\"\n{media}{}{}{}[run]\nduration = \"1 s\"\n",
        station("r", "[\"x\", \"y\"]"),
        station("q", "[\"x\", \"y\"]"),
        "[[flow]]\nname = \"f\"\nfrom = \"r\"\nto = \"q\"\narrivals = { kind = \"periodic\", interval = \"1 s\" }\n"
    );
    assert!(refused(&looped, &[]).contains("closes a loop"));
    let flow =
        "[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\narrivals = { kind = \"periodic\", interval = \"1 s\" }\n";
    let apart = format!(
        "[network]\nkind = \"mstp\"\n{media}{}{}{flow}[run]\nduration = \"1 s\"\n",
        station("a", "\"x\""),
        station("b", "\"y\"")
    );
    assert!(refused(&apart, &[]).contains("flow `f` has no route from a to b"));
}

#[test]
fn gaps_and_late_tokens_are_warned_of() {
    let warned = |text: &str, edits: &[(&str, &str)]| -> Vec<String> {
        let scenario = scenario(text, edits).unwrap();
        sojourn_mstp::MstpNetwork.warnings(&scenario).iter().map(|warning| warning.problem.message.clone()).collect()
    };
    assert!(warned(&trunk(20, 38_400, "3 ms", ""), &[]).is_empty());
    // 108/157 of 2.083 and 35 ms beside 20 times 5.083 ms
    let gap = warned(&trunk(20, 38_400, "3 ms", ""), &[("station.node.max_master", "127")]);
    let expected = "node-20 polls 108 addresses that no master has, with 69 % of its tokens; such polls make rotations 25 % longer";
    assert_eq!(gap, [expected]);
    let late = warned(&trunk(20, 38_400, "50 ms", ""), &[]);
    assert_eq!(late, ["node-1 takes longer to use a token than the 35 ms that others wait for it"]);
}
