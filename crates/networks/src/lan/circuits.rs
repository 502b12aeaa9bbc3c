//! Connections between hosts: a circuit for two hosts or for a flow, its service, and its number.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_scenario::{Problem, Scenario, Table};

use super::layout::Layout;
use super::topology::Category;

/// The first number that is given to a circuit whose flow does not say one.
const FIRST_CHANNEL: u16 = 100;

/// The circuits of a LAN.
pub struct Circuits {
    /// Whether flows between the same hosts share one.
    shared: bool,
    /// The service of those whose flows do not say.
    category: Category,
    /// By the hosts, the first connection.
    between: BTreeMap<(usize, usize), u32>,
    /// By pair of connections what flows want of them.
    wishes: Vec<Wish>,
}

/// What flows want of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wish {
    category: Category,
    channel: Option<u16>,
}

impl Circuits {
    /// No circuits yet.
    pub fn new(shared: bool, category: Category) -> Self {
        Circuits { shared, category, between: BTreeMap::new(), wishes: Vec::new() }
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
        let wish = self.wish(scenario, flow, number)?;
        let back = (to, from);
        let known = self.between.get(&(from, to)).copied().or_else(|| self.between.get(&back).map(|there| there ^ 1));
        if let Some(connection) = known.filter(|_| self.shared) {
            let earlier = &mut self.wishes[connection as usize / 2];
            let agreed = earlier.category == wish.category
                && (earlier.channel == wish.channel || earlier.channel.is_none() || wish.channel.is_none());
            if !agreed {
                let message = "flows between the same hosts share a circuit, and want different things of it";
                let help = "give them the same service_category and virtual_channel, or lan.circuits = \"per-flow\"";
                return Err(scenario.problem(flow, key_of(flow), message, Some(help.to_owned())));
            }
            earlier.channel = earlier.channel.or(wish.channel);
            return Ok(connection);
        }
        let ends = |at: usize| layout.name(at).to_owned();
        let route = layout.route(from, to).ok_or_else(|| {
            let message = format!("there is no way from `{}` to `{}`", ends(from), ends(to));
            let help = "hosts and switches are linked by the media that they are `on`".to_owned();
            scenario.problem(flow, "to", message, Some(help))
        })?;
        let connection = layout.connect(route);
        self.between.insert((from, to), connection);
        self.wishes.push(wish);
        Ok(connection)
    }

    /// The service of each connection.
    pub fn categories(&self) -> Vec<Category> {
        self.wishes.iter().flat_map(|wish| [wish.category; 2]).collect()
    }

    /// The number of each connection's circuit: as wished, or free. Two circuits over one link have two numbers.
    pub fn channels(&self, layout: &Layout<'_>) -> Result<Vec<u16>, String> {
        let mut by_number: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
        for (pair, channel) in self.wishes.iter().enumerate().filter_map(|(pair, wish)| Some((pair, wish.channel?))) {
            let others = by_number.entry(channel).or_default();
            if let Some(other) = others.iter().find(|&&other| layout.share_a_link(other, pair)) {
                let [one, two] = [*other, pair].map(|pair| layout.ends_of(pair));
                return Err(format!("the circuits {one} and {two} have the number {channel} on the same link"));
            }
            others.push(pair);
        }
        let taken: BTreeSet<u16> = by_number.into_keys().collect();
        let mut free = (FIRST_CHANNEL..=u16::MAX).filter(|number| !taken.contains(number));
        let mut channels = Vec::new();
        for wish in &self.wishes {
            let channel =
                wish.channel.or_else(|| free.next()).ok_or("there are more circuits than numbers for them")?;
            channels.extend([channel; 2]);
        }
        Ok(channels)
    }

    fn wish(&self, scenario: &Scenario, flow: &Table, number: usize) -> Result<Wish, Problem> {
        let category = match flow.optional_word("service_category") {
            Some("ubr") => Category::Unspecified,
            Some(_) => Category::Available,
            None => self.category,
        };
        let first = flow.optional_integer("virtual_channel");
        let channel = first.map(|first| u16::try_from(first + number as u64)).transpose().map_err(|_| {
            let message = "numbers of circuits end at 65 535, and the flow has more of them";
            scenario.problem(flow, "virtual_channel", message, None)
        })?;
        Ok(Wish { category, channel })
    }
}

/// The key that an objection to a flow's circuit points to.
fn key_of(flow: &Table) -> &'static str {
    if flow.has("virtual_channel") { "virtual_channel" } else { "service_category" }
}
