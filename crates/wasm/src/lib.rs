//! The simulator for browsers. A worker instantiates the module, writes a call in JSON, and reads the answer:
//!
//! ```text
//! input(length) -> address           JavaScript writes the call there: 4 bytes with the length of its JSON, the JSON,
//!                                    and the bytes of a record where the call has one
//! call()                             answers it
//! output(), output_length()          where the answer is, laid out as the call
//! ```
//!
//! [`calls`] lists the calls. There is no logic here: [`sojourn_experiment`] plans and merges, the networks simulate, and
//! `sojourn-analysis` says what a capture shows.

pub mod calls;
#[cfg(feature = "captures")]
mod captures;
mod exports;
mod fault;
