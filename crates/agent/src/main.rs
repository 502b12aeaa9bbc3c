//! Entry point: parses the arguments, opens the sockets, serves until the end or a signal, and exits.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use nix::sys::signal::{SigSet, Signal};
use sojourn_agent::{Arguments, Service, lines, serve};
use sojourn_live::Watch;

/// Time between two looks at the reports.
const LOOK: Duration = Duration::from_millis(200);
const WIDTH: usize = 100;
const FAILED: u8 = 1;
const INVALID: u8 = 2;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let signals = block_signals();
    let service = match serve(&arguments) {
        Ok(service) => service,
        Err(problems) => {
            eprint!("{}", problems.render(false, WIDTH));
            return ExitCode::from(INVALID);
        }
    };
    let (watch, has_key_file) = (service.watch(), arguments.key_file.is_some());
    std::thread::spawn(move || end_on_signals(&signals, &watch, has_key_file));
    match print_reports(&service, &arguments) && service.join() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FAILED),
    }
}

/// Blocks the signals that end it, in this thread and in those it starts, so that one thread can wait for them.
fn block_signals() -> SigSet {
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    signals.thread_block().expect("these signals can be blocked");
    signals
}

/// Ends the sessions on a signal. Key files are checked twice a second; with key files, SIGHUP does not end the server.
fn end_on_signals(signals: &SigSet, watch: &Arc<Watch>, has_key_file: bool) {
    while let Ok(signal) = signals.wait() {
        if signal != Signal::SIGHUP || !has_key_file {
            watch.cancel();
        }
    }
}

/// Prints every report until the server has ended; false where standard output is closed.
fn print_reports(service: &Service, arguments: &Arguments) -> bool {
    let mut printed = 0;
    loop {
        let has_ended = service.has_ended();
        for report in service.reports(printed) {
            printed += 1;
            if lines::write(&report, arguments.format).is_err() {
                service.watch().cancel();
                return false;
            }
        }
        if has_ended {
            return true;
        }
        std::thread::sleep(LOOK);
    }
}
