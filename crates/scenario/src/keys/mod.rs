//! Declarations of keys, and the keys that several networks share, as plain data.
//!
//! Reading, checking, `--expand`, the JSON schema, the commented template and the tables of the documentation are all
//! derived from these declarations.
//!
//! | file | concern |
//! |---|---|
//! | `key` | one key, its kind of value, and the builders of declarations |
//! | `permitted` | ranges, words and names that a kind permits |
//! | `network` | tables, shorthands, all that a network declares |
//! | `common` | keys that every network has |
//! | `event` | keys of `[[event]]` |
//! | `label` | titles of axes and columns |
//! | `laws` | shapes of distributions of durations |
//! | `live` | keys of a measurement |
//! | `voice` | codec, packets and jitter buffer of voice |

pub mod common;
pub mod event;
mod key;
pub mod label;
pub mod laws;
pub mod live;
mod network;
mod permitted;
pub mod voice;

pub use key::{Flag, KIND, Key, Kind, ObeyedBy, Preset, Secrecy, Variant, key, time};
pub use network::{
    Causes, Measurement, NetworkKeys, Rules, Shape, Shorthand, TableKeys, To, Tunable, Whose, scaled, tunable,
};
pub use permitted::{Bounds, Codes, SOME_TIME, SPAN, Target, Word, above, between, word};
