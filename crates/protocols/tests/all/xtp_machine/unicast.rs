//! Two hosts without loss: set-up, transfer, reports, keys.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_protocols::xtp::machine::*;
use sojourn_protocols::xtp::wire::*;

use super::network::*;

#[test]
fn a_short_association_follows_the_standard() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"hello");
    network.pass(Duration::from_millis(10));
    network.write(0, context, b"good morning!", true);
    network.close(0, context);
    network.pass(Duration::from_secs(1));
    assert_eq!(
        network.log,
        [
            "A FIRST 0+5",
            "B accepts",
            "B delivers 5",
            "B TCNTL 5",
            "A is heard",
            "A DATA 5+10",
            "A DATA 15+3",
            "A CNTL 0 SREQ WCLOSE",
            "B delivers 10",
            "B CNTL 15",
            "B delivers 3",
            "B CNTL 18",
            "B is heard",
            "B end of stream",
            "B CNTL 18 RCLOSE",
            "B CNTL 18 SREQ WCLOSE RCLOSE",
            "A end of stream",
            "A CNTL 0 WCLOSE RCLOSE END",
            "A closed",
            "B CNTL 18 WCLOSE RCLOSE END",
            "B closed",
        ]
    );
    assert_eq!(network.seen(1, 0).bytes, b"hellogood morning!");
    assert_eq!(network.seen(1, 0).messages, [18]);
}

#[test]
fn every_data_packet_is_answered_by_one_report() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), &stream(10));
    for round in 0..50 {
        network.write(0, context, &stream(10), true);
        network.pass(Duration::from_millis(3));
        assert_eq!(network.sent_for(0, Purpose::Data).len(), round + 2);
        assert_eq!(network.sent_for(1, Purpose::Report).len(), round + 2);
    }
    assert_eq!(network.hosts[0].queued(context), 0);
    assert_eq!(network.hosts[0].round_trip(context), Some(FLIGHT.times(2)));
}

#[test]
fn packets_carry_the_opener_s_key_until_the_acceptor_sends_its_own() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"1");
    network.write(0, context, b"2", false);
    network.pass(Duration::from_millis(10));
    network.write(0, context, b"3", false);
    network.pass(Duration::from_millis(10));
    let opener = network.sent[0].packet.header.key;
    let Body::TrafficControl { xkey, .. } = network.sent_for(1, Purpose::Report)[0].packet.body else {
        panic!("the first answer carries the key: {:#?}", network.log);
    };
    let keys: Vec<_> = network.sent_for(0, Purpose::Data).iter().map(|sent| sent.packet.header.key).collect();
    assert_eq!(keys, [opener, opener, xkey]);
    let answers = network.sent_for(1, Purpose::Report);
    assert!(answers.iter().all(|sent| sent.packet.header.key == opener.returned()));
    let formats: Vec<_> = answers.iter().map(|sent| sent.packet.body.name()).collect();
    assert_eq!(formats, ["TCNTL", "TCNTL", "CNTL"], "until the peer uses it");
}

#[test]
fn both_ends_write_at_once_and_both_streams_arrive() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"x");
    network.pass(Duration::from_millis(1));
    let other = network.contexts[1][0];
    network.write(0, context, &stream(500), true);
    network.write(1, other, &stream(300), true);
    network.close(0, context);
    network.close(1, other);
    network.pass(Duration::from_secs(5));
    assert_eq!(network.seen(1, 0).bytes, [b"x".to_vec(), stream(500)].concat());
    assert_eq!(network.seen(0, 0).bytes, stream(300));
    assert_eq!(network.seen(0, 0).closed, Some(Reason::Finished));
    assert_eq!(network.seen(1, 0).closed, Some(Reason::Finished));
}

#[test]
fn an_opener_that_writes_nothing_hears_and_is_heard() {
    let mut network = Network::of(2, configuration());
    network.closes = false;
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(10));
    network.close(0, context);
    network.pass(Duration::from_millis(10));
    let other = network.contexts[1][0];
    assert!(network.seen(1, 0).end_of_stream);
    network.write(1, other, &stream(100), true);
    network.close(1, other);
    network.pass(Duration::from_secs(1));
    assert_eq!(network.seen(0, 0).bytes, stream(100), "half closed, the other half still works");
    assert_eq!(network.seen(0, 0).closed, Some(Reason::Finished));
    assert_eq!(network.seen(1, 0).closed, Some(Reason::Finished));
}

#[test]
fn a_write_longer_than_a_packet_is_cut_and_ends_its_message_once() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"");
    network.write(0, context, &stream(35), true);
    network.write(0, context, &stream(5), false);
    network.pass(Duration::from_secs(1));
    let lengths: Vec<_> =
        network.sent_for(0, Purpose::Data).iter().filter_map(|sent| sent.packet.body.data()).map(Vec::len).collect();
    assert_eq!(lengths, [0, 10, 10, 10, 5, 5], "and shares no packet with the next");
    assert_eq!(network.seen(1, 0).messages, [35]);
}

#[test]
fn the_smaller_packet_size_of_both_ends_holds_once_it_is_known() {
    let mut network = Network::of(2, Configuration { max_data: 4, ..configuration() });
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(10));
    network.write(0, context, &stream(10), true);
    network.pass(Duration::from_millis(10));
    assert_eq!(network.story(1).iter().filter(|line| line.starts_with("delivers 4")).count(), 2);
    assert_eq!(network.seen(1, 0).bytes, stream(10));
}

#[test]
fn without_a_listener_the_opener_is_refused() {
    let mut network = Network::of(2, configuration());
    network.give(1, Input::StopListening { listener: 1 });
    network.open(1, configuration(), b"anyone?");
    network.pass(Duration::from_millis(10));
    assert_eq!(network.seen(0, 0).closed, Some(Reason::Diagnosed(Code::Refused, Value::NoListener)));
    assert_eq!(network.count(1, Event::NoListener), 1);
}

#[test]
fn a_listener_takes_its_port_and_its_address_format_alone() {
    let mut network = Network::of(2, configuration());
    let opens = |network: &mut Network, address| {
        let input = Input::Open {
            reference: 1,
            to: 1,
            address,
            cast: Cast::Unicast,
            configuration: Arc::new(configuration()),
            data: None,
        };
        network.give(0, input);
        network.pass(Duration::from_millis(10));
        network.contexts[1].len()
    };
    assert_eq!(opens(&mut network, Address::ipv4(([1; 4], 2), ([3; 4], PORT + 1))), 0);
    assert_eq!(opens(&mut network, Address::NULL), 0);
    assert_eq!(opens(&mut network, Address::ipv4(([1; 4], 2), ([3; 4], PORT))), 1);
    let configuration = Arc::new(configuration());
    network.give(1, Input::Listen { listener: 2, filter: AddressFilter::Null, configuration });
    assert_eq!(opens(&mut network, Address::NULL), 2);
}

#[test]
fn where_contexts_are_used_up_both_sides_say_so() {
    let mut network = Network::of(2, configuration());
    let limits = Limits { contexts: 1, ..Limits::default() };
    network.hosts[1] = Endpoint::new(limits);
    let listen =
        Input::Listen { listener: 1, filter: AddressFilter::Port(PORT), configuration: Arc::new(configuration()) };
    network.give(1, listen);
    network.open(1, configuration(), b"1");
    network.open(1, configuration(), b"2");
    network.pass(Duration::from_millis(10));
    assert_eq!(network.seen(0, 1).closed, Some(Reason::Diagnosed(Code::Refused, Value::NoResource)));
    assert_eq!(network.count(1, Event::NoContext), 1);
    let to = Input::Open {
        reference: 1,
        to: 0,
        address: Address::NULL,
        cast: Cast::Unicast,
        configuration: Arc::new(configuration()),
        data: None,
    };
    network.give(1, to);
    assert_eq!(network.log.last().unwrap(), "B refused: no context is free");
}

#[test]
fn a_data_packet_for_a_context_unknown_is_answered_with_a_diagnostic() {
    let mut network = Network::of(2, configuration());
    let header = Header { key: Key(77), sync: 5, ..Header::default() };
    let packet = Packet { header, body: Body::Data { tag: None, data: vec![1] } };
    network.give(1, Input::Receive { from: 0, packet, answer: true });
    let diagnostic = &network.sent[0];
    assert_eq!(diagnostic.packet.header.key, Key(77).returned());
    let Body::Diagnostic(said) = &diagnostic.packet.body else { panic!("{:?}", diagnostic.packet) };
    assert_eq!((said.code, said.value), (Code::InvalidContext, Value::Unspecified));
    assert_eq!((diagnostic.to, diagnostic.purpose), (0, Purpose::Diagnostic));
    assert_eq!(network.count(1, Event::UnknownKey), 1);
}

#[test]
fn hosts_that_open_to_each_other_confuse_no_keys() {
    let mut network = Network::of(2, configuration());
    let there: Vec<_> = (0..3).map(|_| network.open(1, configuration(), b"ab")).collect();
    let back: Vec<_> = (0..3).map(|_| network.open_from(1, 0, configuration(), b"AB")).collect();
    network.pass(Duration::from_millis(5));
    for (nth, (a, b)) in there.iter().zip(&back).enumerate() {
        network.write(0, *a, &[nth as u8; 30], true);
        network.write(1, *b, &[nth as u8 + 10; 30], true);
        network.close(0, *a);
        network.close(1, *b);
    }
    network.pass(Duration::from_secs(5));
    for nth in 0..3 {
        // each host opened three contexts, then accepted three
        assert_eq!(network.seen(1, nth + 3).bytes, [&b"ab"[..], &[nth as u8; 30]].concat());
        assert_eq!(network.seen(0, nth + 3).bytes, [&b"AB"[..], &[nth as u8 + 10; 30]].concat());
    }
    assert!((0..6).all(|nth| network.seen(0, nth).closed == Some(Reason::Finished)));
}

#[test]
fn configurations_that_cannot_work_are_refused_with_the_reason() {
    let mut network = Network::of(2, configuration());
    let mut refused = |to, wrong: Configuration| {
        let cast = if to == GROUP { Cast::Multicast { receivers: 0 } } else { Cast::Unicast };
        let configuration = Arc::new(wrong);
        let address = Address::NULL;
        network.give(0, Input::Open { reference: 1, to, address, cast, configuration, data: None });
        network.log.pop().unwrap()
    };
    let cannot = |what: &str| format!("A refused: invalid configuration: {what}");
    assert_eq!(refused(1, Configuration { max_data: 0, ..configuration() }), cannot("packet_data is 0"));
    let stopped = Rate { bytes_per_second: 5, burst: 0 };
    let wrong = Configuration { send_rate: stopped, ..configuration() };
    assert_eq!(refused(1, wrong), cannot("the burst of send_rate is 0"));
    let no_receiver = cannot("a multicast association that is answered has no receiver");
    assert_eq!(refused(GROUP, configuration()), no_receiver);
}

#[test]
fn writes_that_cannot_be_taken_are_refused_by_name() {
    let small = Configuration { send_buffer: 20, ..configuration() };
    let mut network = Network::of(2, small.clone());
    let context = network.open(1, small, b"");
    network.write(0, context, b"", false);
    assert_eq!(network.log.last().unwrap(), "A refused: a write needs at least one byte");
    network.write(0, context, &stream(25), false);
    network.write(0, context, &stream(1), false);
    assert_eq!(network.log.last().unwrap(), "A refused: the send buffer is full");
    network.pass(Duration::from_millis(10));
    assert!(network.story(0).contains(&"writable"));
    network.write(0, context, &stream(1), false);
    network.close(0, context);
    network.write(0, context, &stream(1), false);
    assert_eq!(network.log.last().unwrap(), "A refused: the stream has been closed");
    network.pass(Duration::from_secs(10));
    network.write(0, context, &stream(1), false);
    assert_eq!(network.log.last().unwrap(), "A refused: there is no such context");
    assert_eq!(network.seen(1, 0).bytes.len(), 26);
}

/// The options of all that A sends in a short association.
fn options_of(configuration: Configuration) -> Vec<Options> {
    let mut network = Network::of(2, super::network::configuration());
    let context = network.open(1, configuration, b"1");
    network.pass(Duration::from_millis(5));
    network.write(0, context, &stream(25), true);
    network.pass(Duration::from_secs(1));
    assert_eq!(network.seen(1, 0).bytes.len(), 26, "{:#?}", network.log);
    network.sent.iter().filter(|sent| sent.from == 0).map(|sent| sent.packet.header.options).collect()
}

#[test]
fn every_packet_bears_the_options_that_follow_from_the_configuration() {
    let all = Configuration {
        error_control: ErrorControl::None,
        flow_control: false,
        fast_nak: true,
        sort: Some(3),
        checksum: false,
        ..configuration()
    };
    let expected = Options::NOERR | Options::NOFLOW | Options::FASTNAK | Options::SORT | Options::NOCHECK;
    assert!(options_of(all).iter().all(|options| options.contains(expected)));
    assert!(options_of(configuration()).iter().all(|options| !options.intersects(expected)));
}

#[test]
fn status_is_asked_for_by_the_option_that_is_configured() {
    let asks = |request_by| {
        let options = options_of(Configuration { request_by, ..configuration() });
        // FIRST asks with SREQ in any case
        options[1..].to_vec()
    };
    assert!(asks(RequestBy::Sreq).iter().all(|options| options.contains(Options::SREQ)));
    let delivery = asks(RequestBy::Dreq);
    assert!(delivery.iter().all(|options| options.contains(Options::DREQ) && !options.contains(Options::SREQ)));
    let edges: Vec<_> = asks(RequestBy::Edge).iter().map(|options| options.contains(Options::EDGE)).collect();
    assert_eq!(edges, [true, false, true], "each packet toggles");
}

#[test]
fn a_request_goes_with_the_packets_that_are_to_ask() {
    let asking = |requests| {
        let options = options_of(Configuration { requests, ..configuration() });
        options.iter().map(|options| options.contains(Options::SREQ)).collect::<Vec<_>>()
    };
    assert_eq!(asking(Requests::EveryPacket), [true, true, true, true]);
    assert_eq!(asking(Requests::Every(2)), [true, false, true, true], "the last asks always");
    assert_eq!(asking(Requests::EveryMessage), [true, false, false, true]);
    assert_eq!(asking(Requests::Never), [false; 4]);
}
