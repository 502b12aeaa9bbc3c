//! Measuring a real network, being the other end of a measurement, and listening: what is asked for, and what comes of
//! it.

pub(crate) mod arguments;
mod described;
mod expected;
mod plan;
mod telling;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sojourn_core::Duration;
use sojourn_live::prober::plan::Plan;
use sojourn_live::transport::{Information, LARGEST_PACKET, Measure};
use sojourn_live::{Listening, Measurement, OnAir, Probe, Watch, find};
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_scenario::quantity::Dimension;
use sojourn_scenario::{Document, Expectation, Problem, Problems, check};

use self::arguments::{airtime, argument, bytes, quantity, span};
use self::described::Described;
pub use self::plan::PlanRequest;
use self::telling::tell;
use crate::base::override_with;
use crate::outcome::{Outcome, Status};
use crate::provenance::Provenance;
use crate::request::{Build, Command, Request};
use crate::serving::ServingRequest;

/// With the headers of XTP, UDP and IPv4 it fills a frame of 1500 bytes.
const PACKET_SIZE: u64 = 1440;
const LARGEST_EXCHANGE: u64 = 1 << 20;
const LARGEST_TRANSFER: u64 = 1 << 40;
const MOST_REPLICATIONS: u32 = 1000;
/// At least how often a station says who it is, where nothing is asked for: 47 CFR 97.119.
const IDENTIFY: Duration = Duration::from_secs(600);

/// One call of `measure`, `agent` or `listen`; quantities as the user wrote them, defaults where absent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LiveRequest {
    /// The other end, or where to listen.
    pub url: String,
    /// How many exchanges `measure` makes.
    pub exchanges: Option<u32>,
    /// Bytes of a request and of its answer, `64 B`, or several: `64 B, 256 B`.
    pub exchange_size: Option<String>,
    /// Bytes of a transfer, `10 MiB`.
    pub size: Option<String>,
    /// Data bytes of one packet, `8 KiB`.
    pub packet_size: Option<String>,
    /// Share of this end's own datagrams dropped on purpose, `5 %`.
    pub inject_loss: Option<String>,
    /// How many associations `listen` serves.
    pub count: Option<u64>,
    /// How long `listen` and `agent` go on, `10 min`.
    pub duration: Option<String>,
    /// The own callsign of a station on the air.
    pub callsign: Option<String>,
    /// How much of any minute it may transmit, `6 s`.
    pub airtime: Option<String>,
    /// At least how often it says who it is, `10 min`.
    pub identify: Option<String>,
    /// The profile of its channel.
    pub profile: Option<String>,
    /// What is measured on the air, `ping-pong`.
    pub probe: Option<String>,
    /// Lines said to nodes on the way.
    pub via_node: Vec<String>,
    /// How `agent` serves those who measure.
    pub serving: Option<ServingRequest>,
    /// What is measured by the clock, and under what.
    pub plan: PlanRequest,
    /// What `measure` is to find in every phase, `response_time.p99 < 20 ms`.
    pub expect: Vec<String>,
}

/// Something opened that waits for its thread.
pub struct LiveTask {
    work: Measure,
    information: &'static Information,
    /// Whether it may end before it has any results, and that is well.
    serves: bool,
    /// The scenario that says what is measured, where one does.
    described: Option<Box<Described>>,
    /// What every point is expected to show, beside what the scenario says.
    expectations: Vec<Expectation>,
}

impl LiveTask {
    /// Checks the request and opens what it needs.
    pub fn open(request: &Request) -> Result<LiveTask, Problems> {
        let live = request.live.as_ref().ok_or_else(|| Problem::plain("no URL was named"))?;
        let (transport, target) = find(&live.url)?;
        let information = transport.information();
        live.refuse_others_options(information, request)?;
        let described = Described::read(live, request)?.map(Box::new);
        if described.is_some() && !information.is_timed {
            let problem = Problem::plain(format!("no scenario is measured over {}", information.scheme));
            return Err(problem
                .help("--peer sojourn://HOST, whose `sojourn agent` carries the background, too")
                .into());
        }
        let expectations = expected::read(&live.expect)?;
        let on_air = live.on_air(information, request)?;
        let seed = request.seed.unwrap_or(1);
        let work = match request.command {
            Command::Listen | Command::Agent => {
                let mut listening = live.listening(seed, on_air)?;
                if information.options.contains(&"--key-file") {
                    listening.agent = Some(live.serving.clone().unwrap_or_default().settings()?);
                }
                let answers = request.command == Command::Agent;
                if answers { transport.answer(&target, listening) } else { transport.listen(&target, listening) }
            }
            _ => {
                let replications = request.replications.unwrap_or(1);
                let mut measurement = live.measurement(information, seed, replications, on_air)?;
                if let Some(described) = &described {
                    described.refuse_load_without(information)?;
                    measurement.plan = Some(described.plan.clone());
                }
                transport.measure(&target, measurement)
            }
        };
        let serves = request.command != Command::Measure;
        Ok(LiveTask { work: work?, information, serves, described, expectations })
    }

    /// What its frames begin with.
    pub fn link_type(&self) -> Option<LinkType> {
        self.information.link_type
    }

    /// Does it, on this thread; what it carries goes to `frames`.
    pub fn run(
        self,
        request: &Request,
        build: &Build,
        provenance: Provenance,
        watch: &Arc<Watch>,
        frames: &mut dyn FrameSink,
    ) -> Outcome {
        let mut outcome = Outcome::cancelled(provenance, Vec::new());
        let measured = (self.work)(watch, frames);
        // what was measured by the clock until it was told to stop is as good as the rest
        if self.serves || self.information.is_timed || !watch.is_cancelled() {
            outcome.status = Status::Done;
            outcome.warnings.extend(measured.warnings.iter().cloned());
            outcome.provenance.circumstances = measured.circumstances.clone();
            if !measured.experiments.is_empty() {
                tell(&mut outcome, measured, self.described.as_deref(), &self.expectations, request, build);
            }
        }
        outcome
    }
}

impl LiveRequest {
    /// Refuses options that have no meaning for this transport.
    fn refuse_others_options(&self, information: &Information, request: &Request) -> Result<(), Problems> {
        let given = [
            ("--size", self.size.is_some()),
            ("--packet-size", self.packet_size.is_some()),
            ("--callsign", self.callsign.is_some()),
            ("--airtime", self.airtime.is_some()),
            ("--identify", self.identify.is_some()),
            ("--profile", self.profile.is_some()),
            ("--probe", self.probe.is_some()),
            ("--via-node", !self.via_node.is_empty()),
            ("--set", !request.set.is_empty() && request.file.is_none()),
            (
                "--key-file",
                self.plan.key_file.is_some() || self.serving.as_ref().is_some_and(|serving| serving.key_file.is_some()),
            ),
            ("--open", self.serving.as_ref().is_some_and(|serving| serving.open)),
            ("--no-cpu-idle", self.serving.as_ref().is_some_and(|serving| serving.no_cpu_idle)),
            ("--limit", self.serving.as_ref().is_some_and(|serving| !serving.limit.is_empty())),
            ("--transport", self.plan.transport.is_some()),
            ("--load", !self.plan.load.is_empty()),
        ];
        let others = |(option, given): &(&'static str, bool)| *given && !information.options.contains(option);
        let mut refused: Vec<&str> = given.into_iter().filter(others).map(|(option, _)| option).collect();
        let measures = request.command == Command::Measure;
        if information.is_timed {
            let counted = [("--exchanges", self.exchanges.is_some()), ("--inject-loss", self.inject_loss.is_some())];
            refused.extend(counted.iter().filter(|(_, given)| *given && measures).map(|(option, _)| option));
        } else {
            refused.extend(self.plan.given());
            refused.extend((self.duration.is_some() && measures).then_some("--duration"));
        }
        let problem = |option: &str| Problem::plain(format!("{option} has no meaning for {}", information.scheme));
        refused.dedup();
        let mut problems = Problems::new();
        refused.into_iter().for_each(|option| problems.push(problem(option)));
        problems.or(())
    }

    /// The channel and the station, where the transport has them.
    fn on_air(&self, information: &Information, request: &Request) -> Result<Option<OnAir>, Problems> {
        let Some(text) = information.scenario else { return Ok(None) };
        let mut document = Document::parse("the station on the air", text)?;
        let Some(profile) = &self.profile else {
            let problem = Problem::plain("nothing says what channel this is");
            return Err(problem.help("name its profile: --profile afsk-1200; --set changes single keys of it").into());
        };
        document.set("network.profile", &format!("\"{profile}\""), &format!("--profile {profile}"))?;
        override_with(&mut document, request)?;
        let airtime = self.airtime.as_deref().map(airtime).transpose()?;
        let identify = self.identify.as_deref().map(|text| span("--identify", text)).transpose()?;
        Ok(Some(OnAir {
            callsign: self.callsign.clone(),
            airtime,
            identify: identify.unwrap_or(IDENTIFY),
            probe: self.probe.as_deref().map(Probe::of_word).transpose()?.unwrap_or_default(),
            via_nodes: self.via_node.clone(),
            scenario: check(&document)?,
        }))
    }

    fn measurement(
        &self,
        information: &Information,
        seed: u64,
        replications: u32,
        on_air: Option<OnAir>,
    ) -> Result<Measurement, Problems> {
        if replications > MOST_REPLICATIONS {
            return Err(Problem::plain(format!("--replications: at most {MOST_REPLICATIONS}")).into());
        }
        let defaults = information.defaults;
        let asked_for_none = self.exchanges.is_none() && self.size.is_none();
        let size = bytes(
            "--size",
            self.size.as_deref(),
            if asked_for_none { defaults.transfer } else { 0 },
            0,
            LARGEST_TRANSFER,
        )?;
        let exchanges = self.exchanges.unwrap_or(if asked_for_none { defaults.exchanges } else { 0 });
        if exchanges == 0 && size == 0 && !information.is_timed {
            return Err(
                Problem::plain("neither exchanges nor a transfer were asked for, so there is nothing to do").into()
            );
        }
        Ok(Measurement {
            exchanges,
            exchange_sizes: self.exchange_sizes(defaults.exchange_size)?,
            size,
            packet_size: self.packet_size()?,
            replications,
            inject_loss: self.loss()?,
            seed,
            on_air,
            plan: information.is_timed.then(|| self.timed(defaults.exchange_size, replications, seed)).transpose()?,
        })
    }

    /// What a transport that is timed is to do.
    fn timed(&self, octets: u32, replications: u32, seed: u64) -> Result<Plan, Problems> {
        let duration = self.duration.as_deref().map(|text| span("--duration", text)).transpose()?;
        let sizes = self.exchange_size.as_deref().map(|_| self.exchange_sizes(octets)).transpose()?;
        self.plan.plan(sizes, octets, duration, replications, seed)
    }

    fn exchange_sizes(&self, default: u32) -> Result<Vec<u32>, Problems> {
        let Some(list) = self.exchange_size.as_deref() else { return Ok(vec![default]) };
        let mut sizes = Vec::new();
        for text in list.split(',').map(str::trim) {
            let size = bytes("--exchange-size", Some(text), 0, 1, LARGEST_EXCHANGE)? as u32;
            if sizes.contains(&size) {
                return Err(argument("--exchange-size", list, &format!("names {text} twice")).into());
            }
            sizes.push(size);
        }
        Ok(sizes)
    }

    fn listening(&self, seed: u64, on_air: Option<OnAir>) -> Result<Listening, Problems> {
        let duration = self.duration.as_deref().map(|text| span("--duration", text)).transpose()?;
        Ok(Listening { count: self.count, duration, inject_loss: self.loss()?, seed, on_air, agent: None })
    }

    fn packet_size(&self) -> Result<u32, Problems> {
        Ok(bytes("--packet-size", self.packet_size.as_deref(), PACKET_SIZE, 1, u64::from(LARGEST_PACKET))? as u32)
    }

    fn loss(&self) -> Result<f64, Problems> {
        let Some(text) = self.inject_loss.as_deref() else { return Ok(0.0) };
        let share = quantity("--inject-loss", text, Dimension::Fraction)?.number();
        if (0.0..1.0).contains(&share) {
            return Ok(share);
        }
        Err(argument("--inject-loss", text, "is no share from 0 to below 100 %").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(live: LiveRequest) -> Result<Measurement, Problems> {
        let (transport, _) = find("xtp+udp://127.0.0.1:36000").unwrap();
        live.measurement(transport.information(), 1, 1, None)
    }

    #[test]
    fn without_a_wish_exchanges_and_a_transfer_are_made_and_with_one_only_that() {
        let both = measurement(LiveRequest::default()).unwrap();
        assert_eq!((both.exchanges, both.size), (1000, 10 << 20));
        let transfer = measurement(LiveRequest { size: Some("1 MiB".into()), ..Default::default() }).unwrap();
        assert_eq!((transfer.exchanges, transfer.size), (0, 1 << 20));
        let exchanges = measurement(LiveRequest { exchanges: Some(5), ..Default::default() }).unwrap();
        assert_eq!((exchanges.exchanges, exchanges.size), (5, 0));
    }

    #[test]
    fn a_wrong_value_stands_under_a_caret_with_the_units_accepted() {
        let message = |live: LiveRequest| measurement(live).unwrap_err().0[0].clone();
        let unit = message(LiveRequest { size: Some("10".into()), ..Default::default() });
        assert_eq!(unit.message, "`10` needs a unit");
        assert_eq!(unit.place.unwrap().span, 8..10);
        assert!(unit.help.unwrap().contains("MiB"));
        let loss = message(LiveRequest { inject_loss: Some("100 %".into()), ..Default::default() });
        assert_eq!(loss.message, "`100 %` is no share from 0 to below 100 %");
        let packet = message(LiveRequest { packet_size: Some("70 kB".into()), ..Default::default() });
        assert_eq!(packet.message, "`70 kB` is no whole number of bytes from 1 B to 65000 B");
    }

    #[test]
    fn nothing_to_do_is_refused() {
        let live = LiveRequest { exchanges: Some(0), ..Default::default() };
        assert!(measurement(live).unwrap_err().0[0].message.contains("nothing to do"));
    }
}
