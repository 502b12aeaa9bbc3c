//! Any input at any time: nothing panics, every packet sent can be encoded, and every timer ends.

use std::sync::Arc;

use proptest::prelude::*;
use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::rose::machine::*;
use sojourn_protocols::rose::wire::*;

use super::lone::{pong_calls_ping, settings};
use super::transcript::{Octets, number, ping_calls_pong};

#[derive(Clone, Debug)]
enum Step {
    Up(u16, bool),
    Down(u16),
    Call(usize),
    Data(usize, usize),
    Acknowledge(usize, u16),
    Connect(usize),
    Disconnect(usize),
    Receive(u16, Packet<Octets>),
    Pass(u64),
    Wake,
}

fn some_body() -> impl Strategy<Value = Body<Octets>> {
    let (cause, diagnostic) = (Cause::DTE_ORIGINATED, Diagnostic::NONE);
    let plain = prop::sample::select(vec![
        Body::CallAccepted,
        Body::ClearRequest { cause, diagnostic, facilities: None },
        Body::ClearConfirmation,
        Body::InterruptConfirmation,
        Body::Interrupt(vec![1]),
        Body::ResetRequest { cause, diagnostic },
        Body::ResetConfirmation,
        Body::RestartRequest { cause, diagnostic },
        Body::RestartConfirmation,
        Body::Diagnostic { code: diagnostic, header: None },
    ]);
    let numbered = (0u8..4, 0u8..4, any::<bool>()).prop_flat_map(|(send, receive, more)| {
        prop::sample::select(vec![
            Body::Data { p_s: send, p_r: receive, more, data: vec![0; 3] },
            Body::Data { p_s: send, p_r: 0, more, data: vec![0; 3] },
            Body::ReceiveReady { p_r: receive },
            Body::ReceiveNotReady { p_r: receive },
            Body::Reject { p_r: receive },
        ])
    });
    let call = (prop::sample::select(vec!["3100908001", "3100201256", "3100300000", "4"]), 0u16..3)
        .prop_map(|(address, random)| pong_calls_ping(address, random));
    prop_oneof![2 => plain, 3 => numbered, 2 => call]
}

fn some_steps() -> impl Strategy<Value = Vec<Step>> {
    let trunk = || 0u16..2;
    let user = || any::<prop::sample::Index>().prop_map(|index| index.index(1000));
    let packet = (prop_oneof![1 => Just(0u16), 6 => 1u16..5], any::<bool>(), some_body())
        .prop_map(|(channel, delivery, body)| Packet { d_bit: delivery, ..Packet::new(channel, body) });
    let step = prop_oneof![
        2 => (trunk(), any::<bool>()).prop_map(|(trunk, lowest)| Step::Up(trunk, lowest)),
        1 => trunk().prop_map(Step::Down),
        3 => (0usize..4).prop_map(Step::Call),
        6 => (user(), 0usize..20).prop_map(|(user, length)| Step::Data(user, length)),
        3 => (user(), 0u16..4).prop_map(|(user, frames)| Step::Acknowledge(user, frames)),
        2 => user().prop_map(Step::Connect),
        1 => user().prop_map(Step::Disconnect),
        16 => (trunk(), packet).prop_map(|(trunk, packet)| Step::Receive(trunk, packet)),
        2 => (0u64..100_000).prop_map(Step::Pass),
        2 => Just(Step::Wake),
    ];
    prop::collection::vec(step, 1..120)
}

fn some_settings() -> impl Strategy<Value = Settings> {
    (1u8..8, any::<bool>(), 1u16..6, 1u16..5, any::<bool>()).prop_map(
        |(window, end_to_end, backlog_limit, channel_limit, waits)| Settings {
            routes: vec![
                Route { prefix: number("3100"), trunk: TrunkId(0) },
                Route { prefix: number("3100300"), trunk: TrunkId(1) },
            ],
            window,
            queue_limit: backlog_limit,
            highest_channel: channel_limit,
            packet_size: 7,
            significance: if end_to_end { Significance::EndToEnd } else { Significance::Local },
            t25: waits.then_some(Duration::from_secs(200)),
            ..settings()
        },
    )
}

struct Driver {
    switch: Switch<Octets>,
    now: Time,
    users: Vec<UserId>,
}

impl Driver {
    fn new(settings: Settings) -> Self {
        Driver { switch: Switch::new(Arc::new(settings), 2, 0).unwrap(), now: Time::ZERO, users: Vec::new() }
    }

    fn apply(&mut self, step: Step) -> Vec<Output<Octets>> {
        let users = &self.users;
        let user = |index: usize| users.get(index % users.len().max(1)).copied();
        let input = match step {
            Step::Up(trunk, lowest) => {
                let order = if lowest { InterfaceRole::Dce } else { InterfaceRole::Dte };
                Some(Input::TrunkUp { trunk: TrunkId(trunk), role: order })
            }
            Step::Down(trunk) => Some(Input::TrunkDown { trunk: TrunkId(trunk) }),
            Step::Call(which) => {
                let user = self.switch.reserve_user();
                self.users.push(user);
                let address = ["201256", "908001", "300000", "310099999999999"][which];
                Some(Input::UserCallRequest { user, call: ping_calls_pong(address) })
            }
            Step::Data(index, length) => user(index).map(|user| Input::UserData { user, data: vec![7; length] }),
            Step::Acknowledge(index, frames) => user(index).map(|user| Input::UserAcknowledged { user, frames }),
            Step::Connect(index) => user(index).map(|user| Input::UserConnected { user }),
            Step::Disconnect(index) => {
                user(index).map(|user| Input::UserDisconnected { user, cause: Cause::DTE_ORIGINATED })
            }
            Step::Receive(trunk, packet) => Some(Input::Receive { trunk: TrunkId(trunk), packet }),
            Step::Pass(milliseconds) => {
                self.now += Duration::from_millis(milliseconds);
                None
            }
            Step::Wake => {
                self.now = self.switch.next_wakeup().map_or(self.now, |at| self.now.max(at));
                None
            }
        };
        if let Some(input) = input {
            self.switch.handle(self.now, input);
        }
        let mut outputs = self.drain();
        self.switch.wake(self.now);
        outputs.extend(self.drain());
        outputs
    }

    fn drain(&mut self) -> Vec<Output<Octets>> {
        let outputs: Vec<_> = std::iter::from_fn(|| self.switch.poll_output()).collect();
        for output in &outputs {
            match output {
                Output::Transmit { packet, .. } => assert!(packet.to_bytes().is_ok(), "{packet:?} has no bytes"),
                Output::CallUser { user, .. } => self.users.push(*user),
                _ => {}
            }
        }
        outputs
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_when_all_links_are_down_nothing_is_left(settings in some_settings(), steps in some_steps()) {
        let mut driver = Driver::new(settings);
        steps.into_iter().for_each(|step| {
            driver.apply(step);
        });
        for trunk in [0, 1] {
            driver.apply(Step::Down(trunk));
        }
        for user in driver.users.clone() {
            driver.switch.handle(driver.now, Input::UserDisconnected { user, cause: Cause::DTE_ORIGINATED });
        }
        let left = (driver.switch.channels(), driver.switch.users(), driver.switch.backlog());
        prop_assert_eq!(left, (0, 0, 0));
        prop_assert_eq!(driver.switch.next_wakeup(), None);
    }

    #[test]
    fn without_further_input_every_timer_ends(settings in some_settings(), steps in some_steps()) {
        let mut driver = Driver::new(settings);
        steps.into_iter().for_each(|step| {
            driver.apply(step);
        });
        let mut rounds = 0;
        while driver.switch.next_wakeup().is_some() {
            driver.apply(Step::Wake);
            rounds += 1;
            prop_assert!(rounds < 200, "a timer runs for ever");
        }
    }

    #[test]
    fn the_same_inputs_give_the_same_outputs(settings in some_settings(), steps in some_steps()) {
        let run = || {
            let mut driver = Driver::new(settings.clone());
            steps.iter().flat_map(|step| driver.apply(step.clone())).collect::<Vec<_>>()
        };
        prop_assert_eq!(run(), run());
    }
}
