//! Atomic file writes: written next to the target under a temporary name, then renamed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The beginning of the name of a file that is not whole yet.
pub const UNFINISHED: &str = ".unfinished-";

/// Writes `bytes` to `path` so that a reader, or a kill, sees the old file or the new one, never a part.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// A file being written; it takes its name with [`finish`](WholeFile::finish) and vanishes when dropped before.
#[derive(Debug)]
pub struct WholeFile {
    file: File,
    unfinished: PathBuf,
    path: PathBuf,
    finished: bool,
}

impl WholeFile {
    /// Begins the file that will be `path`; its folder must exist.
    pub fn create(path: &Path) -> io::Result<WholeFile> {
        let name =
            path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "this path names no file"))?;
        let unfinished = path.with_file_name(format!("{UNFINISHED}{}-{}", unique(), name.to_string_lossy()));
        let file = File::create(&unfinished)?;
        Ok(WholeFile { file, unfinished, path: path.to_owned(), finished: false })
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        fs::rename(&self.unfinished, &self.path)?;
        self.finished = true;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if !self.finished {
            let _ = fs::remove_file(&self.unfinished);
        }
    }
}

/// Makes `folder` if need be and tries whether files can be written there.
pub fn prepare_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let trial = folder.join(format!("{UNFINISHED}{}", unique()));
    let written = fs::write(&trial, b"trial");
    let removed = fs::remove_file(&trial);
    written.and(removed)
}

/// A word no other writer uses at the same time: this process and a count within it.
fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_dropped_before_it_is_whole_leaves_nothing() {
        let folder = crate::testing::folder("files-dropped");
        let mut file = WholeFile::create(&folder.join("results.json")).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn a_written_file_replaces_the_old_one_and_leaves_no_other() {
        let folder = crate::testing::folder("files-replaced");
        write_whole(&folder.join("a"), b"old").unwrap();
        write_whole(&folder.join("a"), b"new").unwrap();
        assert_eq!(fs::read(folder.join("a")).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_below_a_file_cannot_be_prepared() {
        let folder = crate::testing::folder("files-prepared");
        fs::write(folder.join("file"), b"").unwrap();
        assert!(prepare_folder(&folder.join("file/below")).is_err());
        assert!(prepare_folder(&folder.join("new/below")).is_ok());
        assert_eq!(fs::read_dir(folder.join("new/below")).unwrap().count(), 0);
    }
}
