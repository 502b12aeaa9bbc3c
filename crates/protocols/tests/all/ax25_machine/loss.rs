//! Complete dialogues with each frame lost in turn, and with any frames lost: data arrive in order and once.

use proptest::prelude::*;
use sojourn_core::Duration;
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::Pid;

use super::lone::{v2_0, v2_2};
use super::radio::*;
use super::transcript::Bytes;

/// A dialogue: the number of I frames in each direction.
#[derive(Clone, Debug)]
struct Dialogue {
    settings: [Settings; 2],
    path: Vec<&'static str>,
    frames: [usize; 2],
    burst: u16,
}

fn text(from: usize, number: usize) -> Bytes {
    format!("{}{number}", if from == 0 { "ping" } else { "pong" }).into_bytes()
}

impl Dialogue {
    fn of(settings: Settings) -> Self {
        Dialogue { settings: [settings.clone(), settings], path: vec![], frames: [9, 4], burst: 4 }
    }

    /// A connects, both send, A disconnects once all is acknowledged.
    fn run(&self, lose: &[usize]) -> Radio {
        let mut radio = Radio::new(self.settings.clone());
        for name in &self.path {
            radio = radio.with_digipeater(name);
        }
        radio.lose = lose.to_vec();
        radio.burst = self.burst;
        radio.connect(0, 1, &self.path);
        radio.settle();
        let back: Vec<&str> = self.path.iter().rev().copied().collect();
        for (from, to, path) in [(0, 1, &self.path), (1, 0, &back)] {
            let Some(link) = radio.link(from, to, path) else { continue };
            for number in 0..self.frames[from] {
                radio.give(from, Input::Send { link, pid: Pid::NONE, data: text(from, number) });
            }
        }
        radio.settle();
        if let Some(link) = radio.link(0, 1, &self.path) {
            radio.give(0, Input::Disconnect { link });
        }
        radio.settle();
        radio
    }

    /// Loses no frame, then each frame in turn: all data arrive in order and once, and both ends disconnect.
    fn survives_the_loss_of_each_frame(&self) {
        let whole = self.run(&[]);
        self.expect_everything(&whole, "nothing");
        assert_eq!(whole.stations[0].counters().get(Counter::InformationResent), 0, "{:#?}", whole.log);
        for place in 0..whole.sent {
            self.expect_everything(&self.run(&[place]), &format!("frame {place}"));
        }
    }

    fn expect_everything(&self, radio: &Radio, lost: &str) {
        for (to, from) in [(1, 0), (0, 1)] {
            let expected: Vec<Bytes> = (0..self.frames[from]).map(|number| text(from, number)).collect();
            assert_eq!(radio.delivered[to], expected, "{lost} lost: {:#?}", radio.log);
        }
        assert_eq!(radio.count("A disconnected"), 1, "{lost} lost: {:#?}", radio.log);
        assert_eq!(radio.count("B disconnected"), 1, "{lost} lost: {:#?}", radio.log);
        assert_eq!(radio.count("A is reset") + radio.count("B is reset"), 0, "{lost} lost: {:#?}", radio.log);
        self.expect_silence(radio);
    }

    fn expect_silence(&self, radio: &Radio) {
        for station in &radio.stations {
            use sojourn_core::Machine;
            assert_eq!(station.next_wakeup(), None, "every timer has ended: {:#?}", radio.log);
            assert!(!station.wants_channel());
        }
    }
}

#[test]
fn of_v2_0() {
    Dialogue::of(v2_0()).survives_the_loss_of_each_frame();
}

#[test]
fn of_v2_0_with_delayed_acknowledgements_and_k_of_one() {
    let settings = Settings { t2: Duration::from_millis(500), k: 1, ..v2_0() };
    Dialogue::of(settings).survives_the_loss_of_each_frame();
}

#[test]
fn of_v2_0_with_each_start_and_adaptation_of_t1() {
    for t1_start in [TimerStart::TransmitEnd, TimerStart::PausedWhileBusy] {
        for round_trip in [T1Adaptation::DireWolf, T1Adaptation::Linux(Backoff::Exponential)] {
            let settings = Settings { t1_start, t1_adaptation: round_trip, ..v2_0() };
            Dialogue::of(settings).survives_the_loss_of_each_frame();
        }
    }
}

#[test]
fn of_v2_0_that_enquires_with_the_oldest_frame() {
    Dialogue::of(Settings { recovery: Recovery::OldestFrame, ..v2_0() }).survives_the_loss_of_each_frame();
}

#[test]
fn of_v2_2_with_each_reject_mode() {
    for reject in [RejectMode::GoBack, RejectMode::Selective, RejectMode::MultiSelective] {
        let settings = Settings { reject_mode: reject, xid_negotiation: true, ..v2_2() };
        Dialogue::of(settings).survives_the_loss_of_each_frame();
    }
}

#[test]
fn of_v2_2_with_v2_0() {
    for refuses_extended in [SabmeResponse::FrameReject, SabmeResponse::DisconnectedMode, SabmeResponse::Silent] {
        let older = Settings { sabme_response: refuses_extended, ..v2_0() };
        let dialogue = Dialogue { settings: [v2_2(), older], ..Dialogue::of(v2_2()) };
        dialogue.survives_the_loss_of_each_frame();
    }
}

#[test]
fn through_two_digipeaters() {
    for settings in [v2_0(), v2_2()] {
        let dialogue = Dialogue { path: vec!["DIGI1", "DIGI2-7"], ..Dialogue::of(settings) };
        dialogue.survives_the_loss_of_each_frame();
    }
}

fn some_settings() -> impl Strategy<Value = Settings> {
    let reject = prop::sample::select(vec![RejectMode::GoBack, RejectMode::Selective, RejectMode::MultiSelective]);
    let t1_start =
        prop::sample::select(vec![TimerStart::HandOver, TimerStart::TransmitEnd, TimerStart::PausedWhileBusy]);
    let rule =
        prop::sample::select(vec![T1Adaptation::Fixed, T1Adaptation::DireWolf, T1Adaptation::Linux(Backoff::Linear)]);
    let recovery = prop::sample::select(vec![Recovery::Enquiry, Recovery::OldestFrame]);
    (any::<bool>(), reject, t1_start, rule, recovery, 0u64..1500, 1u8..8, any::<bool>()).prop_map(
        |(extended, reject, t1_start, round_trip, recovery, t2, window, negotiates)| Settings {
            version: if extended { Version::V2_2 } else { Version::V2_0 },
            reject_mode: reject,
            t1_start,
            t1_adaptation: round_trip,
            recovery,
            t2: Duration::from_millis(t2),
            k: window,
            k_extended: 3 * window,
            xid_negotiation: negotiates,
            ..v2_0()
        },
    )
}

proptest! {
    #[test]
    fn whatever_is_lost_nothing_arrives_twice_or_out_of_order_and_all_ends(
        settings in [some_settings(), some_settings()],
        lose in prop::collection::vec(0usize..150, 0..60),
        frames in [0usize..30, 0usize..30],
        burst in 1u16..8,
    ) {
        let dialogue = Dialogue { settings, path: vec![], frames, burst };
        let radio = dialogue.run(&lose);
        dialogue.expect_silence(&radio);
        let resets = radio.count("A is reset") + radio.count("B is reset") + radio.count("A disconnected (NoResponse)")
            + radio.count("B disconnected (NoResponse)");
        for (to, from) in [(1, 0), (0, 1)] {
            let expected: Vec<Bytes> = (0..frames[from]).map(|number| text(from, number)).collect();
            let got = &radio.delivered[to];
            if resets == 0 {
                prop_assert!(expected.starts_with(got), "{:#?}", radio.log);
            }
            let mut ordered = got.clone();
            ordered.dedup();
            prop_assert_eq!(&ordered, got, "{:#?}", radio.log);
        }
    }

    #[test]
    fn with_some_frames_lost_and_tries_enough_everything_arrives(
        settings in some_settings(),
        lose in prop::collection::btree_set(0usize..80, 0..9),
    ) {
// fewer losses than N2
        let settings = Settings { n2: 30, ..settings };
        let dialogue = Dialogue::of(settings);
        let lose: Vec<usize> = lose.into_iter().collect();
        dialogue.expect_everything(&dialogue.run(&lose), &format!("{lose:?}"));
    }
}
