//! Every simulation benchmark runs: a renamed key or model would otherwise show only when a benchmark is next taken.

use std::process::Command;

const SHORT_RUNS: &[&[&str]] = &[
    &["hold", "100", "1000"],
    &["customers", "1000"],
    &["packets", "heavy-load", "1"],
    &["packets", "channel", "1", "34"],
    &["packets", "can", "1"],
    &["packets", "wire", "1"],
    &["wire", "1000"],
    &["idle", "100"],
    &["ring", "busy", "1000"],
    &["ring", "idle", "1000"],
    &["nodes", "20", "10"],
    &["adapter", "receive", "1000"],
    &["adapter", "transmit", "1000"],
    &["modbus", "30", "60"],
    &["radio", "10", "1000"],
    &["radio-stations", "10", "10"],
    &["cells", "output-fifo", "10000"],
    &["cells", "output-per-connection", "10000"],
    &["cells", "input-fifo", "10000"],
    &["cells", "input-per-connection", "10000"],
    &["xtp", "1000", "256"],
    &["xtp-bytes", "1000"],
    &["bulk", "1"],
];

#[test]
fn every_simulation_benchmark_prints_its_rate() {
    for arguments in SHORT_RUNS {
        let output = Command::new(env!("CARGO_BIN_EXE_sojourn-bench")).args(*arguments).output().unwrap();
        let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{arguments:?}: {errors}");
        assert!(
            printed.starts_with(r#"{"rate": "#) || printed.starts_with(r#"{"bytes": "#),
            "{arguments:?}: {printed}"
        );
    }
}
