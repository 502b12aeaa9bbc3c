//! An FDDI adapter on its bus: frames through the whole pipeline.

use sojourn_core::Duration;
use sojourn_metrics::merge::merge_metric;
use sojourn_model::Replication;
use sojourn_scenario::check;

use crate::clock::timed;

/// Frames of 69 bytes that a full ring brings in a second: 77 bytes of 80 ns each.
const FRAMES_PER_SECOND: f64 = 1e9 / (77.0 * 80.0);

/// Frames of 69 bytes per processor second, received or sent back to back.
pub fn pipeline(direction: &str, frames: u64) -> f64 {
    let text = format!("[network]\nkind = \"fddi-adapter\"\n[traffic]\ndirection = \"{direction}\"\n");
    let scenario = sojourn_catalogue::NETWORKS
        .kinds()
        .parse("bench.toml", &text)
        .and_then(|document| check(&document))
        .expect("a good scenario");
    let model = sojourn_catalogue::NETWORKS
        .find("fddi-adapter")
        .expect("the registry has it")
        .model(&scenario)
        .expect("a model");
    let duration = Duration::from_seconds(frames as f64 / FRAMES_PER_SECOND).expect("a span of the clock");
    let (seconds, record) = timed(|| model.replicate(Replication::alone(duration)));
    let rate = merge_metric("packet_rate", &[record]).and_then(|metric| metric.field("value")).expect("a rate");
    rate * duration.seconds() / seconds
}
