//! The scenario document: a spanned tree, the declaration of its keys, and how one is checked by the other.
//!
//! [`Document::read`] reads a file as written, [`Document::set`] edits it as `--set` does, [`check`] expands
//! shorthands, applies profiles and defaults and reports every mistake at once. A [`Scenario`] is what networks
//! turn into a simulation.
//!
//! ```
//! use sojourn_scenario::{Document, check, template};
//!
//! let mut document = Document::parse("example.toml", &template("lontalk").unwrap())?;
//! document.set("background.rate", "300 /s", "--set background.rate=300 /s")?;
//! let scenario = check(&document)?;
//! assert_eq!(scenario.members().len(), 34);
//! assert_eq!(scenario.list("flow")[1].table("arrivals").word("kind"), "periodic");
//!
//! // a mistake has a place, a message and a hint
//! let problems = document.set("background.rte", "300 /s", "--set background.rte=300 /s").unwrap_err();
//! assert_eq!(problems.0[0].help.as_deref(), Some("did you mean `rate`?"));
//! # Ok::<(), sojourn_scenario::Problems>(())
//! ```

mod assemble;
mod canonical;
pub mod document;
mod edit;
pub mod empirical;
pub mod event;
mod expand;
mod expanded;
pub mod expect;
mod folder;
pub mod fuzz;
pub mod grid;
pub mod hint;
pub mod keys;
pub mod library;
pub mod options;
pub mod parameter;
mod path;
pub mod problem;
mod profile;
pub mod quantity;
mod question;
mod references;
mod resolve;
pub mod rules;
pub mod scenario;
mod schema;
mod session;
pub mod source;
mod table;
mod template;
mod timed;
pub mod tree;
mod units;
mod value;
pub mod vary;

pub use assemble::check;
pub use document::Document;
pub use event::Event;
pub use expect::{Expectation, Relation};
pub use grid::{Axis, Setting};
pub use hint::nearest;
pub use keys::registry::kinds;
pub use keys::{Key, NetworkKeys};
pub use parameter::Parameter;
pub use problem::{Problem, Problems};
pub use question::Question;
pub use scenario::{Entry, Member, Origin, Resolved, RunSettings, Scenario, Table, WarmUp};
pub use schema::schema;
pub use source::{Place, Source};
pub use template::template;
pub use vary::Vary;
