//! Pollers that ask several servers in turn: one client whose next request waits for the answer before.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::super::flow_key::FlowKey;
use super::super::transactions::Exchange;
use super::lanes::Lane;
use sojourn_capture::Service;

/// Rounds from which a poller can be seen.
const FEWEST: usize = 2;

/// Joins the lanes of a client to servers of one service whose requests never overlap and go to the servers in an order that repeats.
pub(super) fn join(lanes: Vec<Lane>) -> Vec<Lane> {
    let mut groups: BTreeMap<(IpAddr, Service), Vec<Lane>> = BTreeMap::new();
    for lane in lanes {
        groups.entry((lane.key.client, lane.key.service)).or_default().push(lane);
    }
    groups.into_values().flat_map(|group| poller(&group).map_or(group, |lane| vec![lane])).collect()
}

/// The one client of these lanes; `None` if they are those of several.
fn poller(lanes: &[Lane]) -> Option<Lane> {
    let servers: BTreeSet<IpAddr> = lanes.iter().map(|lane| lane.key.server).collect();
    let is_alike = lanes.iter().all(|lane| lane.opened == lanes[0].opened);
    if servers.len() < 2 || servers.len() < lanes.len() || !is_alike {
        return None;
    }
    let of = |lane: &Lane| {
        let server = lane.key.server;
        lane.exchanges.iter().map(move |exchange| (*exchange, server)).collect::<Vec<(Exchange, IpAddr)>>()
    };
    let mut requests: Vec<(Exchange, IpAddr)> = lanes.iter().flat_map(of).collect();
    requests.sort_by_key(|(exchange, _)| exchange.begin);
    if requests.windows(2).any(|two| two[1].0.begin < two[0].0.complete) {
        return None;
    }
    let (exchanges, order): (Vec<Exchange>, Vec<IpAddr>) = requests.into_iter().unzip();
    let round = period(&order);
    if order.len() < FEWEST * round {
        return None;
    }
    let key = FlowKey { server: order[0], ..lanes[0].key };
    Some(Lane { key, exchanges, opened: lanes[0].opened, round: order[..round].to_vec(), transfer: None })
}

/// The length of the shortest beginning that the whole repeats: its own length if none does (the failure function of Knuth, Morris and
/// Pratt, 1977).
fn period(order: &[IpAddr]) -> usize {
    let mut border = vec![0; order.len()];
    for at in 1..order.len() {
        let mut length = border[at - 1];
        while length > 0 && order[at] != order[length] {
            length = border[length - 1];
        }
        border[at] = length + usize::from(order[at] == order[length]);
    }
    order.len() - border.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use sojourn_core::{Duration, Time};

    use super::super::super::requests::Opened;
    use super::*;

    fn host(number: u8) -> IpAddr {
        [10, 0, 0, number].into()
    }

    /// Requests of 10.0.0.1 to these hosts, one each 10 ms, each answered after `takes` milliseconds.
    fn lanes(order: &[u8], takes: u64) -> Vec<Lane> {
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let mut by_server: BTreeMap<u8, Vec<Exchange>> = BTreeMap::new();
        for (number, server) in (0..).zip(order) {
            let [begin, end] = [10 * number, 10 * number + takes].map(at);
            let exchange = Exchange { begin, end, complete: end, octets: [1, 1] };
            by_server.entry(*server).or_default().push(exchange);
        }
        let lane = |(server, exchanges)| Lane {
            key: FlowKey { client: host(1), server: host(server), service: Service::Udp(47_808) },
            exchanges,
            opened: Opened::Before,
            round: vec![host(server)],
            transfer: None,
        };
        by_server.into_iter().map(lane).collect()
    }

    #[test]
    fn a_client_that_goes_round_its_servers_is_one_with_their_order() {
        let joined = join(lanes(&[4, 2, 3, 4, 2, 3, 4, 2], 5));
        assert_eq!(joined.len(), 1);
        assert_eq!((joined[0].round.clone(), joined[0].exchanges.len()), (vec![host(4), host(2), host(3)], 8));
        // one that is asked twice in each round
        assert_eq!(join(lanes(&[2, 3, 2, 4, 2, 3, 2, 4], 5))[0].round, [2, 3, 2, 4].map(host));
    }

    #[test]
    fn requests_that_overlap_or_keep_no_order_are_those_of_several_clients() {
        assert_eq!(join(lanes(&[2, 3, 4, 2, 3, 4], 11)).len(), 3, "answers come behind the next requests");
        assert_eq!(join(lanes(&[2, 3, 4, 3, 2, 4, 2, 3], 5)).len(), 3, "no order");
        assert_eq!(join(lanes(&[2, 3, 4, 2, 3], 5)).len(), 3, "less than two rounds");
        assert_eq!(join(lanes(&[2, 2, 2, 2], 5)).len(), 1, "one server");
    }
}
