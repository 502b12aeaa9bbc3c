//! A peer that breaks the protocol: what it did has a name, changes nothing, and does not go on for ever.

use sojourn_core::{Duration, Machine};
use sojourn_protocols::xtp::machine::*;
use sojourn_protocols::xtp::wire::*;

use super::network::*;

/// A has sent B 30 bytes, which B has not reported yet.
fn association() -> (Network, ContextId) {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(5));
    network.write(0, context, &stream(30), false);
    (network, context)
}

/// A packet as `from` sends it to its peer, with this body.
fn forged(network: &Network, from: Host, body: Body<Bytes>) -> Packet<Bytes> {
    let last = network.sent.iter().rfind(|sent| sent.from == from).expect("it has sent something before");
    let options = Options::NONE;
    Packet { header: Header { options, ..last.packet.header }, body }
}

/// What A says of a packet of B with this body.
fn names(body: Body<Bytes>) -> Vec<Violation> {
    let (mut network, context) = association();
    let packet = forged(&network, 1, body);
    network.give(0, Input::Receive { from: 1, packet, answer: true });
    let found = violations(&network, 0);
    // whatever it was, the association goes on as if nothing had come
    network.pass(Duration::from_millis(1));
    network.close(0, context);
    network.pass(Duration::from_secs(3));
    assert_eq!(network.seen(1, 0).bytes, stream(30));
    assert_eq!(network.seen(0, 0).closed, Some(Reason::Finished), "{:#?}", network.log);
    found
}

fn violations(network: &Network, host: Host) -> Vec<Violation> {
    let of_host = network.events.iter().filter(|(who, _)| *who == host);
    of_host.filter_map(|(_, event)| if let Event::Violation(name) = event { Some(*name) } else { None }).collect()
}

const REPORT: Control = Control { rseq: 0, alloc: 65_536, echo: 1 };

#[test]
fn reports_that_cannot_be_true_are_named() {
    let control = |rseq, echo| names(Body::Control(Control { rseq, echo, ..REPORT }));
    assert_eq!(control(10, 2), []);
    assert_eq!(control(31, 2), [Violation::RseqBeyondSeq]);
    assert_eq!(control(10, 99), [Violation::EchoBeyondSync]);
}

#[test]
fn spans_that_overlap_are_empty_or_out_of_place_are_named() {
    let spans = |spans: &[(u64, u64)]| {
        let spans = spans.iter().map(|(left, right)| Span { left: *left, right: *right }).collect();
        names(Body::ErrorControl(REPORT, spans))
    };
    assert_eq!(spans(&[(10, 20)]), []);
    assert_eq!(spans(&[(5, 10), (10, 20)]), [], "they may touch");
    for wrong in [
        &[(20, 20)][..],
        &[(20, 10)],
        &[(0, 10)],
        &[(10, 20), (15, 30)],
        &[(20, 30), (5, 10)],
        &[(10, 31)],
        &[(10, u64::MAX)],
    ] {
        assert_eq!(spans(wrong), [Violation::Spans], "{wrong:?}");
    }
}

#[test]
fn a_format_out_of_place_is_named() {
    let traffic = Traffic::default();
    let join = Body::JoinControl { control: REPORT, xkey: Key(1), address: Address::NULL, traffic };
    assert_eq!(names(join), [Violation::OutOfPlace]);
}

#[test]
fn data_beyond_the_range_or_the_announced_end_is_named() {
    let (mut network, _) = association();
    network.pass(Duration::from_millis(5));
    let data = |network: &mut Network, options, seq, length| {
        let mut packet = forged(network, 0, Body::Data { tag: None, data: stream(length) });
        (packet.header.options, packet.header.seq) = (options, seq);
        network.give(1, Input::Receive { from: 0, packet, answer: false });
        violations(network, 1).last().copied()
    };
    assert_eq!(data(&mut network, Options::NONE, u64::MAX - 2, 5), Some(Violation::SequenceRange));
    network.events.clear();
    assert_eq!(data(&mut network, Options::WCLOSE, 60, 5), None);
    assert_eq!(data(&mut network, Options::NONE, 64, 5), Some(Violation::BeyondEnd));
    network.events.clear();
    assert_eq!(data(&mut network, Options::WCLOSE, 50, 5), Some(Violation::BeyondEnd), "the end does not move");
    assert_eq!(network.seen(1, 0).bytes, stream(30));
}

#[test]
fn a_stranger_s_packet_is_named_and_not_believed() {
    let (mut network, _) = association();
    let diagnostic = Body::Diagnostic(Diagnostic::new(Code::Refused, Value::HostDown));
    let packet = forged(&network, 1, diagnostic);
    network.give(0, Input::Receive { from: 77, packet, answer: true });
    assert_eq!(violations(&network, 0), [Violation::WrongHost]);
    assert_eq!(network.seen(0, 0).closed, None);
}

#[test]
fn data_for_the_sender_of_a_multicast_association_is_named() {
    let mut network = Network::of(2, configuration());
    network.open(GROUP, configuration(), b"x");
    network.pass(Duration::from_millis(5));
    let packet = forged(&network, 1, Body::Data { tag: None, data: vec![1] });
    network.give(0, Input::Receive { from: 1, packet, answer: true });
    assert_eq!(violations(&network, 0), [Violation::DataToSender]);
}

#[test]
fn a_peer_that_answers_every_question_with_nonsense_is_given_up_like_a_silent_one() {
    let (mut network, _) = association();
    network.loss = (1000, 1);
    let nonsense = forged(&network, 1, Body::Control(Control { rseq: 1000, ..REPORT }));
    for _ in 0..100 {
        network.give(0, Input::Receive { from: 1, packet: nonsense.clone(), answer: true });
        network.pass(Duration::from_millis(100));
    }
    assert_eq!(network.seen(0, 0).closed, Some(Reason::PeerUnresponsive));
    assert!(violations(&network, 0).len() > 50);
    network.pass(Duration::from_secs(200));
    assert!(network.hosts.iter().all(|host| host.next_wakeup().is_none()));
}
