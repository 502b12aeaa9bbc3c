//! The tables of a capture as files: `capture.json` and CSV.

use std::io;
use std::path::Path;

use serde::Serialize;

use crate::files::write_whole;

/// The tables of a capture.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Summary(pub sojourn_analysis::Summary);

impl Summary {
    /// Writes the tables to a folder: all rows as CSV, the first ones as JSON.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let Summary(tables) = self;
        let file = |name: &str, text: Vec<u8>| write_whole(&folder.join(name), &text);
        file("flows.csv", csv(&tables.flows))?;
        file("stations.csv", csv(&tables.stations))?;
        file("conversations.csv", csv(&tables.conversations))?;
        file("timeline.csv", csv(&tables.steps))?;
        if !tables.calls.is_empty() {
            file("calls.csv", csv(&tables.calls))?;
        }
        if !tables.identifiers.is_empty() {
            file("identifiers.csv", csv(&tables.identifiers))?;
        }
        if !tables.streams.is_empty() {
            file("streams.csv", csv(&tables.streams))?;
        }
        let text = serde_json::to_string_pretty(tables).expect("tables are plain data");
        file("capture.json", format!("{text}\n").into_bytes())
    }
}

/// Rows with a head of their fields' names.
fn csv<T: Serialize>(rows: &[T]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("a row is plain data");
    }
    writer.into_inner().expect("a vector takes all")
}
