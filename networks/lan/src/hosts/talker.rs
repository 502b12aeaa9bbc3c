//! One direction of a call: a codec that sends one packet per packet time, and what its listener receives.

use sojourn_core::{Stream, Time, rekey_fields};
use sojourn_engine::sample::uniform;
use sojourn_metrics::jitter_buffer::talkspurts::{Heard, Slot};

use crate::rtp::Spoken;
use crate::site::{Activity, Call};

/// A talker, and the packets of it by packet time.
#[derive(Clone, Debug)]
pub struct Talker {
    /// The connection to its listener.
    pub connection: u32,
    /// The call that it is in.
    pub call: Call,
    /// The flow of the call.
    pub flow: u32,
    /// Whether it speaks, as events of the scenario decide; while it does not, its listener hears a pause.
    pub sends: bool,
    random: Stream,
    /// When its first packet leaves.
    first: Time,
    /// The first packet time that is observed.
    observed: u32,
    /// The next packet time.
    next: u32,
    /// Packets sent.
    packets: u16,
    /// Packet times left of a talkspurt, and whether the next packet is its first.
    left: u64,
    begins_talkspurt: bool,
    slots: Vec<Slot>,
}

impl Talker {
    /// A talker that has not begun; what leaves from `from` on is observed. Its packets leave at a random phase.
    pub fn new(activity: &Activity, call: Call, connection: u32, mut random: Stream, from: Time) -> Self {
        let first = Time::ZERO + activity.start + uniform(&mut random, activity.start_spread.max(call.packet_time()));
        let before = from.since(first).picoseconds().div_ceil(call.packet_time().picoseconds());
        let (observed, left) = (before as u32, u64::MAX);
        let (flow, sends) = (activity.flow, !activity.silent);
        let (slots, begins_talkspurt) = (Vec::new(), true);
        let (next, packets) = (0, 0);
        let mut talker = Talker {
            connection,
            call,
            flow,
            sends,
            random,
            first,
            observed,
            next,
            packets,
            left,
            begins_talkspurt,
            slots,
        };
        talker.left = talker.talkspurt();
        talker
    }

    /// When the first packet leaves.
    pub fn begins(&self) -> Time {
        self.first
    }

    /// A packet leaves, if it [sends](Talker::sends), and when the next one leaves; none when the call is over.
    pub fn speak(&mut self, now: Time) -> (Option<Spoken>, Option<Time>) {
        let packet_time = self.next;
        let begins = std::mem::take(&mut self.begins_talkspurt);
        let sent = self.sends.then_some(Spoken { packet_time, number: self.packets, begins });
        self.packets = self.packets.wrapping_add(self.sends.into());
        if self.sends {
            self.note(packet_time, Slot::InFlight);
        }
        self.left -= 1;
        let mut silent = 0;
        if self.left == 0 {
            silent = self.pause();
            self.left = self.talkspurt();
            self.begins_talkspurt = true;
        }
        self.next = packet_time.saturating_add(1).saturating_add(silent.try_into().unwrap_or(u32::MAX));
        let goes_on = self.next < self.call.packet_times;
        (sent, goes_on.then(|| now + self.call.packet_time().times(1 + silent)))
    }

    /// What became of the packet of a packet time.
    pub fn note(&mut self, packet_time: u32, found: Slot) {
        let Some(slot) = packet_time.checked_sub(self.observed) else { return };
        let slot = slot as usize;
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, Slot::Pause);
        }
        self.slots[slot] = found;
    }

    /// When the packet of a packet time left.
    pub fn left_at(&self, packet_time: u32) -> Time {
        self.first + self.call.packet_time().times(packet_time.into())
    }

    /// What its listener hears until `end`.
    pub fn heard(&self, end: Time) -> Heard {
        let begin = self.first + self.call.packet_time().times(self.observed.into());
        self.call.buffer.listen(begin, &self.slots, end, self.call.playout)
    }

    /// Packet times of the next talkspurt, at least one.
    fn talkspurt(&mut self) -> u64 {
        self.packet_times(0).unwrap_or(u64::MAX)
    }

    fn pause(&mut self) -> u64 {
        self.packet_times(1).unwrap_or(0)
    }

    /// Packet times of the next talkspurt (0) or pause (1); none of speech without pauses.
    fn packet_times(&mut self, which: usize) -> Option<u64> {
        let packet_time = self.call.packet_time();
        let drawn = self.call.talkspurts.as_mut()?[which].draw(&mut self.random).picoseconds();
        Some(drawn.div_ceil(packet_time.picoseconds()).max(1))
    }
}

rekey_fields!(Talker { random });

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::{Duration, Streams};
    use sojourn_engine::law::Law;
    use sojourn_metrics::codec::Codec;
    use sojourn_metrics::jitter_buffer::JitterBuffer;
    use sojourn_metrics::jitter_buffer::talkspurts::Playout;

    use crate::rtp::RtpFormat;
    use crate::site::Service;
    use sojourn_model::laws::{RandomTime, Recorded};

    fn talker(talkspurts: Option<[Duration; 2]>, from: Time) -> Talker {
        talker_of(talkspurts.map(|means| means.map(|mean| RandomTime::Law(Law::exponential(mean)))), u32::MAX, from)
    }

    fn talker_of(talkspurts: Option<[RandomTime; 2]>, packet_times: u32, from: Time) -> Talker {
        let [packet_time, delay] = [20, 40].map(Duration::from_millis);
        let buffer = JitterBuffer { packet_time, delay, capacity: 10 };
        let playout = Playout::new(talkspurts.is_some(), talkspurts.is_some());
        let format = RtpFormat::of(Codec::G711, packet_time);
        let (octets, is_two_way) = (172, true);
        let call = Call { codec: Codec::G711, format, octets, buffer, talkspurts, is_two_way, packet_times, playout };
        let activity = Activity {
            flow: 0,
            name: "calls/1".to_owned(),
            from: 0,
            to: 1,
            connection: 0,
            polled: Vec::new(),
            start: Duration::ZERO,
            start_spread: Duration::ZERO,
            class: 0,
            dscp: 0,
            service: Service::Voice(call.clone()),
            silent: false,
        };
        Talker::new(&activity, call, 0, Streams::new(1, 0).stream("talker"), from)
    }

    /// Packet times in which it speaks, and when.
    fn speech(talker: &mut Talker, packets: usize) -> Vec<(u32, Time)> {
        let mut now = talker.begins();
        let mut speak = || {
            let (spoken, next) = talker.speak(now);
            (spoken.unwrap().packet_time, std::mem::replace(&mut now, next.unwrap()))
        };
        (0..packets).map(|_| speak()).collect()
    }

    #[test]
    fn continuous_speech_is_a_packet_each_packet_time_from_a_random_phase_on() {
        let mut talker = talker(None, Time::ZERO);
        let begins = talker.begins();
        assert!(begins < Time::ZERO + Duration::from_millis(20));
        for (n, (slot, at)) in (0..).zip(speech(&mut talker, 100)) {
            assert_eq!((slot, at), (n, begins + Duration::from_millis(20 * u64::from(n))));
        }
    }

    #[test]
    fn talkspurts_have_the_share_of_time_that_their_means_give() {
        let means = [1004, 1587].map(Duration::from_millis);
        let mut talker = talker(Some(means), Time::ZERO);
        let spoken = speech(&mut talker, 100_000);
        let share = 100_000.0 / f64::from(spoken[99_999].0 + 1);
        // 1.004 / 2.591, with half a packet time more of each; 2000 talkspurts give 2 % of deviation
        assert!((share - 1.014 / 2.611).abs() < 0.03, "{share}");
        assert!(spoken.iter().all(|(slot, at)| *at == talker.first + Duration::from_millis(20).times((*slot).into())));
    }

    #[test]
    fn a_recorded_call_has_its_talkspurts_and_pauses_in_their_order_and_ends() {
        let recorded = |milliseconds: [u64; 2]| {
            RandomTime::Recorded(Recorded::new(&milliseconds.map(Duration::from_millis)).unwrap())
        };
        // 2 packets, a pause of 3, 1 packet, a pause of 1, 2 packets again, of which the call has 1
        let mut talker = talker_of(Some([recorded([40, 20]), recorded([60, 20])]), 8, Time::ZERO);
        let (mut now, mut spoken) = (Some(talker.begins()), Vec::new());
        while let Some(at) = now {
            let (sent, next) = talker.speak(at);
            let Spoken { packet_time, number, begins } = sent.unwrap();
            spoken.push((packet_time, number, begins));
            now = next;
        }
        assert_eq!(spoken, [(0, 0, true), (1, 1, false), (5, 2, true), (7, 3, true)]);
    }

    #[test]
    fn a_talker_that_an_event_stops_is_a_pause_to_its_listener() {
        let mut talker = talker(None, Time::ZERO);
        for (slot, at) in speech(&mut talker, 50) {
            talker.note(slot, Slot::Arrived(at));
        }
        talker.sends = false;
        let mut now = talker.begins() + Duration::from_secs(1);
        for _ in 0..50 {
            let (sent, next) = talker.speak(now);
            assert_eq!((sent, next), (None, Some(now + Duration::from_millis(20))));
            now = next.unwrap();
        }
        talker.sends = true;
        let (sent, _) = talker.speak(now);
        assert_eq!(sent, Some(Spoken { packet_time: 100, number: 50, begins: false }));
        talker.note(100, Slot::Arrived(now));
        let heard = talker.heard(Time::NEVER);
        assert_eq!((heard.played.spoken(), heard.played.played), (51, 51));
    }

    #[test]
    fn what_left_before_the_warm_up_ended_is_not_heard_and_sets_no_playout_delay() {
        let warm_up = Time::ZERO + Duration::from_secs(1);
        for before_ms in [3, 183] {
            let mut talker = talker(None, warm_up);
            for (slot, at) in speech(&mut talker, 150) {
                assert_eq!(talker.left_at(slot), at);
                let took = Duration::from_millis(if at < warm_up { before_ms } else { 93 });
                talker.note(slot, Slot::Arrived(at + took));
            }
            let heard = talker.heard(Time::NEVER);
            assert_eq!((heard.played.spoken(), heard.played.played), (100, 100), "packets before took {before_ms} ms");
            assert_eq!(heard.delay, Some(Duration::from_millis(133)));
        }
    }
}
