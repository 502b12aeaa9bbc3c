//! A KISS TNC that is there, is not, goes away, or says anything at all: over TCP, and over a pseudo-terminal.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration as SystemDuration;

use proptest::prelude::*;
use sojourn_core::{Duration, Machine, Time};
use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measured, Measurement, OnAir, Probe, Report, Watch, find};
use sojourn_protocols::ax25::machine::{Input, Output, Settings, Station};
use sojourn_protocols::ax25::wire::Frame;
use sojourn_protocols::kiss::{Command, Deframer, Message};
use sojourn_scenario::check;

use crate::waiting::{channel, until};

const CHANNEL: &str = r#"
title = "a TNC"
[network]
kind = "packet-radio"
[[medium]]
name = "channel"
bit_rate = "10 Mbit/s"
txdelay = "20 ms"
txtail = "0 s"
[[station]]
name = "own"
frack = "300 ms"
retry = 8
[[station]]
name = "far"
[probe]
from = "own"
to = "far"
timeout = "20 s"
"#;

fn on_air() -> Option<OnAir> {
    Some(OnAir {
        callsign: Some("NEAR-1".to_owned()),
        airtime: Some(Duration::from_secs(60)),
        identify: Duration::from_secs(600),
        probe: Probe::PingPong,
        via_nodes: Vec::new(),
        scenario: check(&sojourn_packet_radio::NETWORKS.kinds().parse("test", CHANNEL).unwrap()).unwrap(),
    })
}

fn measurement() -> Measurement {
    Measurement {
        exchanges: 4,
        exchange_sizes: vec![600],
        size: 0,
        packet_size: 0,
        replications: 1,
        inject_loss: 0.0,
        seed: 1,
        on_air: on_air(),
        plan: None,
    }
}

fn measure(url: &str) -> (Measured, Vec<Report>) {
    let (transport, target) = find(url).unwrap();
    let measure = transport.measure(&target, measurement()).unwrap();
    let watch = Watch::new();
    (measure(&watch, &mut NoFrames), watch.reports(0))
}

fn notes(reports: &[Report]) -> Vec<&str> {
    reports.iter().filter(|report| report.kind == "note").map(|report| report.ended.as_str()).collect()
}

/// A TNC whose channel has one other station, FAR-1, which sends back whatever it is sent.
struct Tnc {
    station: Station<Vec<u8>>,
    deframer: Deframer,
    /// Octets said to wait for the channel; none if the TNC does not report it.
    queue: Option<u32>,
    /// What the host set.
    parameters: Vec<String>,
}

impl Tnc {
    fn new(queue: Option<u32>) -> Tnc {
        let settings = Arc::new(Settings { frack: Duration::from_secs(1), ..Settings::default() });
        let station = Station::new(["FAR-1".parse().unwrap()], settings).unwrap();
        Tnc { station, deframer: Deframer::new(3000), queue, parameters: Vec::new() }
    }

    /// Takes bytes of the host; what it answers.
    fn take(&mut self, now: Time, bytes: &[u8]) -> Vec<u8> {
        let mut answer = Vec::new();
        for byte in bytes {
            let Some(Ok(message)) = self.deframer.push(*byte) else { continue };
            match message.command {
                Command::Data(octets) => {
                    let frame = Frame::parse_with(octets, |addressing| self.station.modulo(addressing)).unwrap();
                    self.station.handle(now, Input::Receive { frame: frame.map(<[u8]>::to_vec) });
                }
                Command::SetHardware(b"TXBUF:") => {
                    if let Some(octets) = self.queue {
                        let text = format!("TXBUF:{octets}");
                        Message { port: 0, command: Command::SetHardware(text) }.emit(&mut answer).unwrap();
                    }
                }
                _ => self.parameters.push(message.to_string()),
            }
        }
        self.transmit(now, &mut answer);
        answer
    }

    fn transmit(&mut self, now: Time, answer: &mut Vec<u8>) {
        while let Some(output) = self.station.poll_output() {
            match output {
                Output::SeizeRequest => self.station.handle(now, Input::SeizeConfirm { information_frames: 7 }),
                Output::Transmit { frame, .. } => {
                    Message { port: 0, command: Command::Data(frame.to_bytes().unwrap()) }.emit(answer).unwrap();
                }
                Output::Deliver { link, pid, data } => self.station.handle(now, Input::Send { link, pid, data }),
                _ => {}
            }
        }
    }

    /// Serves a host until it goes, or until this many bytes of it have come.
    fn serve(&mut self, stream: &mut (impl Read + Write), clock: std::time::Instant, most: usize) {
        let (mut bytes, mut taken) = ([0; 4096], 0);
        while taken < most {
            let now = Time::ZERO + Duration::from_nanos(clock.elapsed().as_nanos() as u64);
            let count = match stream.read(&mut bytes) {
                Ok(0) => return,
                Ok(count) => count,
                Err(fault) if matches!(fault.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => 0,
                Err(_) => return,
            };
            taken += count;
            if self.station.next_wakeup().is_some_and(|due| due <= now) {
                self.station.wake(now);
            }
            let answer = self.take(now, &bytes[..count]);
            if stream.write_all(&answer).is_err() {
                return;
            }
        }
    }
}

fn accept(listener: &TcpListener) -> TcpStream {
    let stream = listener.accept().unwrap().0;
    stream.set_read_timeout(Some(SystemDuration::from_millis(5))).unwrap();
    stream
}

fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("kiss+tcp://{}/FAR-1", listener.local_addr().unwrap());
    (listener, url)
}

#[test]
fn a_tnc_receives_its_channel_parameters_and_is_queried_for_its_queue() {
    let (listener, url) = listener();
    let thread = std::thread::spawn(move || {
        let mut tnc = Tnc::new(Some(0));
        tnc.serve(&mut accept(&listener), std::time::Instant::now(), usize::MAX);
        tnc.parameters
    });
    let (measured, reports) = measure(&url);
    assert_eq!(measured.experiments[0].failure, None);
    assert!(notes(&reports).is_empty(), "{:?}", notes(&reports));
    let parameters = thread.join().unwrap();
    assert_eq!(
        parameters,
        ["port 0: TXDELAY 20 ms", "port 0: TXtail 0 ms", "port 0: slot time 100 ms", "port 0: persistence 64/256"]
    );
}

#[test]
fn a_tnc_without_queue_reports_is_noted() {
    let (listener, url) = listener();
    std::thread::spawn(move || Tnc::new(None).serve(&mut accept(&listener), std::time::Instant::now(), usize::MAX));
    let (measured, reports) = measure(&url);
    assert_eq!(measured.experiments[0].failure, None);
    assert!(notes(&reports)[0].contains("does not report its transmit queue"));
}

#[test]
fn a_lost_tnc_is_reconnected_and_reported() {
    let (listener, url) = listener();
    std::thread::spawn(move || {
        let (mut tnc, clock) = (Tnc::new(Some(0)), std::time::Instant::now());
        tnc.serve(&mut accept(&listener), clock, 900);
        std::thread::sleep(SystemDuration::from_millis(300));
        tnc.deframer = Deframer::new(3000);
        tnc.serve(&mut accept(&listener), clock, usize::MAX);
    });
    let (measured, reports) = measure(&url);
    assert_eq!(measured.experiments[0].failure, None);
    let notes = notes(&reports).join("; ");
    assert!(notes.contains("is lost: ") && notes.contains("is connected again"), "{notes}");
}

#[test]
fn an_unreachable_tnc_is_reported_by_name() {
    let (closed, url) = listener();
    drop(closed);
    let (transport, target) = find(&url).unwrap();
    let problems = transport.measure(&target, measurement()).err().unwrap();
    assert!(problems.0[0].message.contains("no TNC listens at 127.0.0.1:"), "{}", problems.0[0].message);
    let (transport, target) = find("kiss+serial:///dev/nonesuch?baud=9600/FAR-1").unwrap();
    let problems = transport.measure(&target, measurement()).err().unwrap();
    assert_eq!(problems.0[0].message, "there is no device /dev/nonesuch");
}

#[test]
fn a_serial_line_carries_a_link() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let device = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let mut master = std::fs::File::from(master);
    let url = format!("kiss+serial://{device}?baud=38400/FAR-1");
    let (transport, target) = find(&url).unwrap();
    // opened, the line is raw: nothing is echoed or translated
    let measure = transport.measure(&target, measurement()).unwrap();
    rustix::io::ioctl_fionbio(&master, true).unwrap();
    let thread = std::thread::spawn(move || Tnc::new(None).serve(&mut master, std::time::Instant::now(), usize::MAX));
    let measured = measure(&Watch::new(), &mut NoFrames);
    assert_eq!(measured.experiments[0].failure, None);
    thread.join().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_hostile_tnc_never_brings_a_listener_down(
        stream in proptest::collection::vec(prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..300),
            proptest::collection::vec(prop_oneof![Just(0xc0), Just(0xdb), Just(0xdc), Just(0), any::<u8>()], 0..100),
        ], 0..30),
    ) {
        let listening = TcpListener::bind("127.0.0.1:0").unwrap();
        let (transport, target) = find(&format!("kiss+tcp://{}", listening.local_addr().unwrap())).unwrap();
        let wanted = Listening {
            count: None,
            duration: None,
            inject_loss: 0.0,
            seed: 1,
            on_air: on_air(),
            agent: None,
            key: None,
        };
        let listen = transport.listen(&target, wanted).unwrap();
        let watch = Arc::new(Watch::new());
        let shared = watch.clone();
        let thread = std::thread::spawn(move || listen(&shared, &mut NoFrames));
        let mut tnc = listening.accept().unwrap().0;
        for bytes in stream {
            tnc.write_all(&bytes).unwrap();
        }
        // after any bytes a frame is heard
        let sound = [&[0xc0, 0x00][..], &sabm(), &[0xc0]].concat();
        tnc.write_all(&[0xc0]).unwrap();
        tnc.write_all(&sound).unwrap();
        let heard = || channel(&watch).filter(|survey| survey.pairs.iter().any(|pair| pair.from == "EVIL"));
        until("the sound frame", heard);
        watch.cancel();
        thread.join().unwrap();
    }
}

/// A set-up from a stranger.
fn sabm() -> Vec<u8> {
    use sojourn_protocols::ax25::machine::LinkKey;
    use sojourn_protocols::ax25::wire::{Body, Role};
    let key = LinkKey::direct("EVIL".parse().unwrap(), "FAR-1".parse().unwrap());
    Frame::<&[u8]> { addressing: key.addressing(Role::Command), poll_final: true, body: Body::Sabm }.to_bytes().unwrap()
}
