//! Loss, duplicates and reordering per direction, from the peer's own counters.

use std::ops::Range;

use sojourn_metrics::record::Record;

use super::packets::Packets;
use super::peer::{PeerCounts, ReturnFaults};
use super::verdicts::Verdicts;

/// Records the faults of each direction in a phase whose requests had these verdicts.
///
/// What reached the peer and was never answered was lost on the return.
pub fn record_metrics(
    record: &mut Record,
    packets: &Packets,
    phase: Range<usize>,
    verdicts: Verdicts,
    counts: Option<&PeerCounts>,
) {
    let Some(counts) = counts else { return };
    let (sent, answered) = (verdicts.decided(), verdicts.answered + verdicts.late + verdicts.failed);
    // an answered request was received, whatever the peer counted; so were those of a pause, as far as is known
    let received = counts.received.saturating_sub(verdicts.unknown).clamp(answered, sent);
    record.share("loss/forward", sent - received, sent);
    record.share("loss/return", received - answered, received);
    let (_, duplicates) = packets.faults_within(phase.clone());
    let counted = ReturnFaults { duplicates, reordered: packets.reordered_return(phase) };
    let of_return = counts.of_return.unwrap_or(counted);
    record.count("duplicates", counts.duplicates + of_return.duplicates);
    record.count("duplicates/forward", counts.duplicates);
    record.count("duplicates/return", of_return.duplicates);
    record.share("reordering/forward", counts.reordered.min(received), received);
    record.share("reordering/return", of_return.reordered.min(answered), answered);
    if let Some(drops) = counts.socket_drops {
        record.count("socket_drops/remote", drops);
    }
}

#[cfg(test)]
mod tests {
    use super::super::peer::{PeerTimes, Response};
    use super::*;
    use sojourn_core::{Duration, Time};
    use sojourn_metrics::record::Observation;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    #[test]
    fn what_the_peer_received_and_was_never_answered_was_lost_on_the_return() {
        let mut packets = Packets::starting_at(0);
        (0..10).for_each(|n| packets.sent(at(100 * n), at(100 * n)));
        // 7 reached the peer, of which 2 before an earlier one; the responses to 0, 2, 1 and 5, 5 arrived
        for (sequence, us, far) in [(0, 50, 1), (2, 250, 3), (1, 260, 2), (5, 550, 6), (5, 560, 6)] {
            let far = Some(PeerTimes { received: far, sent: None, earlier: None, class: None, kernel: true });
            let (received, kernel_received, class) = (at(us), None, None);
            packets.answered(Response { sequence, received, kernel_received, far, class });
        }
        let counts = PeerCounts { received: 7, duplicates: 3, reordered: 2, socket_drops: Some(4), of_return: None };
        let mut record = Record::default();
        let verdicts = Verdicts { answered: 3, late: 1, lost: 6, ..Verdicts::default() };
        record_metrics(&mut record, &packets, 0..10, verdicts, Some(&counts));
        let expected = [
            ("duplicates", Observation::Count(4)),
            ("duplicates/forward", Observation::Count(3)),
            ("duplicates/return", Observation::Count(1)),
            ("loss/forward", Observation::Share { part: 3, of: 10 }),
            ("loss/return", Observation::Share { part: 3, of: 7 }),
            ("reordering/forward", Observation::Share { part: 2, of: 7 }),
            ("reordering/return", Observation::Share { part: 1, of: 4 }),
            ("socket_drops/remote", Observation::Count(4)),
        ];
        assert_eq!(record.metrics, expected.map(|(name, observation)| (name.to_owned(), observation)).into());
    }

    #[test]
    fn without_counts_of_the_peer_no_direction_is_named() {
        let mut record = Record::default();
        record_metrics(&mut record, &Packets::default(), 0..0, Verdicts::default(), None);
        assert_eq!(record, Record::default());
    }
}
