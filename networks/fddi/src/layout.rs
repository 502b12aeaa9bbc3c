//! The layout of a site: rings, the MACs on them, and the routers between.

use sojourn_core::Duration;
use sojourn_protocols::fddi::{Address, TOKEN_TIME};
use sojourn_scenario::{Problem, Problems, Scenario, Table};

use super::association::LONGEST_CONTROL;
use super::frame::{DATAGRAM_OVERHEAD, FRAME_OVERHEAD, SIZING};
use super::port::Port;
use super::ring::{self, BYPASS_TIME, Class, Discipline, LARGEST_FRAME_TIME, MacSettings, RingSettings};
use super::site::{Flow, Ring, Transport};

/// Places of hosts and generators.
pub struct Layout {
    /// Places of each host, routers of a chain last.
    pub ports: Vec<Vec<Port>>,
    /// The generator of `[background]`.
    pub generator: Option<Port>,
    /// Routers that `[router]` puts between senders and receivers.
    pub chained: u64,
    /// Stations of each ring, in order.
    macs: Vec<Vec<Owner>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Host(u32),
    Generator,
    Repeater,
}

impl Layout {
    /// Where everything of a scenario is.
    pub fn new(scenario: &Scenario) -> Layout {
        let members = scenario.members();
        let media = scenario.list("medium");
        let chained = scenario.table("router").integer("count");
        let mut layout = Layout {
            ports: vec![Vec::new(); members.len()],
            generator: None,
            chained,
            macs: vec![Vec::new(); media.len() + chained as usize],
        };
        let beyond = beyond(scenario);
        for (host, member) in members.iter().enumerate() {
            if chained > 0 {
                let ring = if beyond.contains(&host) { chained as u16 } else { 0 };
                layout.attach(host, ring);
                continue;
            }
            for name in member.station.words("on") {
                let ring = media.iter().position(|medium| medium.name() == name).expect("a checked medium");
                layout.attach(host, ring as u16);
            }
        }
        for router in 0..chained as u16 {
            layout.ports.push(Vec::new());
            let host = layout.ports.len() - 1;
            layout.attach(host, router);
            layout.attach(host, router + 1);
        }
        if scenario.table("background").number("rate") > 0.0 {
            layout.generator = Some(Port { ring: 0, mac: layout.macs[0].len() as u32 });
        }
        // the generator's station is on the first ring whether it sends or not
        layout.macs[0].push(Owner::Generator);
        for (ring, macs) in layout.macs.iter_mut().enumerate() {
            let medium = &media[ring.min(media.len() - 1)];
            macs.extend((0..medium.integer("idle_macs")).map(|_| Owner::Repeater));
        }
        layout
    }

    /// The rings with their settings; what a standard ring refuses comes back as problems.
    pub fn rings(&self, scenario: &Scenario, flows: &[Flow]) -> Result<Vec<Ring>, Problems> {
        let mut problems = Problems::new();
        let media = scenario.list("medium");
        let mut rings = Vec::new();
        for (index, owners) in self.macs.iter().enumerate() {
            let medium = &media[index.min(media.len() - 1)];
            let settings = self.settings(scenario, medium, index, flows);
            let enforced = medium.flag("enforce_allocation");
            for problem in ring::problems(&settings) {
                // without enforcement no component checks the allocations
                if enforced || !matches!(problem, ring::Problem::SynchronousRule { .. }) {
                    problems.push(self.place(scenario, medium, owners, &problem));
                }
            }
            self.frames(scenario, owners, &settings, flows, &mut problems);
            let name = if index < media.len() { medium.name().to_owned() } else { format!("ring-{}", index + 1) };
            let host = |owner: &Owner| if let Owner::Host(host) = owner { Some(*host) } else { None };
            let bypass_time = medium.optional_duration("bypass_time").unwrap_or(BYPASS_TIME);
            rings.push(Ring { name, settings, owners: owners.iter().map(host).collect(), bypass_time });
        }
        problems.or(rings)
    }

    /// A ring's problem where the scenario says so.
    fn place(&self, scenario: &Scenario, medium: &Table, owners: &[Owner], problem: &ring::Problem) -> Problem {
        let members = scenario.members();
        let station = |mac: u32| match owners[mac as usize] {
            Owner::Host(host) => members.get(host as usize).map(|member| member.station),
            _ => None,
        };
        let written = |table: &&Table| table.optional_duration("synchronous_allocation").is_some();
        match problem {
            ring::Problem::SynchronousRule { .. } => {
                let hosts = (0..owners.len() as u32).filter_map(station).filter(written);
                let background = Some(scenario.table("background")).filter(written);
                let largest = hosts.chain(background).max_by_key(|table| table.duration("synchronous_allocation"));
                let (table, key) = largest.map_or((medium, "ttrt"), |table| (table, "synchronous_allocation"));
                let help = "lower the allocations, raise ttrt, or write enforce_allocation = false for the ring";
                scenario.problem(table, key, problem.to_string(), Some(help.to_owned()))
            }
            ring::Problem::Threshold { mac, .. } => {
                let station = station(*mac).unwrap_or(medium);
                scenario.problem(station, "priority_thresholds", problem.to_string(), None)
            }
            ring::Problem::TooMuchFibre { .. } => scenario.problem(medium, "length", problem.to_string(), None),
            ring::Problem::TooManyMacs { .. } => scenario.problem(medium, "idle_macs", problem.to_string(), None),
            _ => {
                let own = problem.mac().and_then(station).filter(|station| station.has("ttrt"));
                scenario.problem(own.unwrap_or(medium), "ttrt", problem.to_string(), None)
            }
        }
    }

    /// Frames that an allocation never holds.
    fn frames(
        &self,
        scenario: &Scenario,
        owners: &[Owner],
        settings: &RingSettings,
        flows: &[Flow],
        problems: &mut Problems,
    ) {
        let members = scenario.members();
        let mut reported: Vec<&str> = Vec::new();
        for (owner, mac) in owners.iter().zip(&settings.macs) {
            let (table, length) = match owner {
                Owner::Host(host) => {
                    let routes = self.ports[*host as usize].len() > 1;
                    let table = members.get(*host as usize).map(|member| member.station);
                    (table.unwrap_or_else(|| scenario.table("router")), longest(*host, routes, flows))
                }
                Owner::Generator
                    if self.generator.is_some() && scenario.table("background").word("class") == "synchronous" =>
                {
                    let background = scenario.table("background");
                    (background, background.number("frame") as u32)
                }
                _ => continue,
            };
            if length == 0 || reported.contains(&table.name()) {
                continue;
            }
            if let Some(problem) = ring::frame_problem(mac, Class::Synchronous, length) {
                let key = if table.has("synchronous_allocation") { "synchronous_allocation" } else { "count" };
                let help = "raise synchronous_allocation or ttrt, send shorter frames, or write enforce_allocation = false for the ring";
                let message = format!("{}: {problem}", table.name());
                problems.push(scenario.problem(table, key, message, Some(help.to_owned())));
                reported.push(table.name());
            }
        }
    }

    fn attach(&mut self, host: usize, ring: u16) {
        let macs = &mut self.macs[usize::from(ring)];
        self.ports[host].push(Port { ring, mac: macs.len() as u32 });
        macs.push(Owner::Host(host as u32));
    }

    fn settings(&self, scenario: &Scenario, medium: &Table, index: usize, flows: &[Flow]) -> RingSettings {
        let owners = &self.macs[index];
        let members = scenario.members();
        let background = scenario.table("background");
        let table = |owner: &Owner| match owner {
            Owner::Host(host) => members.get(*host as usize).map(|member| member.station),
            _ => None,
        };
        let hop = ring::propagation(medium.number("length") / owners.len() as f64);
        let bid = |owner: &Owner| {
            let own = table(owner).and_then(|station| station.optional_duration("ttrt"));
            own.unwrap_or_else(|| medium.duration("ttrt"))
        };
        let ttrt = owners.iter().map(bid).min().unwrap_or_else(|| medium.duration("ttrt"));
        let sends = |owner: &Owner| match owner {
            Owner::Host(host) => self.synchronous(*host, flows),
            Owner::Generator => self.generator.is_some() && background.word("class") == "synchronous",
            Owner::Repeater => false,
        };
        let allocation = |owner: &Owner| match owner {
            Owner::Host(_) => table(owner).and_then(|station| station.optional_duration("synchronous_allocation")),
            _ => background.optional_duration("synchronous_allocation"),
        };
        let settings = RingSettings::new(Vec::new());
        let written: Duration = owners.iter().filter(|owner| sends(owner)).filter_map(allocation).sum();
        let sharing = owners.iter().filter(|owner| sends(owner) && allocation(owner).is_none()).count().max(1);
        let taken = settings.largest_latency + LARGEST_FRAME_TIME + TOKEN_TIME + written;
        let share = Duration::from_picoseconds(ttrt.saturating_sub(taken).picoseconds() / sharing as u64);
        let macs = owners.iter().enumerate().map(|(number, owner)| MacSettings {
            address: Address::local(index as u32 * 0x1_0000 + number as u32 + 1),
            hop,
            latency: medium.duration("station_latency"),
            requested_ttrt: bid(owner),
            synchronous_allocation: match sends(owner) {
                true => allocation(owner).unwrap_or(share),
                false => Duration::ZERO,
            },
            enforce_allocation: medium.flag("enforce_allocation"),
            synchronous: match owner {
                Owner::Generator => discipline(background, "discipline", "burst"),
                _ => table(owner).map_or(Discipline::SinglePacketPerToken, |station| {
                    discipline(station, "synchronous_discipline", "packets_per_token")
                }),
            },
            asynchronous: match owner {
                Owner::Generator => discipline(background, "discipline", "burst"),
                _ => table(owner).map_or(Discipline::SinglePacketPerToken, |station| {
                    discipline(station, "asynchronous_discipline", "packets_per_token")
                }),
            },
            thresholds: table(owner).map_or([Duration::ZERO; 8], thresholds),
        });
        RingSettings::new(macs.collect())
    }

    /// Whether a host sends synchronous frames: data, acknowledgements, or others' as a router.
    fn synchronous(&self, host: u32, flows: &[Flow]) -> bool {
        let mut synchronous = flows.iter().filter(|flow| flow.class == Class::Synchronous);
        let routes = self.ports[host as usize].len() > 1;
        synchronous.any(|flow| routes || flow.from == host || flow.to.contains(&host))
    }
}

/// The hosts that a chain of routers puts on its last ring: the receivers of probed voice.
fn beyond(scenario: &Scenario) -> Vec<usize> {
    let probed = |flow: &&Table| flow.flag("probe") && flow.word("traffic") == "voice";
    let flows = scenario.list("flow").iter().filter(probed);
    flows.flat_map(|flow| flow.words("to")).flat_map(|name| scenario.resolve(name)).collect()
}

/// T_Pri of a station, by priority.
fn thresholds(station: &Table) -> [Duration; 8] {
    let written = station.table("priority_thresholds");
    std::array::from_fn(|priority| written.duration(&format!("priority_{priority}")))
}

fn discipline(table: &Table, word: &str, several: &str) -> Discipline {
    match table.word(word) {
        "single-packet-per-token" => Discipline::SinglePacketPerToken,
        _ => Discipline::MultiplePacketsPerToken(table.integer(several) as u32),
    }
}

/// The longest synchronous frame that a host sends: data of its own, acknowledgements, or others' as a router.
fn longest(host: u32, routes: bool, flows: &[Flow]) -> u32 {
    let of = |flow: &Flow| {
        if flow.from == host || routes {
            longest_frame(flow).max(longest_answer(flow))
        } else if flow.to.contains(&host) {
            longest_answer(flow)
        } else {
            0
        }
    };
    flows.iter().filter(|flow| flow.class == Class::Synchronous).map(of).max().unwrap_or(0)
}

/// What a receiver may have to send: reports; and in exchanges of probed voice as much as it gets.
fn longest_answer(flow: &Flow) -> u32 {
    let answer = if flow.probe { longest_frame(flow) } else { 0 };
    match flow.transport {
        Transport::Xtp(_) => answer.max(LONGEST_CONTROL),
        Transport::Datagram => answer,
    }
}

fn longest_frame(flow: &Flow) -> u32 {
    let overhead = match flow.transport {
        Transport::Xtp(_) => SIZING.data_overhead() as u32,
        Transport::Datagram => DATAGRAM_OVERHEAD,
    };
    FRAME_OVERHEAD + overhead + flow.traffic.largest()
}
