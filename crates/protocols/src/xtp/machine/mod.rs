//! The contexts of an XTP host as a sans-IO machine.

mod configuration;
mod output;

pub use configuration::{Configuration, Consumption, ErrorControl, Limits, Rate, RequestBy, Requests};
pub use output::{Cast, ContextId, Event, Input, Output, Purpose, Reason, Refusal, Violation, Wanted};
