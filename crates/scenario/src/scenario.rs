//! A checked scenario in full form: every key has a value and an origin.

use std::collections::BTreeMap;
use std::ops::Range;

use sojourn_core::Duration;

use crate::design_option::DesignOption;
use crate::event::Event;
use crate::expect::Expectation;
use crate::keys::{Kind, NetworkKeys, ObeyedBy, Shape, TableKeys};
use crate::problem::Problem;
pub use crate::table::{Entry, Origin, Resolved, Table};

/// A checked scenario in full form.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is, in a few words.
    pub title: String,
    /// The word of `kind = "..."`.
    pub kind: &'static str,
    pub(crate) keys: &'static NetworkKeys,
    pub(crate) one: BTreeMap<&'static str, Table>,
    pub(crate) many: BTreeMap<&'static str, Vec<Table>>,
    pub(crate) run: RunSettings,
    pub(crate) expectations: Vec<Expectation>,
    pub(crate) events: Vec<Event>,
    pub(crate) options: Vec<DesignOption>,
    /// Where each station's members begin, and how many they are.
    pub(crate) members: BTreeMap<String, (usize, u32)>,
}

/// How long, how often, with which random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSettings {
    /// What each replication observes, after the warm-up.
    pub duration: Duration,
    /// What each replication runs before it observes.
    pub warm_up: WarmUp,
    /// Number of independent runs.
    pub replications: u32,
    /// Chooses the random numbers.
    pub seed: u64,
}

/// How long a replication runs before it observes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// A time that the user sets.
    Fixed(Duration),
    /// MSER-5 on the first replication.
    Auto,
}

/// One member of a station with `count`.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// `sensor-7`, or `controller` where there is only one.
    pub name: String,
    /// The keys of this member.
    pub station: &'a Table,
    /// Which declaration it comes from, counted from 0.
    pub index: usize,
    /// Its number among the members of its station, from 1.
    pub number: usize,
}

impl Scenario {
    /// A table that appears once: `network`, `run`, one of the network's own. Panics on an undeclared name.
    pub fn table(&self, name: &str) -> &Table {
        self.one.get(name).unwrap_or_else(|| panic!("no table [{name}] is declared for {}", self.kind))
    }

    /// The tables of a list: `medium`, `station`, `flow`. Panics on an undeclared name.
    pub fn list(&self, name: &str) -> &[Table] {
        self.many.get(name).unwrap_or_else(|| panic!("no list [[{name}]] is declared for {}", self.kind))
    }

    /// The tables of a name, however often it appears; none where it does not.
    pub fn tables(&self, name: &str) -> impl Iterator<Item = &Table> {
        self.one.get(name).into_iter().chain(self.many.get(name).into_iter().flatten())
    }

    /// The tables of a list, to complete them by rules; none where there is none.
    pub fn list_mut(&mut self, name: &str) -> &mut [Table] {
        self.many.get_mut(name).map(Vec::as_mut_slice).unwrap_or_default()
    }

    /// The stations with `count` unrolled, in the order of their declaration.
    pub fn members(&self) -> Vec<Member<'_>> {
        let mut members = Vec::new();
        for (index, station) in self.list("station").iter().enumerate() {
            for number in 1..=station.count() {
                let name = station.member_name(number);
                let station = station.exceptions.get(&number).unwrap_or(station);
                members.push(Member { name, station, index, number: number as usize });
            }
        }
        members
    }

    /// The members a name stands for: one, or all of a station with `count`; none when the name is unknown.
    pub fn resolve(&self, name: &str) -> Range<usize> {
        if let Some((start, count)) = self.members.get(name) {
            return *start..*start + *count as usize;
        }
        self.member_number(name).map_or(0..0, |at| at..at + 1)
    }

    /// How many members some names stand for together.
    pub fn resolve_all(&self, names: Vec<&str>) -> usize {
        names.into_iter().map(|name| self.resolve(name).len()).sum()
    }

    /// The members a flow's message from `sender` is for, without the sender itself.
    pub fn receivers(&self, flow: &Table, sender: usize) -> Vec<usize> {
        let mut receivers: Vec<usize> = Vec::new();
        for name in flow.words("to") {
            match name {
                "partner" => receivers.extend(self.partner(sender)),
                "everyone" => receivers.extend(0..self.members.values().map(|(_, count)| *count as usize).sum()),
                name => receivers.extend(self.resolve(name)),
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        receivers.retain(|receiver| *receiver != sender && seen.insert(*receiver));
        receivers
    }

    /// Whether it describes a measurement and no network: there are no stations to simulate.
    pub fn is_measurement(&self) -> bool {
        self.many.get("station").is_some_and(Vec::is_empty)
    }

    /// Whether it describes a measurement, alone or beside the network that it simulates.
    pub fn is_measured(&self) -> bool {
        let live = |name: &str| self.keys.table(name).is_some_and(TableKeys::is_live);
        let one = self.one.iter().any(|(name, table)| live(name) && table.place.is_some());
        one || self.many.iter().any(|(name, list)| live(name) && !list.is_empty())
    }

    /// How to have response times sampled, where nothing does: no flow has `probe = true`, `[probe]` has no ends. A network
    /// without either key, and a measurement, always samples.
    pub fn missing_probe(&self) -> Option<&'static str> {
        let declares = |table: &str, key: &str| {
            self.keys.table(table).is_some_and(|keys| keys.shape != Shape::Shorthand && keys.find(key).is_some())
        };
        let (by_table, by_flow) = (declares("probe", "from"), declares("flow", "probe"));
        let probed = by_table && self.table("probe").has("from")
            || self.has_sessions()
            || by_flow && self.list("flow").iter().any(|flow| flow.flag("probe"));
        match (by_table, by_flow) {
            _ if probed || self.is_measurement() => None,
            (_, true) => Some("write `probe = true` in the flow to sample"),
            (true, false) => Some("add [probe] with `from` and `to`"),
            (false, false) => None,
        }
    }

    /// Which of requests, of streams and of calls its probed flows are; none where flows do not differ so.
    pub fn probed_services(&self) -> Option<[bool; 3]> {
        let words = self.keys.table("flow")?.find("service")?.words();
        let differ = ["echo", "stream"].iter().all(|service| words.iter().any(|word| word.word == *service));
        let flows = self.many.get("flow").filter(|_| differ)?;
        let has = |services: &[&str], unasked: bool| {
            let of_kind = |flow: &&Table| flow.optional_word("service").is_some_and(|word| services.contains(&word));
            flows.iter().filter(of_kind).any(|flow| unasked || flow.flag("probe"))
        };
        Some([has(&["echo", "request"], false), has(&["stream"], false), has(&["voice"], true)])
    }

    /// Whether a flow has sessions, whose exchanges are sampled.
    fn has_sessions(&self) -> bool {
        self.many.get("flow").into_iter().flatten().any(|flow| flow.optional_word("service") == Some("session"))
    }

    /// Every key that only real networks obey and that is changed from its default: its path, or the name of its list
    /// (`measure.rate`, `load`).
    pub fn changed_live(&self) -> Vec<(String, &Entry)> {
        let one = self.one.iter().flat_map(|(name, table)| {
            changed_live(table).map(move |entry| (format!("{name}.{}", entry.key.name), entry))
        });
        let many = self
            .many
            .iter()
            .flat_map(|(name, list)| list.iter().flat_map(changed_live).map(move |entry| ((*name).to_owned(), entry)));
        one.chain(many).collect()
    }

    /// Duration, warm-up, replications and seed.
    pub fn run(&self) -> &RunSettings {
        &self.run
    }

    /// The conditions of `[expect]`.
    pub fn expectations(&self) -> &[Expectation] {
        &self.expectations
    }

    /// The events of `[[event]]`, in their order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The table of a flow: of `[[flow]]`, or one that stands once and makes flows, as `[probe]` where it has ends.
    pub fn flow_named(&self, name: &str) -> Option<&Table> {
        let listed = self.many.get("flow").into_iter().flatten().find(|flow| flow.name == name);
        let made = || {
            let declared = self.keys.table(name).filter(|declared| declared.shape == Shape::One)?;
            let is_flow = declared.find("from").is_some_and(|key| matches!(key.kind, Kind::Names(..)));
            self.one.get(name).filter(|table| is_flow && table.has("from"))
        };
        listed.or_else(made)
    }

    /// A mistake found later, with its caret on the value of `key`.
    pub fn problem(&self, table: &Table, key: &str, message: impl Into<String>, help: Option<String>) -> Problem {
        Problem::at(table.place_of(key), message).maybe_help(help)
    }

    /// The other one of the sender's pair.
    fn partner(&self, sender: usize) -> Option<usize> {
        let (start, count) =
            self.members.values().find(|(start, count)| (*start..*start + *count as usize).contains(&sender))?;
        let partner = start + ((sender - start) ^ 1);
        (partner < start + *count as usize).then_some(partner)
    }

    fn member_number(&self, name: &str) -> Option<usize> {
        let (base, number) = name.rsplit_once('-')?;
        let (start, count) = self.members.get(base)?;
        let number = number.parse::<u32>().ok().filter(|n| number == n.to_string())?;
        (*count > 1 && (1..=*count).contains(&number)).then(|| start + number as usize - 1)
    }
}

fn changed_live(table: &Table) -> impl Iterator<Item = &Entry> {
    table.changed().filter(|entry| entry.key.world == ObeyedBy::Live)
}
