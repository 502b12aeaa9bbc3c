//! The sequence numbers of a stream (RFC 3550, A.1 and A.3): which packets were lost, came again or were overtaken, and how
//! losses follow each other.

/// Sequence numbers up to the highest that are remembered: packets overtaken by more count as lost.
const REMEMBERED: u64 = 128;
/// A gap from which on numbers have begun anew, and how far behind (RFC 3550, A.1).
const MOST_DROPPED: u16 = 3000;
const MOST_MISORDERED: u16 = 100;
/// Packets played between two losses of different bursts (Gmin of RFC 3611, 4.7.2).
const BETWEEN_BURSTS: u64 = 16;

/// What a sequence number shows of its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is the highest so far.
    Next,
    /// A higher one came before it.
    Overtaken,
    /// It came before.
    Copy,
    /// It is far from the others, and perhaps the first of a new series.
    Strange,
}

/// What became of the packets of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Packets that were sent, as their numbers show.
    pub sent: u64,
    /// Packets that did not come.
    pub lost: u64,
    /// Runs of lost packets.
    pub loss_bursts: u64,
    /// Packets of the longest.
    pub longest_loss_burst: u64,
    /// Packets that came too late to be played.
    pub late: u64,
    /// Runs of packets that were not played.
    pub gaps: u64,
    /// Bursts (RFC 3611, 4.7.2): losses and late packets with fewer than 16 played packets between them, two or more.
    pub bursts: u64,
    /// Packets from the first to the last loss of all bursts.
    pub burst_packets: u64,
    /// Packets of bursts that were not played.
    pub burst_losses: u64,
}

/// The numbers around the highest one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    delivery: Delivery,
    /// The highest number, with its cycles.
    highest: u64,
    /// Numbers remembered.
    remembered: u64,
    /// By distance from the highest: whether it came, and in time.
    came: u128,
    played: u128,
    /// Lost, and not played, up to now in a row.
    lost: u64,
    unplayed: u64,
    /// Packets played since the last that was not; none before the first.
    since: Option<u64>,
    /// Packets, and those not played, of the burst that goes on.
    burst: (u64, u64),
    /// The number that would follow a strange one.
    strange: Option<u16>,
}

impl Window {
    /// Takes a sequence number.
    pub fn take(&mut self, sequence: u16) -> Place {
        if self.remembered == 0 {
            self.begin(sequence);
            return Place::Next;
        }
        let ahead = sequence.wrapping_sub(self.highest as u16);
        let behind = ahead.wrapping_neg();
        if ahead > 0 && ahead < MOST_DROPPED {
            self.advance(ahead.into());
        } else if behind < MOST_MISORDERED {
            return self.behind(behind.into());
        } else if self.strange == Some(sequence) {
            self.forget();
            self.begin(sequence);
        } else {
            self.strange = Some(sequence.wrapping_add(1));
            return Place::Strange;
        }
        self.strange = None;
        Place::Next
    }

    /// The packet that was taken last, so far behind the highest, comes too late to be played.
    pub fn late(&mut self, sequence: u16) {
        let behind = (self.highest as u16).wrapping_sub(sequence);
        self.played &= !1_u128.checked_shl(behind.into()).unwrap_or(0);
    }

    /// The stream ends.
    pub fn finish(mut self) -> Delivery {
        self.forget();
        self.delivery
    }

    fn begin(&mut self, sequence: u16) {
        (self.highest, self.remembered) = (sequence.into(), 1);
        (self.came, self.played) = (1, 1);
    }

    fn advance(&mut self, ahead: u64) {
        for _ in 0..ahead {
            if self.remembered == REMEMBERED {
                self.judge(REMEMBERED - 1);
            } else {
                self.remembered += 1;
            }
            self.came <<= 1;
            self.played <<= 1;
        }
        self.highest += ahead;
        self.came |= 1;
        self.played |= 1;
    }

    fn behind(&mut self, behind: u64) -> Place {
        // a packet overtaken by the first that was captured
        self.remembered = self.remembered.max(behind + 1);
        let bit = 1 << behind;
        if self.came & bit != 0 {
            return Place::Copy;
        }
        self.came |= bit;
        self.played |= bit;
        Place::Overtaken
    }

    /// Judges all that is remembered, the oldest first.
    fn forget(&mut self) {
        for behind in (0..self.remembered).rev() {
            self.judge(behind);
        }
        (self.remembered, self.strange) = (0, None);
        self.end_run();
        self.end_burst();
    }

    fn judge(&mut self, behind: u64) {
        let [came, played] = [self.came, self.played].map(|bits| bits >> behind & 1 == 1);
        self.delivery.sent += 1;
        if came {
            self.end_run();
            self.delivery.late += u64::from(!played);
        } else {
            self.delivery.lost += 1;
            self.lost += 1;
        }
        if played {
            self.unplayed = 0;
            self.since = self.since.map(|since| since + 1);
            return;
        }
        self.delivery.gaps += u64::from(self.unplayed == 0);
        self.unplayed += 1;
        match self.since.replace(0) {
            Some(since) if since < BETWEEN_BURSTS => {
                self.burst = (self.burst.0 + since + 1, self.burst.1 + 1);
            }
            _ => {
                self.end_burst();
                self.since = Some(0);
                self.burst = (1, 1);
            }
        }
    }

    /// A run of lost packets is over.
    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.lost);
        self.delivery.loss_bursts += u64::from(run > 0);
        self.delivery.longest_loss_burst = self.delivery.longest_loss_burst.max(run);
    }

    /// A single loss is not a burst.
    fn end_burst(&mut self) {
        self.since = None;
        let (packets, losses) = std::mem::take(&mut self.burst);
        if losses > 1 {
            self.delivery.bursts += 1;
            self.delivery.burst_packets += packets;
            self.delivery.burst_losses += losses;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn delivery(numbers: impl IntoIterator<Item = u16>) -> Delivery {
        let mut window = Window::default();
        numbers.into_iter().for_each(|number| {
            window.take(number);
        });
        window.finish()
    }

    #[test]
    fn numbers_that_do_not_come_are_lost_in_runs_over_the_end_of_the_numbers_too() {
        let numbers = (65_500..=65_535).chain(3..100).filter(|number| ![50, 52, 53, 54].contains(number));
        let found = delivery(numbers);
        assert_eq!((found.sent, found.lost), (136, 7));
        assert_eq!((found.loss_bursts, found.longest_loss_burst), (3, 3), "0 to 2, 50, and 52 to 54");
    }

    #[test]
    fn a_packet_that_comes_behind_others_is_overtaken_and_one_that_comes_again_a_copy() {
        let mut window = Window::default();
        let places = [10, 12, 11, 11, 12, 13, 9].map(|number| window.take(number));
        let [next, overtaken, copy] = [Place::Next, Place::Overtaken, Place::Copy];
        assert_eq!(places, [next, next, overtaken, copy, copy, next, overtaken]);
        assert_eq!((window.finish().sent, window.finish().lost), (5, 0));
    }

    #[test]
    fn losses_closer_than_sixteen_packets_are_a_burst_and_one_alone_is_a_gap() {
        // lost: 20; 60, 65, 81; 200
        let lost = [20, 60, 65, 81, 200];
        let found = delivery((0..300).filter(|number| !lost.contains(number)));
        assert_eq!((found.bursts, found.burst_packets, found.burst_losses), (1, 22, 3), "15 packets from 65 to 81");
        let apart = delivery((0..300).filter(|number| ![60, 77].contains(number)));
        assert_eq!((apart.bursts, apart.lost), (0, 2), "16 packets between");
    }

    #[test]
    fn late_packets_are_not_lost_and_count_in_gaps_and_bursts() {
        let mut window = Window::default();
        for number in 0..40 {
            if number != 12 {
                window.take(number);
            }
            if [10, 11].contains(&number) {
                window.late(number);
            }
        }
        let found = window.finish();
        assert_eq!((found.lost, found.late, found.gaps), (1, 2, 1));
        assert_eq!((found.bursts, found.burst_packets, found.burst_losses), (1, 3, 3));
    }

    #[test]
    fn numbers_begin_anew_after_two_strange_ones_in_a_row() {
        let mut window = Window::default();
        window.take(5);
        assert_eq!([20_000, 6, 30_000, 30_001, 30_002].map(|number| window.take(number)), {
            [Place::Strange, Place::Next, Place::Strange, Place::Next, Place::Next]
        });
        assert_eq!((window.finish().sent, window.finish().lost), (4, 0));
    }

    proptest! {
        #[test]
        fn of_numbers_in_any_order_what_came_and_what_was_lost_are_all_that_was_sent(
            steps in prop::collection::vec((0..3000_u16, 0..90_u16, any::<bool>()), 1..200),
        ) {
            let (mut window, mut highest, mut came) = (Window::default(), 7_u16, 0);
            for (ahead, behind, is_late) in steps {
                highest = highest.wrapping_add(ahead);
                for number in [highest, highest.wrapping_sub(behind)] {
                    let place = window.take(number);
                    prop_assert!(place != Place::Strange);
                    came += u64::from(place != Place::Copy);
                    if is_late {
                        window.late(number);
                    }
                }
            }
            let found = window.finish();
            prop_assert_eq!(found.sent, came + found.lost);
            prop_assert!(found.burst_losses <= found.lost + found.late && found.burst_losses <= found.burst_packets);
            prop_assert!(found.loss_bursts <= found.lost && found.longest_loss_burst <= found.lost);
        }
    }
}
