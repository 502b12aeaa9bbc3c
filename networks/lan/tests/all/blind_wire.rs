//! The frozen predictions of `studies/one-wire-ethernet` are what its scenarios give.

use sojourn_metrics::merge::merge;
use sojourn_model::testing::{Metrics, value};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/one-wire-ethernet");
/// Stations of the saturated wire, and the seconds that it is observed.
const STATIONS: usize = 9;
const SECONDS: f64 = 2.0;

/// The scenario, the keys that are set and the expression of a command.
fn parts(command: &str) -> (String, Vec<(String, String)>, String) {
    let (run, expression) = command.rsplit_once(": ").unwrap();
    let (file, sets) = run.strip_prefix("sojourn run studies/one-wire-ethernet/").unwrap().split_once(".toml").unwrap();
    let sets = sets.split(" --set ").filter(|set| !set.is_empty()).map(|set| {
        let (key, value) = set.trim_matches('\'').split_once('=').unwrap();
        (key.to_owned(), value.to_owned())
    });
    (format!("{FOLDER}/{file}.toml"), sets.collect(), expression.to_owned())
}

/// One replication's value of an expression, in the unit of the question.
fn evaluate(expression: &str, observed: &Metrics) -> f64 {
    let count = |name: &str| value(observed, name, "value");
    match expression {
        "1e6 * cycle_length.min" => 1e6 * value(observed, "cycle_length", "min"),
        "1e6 * cycle_length.max" => 1e6 * value(observed, "cycle_length", "max"),
        "1e3 * cycle_length.max" => 1e3 * value(observed, "cycle_length", "max"),
        "1e6 * access_delay.max" => 1e6 * value(observed, "access_delay", "max"),
        "1e3 * access_delay.max" => 1e3 * value(observed, "access_delay", "max"),
        "frames_sent * 12000 / 2e6" => count("frames_sent") * 12_000.0 / (1e6 * SECONDS),
        "frames_sent * 368 / 2e7" => count("frames_sent") * 368.0 / (1e7 * SECONDS),
        "frames_sent / 9" => count("frames_sent") / STATIONS as f64,
        "largest frames_sent / least" => {
            let stations = (1..STATIONS).map(|edge| format!("frames_sent/edge-{edge}"));
            let frames: Vec<f64> =
                stations.chain(["frames_sent/controller".to_owned()]).map(|name| count(&name)).collect();
            frames.iter().copied().fold(0.0, f64::max) / frames.iter().copied().fold(f64::INFINITY, f64::min)
        }
        name => count(name),
    }
}

/// What an expression over its replications is: a value, or the least and the largest.
fn found(file: &str, sets: &[(&str, &str)], expression: &str) -> Vec<f64> {
    let (of_one, replications) = expression.rsplit_once(", of ").unwrap();
    let (of_one, how) = of_one.rsplit_once(", ").unwrap();
    let replications = replications.trim_end_matches(" replications").parse().unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    let observe = |index| merge(&[sojourn_lan::NETWORKS.replication(&text, sets, index)]).into_iter().collect();
    let values: Vec<f64> = (0..replications).map(|index| evaluate(of_one, &observe(index))).collect();
    let [least, largest] =
        [f64::min as fn(f64, f64) -> f64, f64::max].map(|pick| values.iter().copied().reduce(pick).unwrap());
    match how {
        "range" => vec![least, largest],
        "largest" => vec![largest],
        "mean" => vec![values.iter().sum::<f64>() / values.len() as f64],
        other => panic!("{other}"),
    }
}

#[test]
fn every_frozen_prediction_is_what_its_command_gives() {
    let frozen = std::fs::read_to_string(format!("{FOLDER}/blind.json")).unwrap();
    let frozen: serde_json::Value = serde_json::from_str(&frozen).unwrap();
    let frozen = frozen.as_object().unwrap();
    assert_eq!(frozen.len(), 11 + 11);
    let mut wrong = Vec::new();
    for (id, prediction) in frozen {
        let commands = prediction["command"].as_str().unwrap().split("; ");
        let found: Vec<f64> = commands
            .flat_map(|command| {
                let (file, sets, expression) = parts(command);
                let sets: Vec<(&str, &str)> = sets.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
                found(&file, &sets, &expression)
            })
            .collect();
        let stated = &prediction["value"];
        let stated: Vec<f64> = match stated.as_array() {
            Some(values) => values.iter().map(|value| value.as_f64().unwrap()).collect(),
            None => vec![stated.as_f64().unwrap()],
        };
        let alike = |(found, stated): (&f64, &f64)| (found - stated).abs() <= 0.002 * stated.abs() + 1e-9;
        if found.len() != stated.len() || !found.iter().zip(&stated).all(alike) {
            wrong.push(format!("\"{id}\": {found:?}, not {stated:?}"));
        }
        let interval = [0, 1].map(|end| prediction["interval"][end].as_f64().unwrap());
        assert!(stated.iter().all(|value| (interval[0]..=interval[1]).contains(value)), "{id}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
