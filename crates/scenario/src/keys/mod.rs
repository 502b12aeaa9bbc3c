//! The declaration of every key a scenario may hold, as plain data.
//!
//! Reading, checking, `--expand`, the JSON schema, the commented template and the documentation's tables all come
//! from here.
//!
//! | file | concern |
//! |---|---|
//! | `key` | one key, its kind of value, and the builders of declarations |
//! | `permitted` | ranges, words and names that a kind permits |
//! | `network` | tables, shorthands, all that a network declares |
//! | `common` | keys that every network has |
//! | `event` | keys of `[[event]]`, and which actions each network knows |
//! | `label` | titles of axes and columns |
//! | `laws` | shapes of distributions of durations |
//! | `live` | keys of a measurement |
//! | `voice` | codec, packets and jitter buffer of voice |
//! | a file or folder per network | its keys |
//! | `registry` | all networks |

pub mod common;
pub mod event;
pub mod fddi;
pub mod fddi_adapter;
pub mod ip;
mod key;
pub mod label;
pub mod laws;
pub mod live;
pub mod lontalk;
mod network;
pub mod packet_radio;
mod permitted;
pub mod queue;
pub mod registry;
pub mod switched_lan;
pub mod voice;

pub use key::{KIND, Key, Kind, Preset, Variant, World, key, time};
pub use network::{Causes, NetworkKeys, Shape, Shorthand, TableKeys};
pub use permitted::{Bounds, Codes, SOME_TIME, SPAN, Target, Word, above, between, word};
