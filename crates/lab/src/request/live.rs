//! Requests of the commands that use a real network: `measure`, `monitor`, `agent`, `listen` and `relay`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A key that an option sets: `--rate '50 /s'` is short for `--set 'measure.rate=50 /s'`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The key's path, `measure.rate`; of a command without a document the option's own name.
    pub key: String,
    /// The value as written.
    pub value: String,
    /// The text that an error shows, which ends in the value: `--rate 50 /s`.
    pub argument: String,
}

/// `sojourn measure URL` or `sojourn measure FILE`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Measure {
    /// The document; a measurement with the defaults of the URL's transport when absent.
    pub file: Option<PathBuf>,
    /// URL of the peer, in place of the document's `measure.peer`.
    pub peer: Option<String>,
    /// Keys set by options of their own.
    pub options: Vec<Change>,
    /// Loads in short, each `tcp:STREAMS` or `udp:RATE` and then keys of `[[load]]`: `tcp:4,down`.
    pub load: Vec<String>,
    /// Overrides of keys, each `KEY=VALUE` as in `--set`.
    pub set: Vec<String>,
    /// Axes, each `KEY=50:500:50 /s` or `KEY=a,b`; the first is the slowest.
    pub over: Vec<String>,
    /// Conditions that every phase should meet, besides the document's `[expect]`.
    pub expect: Vec<String>,
    /// Seed in place of the document's.
    pub seed: Option<u64>,
    /// Replications in place of the document's.
    pub replications: Option<u32>,
    /// Folder for results; nothing is written when absent.
    pub out: Option<PathBuf>,
    /// Capture file; none is written when absent.
    pub pcap: Option<PathBuf>,
}

/// `sojourn monitor FILE|URL ...` and `sojourn mesh FILE`, whose targets are the agents of the document.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Monitor {
    /// The document; without one each URL is a target with the defaults.
    pub file: Option<PathBuf>,
    /// URLs of targets, besides those of the document.
    pub urls: Vec<String>,
    /// Keys set by options of their own.
    pub options: Vec<Change>,
    /// Overrides of keys, each `KEY=VALUE` as in `--set`.
    pub set: Vec<String>,
    /// Conditions of all targets, besides the document's `[expect]`.
    pub expect: Vec<String>,
    /// Folder of the files of windows; nothing is written when absent.
    pub folder: Option<PathBuf>,
    /// Ends after this time, `24 h`.
    pub duration: Option<String>,
    /// Command that the shell runs with the line of each alert on its input.
    pub on_alert: Option<String>,
}

/// `sojourn agent URL`: the measurement server.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Agent {
    /// Address to serve at.
    pub url: String,
    /// File of the key that clients must have.
    pub key_file: Option<PathBuf>,
    /// Whether to serve everyone, without a key.
    pub open: bool,
    /// Networks whose agents it measures for clients with its key, each `10.0.0.0/8`.
    pub measures: Vec<String>,
    /// Whether to keep processors out of C-states while a session lasts.
    pub no_cpu_idle: bool,
    /// Limits of the agent, each `NAME=VALUE` as in `--limit`.
    pub limit: Vec<String>,
    /// On the air: keys of the station set by options of their own.
    pub options: Vec<Change>,
    /// On the air: overrides of the station's scenario, each `KEY=VALUE`.
    pub set: Vec<String>,
    /// Ends after this many sessions.
    pub count: Option<u64>,
    /// Ends after this time, `10 min`.
    pub duration: Option<String>,
    /// Share of its own datagrams dropped on purpose, `5 %`.
    pub inject_loss: Option<String>,
    /// Seed of the injected loss.
    pub seed: Option<u64>,
    /// Capture file; none is written when absent.
    pub pcap: Option<PathBuf>,
}

/// `sojourn listen URL`: a reflector or monitor.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Listen {
    /// Address to listen at.
    pub url: String,
    /// File of the key that clients must have, where the protocol has one.
    pub key_file: Option<PathBuf>,
    /// On the air: keys of the channel set by options of their own.
    pub options: Vec<Change>,
    /// On the air: overrides of the channel's scenario, each `KEY=VALUE`.
    pub set: Vec<String>,
    /// Ends after this many associations, or frames on the air.
    pub count: Option<u64>,
    /// Ends after this time, `10 min`.
    pub duration: Option<String>,
    /// Share of its own datagrams dropped on purpose, `5 %`.
    pub inject_loss: Option<String>,
    /// Seed of the injected loss.
    pub seed: Option<u64>,
    /// Folder for results; nothing is written when absent.
    pub out: Option<PathBuf>,
    /// Capture file; none is written when absent.
    pub pcap: Option<PathBuf>,
}

/// `sojourn relay`, the network emulator.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Relay {
    /// Address to listen at, `127.0.0.1:7000`.
    pub listen: String,
    /// The remote host, `127.0.0.1:18620`.
    pub to: String,
    /// Whether other hosts may connect.
    pub open: bool,
    /// Impairments, each by the name of its option.
    pub options: Vec<Change>,
    /// When nothing passes, from the start of the emulator, `10 s:15 s`.
    pub outage: Option<String>,
    /// Scenario of kind `ip` whose path between the hosts of the probe is emulated, with its events.
    pub scenario: Option<PathBuf>,
    /// Overrides of the scenario, each `KEY=VALUE`.
    pub set: Vec<String>,
    /// Seed of jitter, loss, duplication and reordering.
    pub seed: Option<u64>,
}

/// A measurement that did not end, in its folder for results.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Recover {
    /// Folder of the measurement, which its results are written to.
    pub out: PathBuf,
}
