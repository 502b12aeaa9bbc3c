//! Ethernet on one wire whose nodes take turns.

use sojourn_core::{Duration, Streams, Time};
use sojourn_lan::segment::settings::NodeSettings;
use sojourn_lan::segment::{Offered, Segment, SegmentEvent, SegmentSettings};
use sojourn_protocols::ethernet_bus::{mac, plca};

use crate::clock::timed;

/// 10BASE-T1S.
const RATE: u64 = 10_000_000;
/// Nodes that always have a frame.
const SENDERS: u32 = 39;

/// A wire of 10 Mbit/s with PLCA: 39 nodes send frames of 64 bytes to a fortieth, more than the wire carries.
pub fn full_load() -> String {
    let costs = "costs = { packet = \"0 s\", per_byte = \"0 s\", ack = \"0 s\", receive_delay = \"0 s\" }";
    format!(
        "[network]\nkind = \"switched-lan\"\n[lan]\nframing = \"packets\"\n\
         [[medium]]\nname = \"wire\"\nkind = \"shared\"\naccess = \"plca\"\nend_delimiter = \"1 B\"\nlength = \"25 m\"\n\
         [[station]]\nname = \"node\"\ncount = {SENDERS}\non = \"wire\"\n{costs}\n\
         [[station]]\nname = \"listener\"\non = \"wire\"\n{costs}\n\
         [[flow]]\nname = \"frames\"\nfrom = \"node\"\nto = \"listener\"\nservice = \"stream\"\nsize = \"18 B\"\n\
         arrivals = {{ kind = \"poisson\", rate = \"1000 /s\" }}\n"
    )
}

/// Frames per second of CPU time over the wire alone, whose nodes always have a frame.
pub fn frames(count: u64) -> f64 {
    let settings = settings();
    let (nodes, mut taken, mut events, mut arrived) = (settings.nodes.len() as u32, Vec::new(), Vec::new(), 0);
    let mut segment = Segment::new(&settings, &Streams::new(1, 0));
    let bits = settings.bits(settings.minimum);
    let frame = |node: u32, queued| Offered { packet: node, bits, to: (node + 1) % nodes, queued };
    (0..nodes).for_each(|node| segment.offer(Time::ZERO, node, frame(node, Time::ZERO), &mut events));
    let (seconds, ()) = timed(|| {
        while arrived < count {
            let now = segment.advance(Time::NEVER, &mut events).expect("nodes always have frames");
            std::mem::swap(&mut taken, &mut events);
            for event in taken.drain(..) {
                match event {
                    SegmentEvent::Free(node) => segment.offer(now, node, frame(node, now), &mut events),
                    SegmentEvent::Arrived(_) => arrived += 1,
                    SegmentEvent::Lost { .. } => panic!("no frame is lost"),
                }
            }
        }
    });
    arrived as f64 / seconds
}

/// 40 nodes, 60 cm apart.
fn settings() -> SegmentSettings {
    let nodes = SENDERS + 1;
    let node = |number: u32| NodeSettings {
        name: format!("n{number}"),
        station: number,
        port: number,
        plca: Some(plca::Settings::new(RATE, number as u8, nodes as u8)),
    };
    let apart = |one: u32, other: u32| Duration::from_nanos(u64::from(3 * one.abs_diff(other)));
    SegmentSettings {
        name: "wire".to_owned(),
        mac: mac::Settings::new(RATE),
        end_delimiter: 1,
        header: 18,
        minimum: 46,
        nodes: (0..nodes).map(node).collect(),
        propagation: (0..nodes).flat_map(|one| (0..nodes).map(move |other| apart(one, other))).collect(),
        changes: false,
    }
}
