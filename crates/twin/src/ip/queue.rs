//! Infers the queue discipline at the link from queueing delays and the times of losses.

use super::delays::{Delays, share};
use super::trips::at;

/// A delay of at least this many full packets counts as queueing.
pub(super) const QUEUE: f64 = 3.0;
/// Share of the longest queue from which a loss may be a tail drop; losses there have to be this share of all losses,
/// this many times more frequent than at shorter queues, and more frequent by this many standard deviations.
const NEAR_FULL: f64 = 0.85;
const FULL: f64 = 0.15;
const MORE_OFTEN: f64 = 2.0;
const SURE: f64 = 4.0;
/// Share of the longest queue up to which no loss is one of a full queue.
const HALF_FULL: f64 = 0.5;
/// Share of the time that the queue is shorter than it is at half of the losses, from which losses are not by chance.
const LONGER: f64 = 0.6;
/// The quantile of the delays that counts as the longest without outliers.
const LONGEST: f64 = 0.995;
/// Answers from which their delay says something of the queue.
const ENOUGH_REQUESTS: usize = 10;
/// Losses below which nothing is inferred of the queue.
const FEWEST_LOSSES: usize = 3;
/// CoDel drops no packet that waited less than its target (RFC 8289, 4.4), s.
const TARGET: f64 = 5e-3;
/// A queue that CoDel controls is about its target, or a few packets; no longer than this, s.
const CONTROLLED: f64 = 20e-3;
/// Delay of requests as a share of that of transfers, below which each flow has a queue of its own; at a short queue that is
/// usual, and only requests that wait as long show that they share it.
const OWN_QUEUE: f64 = 0.35;
const SHARED_QUEUE: f64 = 0.8;
/// Share of long messages that packets of others came between, from which flows take turns.
const APART: f64 = 0.25;

/// The queue before the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Queue {
    /// Nothing shows it.
    Unseen,
    /// First in, first out; packets of the longest queue, which is full where packets are dropped.
    Fifo { packets: u64, is_full: bool },
    /// First in, first out with controlled delay.
    Codel,
    /// A queue for each flow.
    FlowQueues { request: f64, transfer: f64 },
}

/// What the delays allow, the likeliest first: the queue, and the share of the losses that it explains. A full packet takes `full`
/// seconds on the link.
pub(super) fn readings(delays: &Delays, full: f64) -> Vec<(Queue, f64)> {
    let likeliest = queue(delays, full);
    let Delays { packet, transfers, requests, lost, .. } = delays;
    let longest = at(transfers, LONGEST).max(at(requests, LONGEST));
    if full <= 0.0 || longest <= 0.0 {
        return vec![likeliest];
    }
    let fifo = |is_full| Queue::Fifo { packets: libm::round(longest / packet).max(1.0) as u64, is_full };
    let own = Queue::FlowQueues { request: at(requests, 0.5), transfer: at(transfers, 0.5) };
    let controlled = delays.dropped(delays.losses_below(TARGET).unwrap_or(0.0));
    let at_full = delays.dropped(delays.losses_below(HALF_FULL * longest).unwrap_or(0.0));
    let mut others = vec![(fifo(false), 0.0), (Queue::Codel, controlled), (own, controlled)];
    if *lost > 0 {
        others.extend([(fifo(true), at_full), (fifo(true), 1.0), (Queue::Codel, 1.0), (own, 1.0)]);
    }
    let mut readings = vec![likeliest];
    for other in others {
        if !readings.contains(&other) {
            readings.push(other);
        }
    }
    readings
}

/// The likeliest.
fn queue(delays: &Delays, full: f64) -> (Queue, f64) {
    let Delays { packet, transfers, at_loss, requests, lost, apart } = delays;
    if full <= 0.0 {
        return (Queue::Unseen, 0.0);
    }
    let packets = |delay: f64| libm::round(delay / packet).max(1.0) as u64;
    let waits = |delays: &[f64]| at(delays, 0.9) > QUEUE * full;
    if !waits(transfers) {
        // without timestamps data show no delay before the point of capture, but answers beside them do
        let is_full = *lost > 0;
        return match waits(requests) {
            true => (Queue::Fifo { packets: packets(at(requests, LONGEST)), is_full }, if is_full { 1.0 } else { 0.0 }),
            false => (Queue::Unseen, 0.0),
        };
    }
    let (request, transfer) = (at(requests, 0.5), at(transfers, 0.5));
    let own = Queue::FlowQueues { request, transfer };
    let controlled = delays.dropped(delays.losses_below(TARGET).unwrap_or(0.0));
    let has_requests = requests.len() >= ENOUGH_REQUESTS;
    if has_requests && at(requests, 0.9) < OWN_QUEUE * transfer {
        return (own, controlled);
    }
    let longest = at(transfers, LONGEST);
    let open = Queue::Fifo { packets: packets(longest), is_full: false };
    let has_losses = at_loss.len() >= FEWEST_LOSSES;
    let [near_full, usual] = [at_loss, transfers].map(|delays| share(delays, |delay| delay >= NEAR_FULL * longest));
    // as often as elsewhere, packets are lost by chance there too
    let elsewhere = (1.0 - near_full) / (1.0 - usual).max(1e-3);
    let deviation = libm::sqrt(usual * (1.0 - usual) / at_loss.len() as f64);
    let is_more = near_full >= MORE_OFTEN * usual * elsewhere && near_full - usual >= SURE * deviation;
    if has_losses && near_full >= FULL && is_more {
        let by_chance = delays.losses_below(HALF_FULL * longest).map_or(elsewhere, |shorter| shorter.min(elsewhere));
        return (Queue::Fifo { packets: packets(longest), is_full: true }, delays.dropped(by_chance));
    }
    if apart.is_some_and(|share| share >= APART) {
        return (own, controlled);
    }
    if !has_losses {
        return (open, 0.0);
    }
    let mut losses = at_loss.clone();
    losses.sort_by(f64::total_cmp);
    let half = at(&losses, 0.5);
    let is_by_chance = share(transfers, |delay| delay < half) < LONGER;
    if is_by_chance || transfer > CONTROLLED.max(2.0 * QUEUE * full) {
        return (open, 0.0);
    }
    match has_requests && request >= SHARED_QUEUE * transfer {
        true => (Queue::Codel, controlled),
        false => (own, controlled),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue whose delay goes up and down between two values, s.
    fn sawtooth(least: f64, most: f64) -> Vec<f64> {
        (0..100).map(|step| least + (most - least) * f64::from(step) / 99.0).collect()
    }

    fn delays(transfers: Vec<f64>, at_loss: &[f64], requests: Vec<f64>) -> Delays {
        Delays { packet: 1e-3, transfers, at_loss: at_loss.to_vec(), requests, lost: at_loss.len() as u64, apart: None }
    }

    #[test]
    fn a_queue_that_loses_packets_when_it_is_longest_is_full_then() {
        let found = queue(&delays(sawtooth(0.01, 0.1), &[0.1, 0.098, 0.099, 0.1], Vec::new()), 1e-3);
        assert_eq!(found, (Queue::Fifo { packets: 99, is_full: true }, 1.0));
    }

    #[test]
    fn losses_at_any_length_of_the_queue_are_by_chance() {
        let found = queue(&delays(sawtooth(0.0, 0.1), &[0.03, 0.001, 0.05, 0.02, 0.06], Vec::new()), 1e-3);
        assert_eq!(found, (Queue::Fifo { packets: 99, is_full: false }, 0.0));
    }

    #[test]
    fn losses_at_the_longer_times_of_a_short_queue_are_those_of_codel() {
        let mut transfers = sawtooth(0.002, 0.012);
        transfers.extend([0.06, 0.07]);
        let losses = [0.010, 0.011, 0.009, 0.010];
        let (found, dropped) = queue(&delays(transfers.clone(), &losses, sawtooth(0.002, 0.012)), 1e-3);
        assert_eq!((found, dropped), (Queue::Codel, 1.0));
        let (found, _) = queue(&delays(transfers, &losses, sawtooth(0.0, 0.008)), 1e-3);
        assert!(matches!(found, Queue::FlowQueues { .. }), "{found:?}");
    }

    #[test]
    fn requests_that_do_not_wait_behind_transfers_have_a_queue_of_their_own() {
        let (found, _) = queue(&delays(sawtooth(0.01, 0.03), &[], vec![0.001; 20]), 1e-3);
        assert!(matches!(found, Queue::FlowQueues { .. }), "{found:?}");
    }

    #[test]
    fn without_a_delay_nothing_shows_the_queue() {
        assert_eq!(queue(&delays(sawtooth(0.0, 0.002), &[], Vec::new()), 1e-3), (Queue::Unseen, 0.0));
        assert_eq!(queue(&delays(sawtooth(0.0, 0.002), &[], Vec::new()), 0.0), (Queue::Unseen, 0.0));
    }

    #[test]
    fn long_messages_that_others_came_between_have_a_queue_of_their_own_unless_packets_are_lost_at_the_longest_queue_alone()
     {
        let mixed = |at_loss: &[f64]| Delays { apart: Some(0.9), ..delays(sawtooth(0.01, 0.1), at_loss, Vec::new()) };
        let (found, _) = queue(&mixed(&[0.03, 0.02, 0.05, 0.06]), 1e-3);
        assert!(matches!(found, Queue::FlowQueues { .. }), "{found:?}");
        let (found, _) = queue(&mixed(&[0.1, 0.098, 0.099, 0.1]), 1e-3);
        assert_eq!(found, Queue::Fifo { packets: 99, is_full: true });
    }

    #[test]
    fn losses_at_a_short_queue_show_how_many_are_lost_by_chance_beside_those_of_a_full_one() {
        // a fifth of the packets meet less than half of the longest queue, and so do 2 of 50 that were lost, 5 more at a longer one
        let transfers = [sawtooth(0.01, 0.04).split_off(75), sawtooth(0.06, 0.1)].concat();
        let at_loss = [vec![0.02; 2], vec![0.07; 5], vec![0.1; 43]].concat();
        let (found, dropped) = queue(&delays(transfers, &at_loss, Vec::new()), 1e-3);
        assert_eq!(found, Queue::Fifo { packets: 100, is_full: true });
        assert!((dropped - 0.8).abs() < 1e-9, "{dropped}");
    }

    #[test]
    fn codel_drops_nothing_below_its_target() {
        let at_loss = [vec![0.003; 5], vec![0.02; 20]].concat();
        let (found, dropped) = queue(&delays(sawtooth(0.0, 0.02), &at_loss, vec![0.001; 20]), 1e-3);
        assert!(matches!(found, Queue::FlowQueues { .. }), "{found:?}");
        // a quarter of the packets waited so short, and a fifth of those that were lost
        assert!((dropped - 0.2).abs() < 1e-9, "{dropped}");
    }
}
