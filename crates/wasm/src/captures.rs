//! A capture in a page: its file in pieces, what it shows, and its twin.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use sojourn_analysis::{Summary, Watch, nothing_found, results, twin};
use sojourn_capture::analysis::Standing;
use sojourn_capture::reader::{Feed, Reader};
use sojourn_capture::{Analysis, Findings};
use sojourn_catalogue::NETWORKS;
use sojourn_experiment::Build;
use sojourn_experiment::evaluation::text_of;
use sojourn_scenario::quantity::{Dimension, Quantity};
use sojourn_scenario::{Problem, Problems};
use sojourn_twin::{Options, Survey};

use crate::fault::fault;

/// What is asked of a capture.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureAsked {
    /// Name of the file, which names the results.
    name: String,
    /// Bit rate of the medium as text, for utilization.
    bit_rate: Option<String>,
    /// How many of the slowest transactions are listed.
    slowest: usize,
}

/// A capture of which pieces arrive.
pub struct Capture {
    asked: CaptureAsked,
    feed: Feed,
    stage: Stage,
}

/// How far it is.
enum Stage {
    /// Too little has arrived to know its format.
    Begun,
    /// Its packets are read.
    Reading(Box<Analysis>, Box<Survey>),
    /// All of it was read; the survey is there until the twin was given.
    Read(Box<Findings>, Option<Box<Survey>>),
}

/// A page that does not want a twin any more ends the worker.
struct Unwatched;

impl Watch for Unwatched {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn note(&self, _: String) {}
}

impl Capture {
    /// A capture that begins.
    pub fn new(asked: CaptureAsked) -> Capture {
        Capture { asked, feed: Feed::default(), stage: Stage::Begun }
    }

    /// Takes the next piece of the file and reads as far as it goes: how far that is.
    pub fn piece(&mut self, piece: &[u8], is_last: bool) -> Result<Value, Problems> {
        self.feed.put(piece.to_vec());
        if is_last {
            self.feed.end();
        }
        if matches!(self.stage, Stage::Begun) {
            self.begin()?;
        }
        let Stage::Reading(analysis, survey) = &mut self.stage else { return Ok(json!({ "packets": 0 })) };
        while analysis.step_seen(|packet| survey.packet(packet)) {}
        let standing = shown(&analysis.standing());
        if !analysis.awaits() {
            self.end();
        }
        Ok(standing)
    }

    fn begin(&mut self) -> Result<(), Problems> {
        let opened = Reader::open_feed(&self.asked.name, &self.feed).map_err(|error| plain(&error))?;
        let Some(reader) = opened else { return Ok(()) };
        let analysis = Analysis::new(reader, None);
        let analysis = if self.asked.slowest > 0 { analysis.with_slowest(self.asked.slowest) } else { analysis };
        self.stage = Stage::Reading(Box::new(analysis), Box::default());
        Ok(())
    }

    fn end(&mut self) {
        if let Stage::Reading(analysis, survey) = std::mem::replace(&mut self.stage, Stage::Begun) {
            self.stage = Stage::Read(Box::new(analysis.finish()), Some(survey));
        }
    }

    /// Its results and tables.
    pub fn found(&self, build: &Build) -> Result<Value, Problems> {
        let Stage::Read(found, _) = &self.stage else { return Ok(fault("the capture is not read to its end")) };
        if let Some(problem) = nothing_found(found, None) {
            return Err(plain(&problem));
        }
        let bit_rate = self.bit_rate()?;
        let record = found.record(bit_rate);
        let tables = Summary::of(found, bit_rate, &record.notes);
        let results = results(found, &record, self.asked.name.clone(), build);
        Ok(json!({ "results_json": text_of(&results), "capture": tables }))
    }

    /// Its twin, with how close it comes.
    pub fn twin(&mut self, name: String) -> Result<Value, Problems> {
        let bit_rate = self.bit_rate()?;
        let Stage::Read(found, survey) = &mut self.stage else {
            return Ok(fault("the capture is not read to its end"));
        };
        let Some(survey) = survey.take() else { return Ok(fault("the twin was given already")) };
        let file = format!("{name}.toml");
        let options = Options { name, bit_rate, ..Options::default() };
        let (twin, summary) =
            twin(found, *survey, &options, &file, NETWORKS, &Unwatched).map_err(|error| plain(&error))?;
        let files: BTreeMap<String, String> = twin.traces.into_iter().map(|trace| (trace.file, trace.text)).collect();
        Ok(json!({ "text": twin.scenario, "files": files, "twin": summary }))
    }

    fn bit_rate(&self) -> Result<Option<u64>, Problems> {
        let Some(text) = &self.asked.bit_rate else { return Ok(None) };
        let parsed = Quantity::parse(text, Dimension::BitRate).ok().map(Quantity::number);
        let valid = parsed.filter(|rate| (1.0..=1e15).contains(rate)).map(|rate| rate as u64);
        valid.map(Some).ok_or_else(|| plain(&format!("`{text}` is not a bit rate, as 500 kbit/s is")))
    }
}

fn plain(message: &impl ToString) -> Problems {
    Problem::plain(message.to_string()).into()
}

fn shown(standing: &Standing) -> Value {
    json!({
        "packets": standing.packets,
        "seconds": standing.time.seconds(),
        "transactions": standing.transactions,
        "retries": standing.retries,
        "unanswered": standing.unanswered,
        "malformed": standing.malformed,
        "response_time": standing.response_time_s,
    })
}
