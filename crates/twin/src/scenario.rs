//! The result of a twin, a scenario with its trace files, and the options for it.

use super::document::Document;

/// What a twin shall be like.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether addresses of the capture are left out.
    pub anonymise: bool,
    /// Name of the scenario without ending: traces have it before their own.
    pub name: String,
    /// Bit rate where the capture shows none, bit/s.
    pub bit_rate: Option<u64>,
    /// The same of the data phase of CAN FD.
    pub data_bit_rate: Option<u64>,
}

/// A scenario, and the files that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    /// The scenario as TOML.
    pub scenario: String,
    /// Traces of flows that follow no law.
    pub traces: Vec<Trace>,
    /// What the capture has and the scenario has not, as parts of a sentence.
    pub doubts: Vec<String>,
}

impl Twin {
    /// The same scenario with a sentence at its head.
    #[must_use]
    pub fn headed(mut self, sentence: &str) -> Twin {
        let mut head = Document::default();
        head.comment(sentence);
        self.scenario.insert_str(0, &head.finish());
        self
    }
}

/// The messages of a flow, as a scenario's `arrivals` of kind `trace` reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its name beside the scenario.
    pub file: String,
    /// Its contents, CSV.
    pub text: String,
}
