//! The measuring station: replications of a probe, each over its own link.

mod link_session;
mod link_setup;
mod loopback;
mod node_path;
mod ping_pong;
mod replication;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::results::Setting;
use sojourn_protocols::ax25::machine::{Cause, Counter, LinkKey};

use self::link_session::{Application, LinkSession, LinkTimes, Outcome};
use self::link_setup::{ConnectProbe, PromptProbe};
use self::loopback::{Kind, LoopbackProbe};
use self::ping_pong::PingPong;
use self::replication::{Cost, Replication};
use crate::io::drive::Driver;
use crate::io::injected_loss::InjectedLoss;
use crate::progress::report::Report;
use crate::progress::watch::Watch;
use crate::transport::{Experiment, Measured, Measurement, Probe};
use crate::transports::ax25::handler::PortHandler;
use crate::transports::ax25::port::Port;
use crate::transports::ax25::settings::Settings;
use crate::transports::ax25::shutdown::shut_down;
use crate::transports::ax25::transceiver::Transceiver;

/// Timeout of a frame without a link, which is not retransmitted.
const SOUNDING_TIME_OUT: Duration = Duration::from_secs(30);

/// The plan of a measurement on the air.
pub struct RadioTest {
    /// Settings of the station.
    pub settings: Settings,
    /// Far station and digipeaters.
    pub key: LinkKey,
    /// The kind of probe.
    pub probe: Probe,
    /// Commands to the nodes of the path.
    pub via_nodes: Vec<String>,
    /// Counts, sizes and replications.
    pub measurement: Measurement,
}

/// Runs every measurement, then disconnects; the first failure ends it.
pub fn measure<P: Port>(port: P, plan: &RadioTest, watch: &Watch, frames: &mut dyn FrameSink) -> Measured {
    let loss = InjectedLoss::new(plan.measurement.seed, 0, "measurer", plan.measurement.inject_loss);
    let port_handler = PortHandler::new(port.name(), watch);
    let transceiver = plan.settings.transceiver().expect("the settings were checked when they were read");
    let mut measurer = Measurer { driver: Driver::new(port, loss, frames), transceiver, port_handler, plan, watch };
    let mut measured = Measured::default();
    let sizes: &[u32] = match plan.probe {
        Probe::Connect | Probe::Prompt => &[0],
        _ => &plan.measurement.exchange_sizes,
    };
    for size in sizes {
        measured.experiments.push(measurer.repeat(*size));
        if watch.is_cancelled() || measured.experiments.iter().any(|done| done.failure.is_some()) {
            break;
        }
    }
    measurer.shut_down_links();
    measured.warnings = measurer.warnings();
    measured
}

struct Measurer<'a, P> {
    driver: Driver<'a, P>,
    transceiver: Transceiver,
    port_handler: PortHandler<'a>,
    plan: &'a RadioTest,
    watch: &'a Watch,
}

impl<P: Port> Measurer<'_, P> {
    fn repeat(&mut self, size: u32) -> Experiment {
        let mut experiment = Experiment {
            name: self.plan.probe.word(),
            set: BTreeMap::new(),
            records: Vec::new(),
            duration: Duration::ZERO,
            failure: None,
            outages: Vec::new(),
        };
        if size > 0 {
            experiment.set.insert("probe.size".to_owned(), Setting::Integer(size.into()));
        }
        let mut total = Duration::ZERO;
        for replication in 0..self.plan.measurement.replications {
            self.watch.begin(self.plan.probe.word(), "1", u64::from(self.plan.measurement.exchanges));
            let (began, retransmitted) = (self.driver.clock.now(), self.retransmitted());
            let airtime = self.transceiver.airtime();
            let first =
                u64::from(replication) * u64::from(self.plan.measurement.exchanges) + self.plan.measurement.seed;
            let run = self.once(size, first);
            let cost = Cost {
                duration: self.driver.clock.now().since(began),
                retransmitted: self.retransmitted() - retransmitted,
                airtime: self.transceiver.airtime().saturating_sub(airtime),
            };
            self.report(&run, cost);
            total += cost.duration;
            if run.times.count() > 0 || run.fault.is_none() {
                experiment.records.push(run.record(cost));
            }
            experiment.failure = run.fault;
            if experiment.failure.is_some() || self.watch.is_cancelled() {
                break;
            }
        }
        experiment.duration =
            Duration::from_picoseconds(total.picoseconds() / (experiment.records.len() as u64).max(1));
        experiment
    }

    fn once(&mut self, size: u32, first: u64) -> Replication {
        match self.plan.probe {
            Probe::PingPong => self.ping_pong(size, first),
            Probe::Connect => self.connect(),
            Probe::Prompt => self.prompt(),
            Probe::Test => self.loopback(Kind::Test, size, first),
            Probe::Digipeater => self.loopback(Kind::Digipeated, size, first),
        }
    }

    /// Round trips over a link, and over a new one if it fails.
    fn ping_pong(&mut self, size: u32, first: u64) -> Replication {
        let Settings { time_out, pause, .. } = self.plan.settings;
        // a frame of a greeting that is lost comes again after T1
        let quiet = self.plan.settings.station.frack.times(2 * self.plan.key.digipeaters.len() as u64 + 1);
        let wanted = ping_pong::Wanted { round_trips: self.plan.measurement.exchanges, size, time_out, pause, quiet };
        let mut user = PingPong::new(wanted, first, &self.plan.via_nodes, self.watch);
        let (mut spans, mut fault) = (LinkTimes::default(), None);
        while fault.is_none() && !user.is_complete() {
            let ended = self.converse(&mut user, &mut spans);
            if self.watch.is_cancelled() {
                break;
            }
            user.broken();
            fault = match ended {
                Ok(Outcome::Done) if !user.is_complete() && !user.is_answered() => Some(self.no_echo()),
                Ok(_) => None,
                Err(fault) => Some(fault),
            };
        }
        let fault = user.fault.clone().or(fault);
        Replication { octets: user.octets(), times: user.times, spans, failures: user.failures, fault }
    }

    fn connect(&mut self) -> Replication {
        let mut run = Replication::default();
        for done in 1..=self.plan.measurement.exchanges {
            run.fault = self.converse(&mut ConnectProbe, &mut run.spans).err();
            self.watch.set_done(done.into());
            if run.fault.is_some() || self.watch.is_cancelled() {
                break;
            }
        }
        run.times = run.spans.connect.clone();
        run
    }

    fn prompt(&mut self) -> Replication {
        let mut user = PromptProbe::new(self.plan.settings.time_out);
        let mut run = Replication::default();
        for done in 1..=self.plan.measurement.exchanges {
            run.fault = self.converse(&mut user, &mut run.spans).err();
            self.watch.set_done(done.into());
            if run.fault.is_some() || self.watch.is_cancelled() {
                break;
            }
            user.ended();
        }
        Replication { times: user.times, failures: user.failures, ..run }
    }

    fn loopback(&mut self, kind: Kind, size: u32, first: u64) -> Replication {
        let wanted = loopback::Wanted {
            kind,
            key: self.plan.key,
            frames: self.plan.measurement.exchanges,
            size,
            time_out: self.plan.settings.time_out.min(SOUNDING_TIME_OUT),
            pause: self.plan.settings.pause,
        };
        let mut loopback = LoopbackProbe::new(wanted, first, &mut self.port_handler);
        self.driver.run(&mut self.transceiver, &mut loopback);
        let LoopbackProbe { times, failures, waited, .. } = loopback;
        let fault = (times.count() == 0 && failures > 0).then(|| match kind {
            Kind::Test => format!("{} does not respond to TEST frames", self.plan.key.peer),
            Kind::Digipeated => format!("no frame was repeated by {:?}", self.plan.key.digipeaters),
        });
        Replication {
            octets: times.count() * u64::from(size),
            times,
            failures,
            fault,
            spans: LinkTimes { waited, ..LinkTimes::default() },
        }
    }

    /// One link from set-up to disconnect, or an error that a new link would not avoid.
    fn converse(&mut self, user: &mut impl Application, spans: &mut LinkTimes) -> Result<Outcome, String> {
        let (key, time_out) = (self.plan.key, self.plan.settings.time_out);
        let mut session = LinkSession::new(key, time_out, user, &mut self.port_handler, spans);
        self.driver.run(&mut self.transceiver, &mut session);
        let peer = self.plan.key.peer;
        match session.outcome() {
            outcome @ (Outcome::Done | Outcome::Broken(_) | Outcome::Cancelled) => Ok(outcome),
            Outcome::NotUp(Cause::Refused) => {
                Err(format!("{peer} refused the link (DM): it is up, but accepts no connections now"))
            }
            Outcome::NotUp(_) => Err(self.silence()),
            Outcome::Late => Err(format!("the link to {peer} was not up within {} s", time_out.seconds())),
            Outcome::Refused(refusal) => Err(format!("invalid link to {peer}: {refusal}")),
        }
    }

    fn no_echo(&self) -> String {
        let (peer, time_out) = (self.plan.key.peer, self.plan.settings.time_out.seconds());
        format!(
            "{peer} took a block and returned nothing within {time_out} s: it is not an echo, as `sojourn agent` is"
        )
    }

    fn silence(&self) -> String {
        let (peer, heard) = (self.plan.key.peer, self.port_handler.counts.heard);
        let asked = self.plan.settings.station.n2;
        format!("{peer} does not respond: asked {asked} times; {heard} frames of any station were heard")
    }

    fn shut_down_links(&mut self) {
        let links = self.transceiver.link(&self.plan.key).into_iter().collect();
        let disc_timeout = self.plan.settings.disc_timeout(&self.plan.key);
        shut_down(&mut self.driver, &mut self.transceiver, &mut self.port_handler, links, disc_timeout);
    }

    fn retransmitted(&self) -> u64 {
        self.transceiver.station().counters().get(Counter::InformationResent)
    }

    fn report(&self, run: &Replication, cost: Cost) {
        let seconds = cost.duration.seconds();
        self.watch.report(Report {
            kind: self.plan.probe.word(),
            peer: self.plan.key.peer.to_string(),
            bytes: run.octets,
            messages: run.times.count(),
            seconds,
            bit_rate: if seconds > 0.0 { run.octets as f64 * 8.0 / seconds } else { 0.0 },
            retransmissions: cost.retransmitted,
            ended: run.fault.clone().unwrap_or_else(|| run.in_words()),
            well: run.fault.is_none(),
            ..Report::default()
        });
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.plan.measurement.inject_loss > 0.0 {
            let (dropped, offered) = (self.driver.loss.dropped(), self.driver.loss.offered());
            warnings.push(format!("{dropped} of {offered} frames were dropped by --inject-loss"));
        }
        if self.port_handler.counts.garbage > 0 {
            let first = self
                .port_handler
                .first_fault
                .map_or(String::new(), |fault| format!(", the first with the error: {fault}"));
            warnings.push(format!("{} inputs were not frames{first}", self.port_handler.counts.garbage));
        }
        warnings
    }
}
