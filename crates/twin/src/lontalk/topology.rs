//! Infers channels and routers from the copies that routers forward.

use std::collections::BTreeMap;

use sojourn_protocols::lontalk::wire::SubnetNode;

use super::channel::{Choice, Spacing, choose};
use super::survey::Survey;

/// A channel.
#[derive(Debug)]
pub(super) struct Medium {
    pub channel: Choice,
}

/// A router between two media.
#[derive(Debug)]
pub(super) struct Router {
    pub between: (usize, usize),
    /// Packets that were captured on one side and then on the other.
    pub packets: u64,
    /// Times from one side to the other, s: to the first of the two media, to the second.
    pub forwarding: [Spacing; 2],
}

/// The channels of a site and what connects them. Routers connect channels as a tree.
#[derive(Debug)]
pub(super) struct Topology {
    pub media: Vec<Medium>,
    pub routers: Vec<Router>,
    /// Pairs of channels with copies that no router is needed for, since the tree connects them already.
    pub further_pairs: usize,
    home: BTreeMap<SubnetNode, usize>,
}

impl Topology {
    /// A copy goes from one channel to the next: the pairs with most copies are routers, as long as they close no loop.
    pub fn new(survey: &Survey) -> Topology {
        let none = Spacing::default();
        let into = |medium: usize| {
            let mut spacing = Spacing::default();
            let found = survey.forwarding.iter().filter(|((_, to), _)| *to == medium);
            found.for_each(|(_, forwarded)| spacing.merge(forwarded));
            spacing
        };
        let media = survey
            .channels
            .iter()
            .enumerate()
            .map(|(index, channel)| Medium { channel: choose(&channel.spacing, &into(index)) });
        let mut pairs: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for (&(from, to), spacing) in &survey.forwarding {
            *pairs.entry((from.min(to), from.max(to))).or_default() += spacing.count;
        }
        let mut by_packets: Vec<((usize, usize), u64)> = pairs.into_iter().collect();
        by_packets.sort_by_key(|&(pair, packets)| (std::cmp::Reverse(packets), pair));
        let mut part: Vec<usize> = (0..survey.channels.len()).collect();
        let mut routers = Vec::new();
        let mut further_pairs = 0;
        for ((a, b), packets) in by_packets {
            if part[a] == part[b] {
                further_pairs += 1;
                continue;
            }
            let (kept, joined) = (part[a], part[b]);
            part.iter_mut().filter(|each| **each == joined).for_each(|each| *each = kept);
            let times = |from, to| survey.forwarding.get(&(from, to)).unwrap_or(&none).clone();
            routers.push(Router { between: (a, b), packets, forwarding: [times(b, a), times(a, b)] });
        }
        let home = survey.nodes.iter().map(|(node, seen)| (*node, seen.home(survey.channels.len()))).collect();
        Topology { media: media.collect(), routers, further_pairs, home }
    }

    /// The channel of a node.
    pub fn medium_of(&self, node: SubnetNode) -> usize {
        self.home.get(&node).copied().unwrap_or(0)
    }
}
