//! Writes the scenario inferred from a capture, and its traces, as files.

use std::path::{Path, PathBuf};

use sojourn_analysis::{TwinSummary, Watch, twin};
use sojourn_capture::Findings;
use sojourn_capture::can::DataPhase;
use sojourn_catalogue::NETWORKS;
use sojourn_scenario::{Problem, Problems};
use sojourn_twin::{Options, Survey};

use crate::files::write_whole;
use crate::progress::Tracker;

/// Where the twin of a capture is written.
pub(super) struct TwinFile {
    path: PathBuf,
    options: Options,
}

impl Watch for Tracker {
    fn is_cancelled(&self) -> bool {
        self.is_cancelled()
    }

    fn note(&self, text: String) {
        self.note(text);
    }
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
    pub fn write(&self, found: &Findings, survey: Survey, tracker: &Tracker) -> Result<TwinSummary, String> {
        let name = self.path.display().to_string();
        let (twin, summary) =
            twin(found, survey, &self.options, &name, NETWORKS, tracker).map_err(|error| error.to_string())?;
        let traces = twin.traces.iter().map(|trace| (self.path.with_file_name(&trace.file), &trace.text));
        for (path, text) in traces.chain([(self.path.clone(), &twin.scenario)]) {
            write_whole(&path, text.as_bytes()).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        Ok(summary)
    }
}
