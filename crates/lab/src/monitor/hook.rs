//! The command that is run as an alert is raised or cleared: it gets the line of the alert, as JSON, on its input.
//!
//! A thread of its own runs one command after the other and ends those that take too long. The monitor never waits for
//! it: alerts beyond those that wait are dropped and counted.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Alerts that wait, at most.
const MOST: usize = 100;
/// How long a command may take.
const LONGEST: Duration = Duration::from_secs(30);
/// How often it is looked whether the command has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The command, and the thread that runs it.
#[derive(Debug)]
pub struct Hook {
    alerts: SyncSender<String>,
    faults: Receiver<String>,
    dropped: u64,
}

impl Hook {
    /// A hook that runs `command` by the shell.
    pub fn start(command: &str) -> std::io::Result<Hook> {
        Hook::bounded(command, LONGEST)
    }

    fn bounded(command: &str, longest: Duration) -> std::io::Result<Hook> {
        let (alerts, queued) = sync_channel::<String>(MOST);
        let (report, faults) = sync_channel(MOST);
        let command = command.to_owned();
        let run = move || {
            for line in queued {
                if let Err(fault) = once(&command, &line, longest) {
                    // without the command, which may have a token; with as many faults unread as can wait, one more says nothing new
                    let _ = report.try_send(format!("the command of --on-alert {fault}"));
                }
            }
        };
        std::thread::Builder::new().name("sojourn-hook".to_owned()).spawn(run)?;
        Ok(Hook { alerts, faults, dropped: 0 })
    }

    /// An alert was raised or cleared.
    pub fn alert(&mut self, line: &str) {
        if let Err(TrySendError::Full(_)) = self.alerts.try_send(line.to_owned()) {
            self.dropped += 1;
        }
    }

    /// What went wrong since this was asked last.
    pub fn faults(&mut self) -> Vec<String> {
        let dropped = std::mem::take(&mut self.dropped);
        let drops = (dropped > 0).then(|| format!("{dropped} alerts were not passed on: {MOST} wait for the command"));
        self.faults.try_iter().chain(drops).collect()
    }
}

/// Runs the command for a line.
fn once(command: &str, line: &str, longest: Duration) -> Result<(), String> {
    // a group of its own: what it starts ends with it, and Ctrl-C does not reach it
    let started = Command::new("/bin/sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    let mut child = started.map_err(|fault| format!("cannot be started: {fault}"))?;
    if let Some(mut input) = child.stdin.take() {
        // a line fits a pipe; a command need not read it
        let _ = writeln!(input, "{line}");
    }
    match ended(&mut child, longest) {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(format!("failed: {status}")),
        None => {
            let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
            let _ = child.wait();
            Err(format!("took longer than {} s and was ended", longest.as_secs_f64()))
        }
    }
}

/// How it ended, if it does before the limit.
fn ended(child: &mut Child, longest: Duration) -> Option<std::process::ExitStatus> {
    let until = Instant::now() + longest;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => std::thread::sleep(LOOK_EVERY),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of a hook once there are some, within ten seconds.
    fn faults(hook: &mut Hook) -> Vec<String> {
        for _ in 0..500 {
            let found = hook.faults();
            if !found.is_empty() {
                return found;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Vec::new()
    }

    #[test]
    fn the_command_gets_the_line_on_its_input() {
        let folder = crate::testing::folder("hook");
        let file = folder.join("alerts");
        let mut hook = Hook::start(&format!("cat >> {0}.part && mv {0}.part {0}", file.display())).unwrap();
        hook.alert(r#"{"type":"alert"}"#);
        let found = (0..500).find_map(|_| {
            std::thread::sleep(LOOK_EVERY);
            std::fs::read_to_string(&file).ok()
        });
        assert_eq!(found.as_deref(), Some("{\"type\":\"alert\"}\n"));
    }

    #[test]
    fn a_command_that_fails_or_hangs_is_reported_and_never_waited_for() {
        let mut failing = Hook::start("exit 3").unwrap();
        failing.alert("{}");
        assert_eq!(faults(&mut failing), ["the command of --on-alert failed: exit status: 3"]);
        let mut hanging = Hook::bounded("sleep 5", Duration::from_millis(100)).unwrap();
        let began = Instant::now();
        (0..=MOST + 50).for_each(|_| hanging.alert("{}"));
        assert!(began.elapsed() < Duration::from_secs(1), "the monitor goes on");
        let found = faults(&mut hanging);
        assert!(found.iter().any(|fault| fault.contains("alerts were not passed on")), "{found:?}");
        assert!(faults(&mut hanging)[0].ends_with("took longer than 0.1 s and was ended"));
    }
}
