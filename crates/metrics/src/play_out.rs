//! The buffer before a loudspeaker: it waits a little before it starts, so that packets which come late come in time.
//!
//! The first packet to arrive starts it; from `start_up` later on one packet is played every packet time, in the order
//! they were spoken. A packet that comes after its instant is discarded (an adaptive buffer would move the instants
//! instead; this one shows what a fixed one costs). A packet that finds the buffer full is discarded, too.

use sojourn_core::{Duration, Time};

/// A buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayOut {
    /// From one packet to the next, as they are spoken and played.
    pub packet_time: Duration,
    /// From the arrival of the first packet to its being played.
    pub start_up: Duration,
    /// Packets that it can hold, at least 1.
    pub room: u64,
}

/// What became of a stream of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Packets played.
    pub played: u64,
    /// Packets that never came.
    pub lost: u64,
    /// Packets that came after their instant.
    pub late: u64,
    /// Packets that found no room.
    pub overflowed: u64,
    /// Times that the buffer ran empty: an instant found nothing in it, after one that did.
    pub underflows: u64,
    /// Runs of packets that were not played.
    pub gaps: u64,
    /// Which packet came first, and so set the instants of all.
    pub first: Option<usize>,
}

impl PlayOut {
    /// Plays a stream: when each packet came, in the order they were spoken; `None` for those that never did.
    pub fn play(&self, arrivals: &[Option<Time>]) -> Played {
        let mut order: Vec<(Time, usize)> =
            arrivals.iter().enumerate().filter_map(|(packet, at)| at.map(|at| (at, packet))).collect();
        order.sort_unstable();
        let mut played = Played { first: order.first().map(|(_, packet)| *packet), ..Played::default() };
        played.lost = (arrivals.len() - order.len()) as u64;
        let mut held = vec![false; arrivals.len()];
        let (mut level, mut coming) = (0, order.iter().peekable());
        // whether the instant before this one had its packet, and whether it found anything at all
        let (mut went_well, mut found_some) = (true, false);
        for packet in 0..arrivals.len() {
            let instant = self.instant(&order, packet);
            while let Some((_, arrived)) = coming.next_if(|(at, _)| in_picoseconds(*at) <= instant) {
                if *arrived < packet {
                    played.late += 1;
                } else if level == self.room {
                    played.overflowed += 1;
                } else {
                    held[*arrived] = true;
                    level += 1;
                }
            }
            played.underflows += u64::from(level == 0 && found_some);
            found_some = level > 0;
            played.gaps += u64::from(!held[packet] && went_well);
            went_well = held[packet];
            level -= u64::from(held[packet]);
            played.played += u64::from(held[packet]);
        }
        played.late += coming.count() as u64;
        played
    }

    /// When a packet is played, in picoseconds: before time 0 where the first to come was spoken long after it.
    fn instant(&self, order: &[(Time, usize)], packet: usize) -> i128 {
        let Some((at, first)) = order.first() else { return 0 };
        let ahead = packet as i128 - *first as i128;
        in_picoseconds(*at + self.start_up) + ahead * i128::from(self.packet_time.picoseconds())
    }
}

impl Played {
    /// Packets spoken.
    pub fn spoken(&self) -> u64 {
        self.played + self.lost + self.late + self.overflowed
    }

    /// Share of the packets that were not played; 0 of none.
    pub fn loss(&self) -> f64 {
        let spoken = self.spoken();
        if spoken == 0 { 0.0 } else { (spoken - self.played) as f64 / spoken as f64 }
    }

    /// Mean run of packets not played, against that of as many losses at random, at least 1 (ITU-T G.107, clause 7.5).
    pub fn burst_ratio(&self) -> f64 {
        if self.gaps == 0 {
            return 1.0;
        }
        let mean_run = (self.spoken() - self.played) as f64 / self.gaps as f64;
        (mean_run * (1.0 - self.loss())).max(1.0)
    }
}

fn in_picoseconds(at: Time) -> i128 {
    i128::from(at.picoseconds())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: u64 = 20;

    /// 20 ms packets, started 30 ms after the first, room for four.
    fn buffer() -> PlayOut {
        PlayOut { packet_time: Duration::from_millis(PACKET), start_up: Duration::from_millis(30), room: 4 }
    }

    /// Packets that took so many milliseconds each on their way; `None` for the lost.
    fn after(delays_ms: &[Option<u64>]) -> Vec<Option<Time>> {
        let arrival = |(packet, delay): (usize, &Option<u64>)| {
            delay.map(|delay_ms| Time::ZERO + Duration::from_millis(packet as u64 * PACKET + delay_ms))
        };
        delays_ms.iter().enumerate().map(arrival).collect()
    }

    #[test]
    fn a_stream_that_varies_less_than_the_start_up_delay_is_played_whole() {
        let delays: Vec<Option<u64>> = (0..100).map(|packet| Some(10 + packet * 7 % 30)).collect();
        let played = buffer().play(&after(&delays));
        assert_eq!(played, Played { played: 100, first: Some(0), ..Played::default() });
        assert_eq!((played.loss(), played.burst_ratio()), (0.0, 1.0));
    }

    #[test]
    fn a_packet_that_takes_longer_is_late_by_a_millisecond_and_in_time_at_the_instant() {
        let played = |delay_ms| buffer().play(&after(&[Some(10), Some(delay_ms), Some(10)]));
        assert_eq!((played(40).played, played(40).late), (3, 0));
        assert_eq!((played(41).played, played(41).late, played(41).gaps), (2, 1, 1));
    }

    #[test]
    fn a_packet_lost_among_others_is_a_gap_and_no_underflow_and_silence_is_one_underflow() {
        // the instants are 40, 60, 80, ...: at 60 packet 2 is in the buffer already
        let gap = buffer().play(&after(&[Some(10), None, Some(10), Some(10)]));
        assert_eq!((gap.lost, gap.gaps, gap.underflows), (1, 1, 0));
        let silence = buffer().play(&after(&[Some(10), None, None, None, Some(10), Some(10)]));
        assert_eq!((silence.lost, silence.gaps, silence.underflows), (3, 1, 1));
        assert_eq!(silence.burst_ratio(), 1.5, "three in a row, where half were lost");
    }

    #[test]
    fn what_comes_all_at_once_after_a_pause_finds_room_only_as_far_as_there_is_some() {
        // 10 packets held up until 205 ms: instants 40, 60, ..., 200 have passed for the first nine
        let mut arrivals = after(&[Some(10); 18]);
        for arrival in &mut arrivals[1..=13] {
            *arrival = Some(Time::ZERO + Duration::from_millis(205));
        }
        let played = buffer().play(&arrivals);
        assert_eq!((played.late, played.overflowed, played.underflows), (8, 1, 1));
        assert_eq!(played.played, 9);
    }

    #[test]
    fn packets_that_overtake_the_first_set_the_instants_and_those_before_may_still_be_in_time() {
        let played = buffer().play(&after(&[Some(45), Some(10), Some(10)]));
        assert_eq!((played.first, played.played, played.late), (Some(1), 2, 1), "packet 0 was due at 40 ms");
        let played = buffer().play(&after(&[Some(38), Some(10), Some(10)]));
        assert_eq!((played.played, played.late), (3, 0));
    }

    #[test]
    fn nothing_at_all_is_a_stream_lost_whole() {
        let played = buffer().play(&[None; 5]);
        assert_eq!((played.lost, played.first, played.underflows, played.loss()), (5, None, 0, 1.0));
        assert_eq!(played.burst_ratio(), 1.0);
        assert_eq!(buffer().play(&[]).loss(), 0.0);
    }
}
