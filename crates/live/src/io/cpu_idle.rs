//! Idle processors that stay awake while something is measured.
//!
//! A processor that halts takes tens of microseconds to wake, in a virtual machine up to milliseconds, and the longer it
//! has slept the more: an idle host is slower than a busy one, and a load on the network makes its hosts faster. Linux
//! lets the latency of waking be bounded while a file is held open (Documentation/power/pm_qos_interface.rst); bounded
//! by nothing at all, idle processors poll and never halt.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// Whoever holds it open asks for what was written: microseconds, as the machine has its 32-bit integers.
const REQUESTS: &str = "/dev/cpu_dma_latency";
/// What is in force where nobody asks: 2000 s, in microseconds.
const NOBODY_ASKS: i32 = 2_000_000_000;

/// While it is there, no processor of this host halts.
#[derive(Debug)]
pub struct Wakeful {
    _request: File,
}

impl Wakeful {
    /// From now on. An error where the system has no such thing, or lets only root ask (mode 0600).
    pub fn hold() -> io::Result<Wakeful> {
        ask(Path::new(REQUESTS))
    }
}

fn ask(requests: &Path) -> io::Result<Wakeful> {
    let mut request = OpenOptions::new().write(true).open(requests)?;
    request.write_all(&0_i32.to_ne_bytes())?;
    Ok(Wakeful { _request: request })
}

/// What a user is told who may not have it.
pub fn refusal(fault: &io::Error) -> String {
    match fault.kind() {
        io::ErrorKind::PermissionDenied => format!("only root may keep processors awake ({REQUESTS})"),
        io::ErrorKind::NotFound => format!("this system cannot keep processors awake: it has no {REQUESTS}"),
        _ => format!("processors cannot be kept awake: {REQUESTS}: {fault}"),
    }
}

/// Microseconds that an idle processor may take to wake, whoever asked for it; none where nobody did, or where this
/// process may not know.
pub fn wake_limit_us() -> Option<u32> {
    let mut bytes = [0; 4];
    File::open(REQUESTS).and_then(|mut file| file.read_exact(&mut bytes)).ok()?;
    let limit = i32::from_ne_bytes(bytes);
    u32::try_from(limit).ok().filter(|_| limit < NOBODY_ASKS)
}

/// Keeps processors awake as long as there is anybody to serve.
#[derive(Debug, Default)]
pub struct Vigil {
    served: u32,
    held: Option<Wakeful>,
}

impl Vigil {
    /// One more to serve. The first waits for nothing if the system refuses: it allowed it when this began.
    pub fn one_more(&mut self) {
        self.served += 1;
        self.held = self.held.take().or_else(|| Wakeful::hold().ok());
    }

    /// One less; the last lets processors halt again.
    pub fn one_less(&mut self) {
        self.served = self.served.saturating_sub(1);
        if self.served == 0 {
            self.held = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_delay_at_all_is_asked_for() {
        let requests = std::env::temp_dir().join(format!("sojourn-wakeful-{}", std::process::id()));
        assert_eq!(ask(&requests).unwrap_err().kind(), io::ErrorKind::NotFound);
        std::fs::write(&requests, b"").unwrap();
        ask(&requests).unwrap();
        assert_eq!(std::fs::read(&requests).unwrap(), [0; 4]);
        std::fs::remove_file(&requests).unwrap();
    }

    #[test]
    fn who_may_ask_sees_it_in_force_while_it_is_held() {
        match Wakeful::hold() {
            Ok(held) => {
                assert_eq!(wake_limit_us(), Some(0));
                drop(held);
            }
            Err(fault) => assert_eq!(wake_limit_us(), None, "{}", refusal(&fault)),
        }
    }

    #[test]
    fn a_refusal_says_what_is_missing() {
        let said = |kind: io::ErrorKind| refusal(&kind.into());
        assert_eq!(said(io::ErrorKind::PermissionDenied), "only root may keep processors awake (/dev/cpu_dma_latency)");
        let missing = "this system cannot keep processors awake: it has no /dev/cpu_dma_latency";
        assert_eq!(said(io::ErrorKind::NotFound), missing);
    }
}
