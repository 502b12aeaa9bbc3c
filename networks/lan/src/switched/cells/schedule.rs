//! A schedule of numbered items: finds the earliest by a tree of minima over a fixed number of times.

use sojourn_core::Time;

/// The times, as leaves of a binary tree whose inner nodes hold the lesser of two. A node is a time and, below it, a
/// number, so that the root holds both.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The root is node 1, the children of `n` are `2n` and `2n + 1`.
    nodes: Vec<u128>,
    leaves: usize,
}

const NUMBER: u32 = 32;

impl Schedule {
    /// This many things, none due.
    pub fn new(count: usize) -> Self {
        let leaves = count.next_power_of_two().max(2);
        let mut schedule = Schedule { nodes: vec![u128::MAX; 2 * leaves], leaves };
        (0..leaves).for_each(|index| schedule.set(index, Time::NEVER));
        schedule
    }

    /// The earliest time, and what is due then; of several the one with the lowest number.
    #[inline]
    pub fn first(&self) -> (Time, usize) {
        (time(self.nodes[1]), self.nodes[1] as u32 as usize)
    }

    /// When something is due.
    #[inline]
    pub fn due(&self, index: usize) -> Time {
        time(self.nodes[self.leaves + index])
    }

    /// Something is due at `time`.
    #[inline]
    pub fn set(&mut self, index: usize, time: Time) {
        let mut node = self.leaves + index;
        let mut least = u128::from(time.picoseconds()) << NUMBER | index as u128;
        self.nodes[node] = least;
        while node > 1 {
            least = least.min(self.nodes[node ^ 1]);
            node /= 2;
            if self.nodes[node] == least {
                return;
            }
            self.nodes[node] = least;
        }
    }
}

#[inline]
fn time(node: u128) -> Time {
    Time::from_picoseconds((node >> NUMBER) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Streams;

    #[test]
    fn the_first_is_the_least_and_of_equals_the_one_with_the_lowest_number() {
        let mut random = Streams::new(1, 0).stream("times");
        for count in [1, 2, 5, 18, 33] {
            let mut schedule = Schedule::new(count);
            let mut times = vec![Time::NEVER; count];
            assert_eq!(schedule.first().0, Time::NEVER);
            for _ in 0..1000 {
                let index = random.below(count as u32) as usize;
                times[index] = Time::from_picoseconds(u64::from(random.below(20)));
                schedule.set(index, times[index]);
                let least = *times.iter().min().unwrap();
                assert_eq!(schedule.first(), (least, times.iter().position(|&time| time == least).unwrap()));
                assert_eq!(schedule.due(index), times[index]);
            }
        }
    }
}
