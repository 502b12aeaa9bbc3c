//! Analysis of real captures: results in the form of a simulation, and tables.

mod input;
pub(crate) mod summary;
mod twin;
mod watched;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sojourn_analysis::{nothing_found, results, undecidable};
use sojourn_capture::analysis::Standing;
use sojourn_capture::can::DataPhase;
use sojourn_capture::ip::roles::{Server, Servers};
use sojourn_capture::reader::{ReadError, Reader, Source};
use sojourn_capture::{Analysis, Findings, Network, Packet};
use sojourn_experiment::evaluation::text_of;
use sojourn_metrics::display::{DIGITS, Shown, percent};
use sojourn_metrics::record::Record;
use sojourn_scenario::hint::suggestion;
use sojourn_scenario::quantity::{Dimension, Quantity};
use sojourn_scenario::{Expectation, Problem, Problems};
use sojourn_twin::Survey;

pub use summary::Summary;
use twin::TwinFile;
use watched::Watched;

use crate::columns::Columns;
use crate::expected;
use crate::outcome::{Outcome, Status};
use crate::progress::Tracker;
use crate::provenance::Provenance;
use crate::request::{Analyse, Build};

/// Packets between two looks at the time.
const PACKETS_PER_LOOK: u64 = 256;
/// Seconds between two notes on the progress.
const NOTE_INTERVAL_S: f64 = 0.25;
/// The most of the slowest transactions that are listed.
const MOST_LISTED: usize = 10_000;
/// The name of standard input among captures.
const STANDARD_INPUT: &str = "-";

/// A capture to be analysed, checked as far as it can be without reading it.
pub struct AnalysisTask {
    captures: Vec<PathBuf>,
    /// The files, open; none while standard input is among them, which may be silent for long.
    reader: Option<Reader>,
    network: Option<Network>,
    bit_rate: Option<u64>,
    data_phase: DataPhase,
    servers: Servers,
    /// How many of the slowest transactions are listed.
    slowest: usize,
    expectations: Vec<Expectation>,
    twin: Option<TwinFile>,
    /// Folder for results.
    out: Option<PathBuf>,
}

impl AnalysisTask {
    /// Checks the request and opens its files.
    pub fn open(request: &Analyse) -> Result<AnalysisTask, Problems> {
        let expectations = expected::read(&request.expect)?;
        let network = request.network.as_deref().map(network).transpose()?;
        let bit_rate = request.bit_rate.as_deref().map(|text| rate("--bit-rate", text)).transpose()?;
        let data_phase = data_phase(bit_rate, request.data_bit_rate.as_deref())?;
        let servers = Servers::stated(request.server.iter().map(|text| server(text)).collect::<Result<_, _>>()?);
        let slowest = request.slowest.min(MOST_LISTED);
        let captures = request.captures.clone();
        let streamed = captures.iter().any(|path| is_standard_input(path));
        if streamed && captures.len() > 1 {
            return Err(
                Problem::plain("`-` is standard input, which is a capture of its own: leave out the others").into()
            );
        }
        let reader = if streamed { None } else { Some(open(&captures, None).map_err(unreadable)?) };
        let twin = |path| TwinFile::new(path, request.anonymise, bit_rate, data_phase);
        let twin = request.scenario.as_deref().map(twin).transpose()?;
        let out = request.out.clone();
        Ok(AnalysisTask { captures, reader, network, bit_rate, data_phase, servers, slowest, expectations, twin, out })
    }

    /// Reads the capture to its end, or until it is stopped, which keeps what was found so far.
    pub fn run(self, build: &Build, provenance: Provenance, tracker: &Arc<Tracker>) -> Outcome {
        let mut outcome = Outcome::cancelled(provenance, Vec::new());
        let AnalysisTask { captures, reader, network, bit_rate, data_phase, servers, slowest, expectations, twin, out } =
            self;
        let reader = match reader.map_or_else(|| open(&captures, Some(tracker)), Ok) {
            Ok(reader) => reader,
            Err(error) => {
                outcome.error = Some(error.to_string());
                return outcome;
            }
        };
        let whole = captures.iter().filter_map(|path| Some(std::fs::metadata(path).ok()?.len())).sum();
        let progress = ReadingProgress {
            read: reader.bytes_read(),
            whole,
            streamed: captures.iter().any(|path| is_standard_input(path)),
        };
        let asked = AnalysisContext { captures: &captures, network, bit_rate, expectations: &expectations, build };
        let analysis = Analysis::new(reader, network).with_servers(&servers).with_data_phase(data_phase);
        let analysis = if slowest > 0 { analysis.with_slowest(slowest) } else { analysis };
        let mut survey = twin.as_ref().map(|_| Survey::new(&servers));
        let mut watched = Watched::new(out.filter(|_| progress.streamed));
        let found = read(analysis, &mut survey, &progress, tracker, &mut watched, |found, folder| {
            let mut so_far = Outcome::cancelled(outcome.provenance.clone(), Vec::new());
            if asked.add(found, &mut so_far) {
                // the job itself reports what cannot be written
                let _ = so_far.write(folder);
            }
        });
        if tracker.is_cancelled() {
            outcome.warn(vec![format!("stopped after {} packets", found.packets)]);
        }
        outcome.status = Status::Done;
        if !asked.add(&found, &mut outcome) {
            return outcome;
        }
        if let (Some(twin), Some(survey)) = (twin, survey) {
            match twin.write(&found, survey, tracker) {
                Ok(summary) => {
                    if let Some(Summary(tables)) = &mut outcome.capture {
                        tables.twin = Some(summary);
                    }
                }
                Err(error) => outcome.error = Some(error),
            }
        }
        outcome
    }
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

fn open(captures: &[PathBuf], tracker: Option<&Arc<Tracker>>) -> Result<Reader, ReadError> {
    let source = |path: &PathBuf| match tracker {
        Some(tracker) if is_standard_input(path) => {
            Source::Stream("standard input".to_owned(), Box::new(input::StandardInput::new(Arc::clone(tracker))))
        }
        _ => Source::Path(path.clone()),
    };
    Reader::open(captures.iter().map(source).collect())
}

fn unreadable(error: ReadError) -> Problems {
    Problem::plain(error.to_string()).into()
}

fn network(kind: &str) -> Result<Network, Problems> {
    Network::of_kind(kind).ok_or_else(|| {
        let known = Network::ALL.map(Network::kind);
        let argument = format!("--network {kind}");
        let place = argument.len() - kind.len()..argument.len();
        let problem = Problem::argument(&argument, place, format!("captures of a network `{kind}` are not analysed"));
        let listed = format!("those of {} are", known.join(", "));
        problem.help(suggestion(kind, known).unwrap_or(listed)).into()
    })
}

fn server(text: &str) -> Result<Server, Problems> {
    text.parse().map_err(|error| {
        let argument = format!("--server {text}");
        let place = argument.len() - text.len()..argument.len();
        Problem::argument(&argument, place, format!("`{text}` {error}"))
            .help("--server 10.0.0.1, 10.0.0.1:2049, '[2001:db8::1]:2049', 2049 or 2049/udp")
            .into()
    })
}

/// Bit rates of CAN FD frames, of the bus and of the data phase, where both are stated.
fn data_phase(bit_rate: Option<u64>, text: Option<&str>) -> Result<DataPhase, Problems> {
    let Some(text) = text else { return Ok(DataPhase::default()) };
    let phase = rate("--data-bit-rate", text)?;
    let Some(bus) = bit_rate else {
        return Err(
            Problem::plain("--data-bit-rate is that of the data phase of CAN FD: state --bit-rate as well").into()
        );
    };
    Ok(DataPhase { rates: Some((bus, phase)) })
}

fn rate(option: &str, text: &str) -> Result<u64, Problems> {
    let parsed = Quantity::parse(text, Dimension::BitRate).ok().map(Quantity::number);
    parsed.filter(|rate| (1.0..=1e15).contains(rate)).map(|rate| rate as u64).ok_or_else(|| {
        let argument = format!("{option} {text}");
        let place = argument.len() - text.len()..argument.len();
        Problem::argument(&argument, place, format!("`{text}` is not a bit rate"))
            .help(format!("{option} '500 kbit/s'"))
            .into()
    })
}

/// How much of the files was read.
struct ReadingProgress {
    read: Arc<AtomicU64>,
    whole: u64,
    /// Whether a pipe is read, whose packets are shown as they come.
    streamed: bool,
}

/// Reads a capture to its end, or until the job is cancelled. What was read of a pipe so far is given to `keep` every now
/// and then, so that nothing but the end is lost if this process ends without notice.
fn read(
    mut analysis: Analysis,
    survey: &mut Option<Survey>,
    progress: &ReadingProgress,
    tracker: &Tracker,
    watched: &mut Watched,
    keep: impl Fn(&Findings, &Path),
) -> Findings {
    let (mut packets, mut noted_s) = (0u64, f64::NEG_INFINITY);
    let mut see = |packet: &Packet<'_>| {
        if let Some(survey) = survey {
            survey.packet(packet);
        }
    };
    while analysis.step_seen(&mut see) {
        packets += 1;
        if progress.streamed || packets.is_multiple_of(PACKETS_PER_LOOK) {
            if tracker.is_cancelled() {
                break;
            }
            let now_s = tracker.elapsed_s();
            if now_s - noted_s < NOTE_INTERVAL_S {
                continue;
            }
            noted_s = now_s;
            tracker.note(note(&analysis.standing(), progress));
            if progress.streamed {
                watched.look(now_s, &analysis, tracker);
            }
            if watched.keeps(now_s)
                && let Some(folder) = &watched.out
            {
                analysis.so_far(|found| keep(found, folder));
            }
        }
    }
    analysis.finish()
}

fn note(standing: &Standing, progress: &ReadingProgress) -> String {
    let read = progress.read.load(Ordering::Relaxed);
    let share = if progress.whole > 0 && !progress.streamed {
        format!(" ({})", percent((read as f64 / progress.whole as f64).min(1.0), 0, false))
    } else {
        format!(" in {:.1} s", standing.time.seconds())
    };
    let mut text = format!("{} packets{share}, {} transactions", standing.packets, standing.transactions);
    if let Some(mean) = standing.response_time_s {
        text += &format!(", mean response time {}", Shown::unit("s").value(Some(mean), 0.0, DIGITS));
    }
    for (count, word) in
        [(standing.retries, "retries"), (standing.unanswered, "unanswered"), (standing.malformed, "malformed")]
    {
        if count > 0 {
            text += &format!(", {count} {word}");
        }
    }
    text
}

/// What was asked, as far as results need it.
struct AnalysisContext<'a> {
    captures: &'a [PathBuf],
    network: Option<Network>,
    bit_rate: Option<u64>,
    expectations: &'a [Expectation],
    build: &'a Build,
}

impl AnalysisContext<'_> {
    /// Adds results and tables of what was found; false if there is nothing, which is the outcome's error then.
    fn add(&self, found: &Findings, outcome: &mut Outcome) -> bool {
        if let Some(problem) = nothing_found(found, self.network) {
            outcome.error = Some(problem);
            return false;
        }
        let record = found.record(self.bit_rate);
        let undecidable = undecidable::of(self.expectations, found);
        let expectations: Vec<&Expectation> =
            self.expectations.iter().filter(|asked| undecidable.iter().all(|of| of.condition != asked.text)).collect();
        let tables = sojourn_analysis::Summary::of(found, self.bit_rate, &record.notes);
        outcome.capture = Some(Summary(sojourn_analysis::Summary { undecidable, ..tables }));
        self.add_results(found, record, &expectations, outcome);
        true
    }

    fn add_results(&self, found: &Findings, record: Record, expectations: &[&Expectation], outcome: &mut Outcome) {
        let results = results(found, &record, name(self.captures), self.build);
        outcome.warn(record.notes.clone());
        outcome.points.push(Columns::of(std::slice::from_ref(&record)));
        outcome.records.push(vec![record]);
        expected::judge_points(expectations, &results.points, outcome);
        outcome.results_json = Some(text_of(&results));
    }
}

/// The name of the first file, and how many there are beside it.
fn name(captures: &[PathBuf]) -> String {
    let Some(first) = captures.first() else { return String::new() };
    let name = if is_standard_input(first) {
        "standard input".into()
    } else {
        first.file_name().unwrap_or_default().to_string_lossy().into_owned()
    };
    match captures.len() - 1 {
        0 => name,
        more => format!("{name} and {more} more"),
    }
}
