//! Stations from a CSV file: one per row; its columns are keys of `[[station]]`.

use std::sync::Arc;

use super::Draft;
use crate::document::Document;
use crate::hint;
use crate::keys::{Key, Kind, TableKeys};
use crate::problem::{Problem, Problems};
use crate::source::{Place, Source};
use crate::tree::{self, Entries, Node, Value};
use crate::value;

/// The stations of the file that `stations = "..."` names.
pub(super) fn from_file(document: &Document, problems: &mut Problems) -> Vec<Draft> {
    let (Some(node), Some(declared)) = (document.entries.get("stations"), document.keys.table("station")) else {
        return Vec::new();
    };
    let Some(name) = node.as_text() else {
        let problem =
            Problem::at(node.place.clone(), format!("`stations` is the path of a CSV file, not {}", node.value.noun()));
        problems.push(problem);
        return Vec::new();
    };
    match document.folder.load(name) {
        Ok(source) => rows(&source, declared, problems),
        Err(found) => {
            problems.push(value::moved(found, node));
            Vec::new()
        }
    }
}

fn rows(source: &Arc<Source>, declared: &TableKeys, problems: &mut Problems) -> Vec<Draft> {
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(source.text.as_bytes());
    let columns = match reader.headers() {
        Ok(headers) => headers.clone(),
        Err(error) => {
            problems.push(Problem::at(Some(Place::new(source, 0..0)), format!("this is not CSV: {error}")));
            return Vec::new();
        }
    };
    let keys: Vec<Option<&'static Key>> =
        columns.iter().map(|column| column_key(column, source, declared, problems)).collect();
    let mut stations = Vec::new();
    let mut record = csv::StringRecord::new();
    loop {
        let start = reader.position().byte() as usize;
        match reader.read_record(&mut record) {
            Ok(false) => return stations,
            Ok(true) => stations.push(row(&record, &keys, source, start..reader.position().byte() as usize)),
            Err(error) => {
                problems.push(Problem::at(Some(Place::new(source, start..start)), format!("this is not CSV: {error}")));
                return stations;
            }
        }
    }
}

fn column_key(
    column: &str,
    source: &Arc<Source>,
    declared: &TableKeys,
    problems: &mut Problems,
) -> Option<&'static Key> {
    let key = declared.find(column).filter(|key| key.inner().is_empty());
    if key.is_none() {
        let at = source.text.find(column).unwrap_or(0);
        let place = Place::new(source, at..at + column.len());
        let names = declared.all().filter(|key| key.inner().is_empty()).map(|key| key.name);
        let problem = Problem::at(Some(place), format!("a station has no key `{column}` that fits in a column"));
        problems.push(problem.maybe_help(hint::suggestion(column, names)));
    }
    key
}

fn row(
    record: &csv::StringRecord,
    keys: &[Option<&'static Key>],
    source: &Arc<Source>,
    span: std::ops::Range<usize>,
) -> Draft {
    let line = Place::new(source, span);
    let lead = line.text().len() - line.text().trim_start().len();
    let line = Place::new(source, line.span.start + lead..line.span.start + lead + line.text().trim().len());
    let mut from = line.span.start;
    let mut entries = Entries::default();
    for (cell, key) in record.iter().zip(keys) {
        let place = source.text[from..line.span.end]
            .find(cell)
            .map_or_else(|| line.clone(), |at| Place::new(source, from + at..from + at + cell.len()));
        from = place.span.end.min(line.span.end);
        if let Some(key) = key.filter(|_| !cell.is_empty()) {
            let node = cell_value(key, cell, source, place.clone());
            entries.set(key.name, Some(place), node);
        }
    }
    Draft { place: Some(line), entries, exceptions: Vec::new() }
}

/// A cell as the value its key takes: several names are separated by spaces.
fn cell_value(key: &Key, cell: &str, source: &Arc<Source>, place: Place) -> Node {
    match key.kind {
        Kind::Names(..) => {
            let names = cell.split_whitespace().map(|name| Node::text(name, Some(place.clone()))).collect();
            Node { value: Value::List(names), place: Some(place) }
        }
        Kind::Integer(..) | Kind::Choice(_) | Kind::Number(_) | Kind::Flag => {
            let offset = place.span.start;
            Node { place: Some(place), ..tree::value(cell, source, offset) }
        }
        _ => Node::text(cell, Some(place)),
    }
}
