//! The scenario document: a spanned tree, the declarations of its keys, and the check of the one against the other.
//!
//! [`Kinds`] holds what networks declare and reads a file as written, [`Document::set`] edits it as `--set` does, [`check`]
//! expands shorthands, applies profiles and defaults and reports every mistake at once. A [`Scenario`] is what networks
//! turn into a simulation. No network is declared here: `sojourn-catalogue` brings them.

mod assemble;
mod canonical;
mod changes;
mod design_option;
pub mod document;
mod edit;
pub mod empirical;
pub mod event;
mod excerpt;
mod expand;
mod expanded;
pub mod expect;
mod folder;
pub mod grid;
pub mod hint;
pub mod keys;
mod kinds;
pub mod library;
pub mod options;
pub mod parameter;
mod path;
pub mod problem;
mod profile;
mod proposals;
pub mod quantity;
mod question;
pub mod rate_trace;
pub mod redaction;
mod references;
mod resolve;
pub mod rules;
pub mod scenario;
mod schema;
mod secret;
mod session;
mod setting;
pub mod source;
mod table;
mod template;
mod timed;
pub mod tree;
mod units;
mod value;
pub mod vary;

pub use assemble::check;
pub use design_option::DesignOption;
pub use document::Document;
pub use event::Event;
pub use expect::{Expectation, Relation};
pub use grid::Axis;
pub use hint::nearest;
pub use keys::{Key, NetworkKeys};
pub use kinds::Kinds;
pub use parameter::Parameter;
pub use problem::{Problem, Problems};
pub use question::Question;
pub use scenario::{Entry, Member, Origin, Resolved, RunSettings, Scenario, Table, WarmUp};
pub use secret::Secret;
pub use setting::Setting;
pub use source::{Place, Source};
pub use vary::Vary;
