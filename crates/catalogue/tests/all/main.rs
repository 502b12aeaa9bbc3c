//! What holds for every network.

mod bounds;
mod branches;
mod documents;
mod laws;
mod meaning;
mod recorded;
mod support;
mod tunables;
