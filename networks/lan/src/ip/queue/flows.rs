//! Assigns a connection to one of an output's queues.

use sojourn_core::Stream;

/// The queues of the flows that pass an output.
#[derive(Clone, Debug)]
pub struct Flows {
    /// By connection; whatever, for those that do not pass.
    queue_of: Vec<u32>,
    count: usize,
}

impl Flows {
    /// A queue for each connection that passes, of `all` there are.
    pub fn exact(connections: &[u32], all: usize) -> Self {
        let mut queue_of = vec![0; all];
        (0..).zip(connections).for_each(|(queue, connection)| queue_of[*connection as usize] = queue);
        Flows { queue_of, count: connections.len() }
    }

    /// One of `queues` queues for each connection, as a hash with a drawn perturbation spreads them; queues that no
    /// connection is hashed to do not exist.
    pub fn hashed(connections: &[u32], all: usize, queues: u32, perturbation: &mut Stream) -> Self {
        let mut taken: Vec<u32> = Vec::new();
        let mut queue_of = vec![0; all];
        for connection in connections {
            let hashed = perturbation.below(queues);
            let queue = taken.iter().position(|other| *other == hashed).unwrap_or(taken.len());
            if queue == taken.len() {
                taken.push(hashed);
            }
            queue_of[*connection as usize] = queue as u32;
        }
        Flows { queue_of, count: taken.len() }
    }

    /// How many queues there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The queue of a connection that passes.
    #[inline]
    pub fn of(&self, connection: u32) -> usize {
        self.queue_of[connection as usize] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Streams;

    #[test]
    fn every_connection_that_passes_has_a_queue_of_its_own() {
        let flows = Flows::exact(&[4, 1, 6], 8);
        assert_eq!(flows.count(), 3);
        assert_eq!([4, 1, 6].map(|connection| flows.of(connection)), [0, 1, 2]);
    }

    #[test]
    fn hashed_connections_share_queues_as_often_as_chance_has_it() {
        let connections: Vec<u32> = (0..1000).collect();
        let flows = Flows::hashed(&connections, 1000, 1024, &mut Streams::new(1, 0).stream("hash"));
        // 1024 (1 - (1 - 1/1024)^1000) = 638.5 queues are taken on average, by a deviation of some 10
        assert!((600..680).contains(&flows.count()), "{}", flows.count());
        assert!(connections.iter().all(|connection| flows.of(*connection) < flows.count()));
    }
}
