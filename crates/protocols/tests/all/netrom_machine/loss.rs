//! Complete dialogues with each packet lost in turn, and with any packets lost.

use proptest::prelude::*;
use sojourn_core::{Duration, Machine};
use sojourn_protocols::netrom::machine::*;

use super::network::*;

/// A dialogue of A and B: the number of messages in each direction.
struct Dialogue {
    settings: Settings,
    messages: [usize; 2],
    pace: Option<Duration>,
}

/// Some messages are fragmented into two packets.
fn text(from: usize, number: usize) -> Bytes {
    let word = format!("{}{number} ", if from == 0 { "ping" } else { "pong" });
    word.repeat(if number.is_multiple_of(3) { 40 } else { 1 }).into_bytes()
}

impl Dialogue {
    fn of(settings: Settings) -> Self {
        let mut settings = settings;
        settings.transport.no_activity_timeout = None;
        Dialogue { settings, messages: [9, 4], pace: Some(Duration::ZERO) }
    }

    /// A connects, both send while their circuit has room, A closes it once all is acknowledged.
    fn run(&self, lose: &[usize]) -> Network {
        let mut network = Network::pair(self.settings.clone());
        network.lose = lose.to_vec();
        network.pace = vec![self.pace; 2];
        network.connect(0, 1);
        let mut next = [0, 0];
        // until nothing is in flight or queued
        loop {
            network.settle_until(network.now + Duration::from_secs(1));
            network.now += Duration::from_secs(1);
            let mut spoke = false;
            for (from, next) in next.iter_mut().enumerate() {
                let Some(&circuit) = network.circuits[from].last() else { continue };
                while *next < self.messages[from] && network.nodes[from].has_room(circuit) {
                    network.give(from, Input::Send { circuit, data: text(from, *next) });
                    *next += 1;
                    spoke = true;
                }
            }
            let idle = network.nodes.iter().all(|node| node.next_wakeup().is_none());
            if idle && !spoke {
                break;
            }
        }
        if let Some(&circuit) = network.circuits[0].last() {
            network.give(0, Input::Finish { circuit });
        }
        network.settle();
        network
    }

    fn survives_the_loss_of_each_packet(&self) {
        let whole = self.run(&[]);
        self.expect_everything(&whole, "nothing");
        for place in 0..whole.sent {
            self.expect_everything(&self.run(&[place]), &format!("packet {place}"));
        }
    }

    fn expect_everything(&self, network: &Network, lost: &str) {
        for (to, from) in [(1, 0), (0, 1)] {
            let expected: Vec<Bytes> = (0..self.messages[from]).map(|number| text(from, number)).collect();
            assert_eq!(network.delivered[to], expected, "{lost} lost: {:#?}", network.log);
        }
        assert_eq!(network.count("A disconnected"), 1, "{lost} lost: {:#?}", network.log);
        assert_eq!(network.count("B disconnected"), 1, "{lost} lost: {:#?}", network.log);
        for node in &network.nodes {
            assert_eq!(node.next_wakeup(), None, "every timer has ended: {:#?}", network.log);
        }
    }
}

#[test]
fn of_each_program() {
    for settings in [Settings::x1j4(), Settings::thenetnode(), Settings::linux(), Settings::nos(), Settings::bpq()] {
        Dialogue::of(settings).survives_the_loss_of_each_packet();
    }
}

#[test]
fn of_each_program_with_a_slow_user() {
    for settings in [Settings::x1j4(), Settings::thenetnode(), Settings::linux(), Settings::nos(), Settings::bpq()] {
        let dialogue = Dialogue { pace: Some(Duration::from_millis(1700)), ..Dialogue::of(settings) };
        dialogue.survives_the_loss_of_each_packet();
    }
}

fn some_settings() -> impl Strategy<Value = Settings> {
    let preset = prop::sample::select(vec![
        Settings::x1j4(),
        Settings::thenetnode(),
        Settings::linux(),
        Settings::nos(),
        Settings::bpq(),
    ]);
    let retransmit = prop::sample::select(vec![Retransmit::All, Retransmit::Oldest]);
    let nak = prop::sample::select(vec![NakPolicy::Immediate, NakPolicy::WithAcknowledgement, NakPolicy::Never]);
    let signalled =
        prop::sample::select(vec![ChokeSignal::Immediate, ChokeSignal::WithAcknowledgement, ChokeSignal::AtFullWindow]);
    let release = prop::sample::select(vec![
        ChokeRelease::Immediate,
        ChokeRelease::WithAcknowledgement,
        ChokeRelease::Poll(Duration::from_secs(3)),
    ]);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (preset, 1u8..10, 1u16..12, retransmit, nak, signalled, release, 1u32..6, flags, 30u8..31).prop_map(
        |(mut settings, window, limit, retransmit, nak, signalled, release, above, flags, retries)| {
            let transport = &mut settings.transport;
            let (drops, takes_back, keeps) = flags;
            (transport.window, transport.send_queue_limit, transport.retransmit) = (window, limit, retransmit);
            (transport.nak, transport.retries, transport.buffers_out_of_order) = (nak, retries, keeps);
            transport.rewinds_when_choked = takes_back;
            transport.choke.unit = BacklogUnit::Packets;
            (transport.choke.above, transport.choke.below) = (above, above.div_ceil(2));
            (transport.choke.signalled, transport.choke.release, transport.choke.drops) = (signalled, release, drops);
            settings
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn with_enough_retries_everything_arrives_in_order_and_once_despite_losses(
        settings in some_settings(),
        lose in prop::collection::btree_set(0usize..80, 0..9),
        pace in 0u64..4000,
    ) {
        let dialogue = Dialogue { pace: Some(Duration::from_millis(pace)), ..Dialogue::of(settings) };
        let lose: Vec<usize> = lose.into_iter().collect();
        dialogue.expect_everything(&dialogue.run(&lose), &format!("{lose:?}"));
    }

    #[test]
    fn with_any_losses_nothing_arrives_twice_or_out_of_order_and_all_circuits_end(
        settings in some_settings(),
        lose in prop::collection::vec(0usize..150, 0..90),
    ) {
        let mut settings = settings;
        settings.transport.retries = 2;
        let dialogue = Dialogue::of(settings);
        let network = dialogue.run(&lose);
        for (to, from) in [(1, 0), (0, 1)] {
            let expected: Vec<Bytes> = (0..dialogue.messages[from]).map(|number| text(from, number)).collect();
            prop_assert!(expected.starts_with(&network.delivered[to]), "{:#?}", network.log);
        }
    }
}
