//! Left-over service: what a shared server leaves to one flow, under each scheduling discipline.

use num_rational::Ratio;

use super::{Arrival, RateLatency, Rational, Service};

/// Another flow in a round: its quantum, and its largest packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rival {
    /// What it may send in a round.
    pub quantum: Rational,
    /// Its largest packet.
    pub largest: Rational,
}

/// What first in, first out leaves to a flow: the member of the family of left-over curves (LBT, 6.2.2, proposition
/// 6.2.1; Cruz 1998) that waits for the burst of the others. `None` where they may take all.
pub fn fifo(server: &RateLatency, others: &Arrival) -> Option<RateLatency> {
    let bucket = others.buckets().last().expect("a curve has a bucket");
    let remains = server.rate - bucket.rate;
    (remains > Ratio::ZERO).then(|| RateLatency::new(remains, server.latency + bucket.burst / server.rate))
}

/// What strict priority without preemption leaves to a class: those above may go before, and a packet of at most `largest`
/// of those below may be in transmission (LBT, 6.2.1, corollary 6.2.1). `None` where those above may take all.
pub fn strict_priority(server: &RateLatency, above: &Arrival, largest: Rational) -> Option<Service> {
    let blocked = RateLatency::new(server.rate, server.latency + largest / server.rate);
    Service::from(blocked).left_over(above)
}

/// What deficit round robin leaves to a flow of `quantum` beside `rivals` (Shreedhar and Varghese 1996).
///
/// In `n` turns a rival sends at most `n` quanta and a packet, the flow itself all of its first `n` quanta; and a packet
/// may be in transmission when the flow begins to wait.
pub fn deficit_round_robin(server: &RateLatency, quantum: Rational, rivals: &[Rival]) -> RateLatency {
    let quanta: Rational = rivals.iter().map(|rival| rival.quantum).sum();
    let packets: Rational = rivals.iter().map(|rival| rival.largest).sum();
    let sending = rivals.iter().map(|rival| rival.largest).max().unwrap_or(Ratio::ZERO);
    let latency = server.latency + (quanta + packets + sending) / server.rate;
    RateLatency::new(server.rate * quantum / (quantum + quanta), latency)
}

/// What flow queuing with new flows first (RFC 8290, 4) leaves to a flow of `quantum` beside `rivals`; the flow's own packets
/// differ in length by `spread` at most.
///
/// Between two turns of a flow in the line of old flows a rival has one turn as an old flow and one as a new one: then it is
/// behind the flow, and is new again only after it was first among the old. Credits of both turns are two quanta at most.
/// With credits above minus its longest packet, a flow begins a packet after `w` octets in its turn number `w / quantum + 2`;
/// until then a rival spends the quantum that it had, two for each turn, and a packet that exceeds them.
pub fn flow_queuing(server: &RateLatency, quantum: Rational, spread: Rational, rivals: &[Rival]) -> RateLatency {
    let quanta: Rational = rivals.iter().map(|rival| rival.quantum).sum();
    let packets: Rational = rivals.iter().map(|rival| rival.largest).sum();
    let sending = rivals.iter().map(|rival| rival.largest).max().unwrap_or(Ratio::ZERO);
    let (first, each) = (quanta * 5 + packets + sending, quanta * 2 / quantum);
    let rate = server.rate / (each + 1);
    RateLatency::new(rate, server.latency + (first + each * spread) / server.rate)
}
