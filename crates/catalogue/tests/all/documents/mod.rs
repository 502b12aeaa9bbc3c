//! From the text of a document to a checked scenario, and what its mistakes are reported as.

mod anything;
mod events;
mod expansion;
mod files;
mod fuzz_corpus;
mod labels;
mod laws;
mod mistakes;
mod parameters;
mod paths;
mod precedence;
mod question;
mod schema;
mod secrets;
mod support;
mod typos;
