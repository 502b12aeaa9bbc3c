//! The byte format of a replication's record, for the cache and for transport. A checksum covers the key of the
//! replication and the content; an entry that does not read back exactly counts as absent.

use std::sync::atomic::AtomicBool;

use serde::Serialize;
use sha2::{Digest, Sha256};
use sojourn_core::Duration;
use sojourn_metrics::record::Record;
use sojourn_model::Replication;

/// What an entry begins with; changes with its layout.
const MAGIC: &[u8; 8] = b"sojourn3";
/// Bytes of the checksum that follows.
const CHECKSUM: usize = 32;

/// All that decides the content of a replication's record.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Key<'a> {
    /// Fingerprint of the build, [`Build::identity`](crate::Build::identity).
    pub identity: &'a str,
    /// Fingerprint of the scenario without seed and number of replications.
    pub scenario: &'a str,
    /// Seed of the random streams.
    pub seed: u64,
    /// Which replication, from 0.
    pub replication: u32,
    /// Length of the warm-up, in picoseconds.
    pub warm_up_ps: u64,
    /// Duration after the warm-up, in picoseconds.
    pub duration_ps: u64,
    /// Whether traces are kept.
    pub traces: bool,
}

impl<'a> Key<'a> {
    /// The replication of this key, without a capture.
    pub fn replication(&self, cancelled: &'a AtomicBool) -> Replication<'a> {
        Replication {
            seed: self.seed,
            index: self.replication,
            warm_up: Duration::from_picoseconds(self.warm_up_ps),
            duration: Duration::from_picoseconds(self.duration_ps),
            traces: self.traces,
            capture: None,
            cancelled,
            threads: None,
        }
    }

    /// The name of its entry: SHA-256 of the key in hexadecimal.
    pub fn name(&self) -> String {
        hexadecimal(&Sha256::digest(serde_json::to_vec(self).expect("a key is plain data")))
    }
}

/// The entry of a record under `key`.
pub fn encode(key: &Key<'_>, record: &Record) -> Vec<u8> {
    encoded(&key.name(), record)
}

/// The same under the [name](Key::name) of a key.
pub fn encoded(name: &str, record: &Record) -> Vec<u8> {
    around(name, &postcard::to_allocvec(record).expect("a record is plain data"))
}

/// The entry that has this content.
pub fn around(name: &str, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(MAGIC.len() + CHECKSUM + content.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&checksum(name, content));
    bytes.extend_from_slice(content);
    bytes
}

/// The record of an entry, if it reads back exactly under the [name](Key::name) of its key.
pub fn decode(name: &str, bytes: &[u8]) -> Option<Record> {
    postcard::from_bytes(content(name, bytes)?).ok()
}

/// What an entry holds, if its checksum is that of its name and content.
pub fn content<'a>(name: &str, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (sum, content) = bytes.strip_prefix(MAGIC)?.split_at_checked(CHECKSUM)?;
    (sum == checksum(name, content)).then_some(content)
}

fn checksum(name: &str, content: &[u8]) -> [u8; CHECKSUM] {
    Sha256::new().chain_update(name).chain_update(content).finalize().into()
}

/// Lower-case hexadecimal digits of `bytes`.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
