//! Offsets of periodic messages, so that those of a node are apart: dissimilar offset assignment (M. Grenier, L. Havet and N. Navet, Pushing the
//! limits of CAN: scheduling frames with offsets provides a major performance boost, ERTS 2008). Messages are placed by ascending
//! periods, each in the middle of the longest time in which the fewest of those before it are sent.

use sojourn_core::Duration;
use sojourn_engine::arrivals::Arrivals as Process;
use sojourn_model::traffic::Arrivals;

use crate::site::{FlowSettings, Offset, Offsets, StationSettings};

/// Offsets are multiples of this, or of an eighth of the shortest period.
const SLOT: Duration = Duration::from_millis(1);
/// Most slots of the longest period.
const MOST_SLOTS: u64 = 1 << 16;

/// Gives the periodic messages of the nodes that have offsets, or none, those.
pub fn assign(stations: &[StationSettings], flows: &mut [FlowSettings]) {
    for (number, station) in stations.iter().enumerate() {
        if station.class.offsets == Offsets::Random {
            continue;
        }
        // flow, sender, period
        let mut own = Vec::new();
        for (flow, settings) in flows.iter().enumerate().filter(|(_, flow)| !flow.together) {
            if let Arrivals::Process(Process::Periodic { period, .. }) = settings.arrivals {
                let senders = settings.senders.iter().enumerate();
                let of_station = senders.filter(|(_, sender)| sender.station as usize == number);
                own.extend(of_station.map(|(place, _)| (flow, place, period)));
            }
        }
        let periods: Vec<Duration> = own.iter().map(|&(_, _, period)| period).collect();
        let within = periods.iter().copied().max().unwrap_or_default();
        let offsets = match station.class.offsets {
            Offsets::Spread => spread(&periods),
            _ => vec![Duration::ZERO; periods.len()],
        };
        for ((flow, place, _), offset) in own.into_iter().zip(offsets) {
            flows[flow].senders[place].offset = Some(Offset { offset, within });
        }
    }
}

/// Offsets of messages with these periods, in their order.
fn spread(periods: &[Duration]) -> Vec<Duration> {
    let (Some(&shortest), Some(&longest)) = (periods.iter().min(), periods.iter().max()) else { return Vec::new() };
    let fine = SLOT.picoseconds().min(shortest.picoseconds() / 8);
    let slot = Duration::from_picoseconds(fine.max(longest.picoseconds().div_ceil(MOST_SLOTS)).max(1));
    let slots = longest.picoseconds().div_ceil(slot.picoseconds()) as usize;
    let mut sent = vec![0u32; slots];
    let mut offsets = vec![Duration::ZERO; periods.len()];
    let mut order: Vec<usize> = (0..periods.len()).collect();
    order.sort_by_key(|&message| periods[message]);
    for message in order {
        let period = periods[message];
        let choices = (period.whole(slot) as usize).clamp(1, slots);
        offsets[message] = slot.times(middle_of_the_quietest(&sent[..choices]) as u64);
        let mut at = offsets[message];
        while at < longest {
            sent[at.whole(slot) as usize] += 1;
            at += period;
        }
    }
    offsets
}

/// The middle of the longest run of the slots in which the fewest messages are sent; the last is before the first.
fn middle_of_the_quietest(sent: &[u32]) -> usize {
    let fewest = sent.iter().min().copied().unwrap_or(0);
    let Some(end) = sent.iter().position(|&count| count > fewest) else { return 0 };
    let (mut longest, mut middle, mut run) = (0, 0, 0);
    // from behind a slot with more, once around
    for place in end + 1..=end + sent.len() {
        if sent[place % sent.len()] == fewest {
            run += 1;
        } else {
            if run > longest {
                (longest, middle) = (run, (place - run + run / 2) % sent.len());
            }
            run = 0;
        }
    }
    middle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(periods: &[u64]) -> Vec<u64> {
        let periods: Vec<Duration> = periods.iter().map(|&period| Duration::from_millis(period)).collect();
        spread(&periods).into_iter().map(|offset| offset.whole(Duration::from_millis(1))).collect()
    }

    #[test]
    fn each_message_is_in_the_middle_of_the_longest_quiet_time() {
        // the first is sent at 0 and 10 ms; of 1 to 9 and 11 to 19 the earlier has 5 in the middle, and then the other 15
        assert_eq!(offsets(&[10, 20, 20]), [0, 5, 15]);
        // in the order of their periods, whatever that of the scenario
        assert_eq!(offsets(&[20, 10, 20]), [5, 0, 15]);
    }

    #[test]
    fn where_no_slot_is_free_those_with_the_fewest_are_taken() {
        // a period of 8 ms has slots of 1 ms: four messages at 0, 4, 2, 6 and four between them; the ninth begins again
        let eight = offsets(&[8; 8]);
        let mut sorted = eight.clone();
        sorted.sort_unstable();
        assert_eq!((&eight[..3], sorted), (&[0, 4, 2][..], (0..8).collect()));
        assert_eq!(offsets(&[8; 9])[8], 0);
    }

    #[test]
    fn nothing_and_periods_that_share_no_slot_have_offsets() {
        assert!(offsets(&[]).is_empty());
        assert_eq!(offsets(&[1000]), [0]);
        assert!(offsets(&[7, 13, 100_000]).iter().zip([7, 13, 100_000]).all(|(offset, period)| *offset < period));
    }
}
