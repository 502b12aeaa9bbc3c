//! `sojourn://host:port`: measurements against an [`agent`], over UDP and TCP.
//!
//! 1. [`control`] drives the machines that open and close a session, [`diagnosis`] explains why one failed;
//! 2. the [`format`](mod@format) of datagrams lets the core of a [`measuring`](crate::prober) send probes and read replies, over UDP or
//!    [`over_tcp`], by one of the session's [`connection`]s; its [`renewal`] opens the session again after a restart of the agent;
//! 3. the [`load`] runs on threads of its own, to or from the agent;
//! 4. [`measure`](mod@measure) runs these in order; by [`delegation`] an agent does so for a coordinator.

mod connection;
mod control;
pub mod delegation;
mod diagnosis;
mod format;
mod load;
pub mod measure;
mod over_tcp;
mod renewal;

use std::net::SocketAddr;

use sojourn_protocols::probe::DEFAULT_PORT;
use sojourn_scenario::Problems;

use crate::servers::agent;
use crate::target::{AGENT_SCHEME, Target};
use crate::transport::{Information, Listening, Measure, Measurement, PATH_KEYS, TIMED_KEYS, Transport};

/// `sojourn://host:port`: authenticated probes of an agent.
#[derive(Debug)]
pub struct Sojourn;

impl Transport for Sojourn {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: AGENT_SCHEME,
            form: "sojourn://HOST:PORT",
            summary: "Probes and load against `sojourn agent`, over UDP and TCP.",
            needs: None,
            sources: &["RFC 2104", "RFC 4303, 3.4.3", "RFC 4987, 3.6"],
            keys: &[
                TIMED_KEYS,
                PATH_KEYS,
                &["measure.transport", "measure.key_file", "measure.clocks", "measure.clock_error"],
                &["measure.idle", "measure.recovery", "load"],
            ],
            link_type: None,
            is_timed: true,
            scenario: None,
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        measure::measure(target, measurement)
    }

    fn listen(&self, target: &Target, _listening: Listening) -> Result<Measure, Problems> {
        let message = "for sojourn:// the server is `sojourn agent`";
        Err(target.problem(0..target.scheme().len(), message).help("sojourn agent URL").into())
    }

    fn answer(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        let address = target.socket_address(Some(DEFAULT_PORT))?;
        let named = &target.with_secrets()[target.after_scheme()];
        let own_host = named == "localhost" || named.starts_with("localhost:");
        let addresses: Vec<SocketAddr> = if own_host { agent::own_host(address.port()) } else { vec![address] };
        agent::answer(target, &addresses, listening)
    }
}
