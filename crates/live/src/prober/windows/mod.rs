//! Continuous measurement in windows of time: each window is a phase whose requests are reduced to metrics and
//! dropped, so that memory stays bounded.
//!
//! A window is reduced once its last request is answered or has timed out, while requests of the next window are
//! already being sent: a [`session`] loses nothing between windows. Outages are detected as they begin
//! ([`outage_watch`]), independent of windows. All of it is reported as [`event::WindowEvent`]s.

pub mod event;
mod outage_watch;
pub mod session;
mod unanswered;

pub use self::unanswered::{not_sent, unanswered};
