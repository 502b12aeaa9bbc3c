//! STAMP (RFC 8762) against any device that reflects it, and as such a device.
//!
//! The machines are those of [`sojourn_protocols::stamp`]. With a key both ends use the authenticated mode.

mod reflector;
mod sender;

use sojourn_protocols::stamp::{PORT, Reflector};
use sojourn_scenario::Problems;
use sojourn_metrics::frames::LinkType;

use self::reflector::Rule;
use crate::reflect;
use crate::target::Target;
use crate::transport::{Defaults, Information, Listening, Measure, Measurement, Transport};

/// `stamp://host`.
#[derive(Debug)]
pub struct Stamp;
