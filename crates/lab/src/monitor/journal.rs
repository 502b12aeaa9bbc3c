//! The journal of a monitor: lines in append-only files of bounded total size, synced once a second. A line is a JSON
//! object whose last member is the CRC-32 of the octets before it.
//!
//! A new file starts every day (UTC), or earlier once one has reached a twentieth of the limit; the oldest files are
//! deleted when the total would exceed it. A last line truncated by a kill is removed at the next start.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crc::{CRC_32_ISO_HDLC, Crc};

use crate::locked::Locked;

/// The checksum of a line.
const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
/// Interval of synchronization with the disk.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// A file has this part of the limit at most.
const PARTS: u64 = 20;
const PREFIX: &str = "monitor-";
const SUFFIX: &str = ".jsonl";
/// Held by the monitor that writes to the folder.
const LOCK: &str = "lock";
/// Octets searched at a time for the end of the last whole line.
const BLOCK: u64 = 1 << 16;

/// The files of a folder.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    /// Largest size of all files.
    limit: u64,
    /// The file written, and its name.
    file: File,
    name: String,
    /// Length of its whole lines.
    length: u64,
    synced: Instant,
    is_dirty: bool,
    /// Lines that could not be written since the last one that could.
    lost: u64,
    _lock: Locked,
}

/// What the user should know of writing a line.
#[derive(Debug)]
pub enum Trouble {
    /// Lines are lost from now on.
    Fails(io::Error),
    /// Lines are written again, after this many were lost.
    WorksAgain(u64),
}

impl Journal {
    /// Continues the files of a folder on `day`, as `2026-11-23`, or begins them; also how many octets of an unfinished line
    /// were cut off.
    pub fn open(folder: &Path, limit: u64, day: &str) -> io::Result<(Journal, u64)> {
        fs::create_dir_all(folder)?;
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(LOCK))?;
        let lock = Locked::new(lock, "another monitor writes there")?;
        let name = files(folder)?.pop().filter(|name| is_of(name, day)).unwrap_or_else(|| named(day, 1));
        let (mut file, mut length) = opened(&folder.join(&name))?;
        let whole = whole_lines(&mut file, length)?;
        let cut = length - whole;
        if cut > 0 {
            file.set_len(whole)?;
            length = whole;
        }
        file.seek(SeekFrom::End(0))?;
        let folder = folder.to_owned();
        let (synced, is_dirty, lost) = (Instant::now(), false, 0);
        Ok((Journal { folder, limit, file, name, length, synced, is_dirty, lost, _lock: lock }, cut))
    }

    /// Appends a line, on `day`. Where that fails the line is lost, and the file ends with the last whole line.
    pub fn append(&mut self, line: &str, day: &str) -> Option<Trouble> {
        match self.write(line, day) {
            Ok(()) if self.lost > 0 => Some(Trouble::WorksAgain(std::mem::take(&mut self.lost))),
            Ok(()) => None,
            Err(fault) => {
                self.lost += 1;
                (self.lost == 1).then_some(Trouble::Fails(fault))
            }
        }
    }

    /// Syncs the file if that is due; call it about once a second.
    pub fn sync(&mut self) {
        if self.is_dirty && self.synced.elapsed() >= SYNC_EVERY {
            // what cannot be synced shows in the next write
            let _ = self.file.sync_data();
            (self.is_dirty, self.synced) = (false, Instant::now());
        }
    }

    fn write(&mut self, line: &str, day: &str) -> io::Result<()> {
        let line = framed(line);
        let octets = line.len() as u64;
        if !is_of(&self.name, day) || self.length > 0 && self.length + octets > self.limit / PARTS {
            self.begin(day)?;
        }
        let outcome = self.file.write_all(line.as_bytes());
        if outcome.is_err() {
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::End(0))?;
            return outcome;
        }
        self.length += octets;
        self.is_dirty = true;
        Ok(())
    }

    /// Begins the next file, and deletes the oldest.
    fn begin(&mut self, day: &str) -> io::Result<()> {
        let number = if is_of(&self.name, day) { number_of(&self.name) + 1 } else { 1 };
        let name = named(day, number);
        let (file, length) = opened(&self.folder.join(&name))?;
        let _ = self.file.sync_data();
        (self.file, self.name, self.length) = (file, name, length);
        self.file.seek(SeekFrom::End(0))?;
        let names = files(&self.folder)?;
        let sizes: Vec<u64> =
            names.iter().map(|name| fs::metadata(self.folder.join(name)).map_or(0, |found| found.len())).collect();
        let mut total: u64 = sizes.iter().sum();
        for (name, size) in names.iter().zip(sizes) {
            if total + self.limit / PARTS <= self.limit || *name == self.name {
                break;
            }
            fs::remove_file(self.folder.join(name))?;
            total -= size;
        }
        Ok(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let _ = self.file.sync_data();
    }
}

fn opened(path: &Path) -> io::Result<(File, u64)> {
    let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

/// The line of an object with its checksum and its end.
fn framed(line: &str) -> String {
    let body = line.strip_suffix('}').expect("a line is an object");
    let checksum = CHECKSUM.checksum(body.as_bytes());
    format!("{body},\"crc32\":\"{checksum:08x}\"}}\n")
}

/// Names of the files, the oldest first.
fn files(folder: &Path) -> io::Result<Vec<String>> {
    let mut names: Vec<String> = fs::read_dir(folder)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
        .collect();
    names.sort();
    Ok(names)
}

/// Four digits: in their order the names of a day are sorted.
fn named(day: &str, number: u32) -> String {
    format!("{PREFIX}{day}-{number:04}{SUFFIX}")
}

fn is_of(name: &str, day: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| rest.starts_with(day))
}

fn number_of(name: &str) -> u32 {
    let digits = name.trim_end_matches(SUFFIX).rsplit('-').next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(1)
}

/// Length of a file up to the end of its last whole line.
fn whole_lines(file: &mut File, length: u64) -> io::Result<u64> {
    let mut end = length;
    while end > 0 {
        let begin = end.saturating_sub(BLOCK);
        let mut block = vec![0; (end - begin) as usize];
        file.seek(SeekFrom::Start(begin))?;
        file.read_exact(&mut block)?;
        if let Some(at) = block.iter().rposition(|octet| *octet == b'\n') {
            return Ok(begin + at as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: &str = "2026-11-23";
    const ONE: &str = r#"{"event":1}"#;

    fn text(folder: &Path, name: &str) -> String {
        fs::read_to_string(folder.join(name)).unwrap()
    }

    #[test]
    fn a_line_ends_with_the_checksum_of_what_is_before_it() {
        assert_eq!(framed(r#"{"a":1}"#), "{\"a\":1,\"crc32\":\"a702fc6e\"}\n");
    }

    #[test]
    fn a_monitor_continues_its_file_and_cuts_an_unfinished_line_off() {
        let folder = crate::testing::folder("journal-continued");
        let (mut journal, cut) = Journal::open(&folder, 1_000_000, DAY).unwrap();
        assert_eq!(cut, 0);
        assert!(journal.append(ONE, DAY).is_none());
        drop(journal);
        let name = "monitor-2026-11-23-0001.jsonl";
        fs::write(folder.join(name), "one\ntw").unwrap();
        let (mut journal, cut) = Journal::open(&folder, 1_000_000, DAY).unwrap();
        assert_eq!(cut, 2);
        assert!(journal.append(ONE, DAY).is_none());
        assert_eq!(text(&folder, name), format!("one\n{}", framed(ONE)));
    }

    #[test]
    fn a_folder_has_one_monitor_at_a_time() {
        let folder = crate::testing::folder("journal-locked");
        let first = Journal::open(&folder, 1_000_000, DAY).unwrap();
        let refused = Journal::open(&folder, 1_000_000, DAY).unwrap_err();
        assert!(refused.to_string().contains("another monitor"));
        drop(first);
        assert!(Journal::open(&folder, 1_000_000, DAY).is_ok());
    }

    #[test]
    fn a_day_has_a_file_and_all_files_together_a_limit() {
        let folder = crate::testing::folder("journal-rotated");
        let (mut journal, _) = Journal::open(&folder, 2000, DAY).unwrap();
        let line = format!(r#"{{"x":"{}"}}"#, "x".repeat(22));
        assert_eq!(framed(&line).len(), 50);
        for _ in 0..100 {
            assert!(journal.append(&line, DAY).is_none());
        }
        assert!(journal.append(ONE, "2026-11-24").is_none());
        let names = files(&folder).unwrap();
        assert_eq!(names.last().unwrap(), "monitor-2026-11-24-0001.jsonl");
        assert_eq!(text(&folder, "monitor-2026-11-23-0050.jsonl"), framed(&line).repeat(2));
        let size: u64 = names.iter().map(|name| fs::metadata(folder.join(name)).unwrap().len()).sum();
        assert!((1700..=2000).contains(&size), "{size}");
    }

    #[test]
    fn a_disk_that_takes_nothing_is_reported_once_and_the_line_is_lost() {
        let folder = crate::testing::folder("journal-full");
        let (mut journal, _) = Journal::open(&folder, 1_000_000, DAY).unwrap();
        assert!(journal.append(ONE, DAY).is_none());
        let file = std::mem::replace(&mut journal.file, File::open(folder.join(LOCK)).unwrap());
        assert!(matches!(journal.append(ONE, DAY), Some(Trouble::Fails(_))));
        assert!(journal.append(ONE, DAY).is_none());
        journal.file = file;
        assert!(matches!(journal.append(ONE, DAY), Some(Trouble::WorksAgain(2))));
        assert_eq!(text(&folder, "monitor-2026-11-23-0001.jsonl"), framed(ONE).repeat(2));
    }
}
