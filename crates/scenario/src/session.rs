//! Operations on a document before it is checked: edits like those of `--set`, and queries for the axes, ranges and
//! values of its keys.

use crate::document::Document;
use crate::grid::{self, Axis};
use crate::keys::Key;
use crate::parameter::{self, Parameter};
use crate::problem::{ARGUMENT, Problems};
use crate::setting::Setting;
use crate::source::{Place, Source};
use crate::tree::{self, Entries, Node, Value};
use crate::vary::{self, Vary};
use crate::{edit, path};

impl Document {
    /// Sets a key as written: `value` is a TOML value or a bare word or quantity (`300 /s`), `argument` the text an
    /// error shows (`--set background.rate=300 /s`).
    pub fn set(&mut self, key_path: &str, value: &str, argument: &str) -> Result<(), Problems> {
        let source = Source::new(ARGUMENT, argument);
        let path_place = Place::of_text(&source, key_path, argument.find(key_path));
        // the value comes last; `rfind` keeps its own place when it repeats the key
        let at = argument.rfind(value);
        let node = match at {
            Some(at) if !value.is_empty() => tree::value(value, &source, at),
            _ => Node { place: path_place.clone(), ..tree::value(value, &Source::new(ARGUMENT, value), 0) },
        };
        edit::set(self, key_path, &path_place, node).map_err(Problems::from)
    }

    /// Adds a table to a list, as `[[load]]` does: its mistakes are found when the document is checked.
    pub fn push(&mut self, list: &str, entries: Entries, place: Option<Place>) {
        let node = Node { value: Value::Table(entries), place: place.clone() };
        match self.entries.get_mut(list).map(|node| &mut node.value) {
            Some(Value::List(nodes)) => nodes.push(node),
            _ => self.entries.set(list, place.clone(), Node { value: Value::List(vec![node]), place }),
        }
    }

    /// Sets a key to a value read from another file (a study's `set`).
    pub fn set_node(&mut self, key_path: &str, node: Node) -> Result<(), Problems> {
        let place = node.place.clone();
        self.set_at(key_path, place, node)
    }

    /// The same; a mistake in the path is shown at `key_place`.
    pub fn set_at(&mut self, key_path: &str, key_place: Option<Place>, node: Node) -> Result<(), Problems> {
        edit::set(self, key_path, &key_place, node).map_err(Problems::from)
    }

    /// The declaration of the key a path names.
    pub fn key(&self, key_path: &str) -> Result<&'static Key, Problems> {
        let source = Source::new(ARGUMENT, key_path);
        let place = Place::of_text(&source, key_path, Some(0));
        path::locate(self, key_path, &place).map(|target| target.key()).map_err(Problems::from)
    }

    /// One value of a key, as [`Document::set`] takes it and as results show it.
    pub fn setting(&self, key_path: &str, value: &str, argument: &str) -> Result<Setting, Problems> {
        grid::setting_of(self, key_path, value, argument)
    }

    /// The value of a key where the document itself has one; none where it comes from a default or profile.
    pub fn written(&self, key_path: &str) -> Result<Option<Setting>, Problems> {
        let source = Source::new(ARGUMENT, key_path);
        let place = Place::of_text(&source, key_path, Some(0));
        let target = path::locate(self, key_path, &place).map_err(Problems::from)?;
        edit::written(self, &target).map(|node| grid::one(self, target.key(), node)).transpose()
    }

    /// Reads `KEY=50:500:50 /s` (both ends included) or `KEY=a,b`, alone or after an option's name.
    pub fn axis(&self, argument: &str) -> Result<Axis, Problems> {
        grid::axis(self, argument)
    }

    /// An axis of a study's `over`: a list of values, or the text of one (`50:500:50 /s`); mistakes in the path are
    /// shown at `key_place`, in values where they stand.
    pub fn axis_node(&self, key_path: &str, key_place: Option<Place>, node: &Node) -> Result<Axis, Problems> {
        grid::axis_node(self, key_path, &key_place, node)
    }

    /// The number a path names: its unit, its range and what it is now. The document must be right as a whole.
    pub fn parameter(&self, key_path: &str) -> Result<Parameter, Problems> {
        parameter::parameter(self, key_path)
    }

    /// The paths of the numbers that the document itself writes, except those of `[run]` and of measurements.
    pub fn written_numbers(&self) -> Vec<String> {
        parameter::written_numbers(self)
    }

    /// Reads `KEY=LO:HI UNIT`, alone or after an option's name.
    pub fn vary(&self, argument: &str) -> Result<Vary, Problems> {
        vary::vary(self, argument)
    }
}
