//! Options of commands without a document, read against declarations like keys of a document: units, ranges,
//! defaults, and every mistake under its caret.

use crate::folder::Folder;
use crate::keys::Key;
use crate::problem::{ARGUMENT, Problems};
use crate::resolve::Form;
use crate::source::{Place, Source};
use crate::table::Table;
use crate::tree::{self, Entries};

/// One option as a user wrote it.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// The name of its declaration.
    pub name: &'a str,
    /// Its value as written.
    pub value: &'a str,
    /// The text an error shows, which ends in the value: `--delay '20 ms'` without the quotes.
    pub argument: &'a str,
}

/// The options as a table, with defaults for those that are not given. `title` names them all in errors.
pub fn read(title: &str, keys: &'static [Key], written: &[Written<'_>]) -> Result<Table, Problems> {
    let mut entries = Entries::default();
    for Written { name, value, argument } in written {
        let source = Source::new(ARGUMENT, *argument);
        let at = argument.rfind(value).unwrap_or(0);
        let name_place = Place::of_text(&source, name, argument.find(name));
        entries.set(name, name_place, tree::value(value, &source, at));
    }
    let mut problems = Problems::new();
    let table = Form::new(title, keys.iter().collect()).fill(title, None, &entries, &Folder::default(), &mut problems);
    problems.or(table)
}
