//! Pre-shared keys of agents and their clients. A key comes from a file readable only by its owner and group, or from
//! the environment; never from the command line, which all users of a host can read. An agent may have several named
//! keys: a folder with one file per key.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::rand::{GetRandomFlags, getrandom};
use sojourn_protocols::authentication::Key;
use sojourn_scenario::{Problem, Problems, Secret};

/// The environment variable that holds a key.
pub const VARIABLE: &str = "SOJOURN_KEY";
/// Bits of the weakest key, as of AES-128; they take 22 characters in base64, 32 in hexadecimal.
const LEAST_BITS: u32 = 128;
/// Distinct characters of a key at least: of 22 random ones fewer are improbable.
const LEAST_DISTINCT: usize = 8;
/// Characters of a key's name at most.
const LONGEST_NAME: usize = 64;
/// Bytes read of a key file at most.
const LONGEST: u64 = 4096;
const GENERATE_HINT: &str = "generate one: (umask 077; head -c 32 /dev/urandom | base64 > sojourn.key)";

/// A key with the name by which the log refers to it.
#[derive(Clone, Debug)]
pub struct NamedKey {
    /// Name of its file without `.key`, or the environment variable.
    pub name: String,
    /// The key.
    pub key: Key,
}

/// The key from a file, else from the environment, if there is one.
pub fn find(file: Option<&Path>) -> Result<Option<Key>, Problems> {
    let text = match file {
        Some(path) => Some((read(path)?, format!("the key in {}", path.display()))),
        None => std::env::var(VARIABLE).ok().map(|text| (Secret::new(text), format!("the key in {VARIABLE}"))),
    };
    text.map(|(text, name)| Ok(Key::new(checked(&text, &name)?.revealed().as_bytes()))).transpose()
}

/// The keys from a file with one, or from a folder with a file for each; else from the environment, if there is one.
pub fn find_all(path: Option<&Path>) -> Result<Option<Vec<NamedKey>>, Problems> {
    match path {
        Some(path) => read_all(path).map(Some),
        None => Ok(find(None)?.map(|key| vec![NamedKey { name: VARIABLE.to_owned(), key }])),
    }
}

/// The keys of a file or of a folder, by name.
pub fn read_all(path: &Path) -> Result<Vec<NamedKey>, Problems> {
    let files = files(path)?;
    if files.is_empty() {
        let message = format!("the folder {} holds no key", path.display());
        return Err(Problem::plain(message).help(GENERATE_HINT).into());
    }
    let mut known: Vec<(Secret, NamedKey)> = Vec::new();
    for file in files {
        let shown = format!("the key in {}", file.display());
        let text = checked(&read(&file)?, &shown)?;
        let name = name(&file)?;
        if let Some((_, other)) = known.iter().find(|(other, key)| *other == text || key.name == name) {
            let message = format!("{shown} has the name or the value of another one, `{}`", other.name);
            return Err(Problem::plain(message).help("each client, or group of clients, has a key of its own").into());
        }
        let key = Key::new(text.revealed().as_bytes());
        known.push((text, NamedKey { name, key }));
    }
    Ok(known.into_iter().map(|(_, key)| key).collect())
}

/// The file itself, or the files of a folder but for hidden ones, as a Kubernetes secret has them.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, Problems> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unread =
        |fault: io::Error| Problem::plain(format!("the folder of keys {} cannot be read: {fault}", path.display()));
    let mut files = Vec::new();
    for entry in path.read_dir().map_err(unread)? {
        let file = entry.map_err(unread)?.path();
        let is_hidden = file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !is_hidden && !file.is_dir() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The name of a file without `.key`, which stands in the log.
fn name(file: &Path) -> Result<String, Problems> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.strip_suffix(".key").unwrap_or(name);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_plain) {
        let message = format!("the file {} does not name a key", file.display());
        let help = format!("up to {LONGEST_NAME} letters, digits, `.`, `_` and `-`");
        return Err(Problem::plain(message).help(help).into());
    }
    Ok(name.to_owned())
}

/// The text of a key, if it is one and strong enough.
fn checked(text: &Secret, shown: &str) -> Result<Secret, Problems> {
    let key = text.revealed().trim();
    if key.contains(['\n', '\r']) || key.split_once(':').is_some_and(|(_, rest)| rest.starts_with(' ')) {
        let message = format!("{shown} is more than a key: a key file holds one key, without a name");
        let help = "several keys of an agent are a folder with a file for each, named after it: --key-file FOLDER";
        return Err(Problem::plain(message).help(help).into());
    }
    let bits = bits(key);
    if bits < LEAST_BITS {
        let message = format!("{shown} has {bits} bits at most, and at least {LEAST_BITS} are needed");
        return Err(Problem::plain(message).help(GENERATE_HINT).into());
    }
    Ok(Secret::new(key))
}

/// Bits of a key if its characters are random: an upper bound, which no phrase of words reaches.
fn bits(key: &str) -> u32 {
    let bytes = key.as_bytes();
    // what repeats itself counts once
    let period = (1..=bytes.len() / 2).find(|period| bytes.iter().skip(*period).eq(&bytes[..bytes.len() - period]));
    let once = &bytes[..period.unwrap_or(bytes.len())];
    if once.iter().collect::<BTreeSet<_>>().len() < LEAST_DISTINCT {
        return 0;
    }
    let all = |is: fn(&u8) -> bool| once.iter().all(is);
    let alphabet: f64 = match () {
        () if all(u8::is_ascii_digit) => 10.0,
        () if all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte)) => 16.0,
        () if all(|byte| byte.is_ascii_digit() || (b'A'..=b'F').contains(byte)) => 16.0,
        () if all(|byte| byte.is_ascii_lowercase() || *byte == b' ') => 27.0,
        () if all(|byte| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte)) => 64.0,
        () => 94.0,
    };
    (once.len() as f64 * alphabet.log2()) as u32
}

/// Random bytes from the operating system.
pub fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let filled = getrandom(&mut bytes, GetRandomFlags::empty())?;
    // up to 256 bytes come whole (getrandom(2))
    if filled == N { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn read(path: &Path) -> Result<Secret, Problems> {
    let name = path.display();
    let unread = |fault: io::Error| Problem::plain(format!("the key file {name} cannot be read: {fault}"));
    let file = File::open(path).map_err(|fault| unread(fault).help(GENERATE_HINT))?;
    let mode = file.metadata().map_err(unread)?.mode();
    // its group may read it, as of secrets of systemd and Kubernetes; any other account of the host may not
    if mode & 0o037 != 0 {
        let message = format!(
            "the key file {name} is accessible to others than its owner and its group: its mode is {:04o}",
            mode & 0o7777
        );
        return Err(Problem::plain(message).help(format!("chmod 600 {name}, or 0440 for a group")).into());
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(unread)?;
    Ok(Secret::new(text))
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

    const STRONG: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

    #[test]
    fn the_key_of_a_file_is_its_text_without_the_line_end() {
        let path = key_file("line", &format!("{STRONG}\n"), 0o600);
        let key = find(Some(&path)).unwrap().unwrap();
        fs::remove_file(path).unwrap();
        assert_eq!(key.tag(&[b"m"]), Key::new(STRONG.as_bytes()).tag(&[b"m"]));
    }

    #[test]
    fn a_file_accessible_to_others_and_a_weak_key_are_refused() {
        let message = |path: &Path| find(Some(path)).unwrap_err().0[0].message.clone();
        for (mode, accepted) in
            [(0o400, true), (0o440, true), (0o640, true), (0o444, false), (0o660, false), (0o604, false)]
        {
            let path = key_file(&format!("mode-{mode:o}"), STRONG, mode);
            assert_eq!(find(Some(&path)).is_ok(), accepted, "{mode:o}");
            assert!(accepted || message(&path).contains("is accessible to others than its owner and its group"));
            fs::remove_file(path).unwrap();
        }
        let weak = key_file("weak", "secret\n", 0o600);
        assert!(message(&weak).ends_with("has 0 bits at most, and at least 128 are needed"), "{}", message(&weak));
        fs::remove_file(weak).unwrap();
        assert!(message(Path::new("/nonexistent/key")).contains("cannot be read"));
    }

    #[test]
    fn a_key_is_as_strong_as_random_characters_of_its_alphabet_and_what_repeats_itself_counts_once() {
        assert_eq!(bits(STRONG), 128);
        assert!(bits("q83vEjRWeJASNFZ4kKvN7w==") >= 128, "128 random bits in base64");
        assert!(bits("q83vEjRWeJASNFZ4kKvN7xI0VniQEjRWeJCrze8SNFY=") >= 256);
        for weak in [
            &"a".repeat(64),
            &"ab".repeat(40),
            &"0123456789abcdef".repeat(4),
            "0123456789abcdef",
            "31415926535897932384626433",
        ] {
            assert!(bits(weak) < 128, "{weak}");
        }
    }

    #[test]
    fn a_folder_holds_a_key_a_file_by_its_name() {
        let folder = key_file("folder", "", 0o600);
        fs::remove_file(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        let put = |name: &str, text: &str| {
            fs::write(folder.join(name), text).unwrap();
            fs::set_permissions(folder.join(name), Permissions::from_mode(0o600)).unwrap();
        };
        let message = || read_all(&folder).unwrap_err().0[0].message.clone();
        assert!(message().contains("holds no key"));
        put("berlin.key", STRONG);
        put("..data", "as of a mounted secret");
        put("oslo", "q83vEjRWeJASNFZ4kKvN7w==\n");
        let names: Vec<String> = read_all(&folder).unwrap().into_iter().map(|key| key.name).collect();
        assert_eq!(names, ["berlin", "oslo"]);
        put("paris", STRONG);
        assert!(message().contains("has the name or the value of another one, `berlin`"), "{}", message());
        put("paris", "secret");
        assert!(message().contains("at least 128"), "{}", message());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_of_several_keys_or_with_a_name_in_it_is_refused_with_what_to_do() {
        for text in [format!("{STRONG}\n{STRONG}"), format!("berlin: {STRONG}\n")] {
            let path = key_file("several", &text, 0o600);
            let problem = find(Some(&path)).unwrap_err();
            assert!(problem.0[0].message.contains("holds one key, without a name"), "{problem}");
            fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn random_bytes_differ_between_calls() {
        assert_ne!(random_bytes::<32>().unwrap(), random_bytes::<32>().unwrap());
    }
}
