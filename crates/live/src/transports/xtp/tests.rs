//! The machine behaves the same under the real clock and under a hand clock: a recorded transfer is replayed.

use std::sync::Arc;

use sojourn_core::{Machine, Time};
use sojourn_protocols::xtp::machine::Endpoint;
use sojourn_protocols::xtp::wire::Address;

use super::conversation::InitiatorHandler;
use super::settings::configuration;
use super::transfer::Transfer;
use super::translator::{LiveEndpoint, LiveInput, LiveOutput};
use super::{OverUdp, SINK_PORT};
use crate::io::drive::Driver;
use crate::io::injected_loss::InjectedLoss;
use crate::io::link::udp;
use crate::progress::watch::Watch;
use crate::target::Target;
use crate::transport::{Listening, NoFrames, Transport};

/// What a driver did to an endpoint, and when.
#[derive(Clone, Debug)]
enum Call {
    Handle(LiveInput),
    Wake,
}

/// An endpoint that records its inputs and outputs.
struct Recorded {
    endpoint: LiveEndpoint,
    calls: Vec<(Time, Call)>,
    said: Vec<LiveOutput>,
}

impl Machine for Recorded {
    type Input = LiveInput;
    type Output = LiveOutput;

    fn handle(&mut self, now: Time, input: LiveInput) {
        self.calls.push((now, Call::Handle(input.clone())));
        self.endpoint.handle(now, input);
    }

    fn wake(&mut self, now: Time) {
        self.calls.push((now, Call::Wake));
        self.endpoint.wake(now);
    }

    fn poll_output(&mut self) -> Option<LiveOutput> {
        let output = self.endpoint.poll_output()?;
        self.said.push(output.clone());
        Some(output)
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.endpoint.next_wakeup()
    }
}

/// Replays the calls under the recorded times.
fn live_again(calls: &[(Time, Call)]) -> Vec<LiveOutput> {
    let mut endpoint: LiveEndpoint = Endpoint::new(Default::default());
    let mut said = Vec::new();
    for (now, call) in calls {
        match call {
            Call::Handle(input) => endpoint.handle(*now, input.clone()),
            Call::Wake => endpoint.wake(*now),
        }
        said.extend(std::iter::from_fn(|| endpoint.poll_output()));
    }
    said
}

#[test]
fn a_transcript_of_a_live_transfer_replayed_under_a_hand_clock_gives_the_same_outputs() {
    let target = |address: &str| Target::parse(&format!("xtp+udp://{address}"), &["xtp+udp"]).unwrap();
    let listening =
        Listening { count: Some(1), duration: None, inject_loss: 0.05, seed: 1, on_air: None, agent: None, key: None };
    let listen = OverUdp.listen(&target("127.0.0.1:0"), listening).unwrap();
    let watch = Arc::new(Watch::new());
    let shared = watch.clone();
    let listener = std::thread::spawn(move || listen(&shared, &mut NoFrames));
    let address = loop {
        if let Some(report) = watch.reports(0).first() {
            break report.peer.clone();
        }
        std::thread::yield_now();
    };

    let near = Watch::new();
    let peer = target(&address).socket_address(None).unwrap();
    let (loss, mut frames) = (InjectedLoss::new(1, 0, "initiator", 0.05), NoFrames);
    let mut driver = Driver::new(udp::to(&target(&address)).unwrap(), loss, &mut frames);
    let mut recorded = Recorded { endpoint: Endpoint::new(Default::default()), calls: Vec::new(), said: Vec::new() };
    let user = Transfer::new(1, 0, 1 << 20, 1440, &near);
    let to = Address::ipv4(([127, 0, 0, 1], 1), ([127, 0, 0, 1], SINK_PORT));
    let mut conversation = InitiatorHandler::new(user, peer.into(), to, Arc::new(configuration(1440)), &near);
    driver.run(&mut recorded, &mut conversation);
    watch.cancel();
    listener.join().unwrap();

    assert_eq!(conversation.failure(), None);
    assert!(conversation.counts().retransmissions > 0, "the transcript holds repairs");
    assert!(recorded.calls.iter().any(|(_, call)| matches!(call, Call::Handle(LiveInput::Receive { .. }))));
    assert!(live_again(&recorded.calls) == recorded.said);
}
