//! Key rotation: the key file or folder is reread when it changes, without a restart.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::keyring::Keyring;
use crate::key::{files, read_all};
use crate::progress::report::Report;
use crate::progress::watch::Watch;

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What distinguishes a file from its next version, also of the same length within a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Version {
    fn of(metadata: &Metadata) -> Version {
        Version {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// The versions of all key files.
#[derive(Debug, Default, PartialEq, Eq)]
struct Versions(Vec<(PathBuf, Option<Version>)>);

impl Versions {
    /// Those of a file, or of the files of a folder; taken before the files are read.
    fn of(path: &Path) -> Versions {
        let version = |file: PathBuf| {
            let version = file.metadata().ok().map(|metadata| Version::of(&metadata));
            (file, version)
        };
        Versions(files(path).unwrap_or_default().into_iter().map(version).collect())
    }
}

/// Reads the keys again whenever their files have changed, until the other end of `over` is dropped. Where the new ones are
/// invalid, the old ones stay, and the log has why.
pub fn watch_keys(path: &Path, keyring: &Keyring, over: &Receiver<()>, watch: &Watch) {
    // what was read at the start may have changed until now: the first look reads it once more
    let mut read = Versions::default();
    while over.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        let found = Versions::of(path);
        if found == read {
            continue;
        }
        read = found;
        watch.report(Report::log(match read_all(path) {
            Ok(keys) => {
                let names: Vec<String> = keys.iter().map(|key| key.name.clone()).collect();
                keyring.replace(keys);
                format!("event=keys-read keys={}", names.join(","))
            }
            Err(problems) => format!("event=keys-rejected reason={:?}", problems.0[0].message),
        }));
    }
}
