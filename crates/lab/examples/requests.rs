//! Carries out requests, a line of JSON each on standard input, and prints the results of each as a line: what a build for
//! another platform computes, without Python. `packaging/trial/test_platforms.py` compares it with what this one does.
//!
//! `cargo run -p sojourn-lab --no-default-features --example requests < requests.jsonl`

use std::io::{BufRead, stdin};
use std::process::ExitCode;

use serde_json::{Value, json};
use sojourn_lab::{Build, Job, Request};

fn main() -> ExitCode {
    for line in stdin().lock().lines() {
        let answer = line.map_err(|fault| fault.to_string()).and_then(|line| results(&line));
        match answer {
            Ok(results) => println!("{results}"),
            Err(message) => println!("{}", json!({ "error": message })),
        }
    }
    ExitCode::SUCCESS
}

/// The results of a request, or why there are none.
fn results(line: &str) -> Result<Value, String> {
    let request: Request = serde_json::from_str(line).map_err(|fault| fault.to_string())?;
    let build = Build { version: "0.1.0".into(), commit: "unknown".into(), identity: "example".into() };
    let job = Job::start(request, build).map_err(|problems| problems.to_string())?;
    let outcome = job.wait();
    let text = outcome.results_json.as_deref().ok_or_else(|| outcome.error.clone().unwrap_or_default())?;
    serde_json::from_str(text).map_err(|fault| fault.to_string())
}
