//! The state of this host while it measures.

use std::fs::read_to_string;

use serde::Serialize;

use super::processors::Usage;
use crate::io::cpu_idle;

/// What beside the network decides a response time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regime {
    /// Processors that this process may run on.
    pub processors: usize,
    /// Processors that the host has.
    pub online: u64,
    /// Processors' worth of idle time during the calibration.
    pub free_processors: f64,
    /// Share of the time that the host of a virtual machine took away.
    pub stolen: f64,
    /// `"idle"`, `"busy"` or `"saturated"`: nearly all of the processors free, some, or less than half of one.
    pub load: &'static str,
    /// How the thread that measures is scheduled: `"normal"`, `"fifo"`, `"round-robin"`, `"batch"`, `"idle"` or
    /// `"deadline"`.
    pub scheduler: &'static str,
    /// Whether it may run on some of the processors only.
    pub pinned: bool,
    /// Microseconds that an idle processor may take to wake, 0 if none ever halts; null where nobody asked for a limit,
    /// or only root may know.
    pub wake_limit_us: Option<u32>,
    /// How the processors' clock rate is governed; null where the system does not tell.
    pub governor: Option<String>,
    /// The operating system's release.
    pub kernel: Option<String>,
}

impl Regime {
    /// The state now, with what the processors did of late.
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

    /// Processors' worth of time that the thread which measures can have: at real-time priority whatever others use.
    pub fn at_hand(&self) -> f64 {
        let first = matches!(self.scheduler, "fifo" | "round-robin" | "deadline");
        if first { self.processors as f64 } else { self.free_processors }
    }

    /// In a few words.
    pub fn words(&self) -> String {
        let Regime { load, free_processors, online, scheduler, .. } = self;
        let pinned = if self.pinned { ", pinned" } else { "" };
        let awake = match self.wake_limit_us {
            Some(0) => ", CPU idle states disabled".to_owned(),
            Some(limit) => format!(", CPU idle exit latency at most {limit} µs"),
            None => String::new(),
        };
        let stolen = if self.stolen > 0.01 {
            format!(", {:.0} % stolen by its host", self.stolen * 100.0)
        } else {
            String::new()
        };
        format!(
            "host {load} ({free_processors:.1} of {online} processors free{stolen}), {scheduler} scheduling{pinned}{awake}"
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
    fn at_real_time_priority_all_processors_are_at_hand_whoever_else_wants_them() {
        let regime =
            |scheduler| Regime { scheduler, processors: 2, free_processors: 0.3, ..Regime::read(Usage::default()) };
        assert_eq!((regime("normal").at_hand(), regime("fifo").at_hand()), (0.3, 2.0));
    }

    #[test]
    fn a_host_is_idle_busy_or_saturated_by_what_is_free() {
        assert_eq!((load(1.9, 2.0), load(1.2, 2.0), load(0.2, 2.0)), ("idle", "busy", "saturated"));
    }
}
