//! Both ends of XTP in one process, each on its own thread, over loopback.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measured, Measurement, Report, Watch, find};

use crate::waiting::{TIMEOUT, free_port, receive, until};

struct Listener {
    port: u16,
    watch: Arc<Watch>,
    thread: JoinHandle<Measured>,
}

fn listening() -> Listening {
    Listening { count: None, duration: None, inject_loss: 0.0, seed: 1, on_air: None, agent: None, key: None }
}

fn measurement() -> Measurement {
    Measurement {
        exchanges: 0,
        exchange_sizes: vec![64],
        size: 0,
        packet_size: 8192,
        replications: 1,
        inject_loss: 0.0,
        seed: 1,
        on_air: None,
        plan: None,
    }
}

impl Listener {
    fn start(listening: Listening) -> Listener {
        let (transport, target) = find("xtp+udp://127.0.0.1:0").unwrap();
        let listen = transport.listen(&target, listening).unwrap();
        let watch = Arc::new(Watch::new());
        let shared = watch.clone();
        let thread = std::thread::spawn(move || listen(&shared, &mut NoFrames));
        let port = loop {
            if let Some(listening) = watch.reports(0).first() {
                break listening.peer.rsplit(':').next().unwrap().parse().unwrap();
            }
            std::thread::yield_now();
        };
        Listener { port, watch, thread }
    }

    fn stop(self) -> Vec<Report> {
        self.watch.cancel();
        self.thread.join().unwrap();
        self.watch.reports(1)
    }
}

fn measure_at(port: u16, measurement: Measurement) -> (Measured, Vec<Report>) {
    let watch = Watch::new();
    (watched(port, measurement, &watch), watch.reports(0))
}

fn watched(port: u16, measurement: Measurement, watch: &Watch) -> Measured {
    let (transport, target) = find(&format!("xtp+udp://127.0.0.1:{port}")).unwrap();
    transport.measure(&target, measurement).unwrap()(watch, &mut NoFrames)
}

/// Waits until a megabyte of a transfer is done.
fn wait_for_megabyte(watch: &Watch) {
    until("a megabyte", || (watch.look().done >= 1 << 20).then_some(()));
}

#[test]
fn a_transfer_through_loss_on_both_ends_arrives_with_the_same_sha_256() {
    let listener = Listener::start(Listening { inject_loss: 0.05, ..listening() });
    let (measured, reports) =
        measure_at(listener.port, Measurement { size: 2 << 20, inject_loss: 0.05, packet_size: 1440, ..measurement() });
    let served = listener.stop();

    assert_eq!(measured.experiments[0].failure, None);
    assert_eq!((reports[0].ended.as_str(), reports[0].bytes), ("intact", 2 << 20));
    assert_eq!(reports[0].sha256, served[0].sha256);
    assert_eq!(served[0].bytes, 2 << 20);
    let record = &measured.experiments[0].records[0];
    assert!(2 * record.total("retries") >= reports[0].injected_drops, "what was dropped was sent again");
    assert!((0.02..0.09).contains(&record.value("loss/injected")));
    assert!(record.value("throughput") > 0.0);
}

#[test]
fn exchanges_give_one_response_time_each_and_return_unchanged_data() {
    let listener = Listener::start(listening());
    let (measured, reports) =
        measure_at(listener.port, Measurement { exchanges: 300, exchange_sizes: vec![20_000], ..measurement() });
    let served = listener.stop();

    assert_eq!(measured.experiments[0].failure, None);
    assert_eq!((reports[0].kind, reports[0].messages), ("exchanges", 300));
    assert_eq!((served[0].messages, served[0].bytes), (300, 300 * 20_000));
    let times = measured.experiments[0].records[0].distribution("response_time");
    assert_eq!(times.count(), 300);
    assert!(times.min() > Some(sojourn_core::Duration::ZERO));
}

#[test]
fn an_echo_larger_than_all_buffers_returns_complete() {
    let listener = Listener::start(listening());
    let (measured, _) =
        measure_at(listener.port, Measurement { exchanges: 2, exchange_sizes: vec![8 << 20], ..measurement() });
    listener.stop();
    assert_eq!(measured.experiments[0].failure, None);
}

#[test]
fn replications_are_transfers_of_different_data_over_new_associations() {
    let listener = Listener::start(listening());
    let (measured, reports) =
        measure_at(listener.port, Measurement { size: 100_000, replications: 3, ..measurement() });
    listener.stop();
    assert_eq!(measured.experiments[0].records.len(), 3);
    assert!(reports[0].sha256 != reports[1].sha256 && reports[1].sha256 != reports[2].sha256);
}

#[test]
fn several_initiators_are_served_concurrently() {
    let listener = Listener::start(Listening { count: Some(4), ..listening() });
    let port = listener.port;
    let threads: Vec<_> = (0..4)
        .map(|seed| std::thread::spawn(move || measure_at(port, Measurement { size: 1 << 20, seed, ..measurement() })))
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap().0.experiments[0].failure, None);
    }
    listener.thread.join().unwrap();
    let served = listener.watch.reports(1);
    assert_eq!(served.iter().filter(|report| report.well && report.bytes == 1 << 20).count(), 4);
}

#[test]
fn no_listener_is_reported_at_once_and_by_name() {
    let port = free_port();
    let (measured, _) = measure_at(port, Measurement { exchanges: 1, ..measurement() });
    let failure = measured.experiments[0].failure.clone().unwrap();
    // an initiator without a response
    assert_eq!(failure, format!("cannot reach 127.0.0.1:{port}: no listener on that port (ICMP port unreachable)"));
}

#[test]
fn a_silent_peer_and_one_that_sends_garbage_are_distinguished() {
    let over = Arc::new(AtomicBool::new(false));
    let stopped = over.clone();
    let answer_garbage = move |socket: std::net::UdpSocket| {
        while !stopped.load(Ordering::Relaxed) {
            if let Some((_, from)) = receive(&socket, &mut [0; 2000], Duration::from_millis(50)) {
                socket.send_to(b"220 mail.example ESMTP", from).unwrap();
            }
        }
    };
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let garbage = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let (silent_port, garbage_port) = (silent.local_addr().unwrap().port(), garbage.local_addr().unwrap().port());
    let talker = std::thread::spawn(move || answer_garbage(garbage));
    let ask = |port| {
        std::thread::spawn(move || {
            measure_at(port, Measurement { exchanges: 1, ..measurement() }).0.experiments[0].failure.clone()
        })
    };
    let (first, second) = (ask(silent_port), ask(garbage_port));

    assert_eq!(first.join().unwrap(), Some(format!("127.0.0.1:{silent_port} does not respond")));
    let second = second.join().unwrap().unwrap();
    assert!(second.starts_with(&format!("127.0.0.1:{garbage_port} does not speak XTP: ")), "{second}");
    assert!(second.ends_with("packet of 22 bytes, the header has 32"), "{second}");
    over.store(true, Ordering::Relaxed);
    talker.join().unwrap();
}

#[test]
fn garbage_and_half_open_associations_do_not_block_a_listener() {
    let listener = Listener::start(listening());
    let stranger = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for length in 0..200 {
        let garbage: Vec<u8> = (0..length).map(|at| (at * 37 + length) as u8).collect();
        stranger.send_to(&garbage, ("127.0.0.1", listener.port)).unwrap();
    }
    for bytes in sojourn_protocols::xtp::wire::examples().iter().filter_map(|(_, packet)| packet.to_bytes().ok()) {
        stranger.send_to(&bytes, ("127.0.0.1", listener.port)).unwrap();
    }
    let (measured, _) = measure_at(listener.port, Measurement { size: 1 << 20, exchanges: 10, ..measurement() });
    let served = listener.stop();

    assert!(measured.experiments.iter().all(|experiment| experiment.failure.is_none()));
    let strangers = served.iter().find(|report| report.kind == "strangers").unwrap();
    assert!(strangers.messages >= 200, "{strangers:?}");
}

#[test]
fn a_listener_that_stops_during_a_transfer_is_reported_by_name() {
    let listener = Listener::start(listening());
    let (port, watch) = (listener.port, Watch::new());
    let measured = std::thread::scope(|scope| {
        let measuring = scope.spawn(|| watched(port, Measurement { size: 1 << 40, ..measurement() }, &watch));
        wait_for_megabyte(&watch);
        listener.stop();
        measuring.join().unwrap()
    });
    let failure = measured.experiments[0].failure.clone().unwrap();
    assert!(
        failure.contains("ended early: aborted by the peer") || failure.contains("became unreachable"),
        "{failure}"
    );
    assert!(!watch.reports(0)[0].well);
}

#[test]
fn cancelling_ends_a_transfer_and_notifies_the_listener() {
    let listener = Listener::start(listening());
    let (port, watch) = (listener.port, Watch::new());
    std::thread::scope(|scope| {
        scope.spawn(|| watched(port, Measurement { size: 1 << 40, ..measurement() }, &watch));
        wait_for_megabyte(&watch);
        let began = Instant::now();
        watch.cancel();
        until("the end that the listener reports", || listener.watch.reports(1).pop());
        assert!(began.elapsed() < TIMEOUT, "of a transfer that takes hours: {:?}", began.elapsed());
    });
    let served = listener.stop();
    assert_eq!(served[0].ended, "aborted by the peer");
}

#[test]
fn packets_have_the_size_that_the_initiator_requests() {
    let listener = Listener::start(listening());
    let packets = |packet_size| {
        let (measured, _) = measure_at(listener.port, Measurement { size: 1 << 20, packet_size, ..measurement() });
        let record = &measured.experiments[0].records[0];
        record.total("packets") - record.total("retries")
    };
    let (small, large) = (packets(1024), packets(32_768));
    listener.stop();
    assert!((1025..1100).contains(&small), "{small} packets of 1 KiB, FIRST among them");
    assert!((33..40).contains(&large), "{large} packets of 32 KiB, FIRST among them");
}
