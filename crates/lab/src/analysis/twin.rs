//! Writes the scenario inferred from a capture, and its traces, as files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sojourn_capture::Findings;
use sojourn_capture::can::DataPhase;
use sojourn_capture::ip::media::Format;
use sojourn_scenario::{Problem, Problems};
use sojourn_twin::behaviour::{Behaviour, BusTraffic, Speech};
use sojourn_twin::trial::{Comparison, choose};
use sojourn_twin::{Options, Survey, Twin};

use super::trial::{Trial, times};
use super::verdict::{Has, TwinSummary, Verdict};
use crate::files::write_whole;
use crate::progress::Tracker;

/// Where the twin of a capture is written.
pub(super) struct TwinFile {
    path: PathBuf,
    options: Options,
}

impl TwinFile {
    /// The twin that will be `path`. Its traces are beside it and begin with its name.
    pub fn new(path: &Path, anonymise: bool, bit_rate: Option<u64>, phase: DataPhase) -> Result<TwinFile, Problems> {
        let toml = path.extension().is_some_and(|ending| ending == "toml");
        let name = path.file_stem().and_then(|name| name.to_str()).filter(|_| toml).ok_or_else(|| {
            Problems::from(Problem::plain(format!("`{}` does not end in .toml, as a scenario does", path.display())))
        })?;
        let data_bit_rate = phase.rates.map(|(_, data)| data);
        let options = Options { anonymise, name: name.to_owned(), bit_rate, data_bit_rate };
        Ok(TwinFile { path: path.to_owned(), options })
    }

    /// Writes the scenario that comes closest to the capture when it is simulated, and its traces; how close it comes.
    pub fn write(&self, found: &Findings, mut survey: Survey, tracker: &Arc<Tracker>) -> Result<TwinSummary, String> {
        if found.is_simulated {
            survey.is_captured_on_arrival();
        }
        let readings = survey.readings(&self.options).map_err(|error| error.to_string())?;
        let (mut twin, mut summary) = self.tried(readings, found, &survey, tracker);
        // what limited them is not the link
        if summary.carries_more()
            && let Some(recorded) = survey.recorded(&self.options)
        {
            let (recorded, judged) = self.tried(vec![recorded], found, &survey, tracker);
            if judged.verdict != Verdict::NotCompared {
                (twin, summary) = (recorded, judged);
            } else {
                survey.reject_recorded();
            }
        }
        let twin = twin.headed(&summary.head());
        let traces = twin.traces.iter().map(|trace| (self.path.with_file_name(&trace.file), &trace.text));
        for (path, text) in traces.chain([(self.path.clone(), &twin.scenario)]) {
            write_whole(&path, text.as_bytes()).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        Ok(summary)
    }

    /// The scenario of `readings` that comes closest, and how close that is.
    fn tried(
        &self,
        readings: Vec<Twin>,
        found: &Findings,
        survey: &Survey,
        tracker: &Arc<Tracker>,
    ) -> (Twin, TwinSummary) {
        let comparison = survey.comparison(found.is_simulated);
        match observed(found, survey).filter(|_| comparison != Comparison::Nowhere) {
            Some(observed) => {
                let trial = Trial::new((comparison, survey.is_recorded()), found, formats(survey), tracker);
                let tried = choose(readings, &observed, |twin, seed| trial.run(twin, seed));
                let transfers = observed.transfers.octets > 0;
                let responses = observed.responses.count() > 0;
                let buses = !found.sink.can_buses().is_empty();
                let has = Has { responses, transfers, buses, transfer_times: transfers && survey.is_recorded() };
                let summary = TwinSummary::of(&tried, has, trial.refusal(), &self.path);
                (tried.twin, summary)
            }
            None => {
                let first = readings.into_iter().next().expect("a reading");
                (first, TwinSummary::not_compared(&self.path))
            }
        }
    }
}

/// What the capture was like; `None` where there was no memory for its response times.
fn observed(found: &Findings, survey: &Survey) -> Option<Behaviour> {
    let responses = times(&found.sink, found.network)?;
    let calls = survey.speech().map(|stream| Speech::of(stream, stream.format.as_ref())).collect();
    let buses = BusTraffic::of(found.sink.can_buses(), found.seconds());
    Some(Behaviour { responses, seconds: found.seconds(), transfers: survey.transfers(), calls, buses })
}

/// What the streams of speech carry that the twin has.
fn formats(survey: &Survey) -> Vec<Option<Format>> {
    survey.speech().map(|stream| stream.format.clone()).collect()
}
