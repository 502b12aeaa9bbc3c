//! Gives the extension the commit and the sources it was built from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rustc-env=SOJOURN_COMMIT={}", commit().unwrap_or_else(|| "unknown".to_owned()));
    println!("cargo:rustc-env=SOJOURN_IDENTITY={:016x}", identity());
}

/// The short commit, with `-dirty` when a tracked file differs from it; `None` without git.
fn commit() -> Option<String> {
    for file in ["HEAD", "logs/HEAD"] {
        println!("cargo:rerun-if-changed={}", git(&["rev-parse", "--git-path", file])?);
    }
    let commit = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = git(&["--no-optional-locks", "status", "--porcelain", "--untracked-files=no"])?;
    Some(if changed.is_empty() { commit } else { format!("{commit}-dirty") })
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A fingerprint of everything that can change a result: the crates' sources, the locked libraries, the
/// compiler and the kind of build. FNV-1a in 64 bits: it distinguishes builds and guards against nothing.
fn identity() -> u64 {
    let root = Path::new("../..");
    let mut files = vec![root.join("Cargo.lock"), root.join("Cargo.toml")];
    for folder in ["crates", "networks"].map(|name| root.join(name)) {
        println!("cargo:rerun-if-changed={}", folder.display());
        for package in fs::read_dir(&folder).expect("the workspace has this folder").flatten() {
            files.push(package.path().join("Cargo.toml"));
            collect(&package.path().join("src"), &mut files);
        }
    }
    println!("cargo:rerun-if-changed=../../Cargo.lock");
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for file in files {
        hash = fnv(hash, file.to_string_lossy().as_bytes());
        hash = fnv(hash, &fs::read(&file).unwrap_or_default());
    }
    for variable in ["TARGET", "PROFILE", "OPT_LEVEL", "CARGO_ENCODED_RUSTFLAGS"] {
        hash = fnv(hash, std::env::var(variable).unwrap_or_default().as_bytes());
    }
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(compiler).arg("-vV").output().map(|output| output.stdout).unwrap_or_default();
    fnv(hash, &version)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}

fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
