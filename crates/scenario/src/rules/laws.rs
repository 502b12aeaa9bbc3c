//! Checks between the keys of a distribution of durations, wherever one occurs: its mean must be attainable.

use crate::empirical;
use crate::keys::laws::MORE_VARIATION;
use crate::scenario::{Resolved, Scenario, Table};
use crate::{Problem, Problems};

/// The most that a normal law and a lognormal one may vary, in tenths of their mean.
const NORMAL: u128 = 3;
const LOGNORMAL: u128 = 50;

/// Adds what does not hold in any table.
pub(crate) fn check(scenario: &Scenario, problems: &mut Problems) {
    let lists = scenario.many.values().flatten();
    for table in scenario.one.values().chain(lists) {
        within(table, problems);
        table.exceptions.values().for_each(|member| within(member, problems));
    }
}

/// The tables that a table holds.
fn within(table: &Table, problems: &mut Problems) {
    for entry in table.entries() {
        if let Resolved::Table(inner) = &entry.value {
            problems.0.extend(wrong(inner));
            within(inner, problems);
        }
    }
}

fn wrong(table: &Table) -> Option<Problem> {
    match table.optional_word("kind")? {
        "normal" => varies_more(table, NORMAL, "a normal distribution, truncated at zero, keeps its mean up to there"),
        "lognormal" => varies_more(table, LOGNORMAL, "more is not drawn often enough to show"),
        "burst" => overlaps(table),
        "empirical" | "recorded" => empirical::values(table).err().or_else(|| empirical::lost(table).err()),
        _ => None,
    }
}

/// A deviation that is a time, against the interval beside it.
fn varies_more(table: &Table, tenths: u128, why: &str) -> Option<Problem> {
    let (mean, deviation) = (table.optional_duration("interval")?, table.optional_duration("deviation")?);
    let [mean, deviation] = [mean, deviation].map(|span| u128::from(span.picoseconds()));
    if deviation * 10 <= mean * tenths {
        return None;
    }
    let most = tenths as f64 / 10.0;
    let variation = deviation as f64 / mean as f64;
    let message = format!("`deviation` is {variation:.3} of the interval, and at most {most} of it: {why}");
    let shape = (variation * variation).recip();
    let help = match tenths {
        NORMAL if shape >= 0.05 => {
            format!("kind = \"gamma\" with shape = {shape:.3} has this deviation; {MORE_VARIATION}")
        }
        _ => "kinds with a heavier tail: empirical".to_owned(),
    };
    Some(Problem::at(table.place_of("deviation"), message).help(help))
}

/// Bursts that last as long as it is from one to the next never end.
fn overlaps(table: &Table) -> Option<Problem> {
    let (size, gap, interval) =
        (table.optional_integer("size")?, table.optional_duration("gap")?, table.optional_duration("interval")?);
    let lasts = u128::from(size - 1) * u128::from(gap.picoseconds());
    if lasts == 0 || lasts < u128::from(interval.picoseconds()) {
        return None;
    }
    let message =
        format!("a burst of {size} messages {gap} apart lasts as long as the {interval} from one to the next");
    Some(Problem::at(table.place_of("gap"), message).help("write a smaller gap, or a longer interval"))
}
