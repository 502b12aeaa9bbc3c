//! `sojourn-agent`: the measurement agent and the STAMP, UDP and TCP echo reflectors as one static program, for hosts
//! without Python. It serves what `sojourn agent` and `sojourn listen` serve, with the same options, limits and errors.
//!
//! [`Arguments`] are parsed, [`serve`] opens the sockets and returns the [`Service`], whose [`lines`] are printed as they come.

pub mod arguments;
pub mod lines;
pub mod service;

pub use arguments::Arguments;
pub use service::{Service, serve};
