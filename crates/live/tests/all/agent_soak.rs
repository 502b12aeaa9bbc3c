//! An agent over a long time. These measure their own process, so nothing else runs in it.

// what the other tests of the agent need besides

use std::fs;
use std::sync::{Mutex, PoisonError};

use sojourn_protocols::probe::wire::{Limits, Pdu};

use crate::agent::{Agent, KEY, keyed, sessions};
use crate::client::{Client, receive};
use crate::waiting::TIMEOUT;

/// Probes in flight at a time.
const WINDOW: u64 = 16;
/// What the process may grow by: pages of allocators and stacks, not of sessions, logs or queues.
const GROWTH: u64 = 1 << 20;

/// One test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// What this process has in memory, in octets: the agent is a thread of it.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/statm").unwrap();
    status.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// Sends this many probes, a window at a time; how many replies came.
fn probe(client: &mut Client, count: u64) -> u64 {
    let mut replies = 0;
    for _ in 0..count / WINDOW {
        for _ in 0..WINDOW {
            let probe = client.probe(64);
            client.socket.send(&probe).unwrap();
        }
        for _ in 0..WINDOW {
            let Some(reply) = receive(&client.socket, TIMEOUT) else { break };
            assert!(matches!(client.session.decode(&reply).unwrap().pdu, Pdu::Reply { .. }));
            replies += 1;
        }
    }
    replies
}

#[test]
#[ignore = "takes a minute; `make nightly` runs it"]
fn a_million_probes_leave_the_agent_as_large_as_it_was() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    assert_eq!(probe(&mut client, 50_000), 50_000);
    let before = resident();
    assert_eq!(probe(&mut client, 1_000_000), 1_000_000);
    let grown = resident().saturating_sub(before);
    assert!(grown < GROWTH, "it grew by {grown} octets");
    assert_eq!(client.close().unwrap().probes, 1_050_000);
    assert_eq!(sessions(&agent.stop())[0].messages, 1_050_000);
}

#[test]
#[ignore = "takes a minute; `make nightly` runs it"]
fn thousands_of_sessions_and_their_lines_leave_the_agent_as_large_as_it_was() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut settings = keyed();
    (settings.rules.sessions, settings.rules.sessions_per_address) = (5000, 5000);
    let agent = Agent::start(settings);
    let mut reported = 0;
    let mut open_and_close = |count| {
        for _ in 0..count {
            Client::open(agent.address, KEY, Limits::NONE).unwrap().close().unwrap();
            reported += agent.watch.reports(reported).len();
        }
    };
    open_and_close(500);
    let before = resident();
    open_and_close(3000);
    let grown = resident().saturating_sub(before);
    assert!(grown < GROWTH, "it grew by {grown} octets");
    agent.stop();
}
