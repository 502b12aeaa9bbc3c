//! TCP connections: load in either direction, probes, and who may.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::wire::{
    CONTROL_LENGTH, Congestion, Direction, Limits, NO_TOKEN, Packet, Pdu, Reason, Stream,
};

use crate::agent::{Agent, KEY, keyed, lines, sessions};
use crate::client::Client;
use crate::waiting::{TIMEOUT, rest, until};

pub const BARE: Stream = Stream {
    direction: Direction::Up,
    congestion: Congestion::SYSTEM,
    bit_rate: 0,
    octets: 0,
    duration_ns: 0,
    dscp: 0,
};

/// Connects, says what the connection is for, and reads the answer.
pub fn ask(agent: SocketAddr, client: &mut Client, stream: Stream) -> (TcpStream, Pdu) {
    let mut bytes = Vec::new();
    client.session.encode_stream(stream, &mut bytes);
    let mut connection = TcpStream::connect(agent).unwrap();
    connection.set_read_timeout(Some(TIMEOUT)).unwrap();
    connection.write_all(&bytes).unwrap();
    let answer = frame(&mut connection);
    (connection, answer.pdu)
}

/// Asks until it is granted: what has gone makes room when the agent has seen that.
pub fn granted(agent: SocketAddr, client: &mut Client, stream: Stream) -> TcpStream {
    until("a connection is granted", || {
        let (connection, answer) = ask(agent, client, stream);
        matches!(answer, Pdu::Granted { .. }).then_some(connection)
    })
}

fn frame(connection: &mut TcpStream) -> Packet {
    let mut bytes = [0; CONTROL_LENGTH as usize];
    connection.read_exact(&mut bytes).unwrap();
    Packet::parse(&Key::new(KEY), &bytes).unwrap()
}

#[test]
fn load_to_the_agent_is_counted_exactly_and_keeps_its_rate() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let (mut connection, answer) = ask(agent.address, &mut client, Stream { bit_rate: 80_000_000, ..BARE });
    assert!(matches!(answer, Pdu::Granted { .. }));
    connection.write_all(&vec![0; 3_000_001]).unwrap();
    connection.shutdown(Shutdown::Write).unwrap();
    let Pdu::StreamReport { octets, elapsed_ns } = frame(&mut connection).pdu else { panic!("no report") };
    assert_eq!(octets, 3_000_001);
    // what arrives may run 1 ms ahead, and the last chunk, of 2 ms, is read at once
    assert!(elapsed_ns >= 297_000_000, "10 MB a second: {elapsed_ns} ns");
    client.close().unwrap();
    let reports = agent.stop();
    assert_eq!(sessions(&reports)[0].counts["stream_octets_in"], 3_000_001);
    assert!(lines(&reports, "stream")[0].contains("direction=Up"));
}

#[test]
fn load_to_the_client_keeps_its_rate_and_ends_with_its_volume() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let stream = Stream { direction: Direction::Down, octets: 500_000, bit_rate: 16_000_000, ..BARE };
    let began = std::time::Instant::now();
    let (mut connection, _) = ask(agent.address, &mut client, stream);
    let mut data = Vec::new();
    connection.read_to_end(&mut data).unwrap();
    assert_eq!(data.len(), 500_000);
    assert!(began.elapsed() >= Duration::from_millis(245), "{:?}", began.elapsed());
    agent.stop();
}

#[test]
fn a_very_low_rate_does_not_prevent_the_agent_from_ending() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let down = Stream { direction: Direction::Down, bit_rate: 1, ..BARE };
    let (mut slow, _) = ask(agent.address, &mut client, down);
    let (mut sent, _) = ask(agent.address, &mut client, Stream { direction: Direction::Up, ..down });
    sent.write_all(&[0; 5000]).unwrap();
    slow.read_exact(&mut [0; 1448]).unwrap();
    let began = std::time::Instant::now();
    agent.stop();
    assert!(began.elapsed() < TIMEOUT, "{:?}", began.elapsed());
}

#[test]
fn load_to_the_client_ends_after_its_duration() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    // long enough that something is sent on a machine that stands still for most of it
    let (duration_ns, bit_rate) = (2_000_000_000, 8_000_000);
    let stream = Stream { direction: Direction::Down, duration_ns, bit_rate, ..BARE };
    let (mut connection, _) = ask(agent.address, &mut client, stream);
    let mut data = Vec::new();
    connection.read_to_end(&mut data).unwrap();
    assert!((1..=2_010_000).contains(&data.len()), "a megabyte a second for 2 s: {}", data.len());
    agent.stop();
}

#[test]
fn replies_over_tcp_are_as_long_as_their_probes() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let (mut connection, _) = ask(agent.address, &mut client, Stream { direction: Direction::Echo, ..BARE });
    let mut before = 0;
    for (sequence, octets) in [64u16, 128, 5000, 65_507].into_iter().enumerate() {
        let mut bytes = Vec::new();
        client.session.encode_probe(sequence as u64, 0, 0, octets, &mut bytes);
        connection.write_all(&bytes).unwrap();
        let mut reply = vec![0; usize::from(octets)];
        connection.read_exact(&mut reply).unwrap();
        let packet = client.session.decode(&reply).unwrap();
        let Pdu::Reply { receive_ns, residence, .. } = packet.pdu else { panic!("{packet:?}") };
        assert!(packet.sequence == sequence as u64 && receive_ns > before);
        assert_eq!(
            residence.map(|residence| residence.earlier),
            (sequence > 0).then_some(1),
            "each reports the previous one"
        );
        before = receive_ns;
    }
    agent.stop();
}

#[test]
fn a_connection_without_a_session_of_its_address_is_refused_by_name() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let mut other = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let request = other.session.close(other.now());
    other.request(request).unwrap();
    assert_eq!(ask(agent.address, &mut other, BARE).1, Pdu::Refused { nonce: [0; 16], reason: Reason::NoSession });
    let unknown = Stream { congestion: Congestion::new("nonesuch").unwrap(), ..BARE };
    assert_eq!(
        ask(agent.address, &mut client, unknown).1,
        Pdu::Refused { nonce: [0; 16], reason: Reason::Unsupported }
    );
    assert!(matches!(ask(agent.address, &mut client, BARE).1, Pdu::Granted { .. }), "its session is none the worse");
    agent.stop();
}

#[test]
fn connections_beyond_the_limit_are_refused_until_one_ends() {
    let mut settings = keyed();
    settings.rules.limits.streams = 1;
    let agent = Agent::start(settings);
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let (first, _) = ask(agent.address, &mut client, BARE);
    assert_eq!(ask(agent.address, &mut client, BARE).1, Pdu::Refused { nonce: [0; 16], reason: Reason::StreamsBusy });
    drop(first);
    granted(agent.address, &mut client, BARE);
    agent.stop();
}

#[test]
fn a_hello_over_tcp_verifies_the_key_where_udp_is_blocked() {
    let agent = Agent::start(keyed());
    let mut bytes = Vec::new();
    let pdu = Pdu::Hello { nonce: [9; 16] };
    Packet { token: NO_TOKEN, sequence: 0, pdu }.emit(&Key::new(KEY), 0, &mut bytes);
    let mut connection = TcpStream::connect(agent.address).unwrap();
    connection.write_all(&bytes).unwrap();
    assert!(matches!(frame(&mut connection).pdu, Pdu::Cookie { nonce: [9, ..], .. }));
    agent.stop();
}

#[test]
fn the_end_of_a_session_ends_its_connections() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let (mut connection, _) = ask(agent.address, &mut client, Stream { direction: Direction::Down, ..BARE });
    client.close().unwrap();
    // what was in flight still comes
    rest(&mut connection);
    agent.stop();
}
