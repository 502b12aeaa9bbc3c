//! The scenario inferred from a capture, and its traces, as files.

use std::path::{Path, PathBuf};

use sojourn_capture::twin::{Options, Survey};
use sojourn_scenario::{Problem, Problems};

use crate::files::write_whole;

/// Where the twin of a capture is written.
pub(super) struct TwinFile {
    path: PathBuf,
    options: Options,
}

impl TwinFile {
    /// The twin that will be `path`. Its traces are beside it and begin with its name.
    pub fn new(path: &Path, anonymise: bool, bit_rate: Option<u64>) -> Result<TwinFile, Problems> {
        let toml = path.extension().is_some_and(|ending| ending == "toml");
        let name = path.file_stem().and_then(|name| name.to_str()).filter(|_| toml).ok_or_else(|| {
            Problems::from(Problem::plain(format!("`{}` does not end in .toml, as a scenario does", path.display())))
        })?;
        Ok(TwinFile { path: path.to_owned(), options: Options { anonymise, name: name.to_owned(), bit_rate } })
    }

    /// Writes the scenario and its traces; what went wrong.
    pub fn write(&self, survey: Survey) -> Result<(), String> {
        let twin = survey.twin(&self.options).map_err(|error| error.to_string())?;
        let traces = twin.traces.iter().map(|trace| (self.path.with_file_name(&trace.file), &trace.text));
        for (path, text) in traces.chain([(self.path.clone(), &twin.scenario)]) {
            write_whole(&path, text.as_bytes()).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        Ok(())
    }
}
