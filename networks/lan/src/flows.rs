//! Converts the tables of flows, probe and background traffic to activities of hosts.

use std::sync::Arc;

use sojourn_core::Time;
use sojourn_protocols::tcp::machine::Settings as TcpSettings;
use sojourn_scenario::{Member, Problem, Problems, Scenario, Table};

use super::calls;
use super::circuits::Circuits;
use super::layout::Layout;
use super::packet::{TCP_HEADERS, UDP_HEADERS};
use super::site::{Activity, Bulk, Call, Cycle, Echo, Opened, Request, Service, Stream};
use super::tcp;
use super::topology::StationKind;
use sojourn_model::arrivals;
use sojourn_model::laws::RandomTime;
use sojourn_model::timed::silent_at_first;

/// The activities of hosts, and their connections.
pub struct Flows<'s> {
    pub layout: Layout<'s>,
    pub circuits: Circuits,
    pub activities: Vec<Activity>,
    /// Names of flows; activities point here.
    pub names: Vec<String>,
    scenario: &'s Scenario,
    members: &'s [Member<'s>],
    /// MTU of hosts that do not fragment, octets.
    mtu: Option<u32>,
}

/// An activity as the scenario declares it.
struct Declared<'s> {
    table: &'s Table,
    /// Under which name it is reported, and its own.
    flow: String,
    name: String,
    from: usize,
    to: usize,
    /// Further servers that it asks in turn.
    polled: Vec<usize>,
    /// Which of its flow's activities it is, from 0.
    number: usize,
    kind: Kind,
    probed: bool,
}

/// What an activity does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Echo,
    Request,
    Stream,
    Bulk,
    Voice,
}

/// The most user data of a datagram over IPv4, octets.
const LONGEST_DATAGRAM: u32 = 65_507;

impl<'s> Flows<'s> {
    /// The activities of a scenario's hosts.
    pub fn read(
        scenario: &'s Scenario,
        members: &'s [Member<'s>],
        layout: Layout<'s>,
        circuits: Circuits,
        mtu: Option<u32>,
    ) -> Result<Self, Problems> {
        let mut flows = Flows { layout, circuits, activities: Vec::new(), names: Vec::new(), scenario, members, mtu };
        let mut problems = Problems::new();
        let plans = [flows.probe(), flows.background(), flows.written()];
        for plan in plans.into_iter().flatten() {
            if let Err(problem) = plan.and_then(|plan| flows.add(plan)) {
                problems.push(problem);
            }
        }
        problems.or(flows)
    }

    /// `[probe]`, if it has ends.
    fn probe(&self) -> Vec<Result<Declared<'s>, Problem>> {
        let table = self.scenario.table("probe");
        if !table.has("from") {
            return Vec::new();
        }
        let one = |key: &str| match self.hosts(table, key)?[..] {
            [host] => Ok(host),
            ref several => {
                let message = format!("`{key}` names {} hosts; a probe has one at each end", several.len());
                Err(self.scenario.problem(table, key, message, None))
            }
        };
        let plan = one("from").and_then(|from| {
            let (flow, name) = ("probe".to_owned(), "probe".to_owned());
            Ok(Declared {
                table,
                flow,
                name,
                from,
                to: one("to")?,
                polled: Vec::new(),
                number: 0,
                kind: Kind::Echo,
                probed: true,
            })
        });
        vec![plan]
    }

    /// The streams of `[background]`, if it has ends: each a flow of its own.
    fn background(&self) -> Vec<Result<Declared<'s>, Problem>> {
        let table = self.scenario.table("background");
        if !table.has("from") {
            return Vec::new();
        }
        let ends = self.hosts(table, "from").and_then(|from| Ok((from, self.hosts(table, "to")?)));
        let (senders, receivers) = match ends {
            Ok(ends) => ends,
            Err(problem) => return vec![Err(problem)],
        };
        let plan = |number: usize| {
            let (mut from, mut to) = (senders[number % senders.len()], receivers[number % receivers.len()]);
            let backward = match table.word("direction") {
                "forward" => false,
                "backward" => true,
                _ => number % 2 == 1,
            };
            if backward {
                (from, to) = (to, from);
            }
            let name = format!("background-{}", number + 1);
            let (flow, polled) = (name.clone(), Vec::new());
            Ok(Declared { table, flow, name, from, to, polled, number, kind: Kind::Bulk, probed: false })
        };
        (0..table.integer("streams") as usize).map(plan).collect()
    }

    /// Each `[[flow]]`, from each of its senders.
    fn written(&self) -> Vec<Result<Declared<'s>, Problem>> {
        let plans = self.scenario.list("flow").iter().flat_map(|table| match self.pairs(table) {
            Ok(pairs) => {
                let kind = match table.word("service") {
                    "echo" => Kind::Echo,
                    "request" => Kind::Request,
                    "stream" => Kind::Stream,
                    "bulk" => Kind::Bulk,
                    _ => Kind::Voice,
                };
                let calls = table.optional_table("voice").map_or(1, |voice| voice.integer("channels") as usize);
                let several = pairs.len() * calls > 1;
                let plan = |(number, (from, to)): (usize, (usize, usize))| {
                    let polled = self.polled(table, kind)?;
                    let flow = table.name().to_owned();
                    let name = match kind {
                        _ if !several => flow.clone(),
                        Kind::Voice => format!("{flow}/{}", number + 1),
                        _ => format!("{flow}/{}", self.layout.name(from)),
                    };
                    Ok(Declared { table, flow, name, from, to, polled, number, kind, probed: table.flag("probe") })
                };
                pairs.into_iter().flat_map(|pair| std::iter::repeat_n(pair, calls)).enumerate().map(plan).collect()
            }
            Err(problem) => vec![Err(problem)],
        });
        plans.collect()
    }

    /// The hosts of a flow, each sender with its receiver.
    fn pairs(&self, table: &'s Table) -> Result<Vec<(usize, usize)>, Problem> {
        let senders = self.hosts(table, "from")?;
        if table.words("to") == ["partner"] {
            let partner = |&from: &usize| Some((from, *self.scenario.receivers(table, from).first()?));
            let pairs: Option<Vec<_>> = senders.iter().map(partner).collect();
            return pairs.ok_or_else(|| {
                let message = format!("a sender of flow `{}` has no partner", table.name());
                self.scenario.problem(table, "to", message, Some("partners are members 1 and 2, 3 and 4, ...".into()))
            });
        }
        let receivers = self.hosts(table, "to")?;
        if is_poll(table) {
            return Ok(senders.into_iter().map(|from| (from, receivers[0])).collect());
        }
        Ok(senders.into_iter().enumerate().map(|(at, from)| (from, receivers[at % receivers.len()])).collect())
    }

    /// The servers that each sender asks in turn behind its first.
    fn polled(&self, table: &'s Table, kind: Kind) -> Result<Vec<usize>, Problem> {
        if !is_poll(table) {
            return Ok(Vec::new());
        }
        if !matches!(kind, Kind::Echo | Kind::Request) || table.words("to") == ["partner"] {
            let message = "only requests go to several servers in turn".to_owned();
            let help = "service = \"echo\" or \"request\", to = [\"SERVER\", ...]".to_owned();
            return Err(self.scenario.problem(table, "poll", message, Some(help)));
        }
        Ok(self.hosts(table, "to")?.split_off(1))
    }

    /// The hosts that a key names.
    fn hosts(&self, table: &Table, key: &str) -> Result<Vec<usize>, Problem> {
        let stations: Vec<usize> = table.words(key).into_iter().flat_map(|name| self.scenario.resolve(name)).collect();
        match stations.iter().find(|&&at| self.layout.topology.stations[at] != StationKind::Host) {
            None => Ok(stations),
            Some(&at) => {
                let message = format!("`{}` is not a host", self.layout.name(at));
                Err(self.scenario.problem(table, key, message, Some("name a station of type = \"host\"".into())))
            }
        }
    }

    fn add(&mut self, plan: Declared<'s>) -> Result<(), Problem> {
        let Declared { table, from, to, number, .. } = plan;
        if from == to || plan.polled.contains(&from) {
            let message = format!("`{}` would send to itself", self.layout.name(from));
            return Err(self.scenario.problem(table, "to", message, None));
        }
        if number == 0 && self.names.contains(&plan.flow) {
            let message = format!("two flows are called `{}`", plan.flow);
            let help = "[probe] makes the flow `probe`, [background] makes `background-1` and so on".to_owned();
            return Err(self.scenario.problem(table, "name", message, Some(help)));
        }
        let connection = self.circuits.connect(self.scenario, &mut self.layout, (from, to), table, number)?;
        let mut polled = Vec::new();
        for &host in &plan.polled {
            let own = self.circuits.connect(self.scenario, &mut self.layout, (from, host), table, number)?;
            polled.push((host as u32, own));
        }
        let service = match plan.kind {
            Kind::Echo => Service::Echo(self.echo(table, plan.probed)?),
            Kind::Request => {
                let ends = |(own, host)| self.request_ends(own, [from, host]);
                let others = polled.iter().map(|&(host, own)| ends((own, host as usize)));
                let ends = std::iter::once(ends((connection, to))).chain(others).collect::<Result<_, _>>()?;
                Service::Request(request(table, plan.probed, ends))
            }
            Kind::Stream => Service::Stream(self.stream(table, plan.probed)?),
            Kind::Bulk => Service::Bulk(self.bulk(table, connection, [from, to])?),
            Kind::Voice => Service::Voice(self.call(table)?),
        };
        let dscp = table.optional_integer("dscp").unwrap_or_default() as u8;
        // the class selector of the code point (RFC 2474, 4.2.2)
        let class = table.optional_integer("pcp").map_or(dscp >> 3, |class| class as u8);
        // the streams of [background] are flows of their own, and one to a scenario's events
        let is_background = std::ptr::eq(table, self.scenario.table("background"));
        let called = if is_background { "background".to_owned() } else { plan.flow.clone() };
        let flow = self.names.iter().position(|name| *name == plan.flow).unwrap_or_else(|| {
            self.names.push(plan.flow);
            self.names.len() - 1
        });
        self.activities.push(Activity {
            flow: flow as u32,
            name: plan.name,
            from: from as u32,
            to: to as u32,
            connection,
            polled,
            start: table.duration("start"),
            start_spread: table.duration("start_spread"),
            class,
            dscp,
            service,
            silent: silent_at_first(self.scenario.events(), &called),
        });
        Ok(())
    }

    fn call(&self, table: &Table) -> Result<Call, Problem> {
        let Some(voice) = table.optional_table("voice") else {
            let help = "voice = { codec = \"g711\" }".to_owned();
            return Err(self.scenario.problem(table, "service", "a voice flow has no `voice`".to_owned(), Some(help)));
        };
        let call = calls::call(self.scenario, voice)?;
        self.fits(voice, "packet_time", call.octets)?;
        Ok(call)
    }

    /// A datagram has at most 65507 octets of user data, and hosts that do not fragment send none above their MTU.
    fn fits(&self, table: &Table, key: &str, size: u32) -> Result<(), Problem> {
        if size > LONGEST_DATAGRAM {
            let message =
                format!("{size} bytes do not fit a datagram, which has at most {LONGEST_DATAGRAM} of user data");
            let help = "service = \"request\" sends longer ones over TCP".to_owned();
            return Err(self.scenario.problem(table, key, message, Some(help)));
        }
        if let Some(mtu) = self.mtu
            && size + UDP_HEADERS > mtu
        {
            let message = format!("a datagram of {size} bytes and its headers exceed the MTU of {mtu} bytes");
            let help = "hosts on ATM do not fragment here; lower size, or raise lan.mtu".to_owned();
            return Err(self.scenario.problem(table, key, message, Some(help)));
        }
        Ok(())
    }

    fn echo(&self, table: &Table, probed: bool) -> Result<Echo, Problem> {
        let sizes = sizes(table).map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        let response = if table.has("response_size") { "response_size" } else { "size" };
        for (key, size) in ["size", response].into_iter().zip(sizes) {
            self.fits(table, key, size)?;
        }
        Ok(Echo { sizes, cycle: cycle(table, probed), timeout: table.duration("timeout") })
    }

    /// TCP parameters of client and server: programs that send a request and wait set TCP_NODELAY, whatever the host's `nagle`.
    fn request_ends(&self, connection: u32, ends: [usize; 2]) -> Result<[Arc<TcpSettings>; 2], Problem> {
        Ok(self.tcp(connection, ends)?.map(|settings| Arc::new(TcpSettings { nagle: false, ..settings })))
    }

    fn stream(&self, table: &Table, probed: bool) -> Result<Stream, Problem> {
        let size = table.number("size") as u32;
        self.fits(table, "size", size)?;
        let Some(table) = table.optional_table("arrivals") else {
            let help = "arrivals = { kind = \"periodic\", interval = \"20 ms\" }".to_owned();
            let message = "a stream has no `arrivals`".to_owned();
            return Err(self.scenario.problem(table, "service", message, Some(help)));
        };
        let arrivals = arrivals::arrivals(table).expect("a declared kind of arrivals");
        let (process, begin) = arrivals::process(table, &arrivals);
        Ok(Stream { size, arrivals: (process, begin.since(Time::ZERO)), probed })
    }

    fn bulk(&self, table: &Table, connection: u32, ends: [usize; 2]) -> Result<Bulk, Problem> {
        if table.word("connection") == "per-request" {
            let message = "a bulk transfer has no requests".to_owned();
            let help = "service = \"request\" has them; a transfer without end has \"handshake\" or \"established\"";
            return Err(self.scenario.problem(table, "connection", message, Some(help.to_owned())));
        }
        let [sender, receiver] = self.tcp(connection, ends)?.map(Arc::new);
        Ok(Bulk {
            write: table.number("write") as u64,
            handshake: table.word("connection") == "handshake",
            sender,
            receiver,
        })
    }

    /// TCP parameters of two hosts.
    fn tcp(&self, connection: u32, ends: [usize; 2]) -> Result<[TcpSettings; 2], Problem> {
        let mtu = self.mtu.unwrap_or_else(|| self.layout.path_mtu(connection));
        let [one, other] = ends.map(|host| {
            let tcp = self.members[host].station.table("tcp");
            let segment = tcp.optional_number("mss").map_or(mtu - TCP_HEADERS, |size| size as u32);
            if segment + TCP_HEADERS > mtu {
                let message = format!("a segment of {segment} bytes and its headers exceed the MTU of {mtu} bytes");
                let help = "lower mss, or leave it out".to_owned();
                return Err(self.scenario.problem(tcp, "mss", message, Some(help)));
            }
            Ok(tcp::settings(tcp, segment as u16))
        });
        Ok([one?, other?])
    }
}

/// Requests over TCP, with the parameters of the client and of each of its servers.
fn request(table: &Table, probed: bool, ends: Vec<[Arc<TcpSettings>; 2]>) -> Request {
    let opened = match table.word("connection") {
        "per-request" => Opened::PerRequest,
        "established" => Opened::Before,
        _ => Opened::Once,
    };
    Request { sizes: sizes(table), cycle: cycle(table, probed), opened, ends }
}

/// Whether each sender asks all receivers in turn.
fn is_poll(table: &Table) -> bool {
    table.has("poll") && table.flag("poll")
}

/// Octets of requests and of responses.
fn sizes(table: &Table) -> [u64; 2] {
    let request = table.number("size");
    [request, table.optional_number("response_size").unwrap_or(request)].map(|size| size as u64)
}

fn cycle(table: &Table, probed: bool) -> Cycle {
    let think = RandomTime::spread(table, "think", "think_spread");
    let interval = table.has("interval").then(|| RandomTime::spread(table, "interval", "interval_spread"));
    Cycle { think, interval, server: RandomTime::spread(table, "server_time", "server_time_spread"), probed }
}
