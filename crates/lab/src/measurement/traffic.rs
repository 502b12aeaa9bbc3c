//! The part of a scenario's traffic that two real hosts can carry: this host is the client, the peer is the server.

use sojourn_live::prober::plan::{Direction, Load, LoadTransport, TimedTest};
use sojourn_live::prober::schedule::Schedule;
use sojourn_scenario::{Problem, Problems, Scenario, Table};

/// Keys that give a thing its place in the topology, not its behaviour.
const OF_PLACE: [&str; 2] = ["name", "on"];
/// Keys of an echo that a measurement does not obey.
const OF_ECHO: [&str; 2] = ["start", "start_spread"];
/// Keys of a bulk transfer that a measurement does not obey.
const OF_BULK: [&str; 3] = ["write", "connection", "start_spread"];

/// The echo that is measured, and the bulk transfers that load the path.
#[derive(Debug)]
pub struct Traffic<'s> {
    scenario: &'s Scenario,
    /// `[probe]`, or the flow that stands for it.
    pub probe: &'s Table,
    /// `[background]`, where it has ends.
    pub background: Option<&'s Table>,
    /// Bulk transfers between the hosts of the probe, and their direction.
    pub bulk: Vec<(&'s Table, Direction)>,
    /// Flows that are left out, and why.
    pub left_out: Vec<(&'s Table, &'static str)>,
}

impl<'s> Traffic<'s> {
    /// The traffic of a checked scenario; an error where there is no probe, or more than one.
    pub fn of(scenario: &'s Scenario) -> Result<Traffic<'s>, Problems> {
        let probe = probe(scenario)?;
        if probe.optional_table("think").is_some() {
            let message = "a measurement thinks for a uniform time, and for no other distribution";
            let help = "a time for `think`, and `think_spread`".to_owned();
            return Err(scenario.problem(probe, "think", message, Some(help)).into());
        }
        let background = Some(scenario.table("background")).filter(|table| table.has("from"));
        let (mut bulk, mut left_out) = (Vec::new(), Vec::new());
        for flow in flows(scenario).filter(|flow| !std::ptr::eq(*flow, probe)) {
            let goes = |from, to| flow.words("from") == probe.words(from) && flow.words("to") == probe.words(to);
            match flow.word("service") {
                "echo" => left_out.push((flow, "an echo in addition to the probe")),
                _ if goes("from", "to") => bulk.push((flow, Direction::Up)),
                _ if goes("to", "from") => bulk.push((flow, Direction::Down)),
                _ => left_out.push((flow, "between other hosts than the probe")),
            }
        }
        Ok(Traffic { scenario, probe, background, bulk, left_out })
    }

    /// Fills a plan with it.
    pub fn describe(&self, plan: &mut TimedTest) {
        let probe = self.probe;
        plan.schedule = Schedule::PingPong { think: probe.duration("think"), spread: probe.duration("think_spread") };
        plan.sizes = vec![probe.integer("size") as u32];
        plan.timeout = probe.duration("timeout");
        let bulk =
            self.bulk.iter().map(|(flow, direction)| self.load(flow, flow.name().to_owned(), "from", *direction));
        plan.loads = self.streams().chain(bulk).collect();
    }

    /// The streams of the background, each under the name that a simulation gives it.
    fn streams(&self) -> impl Iterator<Item = Load> {
        self.background.into_iter().flat_map(move |table| {
            let stream = move |number| {
                let (sender, direction) = match table.word("direction") {
                    "forward" => ("from", Direction::Up),
                    "backward" => ("to", Direction::Down),
                    _ if number % 2 == 1 => ("from", Direction::Up),
                    _ => ("to", Direction::Down),
                };
                self.load(table, format!("background-{number}"), sender, direction)
            };
            (1..=table.integer("streams")).map(stream)
        })
    }

    /// One bulk transfer, whose sender a key of its table names.
    fn load(&self, table: &Table, name: String, sender: &str, direction: Direction) -> Load {
        let sender = self.station(table, sender);
        let congestion = sender.map(|sender| sender.table("tcp").word("congestion").to_owned());
        Load {
            name: Some(name),
            transport: LoadTransport::Tcp { congestion, pace: None },
            direction,
            streams: 1,
            dscp: 0,
            start: table.duration("start"),
            stop: None,
        }
    }

    /// The first station that a key names.
    fn station(&self, table: &Table, key: &str) -> Option<&'s Table> {
        let first = *table.words(key).first()?;
        let place = self.scenario.resolve(first).next()?;
        self.scenario.members().get(place).map(|member| member.station)
    }
}

/// `[probe]`, or the one flow that is a probed echo.
fn probe(scenario: &Scenario) -> Result<&Table, Problems> {
    let table = scenario.table("probe");
    if table.has("from") {
        return Ok(table);
    }
    let probed: Vec<&Table> =
        flows(scenario).filter(|flow| flow.word("service") == "echo" && flow.flag("probe")).collect();
    match probed[..] {
        [one] => Ok(one),
        [] => {
            let problem = Problem::plain("the scenario has no [probe] to measure");
            Err(problem
                .help("[probe] with from, to, size and think, or a [[flow]] of service echo with probe = true")
                .into())
        }
        [first, ..] => {
            let message = format!("the scenario has {} probed echoes, and a measurement has one", probed.len());
            Err(Problem::plain(message).help(format!("leave `probe` to one of them, as {}", first.name())).into())
        }
    }
}

fn flows(scenario: &Scenario) -> impl Iterator<Item = &Table> {
    scenario.list("flow").iter()
}

/// A list for a warning: keys written of the network, keys of the traffic without effect, and flows left out.
pub fn ignored(scenario: &Scenario, traffic: &Traffic<'_>) -> String {
    let of = |list: &str, table: &Table| format!("{list} {}", table.name());
    let mut parts: Vec<Option<String>> = Vec::new();
    for list in ["medium", "station"] {
        let behaviour = |key: &str| !OF_PLACE.contains(&key);
        parts.extend(scenario.list(list).iter().map(|table| written(of(list, table), table, behaviour)));
    }
    parts.push(written(traffic.probe.name().to_owned(), traffic.probe, |key| OF_ECHO.contains(&key)));
    for table in traffic.background.into_iter().chain(traffic.bulk.iter().map(|(table, _)| *table)) {
        parts.push(written(table.name().to_owned(), table, |key| OF_BULK.contains(&key)));
    }
    parts.extend(traffic.left_out.iter().map(|(table, why)| Some(format!("{} ({why})", of("flow", table)))));
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The keys of a table that were written and for which `meant` holds, after a title; `None` if there are none.
fn written(title: String, table: &Table, meant: impl Fn(&str) -> bool) -> Option<String> {
    let keys: Vec<&str> = table.written().map(|entry| entry.key.name).filter(|key| meant(key)).collect();
    (!keys.is_empty()).then(|| format!("{title}: {}", keys.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_catalogue::NETWORKS;
    use sojourn_core::Duration;
    use sojourn_scenario::check;

    const SITE: &str = r#"
[network]
kind = "ip"
[[medium]]
name = "link"
rate = "100 Mbit/s"
[[station]]
name = "a"
on = "link"
[[station]]
name = "b"
on = "link"
tcp = { congestion = "reno" }
[[station]]
name = "c"
on = "link"
[run]
duration = "1 s"
"#;

    fn scenario(traffic: &str) -> Scenario {
        check(&NETWORKS.kinds().parse("site", &format!("{SITE}{traffic}")).unwrap()).unwrap()
    }

    fn flow(name: &str, service: &str, from: &str, to: &str, more: &str) -> String {
        format!("[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\nservice = \"{service}\"\n{more}\n")
    }

    fn plan(traffic: &str) -> TimedTest {
        let mut plan = TimedTest::new(Schedule::Periodic { interval: Duration::from_secs(1) }, 1, Vec::new());
        Traffic::of(&scenario(traffic)).unwrap().describe(&mut plan);
        plan
    }

    fn loads(plan: &TimedTest) -> Vec<(String, Direction, Option<String>)> {
        let of = |load: &Load| {
            let LoadTransport::Tcp { congestion, .. } = &load.transport else { panic!("bulk goes over TCP") };
            (load.name.clone().unwrap(), load.direction, congestion.clone())
        };
        plan.loads.iter().map(of).collect()
    }

    const PROBE: &str = "[probe]\nfrom = \"a\"\nto = \"b\"\nthink = \"2 ms\"\nthink_spread = \"3 ms\"\n";

    #[test]
    fn a_closed_loop_pauses_as_the_scenario_says() {
        let [think, spread] = [2, 3].map(Duration::from_millis);
        assert_eq!(plan(PROBE).schedule, Schedule::PingPong { think, spread });
    }

    #[test]
    fn every_stream_has_the_name_of_its_simulation_and_the_congestion_control_of_its_sender() {
        let background = "[background]\nfrom = \"a\"\nto = \"b\"\nstreams = 3\ndirection = \"alternating\"\n";
        let upload = flow("upload", "bulk", "a", "b", "start = \"1 s\"");
        let plan = plan(&[PROBE, background, &upload, &flow("download", "bulk", "b", "a", "")].concat());
        let of = |name: &str, direction, congestion: &str| (name.to_owned(), direction, Some(congestion.to_owned()));
        let expected = [
            of("background-1", Direction::Up, "cubic"),
            of("background-2", Direction::Down, "reno"),
            of("background-3", Direction::Up, "cubic"),
            of("upload", Direction::Up, "cubic"),
            of("download", Direction::Down, "reno"),
        ];
        assert_eq!(loads(&plan), expected);
        assert_eq!(plan.loads[3].start, Duration::from_secs(1));
    }

    #[test]
    fn a_probed_echo_stands_for_the_probe_and_two_are_one_too_many() {
        let echo = |name| flow(name, "echo", "a", "b", "probe = true\nsize = \"100 B\"");
        assert_eq!(plan(&echo("ask")).sizes, [100]);
        let mistake = |traffic: &str| Traffic::of(&scenario(traffic)).unwrap_err().0[0].message.clone();
        assert!(mistake(&[echo("ask"), echo("again")].concat()).contains("2 probed echoes"));
        assert!(mistake(&flow("upload", "bulk", "a", "b", "")).contains("no [probe]"));
    }

    #[test]
    fn what_real_hosts_do_not_heed_is_named_but_not_where_things_are() {
        let traffic = [
            PROBE,
            "start = \"5 ms\"\n",
            &flow("upload", "bulk", "a", "b", "write = \"1 KiB\""),
            &flow("aside", "bulk", "a", "c", ""),
            &flow("second", "echo", "a", "b", ""),
        ]
        .concat();
        let scenario = scenario(&traffic);
        let words = ignored(&scenario, &Traffic::of(&scenario).unwrap());
        let expected = "medium link: rate; station b: tcp; probe: start; upload: write; \
                        flow aside (between other hosts than the probe); flow second (an echo in addition to the probe)";
        assert_eq!(words, expected);
    }
}
