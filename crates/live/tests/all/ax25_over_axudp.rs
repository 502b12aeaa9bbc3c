//! Both ends of an AX.25 link in one process, each on its own thread, with their frames in UDP datagrams on loopback.

use std::net::UdpSocket;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration as SystemDuration;

use sojourn_core::{Duration, Machine, Time};
use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measured, Measurement, OnAir, Probe, Report, Watch, find};
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::{Observation, Record};
use sojourn_protocols::ax25::hdlc::{appended, checked};
use sojourn_protocols::ax25::wire::{Frame, Modulo};
use sojourn_scenario::check;

use crate::waiting::{TIMEOUT, channel, free_port, receive, until};

/// A channel fast enough for a test: all keying and waiting is that of the machine.
const CHANNEL: &str = r#"
title = "loopback"
[network]
kind = "packet-radio"
[[medium]]
name = "channel"
bit_rate = "10 Mbit/s"
txdelay = "0 s"
txtail = "0 s"
[[station]]
name = "own"
frack = "300 ms"
retry = 6
VERSION
[[station]]
name = "far"
[probe]
from = "own"
to = "far"
timeout = "20 s"
"#;

fn on_air(callsign: &str, version: &str, probe: Probe) -> Option<OnAir> {
    let text = CHANNEL.replace("VERSION", &format!("version = \"{version}\""));
    Some(OnAir {
        callsign: Some(callsign.to_owned()),
        airtime: Some(Duration::from_secs(60)),
        identify: Duration::from_secs(600),
        probe,
        via_nodes: Vec::new(),
        scenario: check(&sojourn_packet_radio::NETWORKS.kinds().parse("test", &text).unwrap()).unwrap(),
    })
}

fn measurement(callsign: &str, version: &str, probe: Probe) -> Measurement {
    Measurement {
        exchanges: 3,
        exchange_sizes: vec![64],
        size: 0,
        packet_size: 0,
        replications: 1,
        inject_loss: 0.0,
        seed: 1,
        on_air: on_air(callsign, version, probe),
        plan: None,
    }
}

/// The far station, at a port of its own.
struct Agent {
    port: u16,
    watch: Arc<Watch>,
    thread: JoinHandle<Measured>,
}

impl Agent {
    fn start(version: &str, inject_loss: f64) -> Agent {
        let port = free_port();
        let (transport, target) = find(&format!("axudp://127.0.0.1:{port}")).unwrap();
        let on_air = on_air("FAR-1", version, Probe::default());
        let listening = Listening { count: None, duration: None, inject_loss, seed: 1, on_air, agent: None, key: None };
        let answer = transport.answer(&target, listening).unwrap();
        let watch = Arc::new(Watch::new());
        let shared = watch.clone();
        let thread = std::thread::spawn(move || answer(&shared, &mut NoFrames));
        Agent { port, watch, thread }
    }

    fn stop(self) -> Vec<Report> {
        self.watch.cancel();
        self.thread.join().unwrap();
        self.watch.reports(1)
    }
}

fn url(port: u16) -> String {
    format!("axudp://127.0.0.1:{port}/FAR-1?local={}", free_port())
}

fn measure_with(url: &str, measurement: Measurement, frames: &mut dyn FrameSink) -> (Measured, Vec<Report>) {
    let (transport, target) = find(url).unwrap();
    let measure = transport.measure(&target, measurement).unwrap();
    let watch = Watch::new();
    (measure(&watch, frames), watch.reports(0))
}

fn measure(url: &str, measurement: Measurement) -> (Measured, Vec<Report>) {
    measure_with(url, measurement, &mut NoFrames)
}

fn count(record: &Record, name: &str) -> u64 {
    match &record.metrics[name] {
        Observation::Count(count) => *count,
        Observation::Distribution(times) => times.count(),
        other => panic!("{name} is {other:?}"),
    }
}

/// The frames of a capture, as monitors print them.
#[derive(Default)]
struct Printed(Vec<String>);

impl FrameSink for Printed {
    fn frame(&mut self, _at: Time, record: &[u8]) {
        assert_eq!(record[0], 0, "the KISS command of a frame");
        self.0.push(Frame::parse(&record[1..], Modulo::Eight).unwrap().to_string());
    }
}

#[test]
fn blocks_are_echoed_and_every_round_trip_is_a_sample() {
    let agent = Agent::start("v2.0", 0.0);
    let sizes = vec![64, 1000, 5000];
    let mut frames = Printed::default();
    let wanted =
        Measurement { exchange_sizes: sizes, replications: 2, ..measurement("NEAR-1", "v2.0", Probe::PingPong) };
    let (measured, reports) = measure_with(&url(agent.port), wanted, &mut frames);
    let served = agent.stop();

    assert_eq!(measured.experiments.len(), 3);
    for experiment in &measured.experiments {
        assert_eq!((experiment.failure.as_ref(), experiment.records.len()), (None, 2));
        for record in &experiment.records {
            assert_eq!((count(record, "response_time"), count(record, "connect_time")), (3, 1));
            assert_eq!((count(record, "failures"), count(record, "disconnect_time")), (0, 1));
        }
    }
    assert_eq!(reports.last().unwrap().bytes, 3 * 5000);
    let visitors: Vec<_> = served.iter().filter(|report| report.kind == "visitor").collect();
    assert_eq!((visitors.len(), visitors[5].messages, visitors[5].bytes), (6, 3, 15_000));
    assert_eq!(visitors[0].peer, "NEAR-1");
    // one that waits too long for the answer asks again
    let answer = frames.0.iter().position(|frame| frame != "NEAR-1>FAR-1: SABM P").unwrap();
    assert!(answer > 0 && frames.0[answer] == "FAR-1>NEAR-1: UA F", "{:?}", &frames.0[..=answer]);
    assert_eq!(frames.0.last().unwrap(), "NEAR-1>ID: UI", "it says who it was");
}

#[test]
fn blocks_are_echoed_unchanged_with_loss_in_both_directions() {
    for version in ["v2.0", "v2.2"] {
        let agent = Agent::start(version, 0.1);
        let wanted = Measurement {
            exchange_sizes: vec![3000],
            inject_loss: 0.1,
            ..measurement("NEAR-1", version, Probe::PingPong)
        };
        let (measured, _) = measure(&url(agent.port), wanted);
        agent.stop();
        let experiment = &measured.experiments[0];
        assert_eq!(experiment.failure, None, "version {version}");
        assert_eq!(count(&experiment.records[0], "response_time") + count(&experiment.records[0], "failures"), 3);
        assert!(count(&experiment.records[0], "retries") > 0, "version {version}");
    }
}

#[test]
fn link_setup_test_frames_and_prompts_are_measured_without_an_echo() {
    let agent = Agent::start("v2.2", 0.0);
    for (probe, spans) in [(Probe::Connect, 3), (Probe::Test, 0), (Probe::Prompt, 3)] {
        let (measured, _) = measure(&url(agent.port), measurement("NEAR-1", "v2.0", probe));
        let experiment = &measured.experiments[0];
        assert_eq!((experiment.name, experiment.failure.as_ref()), (probe.word(), None));
        assert_eq!(count(&experiment.records[0], "response_time"), 3);
        assert_eq!(count(&experiment.records[0], "disconnect_time"), spans);
    }
    agent.stop();
}

#[test]
fn a_digipeater_s_repetition_of_an_own_frame_is_a_sample() {
    let digipeater = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = digipeater.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let mut buffer = [0; 2000];
        while let Some((length, from)) = receive(&digipeater, &mut buffer, TIMEOUT) {
            let mut frame = Frame::parse(checked(&buffer[..length]).unwrap(), Modulo::Eight).unwrap();
            if frame.addressing.digipeaters.next().is_none() {
                return;
            }
            frame.addressing.digipeaters = frame.addressing.digipeaters.advanced();
            digipeater.send_to(&appended(&frame.to_bytes().unwrap()), from).unwrap();
        }
    });
    let url = format!("axudp://127.0.0.1:{port}/CQ?via=DIGI&local={}", free_port());
    let (measured, _) = measure(&url, measurement("NEAR-1", "v2.0", Probe::Digipeater));
    thread.join().unwrap();
    assert_eq!(measured.experiments[0].failure, None);
    assert_eq!(count(&measured.experiments[0].records[0], "response_time"), 3);
}

#[test]
fn a_station_that_does_not_respond_is_reported_with_the_frames_heard() {
    let (measured, _) = measure(&url(free_port()), measurement("NEAR-1", "v2.0", Probe::PingPong));
    let failure = measured.experiments[0].failure.clone().unwrap();
    assert_eq!(failure, "FAR-1 does not respond: asked 6 times; 0 frames of any station were heard");
}

#[test]
fn a_station_that_returns_nothing_is_reported_as_no_echo() {
    use sojourn_protocols::ax25::machine::{Input, Output, Settings, Station};
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let mut mute: Station<Vec<u8>> =
            Station::new(["FAR-1".parse().unwrap()], Arc::new(Settings::default())).unwrap();
        let mut buffer = [0; 2000];
        while let Some((length, from)) = receive(&socket, &mut buffer, TIMEOUT) {
            let frame = Frame::parse(checked(&buffer[..length]).unwrap(), Modulo::Eight).unwrap();
            mute.handle(Time::ZERO, Input::Receive { frame: frame.map(<[u8]>::to_vec) });
            while let Some(output) = mute.poll_output() {
                match output {
                    Output::SeizeRequest => mute.handle(Time::ZERO, Input::SeizeConfirm { information_frames: 7 }),
                    Output::Transmit { frame, .. } => {
                        socket.send_to(&appended(&frame.to_bytes().unwrap()), from).unwrap();
                    }
                    Output::Disconnected { .. } => return,
                    _ => {}
                }
            }
        }
    });
    let mut wanted = measurement("NEAR-1", "v2.0", Probe::PingPong);
    let text = CHANNEL.replace("VERSION", "").replace("\"20 s\"", "\"4 s\"");
    wanted.on_air.as_mut().unwrap().scenario =
        check(&sojourn_packet_radio::NETWORKS.kinds().parse("test", &text).unwrap()).unwrap();
    let (measured, _) = measure(&url(port), wanted);
    thread.join().unwrap();
    let failure = measured.experiments[0].failure.clone().unwrap();
    assert!(failure.starts_with("FAR-1 took a block and returned nothing within 4 s: it is not an echo"), "{failure}");
}

#[test]
fn garbage_and_frames_with_a_wrong_fcs_are_counted_and_ignored() {
    let agent = Agent::start("v2.0", 0.0);
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut wrong = appended(&Frame::<&[u8]>::parse(&sabm(), Modulo::Eight).unwrap().to_bytes().unwrap());
    *wrong.last_mut().unwrap() ^= 1;
    for length in 0..200_usize {
        let garbage: Vec<u8> = (0..length).map(|at| (at * 37 + length) as u8).collect();
        for datagram in [garbage.clone(), appended(&garbage), wrong.clone()] {
            stranger.send_to(&datagram, ("127.0.0.1", agent.port)).unwrap();
        }
    }
    let (measured, _) = measure(&url(agent.port), measurement("NEAR-1", "v2.0", Probe::PingPong));
    let served = agent.stop();
    assert_eq!(measured.experiments[0].failure, None);
    let visitors = served.iter().filter(|report| report.kind == "visitor").count();
    assert_eq!(visitors, 1, "a SABM with a wrong FCS sets up nothing");
}

/// A set-up from a stranger.
fn sabm() -> Vec<u8> {
    use sojourn_protocols::ax25::machine::LinkKey;
    use sojourn_protocols::ax25::wire::{Body, Role};
    let key = LinkKey::direct("EVIL".parse().unwrap(), "FAR-1".parse().unwrap());
    Frame::<&[u8]> { addressing: key.addressing(Role::Command), poll_final: true, body: Body::Sabm }.to_bytes().unwrap()
}

#[test]
fn cancelling_disconnects_the_link_with_disc_at_once() {
    let agent = Agent::start("v2.0", 0.0);
    let url = url(agent.port);
    let watch = Arc::new(Watch::new());
    let shared = watch.clone();
    let thread = std::thread::spawn(move || {
        let (transport, target) = find(&url).unwrap();
        let wanted = Measurement {
            exchanges: 1_000_000,
            exchange_sizes: vec![60_000],
            ..measurement("NEAR-1", "v2.0", Probe::PingPong)
        };
        let mut frames = Printed::default();
        transport.measure(&target, wanted).unwrap()(&shared, &mut frames);
        frames.0
    });
    until("two round trips", || (watch.look().done >= 2).then_some(()));
    watch.cancel();
    let began = std::time::Instant::now();
    let frames = thread.join().unwrap();
    assert!(began.elapsed() < TIMEOUT, "of a million round trips: {:?}", began.elapsed());
    let disc = frames.iter().rposition(|frame| frame == "NEAR-1>FAR-1: DISC P").unwrap();
    let after: Vec<_> = frames[disc + 1..].iter().filter(|frame| frame.starts_with("NEAR-1")).collect();
    assert_eq!(after, ["NEAR-1>ID: UI"]);
    let served = agent.stop();
    assert_eq!(served.last().unwrap().ended, "ended by the other station");
}

#[test]
fn a_monitor_counts_frames_by_pair_of_stations_and_transmits_nothing() {
    let port = free_port();
    let (transport, target) = find(&format!("axudp://127.0.0.1:{port}")).unwrap();
    let listening = Listening {
        count: Some(3),
        duration: None,
        inject_loss: 0.0,
        seed: 1,
        on_air: on_air("FAR-1", "v2.0", Probe::default()),
        agent: None,
        key: None,
    };
    let listen = transport.listen(&target, listening).unwrap();
    let watch = Arc::new(Watch::new());
    let shared = watch.clone();
    let thread = std::thread::spawn(move || listen(&shared, &mut NoFrames));
    let station = UdpSocket::bind("127.0.0.1:0").unwrap();
    for _ in 0..3 {
        station.send_to(&appended(&sabm()), ("127.0.0.1", port)).unwrap();
    }
    let measured = thread.join().unwrap();
    let survey = channel(&watch).unwrap();
    assert_eq!((survey.frames, survey.pairs[0].from.as_str(), survey.pairs[0].to.as_str()), (3, "EVIL", "FAR-1"));
    assert_eq!(count(&measured.experiments[0].records[0], "packets/EVIL>FAR-1"), 3);
    let answer = receive(&station, &mut [0; 100], SystemDuration::from_millis(100));
    assert_eq!(answer, None, "a SABM to no listening station is not answered");
}

#[test]
fn a_station_does_not_transmit_without_a_callsign_and_an_airtime_limit() {
    let refused = |change: fn(&mut OnAir)| {
        let mut wanted = measurement("NEAR-1", "v2.0", Probe::PingPong);
        change(wanted.on_air.as_mut().unwrap());
        let (transport, target) = find(&url(1)).unwrap();
        let problems = transport.measure(&target, wanted).err().expect("it is refused");
        problems.0.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; ")
    };
    assert!(refused(|on_air| on_air.callsign = None).contains("transmitting needs a callsign"));
    assert!(refused(|on_air| on_air.airtime = None).contains("transmitting needs an airtime budget"));
    assert!(refused(|on_air| on_air.callsign = Some("N0CALL-1".to_owned())).contains("is a placeholder"));
    assert!(refused(|on_air| on_air.callsign = Some("TOOLONG".to_owned())).contains("is not a callsign"));
    assert!(refused(|on_air| on_air.callsign = Some("FAR-1".to_owned())).contains("this station's own callsign"));
}
