//! Hosts on switched LANs: by closed forms where there are some, by what must hold elsewhere.

mod support;

use support::{metrics, value};

fn template() -> String {
    sojourn_scenario::template("switched-lan").expect("the network has a template")
}

#[test]
fn an_echo_alone_takes_what_its_parts_take() {
    let text = template();
    for size in [64, 1024] {
        let found = metrics(
            &text,
            &[
                ("lan.framing", "packets"),
                ("background.streams", "0"),
                ("probe.size", &format!("{size} B")),
                ("run.duration", "1 s"),
            ],
        );
        let link = (size as f64 + 28.0 + 38.0) * 8.0 / 149.76e6 + 50e-9;
        let expected = 2.0 * (280e-6 + 0.09e-6 * size as f64 + 10e-6 + 3.0 * link);
        assert!((value(&found, "response_time", "mean") - expected).abs() < 1e-10);
        for (name, metric) in &found {
            if !name.contains("/") || name.contains("budget") {
                println!("{name}: {:?}", metric.field("mean").or(metric.field("value")));
            }
        }
        assert!(false);
    }
}

#[test]
fn three_transfers_share_the_trunk() {
    let text = template();
    let start = std::time::Instant::now();
    let found = metrics(&text, &[("lan.framing", "packets"), ("run.duration", "10 s")]);
    println!("{:?}", start.elapsed());
    for (name, metric) in &found {
        println!("{name}: {:?}", metric.field("mean").or(metric.field("value")));
    }
    assert!(false);
}
