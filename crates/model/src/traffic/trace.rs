//! Recorded messages: a CSV file.

use std::ops::RangeInclusive;
use std::sync::Arc;

use sojourn_core::{Duration, Time};
use sojourn_scenario::{Problem, Scenario, Table};

/// A message of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRow {
    /// When it is sent.
    pub at: Time,
    /// Index of the sending station.
    pub from: usize,
    /// Index of the receiving station.
    pub to: usize,
    /// Bytes of user data.
    pub size: u16,
}

/// Reads a trace: a CSV file with the columns time (seconds), from, to, size (bytes).
pub fn read(
    scenario: &Scenario,
    flow: &Table,
    text: &str,
    sizes: RangeInclusive<u16>,
) -> Result<Arc<[TraceRow]>, Problem> {
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines.next().map_or(Vec::new(), |(_, line)| line.split(',').map(str::trim).collect());
    let wrong = |line: usize, message: String| {
        let help = "a trace has the columns time (seconds), from, to, size (bytes)";
        scenario.problem(flow, "arrivals", format!("line {} of the trace: {message}", line + 1), Some(help.into()))
    };
    let column = |name: &str| {
        header.iter().position(|title| *title == name).ok_or_else(|| wrong(0, format!("column {name} is missing")))
    };
    let columns = [column("time")?, column("from")?, column("to")?, column("size")?];
    let mut rows = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [time, from, to, size] = columns.map(|column| fields.get(column).copied().unwrap_or(""));
        let at = time.parse().ok().and_then(Duration::from_seconds);
        let at = at.ok_or_else(|| wrong(number, format!("{time:?} is not a time in seconds")))?;
        let station = |name: &str| {
            let members = scenario.resolve(name);
            if members.len() == 1 {
                Ok(members.start)
            } else {
                Err(wrong(number, format!("{name:?} is not a station")))
            }
        };
        let size = size.parse::<u16>().ok().filter(|size| sizes.contains(size)).ok_or_else(|| {
            let [least, most] = [sizes.start(), sizes.end()];
            wrong(number, format!("the size must be a whole number of bytes from {least} to {most}"))
        })?;
        rows.push(TraceRow { at: Time::ZERO + at, from: station(from)?, to: station(to)?, size });
    }
    rows.sort_by_key(|row| row.at);
    Ok(rows.into())
}
