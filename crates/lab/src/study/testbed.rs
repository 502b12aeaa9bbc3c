//! The testbed on which an experiment can also be measured: a chain of four Linux hosts.

use serde::Serialize;
use sojourn_scenario::hint::suggestion;
use sojourn_scenario::problem::{Problem, Problems};
use sojourn_scenario::quantity::{Dimension, Quantity};

use super::fields::Fields;

const KEYS: &[&str] = &["queue", "congestion", "buffer", "mtu"];
/// One FIFO; HTB, a class per flow that borrows all its bandwidth; HTB, a class per flow with a quarter of the rate guaranteed.
const QUEUES: &[&str] = &["fifo", "borrow", "assured"];
/// TCP congestion controls of every Linux kernel.
const CONGESTION: &[&str] = &["reno", "cubic"];

/// Four hosts in a row, with the bottleneck queue between the two in the middle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Testbed {
    /// Queue discipline of the bottleneck: `fifo`, `borrow` or `assured`.
    pub queue: String,
    /// The senders' congestion control.
    pub congestion: String,
    /// Size of the socket buffers, in bytes; without it the kernel tunes them.
    pub buffer: Option<u64>,
    /// MTU of every link, in bytes.
    pub mtu: u32,
}

/// The inline table `live` of an experiment, if it has one.
pub fn read(fields: &Fields<'_>, problems: &mut Problems) -> Option<Testbed> {
    let live = fields.table("live", problems)?;
    live.refuse_unknown(KEYS, problems);
    let buffer = live.text("buffer", problems).map(str::to_owned);
    Some(Testbed {
        queue: word(&live, "queue", QUEUES, problems),
        congestion: word(&live, "congestion", CONGESTION, problems),
        buffer: buffer.and_then(|text| octets(&live, &text, problems)),
        mtu: live.count("mtu", problems).unwrap_or(1500),
    })
}

fn word(live: &Fields<'_>, key: &str, known: &[&str], problems: &mut Problems) -> String {
    let text = live.needed_text(key, problems);
    if !text.is_empty() && !known.contains(&text.as_str()) {
        let message = format!("`{text}` is not one of {}", known.join(", "));
        let problem = Problem::at(live.place(key), message);
        problems.push(problem.maybe_help(suggestion(&text, known.iter().copied())));
    }
    text
}

fn octets(live: &Fields<'_>, text: &str, problems: &mut Problems) -> Option<u64> {
    let found = Quantity::parse(text, Dimension::Size).ok().and_then(|quantity| quantity.integer());
    if found.is_none() {
        let problem = Problem::at(live.place("buffer"), format!("`{text}` is not a whole number of bytes"));
        problems.push(problem.help(format!("accepted: {}", Dimension::Size.units_in_words())));
    }
    found
}
