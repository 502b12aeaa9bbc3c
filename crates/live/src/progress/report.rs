//! Reports of transfers, series of exchanges, sessions and events, available as soon as each ends.

use std::collections::BTreeMap;

use serde::Serialize;

/// The result of one association, from either end; or an event of a listener.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// What it reports: `"transfer"`, `"exchanges"`, a kind of probe, a `"visitor"` of an agent on the air; of a listener
    /// `"listening"` at its start and `"strangers"` for datagrams it could not decode; a `"session"` of an agent, a line of
    /// its `"log"`; a line of a `"monitor"`; of a relay `"forward"` and `"reverse"`, its datagrams in each direction, and
    /// `"connections"`; or a `"note"`.
    pub kind: &'static str,
    /// The peer, such as `127.0.0.1:36000` or `192.0.2.7:18620 over TCP`.
    pub peer: String,
    /// Bytes of user data, sent or delivered.
    pub bytes: u64,
    /// Messages: 1 for a transfer, the number answered for exchanges.
    pub messages: u64,
    /// Its duration in seconds.
    pub seconds: f64,
    /// Bits of user data per second, in one direction.
    pub bit_rate: f64,
    /// Data packets retransmitted by this end.
    pub retransmissions: u64,
    /// Datagrams dropped by injected loss.
    pub injected_drops: u64,
    /// SHA-256 of the data in hexadecimal, for a transfer.
    pub sha256: Option<String>,
    /// How it ended: `"intact"` at a sender whose receiver had the same SHA-256, `"complete"`, or what went wrong.
    pub ended: String,
    /// Whether it ended as expected.
    pub well: bool,
    /// Name of the key that a session of an agent was opened with.
    pub key: Option<String>,
    /// Further counts, by name.
    pub counts: BTreeMap<&'static str, u64>,
}

impl Report {
    /// A message for the user.
    pub fn note(text: String) -> Report {
        Report { kind: "note", ended: text, well: true, ..Report::default() }
    }

    /// A report that is one line of a log.
    pub fn log(line: String) -> Report {
        Report { kind: "log", ended: line, well: true, ..Report::default() }
    }

    /// A listener started on an address.
    pub fn of_listener(address: String) -> Report {
        Report { kind: "listening", peer: address, ended: "listening".to_owned(), well: true, ..Report::default() }
    }
}
