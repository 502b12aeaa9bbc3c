//! A jitter buffer (playout buffer): it delays playout to absorb delay variation.
//!
//! The first packet to arrive starts it; after `delay` it begins playout, one packet per packet time, in the order
//! spoken. A packet that arrives after its playout instant is discarded, and so is one that finds the buffer full. A
//! fixed buffer keeps these instants. An adaptive one ([`talkspurts`]) moves them in the pauses of speech.

pub mod talkspurts;

use sojourn_core::{Duration, Time};

/// A fixed jitter buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JitterBuffer {
    /// Packetization time: the interval between packets.
    pub packet_time: Duration,
    /// Delay from the arrival of the first packet to its playout.
    pub delay: Duration,
    /// Capacity in packets, at least 1.
    pub capacity: u64,
}

/// Packets of a stream, counted by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Packets played in time.
    pub played: u64,
    /// Packets lost in the network.
    pub lost: u64,
    /// Packets discarded because they arrived after their playout instant.
    pub late: u64,
    /// Packets discarded because the buffer was full.
    pub overflowed: u64,
    /// Buffer underruns: playout instants with an empty buffer after one with packets.
    pub underflows: u64,
    /// Bursts of packets that were not played.
    pub gaps: u64,
    /// Index of the first packet to arrive, which sets all playout instants.
    pub first: Option<usize>,
}

impl JitterBuffer {
    /// Plays a stream from the arrival time of each packet in the order spoken; `None` for lost packets.
    pub fn play(&self, arrivals: &[Option<Time>]) -> Played {
        let order = in_order(arrivals.iter().copied());
        let first = order.first().map(|(_, packet)| *packet);
        let lost = (arrivals.len() - order.len()) as u64;
        let (played, _) = self.run(&order, arrivals.len(), |_| true, |packet| self.instant(&order, packet));
        Played { first, lost, ..played }
    }

    /// Plays `slots` packet times of which those `spoken` have a packet, at these instants in picoseconds, from the arrivals
    /// in order; counts all but the lost, and says which were played.
    fn run(
        &self,
        order: &[(Time, usize)],
        slots: usize,
        spoken: impl Fn(usize) -> bool,
        instant: impl Fn(usize) -> i128,
    ) -> (Played, Vec<bool>) {
        let mut played = Played::default();
        let mut held = vec![false; slots];
        let (mut level, mut coming) = (0, order.iter().peekable());
        // whether the previous instant had its packet, and whether the buffer held any
        let (mut went_well, mut found_some) = (true, false);
        for packet in (0..slots).filter(|packet| spoken(*packet)) {
            let instant = instant(packet);
            while let Some((_, arrived)) = coming.next_if(|(at, _)| in_picoseconds(*at) <= instant) {
                if *arrived < packet {
                    played.late += 1;
                } else if level == self.capacity {
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
        (played, held)
    }

    /// Playout instant of a packet, in picoseconds; negative where the first to arrive was spoken long after it.
    fn instant(&self, order: &[(Time, usize)], packet: usize) -> i128 {
        let Some((at, first)) = order.first() else { return 0 };
        let ahead = packet as i128 - *first as i128;
        in_picoseconds(*at + self.delay) + ahead * i128::from(self.packet_time.picoseconds())
    }
}

impl Played {
    /// Number of packets sent by the talker.
    pub fn spoken(&self) -> u64 {
        self.played + self.lost + self.late + self.overflowed
    }

    /// Share of the packets not played, 0 to 1; 0 for an empty stream.
    pub fn loss(&self) -> f64 {
        let spoken = self.spoken();
        if spoken == 0 { 0.0 } else { (spoken - self.played) as f64 / spoken as f64 }
    }

    /// Burst ratio: mean length of loss bursts over that under random loss, at least 1 (ITU-T G.107, clause 7.5).
    pub fn burst_ratio(&self) -> f64 {
        if self.gaps == 0 {
            return 1.0;
        }
        let mean_run = (self.spoken() - self.played) as f64 / self.gaps as f64;
        (mean_run * (1.0 - self.loss())).max(1.0)
    }
}

/// Packets in the order of their arrival.
fn in_order(arrivals: impl Iterator<Item = Option<Time>>) -> Vec<(Time, usize)> {
    let mut order: Vec<(Time, usize)> =
        arrivals.enumerate().filter_map(|(packet, at)| at.map(|at| (at, packet))).collect();
    order.sort_unstable();
    order
}

fn in_picoseconds(at: Time) -> i128 {
    i128::from(at.picoseconds())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: u64 = 20;

    /// Packets of 20 ms, a delay of 30 ms, capacity of four packets.
    fn buffer() -> JitterBuffer {
        JitterBuffer { packet_time: Duration::from_millis(PACKET), delay: Duration::from_millis(30), capacity: 4 }
    }

    /// Arrivals of packets with these delays in milliseconds; `None` for lost packets.
    fn after(delays_ms: &[Option<u64>]) -> Vec<Option<Time>> {
        let arrival = |(packet, delay): (usize, &Option<u64>)| {
            delay.map(|delay_ms| Time::ZERO + Duration::from_millis(packet as u64 * PACKET + delay_ms))
        };
        delays_ms.iter().enumerate().map(arrival).collect()
    }

    #[test]
    fn delay_variation_within_the_buffer_delay_is_absorbed() {
        let delays: Vec<Option<u64>> = (0..100).map(|packet| Some(10 + packet * 7 % 30)).collect();
        let played = buffer().play(&after(&delays));
        assert_eq!(played, Played { played: 100, first: Some(0), ..Played::default() });
        assert_eq!((played.loss(), played.burst_ratio()), (0.0, 1.0));
    }

    #[test]
    fn a_packet_is_in_time_at_its_playout_instant_and_late_a_millisecond_after() {
        let played = |delay_ms| buffer().play(&after(&[Some(10), Some(delay_ms), Some(10)]));
        assert_eq!((played(40).played, played(40).late), (3, 0));
        assert_eq!((played(41).played, played(41).late, played(41).gaps), (2, 1, 1));
    }

    #[test]
    fn a_single_loss_is_a_gap_without_underrun_and_an_outage_is_one_underrun() {
        // the instants are 40, 60, 80, ...: at 60 packet 2 is in the buffer already
        let gap = buffer().play(&after(&[Some(10), None, Some(10), Some(10)]));
        assert_eq!((gap.lost, gap.gaps, gap.underflows), (1, 1, 0));
        let silence = buffer().play(&after(&[Some(10), None, None, None, Some(10), Some(10)]));
        assert_eq!((silence.lost, silence.gaps, silence.underflows), (3, 1, 1));
        assert_eq!(silence.burst_ratio(), 1.5, "three in a row, where half were lost");
    }

    #[test]
    fn a_burst_after_a_pause_overflows_a_full_buffer() {
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
    fn a_reordered_first_packet_sets_the_playout_instants() {
        let played = buffer().play(&after(&[Some(45), Some(10), Some(10)]));
        assert_eq!((played.first, played.played, played.late), (Some(1), 2, 1), "packet 0 was due at 40 ms");
        let played = buffer().play(&after(&[Some(38), Some(10), Some(10)]));
        assert_eq!((played.played, played.late), (3, 0));
    }

    #[test]
    fn a_stream_without_arrivals_is_lost() {
        let played = buffer().play(&[None; 5]);
        assert_eq!((played.lost, played.first, played.underflows, played.loss()), (5, None, 0, 1.0));
        assert_eq!(played.burst_ratio(), 1.0);
        assert_eq!(buffer().play(&[]).loss(), 0.0);
    }
}
