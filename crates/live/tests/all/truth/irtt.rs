//! irtt beside a measurement, over an emulated path of the same impairments at the same time, where it is installed.

use std::net::{SocketAddr, UdpSocket};
use std::process::{Child, Command, Stdio};

use sojourn_live::emulator::{Passed, Path, Shared};

use super::network::Emulator;
use super::record::Truth;
use crate::waiting::until;

/// Octets of irtt's flags and sequence number in a packet without HMAC.
const FLAGS: usize = 3;
const SEQUENCE: std::ops::Range<usize> = 12..16;
/// The flag of a reply; requests have none. Those that open and close a test have others as well.
const REPLY: u8 = 2;

/// A server of irtt, a client, and the emulator between them.
pub struct Irtt {
    server: Child,
    client: Child,
    emulator: Emulator,
}

/// What irtt reported, and what the emulator recorded of its packets.
pub struct IrttFigures {
    reported: serde_json::Value,
    requests: Vec<(u64, Passed)>,
    replies: Vec<(u64, Passed)>,
}

impl Irtt {
    /// Starts a test of `ms` over a path that shares its clock with others; `None` where irtt is not installed.
    pub fn start(path: &Path, shared: &Shared, ms: u64) -> Option<Irtt> {
        let port = UdpSocket::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let server = irtt(&["server", "-b", &address.to_string(), "-i", "1ms", "-d", "0"])?;
        until("irtt listens", || UdpSocket::bind(address).is_err().then_some(()));
        // other packets are lost than those of the measurement beside it
        let path = Path { seed: path.seed + 1000, ..path.clone() };
        let emulator = Emulator::beside("127.0.0.1:0".parse().unwrap(), address, &path, shared);
        let lasts = format!("{ms}ms");
        let through = emulator.address.to_string();
        let client = irtt(&["client", "-i", "5ms", "-d", &lasts, "-l", "64", "-Q", "-o", "-", &through])?;
        Some(Irtt { server, client, emulator })
    }

    /// Waits for the end of the test; `None` if it failed.
    pub fn end(mut self) -> Option<IrttFigures> {
        let printed = self.client.wait_with_output().ok()?;
        let _ = self.server.kill();
        let _ = self.server.wait();
        let Truth { passed } = self.emulator.end();
        let of = |is_forward: bool, flags: u8| {
            let of_test = passed.iter().filter(|passed| {
                passed.is_forward == is_forward && passed.head.len() >= SEQUENCE.end && passed.head[FLAGS] == flags
            });
            let number = |passed: &Passed| u32::from_le_bytes(passed.head[SEQUENCE].try_into().unwrap());
            of_test.map(|passed| (number(passed).into(), passed.clone())).collect()
        };
        let reported = serde_json::from_slice(&printed.stdout).ok()?;
        Some(IrttFigures { reported, requests: of(true, 0), replies: of(false, REPLY) })
    }
}

impl IrttFigures {
    /// How many requests it sent.
    pub fn requests(&self) -> usize {
        self.requests.len()
    }

    /// Packets lost in a direction, reported and recorded.
    pub fn lost(&self, direction: &str) -> [String; 2] {
        let count = |name: &str| self.reported["stats"][name].as_i64().unwrap_or(-1);
        let arrived = count("server_packets_received");
        let (reported, packets) = match direction {
            "forward" => (count("packets_sent") - arrived, &self.requests),
            _ => (arrived - count("packets_received"), &self.replies),
        };
        let recorded = packets.iter().filter(|(_, passed)| passed.delivered.is_empty()).count();
        [reported.to_string(), recorded.to_string()]
    }

    /// Duplicates of replies as the client counts them, and those of both directions that were recorded.
    pub fn duplicates(&self) -> [String; 2] {
        let reported = self.reported["stats"]["duplicates"].as_i64().unwrap_or(-1);
        let twice =
            |packets: &[(u64, Passed)]| packets.iter().filter(|(_, passed)| passed.delivered.len() == 2).count();
        [reported.to_string(), (twice(&self.requests) + twice(&self.replies)).to_string()]
    }

    /// A quantile of the round-trip time in milliseconds, reported and recorded.
    pub fn round_trip_ms(&self, q: f64) -> [String; 2] {
        let trips = self.reported["round_trips"].as_array().cloned().unwrap_or_default();
        let reported = trips.iter().filter_map(|trip| trip["delay"]["rtt"].as_f64().map(|ns| ns * 1e-6));
        let passage = |passed: &Passed| Some(passed.delivered.first()?.since(passed.arrived).seconds() * 1e3);
        let back = |number: u64| self.replies.iter().find(|(reply, _)| *reply == number);
        let recorded =
            self.requests.iter().filter_map(|(number, passed)| Some(passage(passed)? + passage(&back(*number)?.1)?));
        [quantile(reported.collect(), q), quantile(recorded.collect(), q)]
    }

    /// The median of the one-way delay on the return in milliseconds, both ends having one clock.
    pub fn return_p50_ms(&self) -> String {
        let delay = self.reported["stats"]["receive_delay"]["median"].as_f64();
        delay.map_or(String::new(), |ns| format!("{:.2}", ns * 1e-6))
    }
}

fn irtt(arguments: &[&str]) -> Option<Child> {
    let mut command = Command::new("irtt");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().ok()
}

fn quantile(mut values: Vec<f64>, q: f64) -> String {
    values.sort_by(f64::total_cmp);
    let at = ((values.len() as f64 * q) as usize).min(values.len().saturating_sub(1));
    values.get(at).map_or(String::new(), |value| format!("{value:.2}"))
}
