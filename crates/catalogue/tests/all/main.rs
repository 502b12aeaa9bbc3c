//! What holds for every network.

mod bounds;
mod branches;
mod laws;
mod support;
