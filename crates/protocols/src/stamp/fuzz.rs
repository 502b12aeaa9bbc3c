//! Properties that hold for arbitrary bytes; called by the fuzz target and by the tests over its corpus.

use super::extensions::Extensions;
use super::packet::{Probe, Reply};
use crate::authentication::Key;

/// Parses arbitrary bytes in both modes; a parsed packet survives emitting and parsing, and its extensions are reflected
/// with the same length. The bytes are also parsed with a valid tag.
pub fn packet(bytes: &[u8]) {
    let key = Key::new(b"fuzz");
    survives(bytes, None);
    survives(bytes, Some(&key));
    if let Some((covered, behind)) = bytes.split_at_checked(super::AUTHENTICATED_LENGTH - 16) {
        survives(&[covered, &key.tag(&[covered]), behind].concat(), Some(&key));
    }
}

fn survives(bytes: &[u8], key: Option<&Key>) {
    let mut emitted = Vec::new();
    if let Ok((probe, extensions)) = Probe::parse(bytes, key) {
        probe.emit(key, &mut emitted);
        returns(bytes, extensions, &mut emitted);
        assert_eq!(Probe::parse(&emitted, key).map(|(probe, _)| probe), Ok(probe));
    }
    if let Ok((reply, extensions)) = Reply::parse(bytes, key) {
        reply.emit(key, &mut emitted);
        returns(bytes, extensions, &mut emitted);
        assert_eq!(Reply::parse(&emitted, key).map(|(reply, _)| reply), Ok(reply));
    }
}

fn returns(bytes: &[u8], extensions: Extensions<'_>, emitted: &mut Vec<u8>) {
    extensions.reflect(emitted);
    assert_eq!(emitted.len(), bytes.len(), "a reply is as long as its probe");
    let reflected = Extensions(&emitted[bytes.len() - extensions.0.len()..]);
    let same = extensions.iter().map(|extension| (extension.kind, extension.value));
    assert!(same.eq(reflected.iter().map(|extension| (extension.kind, extension.value))), "only flags change");
}
