//! Checkpoints: the finished replications of a run in one file, from which the run continues on this machine or
//! another.
//!
//! The first line names the layout and the build. The entries follow, each with the name of its key and its length. A
//! replication is appended when it ends. Reading stops at the first truncated or corrupt entry, and the file is
//! truncated there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use sojourn_experiment::entry;
use sojourn_metrics::record::Record;

use crate::locked::Locked;

/// What a file begins with; changes with its layout.
const LAYOUT: &str = "sojourn checkpoint 1, build ";
/// Octets of a name: SHA-256 in hexadecimal.
const NAME: usize = 64;
/// Octets of a length.
const LENGTH: usize = 8;
/// No line of another file is read further than this.
const LONGEST_LINE: usize = 512;

/// A file of finished replications, open for more.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: Locked,
    entries: BTreeMap<String, Vec<u8>>,
    /// Names of those appended since.
    appended: BTreeSet<String>,
    /// Entries that were there at the start, and those of them that were asked for.
    found: usize,
    used: usize,
    fault: Option<io::Error>,
}

impl Checkpoint {
    /// Opens or creates `path` for the build `identity`; why not, in words.
    pub fn open(path: &Path, identity: &str) -> Result<Checkpoint, String> {
        let refused = |why: String| format!("--checkpoint {}: {why}", path.display());
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let locked = open.and_then(|file| Locked::new(file, "another run writes it"));
        let mut file = locked.map_err(|fault| refused(fault.to_string()))?;
        let entries = read(&mut file, identity).map_err(|why| refused(why.in_words()))?;
        let state = State { file, found: entries.len(), used: 0, entries, appended: BTreeSet::new(), fault: None };
        Ok(Checkpoint { path: path.to_owned(), state: Mutex::new(state) })
    }

    /// The record under a name, if the file has it.
    pub fn read(&self, name: &str) -> Option<Record> {
        let mut state = self.state.lock().expect("no thread panics while it holds a checkpoint");
        let record = entry::decode(name, state.entries.get(name)?)?;
        state.used += 1;
        Some(record)
    }

    /// Appends an entry; the first failure is kept for [`warning`](Checkpoint::warning).
    pub fn append(&self, name: &str, entry: &[u8]) {
        let mut state = self.state.lock().expect("no thread panics while it holds a checkpoint");
        if state.fault.is_some() || state.entries.contains_key(name) || !state.appended.insert(name.to_owned()) {
            return;
        }
        let length = (entry.len() as u64).to_le_bytes();
        let written = [name.as_bytes(), &length, entry].concat();
        if let Err(fault) = state.file.write_all(&written) {
            state.fault = Some(fault);
        }
    }

    /// What a user should know: that it cannot be written, or that nothing of it belongs to this run.
    pub fn warning(&self) -> Option<String> {
        let state = self.state.lock().expect("no thread panics while it holds a checkpoint");
        let path = self.path.display();
        match &state.fault {
            Some(fault) => Some(format!("--checkpoint {path} has not all finished replications: {fault}")),
            None if state.found > 0 && state.used == 0 => Some(format!(
                "--checkpoint {path}: none of its {} replications is of this scenario and seed; this run began anew",
                state.found
            )),
            None => None,
        }
    }
}

/// Why a file is not gone on with.
enum Refused {
    Fault(io::Error),
    Foreign,
    OtherBuild(String),
}

impl Refused {
    fn in_words(&self) -> String {
        match self {
            Refused::Fault(fault) => fault.to_string(),
            Refused::Foreign => "this is not a checkpoint of Sojourn: give the name of a new file".to_owned(),
            Refused::OtherBuild(identity) => format!(
                "it was begun by another build of Sojourn ({identity}), whose results may differ: go on with that build, or \
                 begin anew in another file"
            ),
        }
    }
}

impl From<io::Error> for Refused {
    fn from(fault: io::Error) -> Refused {
        Refused::Fault(fault)
    }
}

/// The entries of a file, which then ends behind them; an empty one gets its first line.
fn read(file: &mut File, identity: &str) -> Result<BTreeMap<String, Vec<u8>>, Refused> {
    let head = format!("{LAYOUT}{identity}\n");
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // a kill may have cut the first line short
    if head.as_bytes().starts_with(&bytes) {
        bytes = head.clone().into_bytes();
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&bytes)?;
    }
    let Some(rest) = bytes.strip_prefix(head.as_bytes()) else { return Err(foreign(&bytes)) };
    let (mut entries, mut at) = (BTreeMap::new(), 0);
    while let Some((name, entry, length)) = next(&rest[at..]) {
        entries.insert(name, entry);
        at += length;
    }
    let end = (head.len() + at) as u64;
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok(entries)
}

/// Why a first line is not ours.
fn foreign(bytes: &[u8]) -> Refused {
    let line = bytes[..bytes.len().min(LONGEST_LINE)].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let identity = std::str::from_utf8(line).ok().and_then(|line| line.strip_prefix(LAYOUT));
    identity.map_or(Refused::Foreign, |identity| Refused::OtherBuild(identity.to_owned()))
}

/// The entry that `bytes` begin with, if it is whole: its name, itself, and the octets of both.
fn next(bytes: &[u8]) -> Option<(String, Vec<u8>, usize)> {
    let (name, rest) = bytes.split_at_checked(NAME)?;
    let (length, rest) = rest.split_first_chunk::<LENGTH>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (entry, _) = rest.split_at_checked(length)?;
    let name = std::str::from_utf8(name).ok()?;
    entry::content(name, entry)?;
    Some((name.to_owned(), entry.to_owned(), NAME + LENGTH + length))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use sojourn_experiment::entry::{Key, encode};
    use sojourn_metrics::record::Observation;

    use super::*;

    fn key(replication: u32) -> Key<'static> {
        Key { identity: "build", scenario: "abc", seed: 1, replication, warm_up_ps: 0, duration_ps: 10, traces: false }
    }

    fn record(value: f64) -> Record {
        let mut record = Record::default();
        record.metrics.insert("utilisation".into(), Observation::Scalar(value));
        record
    }

    fn kept(path: &Path) -> Vec<bool> {
        let checkpoint = Checkpoint::open(path, "build").unwrap();
        (0..3).map(|number| checkpoint.read(&key(number).name()) == Some(record(number.into()))).collect()
    }

    #[test]
    fn replications_are_there_again_but_for_those_that_a_kill_cut_short() {
        let path = crate::testing::folder("checkpoint").join("run.checkpoint");
        let checkpoint = Checkpoint::open(&path, "build").unwrap();
        for number in 0..3 {
            checkpoint.append(&key(number).name(), &encode(&key(number), &record(number.into())));
        }
        drop(checkpoint);
        let whole = fs::read(&path).unwrap();
        assert_eq!(kept(&path), [true; 3]);
        let head = LAYOUT.len() + "build\n".len();
        let each = (whole.len() - head) / 3;
        for length in (0..whole.len()).step_by(7) {
            fs::write(&path, &whole[..length]).unwrap();
            let expected = length.saturating_sub(head) / each;
            assert_eq!(kept(&path).iter().filter(|kept| **kept).count(), expected, "cut at {length}");
            // what was cut off can be appended again
            let checkpoint = Checkpoint::open(&path, "build").unwrap();
            for number in expected as u32..3 {
                checkpoint.append(&key(number).name(), &encode(&key(number), &record(number.into())));
            }
            drop(checkpoint);
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {length}");
        }
    }

    #[test]
    fn a_file_of_another_build_or_of_something_else_is_refused_and_kept() {
        let path = crate::testing::folder("checkpoint-refused").join("file");
        for (text, why) in [
            ("sojourn checkpoint 1, build 0f3a\n", "another build of Sojourn (0f3a)"),
            ("[network]\n", "not a checkpoint"),
        ] {
            fs::write(&path, text).unwrap();
            let refused = Checkpoint::open(&path, "build").unwrap_err();
            assert!(refused.contains(why), "{refused}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn two_runs_do_not_write_one_file_and_one_of_another_scenario_says_so() {
        let path = crate::testing::folder("checkpoint-twice").join("file");
        let checkpoint = Checkpoint::open(&path, "build").unwrap();
        assert!(Checkpoint::open(&path, "build").unwrap_err().contains("another run"));
        checkpoint.append(&key(0).name(), &encode(&key(0), &record(0.0)));
        assert_eq!(checkpoint.warning(), None);
        drop(checkpoint);
        let checkpoint = Checkpoint::open(&path, "build").unwrap();
        assert!(checkpoint.read(&Key { seed: 2, ..key(0) }.name()).is_none());
        assert!(checkpoint.warning().unwrap().contains("began anew"));
    }
}
