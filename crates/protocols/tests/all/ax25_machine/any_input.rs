//! Any input at any time: nothing panics, every frame sent can be encoded, and every timer ends.

use std::sync::Arc;

use proptest::prelude::*;
use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::{v2_0, v2_2};
use super::transcript::{Bytes, address};

#[derive(Clone, Debug)]
enum Step {
    Connect(usize),
    Send(usize, usize),
    Disconnect(usize),
    Busy(usize, bool),
    Receive(Frame<Bytes>),
    Free(u16),
    Transmitted,
    Channel(bool),
    Pass(u64),
    Wake,
}

fn key(peer: usize) -> LinkKey {
    LinkKey::direct(address("OWN"), address(["P", "Q"][peer]))
}

fn some_body() -> impl Strategy<Value = Body<Bytes>> {
    let modulo = prop::sample::select(vec![Modulo::Eight, Modulo::OneHundredTwentyEight]);
    let number = || prop_oneof![3 => 0u8..4, 1 => 0u8..128];
    let kind = prop::sample::select(vec![Supervisory::Rr, Supervisory::Rnr, Supervisory::Rej, Supervisory::Srej]);
    let xid = (any::<Option<u16>>(), prop::option::of(0u8..6), 1u8..128, 1u16..300).prop_map(
        |(timer, retries, window, n1)| {
            Body::Xid(Xid {
                t1_ms: timer,
                n2: retries,
                k: Some(window),
                n1: Some(n1),
                functions: Some(Functions::ALWAYS.with(Functions::MULTI_SELECTIVE_REJECT)),
                ..Xid::default()
            })
        },
    );
    prop_oneof![
        4 => (modulo.clone(), number(), number(), 0usize..40).prop_map(|(modulo, send, receive, length)| Body::I {
            modulo,
            n_s: send & modulo.largest(),
            n_r: receive & modulo.largest(),
            pid: Pid::NONE,
            data: vec![0; length],
        }),
        4 => (modulo, kind, number(), number()).prop_map(|(modulo, kind, receive, other)| {
            let (receive, other) = (receive & modulo.largest(), other & modulo.largest());
            let mut further = SequenceSet::NONE;
            if kind == Supervisory::Srej && other != receive {
                further.insert(other);
            }
            Body::S { modulo, kind, n_r: receive, further }
        }),
        4 => prop::sample::select(vec![
            Body::Sabm, Body::Sabme, Body::Disc, Body::Dm, Body::Ua, Body::Ua, Body::Frmr(None), Body::Test(vec![1]),
            Body::Ui { pid: Pid::NONE, data: vec![2] },
        ]),
        1 => xid,
    ]
}

fn some_frame() -> impl Strategy<Value = Frame<Bytes>> {
    let role = prop_oneof![
        4 => Just(Role::Command),
        4 => Just(Role::Response),
        1 => any::<bool>().prop_map(|bits| Role::PreV2 { bits }),
    ];
    (0usize..2, role, any::<bool>(), some_body()).prop_map(|(peer, role, poll_final, body)| {
        let LinkKey { own, peer, digipeaters } = key(peer);
        Frame { addressing: Addressing::new(peer, own, digipeaters, role), poll_final, body }
    })
}

fn some_steps() -> impl Strategy<Value = Vec<Step>> {
    let peer = || 0usize..2;
    let step = prop_oneof![
        2 => peer().prop_map(Step::Connect),
        6 => (peer(), 0usize..40).prop_map(|(peer, length)| Step::Send(peer, length)),
        1 => peer().prop_map(Step::Disconnect),
        1 => (peer(), any::<bool>()).prop_map(|(peer, busy)| Step::Busy(peer, busy)),
        16 => some_frame().prop_map(Step::Receive),
        6 => (0u16..5).prop_map(Step::Free),
        3 => Just(Step::Transmitted),
        2 => any::<bool>().prop_map(Step::Channel),
        3 => (0u64..5000).prop_map(Step::Pass),
        3 => Just(Step::Wake),
    ];
    prop::collection::vec(step, 1..150)
}

fn some_settings() -> impl Strategy<Value = Settings> {
    let start = prop::sample::select(vec![TimerStart::HandOver, TimerStart::TransmitEnd, TimerStart::PausedWhileBusy]);
    let reject = prop::sample::select(vec![RejectMode::GoBack, RejectMode::Selective, RejectMode::MultiSelective]);
    let clear = prop::sample::select(vec![BusyClear::Silent, BusyClear::ReceiveReady, BusyClear::Poll]);
    (any::<bool>(), start, reject, clear, any::<bool>(), 1u8..4, 0u64..900, 1u16..3).prop_map(
        |(extended, t1_start, reject, busy_clear, oldest, retries, t2, link_limit)| Settings {
            t1_start,
            reject_mode: reject,
            busy_clear,
            n2: retries,
            max_links: link_limit,
            xid_negotiation: true,
            recovery: if oldest { Recovery::OldestFrame } else { Recovery::Enquiry },
            t2: Duration::from_millis(t2),
            t2_pauses: oldest,
            n1_receive: 30,
            ..if extended { v2_2() } else { v2_0() }
        },
    )
}

struct Driver {
    station: Station<Bytes>,
    now: Time,
}

impl Driver {
    fn apply(&mut self, step: Step) {
        let link = |station: &Station<Bytes>, peer| station.link(&key(peer));
        let input = match step {
            Step::Connect(peer) => Some(Input::Connect { key: key(peer) }),
            Step::Send(peer, length) => {
                let data = vec![7; length];
                link(&self.station, peer).map(|link| Input::Send { link, pid: Pid::NONE, data })
            }
            Step::Disconnect(peer) => link(&self.station, peer).map(|link| Input::Disconnect { link }),
            Step::Busy(peer, busy) => link(&self.station, peer).map(|link| Input::SetBusy { link, busy }),
            Step::Receive(frame) => Some(Input::Receive { frame }),
            Step::Free(information_frames) => Some(Input::SeizeConfirm { information_frames }),
            Step::Transmitted => Some(Input::Transmitted),
            Step::Channel(busy) => Some(Input::ChannelBusy { busy }),
            Step::Pass(milliseconds) => {
                self.now += Duration::from_millis(milliseconds);
                None
            }
            Step::Wake => {
                self.now = self.station.next_wakeup().map_or(self.now, |at| self.now.max(at));
                None
            }
        };
        if let Some(input) = input {
            self.station.handle(self.now, input);
        }
        self.drain();
        self.station.wake(self.now);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.station.poll_output() {
            if let Output::Transmit { frame, .. } = output {
                assert!(frame.to_bytes().is_ok(), "{frame:?} has no bytes");
                assert_eq!(frame.addressing.source, address("OWN"));
            }
        }
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_without_a_peer_all_timers_end(settings in some_settings(), steps in some_steps()) {
        let station = Station::new([address("OWN")], Arc::new(settings)).unwrap();
        let mut driver = Driver { station, now: Time::ZERO };
        steps.into_iter().for_each(|step| driver.apply(step));
// the channel is free from now on, and no peer responds
        driver.apply(Step::Channel(false));
        let mut rounds = 0;
        loop {
            driver.apply(Step::Free(u16::MAX));
            driver.apply(Step::Transmitted);
            if driver.station.next_wakeup().is_none() && !driver.station.wants_channel() {
                break;
            }
            driver.apply(Step::Wake);
            rounds += 1;
            prop_assert!(rounds < 300, "a timer runs for ever");
        }
// a remaining link has nothing pending and no timer running
        for peer in 0..2 {
            if let Some(link) = driver.station.link(&key(peer)) {
                prop_assert_eq!(driver.station.state(link), LinkState::Connected);
                prop_assert_eq!(driver.station.backlog(link), 0);
            }
        }
    }

    #[test]
    fn the_same_inputs_give_the_same_outputs(settings in some_settings(), steps in some_steps()) {
        let run = || {
            let mut station = Station::new([address("OWN")], Arc::new(settings.clone())).unwrap();
            let mut outputs = Vec::new();
            for step in &steps {
                if let Step::Receive(frame) = step {
                    station.handle(Time::ZERO, Input::Receive { frame: frame.clone() });
                    station.handle(Time::ZERO, Input::SeizeConfirm { information_frames: 7 });
                }
                outputs.extend(std::iter::from_fn(|| station.poll_output()));
            }
            outputs
        };
        prop_assert_eq!(run(), run());
    }
}
