//! Virtual circuits between hosts: one per pair of hosts or per flow, with a service category and a VCI.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_scenario::{Problem, Scenario, Table};

use super::layout::Layout;
use super::topology::Category;

/// The first VCI assigned to circuits whose flows do not set one.
const FIRST_CHANNEL: u16 = 100;

/// The circuits of a LAN.
pub struct Circuits {
    /// Whether flows between the same hosts share one.
    shared: bool,
    /// The service of those whose flows do not say.
    category: Category,
    /// By the hosts, the first connection.
    between: BTreeMap<(usize, usize), u32>,
    /// By pair of connections what flows require of them.
    requirements: Vec<Requirement>,
}

/// What flows require of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Requirement {
    category: Category,
    channel: Option<u16>,
}

impl Circuits {
    /// Without circuits; connections add them. `shared`: flows between two hosts share one.
    pub fn new(shared: bool, category: Category) -> Self {
        Circuits { shared, category, between: BTreeMap::new(), requirements: Vec::new() }
    }

    /// The connection from one host to another for a flow with keys `flow`, the `number`th of that flow.
    pub fn connect(
        &mut self,
        scenario: &Scenario,
        layout: &mut Layout<'_>,
        (from, to): (usize, usize),
        flow: &Table,
        number: usize,
    ) -> Result<u32, Problem> {
        let requirement = self.requirement(scenario, flow, number)?;
        let back = (to, from);
        let known = self.between.get(&(from, to)).copied().or_else(|| self.between.get(&back).map(|there| there ^ 1));
        if let Some(connection) = known.filter(|_| self.shared) {
            let earlier = &mut self.requirements[connection as usize / 2];
            let agreed = earlier.category == requirement.category
                && (earlier.channel == requirement.channel
                    || earlier.channel.is_none()
                    || requirement.channel.is_none());
            if !agreed {
                let message =
                    "flows between the same hosts share a virtual circuit but set different parameters for it";
                let help = "set the same service_category and vci for them, or lan.circuits = \"per-flow\"";
                return Err(scenario.problem(flow, key_of(flow), message, Some(help.to_owned())));
            }
            earlier.channel = earlier.channel.or(requirement.channel);
            return Ok(connection);
        }
        let ends = |at: usize| layout.name(at).to_owned();
        let route = layout.route(from, to).ok_or_else(|| {
            let message = format!("no path from `{}` to `{}`", ends(from), ends(to));
            let help = "stations are linked by the media that they are `on`".to_owned();
            scenario.problem(flow, "to", message, Some(help))
        })?;
        let connection = layout.connect(route);
        self.between.insert((from, to), connection);
        self.requirements.push(requirement);
        Ok(connection)
    }

    /// The service of each connection.
    pub fn categories(&self) -> Vec<Category> {
        self.requirements.iter().flat_map(|requirement| [requirement.category; 2]).collect()
    }

    /// The number of each connection's circuit: as requiremented, or free. Two circuits over one link have two numbers.
    pub fn channels(&self, layout: &Layout<'_>) -> Result<Vec<u16>, String> {
        let mut by_number: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
        for (pair, channel) in
            self.requirements.iter().enumerate().filter_map(|(pair, requirement)| Some((pair, requirement.channel?)))
        {
            let others = by_number.entry(channel).or_default();
            if let Some(other) = others.iter().find(|&&other| layout.share_a_link(other, pair)) {
                let [one, two] = [*other, pair].map(|pair| layout.ends_of(pair));
                return Err(format!("the virtual circuits {one} and {two} have the same VCI {channel} on a link"));
            }
            others.push(pair);
        }
        let taken: BTreeSet<u16> = by_number.into_keys().collect();
        let mut free = (FIRST_CHANNEL..=u16::MAX).filter(|number| !taken.contains(number));
        let mut channels = Vec::new();
        for requirement in &self.requirements {
            let channel =
                requirement.channel.or_else(|| free.next()).ok_or("there are more virtual circuits than VCIs")?;
            channels.extend([channel; 2]);
        }
        Ok(channels)
    }

    fn requirement(&self, scenario: &Scenario, flow: &Table, number: usize) -> Result<Requirement, Problem> {
        let category = match flow.optional_word("service_category") {
            Some("ubr") => Category::Unspecified,
            Some(_) => Category::Available,
            None => self.category,
        };
        let first = flow.optional_integer("vci");
        let channel = first.map(|first| u16::try_from(first + number as u64)).transpose().map_err(|_| {
            let message = "the flow needs VCIs above 65 535";
            scenario.problem(flow, "vci", message, None)
        })?;
        Ok(Requirement { category, channel })
    }
}

/// The key that an error about a flow's circuit points to.
fn key_of(flow: &Table) -> &'static str {
    if flow.has("vci") { "vci" } else { "service_category" }
}
