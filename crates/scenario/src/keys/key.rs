//! The declaration of one key: the kind of its value, its default, where it applies; and builders that make a
//! declaration read as a sentence.

use super::permitted::{Bounds, Codes, Target, Word};
use crate::quantity::Dimension;

/// The declaration of a key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As users write it.
    pub name: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// Its value where it is not written.
    pub preset: Preset,
    /// Where the default comes from.
    pub source: &'static str,
    /// Whether simulations, real networks or both obey it.
    pub world: ObeyedBy,
    /// What it means, in one sentence.
    pub help: &'static str,
    /// Title of axes and columns; empty: derived from the name.
    pub label: &'static str,
    /// What a rate counts, `"packets/s"`; empty: its SI unit is shown.
    pub counted: &'static str,
    /// Whether an event may change it during a run.
    pub changeable: bool,
    /// What to write for a value that its range does not have.
    pub beyond: &'static str,
    /// The option of a measuring command that is short for it.
    pub option: Option<Flag>,
    /// What of its value is a secret.
    pub secrecy: Secrecy,
}

/// What of the value of a key is a secret, which results, messages and records leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrecy {
    /// Nothing.
    None,
    /// The password of a URL, and the secrets of its query.
    Url,
    /// The values of header fields, but for those that are known to be harmless.
    Fields,
    /// All of it.
    Whole,
    /// What is in the file that it names; the path is none.
    File,
}

impl Secrecy {
    /// The word in the description of networks.
    pub const fn word(self) -> &'static str {
        match self {
            Secrecy::None => "none",
            Secrecy::Url => "url",
            Secrecy::Fields => "fields",
            Secrecy::Whole => "whole",
            Secrecy::File => "file",
        }
    }
}

/// An option of a command, short for a key: `--rate '50 /s'` for `--set 'measure.rate=50 /s'`.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Its name, without dashes.
    pub name: &'static str,
    /// What it is about: the heading of help above it.
    pub group: &'static str,
    /// What it does, where the key's help does not say so to a command's reader; else empty.
    pub help: &'static str,
}

/// What values a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number with a unit.
    Quantity(Dimension, Bounds),
    /// A number with a unit, or a word.
    QuantityOr(Dimension, Bounds, &'static [Word]),
    /// One of a list of times.
    Code(&'static Codes),
    /// A whole number from a range, ends included.
    Integer(u64, u64),
    /// One of a list of whole numbers.
    Choice(&'static [u64]),
    /// A number without unit.
    Number(Bounds),
    /// One of a list of words.
    Word(&'static [Word]),
    /// A name the user gives.
    Name,
    /// The names of one or more members of a kind, or one of some words.
    Names(Target, &'static [Word]),
    /// Free text in quotes.
    Text,
    /// One text or a list of them.
    Texts,
    /// One time or a list of them.
    Times(Bounds),
    /// Keys of the scenario by their paths, each with a value: `{ "medium.backbone.loss" = "5 %" }`.
    Settings,
    /// The path of a text file, relative to the scenario.
    File,
    /// One of true and false.
    Flag,
    /// A table of fixed keys.
    Table(&'static [Key]),
    /// A table whose `kind` selects its keys.
    Variants(&'static [Variant]),
    /// A time, or a table whose `kind` says which distribution of times.
    TimeOrLaw(Bounds, &'static [Variant]),
}

/// The keys of an inline table whose `kind` is `word`.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The value of `kind`.
    pub word: &'static str,
    /// What the kind means, in one phrase.
    pub help: &'static str,
    /// Its keys in addition to `kind`.
    pub keys: &'static [&'static [Key]],
}

/// The value of a key that is not written.
#[derive(Clone, Copy, Debug)]
pub enum Preset {
    /// It must be written.
    Required,
    /// None: its help explains what that means.
    Absent,
    /// A value, as TOML.
    Value(&'static str),
    /// A value for each word of another key of the same table.
    By(&'static str, &'static [(&'static str, &'static str)]),
    /// The only medium there is.
    OnlyMedium,
}

/// Whether simulations, real networks or both obey a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObeyedBy {
    /// Simulations alone obey it.
    Simulated,
    /// Measurements of real networks alone obey it.
    Live,
    /// Simulations and measurements obey it.
    Both,
}

impl ObeyedBy {
    /// The word in schema and documentation.
    pub const fn word(self) -> &'static str {
        match self {
            ObeyedBy::Simulated => "simulated",
            ObeyedBy::Live => "live",
            ObeyedBy::Both => "both",
        }
    }
}

/// The key that selects the keys of an inline table.
pub const KIND: Key = key("kind", Kind::Text, "Which of its kinds the table is.");

impl Key {
    /// The unit its values have in results; none for words and flags.
    pub fn unit(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Quantity(dimension, _) | Kind::QuantityOr(dimension, ..) => Some(dimension.si()),
            Kind::Code(_) | Kind::Times(_) | Kind::TimeOrLaw(..) => Some(Dimension::Time.si()),
            Kind::Integer(..) | Kind::Choice(_) | Kind::Number(_) => Some(Dimension::None.si()),
            _ => None,
        }
    }

    /// Whether its values are whole numbers.
    pub fn is_integer(&self) -> bool {
        matches!(self.kind, Kind::Integer(..) | Kind::Choice(_))
    }

    /// The words it takes, alone or in addition to numbers.
    pub fn words(&self) -> &'static [Word] {
        match self.kind {
            Kind::Word(words) | Kind::QuantityOr(_, _, words) | Kind::Names(_, words) => words,
            _ => &[],
        }
    }

    /// The keys of the inline table it holds (of all its kinds).
    pub fn inner(&self) -> Vec<&'static Key> {
        match self.kind {
            Kind::Table(keys) => keys.iter().collect(),
            Kind::Variants(variants) | Kind::TimeOrLaw(_, variants) => {
                let mut keys: Vec<&'static Key> = vec![&KIND];
                for key in variants.iter().flat_map(|variant| variant.keys.iter().flat_map(|list| list.iter())) {
                    if !keys.iter().any(|known| known.name == key.name) {
                        keys.push(key);
                    }
                }
                keys
            }
            _ => Vec::new(),
        }
    }
}

/// A key that must be written unless a builder below gives it a default.
pub const fn key(name: &'static str, kind: Kind, help: &'static str) -> Key {
    Key {
        name,
        kind,
        preset: Preset::Required,
        source: "",
        world: ObeyedBy::Simulated,
        help,
        label: "",
        counted: "",
        changeable: false,
        beyond: "",
        option: None,
        secrecy: Secrecy::None,
    }
}

impl Key {
    /// Its default, as TOML, and where that comes from.
    pub const fn default(mut self, value: &'static str, source: &'static str) -> Key {
        self.preset = Preset::Value(value);
        self.source = source;
        self
    }

    /// Its default for each word of another key.
    pub const fn by(
        mut self,
        other: &'static str,
        values: &'static [(&'static str, &'static str)],
        source: &'static str,
    ) -> Key {
        self.preset = Preset::By(other, values);
        self.source = source;
        self
    }

    /// The title of axes and columns, where the name alone does not give the field's term.
    pub const fn label(mut self, label: &'static str) -> Key {
        self.label = label;
        self
    }

    /// The unit in which figures show a rate, `"packets/s"`.
    pub const fn counted(mut self, unit: &'static str) -> Key {
        self.counted = unit;
        self
    }

    /// It may be left out.
    pub const fn optional(mut self) -> Key {
        self.preset = Preset::Absent;
        self
    }

    /// An event may change it during a run.
    pub const fn changeable(mut self) -> Key {
        self.changeable = true;
        self
    }

    /// What to write for a value that its range does not have.
    pub const fn beyond(mut self, beyond: &'static str) -> Key {
        self.beyond = beyond;
        self
    }

    /// A measuring command has an option for it.
    pub const fn flag(mut self, name: &'static str, group: &'static str) -> Key {
        self.option = Some(Flag { name, group, help: "" });
        self
    }

    /// The same, with what the option does.
    pub const fn flag_with_help(mut self, name: &'static str, group: &'static str, help: &'static str) -> Key {
        self.option = Some(Flag { name, group, help });
        self
    }

    /// Of its value this much is a secret.
    pub const fn secret(mut self, secrecy: Secrecy) -> Key {
        self.secrecy = secrecy;
        self
    }

    /// Only real networks obey it.
    pub const fn live(mut self) -> Key {
        self.world = ObeyedBy::Live;
        self
    }

    /// Simulations and real networks obey it.
    pub const fn both(mut self) -> Key {
        self.world = ObeyedBy::Both;
        self
    }
}

/// A key that takes a time within these bounds.
pub const fn time(bounds: Bounds) -> Kind {
    Kind::Quantity(Dimension::Time, bounds)
}
