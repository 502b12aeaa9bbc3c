//! The half-duplex MAC of IEEE 802.3, clause 4: defer, transmit, detect collisions, back off.
//!
//! The station takes one frame at a time. The driver says when it senses the carrier of others and when a collision, and draws the
//! slots of a backoff.

use std::collections::VecDeque;

use sojourn_core::{Duration, Machine, Time};

use super::{GAP, PREAMBLE, bit_times};

/// Parameters of 4.4.2; all but the rate are in bits or numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bits a second.
    pub rate: u64,
    /// slotTime: unit of the backoff, and from when a collision is late.
    pub slot_time: u32,
    /// interFrameGap.
    pub gap: u32,
    /// Its first part, in which a carrier that returns begins it again; as long as the gap where it is not split.
    pub first_part: u32,
    /// jamSize.
    pub jam: u32,
    /// attemptLimit.
    pub attempt_limit: u32,
    /// backOffLimit.
    pub backoff_limit: u32,
}

impl Settings {
    /// Those of 10 Mbit/s, at any rate.
    pub const fn new(rate: u64) -> Settings {
        Settings { rate, slot_time: 512, gap: GAP, first_part: 64, jam: 32, attempt_limit: 16, backoff_limit: 10 }
    }

    /// The most slots of the backoff after this many attempts, plus one: r is drawn below it.
    pub const fn slots(&self, attempts: u32) -> u32 {
        1 << if attempts < self.backoff_limit { attempts } else { self.backoff_limit }
    }

    fn time(&self, bits: u32) -> Duration {
        bit_times(bits, self.rate)
    }
}

/// What happens to a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A frame is to be sent, of this many bits from preamble to end delimiter. Only when the one before is done.
    Frame(u32),
    /// Carrier of others is sensed, or is not any more.
    Carrier(bool),
    /// A collision is sensed while the station transmits.
    Collision,
    /// The slots of the backoff, drawn uniformly below [`Output::BackOff`].
    Slots(u32),
}

/// What the station does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// The first bit of the preamble leaves.
    Start,
    /// What is left of the preamble and the jam are sent until then, in place of the frame.
    Jam(Time),
    /// The last bit of the jam has left.
    Stop,
    /// The last bit of the frame has left: it is done.
    Sent,
    /// It backs off: a number below this is to be drawn.
    BackOff(u32),
    /// It gives the frame up: it is done.
    Dropped(Reason),
}

/// Why a frame is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// All attempts collided.
    ExcessiveCollisions,
    /// It collided after the slot time.
    LateCollision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    /// It waits for the slots that are drawn.
    Drawing,
    /// It defers, or backs off.
    Waiting,
    Transmitting {
        since: Time,
        until: Time,
    },
    Jamming {
        until: Time,
        late: bool,
    },
}

/// The medium access of a station.
#[derive(Clone, Debug)]
pub struct Mac {
    settings: Settings,
    state: State,
    /// Bits of the frame.
    bits: u32,
    /// Attempts that have collided.
    attempts: u32,
    backoff_until: Time,
    carrier: bool,
    /// When the carrier ended last, of others or its own.
    idle_since: Time,
    /// The second part of a gap runs, whatever the carrier does, until then.
    opens: Option<Time>,
    outputs: VecDeque<Output>,
}

impl Mac {
    /// A station on a wire that has been silent for long at `now`.
    pub fn new(settings: Settings) -> Mac {
        Mac {
            settings,
            state: State::Idle,
            bits: 0,
            attempts: 0,
            backoff_until: Time::ZERO,
            carrier: false,
            idle_since: Time::ZERO,
            opens: None,
            outputs: VecDeque::new(),
        }
    }

    /// Whether it can take a frame.
    pub fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    /// Attempts of its frame that have collided.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Whether it defers: it has a frame, and carrier or gap keep it from the wire.
    pub fn defers(&self, now: Time) -> bool {
        self.state == State::Waiting && self.may_send_at().is_none_or(|at| at > now)
    }

    fn take(&mut self, now: Time, bits: u32) {
        assert!(self.is_idle(), "one frame at a time");
        (self.bits, self.attempts, self.backoff_until, self.state) = (bits, 0, now, State::Waiting);
        self.try_to_send(now);
    }

    /// When deferral ends, as far as is known.
    fn open_at(&self) -> Option<Time> {
        match self.opens {
            Some(at) => Some(at),
            None if self.carrier => None,
            None => Some(self.idle_since + self.settings.time(self.settings.gap)),
        }
    }

    fn may_send_at(&self) -> Option<Time> {
        let open = self.open_at()?;
        // a gap that ends while the station backs off does not help it: the carrier is there again
        (self.opens.is_none() || self.backoff_until <= open).then(|| open.max(self.backoff_until))
    }

    fn try_to_send(&mut self, now: Time) {
        self.opens = self.opens.filter(|at| *at >= now);
        if self.state == State::Waiting && self.may_send_at().is_some_and(|at| at <= now) {
            self.opens = None;
            self.state = State::Transmitting { since: now, until: now + self.settings.time(self.bits) };
            self.outputs.push_back(Output::Start);
        }
    }

    fn carrier(&mut self, now: Time, on: bool) {
        if on == self.carrier {
            return;
        }
        self.carrier = on;
        if on {
            let [first, whole] =
                [self.settings.first_part, self.settings.gap].map(|bits| self.idle_since + self.settings.time(bits));
            if (first..=whole).contains(&now) && self.settings.first_part < self.settings.gap {
                self.opens = Some(whole);
            }
        } else if self.opens.is_none_or(|at| at <= now) {
            (self.opens, self.idle_since) = (None, now);
        } else {
            self.opens = None;
        }
        self.try_to_send(now);
    }

    fn collide(&mut self, now: Time) {
        let State::Transmitting { since, .. } = self.state else { return };
        let late = now >= since + self.settings.time(self.settings.slot_time);
        let until = now.max(since + self.settings.time(PREAMBLE)) + self.settings.time(self.settings.jam);
        self.state = State::Jamming { until, late };
        self.outputs.push_back(Output::Jam(until));
    }

    fn jammed(&mut self, now: Time, late: bool) {
        self.outputs.push_back(Output::Stop);
        self.idle_since = now;
        self.attempts += 1;
        let reason = match self.attempts {
            _ if late => Some(Reason::LateCollision),
            attempts if attempts >= self.settings.attempt_limit => Some(Reason::ExcessiveCollisions),
            _ => None,
        };
        self.state = match reason {
            Some(reason) => {
                self.outputs.push_back(Output::Dropped(reason));
                State::Idle
            }
            None => {
                self.outputs.push_back(Output::BackOff(self.settings.slots(self.attempts)));
                State::Drawing
            }
        };
    }
}

impl Machine for Mac {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::Frame(bits) => self.take(now, bits),
            Input::Carrier(on) => self.carrier(now, on),
            Input::Collision => self.collide(now),
            Input::Slots(slots) if self.state == State::Drawing => {
                self.backoff_until = now + self.settings.time(self.settings.slot_time).times(slots.into());
                self.state = State::Waiting;
                self.try_to_send(now);
            }
            Input::Slots(_) => {}
        }
    }

    fn wake(&mut self, now: Time) {
        match self.state {
            State::Transmitting { until, .. } if until <= now => {
                (self.state, self.idle_since) = (State::Idle, now);
                self.outputs.push_back(Output::Sent);
            }
            State::Jamming { until, late } if until <= now => self.jammed(now, late),
            State::Waiting => self.try_to_send(now),
            _ => {}
        }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        match self.state {
            State::Idle | State::Drawing => None,
            State::Waiting => self.may_send_at(),
            State::Transmitting { until, .. } | State::Jamming { until, .. } => Some(until),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u64 = 10_000_000;

    /// An instant after this many bit times.
    fn at(bits: u32) -> Time {
        Time::ZERO + bit_times(bits, RATE)
    }

    fn station() -> Mac {
        Mac::new(Settings::new(RATE))
    }

    fn outputs(mac: &mut Mac) -> Vec<Output> {
        std::iter::from_fn(|| mac.poll_output()).collect()
    }

    #[test]
    fn a_frame_on_a_silent_wire_leaves_at_once_and_the_next_one_a_gap_later() {
        let mut mac = station();
        mac.handle(at(1000), Input::Frame(64 + 512));
        assert_eq!((outputs(&mut mac), mac.next_wakeup()), (vec![Output::Start], Some(at(1576))));
        mac.wake(at(1576));
        mac.handle(at(1576), Input::Frame(64 + 512));
        assert_eq!((outputs(&mut mac), mac.next_wakeup()), (vec![Output::Sent], Some(at(1672))));
        mac.wake(at(1672));
        assert_eq!(outputs(&mut mac), [Output::Start]);
    }

    #[test]
    fn a_carrier_in_the_first_64_bits_of_the_gap_begins_it_again_and_later_does_not() {
        for (returns, sends) in [(1063, None), (1064, Some(at(1096))), (1096, Some(at(1096)))] {
            let mut mac = station();
            mac.handle(at(0), Input::Carrier(true));
            mac.handle(at(500), Input::Frame(576));
            mac.handle(at(1000), Input::Carrier(false));
            mac.handle(at(returns), Input::Carrier(true));
            match sends {
                None => assert_eq!(mac.next_wakeup(), None, "{returns}"),
                Some(at) => {
                    let sent = mac.next_wakeup().is_none_or(|wakes| wakes >= at);
                    mac.wake(at);
                    assert!(sent && outputs(&mut mac).contains(&Output::Start), "{returns}");
                }
            }
        }
    }

    #[test]
    fn a_collision_in_the_preamble_jams_after_it_and_a_later_one_at_once() {
        for (collides, until) in [(10, 96), (64, 96), (200, 232)] {
            let mut mac = station();
            mac.handle(at(1000), Input::Frame(576));
            mac.handle(at(1000 + collides), Input::Collision);
            assert_eq!(outputs(&mut mac), [Output::Start, Output::Jam(at(1000 + until))]);
            mac.wake(at(1000 + until));
            assert_eq!(outputs(&mut mac), [Output::Stop, Output::BackOff(2)]);
            mac.handle(at(1000 + until), Input::Slots(1));
            assert_eq!(mac.next_wakeup(), Some(at(1000 + until + 512)));
        }
    }

    #[test]
    fn without_slots_it_sends_again_after_the_gap() {
        let mut mac = station();
        mac.handle(at(1000), Input::Frame(576));
        mac.handle(at(1000), Input::Collision);
        mac.wake(at(1096));
        mac.handle(at(1096), Input::Slots(0));
        assert_eq!(mac.next_wakeup(), Some(at(1192)));
    }

    #[test]
    fn slots_double_up_to_1024_and_the_16th_collision_gives_the_frame_up() {
        let (mut mac, mut now, mut drawn) = (station(), at(1000), Vec::new());
        mac.handle(now, Input::Frame(576));
        let reason = loop {
            mac.handle(now, Input::Collision);
            now = mac.next_wakeup().unwrap();
            mac.wake(now);
            match outputs(&mut mac).pop() {
                Some(Output::BackOff(below)) => drawn.push(below),
                Some(Output::Dropped(reason)) => break reason,
                other => panic!("{other:?}"),
            }
            mac.handle(now, Input::Slots(0));
            now = mac.next_wakeup().unwrap();
            mac.wake(now);
        };
        assert_eq!(drawn, [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024, 1024, 1024, 1024, 1024]);
        assert_eq!((reason, mac.attempts(), mac.is_idle()), (Reason::ExcessiveCollisions, 16, true));
        // the brief: 366.1 ms of backoff at most
        let slots: u32 = drawn.iter().map(|below| below - 1).sum();
        assert_eq!(f64::from(slots) * 51.2e-6, 0.366_131_2);
    }

    #[test]
    fn a_collision_after_the_slot_time_is_late_and_costs_the_frame() {
        let mut mac = station();
        mac.handle(at(1000), Input::Frame(12_216));
        mac.handle(at(1512), Input::Collision);
        mac.wake(at(1544));
        assert_eq!(outputs(&mut mac)[2..], [Output::Stop, Output::Dropped(Reason::LateCollision)]);
    }
}
