//! The keyring of a running agent. A datagram or frame of a session is authenticated by the key that opened the
//! session, any other by trying each key. A replaced key opens no new session; a session opened with it continues
//! until it ends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::wire::{NO_TOKEN, Packet, ParseError, Token, token_field};

use crate::key::NamedKey;

/// Shared by the thread of datagrams, those of connections, and the one that reads the keys again.
#[derive(Clone, Debug)]
pub struct Keyring(Arc<Mutex<Keys>>);

#[derive(Debug)]
struct Keys {
    current: Vec<Arc<NamedKey>>,
    /// The keys of open sessions.
    of_sessions: BTreeMap<Token, Arc<NamedKey>>,
}

impl Keyring {
    /// With these keys; of none the empty key, by which an agent without keys only protects integrity.
    pub fn new(keys: Vec<NamedKey>) -> Keyring {
        let empty = NamedKey { name: String::new(), key: Key::new(b"") };
        let keys = if keys.is_empty() { vec![empty] } else { keys };
        Keyring(Arc::new(Mutex::new(Keys { current: shared(keys), of_sessions: BTreeMap::new() })))
    }

    /// Replaces the keys for sessions that are yet to open.
    pub fn replace(&self, keys: Vec<NamedKey>) {
        self.keys().current = shared(keys);
    }

    /// Verifies and parses a packet; the key is the one that authenticates it, or else any.
    pub fn parse(&self, bytes: &[u8]) -> (Result<Packet, ParseError>, Arc<NamedKey>) {
        let keys = self.keys();
        let token = token_field(bytes).unwrap_or(NO_TOKEN);
        if let Some(own) = keys.of_sessions.get(&token) {
            return (Packet::parse(&own.key, bytes), own.clone());
        }
        for key in &keys.current {
            match Packet::parse(&key.key, bytes) {
                Err(ParseError::Unauthenticated) => {}
                parsed => return (parsed, key.clone()),
            }
        }
        (Err(ParseError::Unauthenticated), keys.current[0].clone())
    }

    /// A session was opened with a key.
    pub fn opened(&self, token: Token, key: &Arc<NamedKey>) {
        self.keys().of_sessions.entry(token).or_insert_with(|| key.clone());
    }

    /// The key of an open session.
    pub fn of_session(&self, token: &Token) -> Option<Arc<NamedKey>> {
        self.keys().of_sessions.get(token).cloned()
    }

    /// A session has ended; returns its key.
    pub fn closed(&self, token: &Token) -> Option<Arc<NamedKey>> {
        self.keys().of_sessions.remove(token)
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.0.lock().expect("no thread panics while it holds the keys")
    }
}

fn shared(keys: Vec<NamedKey>) -> Vec<Arc<NamedKey>> {
    keys.into_iter().map(Arc::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_protocols::probe::wire::Pdu;

    fn named(name: &str) -> NamedKey {
        NamedKey { name: name.to_owned(), key: Key::new(name.as_bytes()) }
    }

    fn bytes(token: Token, key: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        Packet { token, sequence: 1, pdu: Pdu::Stop }.emit(&Key::new(key.as_bytes()), 0, &mut bytes);
        bytes
    }

    fn name_of(keyring: &Keyring, token: Token, key: &str) -> Option<String> {
        let (parsed, key) = keyring.parse(&bytes(token, key));
        parsed.is_ok().then(|| key.name.clone())
    }

    #[test]
    fn each_key_opens_sessions_and_a_session_takes_its_own_alone() {
        let keyring = Keyring::new(vec![named("berlin"), named("oslo")]);
        assert_eq!(name_of(&keyring, NO_TOKEN, "oslo").as_deref(), Some("oslo"));
        assert_eq!(name_of(&keyring, NO_TOKEN, "paris"), None);
        let (_, oslo) = keyring.parse(&bytes(NO_TOKEN, "oslo"));
        keyring.opened([1; 16], &oslo);
        assert_eq!(name_of(&keyring, [1; 16], "oslo").as_deref(), Some("oslo"));
        assert_eq!(name_of(&keyring, [1; 16], "berlin"), None, "another holder of a key");
    }

    #[test]
    fn a_replaced_key_keeps_its_session_until_it_ends_and_opens_none() {
        let keyring = Keyring::new(vec![named("old")]);
        let (_, old) = keyring.parse(&bytes(NO_TOKEN, "old"));
        keyring.opened([1; 16], &old);
        keyring.replace(vec![named("new")]);
        assert_eq!(name_of(&keyring, [1; 16], "old").as_deref(), Some("old"));
        assert_eq!((name_of(&keyring, NO_TOKEN, "old"), name_of(&keyring, [2; 16], "old")), (None, None));
        assert_eq!(name_of(&keyring, NO_TOKEN, "new").as_deref(), Some("new"));
        assert_eq!(keyring.closed(&[1; 16]).unwrap().name, "old");
        assert_eq!(name_of(&keyring, [1; 16], "old"), None, "it has ended");
    }
}
