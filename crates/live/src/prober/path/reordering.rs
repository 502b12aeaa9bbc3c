//! How far packets are overtaken, per direction: the reordering extent of RFC 4737, section 4.2, the number of packets
//! from the first that overtook one to its own arrival.

use sojourn_core::{Duration, Time};
use sojourn_metrics::display::Shown;
use sojourn_metrics::results::{PathFinding, Setting};

use super::direction::Direction;
use super::finding;
use crate::prober::packets::Packet;

/// Two arrivals closer than this have no order: kernel timestamps are converted from a wall clock.
const SAME: Duration = Duration::from_micros(20);

/// The packets of a direction that were overtaken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reordering {
    /// How many.
    packets: u64,
    /// Of how many that arrived.
    of: u64,
    /// The largest reordering extent, in packets.
    extent: u64,
    /// The longest time after the first that overtook it: the late time of RFC 4737, section 4.3.
    late: Duration,
}

/// A finding for each direction that reorders packets. Of a peer without timestamps, or one whose clock may have begun anew,
/// the order there is not known, and there is one of both directions.
pub fn find(packets: &[Packet], first: u64, has_restarted: bool) -> Vec<PathFinding> {
    let mut answered: Vec<(u64, &Packet)> =
        (first..).zip(packets).filter(|(_, packet)| packet.received.is_some()).collect();
    let here = |(number, packet): &(u64, &Packet)| (*number, packet.received.unwrap_or_default());
    if has_restarted || answered.iter().any(|(_, packet)| packet.far_received.is_none()) {
        answered.sort_by_key(|(_, packet)| packet.received);
        let arrivals: Vec<(u64, Time)> = answered.iter().map(here).collect();
        return of(&arrivals).map(|found| found.finding(None)).into_iter().collect();
    }
    answered.sort_by_key(|(number, packet)| (packet.far_received, *number));
    // a clock of the day counts more than a time can hold
    let first_there = answered.first().and_then(|(_, packet)| packet.far_received).unwrap_or_default();
    let far = |packet: &Packet| far(packet.far_received.unwrap_or_default() - first_there);
    let there: Vec<(u64, Time)> = answered.iter().map(|(number, packet)| (*number, far(packet))).collect();
    // responses are numbered in the order that requests arrived there
    let mut back: Vec<(u64, Time)> =
        (0..).zip(&answered).map(|(rank, (_, packet))| (rank, packet.received.unwrap_or_default())).collect();
    back.sort_by_key(|(rank, received)| (*received, *rank));
    let found = Direction::BOTH.into_iter().zip([there, back]);
    found.filter_map(|(direction, arrivals)| Some(of(&arrivals)?.finding(Some(direction)))).collect()
}

/// So long after the first arrival at the peer.
fn far(ns: u64) -> Time {
    Time::ZERO + Duration::from_nanos(ns.min(u64::MAX / 1000))
}

/// Of numbers in the order of their arrival; `None` where none was overtaken.
fn of(arrivals: &[(u64, Time)]) -> Option<Reordering> {
    // position, number and time of each arrival with a higher number than all before
    let mut highest: Vec<(usize, u64, Time)> = Vec::new();
    let mut found = Reordering { of: arrivals.len() as u64, ..Reordering::default() };
    for (position, &(number, at)) in arrivals.iter().enumerate() {
        let overtook = highest.partition_point(|(_, other, _)| *other < number);
        let Some(&(first, _, since)) = highest.get(overtook) else {
            highest.push((position, number, at));
            continue;
        };
        let late = at.since(since);
        if late >= SAME {
            found.packets += 1;
            found.extent = found.extent.max((position - first) as u64);
            found.late = found.late.max(late);
        }
    }
    (found.packets > 0).then_some(found)
}

impl Reordering {
    fn finding(&self, direction: Option<Direction>) -> PathFinding {
        let Reordering { packets, of, extent, late } = *self;
        let late = late.seconds();
        let several = if extent == 1 { "packet" } else { "packets" };
        let text = format!(
            "{packets} of {of} packets are overtaken {}, by up to {extent} {several} (reordering extent) and {}",
            direction.map_or("in either direction", Direction::phrase),
            Shown::unit("s").value(Some(late), 0.0, 3),
        );
        let counts = [("packets", packets), ("of", of), ("extent", extent)];
        let counts = counts.map(|(name, count)| (name, Setting::Integer(count as i64)));
        let values = counts.into_iter().chain([("late", Setting::Number(late))]);
        PathFinding {
            values: values.map(|(name, value)| (name.to_owned(), value)).collect(),
            ..finding("reordering", direction, text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// These numbers, one arrival a millisecond.
    fn arrivals(numbers: &[u64]) -> Option<Reordering> {
        let arrivals: Vec<(u64, Time)> = (0..).map(at).zip(numbers).map(|(at, number)| (*number, at)).collect();
        of(&arrivals)
    }

    #[test]
    fn the_extent_counts_from_the_first_that_overtook_a_packet() {
        // 4, 5 and 6 are overtaken by 7 first, with extents 4, 5 and 6
        let found = arrivals(&[1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11]);
        let late = Duration::from_millis(6);
        assert_eq!(found, Some(Reordering { packets: 3, of: 11, extent: 6, late }));
        let late = Duration::from_millis(2);
        assert_eq!(arrivals(&[1, 3, 4, 2, 5]), Some(Reordering { packets: 1, of: 5, extent: 2, late }));
    }

    #[test]
    fn losses_and_arrivals_at_the_same_time_are_no_reordering() {
        assert_eq!(arrivals(&[1, 4, 9]), None);
        assert_eq!(arrivals(&[]), None);
        assert_eq!(of(&[(2, at(1)), (1, at(1) + Duration::from_micros(3))]), None);
    }

    /// Requests that arrive there and whose responses arrive here at these times, in milliseconds.
    fn packets(times: &[(u64, u64)]) -> Vec<Packet> {
        let packet = |(there, here): &(u64, u64)| Packet {
            far_received: Some(there * 1_000_000),
            received: Some(at(*here)),
            ..Packet::default()
        };
        times.iter().map(packet).collect()
    }

    #[test]
    fn each_direction_has_its_own() {
        // the second request is overtaken by two; in the return direction the response to the first by three
        let packets = packets(&[(10, 60), (40, 59), (20, 55), (30, 56)]);
        let found = find(&packets, 0, false);
        let said: Vec<(&str, &Setting)> =
            found.iter().map(|one| (one.direction.as_deref().unwrap(), &one.values["extent"])).collect();
        assert_eq!(said, [("forward", &Setting::Integer(2)), ("return", &Setting::Integer(3))]);
        assert_eq!(
            found[0].text,
            "1 of 4 packets are overtaken in the forward direction, by up to 2 packets (reordering extent) and 20 ms"
        );
    }

    #[test]
    fn times_of_the_peer_may_be_those_of_the_day() {
        let mut packets = packets(&[(10, 60), (40, 59), (20, 55), (30, 56)]);
        for packet in &mut packets {
            // of NTP, since 1900
            packet.far_received = packet.far_received.map(|ns| ns + 3_990_000_000_000_000_000);
        }
        let found = find(&packets, 0, false);
        assert_eq!(found[0].values["late"], Setting::Number(0.02));
    }

    #[test]
    fn without_the_times_of_the_peer_it_is_of_both_directions() {
        let mut packets = packets(&[(10, 50), (20, 70), (30, 60)]);
        packets[0].far_received = None;
        let found = find(&packets, 7, false);
        assert_eq!((found.len(), found[0].direction.as_deref()), (1, None));
        assert_eq!(found[0].values["extent"], Setting::Integer(1));
    }
}
