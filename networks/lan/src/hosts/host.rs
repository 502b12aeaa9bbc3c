//! A host: one processor for all that it sends and receives, and the bus to its adapter.

use sojourn_core::{Duration, Time};
use sojourn_engine::Server;

use super::costs::{Costs, Work};

/// A host's processor and bus, each first come, first served.
#[derive(Clone, Debug)]
pub struct Host {
    costs: Costs,
    processor: Server,
    bus: Server,
    /// What its processor had left to do when the warm-up ended.
    before: Duration,
}

/// A job of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// When the processor turns to it.
    pub begins: Time,
    /// When it is done.
    pub done: Time,
}

impl Host {
    /// An idle host whose processor's utilisation counts from `warm_up` on.
    pub fn new(costs: Costs, warm_up: Time) -> Self {
        Host { costs, processor: Server::new(warm_up), bus: Server::new(warm_up), before: Duration::ZERO }
    }

    /// The processor is to send a packet with `octets` octets of data.
    #[inline]
    pub fn send(&mut self, now: Time, octets: u32) -> Job {
        self.work(now, self.costs.send, octets)
    }

    /// The processor is to receive one.
    #[inline]
    pub fn receive(&mut self, now: Time, octets: u32) -> Job {
        self.work(now, self.costs.receive, octets)
    }

    /// When the adapter has a datagram of `octets` octets that memory holds, or memory one that the adapter holds.
    #[inline]
    pub fn moved(&mut self, now: Time, octets: u32) -> Time {
        match self.costs.bus_rate {
            None => now,
            Some(rate) => self.bus.serve(now, Duration::from_units(8 * u64::from(octets), rate)),
        }
    }

    /// From the last bit in memory to the interrupt.
    pub fn receive_delay(&self) -> Duration {
        self.costs.receive_delay
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self, now: Time) {
        self.before = self.processor.backlog(now);
    }

    /// The work that its processor got from the warm-up to `now`, as a share of that time.
    pub fn demand(&self, now: Time) -> f64 {
        self.processor.demand(now, self.before)
    }

    /// Share of the time from the warm-up to `now` that the processor was busy.
    pub fn utilisation(&self, now: Time) -> f64 {
        self.processor.utilisation(now)
    }

    #[inline]
    fn work(&mut self, now: Time, work: Work, octets: u32) -> Job {
        let begins = now + self.processor.backlog(now);
        Job { begins, done: self.processor.serve(now, work.of(octets)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn micros(n: u64) -> Duration {
        Duration::from_micros(n)
    }

    fn host() -> Host {
        let work = |packet, ack| Work {
            packet: micros(packet),
            per_byte: Duration::from_nanos(45),
            per_cluster: micros(3),
            ack: micros(ack),
        };
        let costs = Costs {
            send: work(110, 60),
            receive: work(170, 90),
            receive_delay: micros(10),
            bus_rate: Some(800_000_000),
        };
        Host::new(costs, Time::ZERO)
    }

    #[test]
    fn sending_and_receiving_wait_for_the_one_processor() {
        let mut host = host();
        let at = |us| Time::ZERO + micros(us);
        assert_eq!(host.send(at(0), 1000), Job { begins: at(0), done: at(110 + 45 + 3) });
        assert_eq!(host.receive(at(100), 0), Job { begins: at(158), done: at(248) });
        assert_eq!(host.receive(at(300), 4000), Job { begins: at(300), done: at(300 + 170 + 180 + 6) });
    }

    #[test]
    fn an_adapter_that_stores_packets_copies_one_after_the_other() {
        let mut host = host();
        let at = |us| Time::ZERO + micros(us);
        assert_eq!(host.moved(at(0), 1000), at(10));
        assert_eq!(host.moved(at(4), 1000), at(20));
    }
}
