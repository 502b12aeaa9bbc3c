//! Paths of the probe and of flows: their stations, and the links to set up.

use sojourn_protocols::ax25::machine::LinkKey;
use sojourn_protocols::ax25::wire::{Address, DIGIPEATER_LIMIT, Digipeaters};
use sojourn_scenario::{Member, Problem, Scenario, Table};

use super::layout::Layout;
use super::site::Path;

/// The destination address of broadcast flows.
const BROADCAST: &str = "QST";

/// Resolves paths, or reports why there is none.
pub struct Routes<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// Its stations.
    pub members: &'s [Member<'s>],
    /// Their media, ports and callsigns.
    pub layout: &'s Layout,
}

impl Routes<'_> {
    /// Resolves a table's `path` between two stations.
    pub fn path(&self, table: &Table, from: usize, to: usize) -> Result<Path, Problem> {
        if self.names_alias(table) {
            let help = "name the digipeaters, or write service = \"unnumbered\"".to_owned();
            let message = "the frames of a link take one path, and an alias is of any digipeater that has it";
            return Err(self.scenario.problem(table, "path", message, Some(help)));
        }
        let by: Vec<usize> = hops(table).flat_map(|name| self.scenario.resolve(name)).collect();
        match by.first().map(|first| self.kind(*first)) {
            None | Some("digipeater") => self.digipeaters(table, from, &by, to),
            Some("node") => self.nodes(table, from, &by, to),
            Some("switch") => self.switches(table, from, &by, to),
            Some(other) => {
                let name = &self.members[by[0]].name;
                let message = format!("`{name}` is a {other}, which does not forward");
                let help = "a path consists of digipeaters, of nodes, or of switches".to_owned();
                Err(self.scenario.problem(table, "path", message, Some(help)))
            }
        }
    }

    /// Whether a table's `path` names an address that stations share.
    pub fn names_alias(&self, table: &Table) -> bool {
        hops(table).any(|name| self.scenario.resolve(name).is_empty())
    }

    /// The port and the addresses of frames that each digipeater with the address of a hop repeats, to a station or to all.
    pub fn flood(&self, table: &Table, from: usize, to: Option<usize>) -> Result<(u32, LinkKey), Problem> {
        let (mut port, mut addresses, mut reached) = (None, Vec::new(), vec![from]);
        for name in hops(table) {
            for (address, stations) in self.repeaters(name) {
                if let Some(other) = stations.iter().find(|station| self.kind(**station) != "digipeater") {
                    return Err(self.mixed(table, *other));
                }
                let is_heard =
                    |station: &usize| reached.iter().any(|from| self.layout.port_to(*from, *station).is_some());
                let next: Vec<usize> = stations.into_iter().filter(is_heard).collect();
                let Some(first) = next.first() else {
                    let message =
                        format!("no digipeater `{name}` hears the station before it on the path, and is heard by it");
                    return Err(self.scenario.problem(table, "path", message, None));
                };
                port = port.or(self.layout.port_to(from, *first));
                addresses.push(address);
                reached = next;
            }
        }
        if let Some(to) = to
            && !reached.iter().any(|last| self.layout.port_to(*last, to).is_some())
        {
            return Err(self.hidden(table, reached[0], to));
        }
        let digipeaters = self.digipeater_list(table, &addresses)?;
        let own = self.layout.addresses[from];
        let peer =
            to.map_or_else(|| Address::new(BROADCAST, 0).expect("a word of letters"), |to| self.layout.addresses[to]);
        Ok((port.unwrap_or(0), LinkKey { own, peer, digipeaters }))
    }

    /// The hops that a name on a path stands for: an alias with all stations that have it, or stations one after the other.
    fn repeaters(&self, name: &str) -> Vec<(Address, Vec<usize>)> {
        let stations = self.scenario.resolve(name);
        if !stations.is_empty() {
            return stations.into_iter().map(|station| (self.layout.addresses[station], vec![station])).collect();
        }
        let alias: Address = name.parse().expect("a checked alias");
        let having = (0..).zip(&self.layout.aliases).filter(|(_, aliases)| aliases.contains(&alias));
        vec![(alias, having.map(|(station, _)| station).collect())]
    }

    /// The port and the key of a link through digipeaters.
    pub fn link(&self, table: &Table, from: usize, by: &[usize], to: usize) -> Result<(u32, LinkKey), Problem> {
        let hops: Vec<usize> = [&[from], by, &[to]].concat();
        for pair in hops.windows(2) {
            if self.layout.port_to(pair[0], pair[1]).is_none() {
                return Err(self.hidden(table, pair[0], pair[1]));
            }
        }
        self.fits(from, to)?;
        let port = self.layout.port_to(hops[0], hops[1]).expect("each hears the next");
        let addresses: Vec<Address> = by.iter().map(|station| self.layout.addresses[*station]).collect();
        let digipeaters = self.digipeater_list(table, &addresses)?;
        let (own, peer) = (self.layout.addresses[from], self.layout.addresses[to]);
        Ok((port, LinkKey { own, peer, digipeaters }))
    }

    fn digipeater_list(&self, table: &Table, addresses: &[Address]) -> Result<Digipeaters, Problem> {
        Digipeaters::new(addresses).map_err(|error| {
            let help = format!("a frame lists at most {DIGIPEATER_LIMIT} digipeaters");
            self.scenario.problem(table, "path", error.to_string(), Some(help))
        })
    }

    /// The other end of a terminal's link must accept its packets (paclen, N1).
    fn fits(&self, from: usize, to: usize) -> Result<(), Problem> {
        for (sender, receiver) in [(from, to), (to, from)] {
            let (sender, receiver) = (&self.members[sender], &self.members[receiver]);
            let (paclen, limit) = (sender.station.number("paclen"), receiver.station.number("receive_limit"));
            if self.kind_of(sender) == "terminal" && paclen > limit {
                let message = format!(
                    "paclen {paclen} of `{}` exceeds the {limit} bytes that `{}` accepts",
                    sender.name, receiver.name
                );
                let help = "lower paclen, or raise the other station's receive_limit (N1)".to_owned();
                return Err(self.scenario.problem(sender.station, "paclen", message, Some(help)));
            }
        }
        Ok(())
    }

    fn digipeaters(&self, table: &Table, from: usize, by: &[usize], to: usize) -> Result<Path, Problem> {
        if let Some(other) = by.iter().find(|station| self.kind(**station) != "digipeater") {
            return Err(self.mixed(table, *other));
        }
        let (port, key) = self.link(table, from, by, to)?;
        Ok(Path { port, key, commands: Vec::new() })
    }

    /// The user connects to the first node, from there to the last, and from there to the other terminal.
    fn nodes(&self, table: &Table, from: usize, by: &[usize], to: usize) -> Result<Path, Problem> {
        let (first, last) = self.ends(table, by, "node")?;
        let (port, key) = self.link(table, from, &[], first)?;
        self.link(table, last, &[], to)?;
        let mut commands = Vec::new();
        if first != last {
            commands.push(format!("C {}", self.layout.addresses[last]));
        }
        commands.push(format!("C {}", self.layout.addresses[to]));
        Ok(Path { port, key, commands })
    }

    /// The user connects to the other terminal with two digipeater fields: the first switch, and the last one's address.
    fn switches(&self, table: &Table, from: usize, by: &[usize], to: usize) -> Result<Path, Problem> {
        let (first, last) = self.ends(table, by, "switch")?;
        let (port, _) = self.link(table, from, &[], first)?;
        self.link(table, last, &[], to)?;
        let station = self.members[last].station;
        let exit = exit_address(station.table("rose").word("address")).ok_or_else(|| {
            let help = "ten digits: DNIC (4), area code (3), exchange (3)".to_owned();
            self.scenario.problem(station, "rose", "the switch has no network address", Some(help))
        })?;
        let by = [self.layout.addresses[first], exit];
        let digipeaters = Digipeaters::new(&by).expect("two are within the limit");
        let (own, peer) = (self.layout.addresses[from], self.layout.addresses[to]);
        // no command is sent to a switch, but its call progress text is awaited
        let commands = vec![String::new()];
        Ok(Path { port, key: LinkKey { own, peer, digipeaters }, commands })
    }

    /// The first and the last station of a path, all of one type.
    fn ends(&self, table: &Table, by: &[usize], kind: &str) -> Result<(usize, usize), Problem> {
        if let Some(other) = by.iter().find(|station| self.kind(**station) != kind) {
            return Err(self.mixed(table, *other));
        }
        match by {
            [only] => Ok((*only, *only)),
            [first, last] => Ok((*first, *last)),
            _ => {
                let message = format!("a path lists the first and the last {kind}, but this one lists {}", by.len());
                let help = format!("the {kind}s between are found by routing");
                Err(self.scenario.problem(table, "path", message, Some(help)))
            }
        }
    }

    fn mixed(&self, table: &Table, other: usize) -> Problem {
        let member = &self.members[other];
        let message = format!("`{}` is a {}, but the path starts with another type", member.name, self.kind(other));
        let help = "a path consists of digipeaters, of nodes, or of switches".to_owned();
        self.scenario.problem(table, "path", message, Some(help))
    }

    /// The problem of two stations on a path that do not hear each other.
    fn hidden(&self, table: &Table, one: usize, other: usize) -> Problem {
        let (one_name, other_name) = (&self.members[one].name, &self.members[other].name);
        let message = format!("`{one_name}` and `{other_name}` do not hear each other");
        let help = match self.layout.share_a_medium(one, other) {
            true => "let each hear the other, or route `path` through stations that both hear".to_owned(),
            false => "they share no medium: route `path` through stations between them".to_owned(),
        };
        self.scenario.problem(table, "path", message, Some(help))
    }

    fn kind(&self, station: usize) -> &str {
        self.kind_of(&self.members[station])
    }

    fn kind_of<'m>(&self, member: &'m Member<'_>) -> &'m str {
        member.station.word("type")
    }
}

/// The names on a table's `path`.
fn hops(table: &Table) -> impl Iterator<Item = &str> {
    table.words("path").into_iter().filter(|name| *name != "direct")
}

/// A switch's network address as a digipeater field: its last six digits.
fn exit_address(network_address: &str) -> Option<Address> {
    let digits = network_address.len() == 10 && network_address.bytes().all(|byte| byte.is_ascii_digit());
    if digits { Address::new(&network_address[4..], 0).ok() } else { None }
}
