//! The state of this host during a measurement.

use std::fs::read_to_string;

use serde::Serialize;
use sojourn_metrics::display::percent;

use super::processors::Usage;
use crate::io::cpu_idle;

/// The host state that affects response time in addition to the network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regime {
    /// CPUs that this process may run on.
    pub processors: usize,
    /// CPUs of this host.
    pub online: u64,
    /// Idle CPUs during the calibration.
    pub free_processors: f64,
    /// Share of time stolen by the hypervisor.
    pub stolen: f64,
    /// `"idle"`, `"busy"` or `"saturated"`: at least 85 % of the CPUs idle, less, or less than half a CPU.
    pub load: &'static str,
    /// Scheduling policy of the measuring thread: `"normal"`, `"fifo"`, `"round-robin"`, `"batch"`, `"idle"` or
    /// `"deadline"`.
    pub scheduler: &'static str,
    /// Whether it is pinned to some of the CPUs.
    pub pinned: bool,
    /// Bound on the exit latency of CPU idle states in microseconds, 0 if they are disabled; null without a bound, or if
    /// only root may read it.
    pub wake_limit_us: Option<u32>,
    /// CPU frequency governor; null if the system has none.
    pub governor: Option<String>,
    /// The operating system's release.
    pub kernel: Option<String>,
}

impl Regime {
    /// Reads the current state, with recent CPU usage.
    pub fn read(usage: Usage) -> Regime {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let trimmed = |path: &str| read_to_string(path).ok().map(|text| text.trim().to_owned());
        Regime {
            processors,
            online: usage.processors,
            free_processors: usage.free(),
            stolen: usage.stolen(),
            load: load(usage.free(), usage.processors as f64),
            scheduler: read_to_string("/proc/thread-self/stat").map_or("normal", |stat| policy(&stat)),
            pinned: (processors as u64) < usage.processors,
            wake_limit_us: cpu_idle::exit_latency_limit_us(),
            governor: trimmed("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            kernel: trimmed("/proc/sys/kernel/osrelease"),
        }
    }

    /// CPUs available to the measuring thread: with real-time priority, those that others use as well.
    pub fn at_hand(&self) -> f64 {
        let first = matches!(self.scheduler, "fifo" | "round-robin" | "deadline");
        if first { self.processors as f64 } else { self.free_processors }
    }

    /// Short description for reports.
    pub fn describe(&self) -> String {
        let Regime { load, free_processors, online, scheduler, .. } = self;
        let pinned = if self.pinned { ", pinned" } else { "" };
        let awake = match self.wake_limit_us {
            Some(0) => ", CPU idle states disabled".to_owned(),
            Some(limit) => format!(", CPU idle exit latency at most {limit} µs"),
            None => String::new(),
        };
        let stolen = if self.stolen > 0.01 {
            format!(", {} stolen by the hypervisor", percent(self.stolen, 0, false))
        } else {
            String::new()
        };
        format!(
            "host {load} ({free_processors:.1} of {online} CPUs free{stolen}), {scheduler} scheduling{pinned}{awake}"
        )
    }
}

fn load(free: f64, all: f64) -> &'static str {
    match free {
        _ if free >= 0.85 * all => "idle",
        _ if free >= 0.5 => "busy",
        _ => "saturated",
    }
}

/// The scheduling policy in a line of `/proc/PID/stat`: field 41, counted from 1; names may hold blanks and brackets.
fn policy(stat: &str) -> &'static str {
    let after_name = stat.rfind(')').map_or("", |index| &stat[index + 1..]);
    match after_name.split_ascii_whitespace().nth(38) {
        Some("1") => "fifo",
        Some("2") => "round-robin",
        Some("3") => "batch",
        Some("5") => "idle",
        Some("6") => "deadline",
        _ => "normal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_is_found_behind_any_name() {
        let stat = |policy: u32| {
            let fields: Vec<String> = (3..=52).map(|field| if field == 41 { policy } else { 0 }.to_string()).collect();
            format!("17 (a) b)) {}", fields.join(" "))
        };
        assert_eq!((policy(&stat(0)), policy(&stat(1)), policy(&stat(6))), ("normal", "fifo", "deadline"));
        assert_eq!(policy("17 (cut off"), "normal");
    }

    #[test]
    fn at_real_time_priority_all_cpus_are_available() {
        let regime =
            |scheduler| Regime { scheduler, processors: 2, free_processors: 0.3, ..Regime::read(Usage::default()) };
        assert_eq!((regime("normal").at_hand(), regime("fifo").at_hand()), (0.3, 2.0));
    }

    #[test]
    fn a_host_is_idle_busy_or_saturated_by_what_is_free() {
        assert_eq!((load(1.9, 2.0), load(1.2, 2.0), load(0.2, 2.0)), ("idle", "busy", "saturated"));
    }
}
