//! Routes over random LANs are those of a breadth-first search through all stations.

use std::fmt::Write;

use proptest::prelude::*;
use sojourn_scenario::Scenario;

use super::*;

/// Switches with a medium of two hosts each, joined by links between these pairs of them.
fn lan(switches: usize, links: &[(usize, usize)]) -> Scenario {
    let mut text = "[network]\nkind = \"switched-lan\"\n".to_owned();
    let mut on = vec![String::new(); switches];
    for (number, (one, other)) in links.iter().enumerate() {
        let _ = write!(text, "[[medium]]\nname = \"trunk-{number}\"\n");
        for end in [one, other] {
            let _ = write!(on[end % switches], ", \"trunk-{number}\"");
        }
    }
    for (number, trunks) in on.iter().enumerate() {
        let _ = write!(
            text,
            "[[medium]]\nname = \"floor-{number}\"\n\
             [[station]]\nname = \"switch-{number}\"\ntype = \"switch\"\non = [\"floor-{number}\"{trunks}]\n\
             [[station]]\nname = \"host-{number}\"\ncount = 2\non = \"floor-{number}\"\n"
        );
    }
    text += "[[flow]]\nname = \"calls\"\nfrom = \"host-0-1\"\nto = \"host-0-2\"\nservice = \"request\"\nprobe = true\n\
             [run]\nduration = \"1 s\"\n";
    crate::NETWORKS.checked(&text, &[])
}

/// The route by which a breadth-first search reaches a station, over the ports of each in the order of declaration.
fn searched(layout: &Layout<'_>, from: usize, to: usize) -> Option<Vec<u32>> {
    let mut routes: BTreeMap<usize, Vec<u32>> = BTreeMap::from([(from, Vec::new())]);
    let mut next = VecDeque::from([from]);
    while let Some(station) = next.pop_front() {
        if station != from && layout.topology.stations[station] != StationKind::Switch {
            continue;
        }
        for &port in layout.ports_of(station) {
            let neighbour = layout.topology.ports[port as usize].to as usize;
            if !routes.contains_key(&neighbour) {
                let route = routes[&station].iter().copied().chain([port]).collect();
                routes.insert(neighbour, route);
                next.push_back(neighbour);
            }
        }
    }
    routes.remove(&to)
}

proptest! {
    #[test]
    fn a_route_is_that_of_a_search_through_all_stations(
        switches in 1usize..7,
        links in prop::collection::vec((0usize..7, 0usize..7), 0..10),
    ) {
        let joins_two = |(one, other): &(usize, usize)| one % switches != other % switches;
        let links: Vec<_> = links.into_iter().filter(joins_two).collect();
        let scenario = lan(switches, &links);
        let (members, mut problems) = (scenario.members(), Problems::default());
        let layout = Layout::new(&scenario, &members, &mut problems);
        for from in 0..members.len() {
            for to in 0..members.len() {
                prop_assert_eq!(layout.route(from, to), searched(&layout, from, to), "{} to {}", from, to);
            }
        }
    }
}
