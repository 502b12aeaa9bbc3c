//! The initiator: exchanges and transfers, each over its own association.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::Record;
use sojourn_metrics::results::Setting;
use sojourn_protocols::xtp::machine::Endpoint;
use sojourn_protocols::xtp::wire::Address;

use super::conversation::{Application, InitiatorHandler};
use super::exchanges::Exchanges;
use super::settings::{configuration, limits};
use super::transfer::Transfer;
use super::translator::{Counts, LiveEndpoint};
use super::{ECHO_PORT, SINK_PORT};
use crate::io::drive::Driver;
use crate::io::injected_loss::InjectedLoss;
use crate::io::link::{Link, Peer};
use crate::progress::report::Report;
use crate::progress::watch::Watch;
use crate::transport::{Experiment, Measured, Measurement};

/// Runs every measurement; the first failure ends it.
pub fn measure(
    link: Link,
    peer: Peer,
    measurement: &Measurement,
    watch: &Watch,
    frames: &mut dyn FrameSink,
) -> Measured {
    let loss = InjectedLoss::new(measurement.seed, 0, "initiator", measurement.inject_loss);
    let mut initiator = Initiator {
        source: source_port(&link),
        driver: Driver::new(link, loss, frames),
        endpoint: Endpoint::new(limits()),
        peer,
        measurement,
        watch,
    };
    let mut measured = Measured::default();
    let sizes: &[u32] = if measurement.exchanges > 0 { &measurement.exchange_sizes } else { &[] };
    for size in sizes {
        let mut done = initiator.repeat("exchanges", |initiator, replication| initiator.exchanges(replication, *size));
        if sizes.len() > 1 {
            done.set.insert("probe.size".to_owned(), Setting::Integer((*size).into()));
        }
        measured.experiments.push(done);
        if measured.experiments.iter().any(|done| done.failure.is_some()) {
            break;
        }
    }
    if measurement.size > 0 && measured.experiments.iter().all(|done| done.failure.is_none()) {
        measured.experiments.push(initiator.repeat("transfer", Initiator::transfer));
    }
    if measurement.inject_loss > 0.0 {
        let (dropped, offered) = (initiator.driver.loss.dropped(), initiator.driver.loss.offered());
        measured.warnings.push(format!("{dropped} of {offered} datagrams were dropped by --inject-loss"));
    }
    measured
}

struct Initiator<'a> {
    driver: Driver<'a>,
    endpoint: LiveEndpoint,
    peer: Peer,
    source: u16,
    measurement: &'a Measurement,
    watch: &'a Watch,
}

/// The result of a replication.
struct Run {
    duration: Duration,
    /// The metrics, or why there are none.
    outcome: Result<Record, String>,
}

impl Initiator<'_> {
    fn repeat(&mut self, name: &'static str, once: impl Fn(&mut Self, u32) -> Run) -> Experiment {
        let mut records = Vec::new();
        let (mut failure, mut total) = (None, Duration::ZERO);
        for replication in 0..self.measurement.replications {
            let run = once(self, replication);
            total += run.duration;
            match run.outcome {
                Ok(record) => records.push(record),
                Err(reason) => failure = Some(reason),
            }
            if failure.is_some() || self.watch.is_cancelled() {
                break;
            }
        }
        let duration = Duration::from_picoseconds(total.picoseconds() / (records.len() as u64).max(1));
        Experiment { name, set: BTreeMap::new(), records, duration, failure, outages: Vec::new() }
    }

    fn exchanges(&mut self, replication: u32, exchange_size: u32) -> Run {
        let &Measurement { seed, exchanges, .. } = self.measurement;
        self.watch.begin("exchanges", "1", u64::from(exchanges));
        let user = Exchanges::new(seed, replication, exchanges, exchange_size, self.watch);
        let (user, talk) = self.converse(user, ECHO_PORT);
        let duration = user.duration();
        let failure = talk.failure.clone().or_else(|| user.damage());
        self.watch.report(Report {
            messages: user.done(),
            ..self.report("exchanges", user.bytes(), duration, &talk, failure.as_deref().unwrap_or("answered"))
        });
        let record = user.record(talk.counts, talk.offered, talk.dropped);
        Run { duration, outcome: failure.map_or(Ok(record), Err) }
    }

    fn transfer(&mut self, replication: u32) -> Run {
        let &Measurement { seed, size, packet_size, .. } = self.measurement;
        self.watch.begin("transfer", "B", size);
        let user = Transfer::new(seed, replication, size, packet_size, self.watch);
        let (user, talk) = self.converse(user, SINK_PORT);
        let duration = user.duration();
        let failure = talk.failure.clone().or_else(|| user.damage());
        self.watch.report(Report {
            messages: 1,
            sha256: Some(user.sha256()),
            ..self.report("transfer", user.handed_over(), duration, &talk, failure.as_deref().unwrap_or("intact"))
        });
        let record = user.record(talk.counts, talk.offered, talk.dropped);
        Run { duration, outcome: failure.map_or(Ok(record), Err) }
    }

    /// Opens an association to a port of the peer and runs the application until it is done.
    fn converse<U: Application>(&mut self, user: U, port: u16) -> (U, Talk) {
        let address =
            Address::ipv4((octets(self.driver.link.local().ip()), self.source), (octets(self.peer.address.ip()), port));
        let configuration = Arc::new(configuration(self.measurement.packet_size));
        let (offered, dropped) = (self.driver.loss.offered(), self.driver.loss.dropped());
        let mut conversation = InitiatorHandler::new(user, self.peer, address, configuration, self.watch);
        self.driver.run(&mut self.endpoint, &mut conversation);
        let talk = Talk {
            failure: conversation.failure(),
            counts: conversation.counts(),
            offered: self.driver.loss.offered() - offered,
            dropped: self.driver.loss.dropped() - dropped,
        };
        (conversation.user, talk)
    }

    fn report(&self, kind: &'static str, bytes: u64, duration: Duration, talk: &Talk, ended: &str) -> Report {
        let seconds = duration.seconds();
        Report {
            kind,
            peer: super::conversation::peer_name(self.peer.address),
            bytes,
            seconds,
            bit_rate: if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 },
            retransmissions: talk.counts.retransmissions,
            injected_drops: talk.dropped,
            ended: ended.to_owned(),
            well: matches!(ended, "intact" | "answered"),
            ..Report::default()
        }
    }
}

/// A host as an XTP address of format 1, which is IPv4 only, as every target of XTP is.
fn octets(host: IpAddr) -> [u8; 4] {
    match host {
        IpAddr::V4(address) => address.octets(),
        IpAddr::V6(_) => Ipv4Addr::UNSPECIFIED.octets(),
    }
}

/// Counts of an association.
struct Talk {
    failure: Option<String>,
    counts: Counts,
    offered: u64,
    dropped: u64,
}

/// The XTP port of this end: that of its socket, if it has one.
fn source_port(link: &Link) -> u16 {
    match link.local() {
        local if local.ip().is_unspecified() || local.port() == 0 => ECHO_PORT,
        local => local.port(),
    }
}
