//! Any sequence of inputs and times leaves a node that works.

use super::*;
use proptest::prelude::*;
use sojourn_protocols::mstp::wire::FrameType;

#[derive(Clone, Debug)]
enum Step {
    Hear { kind: u8, destination: u8, source: u8 },
    Octets(u32),
    NotForUs,
    Invalid,
    Sent,
    Send { kind: u8, destination: u8 },
    Reply(u8),
    Postpone,
    Pass(u64),
    Wake,
}

fn step() -> impl Strategy<Value = Step> {
    let address = || prop_oneof![0..12u8, Just(255)];
    prop_oneof![
        (0..40u8, address(), address()).prop_map(|(kind, destination, source)| Step::Hear {
            kind,
            destination,
            source
        }),
        (1..9u32).prop_map(Step::Octets),
        Just(Step::NotForUs),
        Just(Step::Invalid),
        Just(Step::Sent),
        (3..8u8, address()).prop_map(|(kind, destination)| Step::Send { kind, destination }),
        address().prop_map(Step::Reply),
        Just(Step::Postpone),
        (0..2_000u64).prop_map(Step::Pass),
        Just(Step::Wake),
    ]
}

fn take(machine: &mut impl Machine<Input = Input<Vec<u8>>, Output = Output<Vec<u8>>>, now: &mut Time, step: Step) {
    let input = match step {
        Step::Hear { kind, destination, source } => {
            Input::Frame(Frame { kind: FrameType::of(kind), destination, source, data: vec![] })
        }
        Step::Octets(octets) => Input::Activity { octets, until: *now },
        Step::NotForUs => Input::NotForUs,
        Step::Invalid => Input::Invalid,
        Step::Sent => Input::Sent,
        Step::Send { kind, destination } => Input::Send { kind: FrameType::of(kind), destination, data: vec![1] },
        Step::Reply(destination) => Input::Reply { destination, data: vec![2] },
        Step::Postpone => Input::Postpone,
        Step::Pass(millis) => {
            *now += ms(millis);
            return;
        }
        Step::Wake => return machine.wake(*now),
    };
    machine.handle(*now, input);
}

proptest! {
    #[test]
    fn a_master_sends_one_frame_at_a_time_and_generates_a_token_after_silence(
        steps in prop::collection::vec(step(), 0..120),
        (address, max_master) in (0..6u8, 6..10u8),
    ) {
        let mut now = Time::ZERO;
        let settings = Settings { max_master, max_info_frames: 2, ..Settings::new(address) };
        let mut node = Node::new(settings, now).unwrap();
        for step in steps {
            let (was_sending, leaves) = (node.is_sending(), matches!(step, Step::Sent));
            take(&mut node, &mut now, step);
            let transmitted = std::iter::from_fn(|| node.poll_output())
                .filter(|output| matches!(output, Output::Transmit(_)))
                .count();
            prop_assert!(transmitted <= 1, "one frame at a time");
            prop_assert!(transmitted == 0 || !was_sending || leaves, "nothing while a frame is sent");
            prop_assert_eq!(node.is_sending(), (was_sending && !leaves) || transmitted == 1);
        }
        // silence, for a node that has nothing to say
        for _ in 0..100 {
            if node.is_sending() {
                node.handle(now, Input::Sent);
            } else if let Some(due) = node.next_wakeup() {
                now = now.max(due);
                node.wake(now);
            }
            while node.poll_output().is_some() {}
        }
        prop_assert!(node.has_token() || node.state() == State::NoToken, "{:?}", node.state());
    }

    #[test]
    fn a_slave_only_answers(steps in prop::collection::vec(step(), 0..80)) {
        let mut now = Time::ZERO;
        let mut slave = Slave::<Vec<u8>>::new(Settings::new(3), now).unwrap();
        for step in steps {
            let answers = matches!(step, Step::Hear { kind: 3, .. } | Step::Reply(_));
            take(&mut slave, &mut now, step);
            while let Some(output) = slave.poll_output() {
                prop_assert!(answers || !matches!(output, Output::Transmit(_)));
            }
        }
    }
}
