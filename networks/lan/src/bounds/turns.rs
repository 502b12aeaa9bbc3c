//! The share of a wire that PLCA gives a node: one turn in each cycle, a round-robin server.
//!
//! A frame that waits when its node's turn begins is sent in it, or, if the MAC learns of it too late or is shown a collision, in the turn of the
//! next cycle. In the longest cycle each other node sends its longest frame 1 + `max_bc` times, each after a gap in which it commits, and
//! silence reaches the next node after the longest propagation. Hence a node that has frames sends one in each of its turns after the
//! first: after a latency of two cycles, one in every cycle.

use sojourn_core::Duration;
use sojourn_protocols::ethernet_bus::plca;

use super::port::{Message, Share};
use crate::ip::Settings;
use crate::segment::SegmentSettings;

/// The wire and the node of an output.
pub fn node(settings: &Settings, port: u32) -> Option<(&SegmentSettings, u32)> {
    settings.segments.iter().find_map(|segment| {
        let node = segment.nodes.iter().position(|node| node.port == port)?;
        Some((segment, node as u32))
    })
}

/// The node at which a path leaves the wire that it enters by `port`.
pub fn receiver(segment: &SegmentSettings, route: &[u32], port: u32) -> u32 {
    let at = route.iter().position(|of_path| *of_path == port).expect("the path passes the output");
    let input = route[at + 1] ^ 1;
    segment.nodes.iter().position(|node| node.port == input).expect("it leaves the wire") as u32
}

/// The longest cycle in which every node sends all that it may; `longest` is by node its longest packet.
pub fn longest_cycle(segment: &SegmentSettings, longest: &[Option<u32>]) -> Duration {
    let leader = segment.leader().expect("a wire with turns");
    let reach = segment.propagation.iter().copied().max().unwrap_or_default();
    let turn = |id: u8| {
        let sends =
            segment.nodes.iter().zip(longest).find(|(node, _)| node.plca.as_ref().is_some_and(|plca| plca.id == id));
        match sends {
            Some((node, Some(octets))) => {
                let plca = node.plca.as_ref().expect("it was found by it");
                let frames = u32::from(plca.max_bc) + 1;
                // a burst that is not used up ends after its timer
                let rest = if plca.max_bc > 0 { segment.time(plca.burst_timer) } else { Duration::ZERO };
                segment.time(segment.bits(*octets) + segment.mac.gap).times(frames.into()) + rest
            }
            _ => segment.time(leader.to_timer),
        }
    };
    segment.time(leader.beacon_timer) + (0..leader.node_count).map(|id| turn(id) + reach).sum::<Duration>() + reach
}

/// What a node's frames wait and cost.
pub fn share(segment: &SegmentSettings, node: u32, message: &Message, longest: &[Option<u32>]) -> Share {
    let plca: &plca::Settings = segment.nodes[node as usize].plca.as_ref().expect("all nodes take turns");
    let cycle = longest_cycle(segment, longest);
    if plca.id >= plca.node_count {
        return Share { latency: Duration::MAX, cost: Duration::MAX };
    }
    // a frame may begin to wait just after its turn, and miss the next one for a collision that its MAC is shown late in it
    let held = segment.time(plca.pending_timer + plca.delay_line + segment.mac.jam + 64);
    let missed = if held > cycle { held + cycle } else { cycle };
    Share { latency: missed, cost: cycle.times(message.packets.len() as u64) }
}
