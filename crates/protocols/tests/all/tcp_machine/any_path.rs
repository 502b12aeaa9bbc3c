//! On any path the users see the byte stream.

use proptest::prelude::*;
use sojourn_core::Duration;
use sojourn_protocols::ip::Ecn;
use sojourn_protocols::tcp::machine::{Congestion, EcnMode, Input, Recovery, Settings};

use crate::tcp_machine::path::{Impairment, Link, Pair, at, bsd};

fn settings() -> impl Strategy<Value = Settings> {
    let congestion = prop_oneof![
        Just(Congestion::Reno),
        Just(Congestion::NewReno),
        Just(Congestion::Cubic),
        Just(Congestion::Dctcp),
        Just(Congestion::Prague),
        Just(Congestion::Bbr),
    ];
    let ecn = prop_oneof![Just(EcnMode::Off), Just(EcnMode::Passive), Just(EcnMode::Classic), Just(EcnMode::Accurate),];
    let recovery = prop_oneof![Just(Recovery::Sack), Just(Recovery::Rack)];
    let of_today = (ecn, recovery, any::<bool>(), any::<bool>());
    (any::<bool>(), congestion, any::<bool>(), any::<bool>(), any::<bool>(), 200_u64..100_000, of_today).prop_map(
        |(modern, congestion, sack, timestamps, window_scaling, buffer, (ecn, recovery, pacing, abe))| {
            let base = if modern { Settings::modern(1460) } else { bsd() };
            let (send_buffer, receive_buffer) = (buffer, buffer.max(4000));
            Settings {
                congestion,
                sack,
                timestamps,
                window_scaling,
                send_buffer,
                receive_buffer,
                ecn,
                recovery,
                pacing,
                abe,
                ..base
            }
        },
    )
}

fn impairments() -> impl Strategy<Value = Vec<Impairment>> {
    let impairment = prop_oneof![
        8 => Just(Impairment::None),
        1 => Just(Impairment::Lost),
        1 => (1_u64..80).prop_map(|extra| Impairment::Delayed(Duration::from_millis(extra))),
        1 => Just(Impairment::Duplicated),
        1 => Just(Impairment::Marked),
    ];
    prop::collection::vec(impairment, 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn every_octet_is_delivered_once_and_in_order(
        settings in [settings(), settings()], impairments in impairments(), octets in 1_u64..120_000, limited: bool,
    ) {
        let link = Link { rate: limited.then_some(2_000_000), delay: Duration::from_millis(10), queue: 20 };
        let mut impairments = impairments.into_iter();
        let mut pair = Pair::connected(settings, link, move |_, _| impairments.next().unwrap_or(Impairment::None));
        let mut left = octets;
        let end = at(3600.0);
        loop {
            let taken = left.min(pair.hosts[0].connection.send_space());
            if taken > 0 {
                pair.input(0, Input::Write { octets: taken });
                left -= taken;
                if left == 0 {
                    pair.input(0, Input::Close);
                }
            }
            if !pair.step(end) {
                break;
            }
        }
        prop_assert_eq!(pair.hosts[1].delivered, octets);
        prop_assert!(pair.hosts[1].end_of_stream);
        prop_assert_eq!(pair.hosts[0].connection.flight_size(), 0);
    }

    #[test]
    fn arbitrary_segments_do_not_break_a_connection(
        headers in prop::collection::vec((any::<u32>(), any::<Option<u32>>(), any::<u8>(), any::<u16>(), 0_u32..3000), 0..60),
    ) {
        use sojourn_protocols::tcp::wire::{Flags, Header};
        use sojourn_core::Machine;
        let mut pair = Pair::connected([bsd(), Settings::modern(1460)], crate::tcp_machine::path::delay(5), crate::tcp_machine::path::unimpaired);
        pair.input(0, Input::Write { octets: 5000 });
        for (near, acknowledgement, bits, window, length) in headers {
            let flags = Flags { rst: bits & 0x0c == 0x0c, syn: bits & 2 != 0, fin: bits & 1 != 0, ..Flags::default() };
            // half of them near the expected sequence numbers
            let sequence = if bits & 0x80 != 0 { near % 10_000 } else { near };
            let acknowledgement = acknowledgement.map(|number| if bits & 0x40 != 0 { number % 10_000 } else { number });
            let header = Header { seq: sequence, ack: acknowledgement, flags, window, ..Header::default() };
            let now = pair.now;
            pair.hosts[0].connection.handle(now, Input::Receive { header, length, ecn: Ecn::NotEct });
            while pair.hosts[0].connection.poll_output().is_some() {}
        }
    }
}
