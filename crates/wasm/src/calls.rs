//! The calls that JavaScript makes, and their answers.

use std::panic::PanicHookInfo;

use serde::Deserialize;
use serde_json::{Value, json};
use sojourn_experiment::Build;
use sojourn_experiment::computation::{Computation, Request};
use sojourn_experiment::condition::refuse_wrong_expectations;
use sojourn_experiment::rounds::WorkItem;
use sojourn_scenario::keys::label::label;
use sojourn_scenario::{Document, Problem, Problems, check};

/// A call. Its answer is an object: what it asked for, or `problems` with the mistakes in the request.
#[derive(Debug, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case", deny_unknown_fields)]
pub enum Call {
    /// `version`, `commit`: the build.
    Build,
    /// `schema`: the JSON schema of scenarios, of one network or of all.
    Schema {
        /// The kind of network; all when absent.
        kind: Option<String>,
    },
    /// `text`: a commented scenario of a network that runs.
    Template {
        /// The kind of network.
        kind: String,
    },
    /// `kind`, `title`, `expanded` (the scenario in full, as TOML) and `warnings` of a document without mistakes.
    Check {
        /// The document; its axes are not looked at.
        request: Request,
    },
    /// `inputs`: keys that hold a number, each with label, unit, range and present values.
    Inputs {
        /// The document.
        request: Request,
        /// The keys; those that the document writes when empty.
        keys: Vec<String>,
    },
    /// Begins a computation: `items` to compute, the number of `points`, and `replications` expected at first.
    Open {
        /// What is computed.
        request: Request,
    },
    /// The record of an item as bytes; the computation must be open.
    Compute {
        /// The item, as another call gave it.
        item: String,
    },
    /// Keeps the record of an item, whose bytes follow: further `items`, whether all is `finished`, and how many
    /// replications are `done`.
    Ended {
        /// The item.
        item: String,
        /// Why it failed; there are no bytes then.
        failure: Option<String>,
    },
    /// What the replications show so far: `results_json`, `verdicts`, `failures`, `warnings`.
    Results,
}

/// What stays from call to call.
#[derive(Default)]
pub struct Session {
    computation: Option<Computation>,
}

/// Which build this is.
pub fn build() -> Build {
    Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: env!("SOJOURN_COMMIT").to_owned(),
        identity: env!("SOJOURN_IDENTITY").to_owned(),
    }
}

/// The answer to a call, laid out as the call.
pub fn answer(session: &mut Session, input: &[u8]) -> Vec<u8> {
    let Some((json, record)) = parted(input) else {
        return framed(&json!({ "fault": "a call is shorter than it states" }), &[]);
    };
    match serde_json::from_slice(json) {
        Ok(call) => session.answered(call, record),
        Err(fault) => framed(&json!({ "fault": fault.to_string() }), &[]),
    }
}

/// The answer to a call that met a bug.
pub fn panicked(panic: &PanicHookInfo<'_>) -> Vec<u8> {
    let place = panic.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
    let message = panic.payload_as_str().unwrap_or("a panic without a message");
    framed(&json!({ "panic": format!("{message}{place}") }), &[])
}

impl Session {
    fn answered(&mut self, call: Call, record: &[u8]) -> Vec<u8> {
        if let Call::Compute { item } = &call {
            return match (self.computation.as_ref(), item.parse::<WorkItem>()) {
                (Some(computation), Ok(item)) => framed(&json!({}), &computation.compute(&item)),
                (None, _) => framed(&fault("nothing is open"), &[]),
                (_, Err(message)) => framed(&fault(&message), &[]),
            };
        }
        let answer = self.plain(call, record);
        framed(&answer.unwrap_or_else(|problems| json!({ "problems": problems.to_json() })), &[])
    }

    /// The answers that are JSON alone.
    fn plain(&mut self, call: Call, record: &[u8]) -> Result<Value, Problems> {
        match call {
            Call::Build => Ok(json!({ "version": build().version, "commit": build().commit })),
            Call::Schema { kind } => {
                let schema = sojourn_scenario::schema(kind.as_deref());
                schema.map(|schema| json!({ "schema": schema })).ok_or_else(|| unknown(kind.as_deref()))
            }
            Call::Template { kind } => {
                let text = sojourn_scenario::template(&kind);
                text.map(|text| json!({ "text": text })).ok_or_else(|| unknown(Some(&kind)))
            }
            Call::Check { request } => checked(&request),
            Call::Inputs { request, keys } => inputs(&request, keys),
            Call::Open { request } => {
                let mut computation = Computation::open(&request, build())?;
                let items = texts(&computation.begin());
                let points = computation.plan().points.len();
                let replications: u32 = computation.plan().points.iter().map(|point| point.spec.first_round()).sum();
                self.computation = Some(computation);
                Ok(json!({ "items": items, "points": points, "replications": replications }))
            }
            Call::Ended { item, failure } => {
                let (Some(computation), Ok(item)) = (self.computation.as_mut(), item.parse::<WorkItem>()) else {
                    return Ok(fault("no such item is open"));
                };
                let items = computation.ended(&item, failure.as_deref().map_or(Ok(record), Err));
                let (finished, done) = (computation.is_finished(), computation.done());
                Ok(json!({ "items": texts(&items), "finished": finished, "done": done }))
            }
            Call::Results => match &self.computation {
                Some(computation) => Ok(json!(computation.evaluate())),
                None => Ok(fault("nothing is open")),
            },
            Call::Compute { .. } => unreachable!("its answer has bytes"),
        }
    }
}

fn checked(request: &Request) -> Result<Value, Problems> {
    let scenario = check(&request.base()?.document)?;
    refuse_wrong_expectations(&scenario)?;
    let mut warnings = Vec::new();
    if let Some(network) = sojourn_networks::find(scenario.kind).filter(|_| !scenario.is_measurement()) {
        network.model(&scenario)?;
        warnings = network.warnings(&scenario).iter().map(sojourn_networks::Warning::in_words).collect();
    }
    let question = scenario
        .question()
        .map(|question| json!({ "text": question.text, "vary": question.vary, "asked": question.asked }));
    Ok(json!({
        "kind": scenario.kind,
        "is_measurement": scenario.is_measurement(),
        "question": question,
        "expanded": scenario.expanded_toml(),
        "warnings": warnings,
    }))
}

fn inputs(request: &Request, keys: Vec<String>) -> Result<Value, Problems> {
    let document = request.base()?.document;
    let all = keys.is_empty();
    let keys = if all { document.written_numbers() } else { keys };
    let mut inputs = Vec::new();
    for key in keys {
        match input(&document, &key) {
            Ok(input) => inputs.push(input),
            // a number that is written but cannot vary, as one of a list of members that differ
            Err(_) if all => {}
            Err(problems) => return Err(problems),
        }
    }
    Ok(json!({ "inputs": inputs }))
}

fn input(document: &Document, key: &str) -> Result<Value, Problems> {
    let mut input = json!(document.parameter(key)?);
    let label = label(document.kind(), key);
    input["label"] = json!(label.as_ref().map(|label| label.label.as_str()));
    input["shown_unit"] = json!(label.map(|label| label.shown_unit));
    if let Some(written) = document.written(key)? {
        // a key of a table whose kind decides its keys has a written value alone
        if input["values"].as_array().is_some_and(Vec::is_empty) && written.json.is_number() {
            input["values"] = json!([written.json]);
        }
        input["written"] = json!(written.text);
    }
    Ok(input)
}

fn unknown(kind: Option<&str>) -> Problems {
    Problem::plain(format!("there is no network `{}`", kind.unwrap_or_default())).into()
}

fn fault(message: &str) -> Value {
    json!({ "fault": message })
}

fn texts(items: &[WorkItem]) -> Vec<String> {
    items.iter().map(WorkItem::to_string).collect()
}

/// A call in its parts: JSON, and the bytes of a record.
fn parted(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = input.split_first_chunk()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

fn framed(json: &Value, record: &[u8]) -> Vec<u8> {
    let json = json.to_string();
    [&(json.len() as u32).to_le_bytes(), json.as_bytes(), record].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(session: &mut Session, call: &Value, record: &[u8]) -> (Value, Vec<u8>) {
        let output = answer(session, &framed(call, record));
        let (json, record) = parted(&output).unwrap();
        (serde_json::from_slice(json).unwrap(), record.to_owned())
    }

    fn request() -> Value {
        let text = sojourn_scenario::template("queue").unwrap();
        json!({ "name": "queue.toml", "text": text, "set": ["run.duration=10 s"], "runs": { "replications": 2 } })
    }

    #[test]
    fn a_run_is_opened_computed_item_by_item_and_evaluated() {
        let (mut merging, mut computing) = (Session::default(), Session::default());
        let open = json!({ "call": "open", "request": request() });
        let (opened, _) = called(&mut merging, &open, &[]);
        called(&mut computing, &open, &[]);
        let mut items: Vec<Value> = opened["items"].as_array().unwrap().clone();
        let mut finished = false;
        while let Some(item) = items.pop() {
            let (_, record) = called(&mut computing, &json!({ "call": "compute", "item": item }), &[]);
            let (ended, _) = called(&mut merging, &json!({ "call": "ended", "item": item }), &record);
            items.extend(ended["items"].as_array().unwrap().clone());
            finished = ended["finished"] == true;
        }
        assert!(finished);
        let (results, _) = called(&mut merging, &json!({ "call": "results" }), &[]);
        assert!(results["results_json"].as_str().unwrap().contains("response_time"));
    }

    #[test]
    fn a_mistake_comes_back_with_its_place_and_a_hint() {
        let wrong = json!({ "name": "a.toml", "text": "[network]\nkind = \"queu\"\n" });
        let (answer, _) = called(&mut Session::default(), &json!({ "call": "check", "request": wrong }), &[]);
        assert_eq!(
            (&answer["problems"][0]["line"], &answer["problems"][0]["help"]),
            (&json!(2), &json!("did you mean `queue`?"))
        );
    }

    #[test]
    fn the_numbers_that_a_document_writes_are_its_inputs() {
        let call = json!({ "call": "inputs", "request": request(), "keys": [] });
        let (answer, _) = called(&mut Session::default(), &call, &[]);
        let paths: Vec<&str> =
            answer["inputs"].as_array().unwrap().iter().map(|i| i["path"].as_str().unwrap()).collect();
        assert!(paths.contains(&"flow.customers.arrivals.rate"), "{paths:?}");
    }

    #[test]
    fn a_call_that_is_none_is_answered_with_its_fault() {
        for input in [&b""[..], &b"\xff\xff\0\0{}"[..], &framed(&json!({ "call": "fly" }), &[])] {
            let output = answer(&mut Session::default(), input);
            assert!(String::from_utf8_lossy(&output).contains("fault"));
        }
    }
}
