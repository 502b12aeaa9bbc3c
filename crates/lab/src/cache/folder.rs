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
/// The file with its size in bytes, and with the time of the last listing in seconds since 1970.
const SIZE: &str = "size";
/// All entries are listed this often, where jobs write to the cache.
const LISTED_EVERY: WallDuration = WallDuration::from_secs(3600);
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

/// After a job that wrote this many bytes: if the cache may be above `limit`, drops the entries longest unused until the
/// rest is within nine tenths of it.
pub fn evict_after(folder: &Path, written: u64, limit: u64) -> Evicted {
    // a listing of all entries takes longer than many a job: between listings what is written is added up
    let known = Size::read(folder).filter(|size| size.is_recent());
    let size = known.map(|size| Size { bytes: size.bytes.saturating_add(written), ..size });
    match size.filter(|size| size.bytes <= limit) {
        Some(size) => {
            size.write(folder);
            Evicted::default()
        }
        None => evict(folder, limit, limit / 10 * 9),
    }
}

/// Entries were added that no job counted: the next job lists all of them.
pub fn forget_size(folder: &Path) {
    let _ = fs::remove_file(folder.join(SIZE));
}

/// Drops the entries longest unused of a cache above `limit` bytes until the rest is within `to`.
pub fn evict(folder: &Path, limit: u64, to: u64) -> Evicted {
    let mut entries = list(folder);
    let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let mut evicted = Evicted::default();
    if total > limit {
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
    }
    Size { bytes: total, listed: SystemTime::now() }.write(folder);
    evicted
}

/// What a listing found, and what has been written since. Processes that write at the same time may miss what the others
/// add, until the next listing.
#[derive(Clone, Copy, Debug)]
struct Size {
    bytes: u64,
    listed: SystemTime,
}

impl Size {
    fn read(folder: &Path) -> Option<Size> {
        let text = fs::read_to_string(folder.join(SIZE)).ok()?;
        let (bytes, seconds) = text.trim().split_once(' ')?;
        let listed = SystemTime::UNIX_EPOCH.checked_add(WallDuration::from_secs(seconds.parse().ok()?))?;
        Some(Size { bytes: bytes.parse().ok()?, listed })
    }

    /// Whether the listing is younger than the least time between two; one from the future is not.
    fn is_recent(&self) -> bool {
        self.listed.elapsed().is_ok_and(|age| age < LISTED_EVERY)
    }

    /// A size that cannot be written down costs a listing after the next job.
    fn write(&self, folder: &Path) {
        let seconds = self.listed.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let _ = write_whole(&folder.join(SIZE), format!("{} {seconds}\n", self.bytes).as_bytes());
    }
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
