//! The key that an agent and its clients share: from a file readable by its owner only, or from the environment; never from
//! the command line, which all users of a host can see.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::rand::{GetRandomFlags, getrandom};
use sojourn_protocols::authentication::Key;
use sojourn_scenario::{Problem, Problems};

/// The environment variable that holds a key.
pub const VARIABLE: &str = "SOJOURN_KEY";
/// Characters of the shortest key; 128 random bits take 22 in base64, 32 in hexadecimal.
const SHORTEST: usize = 16;
/// Bytes read of a key file at most.
const LONGEST: u64 = 4096;
const GENERATE_HINT: &str = "generate one: (umask 077; head -c 32 /dev/urandom | base64 > sojourn.key)";

/// The key from a file, else from the environment, if there is one.
pub fn find(file: Option<&Path>) -> Result<Option<Key>, Problems> {
    let text = match file {
        Some(path) => Some((read(path)?, format!("the key in {}", path.display()))),
        None => std::env::var(VARIABLE).ok().map(|text| (text, format!("the key in {VARIABLE}"))),
    };
    let Some((text, name)) = text else { return Ok(None) };
    let key = text.trim();
    if key.len() < SHORTEST {
        let message = format!("{name} has {} characters, and at least {SHORTEST} are needed", key.len());
        return Err(Problem::plain(message).help(GENERATE_HINT).into());
    }
    Ok(Some(Key::new(key.as_bytes())))
}

/// Random bytes from the operating system.
pub fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let filled = getrandom(&mut bytes, GetRandomFlags::empty())?;
    // up to 256 bytes come whole (getrandom(2))
    if filled == N { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn read(path: &Path) -> Result<String, Problems> {
    let name = path.display();
    let unread = |fault: io::Error| Problem::plain(format!("the key file {name} cannot be read: {fault}"));
    let file = File::open(path).map_err(|fault| unread(fault).help(GENERATE_HINT))?;
    let mode = file.metadata().map_err(unread)?.mode();
    if mode & 0o077 != 0 {
        let message =
            format!("the key file {name} is accessible to others than its owner: its mode is {:04o}", mode & 0o7777);
        return Err(Problem::plain(message).help(format!("chmod 600 {name}")).into());
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(unread)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn key_file(name: &str, text: &str, mode: u32) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("sojourn-key-{name}-{}", std::process::id()));
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn the_key_of_a_file_is_its_text_without_the_line_end() {
        let path = key_file("line", "0123456789abcdef\n", 0o600);
        let key = find(Some(&path)).unwrap().unwrap();
        fs::remove_file(path).unwrap();
        assert_eq!(key.tag(&[b"m"]), Key::new(b"0123456789abcdef").tag(&[b"m"]));
    }

    #[test]
    fn a_file_accessible_to_others_and_a_short_key_are_refused() {
        let open = key_file("open", "0123456789abcdef", 0o640);
        let short = key_file("short", "secret\n", 0o600);
        let message = |path: &Path| find(Some(path)).unwrap_err().0[0].message.clone();
        assert!(message(&open).contains("is accessible to others than its owner") && message(&open).contains("0640"));
        assert!(message(&short).contains("has 6 characters, and at least 16 are needed"));
        fs::remove_file(open).unwrap();
        fs::remove_file(short).unwrap();
        assert!(message(Path::new("/nonexistent/key")).contains("cannot be read"));
    }

    #[test]
    fn random_bytes_differ_between_calls() {
        assert_ne!(random_bytes::<32>().unwrap(), random_bytes::<32>().unwrap());
    }
}
