//! What is told of each transfer and each series of exchanges as soon as it has ended.

use std::collections::BTreeMap;

use serde::Serialize;

/// One association's work, from either end; or what a listener says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// What was done: `"transfer"`, `"exchanges"`, a probe's word, a `"visitor"` of an agent; of a listener `"listening"`
    /// when it begins, and `"strangers"` at the end if it got datagrams that were no packets; a `"session"` that an agent
    /// served, a line of its `"log"`; of a relay `"there"` and `"back"`, its datagrams each way, and `"connections"`; or
    /// a `"note"`.
    pub kind: &'static str,
    /// The other end, as `127.0.0.1:36000`, or `192.0.2.7:18620 over TCP`.
    pub peer: String,
    /// Bytes of user data: handed over by the sender, delivered by the receiver.
    pub bytes: u64,
    /// Messages: 1 for a transfer, as many as were answered for exchanges.
    pub messages: u64,
    /// Seconds from the first to the last of it.
    pub seconds: f64,
    /// Bits of user data per second, in one direction.
    pub bit_rate: f64,
    /// Data packets that this end sent again.
    pub retransmissions: u64,
    /// Datagrams that this end dropped on purpose.
    pub injected_drops: u64,
    /// SHA-256 of the data in hexadecimal, for a transfer.
    pub sha256: Option<String>,
    /// How it ended: `"intact"` at a sender whose receiver had the same SHA-256, `"complete"`, or what went wrong.
    pub ended: String,
    /// Whether it ended well.
    pub well: bool,
    /// What else was counted, by name.
    pub counts: BTreeMap<&'static str, u64>,
}

impl Report {
    /// Something that a user should know at once.
    pub fn note(text: String) -> Report {
        Report { kind: "note", ended: text, well: true, ..Report::default() }
    }

    /// A line of a log.
    pub fn log(line: String) -> Report {
        Report { kind: "log", ended: line, well: true, ..Report::default() }
    }

    /// A listener begins, at an address of this host.
    pub fn of_listener(address: String) -> Report {
        Report { kind: "listening", peer: address, ended: "listening".to_owned(), well: true, ..Report::default() }
    }
}
