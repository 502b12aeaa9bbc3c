//! The frozen predictions of `studies/can-response-time`: recomputed, each is what was frozen.

use std::collections::BTreeMap;

use serde_json::Value;
use sojourn_can::{CanNetwork, NETWORKS};
use sojourn_core::Duration;
use sojourn_metrics::merge::merge;
use sojourn_model::testing::{Metrics, value};
use sojourn_model::{Network, Replication};
use sojourn_protocols::can::frame::{Content, Id, Length};

/// How far a recomputed value may be from the frozen one, of it: quantiles of other draws.
const ROUNDING: f64 = 1e-2;

const FROZEN: &str = include_str!("../../../../studies/can-response-time/blind.json");

/// Replications of a scenario of the study, with edits.
fn study(text: &str, edits: &[(&str, &str)], replications: u32) -> Metrics {
    let text = text.replace("profile = \"socketcan-small-board\"", SMALL_BOARD);
    let scenario = NETWORKS.checked(&text, edits);
    let model = NETWORKS.model(&scenario).unwrap();
    let of = |index| {
        model.replicate(Replication {
            warm_up: Duration::from_millis(10),
            index,
            ..Replication::alone(scenario.run().duration)
        })
    };
    merge(&(0..replications).map(of).collect::<Vec<_>>()).into_iter().collect()
}

/// The profile's values, as the folder of profiles is not at hand here.
const SMALL_BOARD: &str = "queue = \"fifo\"\nqueue_length = 10\ncosts = { send = \"207 us\", receive = { kind = \"lognormal\", mean = \"175 us\", deviation = 0.35 } }";

fn frames_per_second(edits: &[(&str, &str)]) -> f64 {
    let text = include_str!("../../../../studies/can-response-time/saturated.toml");
    value(&study(text, edits, 1), "throughput_l3", "value")
}

/// Frames a second of a bus of 1 Mbit/s that carries remote frames with DLC 8 alone.
fn remote_frames_per_second(id: Id) -> f64 {
    1e6 / f64::from(Length::exact(id, Content::<[u8; 0]>::Remote(8)).nominal)
}

/// All predictions, by the id of their set-up.
fn predictions() -> BTreeMap<&'static str, Vec<f64>> {
    let fd = ("flow.frames.fd", "true");
    let (long, extended) = (("flow.frames.data", "64 B"), ("flow.frames.extended", "true"));
    let loopback = study(include_str!("../../../../studies/can-response-time/loopback.toml"), &[], 3);
    let echo = study(include_str!("../../../../studies/can-response-time/echo.toml"), &[], 20);
    let us = |metrics: &Metrics, field: &str| value(metrics, "response_time", field) * 1e6;
    let scenario = NETWORKS.checked(include_str!("../../../../studies/can-response-time/davis.toml"), &[]);
    let bounds = (&CanNetwork as &dyn Network).worst_cases(&scenario).unwrap();
    let of = |flow: &str, hop: &str| -> Vec<f64> {
        let rows = bounds.rows.iter().filter(|row| row.flow == flow && row.hop.starts_with(hop));
        rows.filter_map(|row| row.delay).map(|delay| delay * 1e3).collect()
    };
    BTreeMap::from([
        ("libxr-1", vec![frames_per_second(&[])]),
        ("libxr-2", vec![frames_per_second(&[extended])]),
        ("libxr-3", vec![remote_frames_per_second(Id::Base(0x123))]),
        ("libxr-4", vec![remote_frames_per_second(Id::Extended(0x123))]),
        ("libxr-5", vec![frames_per_second(&[fd, long])]),
        ("libxr-6", vec![frames_per_second(&[fd, long, extended])]),
        ("drivapi-1", vec![us(&loopback, "mean")]),
        ("drivapi-2", vec![us(&loopback, "sd")]),
        ("drivapi-3", vec![us(&echo, "p50")]),
        ("drivapi-4", vec![us(&echo, "min_mean")]),
        ("drivapi-5", vec![us(&echo, "p95")]),
        ("drivapi-6", vec![us(&echo, "p99")]),
        ("davis-1", vec![of("a", "bus")[0]]),
        ("davis-2", vec![of("b", "bus")[0]]),
        ("davis-3", vec![of("c", "bus")[0]]),
        ("davis-4", of("c", "bus, instance")),
    ])
}

#[test]
fn the_blind_predictions_are_recomputed() {
    let frozen: Value = serde_json::from_str(FROZEN).unwrap();
    let found = predictions();
    assert_eq!(found.len(), frozen.as_object().unwrap().len(), "found {found:?}");
    for (id, found) in &found {
        let frozen = &frozen[*id]["value"];
        let values: Vec<f64> = match frozen {
            Value::Array(values) => values.iter().filter_map(Value::as_f64).collect(),
            value => vec![value.as_f64().unwrap_or(f64::NAN)],
        };
        let near = |(found, frozen): (&f64, &f64)| (found - frozen).abs() <= ROUNDING * frozen.abs();
        let is_alike = found.len() == values.len() && found.iter().zip(&values).all(near);
        assert!(
            is_alike,
            "{id}: found {found:?}, frozen {values:?}; all: {predictions:?}",
            predictions = self::predictions()
        );
    }
}
