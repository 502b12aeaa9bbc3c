//! What a client that an agent does not serve reports, and what to try.

use std::net::{SocketAddr, UdpSocket};
use std::thread::JoinHandle;

use sojourn_live::prober::plan::TimedTest;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::server::Rules;
use sojourn_protocols::probe::wire::{CONTROL_LENGTH, Limits, VERSION};

use super::measuring::{measure, plan};
use crate::agent::{Agent, KEY, keyed};
use crate::client::Client;

/// An agent's limits.
fn limited(change: impl Fn(&mut Rules)) -> Agent {
    let mut settings = keyed();
    change(&mut settings.rules);
    Agent::start(settings)
}

/// Why a measurement there comes to nothing.
fn failure(agent: SocketAddr) -> String {
    let measured = measure(agent, TimedTest { key: Some(Key::new(KEY)), ..plan() });
    let [experiment] = &measured.experiments[..] else { panic!("{:?}", measured.experiments) };
    assert!(experiment.records.is_empty(), "nothing was measured");
    experiment.failure.clone().unwrap()
}

/// One who has the key and answers the first packet as an agent of the next version would.
fn of_another_version() -> (SocketAddr, JoinHandle<()>) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let answer = move || {
        let mut packet = [0; CONTROL_LENGTH as usize];
        let (_, from) = socket.recv_from(&mut packet).unwrap();
        packet[3] = VERSION + 1;
        let tag = Key::new(KEY).tag(&[&packet[..4], &packet[20..]]);
        packet[4..20].copy_from_slice(&tag);
        socket.send_to(&packet, from).unwrap();
    };
    (address, std::thread::spawn(answer))
}

#[test]
fn a_busy_agent_is_reported_with_the_option_that_raises_its_limit() {
    let agent = limited(|rules| rules.sessions = 1);
    let held = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let text = failure(agent.address);
    drop(held);
    assert!(text.contains("its maximum number of sessions is open; wait until one has ended"), "{text}");
    assert!(text.contains("--limit sessions=N"), "{text}");
}

#[test]
fn limits_that_are_too_low_are_reported_with_the_request() {
    let slow = limited(|rules| rules.limits.packet_rate = 50);
    let text = failure(slow.address);
    assert!(text.contains("allows less: 50 packets/s, requested 100 packets/s"), "{text}");
    assert!(text.contains("sojourn agent --limit"), "{text}");
}

#[test]
fn an_agent_of_another_version_is_distinguished_from_one_with_another_key() {
    let (address, thread) = of_another_version();
    let text = failure(address);
    thread.join().unwrap();
    let expected = "the agent uses protocol version 3, this client version 2; install the same release";
    assert!(text.contains(expected), "{text}");
}
