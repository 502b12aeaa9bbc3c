//! Which packets of a voice stream reached the peer, and hence in which direction each other packet was lost.

use std::ops::Range;

use crate::prober::packets::Packets;
use crate::prober::peer::PeerCounts;

/// Whether each request of a phase reached the peer, where the peer counts what reached it.
///
/// A response shows it, and so does a residence time that the peer reports of a request whose response was lost. The peer's
/// count gives the number of the others that reached it, not which: they are taken first from the bursts of loss in which
/// one is known to have reached the peer, then evenly from all bursts.
pub fn reached_peer(packets: &Packets, phase: Range<usize>, counts: Option<&PeerCounts>) -> Option<Vec<bool>> {
    let counts = counts?;
    let within = &packets.all()[phase.clone()];
    let mut reached: Vec<bool> = within.iter().map(|packet| packet.received.is_some()).collect();
    let answered = reached.clone();
    for index in packets.reached_within(phase) {
        reached[index] = true;
    }
    let known = reached.iter().filter(|reached| **reached).count();
    let more = usize::try_from(counts.received).unwrap_or(usize::MAX).saturating_sub(known);
    let bursts = bursts(&answered);
    let (with_known, others): (Vec<_>, Vec<_>) =
        bursts.into_iter().partition(|burst| reached[burst.clone()].iter().any(|reached| *reached));
    let more = spread(&mut reached, &with_known, more);
    spread(&mut reached, &others, more);
    Some(reached)
}

/// Runs of packets without a response.
fn bursts(answered: &[bool]) -> Vec<Range<usize>> {
    let mut begin = 0;
    let mut bursts = Vec::new();
    for run in answered.chunk_by(|one, next| one == next) {
        let range = begin..begin + run.len();
        begin = range.end;
        if !run[0] {
            bursts.push(range);
        }
    }
    bursts
}

/// Marks `most` packets of bursts as having reached the peer, whole bursts as far as possible, evenly among them;
/// returns how many are left over.
fn spread(reached: &mut [bool], bursts: &[Range<usize>], most: usize) -> usize {
    let open: Vec<Vec<usize>> =
        bursts.iter().map(|burst| burst.clone().filter(|packet| !reached[*packet]).collect()).collect();
    let of_all: usize = open.iter().map(Vec::len).sum();
    let most_here = most.min(of_all);
    let (mut seen, mut marked) = (0, 0);
    for packets in open {
        seen += packets.len();
        // the share that should be marked by now, rounded up so that the last burst completes it
        let due = (most_here * seen).div_ceil(of_all.max(1)).saturating_sub(marked);
        if 2 * due >= packets.len() {
            let some = packets.len().min(most_here - marked);
            packets[..some].iter().for_each(|packet| reached[*packet] = true);
            marked += some;
        }
    }
    // bursts that were passed over make up for what is missing, from the last
    for packet in bursts.iter().rev().flat_map(|burst| burst.clone().rev()) {
        if marked < most_here && !reached[packet] {
            reached[packet] = true;
            marked += 1;
        }
    }
    most - most_here
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prober::peer::{PeerTimes, ResidenceTime, Response};
    use sojourn_core::{Duration, Time};

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// A packet every 20 ms, answered where the text has a `+`.
    fn packets(answers: &str) -> Packets {
        let mut packets = Packets::starting_at(7);
        (0..answers.len() as u64).for_each(|n| packets.sent(at(20 * n), at(20 * n)));
        for (n, _) in answers.char_indices().filter(|(_, answer)| *answer == '+') {
            let n = n as u64;
            let far = Some(PeerTimes { received: n, sent: None, earlier: None, class: None, kernel: true });
            let (received, kernel_received, class) = (at(20 * n + 5), None, None);
            packets.answered(Response { sequence: 7 + n, received, kernel_received, far, class });
        }
        packets
    }

    fn text(packets: &Packets, received: u64) -> String {
        let counts = PeerCounts { received, ..PeerCounts::default() };
        let reached = reached_peer(packets, 0..packets.all().len(), Some(&counts)).unwrap();
        reached.into_iter().map(|reached| if reached { '+' } else { '-' }).collect()
    }

    #[test]
    fn all_losses_are_of_one_direction_where_the_peer_counted_none_or_all_of_them() {
        let packets = packets("++-+--+-++");
        assert_eq!(text(&packets, 6), "++-+--+-++");
        assert_eq!(text(&packets, 10), "++++++++++");
        assert_eq!(reached_peer(&packets, 0..10, None), None, "unknown without its counts");
    }

    #[test]
    fn a_residence_time_shows_that_a_request_without_a_response_reached_the_peer() {
        let mut packets = packets("++-+-+");
        packets.stayed(ResidenceTime { sequence: 7 + 4, ns: 50 });
        assert_eq!(text(&packets, 5), "++-+++");
    }

    #[test]
    fn what_the_peer_counted_beyond_that_is_taken_from_the_same_bursts_first() {
        let mut packets = packets("+-+---+");
        packets.stayed(ResidenceTime { sequence: 7 + 5, ns: 50 });
        assert_eq!(text(&packets, 5), "+-++-++");
        assert_eq!(text(&packets, 6), "+-+++++");
    }

    #[test]
    fn single_losses_are_divided_evenly_and_as_many_as_were_counted() {
        let packets = packets(&"+-+".repeat(40));
        for received in 80..=120 {
            let found = text(&packets, received);
            assert_eq!(found.matches('+').count() as u64, received);
        }
        let half: Vec<bool> = text(&packets, 100).chars().skip(1).step_by(3).map(|found| found == '+').collect();
        assert!(half.chunks(4).all(|four| four.iter().filter(|found| **found).count() == 2), "{half:?}");
    }

    #[test]
    fn bursts_of_loss_stay_whole() {
        // ten bursts of four: half of them reached the peer
        let packets = packets(&"++----".repeat(10));
        let found = text(&packets, 20 + 20);
        let whole = found.as_bytes().chunks(6).filter(|chunk| matches!(&chunk[2..], b"----" | b"++++")).count();
        assert_eq!(whole, 10, "{found}");
    }
}
