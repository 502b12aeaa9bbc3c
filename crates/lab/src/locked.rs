//! Files that one process at a time writes.

use std::fs::{File, TryLockError};
use std::io;
use std::ops::{Deref, DerefMut};

/// A file locked until this is dropped.
#[derive(Debug)]
pub struct Locked(File);

impl Locked {
    /// Locks a file, or fails with `ResourceBusy` and the words of `busy` where another process has locked it.
    pub fn new(file: File, busy: &str) -> io::Result<Locked> {
        match file.try_lock() {
            Ok(()) => Ok(Locked(file)),
            Err(TryLockError::WouldBlock) => Err(io::Error::new(io::ErrorKind::ResourceBusy, busy)),
            Err(TryLockError::Error(fault)) => Err(fault),
        }
    }
}

/// A child that another thread has forked holds a copy of the descriptor until it executes its program: closing ours
/// would leave the lock to it.
impl Drop for Locked {
    fn drop(&mut self) {
        // closing what cannot be unlocked is all that is left
        let _ = self.0.unlock();
    }
}

impl Deref for Locked {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for Locked {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_with_its_owner_though_a_forked_child_has_the_descriptor_still() {
        let folder = crate::testing::folder("locked");
        let path = folder.join("lock");
        let owner = Locked::new(File::create(&path).unwrap(), "in use").unwrap();
        let of_the_child = owner.try_clone().unwrap();
        let refused = Locked::new(File::create(&path).unwrap(), "in use").unwrap_err();
        assert_eq!((refused.kind(), refused.to_string().as_str()), (io::ErrorKind::ResourceBusy, "in use"));
        drop(owner);
        assert!(Locked::new(File::create(&path).unwrap(), "in use").is_ok());
        drop(of_the_child);
    }
}
