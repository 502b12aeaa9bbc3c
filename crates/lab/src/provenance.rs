//! The provenance of a job: what varies from run to run and must therefore stay out of its results.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::live::watch::TestConditions;
use crate::request::{Build, Request};

/// Where, when, by which build and for which request.
#[derive(Clone, Debug, Serialize)]
pub struct Provenance {
    /// Version of the build that computed.
    pub sojourn: String,
    /// Commit of the build.
    pub commit: String,
    /// Fingerprint of the build.
    pub identity: String,
    /// The request, as it came from the front, without its secrets.
    pub request: Request,
    /// Name of the machine.
    pub host: String,
    /// Processor and operating system.
    pub platform: String,
    /// Number of logical processors.
    pub processors: usize,
    /// When the job began, in UTC.
    pub began: String,
    /// How long it took, in seconds.
    pub elapsed_s: f64,
    /// Replications run or read.
    pub replications: u64,
    /// Of those, read from the cache.
    pub from_cache: u64,
    /// Of those, begun with another: what they have in common was simulated once.
    pub begun_with_others: u64,
    /// Timed tests: calibration and state of this host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub circumstances: Option<TestConditions>,
}

impl Provenance {
    /// A job that begins now.
    pub fn new(request: &Request, build: &Build) -> Provenance {
        Provenance {
            sojourn: build.version.clone(),
            commit: build.commit.clone(),
            identity: build.identity.clone(),
            request: request.shown(),
            host: host(),
            platform: format!("{} {}", std::env::consts::ARCH, std::env::consts::OS),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            began: now(),
            elapsed_s: 0.0,
            replications: 0,
            from_cache: 0,
            begun_with_others: 0,
            circumstances: None,
        }
    }
}

/// The time, in UTC.
pub fn now() -> String {
    utc(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    name.map_or_else(|| "unknown".to_owned(), |name| name.trim().to_owned())
}

/// Seconds since 1970 as `2026-03-01T12:00:00Z`, in the Gregorian calendar.
fn utc(seconds: u64) -> String {
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{:02}Z", days + 1, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_print_in_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_767_225_599), "2025-12-31T23:59:59Z");
    }
}
