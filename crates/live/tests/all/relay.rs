//! The relay over the loopback: what arrives is as late, as slow and as much as asked for.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::thread;
use std::time::{Duration as Span, Instant};

use sojourn_core::{Duration, Time};
use sojourn_live::Watch;
use sojourn_live::emulator::{Counts, Impairment, Link, Path, connections, datagrams};
use sojourn_live::io::clock::Clock;
use sojourn_live::io::datagrams::{Datagrams, Marking, ReadMode};
use sojourn_live::io::packet_io::Received;

use crate::namespaces::{FAR, Namespaces};
use crate::waiting::{TIMEOUT, receive};

const HERE: &str = "127.0.0.1:0";
/// What is in flight longer has been lost, whatever else the machine does.
const SILENCE: Span = Span::from_secs(5);
/// Datagrams of which every socket has room for all, if no thread reads it for a while.
const MOST: u32 = 200;

/// A relay on a thread of its own, until it is stopped.
struct Running<T> {
    address: SocketAddr,
    watch: Arc<Watch>,
    thread: thread::JoinHandle<T>,
}

impl<T> Running<T> {
    fn stop(self) -> T {
        self.watch.cancel();
        self.thread.join().unwrap()
    }
}

fn datagrams(far: SocketAddr, path: &Path) -> Running<datagrams::Relayed> {
    datagrams_at(HERE, far, path)
}

fn datagrams_at(here: &str, far: SocketAddr, path: &Path) -> Running<datagrams::Relayed> {
    let relay = datagrams::Relay::open(here.parse().unwrap(), far, path).unwrap();
    let (address, watch) = (relay.address().unwrap(), Arc::new(Watch::new()));
    let shared = watch.clone();
    Running { address, watch, thread: thread::spawn(move || relay.run(&shared)) }
}

fn connections(far: SocketAddr, path: &Path) -> Running<connections::Relayed> {
    let relay = connections::Relay::open(HERE.parse().unwrap(), far, path).unwrap();
    let (address, watch) = (relay.address().unwrap(), Arc::new(Watch::new()));
    let shared = watch.clone();
    Running { address, watch, thread: thread::spawn(move || relay.run(&shared)) }
}

fn delayed(delay: Duration) -> Link {
    Link { delay, ..Link::default() }
}

fn socket() -> UdpSocket {
    UdpSocket::bind(HERE).unwrap()
}

/// Sends numbered datagrams through a relay; the numbers as they arrive, and how late each was.
fn pass(path: &Path, packets: u32, every: Span) -> (Vec<(u32, Span)>, Counts) {
    let (near, far) = (socket(), socket());
    let relay = datagrams(far.local_addr().unwrap(), path);
    near.connect(relay.address).unwrap();
    let start = Instant::now();
    let receiver = thread::spawn(move || {
        let mut arrived = Vec::new();
        let mut buffer = [0; 100];
        while receive(&far, &mut buffer, SILENCE).is_some() {
            let number = u32::from_be_bytes(buffer[..4].try_into().unwrap());
            arrived.push((number, start.elapsed().saturating_sub(every * number)));
        }
        arrived
    });
    for number in 0..packets {
        thread::sleep((every * number).saturating_sub(start.elapsed()));
        near.send(&[&number.to_be_bytes()[..], &[0; 96]].concat()).unwrap();
    }
    let arrived = receiver.join().unwrap();
    (arrived, relay.stop().forward)
}

#[test]
fn datagrams_are_delayed_as_configured_and_stay_in_order() {
    let path = Path::both(delayed(Duration::from_millis(20)), 1);
    let (arrived, _) = pass(&path, MOST, Span::from_millis(2));
    assert_eq!(arrived.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (0..MOST).collect::<Vec<_>>());
    assert!(arrived.iter().all(|(_, late)| *late >= Span::from_millis(20)));
}

#[test]
fn the_datagrams_that_arrive_are_those_that_the_link_did_not_drop() {
    let link = Link { loss: 0.3, ..Link::default() };
    let path = Path::both(Impairment { duplication: 0.1, reordering: 0.1, ..link.into() }, 1);
    let (arrived, counts) = pass(&path, MOST, Span::from_micros(300));
    assert_eq!(counts.offered, u64::from(MOST));
    assert!((40..80).contains(&counts.lost), "{counts:?}");
    assert_eq!(arrived.len() as u64, counts.offered - counts.lost + counts.duplicated);
    let overtaken = arrived.windows(2).filter(|pair| pair[0].0 > pair[1].0).count();
    assert!(overtaken > 0, "none of {} held back was overtaken", counts.reordered);
}

#[test]
fn a_rate_limit_spreads_a_burst_and_drops_what_exceeds_its_queue() {
    // 100 octets at 80 kbit/s take 10 ms; the queue holds ten
    let slow = Impairment { queue: 1000, ..Link { rate: Some(80_000), ..Link::default() }.into() };
    let (arrived, counts) = pass(&Path::both(slow, 1), 30, Span::ZERO);
    assert_eq!(counts.queue_drops + arrived.len() as u64, 30);
    assert!(arrived.len() >= 10, "{} of a burst of 30", arrived.len());
    for (before, (_, late)) in (1..).zip(&arrived) {
        assert!(*late >= Span::from_millis(10) * before, "the first {before} after {late:?}");
    }
}

#[test]
fn no_datagram_passes_during_an_outage_and_all_pass_after_it() {
    let until = Time::ZERO + Duration::from_millis(2500);
    let out = Impairment::default().with_outage(Time::ZERO..until);
    let (arrived, counts) = pass(&Path::both(out, 1), 60, Span::from_millis(50));
    assert!((1..=51).contains(&counts.outage_drops), "those of 2.5 s at most: {counts:?}");
    assert!(arrived.iter().map(|(number, _)| u64::from(*number)).eq(counts.outage_drops..60), "{arrived:?}");
}

#[test]
fn responses_reach_the_client_that_sent_the_request() {
    let far = socket();
    let relay = datagrams(far.local_addr().unwrap(), &Path::default());
    let guests = [socket(), socket()];
    for (number, guest) in (0..).zip(&guests) {
        guest.send_to(&[number], relay.address).unwrap();
        let mut buffer = [0; 10];
        let (length, from) = receive(&far, &mut buffer, TIMEOUT).unwrap();
        far.send_to(&[buffer[0], 9], from).unwrap();
        assert_eq!(length, 1);
    }
    for (number, guest) in (0..).zip(&guests) {
        let mut buffer = [0; 10];
        assert_eq!(receive(guest, &mut buffer, TIMEOUT).unwrap().0, 2);
        assert_eq!(buffer[..2], [number, 9]);
    }
    relay.stop();
}

/// Whether a relay to an echo answers at this address, with the traffic class that was sent.
fn answers_at(address: &str, relay: SocketAddr, echo: &mut Datagrams) -> bool {
    let (asked, marking) =
        (format!("{address}:{}", relay.port()).parse().unwrap(), Marking { dscp: 46, ecn: 1, bind: None });
    // connected: it takes answers from the address that it asked alone
    let mut near = Datagrams::to(Clock::start(), asked, &marking).unwrap();
    near.disable_timestamping();
    near.send(b"?").unwrap();
    let mut buffer = [0; 10];
    echo.wait_for(Duration::from_secs(5));
    let Received::Datagram(arrival, _) = echo.receive(ReadMode::NonBlocking, &mut buffer) else { return false };
    let class = echo.last_traffic_class().unwrap();
    echo.answer(arrival.from, None, class, b"!").unwrap();
    near.wait_for(Duration::from_secs(5));
    let answered = near.receive(ReadMode::NonBlocking, &mut buffer);
    matches!(answered, Received::Datagram(..)) && near.last_traffic_class() == Some(46 << 2 | 1)
}

fn echo() -> Datagrams {
    let mut echo = Datagrams::at(Clock::start(), HERE.parse().unwrap()).unwrap();
    echo.disable_timestamping();
    echo.enable_traffic_class();
    echo
}

#[test]
fn a_relay_on_all_addresses_answers_from_the_one_that_a_client_addresses_and_passes_marks() {
    let mut echo = echo();
    for (here, asked) in [
        ("0.0.0.0:0", &["127.0.0.1", "127.7.8.9"][..]),
        ("[::]:0", &["127.7.8.9", "[::1]"]),
        ("127.7.8.9:0", &["127.7.8.9"]),
    ] {
        let relay = datagrams_at(here, echo.local().unwrap(), &Path::default());
        for address in asked {
            assert!(answers_at(address, relay.address, &mut echo), "{here} asked at {address}");
        }
        relay.stop();
    }
}

#[test]
fn a_relay_answers_from_each_address_of_its_host() {
    let Some(namespaces) = Namespaces::create("relay") else { return };
    let (mut echo, relay) = namespaces.far(|| {
        let echo = echo();
        let relay = datagrams_at("[::]:0", echo.local().unwrap(), &Path::default());
        (echo, relay)
    });
    for address in FAR {
        assert!(namespaces.near(|| answers_at(address, relay.address, &mut echo)), "{address}");
    }
    relay.stop();
}

#[test]
fn the_client_idle_for_the_longest_is_dropped_for_a_new_one() {
    let far = socket();
    let relay = datagrams(far.local_addr().unwrap(), &Path::default());
    let guests: Vec<UdpSocket> = (0..300).map(|_| socket()).collect();
    let mut buffer = [0; 10];
    for (number, guest) in (0_u32..).zip(&guests) {
        guest.send_to(&number.to_be_bytes(), relay.address).unwrap();
        let (length, from) = receive(&far, &mut buffer, TIMEOUT).unwrap_or_else(|| panic!("nothing of guest {number}"));
        far.send_to(&buffer[..length], from).unwrap();
        receive(guest, &mut buffer, TIMEOUT).unwrap();
        assert_eq!(buffer[..4], number.to_be_bytes());
    }
    relay.stop();
}

#[test]
fn the_bytes_in_flight_are_bounded_at_any_delay() {
    let path = Path::both(delayed(Duration::from_secs(600)), 1);
    let (near, far) = (socket(), socket());
    let relay = datagrams(far.local_addr().unwrap(), &path);
    let large = vec![0; 65_000];
    // 64 MiB are 1032 of them and a little
    for number in 1..=1040 {
        near.send_to(&large, relay.address).unwrap();
        let start = Instant::now();
        while relay.watch.look().done < number {
            assert!(start.elapsed() < TIMEOUT, "{number} were not taken");
            thread::sleep(Span::from_micros(50));
        }
    }
    let forward = relay.stop().forward;
    assert_eq!((forward.offered, forward.octets, forward.queue_drops), (1040, 1040 * 65_000, 1040 - 1033));
}

#[test]
fn an_unreachable_remote_host_is_reported() {
    let gone = socket().local_addr().unwrap();
    let (near, relay) = (socket(), datagrams(gone, &Path::default()));
    near.connect(relay.address).unwrap();
    for number in 1..=20 {
        near.send(&[1]).unwrap();
        let start = Instant::now();
        while relay.watch.look().done < number && start.elapsed() < TIMEOUT {
            thread::sleep(Span::from_millis(1));
        }
    }
    let relayed = relay.stop();
    assert!((1..=20).contains(&relayed.unreachable), "{relayed:?}");
    assert_eq!((relayed.forward.offered, relayed.reverse.offered), (20, 0));
}

/// Sends bytes to a host that sends them back, through a relay; what came back and how long it took.
fn round_trip(path: &Path, bytes: &[u8]) -> (Vec<u8>, Span) {
    let far = TcpListener::bind(HERE).unwrap();
    let address = far.local_addr().unwrap();
    let echo = thread::spawn(move || {
        let (mut stream, _) = far.accept().unwrap();
        let mut copy = stream.try_clone().unwrap();
        std::io::copy(&mut stream, &mut copy).unwrap();
    });
    let relay = connections(address, path);
    let start = Instant::now();
    let mut near = TcpStream::connect(relay.address).unwrap();
    let mut writer = near.try_clone().unwrap();
    let sent = bytes.to_vec();
    let sender = thread::spawn(move || {
        writer.write_all(&sent).unwrap();
        writer.shutdown(std::net::Shutdown::Write).unwrap();
    });
    let mut received = Vec::new();
    near.read_to_end(&mut received).unwrap();
    let elapsed = start.elapsed();
    sender.join().unwrap();
    echo.join().unwrap();
    let connections::Relayed { forward, reverse, .. } = relay.stop();
    assert_eq!([forward, reverse], [bytes.len() as u64; 2]);
    (received, elapsed)
}

#[test]
fn the_bytes_of_a_connection_are_delayed_and_rate_limited_and_none_is_lost() {
    let bytes: Vec<u8> = (0..200_000_u32).map(|number| ((number * 31) >> 3) as u8).collect();
    // 200 kB at 4 Mbit/s take 400 ms, and 30 ms in each direction
    let reverse = delayed(Duration::from_millis(30));
    let forward = Link { rate: Some(4_000_000), ..reverse };
    let (received, elapsed) = round_trip(&Path::of(forward, reverse, 1), &bytes);
    assert!(received == bytes, "every byte in its place");
    assert!(elapsed >= Span::from_millis(455), "{elapsed:?}");
}

#[test]
fn connections_that_share_a_rate_limit_all_make_progress() {
    let far = TcpListener::bind(HERE).unwrap();
    let slow = Link { rate: Some(8_000_000), ..Link::default() };
    let relay = connections(far.local_addr().unwrap(), &Path::both(slow, 1));
    let senders = [(); 2].map(|()| {
        let mut near = TcpStream::connect(relay.address).unwrap();
        thread::spawn(move || near.write_all(&vec![0; 500_000]).unwrap())
    });
    let receivers = [(); 2].map(|()| {
        let (mut stream, _) = far.accept().unwrap();
        thread::spawn(move || std::io::copy(&mut stream, &mut std::io::sink()).unwrap())
    });
    let start = Instant::now();
    senders.into_iter().for_each(|sender| sender.join().unwrap());
    assert_eq!(receivers.map(|receiver| receiver.join().unwrap()), [500_000; 2]);
    // a megabyte at 8 Mbit/s takes a second, less what was in flight before
    assert!(start.elapsed() >= Span::from_millis(800), "{:?}", start.elapsed());
    relay.stop();
}

#[test]
fn impairments_of_packets_are_refused_for_connections() {
    let lossy = Path::both(Link { loss: 0.1, ..Link::default() }, 1);
    let refused = connections::Relay::open(HERE.parse().unwrap(), "127.0.0.1:9".parse().unwrap(), &lossy).unwrap_err();
    assert!(refused.to_string().contains("only datagrams are lost"));
}
