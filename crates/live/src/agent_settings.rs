//! Access control and limits of an agent.

use std::net::SocketAddr;
use std::path::PathBuf;

use sojourn_protocols::probe::server::Rules;
use sojourn_protocols::probe::wire::{Limits, MAX_PACKET};
use sojourn_scenario::Problems;

use crate::key::NamedKey;
use crate::mesh::permission::Permission;
use crate::target::Target;

/// Configuration of an agent.
#[derive(Clone, Debug)]
pub struct AgentSettings {
    /// The keys of which clients must have one; without any, they need none.
    pub keys: Vec<NamedKey>,
    /// The file or folder of the keys, which is read again when it changes.
    pub key_file: Option<PathBuf>,
    /// Whether it serves clients without a key from other hosts.
    pub open: bool,
    /// Whether CPU idle states are disabled while a session is open.
    pub no_cpu_idle: bool,
    /// The peers it may measure for its clients, if any.
    pub measures: Option<Permission>,
    /// Limits of each session, and of the number of sessions.
    pub rules: Rules,
}

/// Serves loopback clients only.
impl Default for AgentSettings {
    fn default() -> AgentSettings {
        AgentSettings {
            keys: Vec::new(),
            key_file: None,
            open: false,
            no_cpu_idle: false,
            measures: None,
            rules: rules(false),
        }
    }
}

/// Default limits: with `open`, low enough that all sessions together leave a link of 1 Gbit/s usable; otherwise what a
/// host can do.
pub fn rules(open: bool) -> Rules {
    let limits = Limits {
        packet_rate: 1_000_000,
        bit_rate: 100_000_000_000,
        octets: 10_000_000_000_000,
        seconds: 86_400,
        longest: MAX_PACKET,
        streams: 16,
        idle_seconds: 60,
        sends: true,
    };
    if !open {
        return Rules { limits, sessions: 64, sessions_per_address: 32, measures: false };
    }
    let limits = Limits {
        packet_rate: 1000,
        bit_rate: 20_000_000,
        octets: 1_000_000_000,
        seconds: 600,
        streams: 2,
        idle_seconds: 30,
        sends: false,
        ..limits
    };
    Rules { limits, sessions: 16, sessions_per_address: 2, measures: false }
}

impl AgentSettings {
    /// Refuses to listen beyond loopback without a key, unless the agent is open.
    pub(crate) fn permit(&self, target: &Target, addresses: &[SocketAddr]) -> Result<(), Problems> {
        let elsewhere = addresses.iter().find(|address| !address.ip().is_loopback());
        match elsewhere {
            Some(address) if self.keys.is_empty() && !self.open => {
                let message =
                    format!("without a key the agent serves loopback only, and other hosts can reach {}", address.ip());
                let help = "give it a key: --key-file FILE (generate one: (umask 077; head -c 32 /dev/urandom | base64 > FILE)), \
                            or serve any client, with lower limits: --open";
                Err(target.whole_problem(message).help(help).into())
            }
            _ => Ok(()),
        }
    }
}
