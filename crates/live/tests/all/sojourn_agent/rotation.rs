//! Several keys by name, and their rotation while sessions run.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sojourn_live::agent_settings::AgentSettings;
use sojourn_live::key::read_all;
use sojourn_protocols::probe::client::OpenError;
use sojourn_protocols::probe::wire::{Limits, Pdu};

use crate::agent::{Agent, lines, sessions};
use crate::client::Client;
use crate::waiting::until;

const BERLIN: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";
const OSLO: &str = "q83vEjRWeJASNFZ4kKvN7w==";
const PARIS: &str = "00112233445566778899aabbccddeeff";

/// A folder of keys, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn of(name: &str, keys: &[(&str, &str)]) -> Folder {
        let folder = Folder(std::env::temp_dir().join(format!("sojourn-keys-{name}-{}", std::process::id())));
        fs::create_dir(&folder.0).unwrap();
        keys.iter().for_each(|(name, key)| folder.put(name, key));
        folder
    }

    /// Puts a key in place at once, as an administrator does.
    fn put(&self, name: &str, key: &str) {
        let written = self.0.join(format!(".{name}"));
        fs::write(&written, key).unwrap();
        fs::set_permissions(&written, Permissions::from_mode(0o600)).unwrap();
        fs::rename(written, self.0.join(name)).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn agent(path: &Path) -> Agent {
    let (keys, key_file) = (read_all(path).unwrap(), Some(path.to_owned()));
    Agent::start(AgentSettings { keys, key_file, ..AgentSettings::default() })
}

fn open(agent: &Agent, key: &str) -> Result<Client, OpenError> {
    Client::open(agent.address, key.as_bytes(), Limits::NONE)
}

#[test]
fn sessions_and_log_name_the_key_of_each_client() {
    let folder = Folder::of("names", &[("berlin.key", BERLIN), ("oslo", OSLO)]);
    let agent = agent(&folder.0);
    for key in [OSLO, BERLIN] {
        let mut client = open(&agent, key).unwrap();
        assert!(matches!(client.ping(64), Some(Pdu::Reply { .. })));
        client.close().unwrap();
    }
    let reports = agent.stop();
    let names: Vec<_> = sessions(&reports).iter().map(|session| session.key.clone().unwrap()).collect();
    assert_eq!(names, ["oslo", "berlin"]);
    for event in ["opened", "closed"] {
        let logged = lines(&reports, event);
        assert!(logged[0].ends_with(" key=oslo") && logged[1].ends_with(" key=berlin"), "{logged:?}");
    }
}

#[test]
fn a_key_is_replaced_while_a_session_runs_and_the_session_stays() {
    let folder = Folder::of("rotated", &[("berlin", BERLIN)]);
    let agent = agent(&folder.0);
    let mut running = open(&agent, BERLIN).unwrap();
    folder.put("berlin", OSLO);
    let mut new = until("the new key opens a session", || open(&agent, OSLO).ok());
    assert!(matches!(running.ping(64), Some(Pdu::Reply { .. })), "a running session stays");
    assert!(matches!(new.ping(64), Some(Pdu::Reply { .. })));
    assert!(open(&agent, BERLIN).is_err(), "the old key opens none");
    assert_eq!(running.close().unwrap().probes, 1);
    let reports = agent.stop();
    assert!(lines(&reports, "keys-read").last().is_some_and(|line| line.ends_with("keys=berlin")));
}

#[test]
fn an_invalid_key_changes_nothing_and_is_logged() {
    let folder = Folder::of("invalid", &[("berlin", BERLIN)]);
    let agent = agent(&folder.0);
    folder.put("berlin", "secret");
    let rejected = until("the log has it", || {
        let reports = agent.watch.reports(1);
        lines(&reports, "keys-rejected").first().map(|line| (*line).to_owned())
    });
    assert!(rejected.contains("128"), "{rejected}");
    let mut client = open(&agent, BERLIN).expect("the old key is in force");
    assert!(client.ping(64).is_some());
    folder.put("berlin", PARIS);
    until("the next one is valid", || open(&agent, PARIS).ok());
    agent.stop();
}
