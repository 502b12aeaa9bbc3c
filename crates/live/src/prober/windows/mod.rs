//! A measurement that does not end, in windows of time: each is a phase, whose requests are reduced to its metrics and
//! dropped, so that memory does not grow.
//!
//! A window is reduced once the last of its requests is answered or has timed out, while those of the next are already
//! sent: a [`session`] loses nothing between them. Outages are found as they begin ([`outage_watch`]), whatever the
//! window. Everything is passed on as [`event::WindowEvent`]s.

pub mod event;
mod outage_watch;
pub mod session;
mod unanswered;

pub use self::unanswered::unanswered;
