//! Merges the caches of shards that were computed separately.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use sojourn_experiment::entry::content;

use super::folder::{forget_size, list, set_limit};
use super::{place, store_entry};

/// What a merge did with the entries of its sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Entries that were copied.
    pub added: u64,
    /// Entries that were there already.
    pub present: u64,
    /// Entries that do not read back and were left out.
    pub damaged: u64,
}

/// Copies the entries of `sources` to the cache in `into`; a cache that this makes has no limit.
pub fn merge(sources: &[PathBuf], into: &Path) -> io::Result<Merged> {
    if !into.exists() {
        fs::create_dir_all(into)?;
        set_limit(into, None)?;
    }
    let mut merged = Merged::default();
    for source in sources {
        fs::read_dir(source)?;
        let copied: io::Result<Vec<Merged>> = list(source).par_iter().map(|entry| copy(&entry.path, into)).collect();
        for Merged { added, present, damaged } in copied? {
            merged.added += added;
            merged.present += present;
            merged.damaged += damaged;
        }
    }
    forget_size(into);
    Ok(merged)
}

fn copy(entry: &Path, into: &Path) -> io::Result<Merged> {
    let name = entry.file_name().unwrap_or_default().to_string_lossy();
    let damaged = Merged { damaged: 1, ..Merged::default() };
    if !name.is_ascii() || name.len() < 2 {
        return Ok(damaged);
    }
    let target = place(into, &name);
    if fs::read(&target).is_ok_and(|bytes| content(&name, &bytes).is_some()) {
        return Ok(Merged { present: 1, ..Merged::default() });
    }
    let bytes = fs::read(entry)?;
    if content(&name, &bytes).is_none() {
        return Ok(damaged);
    }
    store_entry(&target, &bytes)?;
    Ok(Merged { added: 1, ..Merged::default() })
}

#[cfg(test)]
mod tests {
    use sojourn_metrics::record::Record;

    use super::super::{Cache, Key, limit};
    use super::*;

    fn key(replication: u32) -> Key<'static> {
        Key { identity: "build", scenario: "abc", seed: 1, replication, warm_up_ps: 0, duration_ps: 10, traces: false }
    }

    #[test]
    fn a_merged_cache_holds_each_whole_entry_of_its_sources_once() {
        let folder = crate::testing::folder("cache-merge");
        let (one, two, into) = (folder.join("one"), folder.join("two"), folder.join("new/into"));
        for (source, replications) in [(&one, 0..3), (&two, 2..5)] {
            let cache = Cache::open(Some(source));
            replications.for_each(|replication| cache.store(&key(replication), &Record::default()));
        }
        fs::write(&list(&one)[0].path, b"cut").unwrap();

        let merged = merge(&[one.clone(), two], &into).unwrap();

        assert_eq!((merged.damaged, merged.added + merged.present), (1, 5));
        assert_eq!(list(&into).len() as u64, merged.added);
        assert_eq!(limit(&into), None);
        let again = merge(std::slice::from_ref(&one), &into).unwrap();
        assert_eq!(again.added, 0, "merging twice adds nothing");
    }

    #[test]
    fn the_job_after_a_merge_counts_what_was_merged() {
        let folder = crate::testing::folder("cache-merge-size");
        let (source, into) = (folder.join("source"), folder.join("into"));
        let stored = |folder: &Path, replications: std::ops::Range<u32>| {
            let cache = Cache::open(Some(folder));
            replications.for_each(|replication| cache.store(&key(replication), &Record::default()));
            cache.prune();
        };
        stored(&source, 0..5);
        stored(&into, 5..6);
        merge(&[source], &into).unwrap();
        stored(&into, 6..7);
        let size = fs::read_to_string(into.join("size")).unwrap();
        let bytes: u64 = list(&into).iter().map(|entry| entry.bytes).sum();
        assert_eq!(size.split_once(' ').unwrap().0, bytes.to_string(), "seven entries");
    }

    #[test]
    fn a_source_that_is_not_there_is_an_error() {
        let folder = crate::testing::folder("cache-merge-missing");
        assert!(merge(&[folder.join("missing")], &folder.join("into")).is_err());
    }
}
