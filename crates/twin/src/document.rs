//! Writes a scenario with comments: tables of keys that networks declare, each with a value of its type.
//!
//! Only keys that [`keys!`] lists can be written; a test compares the lists with the declarations.

mod key;
mod value;

use std::fmt::{Display, Write};

#[cfg(test)]
pub(crate) use key::Row;
pub(crate) use key::{Key, arrivals, keys};
use key::{network, run, top};
pub(crate) use value::{
    BitRate, Boolean, ErrorRate, Hexadecimal, Inline, Length, LineRate, List, Megahertz, Names, Number, Octets,
    Recorded, Share, Text, Time, Varying, Whole, Written, digits, exact, rounded_up, span,
};

/// The longest line of a comment.
const WIDTH: usize = 110;
/// Shortest and longest run, s.
const SHORTEST_RUN: f64 = 1e-4;
const LONGEST_RUN: f64 = 200.0 * 86_400.0;

/// A TOML document that grows from top to bottom.
#[derive(Debug, Default)]
pub(crate) struct Document {
    text: String,
    /// The header of the table that keys go to.
    table: &'static str,
}

impl Document {
    /// The head: comments, then the title and the kind of the network.
    pub fn title(&mut self, title: &str, kind: &str) {
        self.set(top::TITLE, title);
        self.table(network::TABLE);
        self.set(network::KIND, kind);
    }

    /// Lines of comment, broken at words.
    pub fn comment(&mut self, sentence: impl Display) {
        let sentence = sentence.to_string();
        let mut line = String::from("#");
        for word in sentence.split_whitespace() {
            if line.len() + word.len() >= WIDTH && line.len() > 1 {
                self.line(&line);
                line = String::from("#");
            }
            line.push(' ');
            line.push_str(word);
        }
        self.line(&line);
    }

    /// A comment on nothing in particular, after an empty line.
    pub fn note(&mut self, sentence: impl Display) {
        self.text.push('\n');
        self.comment(sentence);
    }

    /// Begins a table, after an empty line.
    pub fn table(&mut self, table: &'static str) {
        self.text.push('\n');
        self.line(table);
        self.table = table;
    }

    /// Begins a table below a comment.
    pub fn table_of(&mut self, table: &'static str, sentence: impl Display) {
        self.note(sentence);
        self.line(table);
        self.table = table;
    }

    /// A key of the table.
    pub fn set<V: Written>(&mut self, key: Key<V>, value: impl Into<V>) {
        debug_assert_eq!(key.table, self.table, "{} is written elsewhere", key.name);
        self.line(&key.with(value));
    }

    /// A key below a comment that says how its value was inferred.
    pub fn set_because<V: Written>(&mut self, key: Key<V>, value: impl Into<V>, sentence: impl Display) {
        self.comment(sentence);
        self.set(key, value);
    }

    /// The length of the capture, rounded up, and the warm-up, each below its comment if it has one, as the last table.
    pub fn run(&mut self, duration: f64, warm_up: f64, why: Option<&str>) {
        self.table(run::TABLE);
        let duration = rounded_up(duration.clamp(SHORTEST_RUN, LONGEST_RUN));
        self.set_because(run::DURATION, duration, "The length of the capture.");
        why.into_iter().for_each(|why| self.comment(why));
        self.set(run::WARM_UP, warm_up);
        self.set(run::REPLICATIONS, 10_u64);
        self.set(run::SEED, 1_u64);
    }

    /// The whole document.
    pub fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }
}

#[cfg(test)]
mod tests {
    use sojourn_catalogue::NETWORKS;
    use sojourn_scenario::keys::NetworkKeys;

    use super::*;

    /// The declaration of a row's key, whose table is a header or the path of an inline table.
    fn declared(network: &NetworkKeys, (table, name, _): Row) -> Option<&'static sojourn_scenario::keys::Key> {
        let path = table.trim_matches(['[', ']']);
        match path.split_once('.') {
            None => network.table(path)?.find(name),
            Some((table, outer)) => {
                network.table(table)?.find(outer)?.inner().into_iter().find(|inner| inner.name == name)
            }
        }
    }

    fn fits(declared: &sojourn_scenario::keys::Key, (.., unit): Row) -> bool {
        match unit {
            "" => declared.unit().is_none_or(|declared| declared == "1"),
            unit => declared.unit() == Some(unit),
        }
    }

    #[test]
    fn every_key_that_is_written_is_declared_with_values_of_its_unit() {
        let kinds = NETWORKS.kinds();
        let lists = [
            ("can", crate::can::keys::ALL),
            ("ip", crate::ip::keys::ALL),
            ("lontalk", crate::lontalk::keys::ALL),
            ("modbus", crate::modbus::keys::ALL),
            ("mstp", crate::mstp::keys::ALL),
            ("packet-radio", crate::packet_radio::keys::ALL),
        ];
        for (kind, row) in lists.iter().flat_map(|(kind, list)| list.iter().map(move |row| (kind, *row))) {
            let found = declared(kinds.find(kind).unwrap(), row);
            assert!(
                found.is_some_and(|key| fits(key, row)),
                "{kind}: {row:?} is {:?}",
                found.and_then(|key| key.unit())
            );
        }
        // what they share; not every network has every law
        for row in key::ALL.iter().copied().filter(|(table, ..)| !matches!(*table, "" | "[network]")) {
            let found = lists.iter().filter_map(|(kind, _)| declared(kinds.find(kind)?, row)).next();
            assert!(found.is_some_and(|key| fits(key, row)), "{row:?}");
        }
    }

    #[test]
    fn comments_are_broken_at_words() {
        let mut document = Document::default();
        document.comment("word ".repeat(60));
        let text = document.finish();
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.starts_with("# word") && line.len() <= WIDTH));
    }

    #[test]
    fn a_table_has_its_keys_below_their_comments() {
        let mut document = Document::default();
        document.title("A twin", "ip");
        document.run(3599.0, 0.0, Some("Nothing was open."));
        let expected = "title = \"A twin\"\n\n[network]\nkind = \"ip\"\n\n[run]\n# The length of the capture.\nduration = \"3600 s\"\n\
                        # Nothing was open.\nwarm_up = \"0 s\"\nreplications = 10\nseed = 1\n";
        assert_eq!(document.finish(), expected);
    }
}
