//! Conservation of the messages of a flow: offered = delivered + lost + in flight, at every instant.

/// A number of events since time 0, of which those since the end of the warm-up are observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    total: u64,
    warm_up: u64,
}

impl Count {
    /// Counts `events` more.
    #[inline]
    pub fn add(&mut self, events: u64) {
        self.total += events;
    }

    /// Events since time 0.
    pub fn total(self) -> u64 {
        self.total
    }

    /// Events since the end of the warm-up.
    pub fn observed(self) -> u64 {
        self.total - self.warm_up
    }

    /// The warm-up is over: what was counted so far is not observed.
    pub fn end_warm_up(&mut self) {
        self.warm_up = self.total;
    }
}

/// Messages of a flow, or of all flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowTally {
    /// Messages that the application presented to the network.
    pub offered: Count,
    /// Messages that the receiving application has.
    pub delivered: Count,
    /// Messages that will not be delivered: dropped, or not delivered before their timeout.
    pub lost: Count,
    /// Bytes of user data delivered.
    pub bytes: Count,
}

impl FlowTally {
    /// A message is offered.
    #[inline]
    pub fn offer(&mut self) {
        self.offered.add(1);
    }

    /// A message of `bytes` bytes of user data is delivered.
    #[inline]
    pub fn deliver(&mut self, bytes: u64) {
        self.delivered.add(1);
        self.bytes.add(bytes);
    }

    /// `messages` messages are lost.
    #[inline]
    pub fn lose(&mut self, messages: u64) {
        self.lost.add(messages);
    }

    /// Messages neither delivered nor lost.
    pub fn in_flight(&self) -> u64 {
        self.offered.total() - self.delivered.total() - self.lost.total()
    }

    /// The warm-up is over: what was counted so far is not observed.
    pub fn end_warm_up(&mut self) {
        for count in [&mut self.offered, &mut self.delivered, &mut self.lost, &mut self.bytes] {
            count.end_warm_up();
        }
    }

    /// Panics unless `in_flight` messages, counted where they are, are in flight by these counts.
    pub fn check_conservation(&self, in_flight: u64) {
        let FlowTally { offered, delivered, lost, .. } = self;
        let [offered, delivered, lost] = [offered, delivered, lost].map(|count| count.total());
        assert_eq!(offered, delivered + lost + in_flight, "offered = delivered + lost + in flight");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_warm_up_counted_is_conserved_but_not_observed() {
        let mut tally = FlowTally::default();
        (0..3).for_each(|_| tally.offer());
        tally.deliver(100);
        tally.end_warm_up();
        tally.deliver(40);
        tally.lose(1);
        tally.check_conservation(0);
        assert_eq!((tally.delivered.observed(), tally.bytes.observed(), tally.in_flight()), (1, 40, 0));
        assert_eq!((tally.delivered.total(), tally.lost.observed()), (2, 1));
    }

    #[test]
    #[should_panic(expected = "offered = delivered + lost + in flight")]
    fn a_message_that_disappears_is_noticed() {
        let mut tally = FlowTally::default();
        tally.offer();
        tally.check_conservation(0);
    }
}
