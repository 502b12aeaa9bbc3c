//! The hash of CAKE, set-associative with eight slots a set (Piece of CAKE, 2018): a flow has a set of eight of 1024 queues
//! by its hash, and of these one that no other flow has, as long as there is such a queue.

use std::collections::BTreeMap;

use sojourn_core::Stream;

use super::super::super::cake::{Headers, Isolation};

/// Queues of a tin, and of these a set.
const QUEUES: u32 = 1024;
pub const SLOTS: usize = 8;

/// Where the packets of connections go. Of the queues those exist that some connection may have.
#[derive(Clone, Debug)]
pub struct Sets {
    /// By connection; whatever, for those that do not pass.
    places: Vec<Place>,
    queues: usize,
    hosts: [usize; 2],
}

/// What is the same for all packets of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// What has a queue of its own: a flow, a host or a pair of hosts.
    pub owner: u32,
    /// The queue that its hash gives, if no other has it.
    pub queue: u32,
    /// Number of its source host and of its destination host.
    pub hosts: [u32; 2],
}

impl Sets {
    /// Those of an output that `connections` pass, of `all`; `draws` are the hashes.
    pub fn new(connections: &[u32], all: usize, isolation: Isolation, headers: &Headers, draws: &mut Stream) -> Self {
        let mut places = vec![Place::default(); all];
        let (mut owners, mut sets) = (BTreeMap::new(), BTreeMap::new());
        let mut numbers = [BTreeMap::new(), BTreeMap::new()];
        for &connection in connections {
            let [source, destination] = headers.hosts.get(connection as usize).copied().unwrap_or_default();
            let next = owners.len() as u32;
            let (owner, hash) = *owners.entry(key(isolation, connection, [source, destination])).or_insert_with(|| {
                let is_one = isolation == Isolation::FlowBlind;
                (next, if is_one { 0 } else { draws.below(QUEUES) as usize })
            });
            let next = sets.len();
            let set = *sets.entry(hash / SLOTS).or_insert(next);
            let mut number = |end: usize, host: u32| {
                let next = numbers[end].len() as u32;
                *numbers[end].entry(host).or_insert(next)
            };
            let hosts = [number(0, source), number(1, destination)];
            places[connection as usize] = Place { owner, queue: (set * SLOTS + hash % SLOTS) as u32, hosts };
        }
        Sets { places, queues: sets.len() * SLOTS, hosts: numbers.map(|numbers| numbers.len()) }
    }

    /// How many queues a tin has.
    pub fn queues(&self) -> usize {
        self.queues
    }

    /// How many source and destination hosts there are.
    pub fn hosts(&self) -> [usize; 2] {
        self.hosts
    }

    /// That of a connection that passes.
    #[inline]
    pub fn place(&self, connection: u32) -> Place {
        self.places[connection as usize]
    }
}

/// What has a queue of its own: packets with the same key share one.
fn key(isolation: Isolation, connection: u32, [source, destination]: [u32; 2]) -> [u32; 2] {
    match isolation {
        Isolation::FlowBlind => [0, 0],
        Isolation::SourceHost => [source, 0],
        Isolation::DestinationHost => [destination, 0],
        Isolation::Hosts => [source, destination],
        _ => [connection, 0],
    }
}
