//! Flow, rate and priority: when data waits.

use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::xtp::machine::*;
use sojourn_protocols::xtp::wire::{Address, Options};

use super::network::*;

#[test]
fn before_the_first_answer_no_more_than_the_initial_window_is_sent() {
    let configuration = Configuration { initial_window: 45, ..configuration() };
    let mut network = Network::of(2, configuration.clone());
    let context = network.open(1, configuration, b"12345");
    network.write(0, context, &stream(100), true);
    let sent: usize = network.sent.iter().filter_map(|sent| sent.packet.body.data()).map(Vec::len).sum();
    assert_eq!(sent, 45);
    network.pass(Duration::from_secs(1));
    assert_eq!(network.seen(1, 0).bytes.len(), 105);
}

#[test]
fn a_sender_never_has_more_in_flight_than_the_receiver_has_room_for() {
    let small = Configuration { receive_buffer: 30, initial_window: 30, ..configuration() };
    let mut network = Network::of(2, small.clone());
    let context = network.open(1, small, b"");
    network.write(0, context, &stream(300), true);
    network.pass(Duration::from_secs(1));
    assert_eq!(network.seen(1, 0).bytes, stream(300));
    let (mut granted, mut most) = (30, 0);
    for sent in &network.sent {
        if let Some(data) = sent.packet.body.data() {
            assert!(sent.packet.header.seq + data.len() as u64 <= granted);
            most = most.max(data.len());
        }
        granted = sent.packet.body.control().map_or(granted, |control| granted.max(control.alloc));
    }
    assert_eq!(most, 10);
    assert_eq!(network.count(1, Event::BeyondAllocation), 0);
}

#[test]
fn a_user_who_does_not_consume_stops_the_sender_and_starts_it_again() {
    let slow = Configuration { receive_buffer: 40, consumption: Consumption::Reported, ..configuration() };
    let mut network = Network::of(2, slow);
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(10));
    network.write(0, context, &stream(100), true);
    network.pass(Duration::from_secs(20));
    assert_eq!(network.seen(1, 0).bytes.len(), 40);
    assert_eq!(network.seen(0, 0).closed, None, "the peer answers: it is full, not gone");
    let asked = network.sent_for(0, Purpose::StatusRequest).len();
    assert!((6..20).contains(&asked), "{asked} questions in 20 s, less and less often");
    let other = network.contexts[1][0];
    network.give(1, Input::Consumed { context: other, bytes: 40 });
    network.pass(Duration::from_millis(5));
    assert_eq!(network.seen(1, 0).bytes.len(), 80, "DREQ brought the news at once");
    network.give(1, Input::Consumed { context: other, bytes: 40 });
    network.pass(Duration::from_millis(5));
    assert_eq!(network.seen(1, 0).bytes, stream(100));
}

#[test]
fn a_report_at_delivery_waits_until_the_user_has_consumed() {
    let reported = Configuration { consumption: Consumption::Reported, ..configuration() };
    let asks = Configuration { request_by: RequestBy::Dreq, ..configuration() };
    let mut network = Network::of(2, reported);
    let context = network.open(1, asks, b"");
    network.pass(Duration::from_millis(10));
    network.write(0, context, &stream(10), true);
    network.pass(Duration::from_millis(10));
    assert_eq!(network.sent_for(1, Purpose::Report).len(), 1, "that to FIRST");
    let other = network.contexts[1][0];
    network.give(1, Input::Consumed { context: other, bytes: 10 });
    assert_eq!(network.sent_for(1, Purpose::Report).len(), 2);
}

#[test]
fn with_reservation_only_posted_buffers_are_filled() {
    let reserving = Configuration { reservation: true, initial_window: 1, ..configuration() };
    let mut network = Network::of(2, configuration());
    let context = network.open(1, reserving, b"");
    network.pass(Duration::from_millis(10));
    network.write(0, context, &stream(50), true);
    network.pass(Duration::from_secs(1));
    assert_eq!(network.seen(1, 0).bytes.len(), 0);
    let other = network.contexts[1][0];
    network.give(1, Input::Post { context: other, bytes: 25 });
    network.pass(Duration::from_secs(10));
    assert_eq!(network.seen(1, 0).bytes.len(), 25, "{:#?}", network.log);
    network.give(1, Input::Post { context: other, bytes: 25 });
    network.pass(Duration::from_secs(10));
    assert_eq!(network.seen(1, 0).bytes, stream(50));
}

#[test]
fn without_flow_control_the_allocation_is_not_heeded() {
    let free = Configuration { flow_control: false, initial_window: 10, ..configuration() };
    let mut network = Network::of(2, Configuration { receive_buffer: 10, ..configuration() });
    let context = network.open(1, free, b"");
    network.write(0, context, &stream(100), true);
    assert_eq!(network.sent_for(0, Purpose::Data).len(), 11);
    network.pass(Duration::from_secs(1));
    assert_eq!(network.seen(1, 0).bytes, stream(100), "a user who takes all at once needs no room");
}

#[test]
fn data_beyond_the_room_is_cut_off_and_sent_again_later() {
    let mut network = Network::of(2, Configuration { receive_buffer: 25, ..configuration() });
    let context = network.open(1, Configuration { max_data: 40, ..configuration() }, b"");
    network.write(0, context, &stream(120), true);
    network.pass(Duration::from_secs(5));
    assert!(network.count(1, Event::BeyondAllocation) > 0, "the initial window was too large for it");
    assert_eq!(network.seen(1, 0).bytes, stream(120));
}

/// When the data packets of A went out, and how long they were.
fn departures(network: &Network) -> Vec<(Time, usize)> {
    let data = network.sent.iter().filter(|sent| sent.from == 0);
    data.filter_map(|sent| Some((sent.at, sent.packet.body.data()?.len()))).filter(|(_, length)| *length > 0).collect()
}

/// The most bytes that left within any half-open window of this length.
fn most_within(departures: &[(Time, usize)], window: Duration) -> usize {
    let within = |start: Time| departures.iter().filter(move |(at, _)| *at >= start && *at < start + window);
    departures.iter().map(|(start, _)| within(*start).map(|(_, length)| length).sum()).max().unwrap_or(0)
}

#[test]
fn rate_and_burst_hold_over_any_rtimer_window_with_loss_too() {
    // 100 bytes in every 20 ms; the last packet of a burst may begin with one byte of credit left
    let rate = Rate { bytes_per_second: 5000, burst: 100 };
    for seed in 0..20 {
        let paced = Configuration { send_rate: rate, retry_count: 20, ..configuration() };
        let mut network = Network::of(2, configuration());
        network.loss = (100, seed);
        let context = network.open(1, Configuration { max_data: 7, ..paced }, b"");
        network.write(0, context, &stream(1500), true);
        network.pass(Duration::from_secs(60));
        assert_eq!(network.seen(1, 0).bytes, stream(1500));
        let departures = departures(&network);
        assert!(most_within(&departures, Duration::from_millis(20)) <= 100 + 6);
    }
}

#[test]
fn a_paced_sender_keeps_its_rate_and_no_less() {
    let rate = Rate { bytes_per_second: 5000, burst: 100 };
    let mut network = Network::of(2, configuration());
    let context = network.open(1, Configuration { send_rate: rate, ..configuration() }, b"");
    network.write(0, context, &stream(1000), true);
    network.pass(Duration::from_secs(5));
    let departures = departures(&network);
    let (first, last) = (departures[0].0, departures.last().unwrap().0);
    assert_eq!(last - first, Duration::from_millis(9 * 20), "ten bursts of 100 bytes");
}

#[test]
fn the_peer_s_rate_holds_once_it_is_known_and_a_rate_of_zero_stops_the_stream() {
    let rate = Rate { bytes_per_second: 1000, burst: 10 };
    let mut network = Network::of(2, Configuration { receive_rate: rate, ..configuration() });
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(10));
    network.write(0, context, &stream(50), true);
    network.pass(Duration::from_secs(1));
    let apart: Vec<_> = departures(&network).windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert_eq!(apart, [Duration::from_millis(10); 4]);

    let stopped = Rate { bytes_per_second: 0, burst: 10 };
    let mut network = Network::of(2, Configuration { receive_rate: stopped, ..configuration() });
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(10));
    network.write(0, context, &stream(50), true);
    network.pass(Duration::from_secs(100));
    assert_eq!(network.seen(1, 0).bytes.len(), 0);
    assert_eq!(network.seen(0, 0).closed, None);
}

/// A endpoint that may hand over one packet at a time, with a context for each of these priorities.
fn one_at_a_time(sorts: &[Option<u16>]) -> (Endpoint<Bytes, Host>, Vec<ContextId>) {
    let limits = Limits { packets_in_flight: Some(1), ..Limits::default() };
    let mut endpoint = Endpoint::new(limits);
    let mut contexts = Vec::new();
    for sort in sorts {
        let configuration = Arc::new(Configuration { sort: *sort, ..configuration() });
        let (cast, address) = (Cast::Unicast, Address::NULL);
        let open = Input::Open { reference: 0, to: 1, address, cast, configuration, data: None };
        endpoint.handle(Time::ZERO, open);
        endpoint.handle(Time::ZERO, Input::Transmitted);
        while let Some(output) = endpoint.poll_output() {
            if let Output::Opened { context, .. } = output {
                contexts.push(context);
            }
        }
    }
    (endpoint, contexts)
}

#[test]
fn contexts_with_a_lower_sort_are_served_first_and_those_alike_in_turn() {
    let (mut endpoint, contexts) = one_at_a_time(&[None, Some(9), Some(2), Some(9)]);
    for (nth, context) in contexts.iter().enumerate() {
        let data = vec![nth as u8; 30];
        endpoint.handle(Time::ZERO, Input::Write { context: *context, data, end_of_message: true });
    }
    let mut order = Vec::new();
    for _ in 0..13 {
        while let Some(output) = endpoint.poll_output() {
            let Output::Transmit { packet, .. } = output else { continue };
            assert_eq!(packet.header.options.contains(Options::SORT), packet.header.sort != 0);
            order.push(packet.body.data().unwrap()[0]);
        }
        endpoint.handle(Time::ZERO, Input::Transmitted);
    }
    // the first of context 0 went out before the others had anything to send
    assert_eq!(order, [0, 2, 2, 2, 1, 3, 1, 3, 1, 3, 0, 0]);
}
