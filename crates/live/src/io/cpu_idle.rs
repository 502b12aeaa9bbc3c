//! Disables CPU idle states (C-states) during a measurement.
//!
//! A processor takes tens of microseconds to leave an idle state, in a virtual machine up to milliseconds, and longer
//! the deeper the state: an idle host is slower than a busy one, and load on the network makes its hosts faster.
//! Linux bounds the exit latency while a file is held open (PM QoS, Documentation/power/pm_qos_interface.rst); with a
//! bound of 0 idle processors poll and never halt.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// While it is held open, the bound written to it applies: microseconds, as a native 32-bit integer.
const REQUESTS: &str = "/dev/cpu_dma_latency";
/// The kernel's default bound, which means none: 2000 s, in microseconds.
const NO_BOUND: i32 = 2_000_000_000;

/// While it exists, no processor of this host enters an idle state.
#[derive(Debug)]
pub struct CpuLatencyGuard {
    _file: File,
}

impl CpuLatencyGuard {
    /// Disables idle states from now on. An error where the system has no PM QoS, or reserves it for root (mode 0600).
    pub fn acquire() -> io::Result<CpuLatencyGuard> {
        request(Path::new(REQUESTS))
    }
}

fn request(requests: &Path) -> io::Result<CpuLatencyGuard> {
    let mut file = OpenOptions::new().write(true).open(requests)?;
    file.write_all(&0_i32.to_ne_bytes())?;
    Ok(CpuLatencyGuard { _file: file })
}

/// The error message for a user who cannot disable idle states.
pub fn explain(fault: &io::Error) -> String {
    match fault.kind() {
        io::ErrorKind::PermissionDenied => format!("only root may disable CPU idle states ({REQUESTS})"),
        io::ErrorKind::NotFound => format!("this system cannot disable CPU idle states: it has no {REQUESTS}"),
        _ => format!("cannot disable CPU idle states: {REQUESTS}: {fault}"),
    }
}

/// Bound on the exit latency of idle states in force on this host, in microseconds; `None` without one, or where this
/// process may not read it.
pub fn exit_latency_limit_us() -> Option<u32> {
    let mut bytes = [0; 4];
    File::open(REQUESTS).and_then(|mut file| file.read_exact(&mut bytes)).ok()?;
    let limit = i32::from_ne_bytes(bytes);
    u32::try_from(limit).ok().filter(|_| limit < NO_BOUND)
}

/// Disables idle states while at least one session is open.
#[derive(Debug, Default)]
pub struct SharedGuard {
    sessions: u32,
    guard: Option<CpuLatencyGuard>,
}

impl SharedGuard {
    /// A session opens. If the system refuses now, the session goes on without: it allowed it when the agent started.
    pub fn acquire(&mut self) {
        self.sessions += 1;
        self.guard = self.guard.take().or_else(|| CpuLatencyGuard::acquire().ok());
    }

    /// A session closes; the last one enables idle states again.
    pub fn release(&mut self) {
        self.sessions = self.sessions.saturating_sub(1);
        if self.sessions == 0 {
            self.guard = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_of_zero_is_requested() {
        let requests = std::env::temp_dir().join(format!("sojourn-cpu-idle-{}", std::process::id()));
        assert_eq!(request(&requests).unwrap_err().kind(), io::ErrorKind::NotFound);
        std::fs::write(&requests, b"").unwrap();
        request(&requests).unwrap();
        assert_eq!(std::fs::read(&requests).unwrap(), [0; 4]);
        std::fs::remove_file(&requests).unwrap();
    }

    #[test]
    fn the_bound_is_in_force_while_the_guard_exists() {
        match CpuLatencyGuard::acquire() {
            Ok(held) => {
                assert_eq!(exit_latency_limit_us(), Some(0));
                drop(held);
            }
            Err(fault) => assert_eq!(exit_latency_limit_us(), None, "{}", explain(&fault)),
        }
    }

    #[test]
    fn the_error_names_what_is_missing() {
        let said = |kind: io::ErrorKind| explain(&kind.into());
        assert_eq!(
            said(io::ErrorKind::PermissionDenied),
            "only root may disable CPU idle states (/dev/cpu_dma_latency)"
        );
        let missing = "this system cannot disable CPU idle states: it has no /dev/cpu_dma_latency";
        assert_eq!(said(io::ErrorKind::NotFound), missing);
    }
}
