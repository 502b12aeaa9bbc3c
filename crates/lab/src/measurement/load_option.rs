//! `--load`: one `[[load]]` table as a single argument.

use sojourn_scenario::problem::ARGUMENT;
use sojourn_scenario::tree::{self, Entries};
use sojourn_scenario::{Document, Place, Problem, Problems, Source};

/// Adds a `[[load]]` from its short form: `tcp:4,down`, `udp:50 Mbit/s,size=200 B`. The declarations of `[[load]]` check
/// it, with the caret in the argument.
pub fn add_load(document: &mut Document, text: &str) -> Result<(), Problems> {
    const OPTION: &str = "--load ";
    let source = Source::new(ARGUMENT, format!("{OPTION}{text}"));
    let place = |part: &str| {
        let at = OPTION.len() + (part.as_ptr() as usize - text.as_ptr() as usize);
        Place::new(&source, at..at + part.len())
    };
    let mut entries = Entries::default();
    let mut set = |key: &str, at: &str, value: &str| {
        entries.set(key, Some(place(at)), tree::value(value, &source, place(value).span.start));
    };
    let mut parts = text.split(',');
    let head = parts.next().unwrap_or_default();
    let (transport, amount) = head.split_once(':').unwrap_or((head, ""));
    set("transport", transport, transport);
    if !amount.is_empty() {
        set(if transport.trim() == "udp" { "rate" } else { "streams" }, amount, amount);
    }
    let mut problems = Problems::new();
    for part in parts {
        match part.split_once('=') {
            Some((key, value)) => set(key.trim(), key, value),
            None if matches!(part.trim(), "up" | "down") => set("direction", part, part),
            None => {
                let problem =
                    Problem::at(Some(place(part)), format!("`{}` is neither a direction nor KEY=VALUE", part.trim()));
                problems.push(problem.help("tcp:4 | tcp:2,down,congestion=cubic,pace=5 Mbit/s | udp:50 Mbit/s,up"));
            }
        }
    }
    document.push("load", entries, Some(place(text)));
    problems.or(())
}
