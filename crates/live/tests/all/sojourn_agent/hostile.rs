//! Hostile clients get nothing, and no other client gets less.

use std::io::Read;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sojourn_core::random::Streams;
use sojourn_live::agent_settings::AgentSettings;
use sojourn_live::io::clock::Clock;
use sojourn_live::io::datagrams::Datagrams;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::{OpenError, RequestError};
use sojourn_protocols::probe::server::Rules;
use sojourn_protocols::probe::wire::{Limits, NO_TOKEN, Packet, Pdu, Reason};

use crate::agent::{Agent, KEY, keyed, lines, open, sessions};
use crate::client::{Client, SILENCE, receive};
use crate::waiting::{TIMEOUT, free_port, rest, until};

fn stranger(agent: SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(agent).unwrap();
    socket
}

/// Another one each time: one that is replayed gets no answer.
fn hello(key: &[u8]) -> Vec<u8> {
    static SENT: AtomicU64 = AtomicU64::new(0);
    let nonce = u128::from(SENT.fetch_add(1, Ordering::Relaxed)).to_be_bytes();
    let mut bytes = Vec::new();
    Packet { token: NO_TOKEN, sequence: 0, pdu: Pdu::Hello { nonce } }.emit(&Key::new(key), 0, &mut bytes);
    bytes
}

fn noise(name: &str) -> impl FnMut(usize) -> Vec<u8> {
    let mut stream = Streams::new(1, 0).stream(name);
    move |length| (0..length).map(|_| stream.bits() as u8).collect()
}

fn limited(change: impl Fn(&mut Rules)) -> AgentSettings {
    let mut settings = keyed();
    change(&mut settings.rules);
    settings
}

/// Says at its own end, however that comes, that something is over.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn an_unauthenticated_flood_gets_no_reply_and_few_log_lines_and_disturbs_no_client() {
    let agent = Agent::start(keyed());
    let mut honest = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let flood = stranger(agent.address);
    let (mut noise, began) = (noise("flood"), Instant::now());
    for round in 0..5000 {
        flood.send(&hello(b"")).unwrap();
        flood.send(&hello(b"another key than theirs")).unwrap();
        flood.send(&noise(round % 1400)).unwrap();
    }
    assert_eq!(receive(&flood, SILENCE), None);
    assert!(honest.is_served(), "the agent serves on");
    honest.close().unwrap();
    let reports = agent.stop();
    let logged = lines(&reports, "unauthenticated").len() as u64;
    let most = 11 + began.elapsed().as_secs();
    assert!((1..=most).contains(&logged), "ten lines at once and one a second of 15 000 datagrams, not {logged}");
}

#[test]
fn a_flood_delays_no_other_client_over_udp_or_tcp() {
    let agent = Agent::start(keyed());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _ends = Ends(&over);
        scope.spawn(|| {
            let flood = stranger(agent.address);
            let datagram = hello(b"another key than theirs");
            while !over.load(Ordering::Relaxed) {
                let _ = flood.send(&datagram);
            }
        });
        let open = || Client::open(agent.address, KEY, Limits::NONE).ok();
        let mut honest = until("an opening finds room among the flood", open);
        for _ in 0..20 {
            assert!(honest.is_served(), "some probes find room among the flood");
        }
        let mut connection = TcpStream::connect(agent.address).unwrap();
        connection.set_read_timeout(Some(TIMEOUT)).unwrap();
        std::io::Write::write_all(&mut connection, &hello(KEY)).unwrap();
        connection.read_exact(&mut [0; 128]).expect("a cookie over TCP");
    });
    agent.stop();
}

#[test]
fn an_absent_agent_and_one_with_another_key_are_indistinguishable() {
    let agent = Agent::start(keyed());
    let none = SocketAddr::from(([127, 0, 0, 1], free_port()));
    for (address, key) in [(agent.address, &b"another key than theirs"[..]), (none, KEY)] {
        let outcome = Client::open(address, key, Limits::NONE).err();
        assert_eq!(outcome, Some(OpenError::NoResponse { after_cookie: false, unauthenticated: 0 }));
    }
    agent.stop();
}

#[test]
fn a_token_is_refused_from_another_port() {
    let agent = Agent::start(open());
    let mut honest = Client::open(agent.address, b"", Limits::NONE).unwrap();
    let thief = stranger(agent.address);
    for _ in 0..3 {
        thief.send(&honest.probe(64)).unwrap();
    }
    assert_eq!(receive(&thief, SILENCE), None);
    assert!(honest.ping(64).is_some());
    assert_eq!(honest.close().unwrap().probes, 1);
    assert_eq!(lines(&agent.stop(), "stray").len(), 3);
}

#[test]
fn a_cookie_is_refused_from_another_port() {
    let agent = Agent::start(keyed());
    let (honest, thief) = (stranger(agent.address), stranger(agent.address));
    honest.send(&hello(KEY)).unwrap();
    let key = Key::new(KEY);
    let answer = Packet::parse(&key, &receive(&honest, TIMEOUT).unwrap()).unwrap();
    let Pdu::Cookie { nonce, cookie } = answer.pdu else { panic!("{answer:?}") };
    let mut bytes = Vec::new();
    let pdu = Pdu::Open { nonce, cookie, wanted: Limits::NONE };
    Packet { token: NO_TOKEN, sequence: 0, pdu }.emit(&key, 0, &mut bytes);
    thief.send(&bytes).unwrap();
    assert_eq!(receive(&thief, SILENCE), None);
    honest.send(&bytes).unwrap();
    let answer = Packet::parse(&key, &receive(&honest, TIMEOUT).unwrap()).unwrap();
    assert!(matches!(answer.pdu, Pdu::Opened { .. }));
    assert_eq!(lines(&agent.stop(), "bad-cookie").len(), 1);
}

#[test]
fn a_replayed_probe_is_answered_once() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let probe = client.probe(64);
    for _ in 0..5 {
        client.socket.send(&probe).unwrap();
    }
    assert!(receive(&client.socket, TIMEOUT).is_some());
    assert_eq!(receive(&client.socket, SILENCE), None);
    let report = client.close().unwrap();
    assert_eq!((report.probes, report.replayed), (1, 4));
    agent.stop();
}

#[test]
fn only_authentic_datagrams_of_a_burst_count_and_each_once() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let mut sender = Datagrams::over(Clock::start(), client.socket.try_clone().unwrap()).unwrap();
    sender.disable_timestamping();
    client.socket.set_nonblocking(false).unwrap();
    for round in 1..=40 {
        let mut burst = client.burst(64, 64);
        // a bit of every eighth is not as it was sent
        burst.chunks_mut(64).step_by(8).for_each(|datagram| datagram[4 + round % 60] ^= 1);
        for _ in 0..2 {
            sender.send_gso(None, &burst, 64).unwrap();
        }
        let report = client.ask().unwrap();
        assert_eq!((report.load_packets, report.replayed), (56 * round as u64, 56 * round as u64));
    }
    assert!(client.ping(64).is_some(), "and requests are answered as ever");
    agent.stop();
}

#[test]
fn a_packet_beyond_the_size_granted_is_dropped_and_counted() {
    let agent = Agent::start(limited(|rules| rules.limits.longest = 200));
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    assert_eq!(client.session.granted().longest, 200);
    for octets in [201, 65_507] {
        let probe = client.probe(octets);
        client.socket.send(&probe).unwrap();
        assert_eq!(receive(&client.socket, SILENCE), None);
    }
    assert!(client.ping(200).is_some());
    assert_eq!(client.close().unwrap().over_limit, 2);
    agent.stop();
}

#[test]
fn a_client_that_exceeds_its_rate_is_limited_and_another_is_served() {
    let agent = Agent::start(limited(|rules| rules.limits.packet_rate = 100));
    let mut greedy = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let mut honest = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let began = Instant::now();
    // so few that all of them find room where they wait to be read
    for _ in 0..200 {
        let probe = greedy.probe(64);
        greedy.socket.send(&probe).unwrap();
    }
    assert!(honest.ping(64).is_some(), "behind all of the other's");
    let allowed = 12 + began.elapsed().as_millis() as u64 / 10;
    let report = greedy.close().unwrap();
    assert!((11..=allowed).contains(&report.probes), "{} of {allowed}", report.probes);
    assert_eq!(report.probes + report.over_limit, 200);
    agent.stop();
}

#[test]
fn a_session_ends_with_its_volume() {
    let agent = Agent::start(limited(|rules| rules.limits.octets = 10_000));
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    for _ in 0..5 {
        assert!(client.ping(1000).is_some());
    }
    let ended = client.ask().unwrap_err();
    let RequestError::Ended { reason, report } = ended else { panic!("{ended:?}") };
    assert_eq!((reason, report.probes), (Reason::VolumeLimit, 5));
    agent.stop();
}

#[test]
fn an_idle_session_ends_and_frees_its_slot() {
    let agent = Agent::start(limited(|rules| {
        rules.limits.idle_seconds = 4;
        rules.sessions = 1;
    }));
    let client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let refused = Client::open(agent.address, KEY, Limits::NONE).err();
    assert_eq!(refused, Some(OpenError::Refused(Reason::Busy)));
    let word = receive(&client.socket, TIMEOUT).expect("a last word");
    let Pdu::Closed { reason, .. } = client.session.decode(&word).unwrap().pdu else { panic!("not the last word") };
    assert_eq!(reason, Reason::Idle);
    Client::open(agent.address, KEY, Limits::NONE).unwrap();
    agent.stop();
}

#[test]
fn greetings_without_an_open_request_take_no_session_slot() {
    let agent = Agent::start(limited(|rules| rules.sessions = 1));
    let half_open: Vec<UdpSocket> = (0..300).map(|_| stranger(agent.address)).collect();
    for socket in &half_open {
        socket.send(&hello(KEY)).unwrap();
    }
    assert!(Client::open(agent.address, KEY, Limits::NONE).is_ok());
    agent.stop();
}

#[test]
fn sessions_per_address_are_limited() {
    let agent = Agent::start(limited(|rules| rules.sessions_per_address = 2));
    let held: Vec<Client> = (0..2).map(|_| Client::open(agent.address, KEY, Limits::NONE).unwrap()).collect();
    let refused = Client::open(agent.address, KEY, Limits::NONE).err();
    assert_eq!(refused, Some(OpenError::Refused(Reason::AddressBusy)));
    drop(held);
    agent.stop();
}

#[test]
fn authenticated_nonsense_does_not_end_the_agent() {
    let agent = Agent::start(keyed());
    let client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let mut real = Vec::new();
    client.session.encode_probe(1 << 40, 0, 0, 64, &mut real);
    let token = &real[24..40];
    let (key, mut noise) = (Key::new(KEY), noise("nonsense"));
    for round in 0..4000usize {
        let mut bytes = noise(if round % 4 == 0 { 64 + round % 300 } else { 128 });
        let length = bytes.len() as u16;
        bytes[..4].copy_from_slice(b"SJN\x01");
        bytes[20] = (round % 20) as u8;
        bytes[22..24].copy_from_slice(&length.to_be_bytes());
        bytes[24..40].copy_from_slice(token);
        let tag = key.tag(&[&bytes[..4], &bytes[20..bytes.len().min(128)]]);
        bytes[4..20].copy_from_slice(&tag);
        client.socket.send(&bytes).unwrap();
        if round % 100 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let mut honest = Client::open(agent.address, KEY, Limits::NONE).expect("the agent lives");
    assert!(honest.is_served());
    agent.stop();
}

#[test]
fn an_open_agent_never_amplifies() {
    let agent = Agent::start(open());
    let (key, mut noise) = (Key::new(b""), noise("gain"));
    for kind in 0..20u8 {
        let mut asked = Vec::new();
        for version in [1, 2] {
            for length in [64usize, 100, 127, 128, 129, 500] {
                // of its own for each, so that an answer that comes late is taken for no other's
                let socket = stranger(agent.address);
                let mut bytes = noise(length);
                bytes[..3].copy_from_slice(b"SJN");
                (bytes[3], bytes[20]) = (version, kind);
                bytes[22..24].copy_from_slice(&(length as u16).to_be_bytes());
                let tag = key.tag(&[&bytes[..4], &bytes[20..length.min(128)]]);
                bytes[4..20].copy_from_slice(&tag);
                socket.send(&bytes).unwrap();
                asked.push((socket, length));
            }
        }
        // what the agent answers before this it has answered then
        let last = stranger(agent.address);
        until("a cookie", || {
            last.send(&hello(b"")).unwrap();
            receive(&last, SILENCE)
        });
        for (socket, length) in asked {
            socket.set_nonblocking(true).unwrap();
            let came = std::iter::from_fn(|| socket.recv(&mut [0; 2000]).ok()).sum::<usize>();
            assert!(came <= length, "kind {kind} of {length} octets: {came} came back");
        }
    }
    let strangers = agent.stop();
    assert!(sessions(&strangers).is_empty());
}

#[test]
fn an_unauthenticated_tcp_connection_is_closed_without_a_byte() {
    let agent = Agent::start(keyed());
    let mut connection = TcpStream::connect(agent.address).unwrap();
    std::io::Write::write_all(&mut connection, &hello(b"another key than theirs")).unwrap();
    assert_eq!(rest(&mut connection), 0);
    agent.stop();
}

#[test]
fn slow_connections_are_limited_and_closed_and_delay_no_client() {
    let agent = Agent::start(keyed());
    let mut slow: Vec<TcpStream> = (0..12).map(|_| TcpStream::connect(agent.address).unwrap()).collect();
    for connection in &mut slow {
        // the last of them have been ended already
        let _ = std::io::Write::write_all(connection, b"S");
    }
    let mut honest = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    assert!(honest.ping(64).is_some());
    for connection in &mut slow {
        assert_eq!(rest(connection), 0, "no byte comes back");
    }
    honest.close().unwrap();
    agent.stop();
}

#[test]
fn an_agent_on_a_public_address_needs_a_key_or_open() {
    let (transport, target) = sojourn_live::find("sojourn://0.0.0.0:0").unwrap();
    let try_with = |settings: AgentSettings| {
        let listening = sojourn_live::Listening { agent: Some(settings), ..Default::default() };
        transport.answer(&target, listening).map(drop)
    };
    let refused = try_with(AgentSettings::default()).unwrap_err();
    assert!(refused.0[0].message.contains("without a key the agent serves loopback only"));
    assert!(try_with(keyed()).is_ok() && try_with(open()).is_ok());
}
