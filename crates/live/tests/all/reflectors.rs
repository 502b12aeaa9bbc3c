//! Measurements against reflectors: unimpaired, through an impaired path, and until the network goes away.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use sojourn_core::Duration;
use sojourn_live::emulator::{Impairment, Link, Path, datagrams};
use sojourn_live::io::datagrams::Marking;
use sojourn_live::prober::plan::TimedTest;
use sojourn_live::prober::schedule::Schedule;
use sojourn_live::{Measured, Watch};
use sojourn_metrics::record::{Observation, Record};
use sojourn_protocols::stamp::{ErrorEstimate, Format, Probe, Reply, Timestamp, pad};

use crate::reflector::{Reflector, measured, watched};
use crate::waiting::{TIMEOUT, receive, uninterrupted, until};

fn client() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0").unwrap()
}

fn exchange(socket: &UdpSocket, to: SocketAddr, datagram: &[u8]) -> Vec<u8> {
    socket.send_to(datagram, to).unwrap();
    let mut buffer = vec![0; 2048];
    let (length, _) = receive(socket, &mut buffer, TIMEOUT).unwrap();
    buffer[..length].to_vec()
}

fn probe(sequence: u32) -> Probe {
    let timestamp = Timestamp::of(1_700_000_000_000_000_000, Format::Ntp);
    Probe { sequence, timestamp, error: ErrorEstimate::UNKNOWN, session: 9 }
}

#[test]
fn a_stamp_reflector_answers_each_probe_with_equal_length_and_its_own_timestamps() {
    let reflector = Reflector::at("stamp://127.0.0.1:0");
    let socket = client();
    let mut sent = Vec::new();
    for (number, octets) in [44, 47, 48, 300].into_iter().enumerate() {
        probe(100 + number as u32).emit(None, &mut sent);
        pad(&mut sent, octets);
        let began = Instant::now();
        let answer = exchange(&socket, reflector.address, &sent);
        let round_trip_ns = began.elapsed().as_nanos() as u64;
        assert_eq!(answer.len(), octets);
        let (reply, behind) = Reply::parse(&answer, None).unwrap();
        assert_eq!((reply.probe_sequence, reply.sequence), (100 + number as u32, number as u32));
        assert_eq!(reply.probe_timestamp, probe(0).timestamp);
        assert!(behind.iter().all(|extension| !extension.unrecognized));
        let spent = reply.timestamp.unix_ns(Format::Ntp).checked_sub(reply.received.unix_ns(Format::Ntp));
        assert!(spent.is_some_and(|ns| ns < round_trip_ns), "{spent:?} of {round_trip_ns} ns");
    }
}

#[test]
fn datagrams_that_are_no_probes_or_come_from_a_reflectors_port_get_no_reply() {
    let reflector = Reflector::at("stamp://127.0.0.1:0");
    let socket = client();
    socket.send_to(&[0; 43], reflector.address).unwrap();
    // another reflector at the same port of another address of this host
    let twin = UdpSocket::bind(("127.0.0.2", reflector.address.port())).unwrap();
    let mut sent = Vec::new();
    probe(0).emit(None, &mut sent);
    twin.send_to(&sent, reflector.address).unwrap();
    let answer = exchange(&socket, reflector.address, &sent);
    let (reply, _) = Reply::parse(&answer, None).unwrap();
    assert_eq!(reply.probe_sequence, 0, "only the probe was answered");
    twin.set_nonblocking(true).unwrap();
    assert!(twin.recv(&mut [0; 100]).is_err());
    let said = reflector.stop();
    assert!(said.contains("1 datagrams reflected") && said.contains("1 from service ports, 1 unrecognized"), "{said}");
}

#[test]
fn an_echo_returns_its_data_over_ipv4_and_ipv6() {
    for host in ["127.0.0.1", "[::1]"] {
        let reflector = Reflector::at(&format!("udp-echo://{host}:0"));
        let socket = UdpSocket::bind(format!("{host}:0")).unwrap();
        for datagram in [&b"hello"[..], &[], &[7; 1400]] {
            assert_eq!(exchange(&socket, reflector.address, datagram), datagram);
        }
    }
}

#[test]
fn a_stream_is_echoed_complete_and_one_host_has_a_limit_of_connections() {
    let reflector = Reflector::at("tcp-echo://127.0.0.1:0");
    let bytes: Vec<u8> = (0..300_000_u32).map(|number| ((number * 7) >> 2) as u8).collect();
    let mut stream = TcpStream::connect(reflector.address).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let sent = bytes.clone();
    let sender = thread::spawn(move || {
        writer.write_all(&sent).unwrap();
        writer.shutdown(std::net::Shutdown::Write).unwrap();
    });
    let mut returned = Vec::new();
    stream.read_to_end(&mut returned).unwrap();
    sender.join().unwrap();
    assert!(returned == bytes, "every byte in its place");

    let mut streams: Vec<TcpStream> = (0..12).map(|_| TcpStream::connect(reflector.address).unwrap()).collect();
    let served = streams.iter_mut().filter(|stream| {
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut stream: &TcpStream = stream;
        stream.write_all(b"?").is_ok() && uninterrupted(|| stream.read(&mut [0; 8])).is_ok_and(|length| length == 1)
    });
    assert_eq!(served.count(), 8);
}

/// One phase so long, 100 requests a second.
fn plan(octets: u32, duration: Duration) -> TimedTest {
    TimedTest { sizes: vec![octets], seed: 3, ..crate::reflector::plan(duration) }
}

fn measure(scheme: &str, address: SocketAddr, plan: TimedTest) -> Measured {
    measured(&format!("{scheme}://{address}"), plan)
}

fn median_ms(record: &Record, metric: &str) -> f64 {
    record.distribution(metric).quantile(0.5).unwrap().seconds() * 1e3
}

#[test]
fn every_reflector_can_be_measured() {
    for (scheme, octets) in [("stamp", 44), ("stamp", 200), ("udp-echo", 64), ("tcp-echo", 64)] {
        let reflector = Reflector::at(&format!("{scheme}://127.0.0.1:0"));
        let measured = measure(scheme, reflector.address, plan(octets, Duration::from_millis(400)));
        let [experiment] = &measured.experiments[..] else { panic!("{scheme}: {:?}", measured.experiments) };
        assert_eq!(experiment.failure, None, "{scheme}");
        let record = &experiment.records[0];
        assert_eq!(record.value("loss"), 0.0, "{scheme}");
        assert!(median_ms(record, "response_time") > 0.001, "{scheme}");
    }
}

#[test]
fn a_reflector_replies_with_the_traffic_class_of_the_request() {
    for scheme in ["stamp", "udp-echo"] {
        let reflector = Reflector::at(&format!("{scheme}://127.0.0.1:0"));
        // sent as if a queue had marked it
        let marking = Marking { ecn: 3, ..Marking::default() };
        let plan = TimedTest { marking, ..plan(64, Duration::from_millis(400)) };
        let measured = measure(scheme, reflector.address, plan);
        let record = &measured.experiments[0].records[0];
        assert_eq!(record.metrics.get("marks"), Some(&Observation::Count(40)), "{scheme}");
    }
}

#[test]
fn a_measurement_through_a_relay_shows_the_configured_impairments() {
    let reflector = Reflector::at("stamp://127.0.0.1:0");
    let slow = |delay, loss| Impairment::from(Link { delay: Duration::from_millis(delay), loss, ..Link::default() });
    let path = Path::of(slow(20, 0.1), slow(10, 0.05), 2);
    let relay = datagrams::Relay::open("127.0.0.1:0".parse().unwrap(), reflector.address, &path).unwrap();
    let (address, watch) = (relay.address().unwrap(), Arc::new(Watch::new()));
    let shared = watch.clone();
    let running = thread::spawn(move || relay.run(&shared));
    let measured = measure("stamp", address, plan(44, Duration::from_secs(3)));
    watch.cancel();
    running.join().unwrap();

    let record = &measured.experiments[0].records[0];
    let least = record.distribution("response_time").min().unwrap();
    assert!(least >= Duration::from_millis(30), "20 ms there and 10 ms back are {least:?}");
    assert!((0.08..0.21).contains(&record.value("loss")), "15 % were asked for");
    let (ahead_s, error_s) = (record.value("clock_offset"), record.value("clock_error"));
    assert!(
        ahead_s.abs() <= error_s,
        "one host's clock is {ahead_s} s ahead of itself, and may be wrong by {error_s} s"
    );
}

#[test]
fn partial_results_are_kept_when_the_network_fails() {
    let reflector = Reflector::at("udp-echo://127.0.0.1:0");
    // behind the relay the client does not learn that the closed reflector refuses datagrams
    let relay = datagrams::Relay::open("127.0.0.1:0".parse().unwrap(), reflector.address, &Path::default()).unwrap();
    let (address, watch, near) = (relay.address().unwrap(), Arc::new(Watch::new()), Watch::new());
    let shared = watch.clone();
    let running = thread::spawn(move || relay.run(&shared));
    // one at a time, so that no other is in flight when the last is answered
    let schedule = Schedule::PingPong { think: Duration::from_millis(5), spread: Duration::ZERO };
    let (timeout, outage_limit) = (Duration::from_millis(500), Some(Duration::from_secs(2)));
    let plan = TimedTest { schedule, timeout, outage_limit, ..plan(64, Duration::from_secs(600)) };
    let measured = thread::scope(|scope| {
        let measuring = scope.spawn(|| watched(&format!("udp-echo://{address}"), plan, &near));
        until("fifty answers", || near.standing().filter(|standing| standing.phases[0].answered >= 50));
        reflector.stop();
        measuring.join().unwrap()
    });
    watch.cancel();
    running.join().unwrap();

    let failure = measured.experiments[0].failure.as_deref().unwrap();
    assert!(failure.contains("became unreachable") && failure.contains("partial results are kept"), "{failure}");
    let record = &measured.experiments[0].records[0];
    assert!(record.value("loss") > 0.0 && record.total("outages") == 1, "the outage is part of what was measured");
}

#[test]
fn reflectors_at_all_addresses_answer_from_the_one_that_was_asked() {
    for scheme in ["stamp", "udp-echo"] {
        for bound in ["0.0.0.0", "[::]"] {
            let reflector = Reflector::at(&format!("{scheme}://{bound}:0"));
            let asked = SocketAddr::from(([127, 7, 8, 9], reflector.address.port()));
            let socket = client();
            socket.connect(asked).unwrap();
            let mut datagram = Vec::new();
            probe(1).emit(None, &mut datagram);
            socket.send(&datagram).unwrap();
            let (_, from) = receive(&socket, &mut [0; 2048], TIMEOUT).unwrap();
            assert_eq!(from, asked, "{scheme} at {bound}");
        }
    }
}
