//! Who may measure against an agent, and how much.

use std::net::SocketAddr;

use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::server::Rules;
use sojourn_protocols::probe::wire::{Limits, MAX_PACKET};
use sojourn_scenario::Problems;

use crate::target::Target;

/// How an agent serves.
#[derive(Clone, Debug)]
pub struct AgentSettings {
    /// What clients must have, too.
    pub key: Option<Key>,
    /// Whether it serves everyone who reaches it.
    pub open: bool,
    /// Whether processors are kept from halting while anybody measures.
    pub no_cpu_idle: bool,
    /// What each may do, and how many.
    pub rules: Rules,
}

/// For its own host alone.
impl Default for AgentSettings {
    fn default() -> AgentSettings {
        AgentSettings { key: None, open: false, no_cpu_idle: false, rules: rules(false) }
    }
}

/// What is allowed where nothing else is said: to strangers (`open`) little enough that their sessions, all at once,
/// leave a link of 1 Gbit/s usable; to others what a host can do.
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
        return Rules { limits, sessions: 64, sessions_per_address: 32 };
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
    Rules { limits, sessions: 16, sessions_per_address: 2 }
}

impl AgentSettings {
    /// Refuses to be reached from elsewhere without a key, unless that is what the user wants.
    pub(crate) fn permit(&self, target: &Target, addresses: &[SocketAddr]) -> Result<(), Problems> {
        let elsewhere = addresses.iter().find(|address| !address.ip().is_loopback());
        match elsewhere {
            Some(address) if self.key.is_none() && !self.open => {
                let message = format!(
                    "without a key the agent serves its own host alone, and {} is reached from elsewhere",
                    address.ip()
                );
                let help = "give it a key: --key-file FILE (make one: (umask 077; head -c 32 /dev/urandom | base64 > FILE)), \
                            or serve everyone, within tighter limits: --open";
                Err(target.whole_problem(message).help(help).into())
            }
            _ => Ok(()),
        }
    }
}
