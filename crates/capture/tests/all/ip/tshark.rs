//! The same packets in tshark: counts, retransmissions and round-trip times of the handshake.

use std::fs;
use std::path::Path;
use std::process::Command;

use sojourn_core::Duration;

use super::script::{Script, ack, data, sack, syn, syn_ack, window};

/// Sessions with every kind of loss, one after the other on a port of its own.
fn sessions() -> Script {
    let mut script = Script::default();
    script.handshake(0);
    for number in 0..10 {
        script.client(30 + u64::from(number), data(101 + 100 * number, 501, 100));
    }
    script.server(50, ack(501, 301));
    for number in 0..5 {
        script.server(52 + number, sack(501, 301, &[(401, 501 + 100 * number as u32)]));
    }
    script.client(57, data(301, 501, 100));
    script.server(77, ack(501, 1101));
    script.client(400, data(1101, 501, 100));
    script.client(700, data(1101, 501, 100));
    script.server(720, window(ack(501, 1201), 0));
    script.server(920, window(ack(501, 1201), 1000));
    script.client(930, data(1101, 501, 100));
    script.client(20_000, syn(77_000));
    script.client(21_000, syn(77_000));
    script.server(21_035, syn_ack(9_000, 77_001));
    script.client(21_036, ack(77_001, 9_001));
    script
}

/// Writes a capture file.
pub fn write(script: &Script, path: &Path) {
    let mut file: Vec<u8> = Vec::new();
    let words = |file: &mut Vec<u8>, words: [u32; 4]| words.map(|word| file.extend(word.to_le_bytes()));
    words(&mut file, [0xa1b2_3c4d, 2 | 4 << 16, 0, 0]);
    file.extend([65_535_u32, 101].map(u32::to_le_bytes).concat());
    for (time, packet) in &script.packets {
        // tshark takes a SYN at 1970-01-01 for none
        let (length, nanoseconds) = (packet.len() as u32, time.picoseconds() / 1000 + 1_000_000_000);
        let [seconds, rest] = [nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000].map(|part| part as u32);
        words(&mut file, [seconds, rest, length, length]);
        file.extend(packet);
    }
    fs::write(path, file).unwrap();
}

/// The lines that tshark prints of one field of the packets that a filter selects; `None` where it is not installed.
pub fn tshark(capture: &Path, filter: &str, field: &str) -> Option<Vec<String>> {
    tshark_with(capture, filter, field, &[])
}

/// The same with further options.
pub fn tshark_with(capture: &Path, filter: &str, field: &str, options: &[&str]) -> Option<Vec<String>> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(capture).args(["-o", "ip.check_checksum:TRUE", "-Y", filter, "-T", "fields", "-e", field]);
    command.args(options);
    let output = command.output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

#[test]
fn tshark_finds_the_same_packets_retransmissions_and_handshakes() {
    let script = sessions();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sessions.pcap");
    write(&script, &path);
    let Some(packets) = tshark(&path, "tcp", "frame.number") else {
        eprintln!("skipped: tshark is not installed");
        return;
    };
    let report = script.report(22_000);
    let [forward, back, repeated] = report.packets();
    assert_eq!(packets.len(), forward + back);
    let is_repeated = "tcp.analysis.retransmission || tcp.analysis.fast_retransmission";
    assert_eq!(tshark(&path, is_repeated, "frame.number").unwrap().len(), repeated);
    assert_eq!(report.retransmissions(), [4, 2, 1, 0, 1]);
    let spurious = tshark(&path, "tcp.analysis.spurious_retransmission", "frame.number").unwrap();
    assert_eq!(spurious.len() as u64, report.count("retransmissions/spurious"));
    let zero_windows = tshark(&path, "tcp.analysis.zero_window", "frame.number").unwrap();
    assert_eq!(zero_windows.len() as u64, report.count("zero_windows"));

    // tshark counts from the last SYN, and repeats the round-trip time with every packet of the connection
    let mut initial: Vec<f64> = tshark(&path, "tcp.analysis.initial_rtt", "tcp.analysis.initial_rtt")
        .unwrap()
        .iter()
        .map(|of| of.parse().unwrap())
        .collect();
    initial.dedup();
    let ours: Vec<f64> =
        report.samples("handshake_rtt").iter().map(|ms| Duration::from_millis(*ms).seconds()).collect();
    assert_eq!((initial, ours), (vec![0.02, 0.036], vec![0.02]));
    assert_eq!(report.samples("connect_time"), [20, 1_036]);
}
