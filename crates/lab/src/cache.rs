//! A cache of finished replications in the user's cache folder, so that none is computed twice.
//!
//! An entry is written atomically, with a checksum over its key and its content: a kill at any moment leaves only
//! complete entries, and one that does not read back exactly counts as absent. A cache that cannot be written causes
//! a warning, never a failed run.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use sojourn_experiment::entry::{self, Key};
use sojourn_metrics::record::Record;

use crate::files::write_whole;

mod checkpoint;
mod folder;
mod merge;

pub use checkpoint::Checkpoint;
pub use folder::{Evicted, limit, limit_to};
pub use merge::{Merged, merge};

use folder::{DEFAULT_LIMIT, evict_after, has_limit, set_limit};

/// A folder of entries.
#[derive(Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
    /// Bytes; any number of them when absent.
    limit: Option<u64>,
    /// A file of the run's own that keeps its replications, too.
    checkpoint: Option<Checkpoint>,
    /// Bytes of entries that this cache wrote.
    written: AtomicU64,
    fault: Mutex<Option<String>>,
}

impl Cache {
    /// The cache in `folder`, or in the user's own: `$SOJOURN_CACHE`, `$XDG_CACHE_HOME/sojourn`, `~/.cache/sojourn`.
    pub fn open(folder: Option<&Path>) -> Cache {
        let folder = folder.map(Path::to_owned).or_else(users_folder);
        let fault = folder.is_none().then(|| "there is no cache folder: set SOJOURN_CACHE or HOME".to_owned());
        let limit = folder.as_deref().map_or(Some(DEFAULT_LIMIT), limit);
        Cache { folder, limit, checkpoint: None, written: AtomicU64::new(0), fault: Mutex::new(fault) }
    }

    /// A cache that keeps nothing.
    pub fn none() -> Cache {
        Cache { folder: None, limit: None, checkpoint: None, written: AtomicU64::new(0), fault: Mutex::new(None) }
    }

    /// The same cache, from which nothing is evicted until it is given a limit.
    pub fn without_limit(mut self) -> Cache {
        if let Some(folder) = &self.folder
            && !has_limit(folder)
            && let Err(fault) = fs::create_dir_all(folder).and_then(|()| set_limit(folder, None))
        {
            self.fault = Mutex::new(Some(format!("results are not cached: {}: {fault}", folder.display())));
        }
        Cache { limit: None, ..self }
    }

    /// The same cache, and a file that keeps the replications of this run, too.
    pub fn with_checkpoint(self, checkpoint: Checkpoint) -> Cache {
        Cache { checkpoint: Some(checkpoint), ..self }
    }

    /// The record stored under `key`, if it reads back exactly.
    pub fn load(&self, key: &Key<'_>) -> Option<Record> {
        if let Some(record) = self.read(key) {
            return Some(record);
        }
        // traces are kept beside what else is observed and change nothing of it
        let mut record = self.read(&Key { traces: true, ..*key }).filter(|_| !key.traces)?;
        record.traces.clear();
        Some(record)
    }

    fn read(&self, key: &Key<'_>) -> Option<Record> {
        let name = key.name();
        if let Some(record) = self.checkpoint.as_ref().and_then(|checkpoint| checkpoint.read(&name)) {
            return Some(record);
        }
        let record = self.read_file(&name)?;
        // a run goes on from its checkpoint where there is no such cache
        if let Some(checkpoint) = &self.checkpoint {
            checkpoint.append(&name, &entry::encode(key, &record));
        }
        Some(record)
    }

    fn read_file(&self, name: &str) -> Option<Record> {
        let mut file = File::open(self.entry(name)?).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let record = entry::decode(name, &bytes)?;
        // entries in use are the last to be evicted; one that cannot be touched is only evicted sooner
        let _ = file.set_modified(SystemTime::now());
        Some(record)
    }

    /// Stores `record` under `key`; the first failure is kept for [`warnings`](Cache::warnings).
    pub fn store(&self, key: &Key<'_>, record: &Record) {
        self.write(&key.name(), || entry::encode(key, record));
    }

    /// Stores an [entry](entry::encode) made elsewhere and gives its record, if it reads back exactly under `key`.
    pub fn accept(&self, key: &Key<'_>, bytes: &[u8]) -> Option<Record> {
        let name = key.name();
        let record = entry::decode(&name, bytes)?;
        self.write(&name, || bytes.to_owned());
        Some(record)
    }

    fn write(&self, name: &str, entry: impl FnOnce() -> Vec<u8>) {
        let path = self.entry(name);
        if path.is_none() && self.checkpoint.is_none() {
            return;
        }
        let entry = entry();
        if let Some(checkpoint) = &self.checkpoint {
            checkpoint.append(name, &entry);
        }
        let Some(path) = path else { return };
        if let Err(fault) = store_entry(&path, &entry) {
            let folder = path.parent().unwrap_or(&path).display();
            let mut kept = self.fault.lock().expect("no thread panics while it holds a fault");
            kept.get_or_insert_with(|| format!("results are not cached: {folder}: {fault}"));
            return;
        }
        self.written.fetch_add(entry.len() as u64, Ordering::Relaxed);
    }

    /// Why nothing, or not all, could be stored; and what is wrong with the checkpoint.
    pub fn warnings(&self) -> Vec<String> {
        let fault = self.fault.lock().expect("no thread panics while it holds a fault").clone();
        fault.into_iter().chain(self.checkpoint.as_ref().and_then(Checkpoint::warning)).collect()
    }

    /// Drops the entries longest unused until the rest is within nine tenths of the limit, if this cache was
    /// written to and is above the limit.
    pub fn prune(&self) {
        let written = self.written.swap(0, Ordering::Relaxed);
        if let (Some(folder), Some(limit), 1..) = (&self.folder, self.limit, written) {
            evict_after(folder, written, limit);
        }
    }

    fn entry(&self, name: &str) -> Option<PathBuf> {
        Some(place(self.folder.as_ref()?, name))
    }
}

/// The user's own cache: `$SOJOURN_CACHE`, `$XDG_CACHE_HOME/sojourn`, `~/.cache/sojourn`, or `%LOCALAPPDATA%/sojourn`.
pub fn users_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("SOJOURN_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("sojourn")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache/sojourn")))
        .or_else(|| variable("LOCALAPPDATA").map(|folder| folder.join("sojourn")))
}

/// Where the entry of a name is.
fn place(folder: &Path, name: &str) -> PathBuf {
    folder.join("replications").join(&name[..2]).join(name)
}

fn store_entry(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    write_whole(path, bytes)
}

#[cfg(test)]
mod tests {
    use std::time::Duration as WallDuration;

    use sojourn_metrics::record::Observation;

    use super::folder::list;
    use super::*;

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
        assert!(cache.warnings().is_empty());
    }

    #[test]
    fn a_record_with_traces_serves_one_without_and_not_vice_versa() {
        let cache = Cache::open(Some(&crate::testing::folder("cache-traces")));
        cache.store(&Key { traces: true, ..key(0) }, &record(0.5));
        let loaded = cache.load(&key(0)).unwrap();
        assert_eq!((loaded.metrics, loaded.traces.len()), (record(0.5).metrics, 0));
        cache.store(&key(1), &record(0.5));
        assert_eq!(cache.load(&Key { traces: true, ..key(1) }), None);
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
            let newest = key(replication).name();
            let used = SystemTime::UNIX_EPOCH + WallDuration::from_secs(1_000_000 + u64::from(replication));
            File::open(cache.entry(&newest).unwrap()).unwrap().set_modified(used).unwrap();
        }
        let size = list(&folder)[0].bytes;
        assert!(cache.load(&key(0)).is_some(), "use makes an entry young");
        let kept = || -> Vec<u32> {
            (0..=10).filter(|&replication| place(&folder, &key(replication).name()).exists()).collect()
        };
        let evicted = limit_to(&folder, Some(size * 6)).unwrap();
        assert_eq!((evicted, limit(&folder)), (Evicted { count: 4, bytes: 4 * size }, Some(size * 6)));
        assert_eq!(kept(), [0, 5, 6, 7, 8, 9]);

        let cache = Cache::open(Some(&folder));
        cache.store(&key(10), &record(0.5));
        cache.prune();
        assert_eq!(kept(), [0, 7, 8, 9, 10], "a full cache is brought to nine tenths");
    }

    #[test]
    fn between_listings_a_cache_adds_up_what_it_writes_and_drops_what_is_too_much() {
        let folder = crate::testing::folder("cache-size");
        let stored = |replications: std::ops::Range<u32>, limit: Option<u64>| {
            let cache = Cache { limit, ..Cache::open(Some(&folder)) };
            replications.for_each(|replication| cache.store(&key(replication), &record(0.5)));
            cache.prune();
            list(&folder).len()
        };
        assert_eq!(stored(0..2, Some(1 << 20)), 2);
        let size = list(&folder)[0].bytes;
        let listed = fs::read_to_string(folder.join("size")).unwrap();
        assert_eq!(stored(2..4, Some(size * 5)), 4);
        let added = fs::read_to_string(folder.join("size")).unwrap();
        let (before, after) = (listed.split_once(' ').unwrap(), added.split_once(' ').unwrap());
        assert_eq!([before.0, after.0].map(|bytes| bytes.parse::<u64>().unwrap()), [2 * size, 4 * size]);
        assert_eq!(before.1, after.1, "the time of the listing stays");
        assert_eq!(stored(4..6, Some(size * 5)), 4, "six entries are above the limit, four are nine tenths of it");
        fs::write(folder.join("size"), "1 0").unwrap();
        assert_eq!(stored(6..8, Some(size * 5)), 4, "an old listing does not count");
    }

    #[test]
    fn a_cache_that_cannot_be_written_warns_and_gives_nothing() {
        let file = crate::testing::folder("cache-unwritable").join("file");
        fs::write(&file, b"").unwrap();
        let cache = Cache::open(Some(&file));
        cache.store(&key(0), &record(0.5));
        assert!(cache.warnings()[0].contains("not cached"), "{:?}", cache.warnings());
        assert_eq!(cache.load(&key(0)), None);
    }
}
