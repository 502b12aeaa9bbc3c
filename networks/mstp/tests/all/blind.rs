//! The frozen predictions of `studies/bacnet-mstp` are what its scenarios give.

use sojourn_model::testing::{Metrics, value};

use crate::support::metrics;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/bacnet-mstp");

/// The scenario, the keys that are set and the expression of a command.
fn parts(command: &str) -> (String, Vec<(String, String)>, String) {
    let (run, expression) = command.rsplit_once(": ").unwrap();
    let (file, sets) = run.strip_prefix("sojourn run studies/bacnet-mstp/").unwrap().split_once(".toml").unwrap();
    let sets = sets.split(" --set ").filter(|set| !set.is_empty()).map(|set| {
        let (key, value) = set.trim_matches('\'').split_once('=').unwrap();
        (key.to_owned(), value.to_owned())
    });
    (format!("{FOLDER}/{file}.toml"), sets.collect(), expression.to_owned())
}

fn evaluate(expression: &str, observed: &Metrics) -> f64 {
    let rotations = || value(observed, "token_rotation", "count");
    match expression {
        "0" => observed.get("polls_for_master/m2").map_or(0.0, |_| f64::NAN),
        "60 / token_rotation.mean" => 60.0 / value(observed, "token_rotation", "mean"),
        "token_rate" | "poll_share" => value(observed, expression, "value"),
        "throughput / 256" => value(observed, "throughput", "value") / 256.0,
        // tokens of each of two masters among 1400 frames
        "700 * token_share" => 700.0 * (1.0 - value(observed, "poll_share", "value")),
        other => {
            let polls = other.strip_prefix("188.5 * ").and_then(|rest| rest.strip_suffix(" / rotations")).unwrap();
            188.5 * value(observed, polls, "value") / rotations()
        }
    }
}

#[test]
fn every_frozen_prediction_is_what_its_command_gives() {
    let frozen = std::fs::read_to_string(format!("{FOLDER}/blind.json")).unwrap();
    let frozen: serde_json::Value = serde_json::from_str(&frozen).unwrap();
    let frozen = frozen.as_object().unwrap();
    assert_eq!(frozen.len(), 19 + 7);
    let mut wrong = Vec::new();
    for (id, prediction) in frozen {
        let (file, sets, expression) = parts(prediction["command"].as_str().unwrap());
        let sets: Vec<(&str, &str)> = sets.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let found = evaluate(&expression, &metrics(&std::fs::read_to_string(file).unwrap(), &sets));
        let stated = prediction["value"].as_f64().or_else(|| prediction["value"][0].as_f64()).unwrap();
        // as many digits as are stated
        if (found - stated).abs() > 0.001 * stated.abs() + 1e-9 {
            wrong.push(format!("\"{id}\": {found:.4}, not {stated}"));
        }
        let interval = [0, 1].map(|end| prediction["interval"][end].as_f64().unwrap());
        assert!(interval[0] <= stated && stated <= interval[1], "{id}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
