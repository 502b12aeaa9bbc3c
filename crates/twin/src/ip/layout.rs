//! Places hosts on the two sides of a bottleneck, and infers the delay of each to it.
//!
//! One capture point usually sees traffic that shares a path: all flows cross one link between two routers, and the
//! hosts that initiate flows are on one side. Delay of a path beyond that of the pair with the shortest path is
//! placed between its hosts and the routers.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use super::flows::Flows;
use super::path::{Known, Line, Path};
use super::survey::Survey;

/// Differences of delays that do not count: a share of the shortest path, and at least so much, s.
const SAME: f64 = 0.05;
pub(super) const SAME_AT_LEAST: f64 = 50e-6;

/// Hosts at the same distance from their router.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub hosts: Vec<IpAddr>,
    /// Beyond the path of the nearest hosts, s.
    pub delay: f64,
}

/// The two sides.
#[derive(Debug)]
pub(super) struct Layout {
    /// Delay of the nearest pair in one direction, s.
    pub delay: f64,
    pub paths: Vec<Path>,
    /// The left side, where most flows begin, and the right one.
    pub sides: [Vec<Access>; 2],
}

/// Puts the hosts of flows on two sides, and leaves out flows within a side. The hosts that begin flows are on the left, but for
/// programs whose messages follow data of transfers in the other direction.
pub(super) fn sides(survey: &Survey, flows: &mut Flows<'_>) -> BTreeMap<IpAddr, usize> {
    let mut neighbours: BTreeMap<IpAddr, Vec<IpAddr>> = BTreeMap::new();
    let pairs: Vec<(IpAddr, IpAddr)> = flows.pairs().collect();
    for (client, server) in &pairs {
        neighbours.entry(*client).or_default().push(*server);
        neighbours.entry(*server).or_default().push(*client);
    }
    let mut sides: BTreeMap<IpAddr, usize> = BTreeMap::new();
    for (client, server) in pairs {
        if sides.contains_key(&client) {
            continue;
        }
        let own = flows.echoes.iter().map(|echo| echo.key).find(|key| (key.client, key.server) == (client, server));
        let shown = own.and_then(|key| survey.following.client_side(key, &sides));
        let mut next = VecDeque::from([(client, shown.unwrap_or(0))]);
        while let Some((host, side)) = next.pop_front() {
            if sides.contains_key(&host) {
                continue;
            }
            sides.insert(host, side);
            next.extend(neighbours[&host].iter().map(|neighbour| (*neighbour, 1 - side)));
        }
    }
    flows.retain(|client, server| sides[&client] != sides[&server]);
    let used: Vec<IpAddr> = flows.pairs().flat_map(|(client, server)| [client, server]).collect();
    sides.retain(|host, _| used.contains(host));
    sides
}

impl Layout {
    /// The hosts of flows on both sides, and their distances over `line`.
    ///
    /// Transfers keep packets `waiting` on average, s.
    pub fn new(
        survey: &Survey,
        flows: &Flows<'_>,
        sides: &BTreeMap<IpAddr, usize>,
        line: Line,
        waiting: f64,
    ) -> Layout {
        let mut paths: BTreeMap<(IpAddr, IpAddr), Path> = BTreeMap::new();
        for (client, server) in flows.pairs() {
            let (left, right) = if sides[&client] == 0 { (client, server) } else { (server, client) };
            paths.entry((left, right)).or_insert_with(|| Path::new(survey, sides, [left, right], line));
        }
        let mut paths: Vec<Path> = paths.into_values().collect();
        shorten_busy(&mut paths, waiting);
        let known = |path: &&Path| path.known != Known::Nothing;
        let delay = paths.iter().filter(known).map(|path| path.delay).reduce(f64::min).unwrap_or(0.0);
        let beyond = |host: IpAddr, less: &dyn Fn(&Path) -> f64| {
            let own = paths.iter().filter(known).filter(|path| path.left == host || path.right == host);
            own.map(|path| path.delay - delay - less(path)).reduce(f64::min).unwrap_or(0.0).max(0.0)
        };
        let hosts = |side: usize| sides.iter().filter(move |(_, of)| **of == side).map(|(host, _)| *host);
        let right: BTreeMap<IpAddr, f64> = hosts(1).map(|host| (host, beyond(host, &|_| 0.0))).collect();
        let of_right = |path: &Path| right.get(&path.right).copied().unwrap_or(0.0);
        let left: BTreeMap<IpAddr, f64> = hosts(0).map(|host| (host, beyond(host, &of_right))).collect();
        let sides = [left, right].map(|hosts| accesses(hosts, (SAME * delay).max(SAME_AT_LEAST)));
        Layout { delay, paths, sides }
    }

    /// The delay of the path between two hosts in one direction, s.
    pub fn delay_between(&self, one: IpAddr, other: IpAddr) -> f64 {
        let delay = |host: IpAddr| {
            let mut accesses = self.sides.iter().flatten();
            accesses.find(|access| access.hosts.contains(&host)).map_or(0.0, |access| access.delay)
        };
        self.delay + delay(one) + delay(other)
    }
}

/// Requests beside transfers may never find the link idle: a path that seems longer by less than what packets wait is as long
/// as the shortest that a handshake shows. Where every handshake has waited itself, it is as long as the shortest of all.
fn shorten_busy(paths: &mut [Path], waiting: f64) {
    let is_sure = |path: &&Path| path.known == Known::Both && !path.has_waited;
    let of_handshakes = paths.iter().filter(is_sure).map(|path| path.delay).reduce(f64::min);
    let others = paths.iter().filter(|path| path.known != Known::Nothing && !path.has_waited);
    let Some(shortest) = of_handshakes.or_else(|| others.map(|path| path.delay).reduce(f64::min)) else { return };
    for path in paths.iter_mut().filter(|path| !is_sure(&&**path)) {
        if path.delay > shortest && path.delay - shortest < waiting {
            path.delay = shortest;
        }
    }
}

/// Hosts by their distance, those that differ little together.
pub(super) fn accesses(hosts: BTreeMap<IpAddr, f64>, same: f64) -> Vec<Access> {
    let mut by_delay: Vec<(f64, IpAddr)> = hosts.into_iter().map(|(host, delay)| (delay, host)).collect();
    by_delay.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut accesses: Vec<Access> = Vec::new();
    for (delay, host) in by_delay {
        match accesses.last_mut() {
            Some(access) if delay - access.delay <= same => access.hosts.push(host),
            _ => accesses.push(Access { hosts: vec![host], delay: if delay <= same { 0.0 } else { delay } }),
        }
    }
    accesses
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn path_of(known: Known, delay: f64, has_waited: bool) -> Path {
        let [left, right] = [1, 2].map(|number| IpAddr::V4(Ipv4Addr::new(10, 0, 0, number)));
        Path { left, right, delay, known, has_waited, trips: 1 }
    }

    #[test]
    fn a_path_whose_handshake_waited_is_as_long_as_the_shortest_of_those_that_did_not() {
        let delays = |mut paths: Vec<Path>| {
            shorten_busy(&mut paths, 0.1);
            paths.iter().map(|path| path.delay).collect::<Vec<f64>>()
        };
        let [waited, sure] = [true, false].map(|has_waited| path_of(Known::Both, 0.017, has_waited));
        let request = path_of(Known::Hops, 0.005, false);
        assert_eq!(delays(vec![waited.clone(), request.clone()]), [0.005, 0.005]);
        assert_eq!(delays(vec![sure.clone(), request]), [0.017, 0.005]);
        assert_eq!(delays(vec![sure, path_of(Known::Both, 0.03, true)]), [0.017, 0.017]);
        assert_eq!(delays(vec![waited]), [0.017]);
    }

    #[test]
    fn hosts_at_about_the_same_distance_have_one_medium() {
        let host = |number| IpAddr::V4(Ipv4Addr::new(10, 0, 0, number));
        let hosts = BTreeMap::from([(host(1), 0.0), (host(2), 0.010), (host(3), 0.0101), (host(4), 0.0002)]);
        let found: Vec<usize> = accesses(hosts, 5e-4).iter().map(|access| access.hosts.len()).collect();
        assert_eq!(found, [2, 2]);
    }
}
