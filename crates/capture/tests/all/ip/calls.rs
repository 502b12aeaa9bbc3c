//! Calls over SIP with their streams of RTP: the same packets in tshark.

use std::path::Path;
use std::process::Command;

use sojourn_capture::ip::calls::CallOutcome;
use sojourn_capture::ip::media::MediaStream;
use sojourn_core::Duration;

use super::script::{Report, Script};
use super::tshark::write;

/// The port of the called side; the caller's is that of the script.
const PORT: u16 = 5060;
const MEDIA: u16 = 30_000;

/// A message of SIP with a description of the media that its sender receives.
fn message(start: &str, sequence: &str, media: Option<(&str, u16)>) -> Vec<u8> {
    let body = media.map_or(String::new(), |(address, port)| {
        format!(
            "v=0\r\no=- 1 1 IN IP4 {address}\r\ns=-\r\nc=IN IP4 {address}\r\nt=0 0\r\nm=audio {port} RTP/AVP 8 101\r\n\
             a=rtpmap:8 PCMA/8000\r\na=rtpmap:101 telephone-event/8000\r\n"
        )
    });
    let kind = if body.is_empty() { "" } else { "Content-Type: application/sdp\r\n" };
    format!(
        "{start}\r\nVia: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bK{}\r\nFrom: <sip:a@a>;tag=1\r\nTo: <sip:b@b>\r\nCall-ID: 7@a\r\n\
         CSeq: {sequence}\r\n{kind}Content-Length: {}\r\n\r\n{body}",
        sequence.replace(' ', ""),
        body.len()
    )
    .into()
}

fn rtp(payload_type: u8, source: u32, sequence: u16, timestamp: u32) -> Vec<u8> {
    let mut packet = vec![0x80, payload_type];
    packet.extend(sequence.to_be_bytes());
    packet.extend(timestamp.to_be_bytes());
    packet.extend(source.to_be_bytes());
    packet.resize(12 + 160, 0x55);
    packet
}

/// A call that is answered after it has rung, with a stream in either direction: of the first 3 of 400 packets are lost and two
/// change places, all with jitter; of the second one comes twice.
fn call() -> Script {
    let mut script = Script::of_client(MEDIA);
    let client = |script: &mut Script, at, text: Vec<u8>| script.datagram(at, true, PORT, &text);
    client(&mut script, 0, message("INVITE sip:b@b SIP/2.0", "1 INVITE", Some(("10.0.0.1", MEDIA))));
    for (at, status) in [(40, "100 Trying"), (400, "180 Ringing")] {
        script.datagram(at, false, PORT, &message(&format!("SIP/2.0 {status}"), "1 INVITE", None));
    }
    let answer = message("SIP/2.0 200 OK", "1 INVITE", Some(("10.0.0.2", MEDIA + 2)));
    script.datagram(3_400, false, PORT, &answer);
    client(&mut script, 3_410, message("ACK sip:b@b SIP/2.0", "1 ACK", None));
    let mut packets: Vec<(u64, bool, Vec<u8>)> = Vec::new();
    for number in 0..400_u16 {
        let (at, timestamp) = (3_500 + 20 * u64::from(number), 160 * u32::from(number));
        if ![100, 101, 250].contains(&number) {
            // the 300th is overtaken by the next one
            let delay = if number == 300 { 25 } else { u64::from(number * 7 % 5) };
            packets.push((at + delay, true, rtp(8, 0x1111_1111, number.wrapping_add(65_400), timestamp)));
        }
        packets.push((at + 3, false, rtp(8, 0x2222_2222, number, timestamp)));
        if number == 200 {
            packets.push((at + 5, false, rtp(8, 0x2222_2222, number, timestamp)));
        }
    }
    packets.sort_by_key(|(at, ..)| *at);
    for (at, forward, packet) in packets {
        script.datagram(at, forward, MEDIA + 2, &packet);
    }
    client(&mut script, 12_000, message("BYE sip:b@b SIP/2.0", "2 BYE", None));
    script.datagram(12_030, false, PORT, &message("SIP/2.0 200 OK", "2 BYE", None));
    script
}

fn streams(report: &Report) -> Vec<&MediaStream> {
    let mut streams: Vec<&MediaStream> = report.0.streams().iter().collect();
    streams.sort_by_key(|stream| stream.source);
    streams
}

#[test]
fn a_call_has_the_times_of_its_caller_and_the_losses_of_its_streams() {
    let report = call().report(12_100);
    let metrics = ["post_dial_delay", "ring_time", "call_setup_time", "call_time", "disconnect_time"];
    assert_eq!(metrics.map(|metric| report.samples(metric)), [[400], [3_000], [3_400], [8_600], [30]]);
    assert_eq!(report.0.calls().iter().map(|call| call.outcome()).collect::<Vec<_>>(), [CallOutcome::Answered]);
    let streams = streams(&report);
    let [forward, back] = streams[..] else { panic!("{streams:?}") };
    assert_eq!((forward.delivery.sent, forward.delivery.lost, forward.overtaken, forward.copies), (400, 3, 1, 0));
    assert_eq!((forward.delivery.loss_bursts, forward.delivery.longest_loss_burst, forward.delivery.late), (2, 2, 0));
    assert_eq!((back.delivery.sent, back.delivery.lost, back.overtaken, back.copies), (400, 0, 0, 1));
    assert_eq!(forward.codec().map(|codec| codec.name()), Some("g711"));
    assert_eq!(forward.packet_time, Some(Duration::from_millis(20)));
    let requests = report.transactions().len();
    assert_eq!(requests, 2, "INVITE and BYE: streams have none");
}

#[test]
fn tshark_finds_the_same_streams_losses_and_jitter() {
    let script = call();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("call.pcap");
    write(&script, &path);
    let Ok(output) = Command::new("tshark").arg("-r").arg(&path).args(["-q", "-z", "rtp,streams"]).output() else {
        eprintln!("skipped: tshark is not installed");
        return;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let report = script.report(12_100);
    for stream in streams(&report) {
        let source = format!("0x{:08X}", stream.source);
        let line = text.lines().find(|line| line.contains(&source)).unwrap_or_else(|| panic!("{source} in\n{text}"));
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == source).unwrap();
        let number = |place: usize| words[at + place].parse::<f64>().unwrap_or_else(|_| panic!("{line}"));
        // payload, packets, lost, its share, then minimum, mean and maximum of delta and jitter in ms
        assert_eq!(number(2), stream.packets as f64, "{line}");
        assert_eq!(number(3) as u64, stream.delivery.lost.saturating_sub(stream.copies), "{line}");
        assert!((number(7) - stream.largest_gap.seconds() * 1e3).abs() < 1e-2, "{line}");
        if stream.copies > 0 {
            continue; // tshark times copies as packets of their own
        }
        let jitter = stream.jitter.unwrap();
        assert!((number(10) - jitter.max_s * 1e3).abs() < 0.01, "{line}: {jitter:?}");
        assert!((number(9) - jitter.mean_s * 1e3).abs() < 0.01, "{line}: {jitter:?}");
    }
}
