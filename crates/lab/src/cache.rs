//! Finished replications, kept in the user's cache folder so that no call computes one twice.
//!
//! An entry is written whole and carries a checksum over its key and its content: a kill at any moment
//! leaves finished entries, and one that does not read back exactly is as if it were not there. A cache
//! that cannot be written costs a warning, never a run.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration as WallDuration, SystemTime};

use serde::Serialize;
use sha2::{Digest, Sha256};
use sojourn_metrics::record::Record;

use crate::files::{UNFINISHED, write_whole};

/// What an entry begins with; changes with its layout.
const MAGIC: &[u8; 8] = b"sojourn2";
/// Bytes of the checksum that follows.
const CHECKSUM: usize = 32;
/// The cache's size is brought below this many bytes after a job that wrote to it.
const DEFAULT_LIMIT: u64 = 2 << 30;
/// An unfinished file this old belongs to a process that was killed.
const ABANDONED_AFTER: WallDuration = WallDuration::from_secs(3600);

/// All that decides the content of a replication's record.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Key<'a> {
    /// Fingerprint of the build, [`Build::identity`](crate::request::Build::identity).
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

/// A folder of entries.
#[derive(Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
    limit: u64,
    written: AtomicBool,
    fault: Mutex<Option<String>>,
}

impl Cache {
    /// The cache in `folder`, or in the user's own: `$SOJOURN_CACHE`, `$XDG_CACHE_HOME/sojourn`, `~/.cache/sojourn`.
    pub fn open(folder: Option<&Path>) -> Cache {
        let folder = folder.map(Path::to_owned).or_else(users_folder);
        let fault = folder.is_none().then(|| "there is no cache folder: set SOJOURN_CACHE or HOME".to_owned());
        Cache { folder, limit: DEFAULT_LIMIT, written: AtomicBool::new(false), fault: Mutex::new(fault) }
    }

    /// A cache that keeps nothing.
    pub fn none() -> Cache {
        Cache { folder: None, limit: DEFAULT_LIMIT, written: AtomicBool::new(false), fault: Mutex::new(None) }
    }

    /// The same cache, kept below `limit` bytes.
    pub fn with_limit(self, limit: u64) -> Cache {
        Cache { limit, ..self }
    }

    /// The record stored under `key`, if it reads back exactly.
    pub fn load(&self, key: &Key<'_>) -> Option<Record> {
        let name = entry_name(key);
        let mut file = File::open(self.entry(&name)?).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let record = decode(&name, &bytes)?;
        // entries in use are the last to be pruned; one that cannot be touched is only pruned sooner
        let _ = file.set_modified(SystemTime::now());
        Some(record)
    }

    /// Stores `record` under `key`; the first failure is kept for [`warning`](Cache::warning).
    pub fn store(&self, key: &Key<'_>, record: &Record) {
        let name = entry_name(key);
        let Some(path) = self.entry(&name) else {
            return;
        };
        if let Err(fault) = store_entry(&path, &encode(&name, record)) {
            let folder = path.parent().unwrap_or(&path).display();
            let mut kept = self.fault.lock().expect("no thread panics while it holds a fault");
            kept.get_or_insert_with(|| format!("results are not cached: {folder}: {fault}"));
            return;
        }
        self.written.store(true, Ordering::Relaxed);
    }

    /// Why nothing, or not all, could be stored.
    pub fn warning(&self) -> Option<String> {
        self.fault.lock().expect("no thread panics while it holds a fault").clone()
    }

    /// Drops the entries longest unused until the rest is within nine tenths of the limit, if this cache was
    /// written to and is above the limit.
    pub fn prune(&self) {
        let Some(folder) = self.folder.as_deref().filter(|_| self.written.load(Ordering::Relaxed)) else {
            return;
        };
        let mut entries = list(folder);
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        if total <= self.limit {
            return;
        }
        entries.sort_by_key(|entry| entry.used);
        for entry in entries {
            if total <= self.limit / 10 * 9 {
                return;
            }
            if fs::remove_file(&entry.path).is_ok() {
                total -= entry.bytes;
            }
        }
    }

    fn entry(&self, name: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join("replications").join(&name[..2]).join(name))
    }
}

struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

/// All entries; unfinished files of killed processes are removed.
fn list(folder: &Path) -> Vec<Entry> {
    let folders = fs::read_dir(folder.join("replications")).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let mut entries = Vec::new();
    for file in files {
        let Ok(about) = file.metadata() else { continue };
        let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        if file.file_name().to_string_lossy().starts_with(UNFINISHED) {
            if used.elapsed().is_ok_and(|age| age > ABANDONED_AFTER) {
                let _ = fs::remove_file(file.path());
            }
            continue;
        }
        entries.push(Entry { path: file.path(), bytes: about.len(), used });
    }
    entries
}

/// The user's own cache: `$SOJOURN_CACHE`, `$XDG_CACHE_HOME/sojourn`, `~/.cache/sojourn`.
pub fn users_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("SOJOURN_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("sojourn")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache/sojourn")))
}

fn store_entry(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    write_whole(path, bytes)
}

fn entry_name(key: &Key<'_>) -> String {
    hexadecimal(&Sha256::digest(serde_json::to_vec(key).expect("a key is plain data")))
}

fn encode(name: &str, record: &Record) -> Vec<u8> {
    let content = postcard::to_allocvec(record).expect("a record is plain data");
    let mut bytes = Vec::with_capacity(MAGIC.len() + CHECKSUM + content.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&checksum(name, &content));
    bytes.extend_from_slice(&content);
    bytes
}

fn decode(name: &str, bytes: &[u8]) -> Option<Record> {
    let (sum, content) = bytes.strip_prefix(MAGIC)?.split_at_checked(CHECKSUM)?;
    if sum != checksum(name, content) {
        return None;
    }
    postcard::from_bytes(content).ok()
}

fn checksum(name: &str, content: &[u8]) -> [u8; CHECKSUM] {
    Sha256::new().chain_update(name).chain_update(content).finalize().into()
}

/// Lower-case hexadecimal digits of `bytes`.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_metrics::record::Observation;

    fn key(replication: u32) -> Key<'static> {
        Key { identity: "build", scenario: "abc", seed: 1, replication, warm_up_ps: 0, duration_ps: 10, traces: false }
    }

    fn record(value: f64) -> Record {
        let mut record = Record::default();
        record.metrics.insert("utilisation".into(), Observation::Scalar(value));
        record.traces.insert("backlog".into(), vec![(0, value), (7, 0.1 + 0.2)]);
        record
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        list(folder).into_iter().map(|entry| entry.path).collect()
    }

    #[test]
    fn a_record_reads_back_bit_for_bit_under_its_own_key_alone() {
        let cache = Cache::open(Some(&crate::testing::folder("cache-reads")));
        cache.store(&key(0), &record(f64::MIN_POSITIVE));
        assert_eq!(cache.load(&key(0)), Some(record(f64::MIN_POSITIVE)));
        assert_eq!(cache.load(&key(1)), None);
        let others = [
            Key { identity: "another build", ..key(0) },
            Key { scenario: "abd", ..key(0) },
            Key { seed: 2, ..key(0) },
            // a pilot is a replication without warm-up
            Key { warm_up_ps: 1, ..key(0) },
            Key { duration_ps: 11, ..key(0) },
            Key { traces: true, ..key(0) },
        ];
        for other in others {
            assert_eq!(cache.load(&other), None, "{other:?}");
        }
        assert_eq!(cache.warning(), None);
    }

    #[test]
    fn an_entry_with_any_byte_changed_cut_or_exchanged_is_as_if_absent_and_is_written_anew() {
        let folder = crate::testing::folder("cache-corrupt");
        let cache = Cache::open(Some(&folder));
        cache.store(&key(0), &record(0.5));
        let path = files(&folder).remove(0);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).unwrap();
            assert_eq!(cache.load(&key(0)), None, "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(cache.load(&key(0)), None, "cut at {at}");
        }
        cache.store(&key(1), &record(0.25));
        let other = files(&folder).into_iter().find(|file| *file != path).unwrap();
        fs::copy(other, &path).unwrap();
        assert_eq!(cache.load(&key(0)), None, "another key's entry");
        cache.store(&key(0), &record(0.5));
        assert_eq!(cache.load(&key(0)), Some(record(0.5)));
    }

    #[test]
    fn above_its_limit_a_cache_drops_what_was_unused_longest() {
        let folder = crate::testing::folder("cache-prune");
        let cache = Cache::open(Some(&folder));
        for replication in 0..10 {
            cache.store(&key(replication), &record(0.5));
            let newest = entry_name(&key(replication));
            let used = SystemTime::UNIX_EPOCH + WallDuration::from_secs(1_000_000 + u64::from(replication));
            File::open(cache.entry(&newest).unwrap()).unwrap().set_modified(used).unwrap();
        }
        let size = list(&folder)[0].bytes;
        assert!(cache.load(&key(0)).is_some(), "use makes an entry young");
        cache.with_limit(size * 6).prune();

        let cache = Cache::open(Some(&folder));
        let kept: Vec<u32> = (0..10).filter(|&replication| cache.load(&key(replication)).is_some()).collect();
        assert_eq!(kept, [0, 6, 7, 8, 9]);
    }

    #[test]
    fn a_cache_that_cannot_be_written_warns_and_gives_nothing() {
        let file = crate::testing::folder("cache-unwritable").join("file");
        fs::write(&file, b"").unwrap();
        let cache = Cache::open(Some(&file));
        cache.store(&key(0), &record(0.5));
        assert!(cache.warning().is_some_and(|text| text.contains("not cached")), "{:?}", cache.warning());
        assert_eq!(cache.load(&key(0)), None);
    }
}
