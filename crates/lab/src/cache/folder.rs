//! Maintenance of a cache folder: its entries, its size limit, and LRU eviction.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration as WallDuration, SystemTime};

use crate::files::{UNFINISHED, write_whole};

/// The size of a cache without a limit of its own is brought below this many bytes after a job that wrote to it.
pub const DEFAULT_LIMIT: u64 = 2 << 30;
/// The file with another limit, in bytes.
const LIMIT: &str = "limit";
/// What it holds where there is none.
const UNLIMITED: &str = "none";
/// An unfinished file this old belongs to a process that was killed.
const ABANDONED_AFTER: WallDuration = WallDuration::from_secs(3600);

/// Entries that a command removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evicted {
    /// How many.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Limits the cache in `folder` to this many bytes from now on, or to none, and drops at once the entries longest unused
/// until the rest is within it.
pub fn limit_to(folder: &Path, bytes: Option<u64>) -> io::Result<Evicted> {
    fs::create_dir_all(folder)?;
    set_limit(folder, bytes)?;
    Ok(bytes.map_or_else(Evicted::default, |bytes| evict(folder, bytes, bytes)))
}

/// The size that the cache in `folder` is limited to, in bytes; `None` where it is not.
pub fn limit(folder: &Path) -> Option<u64> {
    let text = fs::read_to_string(folder.join(LIMIT)).unwrap_or_default();
    match text.trim() {
        UNLIMITED => None,
        text => Some(text.parse().unwrap_or(DEFAULT_LIMIT)),
    }
}

/// Writes the limit down; nothing is evicted yet.
pub fn set_limit(folder: &Path, bytes: Option<u64>) -> io::Result<()> {
    let text = bytes.map_or(UNLIMITED.to_owned(), |bytes| bytes.to_string());
    write_whole(&folder.join(LIMIT), format!("{text}\n").as_bytes())
}

/// Drops the entries longest unused of a cache above `limit` bytes until the rest is within `to`.
pub fn evict(folder: &Path, limit: u64, to: u64) -> Evicted {
    let mut entries = list(folder);
    let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let mut evicted = Evicted::default();
    if total <= limit {
        return evicted;
    }
    entries.sort_by_key(|entry| entry.used);
    for entry in entries {
        if total <= to {
            break;
        }
        if fs::remove_file(&entry.path).is_ok() {
            total -= entry.bytes;
            evicted = Evicted { count: evicted.count + 1, bytes: evicted.bytes + entry.bytes };
        }
    }
    evicted
}

/// A finished replication on disk.
pub struct Entry {
    pub path: PathBuf,
    pub bytes: u64,
    pub used: SystemTime,
}

/// All entries; unfinished files of killed processes are removed.
pub fn list(folder: &Path) -> Vec<Entry> {
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

/// Whether the folder was given a limit, or none, of its own.
pub fn has_limit(folder: &Path) -> bool {
    folder.join(LIMIT).exists()
}
