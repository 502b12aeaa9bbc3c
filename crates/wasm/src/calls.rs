//! The calls from JavaScript, and their answers.

use std::panic::PanicHookInfo;

use serde::Deserialize;
use serde_json::{Value, json};
use sojourn_catalogue::NETWORKS;
use sojourn_experiment::Build;
use sojourn_experiment::advice::AdviceRequest;
use sojourn_experiment::advice_computation::AdviceComputation;
use sojourn_experiment::computation::{Computation, Request};
use sojourn_experiment::condition::refuse_wrong_expectations;
use sojourn_experiment::elasticity::elasticity;
use sojourn_experiment::rounds::WorkItem;
use sojourn_experiment::search::SearchRequest;
use sojourn_experiment::search_computation::{Batch, SearchComputation};
use sojourn_experiment::warm_up;
use sojourn_metrics::registry;
use sojourn_scenario::{Document, Problem, Problems, check};

#[cfg(feature = "captures")]
use crate::captures::{Capture, CaptureAsked};
use crate::fault::fault;

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
    /// `metrics`: every metric with label, unit, shown unit, shape and definition.
    Metrics,
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
    /// Begins a search: `items` of the first value it tries, the `request` that computes them when it is opened, and
    /// `replications` expected at most.
    Find {
        /// The scenario in which a key varies.
        request: Request,
        /// What is asked.
        asked: SearchRequest,
    },
    /// Begins a comparison of changes: as a search, with the `items` of one alternative after the other.
    Advise {
        /// The scenario.
        request: Request,
        /// What is asked.
        asked: AdviceRequest,
    },
    /// The record of an item as bytes; the computation must be open.
    Compute {
        /// The item, as another call gave it.
        item: String,
    },
    /// `course`: metrics over time in the replication of an item; the computation must be open.
    Course {
        /// The item.
        item: String,
    },
    /// A pcap file as bytes, with `frames` in it and those `left_out`; no bytes of a network without frames.
    Frames {
        /// The item.
        item: String,
    },
    /// Keeps the record of an item, whose bytes follow: further `items`, whether all is `finished`, and how many
    /// replications are `done`; of a search the `request` that computes the items, where it is another one.
    Ended {
        /// The item.
        item: String,
        /// Why it failed; there are no bytes then.
        failure: Option<String>,
    },
    /// `elasticity` of a metric: its change in percent for one percent of a key, with its interval and what is `established`
    /// of its size; null where the pairs give none.
    Elasticity {
        /// The means of paired replications: as written, and with the key raised.
        pairs: Vec<(f64, f64)>,
        /// By which share of its value the key was raised.
        share: f64,
        /// How often it is looked whether the pairs decide.
        looks: u32,
    },
    /// Begins a capture, in place of the one before.
    #[cfg(feature = "captures")]
    CaptureOpen {
        /// What is asked of it.
        asked: CaptureAsked,
    },
    /// Takes the next piece of the capture's file, whose bytes follow, and reads as far as it goes: how many `packets`,
    /// `transactions`, `retries`, `unanswered` and `malformed` so far, `seconds` of the capture, and the mean `response_time`.
    #[cfg(feature = "captures")]
    CapturePiece {
        /// Whether the file ends behind it.
        is_last: bool,
    },
    /// What the capture shows, once its last piece was read: `results_json` and the tables, `capture`.
    #[cfg(feature = "captures")]
    CaptureFound,
    /// The twin of the capture, once: its `text`, its `files`, and how close it comes, `twin`.
    #[cfg(feature = "captures")]
    CaptureTwin {
        /// Name of the scenario without ending; its files begin with it.
        name: String,
    },
    /// What the replications show so far: `results_json`, `verdicts`, `failures`, `warnings`; of a search its `find`.
    Results,
}

/// What stays from call to call.
#[derive(Default)]
pub struct Session {
    open: Option<Open>,
    #[cfg(feature = "captures")]
    capture: Option<Capture>,
}

/// What is merged or computed.
enum Open {
    Points(Box<Computation>),
    Search(Box<SearchComputation>),
    Advice(Box<AdviceComputation>),
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
        let answer = match call {
            Call::Compute { item } => self.replication(&item, |open, item| (json!({}), open.compute(item))),
            Call::Course { item } => {
                self.replication(&item, |open, item| (json!({ "course": open.course(item) }), Vec::new()))
            }
            Call::Frames { item } => self.replication(&item, |open, item| match open.frames(item) {
                Some(found) => (json!({ "frames": found.count, "left_out": found.left_out }), found.file),
                None => (json!({ "frames": 0, "left_out": 0 }), Vec::new()),
            }),
            call => {
                let answer = self.plain(call, record);
                (answer.unwrap_or_else(|problems| json!({ "problems": problems.to_json() })), Vec::new())
            }
        };
        framed(&answer.0, &answer.1)
    }

    /// What the open capture gives.
    #[cfg(feature = "captures")]
    fn captured(&mut self, give: impl FnOnce(&mut Capture) -> Result<Value, Problems>) -> Result<Value, Problems> {
        self.capture.as_mut().map_or_else(|| Ok(fault("no capture is open")), give)
    }

    /// What a replication of the open computation gives.
    fn replication(
        &self,
        item: &str,
        give: impl FnOnce(&Computation, &WorkItem) -> (Value, Vec<u8>),
    ) -> (Value, Vec<u8>) {
        match (&self.open, item.parse::<WorkItem>()) {
            (Some(Open::Points(computation)), Ok(item)) => give(computation, &item),
            (_, Ok(_)) => (fault("no run is open"), Vec::new()),
            (_, Err(message)) => (fault(&message), Vec::new()),
        }
    }

    /// The answers that are JSON alone.
    fn plain(&mut self, call: Call, record: &[u8]) -> Result<Value, Problems> {
        match call {
            Call::Build => Ok(json!({ "version": build().version, "commit": build().commit })),
            Call::Schema { kind } => {
                let schema = NETWORKS.kinds().schema(kind.as_deref());
                schema.map(|schema| json!({ "schema": schema })).ok_or_else(|| unknown(kind.as_deref()))
            }
            Call::Metrics => Ok(json!({ "metrics": registry::all() })),
            Call::Template { kind } => {
                let text = NETWORKS.kinds().template(&kind);
                text.map(|text| json!({ "text": text })).ok_or_else(|| unknown(Some(&kind)))
            }
            Call::Check { request } => checked(&request),
            Call::Inputs { request, keys } => inputs(&request, keys),
            Call::Open { request } => {
                let mut computation = Computation::open(NETWORKS, &request, build())?;
                let items = texts(&computation.begin());
                let points = computation.plan().points.len();
                let replications: u32 = computation.plan().points.iter().map(|point| point.spec.first_round()).sum();
                self.open = Some(Open::Points(Box::new(computation)));
                Ok(json!({ "items": items, "points": points, "replications": replications }))
            }
            Call::Find { request, asked } => {
                let mut search = SearchComputation::open(NETWORKS, &request, &asked, build())?;
                let first = search.begin()?;
                let answer = json!({ "replications": search.expected() });
                self.open = Some(Open::Search(Box::new(search)));
                Ok(with_batch(answer, &first))
            }
            Call::Advise { request, asked } => {
                let mut advice = AdviceComputation::open(NETWORKS, &request, &asked, build())?;
                let first = advice.begin();
                let answer = json!({ "replications": advice.expected() });
                self.open = Some(Open::Advice(Box::new(advice)));
                Ok(with_batch(answer, &first))
            }
            Call::Ended { item, failure } => {
                let Ok(item) = item.parse::<WorkItem>() else { return Ok(fault("no such item is open")) };
                let result = failure.as_deref().map_or(Ok(record), Err);
                match &mut self.open {
                    Some(Open::Points(computation)) => {
                        let items = computation.ended(&item, result);
                        let (finished, done) = (computation.is_finished(), computation.done());
                        Ok(json!({ "items": texts(&items), "finished": finished, "done": done }))
                    }
                    Some(Open::Search(search)) => {
                        let batch = search.ended(&item, result)?;
                        let (finished, done) = (search.is_finished(), search.done());
                        Ok(with_batch(json!({ "finished": finished, "done": done }), &batch))
                    }
                    Some(Open::Advice(advice)) => {
                        let batch = advice.ended(&item, result);
                        let (finished, done) = (advice.is_finished(), advice.done());
                        Ok(with_batch(json!({ "finished": finished, "done": done }), &batch))
                    }
                    None => Ok(fault("nothing is open")),
                }
            }
            Call::Elasticity { pairs, share, looks } => Ok(json!({ "elasticity": elasticity(&pairs, share, looks) })),
            Call::Results => Ok(match &self.open {
                Some(Open::Points(computation)) => json!(computation.evaluate()),
                Some(Open::Search(search)) => match search.evaluate() {
                    Some(evaluation) => {
                        let mut answer = json!(evaluation);
                        answer["find"] = json!(search.limit());
                        answer
                    }
                    None => fault("no value was tried yet"),
                },
                Some(Open::Advice(advice)) => {
                    advice.evaluate().map_or_else(|| fault("nothing was tried yet"), |found| json!(found))
                }
                None => fault("nothing is open"),
            }),
            #[cfg(feature = "captures")]
            Call::CaptureOpen { asked } => {
                self.capture = Some(Capture::new(asked));
                Ok(json!({}))
            }
            #[cfg(feature = "captures")]
            Call::CapturePiece { is_last } => self.captured(|capture| capture.piece(record, is_last)),
            #[cfg(feature = "captures")]
            Call::CaptureFound => self.captured(|capture| capture.found(&build())),
            #[cfg(feature = "captures")]
            Call::CaptureTwin { name } => self.captured(|capture| capture.twin(name)),
            Call::Compute { .. } | Call::Course { .. } | Call::Frames { .. } => {
                unreachable!("they are about a replication")
            }
        }
    }
}

fn with_batch(mut answer: Value, batch: &Batch) -> Value {
    answer["items"] = json!(texts(&batch.items));
    if let Some(request) = &batch.request {
        answer["request"] = json!(request);
    }
    answer
}

fn checked(request: &Request) -> Result<Value, Problems> {
    let base = request.base(NETWORKS)?;
    let (scenario, network) = (check(&base.document)?, base.network());
    refuse_wrong_expectations(&scenario, network.information())?;
    let mut warnings = Vec::new();
    if !scenario.is_measurement() {
        warm_up::probe(&scenario, &*network.model(&scenario)?)?;
        warnings = network.warnings(&scenario).iter().map(sojourn_model::Warning::in_words).collect();
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
    let document = request.base(NETWORKS)?.document;
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
    Ok(json!({ "inputs": inputs, "asked": asked(&document)? }))
}

/// The key that the scenario's `[question]` varies, and its range in SI units.
fn asked(document: &Document) -> Result<Option<Value>, Problems> {
    let scenario = check(document)?;
    let Some(question) = scenario.question() else { return Ok(None) };
    let vary = document.vary(question.vary)?;
    let range = [vary.low, vary.high].map(|end| vary.si_value(end));
    Ok(Some(json!({ "path": vary.path, "range": range })))
}

fn input(document: &Document, key: &str) -> Result<Value, Problems> {
    let mut input = json!(document.parameter(key)?);
    let label = NETWORKS.kinds().label(document.kind(), key);
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
        let text = NETWORKS.kinds().template("queue").unwrap();
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
    fn a_search_names_the_request_that_computes_each_value() {
        let (mut merging, mut computing) = (Session::default(), Session::default());
        let asked = json!({ "vary": "flow.customers.arrivals.rate=10:80 /s", "until": "response_time.mean < 1 s" });
        let find = json!({ "call": "find", "request": request(), "asked": asked });
        let (mut answer, _) = called(&mut merging, &find, &[]);
        let mut items = Vec::new();
        loop {
            if answer["request"].is_object() {
                called(&mut computing, &json!({ "call": "open", "request": answer["request"] }), &[]);
            }
            items.extend(answer["items"].as_array().unwrap().clone());
            let Some(item) = items.pop() else { break };
            let (_, record) = called(&mut computing, &json!({ "call": "compute", "item": item }), &[]);
            answer = called(&mut merging, &json!({ "call": "ended", "item": item }), &record).0;
        }
        assert_eq!(answer["finished"], true);
        let (results, _) = called(&mut merging, &json!({ "call": "results" }), &[]);
        assert_eq!(results["find"]["outcome"], "always");
    }

    #[test]
    fn a_replication_shows_its_course_and_a_network_without_frames_no_capture() {
        let mut session = Session::default();
        let (opened, _) = called(&mut session, &json!({ "call": "open", "request": request() }), &[]);
        let item = &opened["items"][0];
        let (answer, _) = called(&mut session, &json!({ "call": "course", "item": item }), &[]);
        assert!(!answer["course"].as_array().unwrap().is_empty());
        let (answer, file) = called(&mut session, &json!({ "call": "frames", "item": item }), &[]);
        assert_eq!((&answer["frames"], file.len()), (&json!(0), 0));
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
        assert_eq!(answer["asked"], Value::Null);
    }

    #[test]
    fn the_key_that_a_question_varies_has_its_range_in_si_units() {
        let mut request = request();
        let question = "[question]\nvary = \"station.server.service.mean=5:20 ms\"\n";
        request["text"] = json!(format!("{}\n{question}", request["text"].as_str().unwrap()));
        let call = json!({ "call": "inputs", "request": request, "keys": [] });
        let (answer, _) = called(&mut Session::default(), &call, &[]);
        assert_eq!(answer["asked"], json!({ "path": "station.server.service.mean", "range": [0.005, 0.02] }));
    }

    #[test]
    fn paired_replications_give_the_elasticity_of_a_key() {
        let call =
            json!({ "call": "elasticity", "pairs": [[10.0, 9.0], [10.0, 9.1], [10.0, 8.9]], "share": 0.1, "looks": 1 });
        let (answer, _) = called(&mut Session::default(), &call, &[]);
        assert!((answer["elasticity"]["value"].as_f64().unwrap() + 1.0).abs() < 1e-9, "{answer}");
        let none = json!({ "call": "elasticity", "pairs": [[10.0, 9.0]], "share": 0.1, "looks": 1 });
        assert_eq!(called(&mut Session::default(), &none, &[]).0["elasticity"], Value::Null);
    }

    /// The frames of a replication of a network's template.
    #[cfg(feature = "captures")]
    fn frames_of(kind: &str) -> Vec<u8> {
        let mut session = Session::default();
        let text = NETWORKS.kinds().template(kind).unwrap();
        let set = ["run.duration=20 s", "run.warm_up=0 s"];
        let request = json!({ "name": "site.toml", "text": text, "set": set, "runs": { "replications": 1 } });
        let (opened, _) = called(&mut session, &json!({ "call": "open", "request": request }), &[]);
        called(&mut session, &json!({ "call": "frames", "item": opened["items"][0] }), &[]).1
    }

    #[cfg(feature = "captures")]
    fn captured(session: &mut Session, file: &[u8], length: usize) -> Value {
        let open = json!({ "call": "capture_open", "asked": { "name": "site.pcap", "slowest": 5 } });
        called(session, &open, &[]);
        let pieces: Vec<&[u8]> = file.chunks(length).collect();
        let mut standing = Value::Null;
        for (number, piece) in pieces.iter().enumerate() {
            let call = json!({ "call": "capture_piece", "is_last": number + 1 == pieces.len() });
            standing = called(session, &call, piece).0;
        }
        standing
    }

    #[cfg(feature = "captures")]
    #[test]
    fn a_capture_in_pieces_shows_what_it_shows_as_one_and_its_twin_runs() {
        let file = frames_of("lontalk");
        let (mut whole, mut parted) = (Session::default(), Session::default());
        let standing = captured(&mut whole, &file, file.len());
        assert_eq!(captured(&mut parted, &file, 1000), standing);
        let found = json!({ "call": "capture_found" });
        let (answer, _) = called(&mut whole, &found, &[]);
        assert_eq!(called(&mut parted, &found, &[]).0, answer);
        assert_eq!(answer["capture"]["packets"], standing["packets"]);
        assert_eq!(answer["capture"]["slowest"].as_array().unwrap().len(), 5);
        let (twin, _) = called(&mut parted, &json!({ "call": "capture_twin", "name": "twin" }), &[]);
        assert_eq!((&twin["twin"]["scenario"], &twin["twin"]["runs"]), (&json!("twin.toml"), &json!(3)));
        let request = json!({ "name": "twin.toml", "text": twin["text"], "files": twin["files"] });
        let (checked, _) = called(&mut whole, &json!({ "call": "check", "request": request }), &[]);
        assert_eq!(checked["kind"], "lontalk", "{checked}");
    }

    #[cfg(feature = "captures")]
    #[test]
    fn a_file_that_is_no_capture_is_refused_with_what_is_read() {
        let mut session = Session::default();
        let message = captured(&mut session, b"GIF89a", 6)["problems"][0]["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("site.pcap is in no known format") && message.contains("pcapng"), "{message}");
        let (answer, _) = called(&mut session, &json!({ "call": "capture_found" }), &[]);
        assert_eq!(answer["fault"], "the capture is not read to its end");
    }

    #[test]
    fn a_call_that_is_none_is_answered_with_its_fault() {
        for input in [&b""[..], &b"\xff\xff\0\0{}"[..], &framed(&json!({ "call": "fly" }), &[])] {
            let output = answer(&mut Session::default(), input);
            assert!(String::from_utf8_lossy(&output).contains("fault"));
        }
    }
}
