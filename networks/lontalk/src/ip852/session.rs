//! A session between two members: sequence numbers, and the order in which the receiver takes packets.
//!
//! A packet that arrives ahead of its sequence is held (escrow) until the missing ones arrive or the escrow time is
//! over. A packet that arrives after its turn is discarded, since it would be out of order; so is one of a closed
//! session.

use sojourn_core::Time;

/// A packet that waits for those before it.
#[derive(Clone, Copy, Debug)]
struct Held {
    sequence: u64,
    packet: Arrived,
    until: Time,
}

/// A packet at its receiver.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// Its frame.
    pub frame: u32,
    /// Whether it is older than the channel timeout: it is discarded when its turn comes, and none behind it waits for it.
    pub is_stale: bool,
}

/// Frames that a receiver takes, in order, and those that it discards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Whose turn it is.
    pub passed: Vec<u32>,
    /// Whose turn is over, and stale ones.
    pub discarded: Vec<u32>,
}

impl Taken {
    fn take(&mut self, packet: Arrived) {
        if packet.is_stale { &mut self.discarded } else { &mut self.passed }.push(packet.frame);
    }
}

/// The packets of one member to another.
#[derive(Clone, Debug)]
pub struct Session {
    /// The number of the sender's session.
    pub number: u32,
    sent: u64,
    /// When the last datagram arrives.
    pub last_arrival: Time,
    /// At the receiver, the number of the session and the sequence that it takes next; none before the first packet.
    heard: Option<(u32, u64)>,
    held: Vec<Held>,
}

impl Default for Session {
    fn default() -> Self {
        Session { number: 0, sent: 0, last_arrival: Time::ZERO, heard: None, held: Vec::new() }
    }
}

impl Session {
    /// The sequence number of the next packet.
    pub fn next_sequence(&mut self) -> u64 {
        self.sent += 1;
        self.sent
    }

    /// The sender has restarted.
    pub fn begin_anew(&mut self) {
        self.number += 1;
        self.sent = 0;
    }

    /// The receiver has lost power, and what it held.
    pub fn forget(&mut self, held: &mut Vec<u32>) {
        self.heard = None;
        held.extend(self.held.drain(..).map(|held| held.packet.frame));
    }

    /// When the receiver gives up to wait for a packet.
    pub fn due(&self) -> Time {
        self.held.iter().map(|held| held.until).min().unwrap_or(Time::NEVER)
    }

    /// A packet arrives, which may wait for others until `until`: what it makes the receiver take or discard.
    pub fn arrive(&mut self, (number, sequence): (u32, u64), packet: Arrived, until: Option<Time>, taken: &mut Taken) {
        if self.heard.is_none_or(|(known, _)| known < number) {
            // the first of a session is taken whatever its sequence
            self.forget(&mut taken.discarded);
            self.heard = Some((number, sequence));
        }
        let Some((known, next)) = self.heard else { return };
        if number < known || sequence < next {
            taken.discarded.push(packet.frame);
            return;
        }
        match until {
            Some(until) if sequence > next => self.held.push(Held { sequence, packet, until }),
            _ => {
                taken.take(packet);
                self.heard = Some((number, sequence + 1));
                self.release(taken);
            }
        }
    }

    /// Packets have waited long enough: they and those before them are passed on, in order.
    pub fn give_up(&mut self, now: Time, taken: &mut Taken) {
        let over = self.held.iter().filter(|held| held.until <= now).map(|held| held.sequence).max();
        let (Some(last), Some((number, _))) = (over, self.heard) else { return };
        self.held.sort_unstable_by_key(|held| held.sequence);
        let count = self.held.iter().take_while(|held| held.sequence <= last).count();
        self.held.drain(..count).for_each(|held| taken.take(held.packet));
        self.heard = Some((number, last + 1));
        self.release(taken);
    }

    /// Passes on what waits no more.
    fn release(&mut self, taken: &mut Taken) {
        while let Some((number, next)) = self.heard
            && let Some(place) = self.held.iter().position(|held| held.sequence == next)
        {
            taken.take(self.held.swap_remove(place).packet);
            self.heard = Some((number, next + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use super::*;

    fn fresh(frame: u32) -> Arrived {
        Arrived { frame, is_stale: false }
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// What a receiver with an escrow time of 10 ms takes and discards, of packets (arrival in ms, sequence) of one session; the frame of a
    /// packet is its sequence.
    fn taken(arrivals: &[(u64, u32)]) -> (Vec<(u64, u32)>, Vec<u32>) {
        let (mut session, mut passed, mut discarded) = (Session::default(), Vec::new(), Vec::new());
        let mut ahead = arrivals.iter().copied().peekable();
        for now in 0..100 {
            let mut taken = Taken::default();
            if session.due() == at(now) {
                session.give_up(at(now), &mut taken);
            }
            while let Some((_, sequence)) = ahead.next_if(|(due, _)| *due == now) {
                session.arrive((0, sequence.into()), fresh(sequence), Some(at(now + 10)), &mut taken);
            }
            discarded.extend(taken.discarded);
            passed.extend(taken.passed.into_iter().map(|sequence| (now, sequence)));
        }
        (passed, discarded)
    }

    #[test]
    fn packets_in_order_pass_at_once() {
        assert_eq!(taken(&[(1, 1), (2, 2), (5, 3)]), (vec![(1, 1), (2, 2), (5, 3)], vec![]));
    }

    #[test]
    fn a_packet_ahead_of_others_waits_for_them() {
        assert_eq!(taken(&[(1, 1), (2, 4), (3, 3), (5, 2), (6, 5)]).0, [(1, 1), (5, 2), (5, 3), (5, 4), (6, 5)]);
    }

    #[test]
    fn behind_one_that_is_lost_a_packet_waits_for_the_escrow_time_and_the_next_less() {
        assert_eq!(taken(&[(1, 1), (2, 3), (8, 4), (13, 5)]).0, [(1, 1), (12, 3), (12, 4), (13, 5)]);
        // each gap is waited for
        assert_eq!(taken(&[(1, 1), (2, 3), (8, 5)]).0, [(1, 1), (12, 3), (18, 5)]);
    }

    #[test]
    fn a_packet_that_comes_after_its_turn_or_twice_is_discarded() {
        assert_eq!(taken(&[(1, 1), (2, 3), (14, 2), (15, 3)]), (vec![(1, 1), (12, 3)], vec![2, 3]));
    }

    #[test]
    fn without_escrow_a_packet_passes_at_once_and_those_before_it_are_discarded() {
        let (mut session, mut taken) = (Session::default(), Taken::default());
        for frame in [1, 3, 2, 4] {
            session.arrive((0, frame.into()), fresh(frame), None, &mut taken);
        }
        assert_eq!(taken, Taken { passed: vec![1, 3, 4], discarded: vec![2] });
    }

    #[test]
    fn a_stale_packet_takes_its_turn_and_is_discarded() {
        let (mut session, mut taken) = (Session::default(), Taken::default());
        for (frame, is_stale) in [(1, false), (3, true), (2, false), (4, true), (5, false)] {
            session.arrive((0, frame.into()), Arrived { frame, is_stale }, Some(at(10)), &mut taken);
        }
        assert_eq!(taken, Taken { passed: vec![1, 2, 5], discarded: vec![3, 4] });
    }

    #[test]
    fn a_sender_that_restarted_is_heard_and_what_it_sent_before_is_not() {
        let mut session = Session::default();
        let mut arrive = |number, sequence, frame| {
            let mut taken = Taken::default();
            session.arrive((number, sequence), fresh(frame), Some(at(10)), &mut taken);
            (taken.passed, taken.discarded)
        };
        assert_eq!(arrive(0, 7, 1), (vec![1], vec![]), "the first is taken whatever its sequence");
        assert_eq!(arrive(0, 9, 2), (vec![], vec![]));
        assert_eq!(arrive(1, 1, 3), (vec![3], vec![2]), "what waited for the old session is over");
        assert_eq!(arrive(0, 8, 4), (vec![], vec![4]));
        assert_eq!(arrive(1, 2, 5), (vec![5], vec![]));
    }
}
