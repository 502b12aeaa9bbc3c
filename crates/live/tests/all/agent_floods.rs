//! Hostile hosts on a network of their own: what an agent sends to strangers, what it keeps of them, and whom it refuses.
//!
//! Agent and strangers are in two network namespaces, so that every octet is counted by the kernel and strangers have many
//! addresses; without the rights to create them these tests pass.

use std::fs;
use std::io::Write;
use std::net::{IpAddr, SocketAddr, TcpStream, UdpSocket};
use std::sync::{Mutex, PoisonError};

use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use sojourn_core::random::Streams;
use sojourn_live::Listening;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::OpenError;
use sojourn_protocols::probe::wire::{Limits, NO_TOKEN, Packet, Pdu, Reason};

use crate::agent::{Agent, KEY, keyed};
use crate::client::{Client, SILENCE, receive};
use crate::namespaces::Namespaces;
use crate::waiting::TIMEOUT;

/// One test at a time: they measure their own process, of which the agent is a part.
static ALONE: Mutex<()> = Mutex::new(());
/// Datagrams of a flood.
const FLOOD: usize = 1_000_000;

/// Strangers and an agent with a key.
struct Site {
    namespaces: Namespaces,
    agent: Agent,
}

impl Site {
    fn create(name: &str) -> Option<Site> {
        let namespaces = Namespaces::create(name)?;
        let listening = Listening { agent: Some(keyed()), ..Listening::default() };
        let agent = namespaces.far(|| Agent::at("sojourn://[::]:0", listening));
        Some(Site { namespaces, agent })
    }

    fn address(&self, host: &str) -> SocketAddr {
        format!("{host}:{}", self.agent.address.port()).parse().unwrap()
    }

    /// Sockets of strangers to the agent at its IPv4 address.
    fn strangers(&self, count: usize) -> Vec<UdpSocket> {
        let agent = self.address("10.90.0.2");
        let stranger = |_| {
            let socket = UdpSocket::bind("10.90.0.1:0").unwrap();
            socket.connect(agent).unwrap();
            socket
        };
        self.namespaces.near(|| (0..count).map(stranger).collect())
    }
}

fn hello(nonce: u128) -> Vec<u8> {
    let mut bytes = Vec::new();
    let pdu = Pdu::Hello { nonce: nonce.to_be_bytes() };
    Packet { token: NO_TOKEN, sequence: 0, pdu }.emit(&Key::new(KEY), 0, &mut bytes);
    bytes
}

fn noise(name: &str) -> impl FnMut(usize) -> Vec<u8> {
    let mut stream = Streams::new(1, 0).stream(name);
    move |length| (0..length).map(|_| stream.bits() as u8).collect()
}

/// A silent connection from an address.
fn silent(own: SocketAddr, agent: SocketAddr) -> TcpStream {
    let socket = socket(AddressFamily::INET6, SocketType::STREAM, None).unwrap();
    bind(&socket, &own).unwrap();
    connect(&socket, &agent).unwrap();
    TcpStream::from(socket)
}

#[test]
fn a_captured_greeting_gets_nothing_from_other_ports_and_a_few_answers_at_its_own() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(site) = Site::create("replay") else { return };
    let strangers = site.strangers(40);
    let captured = hello(7);
    strangers[0].send(&captured).unwrap();
    assert!(receive(&strangers[0], TIMEOUT).is_some(), "a cookie");
    for _ in 0..200 {
        strangers.iter().for_each(|stranger| drop(stranger.send(&captured)));
    }
    let answers = std::iter::from_fn(|| receive(&strangers[0], SILENCE)).count();
    assert!(answers <= 8, "{answers} answers to 200 copies");
    for stranger in &strangers[1..] {
        stranger.set_nonblocking(true).unwrap();
        assert!(stranger.recv(&mut [0; 200]).is_err(), "nothing comes back to another port");
    }
    site.agent.stop();
}

#[test]
fn the_addresses_of_one_ipv6_network_count_as_one_client() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(site) = Site::create("slots") else { return };
    let many: Vec<IpAddr> = (0x100..0x114).map(|host| format!("fd90::{host:x}").parse().unwrap()).collect();
    many.iter().for_each(|address| site.namespaces.add_near_address(&format!("{address}/64")));
    site.namespaces.add_near_address("fd91::1/64");
    site.namespaces.add_far_address("fd91::2/64");
    let (agent, elsewhere) = (site.address("[fd90::2]"), site.address("[fd91::2]"));
    let other: IpAddr = "fd91::1".parse().unwrap();
    site.namespaces.near(|| {
        let open = |own: &IpAddr| Client::open_from(*own, agent, KEY, Limits::NONE);
        let outcomes: Vec<_> = many.iter().cycle().take(40).map(open).collect();
        let held = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        let refused = outcomes.iter().filter(|outcome| matches!(outcome, Err(OpenError::Refused(Reason::AddressBusy))));
        assert_eq!((held, refused.count()), (32, 8), "of 20 addresses of a /64 as of one");
        let connections: Vec<TcpStream> =
            many.iter().cycle().take(160).map(|own| silent(SocketAddr::new(*own, 0), agent)).collect();
        let mut honest = Client::open_from(other, elsewhere, KEY, Limits::NONE).expect("another /64 has slots");
        assert!(honest.is_served());
        let mut connection = silent(SocketAddr::new(other, 0), elsewhere);
        connection.set_read_timeout(Some(TIMEOUT)).unwrap();
        connection.write_all(&hello(8)).unwrap();
        std::io::Read::read_exact(&mut connection, &mut [0; 128]).expect("a cookie over TCP");
        drop(connections);
    });
    let reports = site.agent.stop();
    assert!(!crate::agent::lines(&reports, "stream-refused").is_empty());
}

/// Octets in memory, open files and threads of this process.
fn held() -> [u64; 3] {
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    let resident = pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096;
    let entries = |folder| fs::read_dir(folder).unwrap().count() as u64;
    [resident, entries("/proc/self/fd"), entries("/proc/self/task")]
}

/// Prints what came in and went out of the agent's host, and what the process held before and after.
fn figures(what: &str, site: &Site, work: impl FnOnce() + Send) {
    let (before, octets) = (held(), site.namespaces.far_octets());
    site.namespaces.near(work);
    let (after, now) = (held(), site.namespaces.far_octets());
    let [came, left] = [now[0] - octets[0], now[1] - octets[1]];
    let mib = |octets: u64| octets as f64 / f64::from(1 << 20);
    println!(
        "{what:<46} {:>9.1} {:>9.3} {:>8.4} {:>7.1} {:>7.1} {:>3} {:>3} {:>3} {:>3}",
        mib(came),
        mib(left),
        left as f64 / came.max(1) as f64,
        mib(before[0]),
        mib(after[0]),
        before[1],
        after[1],
        before[2],
        after[2]
    );
}

#[test]
#[ignore = "takes minutes, and prints figures: cargo test -p sojourn-live --test all agent_floods -- --ignored --nocapture"]
fn figures_of_floods() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(site) = Site::create("floods") else {
        println!("this needs the right to create network namespaces");
        return;
    };
    println!(
        "\n{:<46} {:>9} {:>9} {:>8} {:>7} {:>7} {:>7} {:>7}",
        "", "MiB in", "MiB out", "out/in", "RSS", "after", "files", "threads"
    );
    let strangers = site.strangers(32);
    let mut noise_of = noise("garbage");
    let garbage: Vec<Vec<u8>> = (0..1000).map(|round| noise_of(round % 1400)).collect();
    figures("garbage, a million datagrams of 32 ports", &site, || {
        (0..FLOOD).for_each(|round| drop(strangers[round % 32].send(&garbage[round % 1000])));
    });
    let captured = hello(9);
    figures("one captured greeting, a million copies", &site, || {
        (0..FLOOD).for_each(|round| drop(strangers[round % 32].send(&captured)));
    });
    let agent = site.address("10.90.0.2");
    let own: IpAddr = "10.90.0.1".parse().unwrap();
    let client = site.namespaces.near(|| Client::open_from(own, agent, KEY, Limits::NONE).unwrap());
    let nonsense = authenticated_nonsense(&client);
    figures("authenticated nonsense, a million datagrams", &site, || {
        (0..FLOOD).for_each(|round| drop(client.socket.send(&nonsense[round % 4000])));
    });
    let mut refused = 0;
    figures("300 sessions asked of one address", &site, || {
        let outcomes: Vec<_> = (0..300).map(|_| Client::open_from(own, agent, KEY, Limits::NONE)).collect();
        refused = outcomes.iter().filter(|outcome| outcome.is_err()).count();
    });
    println!("    {refused} of 300 refused");
    let reports = site.agent.stop();
    println!("    {} lines logged", reports.iter().filter(|report| report.kind == "log").count());
}

/// Packets of every kind with the session's token and a valid tag, whose other fields make no sense.
fn authenticated_nonsense(client: &Client) -> Vec<Vec<u8>> {
    let mut real = Vec::new();
    client.session.encode_probe(1 << 40, 0, 0, 64, &mut real);
    let (key, mut noise) = (Key::new(KEY), noise("nonsense"));
    let packet = |round: usize| {
        let mut bytes = noise(if round.is_multiple_of(4) { 64 + round % 300 } else { 128 });
        let length = bytes.len() as u16;
        bytes[..4].copy_from_slice(b"SJN\x01");
        bytes[20] = (round % 20) as u8;
        bytes[22..24].copy_from_slice(&length.to_be_bytes());
        bytes[24..40].copy_from_slice(&real[24..40]);
        let tag = key.tag(&[&bytes[..4], &bytes[20..bytes.len().min(128)]]);
        bytes[4..20].copy_from_slice(&tag);
        bytes
    };
    (0..4000).map(packet).collect()
}
