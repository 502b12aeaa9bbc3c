//! Report lines: measurements go to standard output, messages about the server itself to standard error.

use std::io::{self, Write};
use std::time::SystemTime;

use sojourn_live::Report;

use crate::arguments::Format;

/// Kinds of report on the server itself.
const MESSAGES: [&str; 4] = ["listening", "strangers", "note", "log"];

/// Writes a report.
pub fn write(report: &Report, format: Format) -> io::Result<()> {
    if MESSAGES.contains(&report.kind) {
        return writeln!(io::stderr(), "{}", message(report));
    }
    let line = match format {
        Format::Table => session(report),
        Format::Json => serde_json::to_string(report)?,
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

fn message(report: &Report) -> String {
    match report.kind {
        "listening" => format!("listening at {}; Ctrl-C ends it", report.peer),
        "log" => format!("time={} {}", humantime::format_rfc3339_millis(SystemTime::now()), report.ended),
        _ => report.ended.clone(),
    }
}

/// A session of the measurement server, or what a reflector did for one peer.
fn session(report: &Report) -> String {
    let Report { kind, peer, messages, bytes, seconds, ended, .. } = report;
    let key = report.key.as_ref().map(|key| format!(" (key {key})")).unwrap_or_default();
    let load = if *bytes > 0 { format!(", {bytes} B of load") } else { String::new() };
    format!("{kind} with {peer}{key}: {messages} probes{load} in {seconds:.3} s, {ended}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_reported_with_its_key_load_and_end() {
        let report = Report {
            kind: "session",
            peer: "192.0.2.7:18620".into(),
            messages: 50,
            bytes: 1500,
            seconds: 1.25,
            ended: "closed".into(),
            key: Some("office".into()),
            ..Report::default()
        };
        assert_eq!(
            session(&report),
            "session with 192.0.2.7:18620 (key office): 50 probes, 1500 B of load in 1.250 s, closed"
        );
    }

    #[test]
    fn a_line_of_the_log_begins_with_its_time_in_utc() {
        let line = message(&Report::log("event=opened".into()));
        assert!(line.starts_with("time=20") && line.ends_with("Z event=opened"), "{line}");
    }
}
