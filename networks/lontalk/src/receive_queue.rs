//! A station's network input buffers and network processor, and the CPU state that idle stations share.
//!
//! Every station's network processor examines every valid packet of its medium and discards it if it is addressed to
//! another node. Idle stations have the same CPU state, so they share one `Cpu`; a station gets its own when it has other
//! work, and returns to the shared one when both are equal again.

use sojourn_core::{Duration, Time};

use super::cpu::Cpu;
use super::site::StationClass;
use super::station::ActiveState;

/// The idle stations of a medium.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    /// Their network processors, all in the same state.
    pub network: Cpu,
    /// CPU time to discard a packet; none before the first station.
    discard: Option<Duration>,
    /// Stations with a CPU state of their own.
    pub own: Vec<u32>,
}

impl Listeners {
    /// Whether a station whose discard costs `discard` may share the CPU state.
    pub fn admit(&mut self, discard: Duration) -> bool {
        *self.discard.get_or_insert(discard) == discard
    }

    /// All idle stations discard a packet at `now`; returns their CPU state after it.
    #[inline]
    pub fn discard(&mut self, now: Time) -> Cpu {
        if let Some(cost) = self.discard {
            self.network.serve(now, cost);
        }
        self.network
    }
}

/// Whether a station shares the CPU state of its medium's idle stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CpuState {
    /// Shared: its own `network` is stale.
    Shared,
    /// Its own at present.
    Own,
    /// Always its own: it is on several media or has another discard cost.
    Exclusive,
}

/// A station's network processor and network input buffers: all that a packet for another node accesses.
#[derive(Clone, Copy, Debug)]
pub struct ReceiveQueue {
    /// Layers 3 to 6.
    pub network: Cpu,
    /// When the packet that found the processor idle is processed.
    single: Time,
    /// CPU time to discard a packet.
    discard: Duration,
    /// Number of the last packet that the station sent or is a receiver of.
    pub mark: u32,
    /// Its network input buffers.
    buffers: u16,
    cpu_state: CpuState,
    /// Whether the packets in its buffers are listed in `input`, not just one in `single`.
    listed: bool,
}

impl ReceiveQueue {
    /// The queue of a station; `admitted` if it may share the CPU state of its medium's idle stations.
    pub fn new(class: &StationClass, admitted: bool) -> Self {
        ReceiveQueue {
            network: Cpu::default(),
            single: Time::ZERO,
            discard: class.costs.discard,
            mark: 0,
            buffers: class.buffers.network_input,
            cpu_state: if admitted { CpuState::Shared } else { CpuState::Exclusive },
            listed: false,
        }
    }

    /// Queues a packet at `now` if a buffer is free; returns start and end of its processing, which takes `cost`.
    #[inline(always)]
    pub fn push(&mut self, now: Time, cost: Duration, active: &mut Option<Box<ActiveState>>) -> Option<(Time, Time)> {
        if self.network.free <= now && self.buffers > 0 {
            let (start, done) = self.network.serve(now, cost);
            (self.single, self.listed) = (done, false);
            return Some((start, done));
        }
        self.push_behind(now, cost, active)
    }

    /// Discards a packet for another node at `now`; returns whether a buffer was free for it.
    #[inline(always)]
    pub fn discard(&mut self, now: Time, active: &mut Option<Box<ActiveState>>) -> bool {
        self.push(now, self.discard, active).is_some()
    }

    /// Whether a buffer is free for a packet at `now`.
    pub fn has_room(&self, now: Time, active: &Option<Box<ActiveState>>) -> bool {
        let listed = active.as_ref().filter(|_| self.listed).map(|active| active.input.as_slice());
        let held = listed.unwrap_or(std::slice::from_ref(&self.single)).iter().filter(|&&done| done > now);
        held.count() < usize::from(self.buffers)
    }

    /// Whether the station shares the CPU state of its medium's idle stations.
    #[inline]
    pub fn is_shared(&self) -> bool {
        self.cpu_state == CpuState::Shared
    }

    /// Gives the station its own copy of the shared CPU state.
    pub fn unshare(&mut self, shared: Cpu) {
        self.cpu_state = CpuState::Own;
        self.network = shared;
        (self.single, self.listed) = (shared.free, false);
    }

    /// The processor is idle and the buffers are empty at `now`.
    pub fn reset(&mut self, now: Time) {
        self.network = Cpu { free: now };
        (self.single, self.listed) = (now, false);
    }

    /// Shares the CPU state again if the station's own equals it; returns whether it does.
    #[inline]
    pub fn share_if_equal(&mut self, shared: Cpu) -> bool {
        let equal = self.cpu_state == CpuState::Own && self.network == shared && !self.listed;
        if equal {
            self.cpu_state = CpuState::Shared;
        }
        equal
    }

    /// The same while the processor is busy.
    #[inline(never)]
    fn push_behind(
        &mut self,
        now: Time,
        cost: Duration,
        active: &mut Option<Box<ActiveState>>,
    ) -> Option<(Time, Time)> {
        let active = active.as_mut().expect("a station with its own CPU state is active");
        if !self.listed {
            active.input.clear();
            active.input.push(self.single);
            self.listed = true;
        }
        let buffers = usize::from(self.buffers);
        if active.input.len() >= buffers {
            active.input.retain(|&done| done > now);
            if active.input.len() >= buffers {
                active.counts.missed += 1;
                return None;
            }
        }
        let (start, done) = self.network.serve(now, cost);
        active.input.push(done);
        Some((start, done))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sojourn_core::Streams;
    use sojourn_protocols::lontalk::machine::{Node, NodeConfiguration, Settings};
    use sojourn_protocols::lontalk::wire::SubnetNode;

    use super::*;

    /// Queues packets of several costs at random instants, with other work in between; returns how many were lost: those
    /// that arrived while all buffers held unprocessed packets.
    fn packets_lost(buffers: u16) -> usize {
        let mut stream = Streams::new(1, 0).stream("packets");
        let configuration = NodeConfiguration::new(SubnetNode::new(1, 1), Arc::new(Settings::default()));
        let mut active = Some(Box::new(ActiveState::new(Node::new(configuration), stream.clone())));
        let mut receive_queue = ReceiveQueue {
            network: Cpu::default(),
            single: Time::ZERO,
            discard: Duration::ZERO,
            mark: 0,
            buffers,
            cpu_state: CpuState::Own,
            listed: false,
        };
        let (mut now, mut free, mut held, mut lost) = (Time::ZERO, Time::ZERO, Vec::new(), 0);
        for _ in 0..10_000 {
            now += Duration::from_micros(u64::from(stream.below(3000)));
            let cost = Duration::from_micros([700, 1480, 4980][stream.below(3) as usize]);
            if stream.below(4) == 0 {
                receive_queue.network.serve(now, cost);
                free = free.max(now) + cost;
                continue;
            }
            held.retain(|&done| done > now);
            let wanted = (held.len() < usize::from(buffers)).then(|| {
                let start = free.max(now);
                free = start + cost;
                held.push(free);
                (start, free)
            });
            lost += usize::from(wanted.is_none());
            assert_eq!(receive_queue.has_room(now, &active), wanted.is_some(), "at {now} with {buffers} buffers");
            assert_eq!(receive_queue.push(now, cost, &mut active), wanted, "at {now} with {buffers} buffers");
        }
        assert_eq!(active.expect("still active").counts.missed, lost as u64);
        lost
    }

    #[test]
    fn a_packet_is_lost_exactly_when_every_buffer_holds_an_unprocessed_one() {
        let lost = [0, 1, 2, 5, 11].map(packets_lost);
        assert!(lost.is_sorted_by(|fewer, more| fewer > more) && lost[4] > 0, "{lost:?}");
    }
}
