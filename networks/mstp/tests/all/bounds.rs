//! Worst cases beside simulations of random trunks.

use sojourn_core::{Stream, Streams};
use sojourn_mstp::NETWORKS;

use crate::support::metrics;

/// A trunk of random size, rates, latencies, addresses and polls.
fn random_trunk(number: u32) -> String {
    let mut stream: Stream = Streams::new(u64::from(number), 0).stream("trunk");
    let mut below = |bound: u32| stream.below(bound);
    let masters = 2 + below(7);
    let rate = [9600, 19_200, 38_400, 76_800, 115_200][below(5) as usize];
    let step = 1 + below(3);
    let highest = (masters - 1) * step + below(6);
    let habit = ["immediate", "postpone", "late"][below(3) as usize];
    let service = ["read", "read-multiple", "write", "cov-confirmed"][below(4) as usize];
    let (latency, reply, frames, resolution) = (below(20), below(400), 1 + below(4), below(6));
    let others = if below(2) == 0 {
        ""
    } else {
        "\n[[flow]]\nname = \"g\"\nfrom = \"node-2\"\nto = \"node-1\"\narrivals = { kind = \"saturating\" }\n"
    };
    format!(
        "[network]\nkind = \"mstp\"\n[trunk]\nbit_rate = \"{rate} bit/s\"\n[[station]]\nname = \"node\"\ncount = {masters}\naddress_step = {step}\n\
         address = 0\nmax_master = {highest}\nreply = \"{habit}\"\nmax_info_frames = {frames}\ntimer_resolution = \"{resolution} ms\"\n\
         [station.costs]\ntoken_latency = \"{latency} ms\"\nreply_latency = \"{reply} ms\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"node-1\"\nto = \"everyone\"\nservice = \"{service}\"\napdu_timeout = \"60 s\"\n\
         arrivals = {{ kind = \"poll\", interval = \"1 ms\" }}\nprobe = true\n{others}[run]\nduration = \"20 s\"\nwarm_up = \"15 s\"\n"
    )
}

/// Whether a bound was compared of each row: rotation, response, round.
fn compare(number: u32) -> [bool; 3] {
    let text = random_trunk(number);
    let scenario = NETWORKS.checked(&text, &[]);
    let bounds = NETWORKS.find("mstp").unwrap().bounds(&scenario).unwrap().finish();
    let observed = metrics(&text, &[]);
    let compared = bounds.rows.iter().map(|row| {
        let (Some(bound), Some(metric)) = (row.delay, &row.metric) else { return false };
        let Some(largest) = observed.get(metric.as_str()).and_then(|metric| metric.field("max")) else { return false };
        assert!(largest <= bound, "{metric} of {largest} s is above {bound} s in\n{text}");
        true
    });
    compared.collect::<Vec<_>>().try_into().unwrap()
}

fn compare_many(numbers: std::ops::Range<u32>) {
    let count = numbers.len();
    let compared: Vec<[bool; 3]> = numbers.map(compare).collect();
    let [rotations, responses, rounds] = [0, 1, 2].map(|row| compared.iter().filter(|found| found[row]).count());
    assert!(
        rotations > count / 2 && responses > count / 3 && rounds > count / 3,
        "{rotations}, {responses}, {rounds} of {count}"
    );
}

#[test]
fn no_simulated_rotation_response_or_round_exceeds_its_bound() {
    compare_many(0..300);
}

#[test]
#[ignore = "half a minute; `make nightly` runs it"]
fn no_simulated_rotation_response_or_round_exceeds_its_bound_in_1e4_trunks() {
    compare_many(300..10_300);
}

#[test]
fn what_has_no_bound_says_why() {
    let why = |edits: &[(&str, &str)]| {
        let scenario = NETWORKS.checked(&random_trunk(0), edits);
        let rows = NETWORKS.find("mstp").unwrap().bounds(&scenario).unwrap().finish().rows;
        rows.into_iter().filter_map(|row| row.why).collect::<Vec<_>>().join("; ")
    };
    assert!(why(&[("trunk.bit_error_rate", "1e-5")]).contains("bit errors destroy tokens"));
    assert!(why(&[("station.node.costs.token_latency", "40 ms")]).contains("may take longer than T_usage_timeout"));
    let exponential = "{ kind = \"exponential\", mean = \"2 ms\" }";
    assert!(why(&[("station.node.costs.token_latency", exponential)]).contains("has no largest value"));
    assert!(
        why(&[("flow.f.arrivals", "{ kind = \"poisson\", interval = \"1 s\" }")])
            .contains("requests come on their own")
    );
}
