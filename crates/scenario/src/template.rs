//! `sojourn new`: writes a runnable scenario in which the declaration of each key explains it.

use std::fmt::Write;

use crate::keys::{Key, Kind, NetworkKeys, Preset, Shape, TableKeys, Variant};
use crate::quantity::Dimension;
use crate::value::range_in_words;

/// Longest line of a comment.
const WIDTH: usize = 110;

/// A network's scenario as these lines, each key with its comment.
pub(crate) fn commented(network: &NetworkKeys, lines: &str) -> String {
    let mut text = format!(
        "# {}\n# `sojourn check FILE --expand` prints every key there is, with its default and source.\n",
        network.help
    );
    let mut table: Option<&TableKeys> = None;
    let (mut written, mut explained) = (Vec::new(), Vec::new());
    for line in lines.lines() {
        if let Some(name) = header(line) {
            rest(&mut text, table, &written);
            written.clear();
            table = network.table(name);
            explain_table(&mut text, network, table, line);
        } else if let (Some(declared), Some((name, _))) = (table, line.split_once(" = ")) {
            if let Some(key) = declared.find(name).filter(|key| !explained.contains(&key.help)) {
                explained.push(key.help);
                comment(&mut text, &sentence(key));
            }
            written.push(name);
        }
        let _ = writeln!(text, "{line}");
    }
    rest(&mut text, table, &written);
    text
}

/// `station` of `[station.sender]`, `flow` of `[[flow]]`.
fn header(line: &str) -> Option<&str> {
    let name = line.strip_prefix('[')?.trim_start_matches('[').trim_end_matches(']');
    name.split('.').next()
}

fn explain_table(text: &mut String, network: &NetworkKeys, table: Option<&TableKeys>, line: &str) {
    match table {
        _ if line.contains('.') => comment(text, "Keys of this one alone."),
        Some(table) if table.shape == Shape::Many && !line.starts_with("[[") => comment(text, "Keys of all stations."),
        Some(table) => comment(text, table.help),
        None if line == "[expect]" => comment(
            text,
            "A verdict at the end: met, missed, or undecided. `sojourn metrics` lists what can stand here.",
        ),
        None => debug_assert!(false, "{line} in the template of {}", network.kind),
    }
}

/// The keys of a table that are not shown.
fn rest(text: &mut String, table: Option<&TableKeys>, written: &[&str]) {
    let Some(table) = table else { return };
    let shorthand = table.shape == Shape::Many && !text.contains(&format!("[[{}]]", table.name));
    let fits = |key: &&Key| !(shorthand && matches!(key.name, "name" | "count" | "on"));
    let more: Vec<&str> = table.all().filter(fits).map(|key| key.name).filter(|name| !written.contains(name)).collect();
    if !more.is_empty() && written.len() > 1 {
        // before the empty line that ends the table
        let gap = text.ends_with("\n\n");
        text.truncate(text.trim_end().len());
        text.push('\n');
        comment(text, &format!("More keys: {}.", more.join(", ")));
        if gap {
            text.push('\n');
        }
    }
}

fn sentence(key: &Key) -> String {
    let list = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let range = match key.kind {
        Kind::Quantity(dimension, bounds) | Kind::QuantityOr(dimension, bounds, _) => {
            let or: String = key.words().iter().map(|word| format!(", or \"{}\"", word.word)).collect();
            format!("Range: {} (units: {}){or}.", range_in_words(bounds), dimension.units_in_words())
        }
        Kind::Number(bounds) => format!("Range: {}.", range_in_words(bounds)),
        Kind::Integer(_, high) if high > 1_000_000_000 => String::new(),
        Kind::Integer(low, high) => format!("Range: {low} to {high}."),
        Kind::Choice(choices) => format!("One of {}.", list(choices)),
        Kind::Code(codes) => format!("One of {} ms.", list(codes.milliseconds)),
        Kind::Word(words) => {
            let meanings: Vec<String> = words.iter().map(|word| format!("{} ({})", word.word, word.help)).collect();
            format!("Words: {}.", meanings.join("; "))
        }
        Kind::Variants(variants) => format!("Kinds: {}.", kinds(variants)),
        Kind::TimeOrLaw(bounds, variants) => {
            let units = Dimension::Time.units_in_words();
            format!("Range: {} (units: {units}), or a table of kind {}.", range_in_words(bounds), kinds(variants))
        }
        _ => String::new(),
    };
    let default = match key.preset {
        Preset::Value(value) if value != "\"\"" && value != "{}" => format!(" Default {value}."),
        _ => String::new(),
    };
    let range = if range.is_empty() { range } else { format!(" {range}") };
    format!("{}{range}{default}", key.help)
}

fn kinds(variants: &[Variant]) -> String {
    variants.iter().map(|variant| variant.word).collect::<Vec<_>>().join(", ")
}

/// A comment, wrapped.
fn comment(text: &mut String, sentence: &str) {
    let mut line = String::from("#");
    for word in sentence.split_whitespace() {
        if line.chars().count() + word.chars().count() + 1 > WIDTH {
            let _ = writeln!(text, "{line}");
            line = String::from("#  ");
        }
        let _ = write!(line, " {word}");
    }
    let _ = writeln!(text, "{line}");
}
