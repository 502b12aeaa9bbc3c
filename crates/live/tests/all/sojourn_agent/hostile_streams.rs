//! Hostile clients over a connection for probes get no more than they sent, and no other client gets less.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use sojourn_live::agent_settings::AgentSettings;
use sojourn_protocols::probe::server::Rules;
use sojourn_protocols::probe::wire::{Direction, Limits, Pdu, Reason, Stream};

use crate::agent::{Agent, KEY, keyed};
use crate::client::{Client, receive};
use crate::sojourn_agent::streams::{BARE, granted};
use crate::waiting::{TIMEOUT, rest, uninterrupted, until};

const PROBES: Stream = Stream { direction: Direction::Echo, ..BARE };

fn limited(change: impl Fn(&mut Rules)) -> AgentSettings {
    let mut settings = keyed();
    change(&mut settings.rules);
    settings
}

fn client(agent: &Agent) -> Client {
    Client::open(agent.address, KEY, Limits::NONE).unwrap()
}

fn connected(agent: &Agent, client: &mut Client) -> TcpStream {
    granted(agent.address, client, PROBES)
}

/// Reads one reply of this many octets.
fn reply(connection: &mut TcpStream, client: &Client, octets: u16) -> Pdu {
    let mut bytes = vec![0; usize::from(octets)];
    connection.read_exact(&mut bytes).unwrap();
    client.session.decode(&bytes).unwrap().pdu
}

#[test]
fn a_frame_that_is_no_probe_of_the_session_closes_the_connection_without_a_byte() {
    let agent = Agent::start(limited(|rules| rules.limits.longest = 1000));
    let (mut honest, mut thief) = (client(&agent), client(&agent));
    let changed = |probe: &[u8], at: usize, bytes: &[u8]| {
        let mut frame = probe.to_vec();
        frame[at..at + bytes.len()].copy_from_slice(bytes);
        frame
    };
    let probe = thief.probe(128);
    let long = 1001u16.to_be_bytes();
    let frames = [
        ("another's session", honest.probe(128)),
        ("load", thief.burst(1, 128)),
        ("one bit of the tag", changed(&probe, 10, &[probe[10] ^ 1])),
        ("one bit of what it vouches for", changed(&probe, 50, &[probe[50] ^ 1])),
        ("no length", changed(&probe, 22, &[0, 0])),
        ("a length below a header's", changed(&probe, 22, &[0, 63])),
        ("a length above what is granted", changed(&probe, 22, &long)),
        ("a length above what a packet can have", changed(&probe, 22, &[0xff, 0xff])),
        ("an authentic packet above what is granted", thief.probe(1001)),
        ("another protocol", b"GET / HTTP/1.0\r\n\r\n".repeat(8)),
    ];
    for (what, frame) in frames {
        let mut connection = connected(&agent, &mut thief);
        let good = thief.probe(64);
        connection.write_all(&good).unwrap();
        assert!(matches!(reply(&mut connection, &thief, 64), Pdu::Reply { .. }));
        connection.write_all(&frame).unwrap();
        assert_eq!(rest(&mut connection), 0, "{what}");
    }
    assert!(thief.ping(64).is_some(), "the session is none the worse");
    assert!(honest.ping(64).is_some());
    agent.stop();
}

#[test]
fn probes_in_pieces_get_complete_replies_and_half_a_frame_gets_none() {
    let agent = Agent::start(keyed());
    let mut client = client(&agent);
    let mut connection = connected(&agent, &mut client);
    let sizes = [64u16, 65, 127, 128, 129, 1400, 9000, 65_507];
    let mut sent = Vec::new();
    for round in 0..40 {
        sent.extend(client.probe(sizes[round % sizes.len()]));
    }
    let whole = sent.len();
    sent.extend(&client.probe(500)[..499]);
    let mut writer = connection.try_clone().unwrap();
    let writing = std::thread::spawn(move || {
        sent.chunks(977).for_each(|piece| writer.write_all(piece).unwrap());
        writer.shutdown(Shutdown::Write).unwrap();
    });
    assert_eq!(rest(&mut connection), whole);
    writing.join().unwrap();
    agent.stop();
}

#[test]
fn a_half_open_connection_ends_with_its_idle_session_and_delays_no_client() {
    let agent = Agent::start(limited(|rules| rules.limits.idle_seconds = 4));
    let (mut half, mut deaf, mut slow) = (client(&agent), client(&agent), client(&agent));
    let mut half_open = connected(&agent, &mut half);
    half_open.write_all(&half.probe(64)[..63]).unwrap();
    let mut unread = connected(&agent, &mut deaf);
    unread.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
    let probe = deaf.probe(65_000);
    while unread.write_all(&probe).is_ok() {}
    let mut trickle = connected(&agent, &mut slow);
    let trickled = slow.probe(2000).into_iter().take_while(|octet| {
        std::thread::sleep(Duration::from_millis(10));
        trickle.write_all(&[*octet]).is_ok()
    });
    assert!(trickled.count() < 2000, "an octet now and then is not a probe");
    let mut honest = client(&agent);
    assert!(honest.ping(64).is_some());
    assert_eq!(rest(&mut half_open), 0);
    until("replies that no client reads keep no connection", || {
        uninterrupted(|| unread.write(&probe)).is_err_and(|fault| fault.kind() != ErrorKind::WouldBlock).then_some(())
    });
    agent.stop();
}

#[test]
fn a_connection_closed_within_a_frame_frees_its_slot() {
    let agent = Agent::start(limited(|rules| rules.limits.streams = 1));
    let mut client = client(&agent);
    for _ in 0..3 {
        let mut connection = connected(&agent, &mut client);
        connection.write_all(&client.probe(1000)[..999]).unwrap();
    }
    agent.stop();
}

#[test]
fn a_connection_that_exceeds_its_rate_is_limited_and_another_is_served() {
    let agent = Agent::start(limited(|rules| rules.limits.packet_rate = 100));
    let (mut greedy, mut honest) = (client(&agent), client(&agent));
    let mut connection = connected(&agent, &mut greedy);
    let began = Instant::now();
    for _ in 0..60 {
        connection.write_all(&greedy.probe(64)).unwrap();
    }
    assert!(honest.ping(64).is_some());
    for _ in 0..60 {
        reply(&mut connection, &greedy, 64);
    }
    // a tenth of a second's worth, and one, passes at once
    assert!(began.elapsed() >= Duration::from_millis(480), "{:?}", began.elapsed());
    agent.stop();
}

#[test]
fn a_session_ends_with_its_volume_over_tcp() {
    let agent = Agent::start(limited(|rules| rules.limits.octets = 10_000));
    let mut client = client(&agent);
    let mut connection = connected(&agent, &mut client);
    let probes: Vec<u8> = (0..20).flat_map(|_| client.probe(1000)).collect();
    connection.write_all(&probes).unwrap();
    assert_eq!(rest(&mut connection), 5000, "what came counts, and what goes back");
    let word = receive(&client.socket, TIMEOUT).expect("a last word");
    let Pdu::Closed { reason, .. } = client.session.decode(&word).unwrap().pdu else { panic!("not the last word") };
    assert_eq!(reason, Reason::VolumeLimit);
    agent.stop();
}

/// A silent connection from an address of this host.
fn silent(agent: &Agent, own: [u8; 4]) -> TcpStream {
    use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&socket, &std::net::SocketAddr::from((own, 0))).unwrap();
    connect(&socket, &agent.address).unwrap();
    TcpStream::from(socket)
}

#[test]
fn silent_connections_from_many_addresses_leave_room_for_clients_and_are_logged() {
    let agent = Agent::start(keyed());
    let mut honest = client(&agent);
    // more than there are places, each from an address with at most eight
    let held: Vec<TcpStream> = (0..160u8).map(|number| silent(&agent, [127, 0, 9, number / 8])).collect();
    let ninth: Vec<TcpStream> = (0..9).map(|_| silent(&agent, [127, 0, 10, 1])).collect();
    let mut connection = connected(&agent, &mut honest);
    connection.write_all(&honest.probe(128)).unwrap();
    assert!(matches!(reply(&mut connection, &honest, 128), Pdu::Reply { .. }));
    drop((held, ninth, connection));
    let reports = agent.stop();
    assert!(!crate::agent::lines(&reports, "stream-refused").is_empty());
}
