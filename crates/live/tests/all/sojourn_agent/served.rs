//! What those get who measure as they should.

use std::time::{Duration, Instant};

use sojourn_live::Listening;
use sojourn_protocols::probe::client::{LoadRequest, RequestError};
use sojourn_protocols::probe::wire::{Limits, Packet, Pdu, Reason, Residence};

use crate::agent::{Agent, KEY, keyed, lines, open, sessions};
use crate::client::{Client, SILENCE, receive};
use crate::waiting::TIMEOUT;

#[test]
fn replies_carry_the_kernels_receive_timestamp_and_the_residence_time_of_earlier_ones() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let (mut stamps, mut round_trips, mut reported) = (Vec::new(), Vec::new(), 0);
    for number in 0..20_u32 {
        let began = Instant::now();
        let Some(Pdu::Reply { receive_ns, receive_by_kernel, residence, .. }) = client.ping(64) else {
            panic!("no reply")
        };
        assert!(receive_by_kernel, "loopback has the kernel's stamps");
        stamps.push(receive_ns);
        round_trips.push(began.elapsed().as_nanos() as u64);
        if let Some(Residence { earlier, ns, by_kernel }) = residence {
            assert!(by_kernel && (1..=number).contains(&earlier));
            let round_trip = round_trips[(number - earlier) as usize];
            assert!((1..round_trip).contains(&u64::from(ns)), "residence time {ns} ns of {round_trip}");
            reported += 1;
        }
    }
    assert!(stamps.is_sorted_by(|a, b| a < b), "{stamps:?}");
    assert!(reported >= 10, "most replies report an earlier one: {reported}");
    assert_eq!(client.close().unwrap().probes, 20);
    let reports = agent.stop();
    let session = sessions(&reports)[0];
    assert_eq!((session.messages, session.well, session.ended.as_str()), (20, true, "the client closed it"));
}

#[test]
fn replies_are_as_long_as_their_probes() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    for octets in [64, 65, 127, 128, 129, 1472, 9000, 65_507] {
        assert!(matches!(client.ping(octets), Some(Pdu::Reply { .. })), "{octets} octets");
    }
    agent.stop();
}

#[test]
fn two_concurrent_clients_have_separate_results() {
    let agent = Agent::start(keyed());
    let mut first = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let mut second = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    for step in 0..30 {
        first.ping(100).unwrap();
        if step % 3 == 0 {
            second.ping(200).unwrap();
            second.load(1000);
        }
    }
    let second = second.close().unwrap();
    assert_eq!((second.probes, second.load_packets, second.load_octets), (10, 10, 10_000));
    let first = first.close().unwrap();
    assert_eq!((first.probes, first.load_packets), (30, 0));
    let reports = agent.stop();
    assert_eq!(sessions(&reports).iter().map(|session| session.messages).collect::<Vec<_>>(), [10, 30]);
}

#[test]
fn load_to_the_client_never_exceeds_its_rate_and_ends_without_a_request() {
    const LASTS: Duration = Duration::from_millis(1500);
    const INTERVAL_NS: u64 = 10_000_000;
    // what the agent catches up, and what rounding the two times takes
    const CATCH_UP_NS: u64 = 10_000_001;
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    // 100 a second, so few that all of them find room where they wait to be read
    let load = LoadRequest { bit_rate: 80_000, octets: 100, duration_ns: LASTS.as_nanos() as u64, dscp: 0 };
    let request = client.session.start(load, client.now());
    assert_eq!(client.request(request).unwrap().sent_packets, 0);
    std::thread::sleep(LASTS + Duration::from_millis(100));
    let report = client.ask().unwrap();

    let sent_ns = |(packet, octets): &(Packet, usize)| match packet.pdu {
        Pdu::Load { sent_ns, .. } if *octets == 100 => sent_ns,
        _ => panic!("no load of 100 octets: {packet:?}, {octets}"),
    };
    let sent: Vec<u64> = client.loaded.iter().map(sent_ns).collect();
    assert!(client.loaded.iter().map(|(packet, _)| packet.sequence).eq(0..report.sent_packets), "{report:?}");
    assert!((1..=150).contains(&report.sent_packets), "at most 100 a second for 1.5 s: {report:?}");
    for (index, first) in sent.iter().enumerate() {
        let most = |last: u64| (last - first + CATCH_UP_NS) / INTERVAL_NS + 1;
        assert!(sent[index..].iter().zip(1..).all(|(last, count)| count <= most(*last)), "too fast: {sent:?}");
    }
    std::thread::sleep(SILENCE);
    assert_eq!(client.ask().unwrap().sent_packets, report.sent_packets, "it is over");
    agent.stop();
}

#[test]
fn load_to_a_client_that_no_longer_confirms_it_ends_within_two_seconds() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    let load = LoadRequest { bit_rate: 80_000, octets: 100, duration_ns: 60_000_000_000, dscp: 0 };
    let request = client.session.start(load, client.now());
    client.request(request).unwrap();
    // probes from the same address keep the session, and not the load
    for _ in 0..35 {
        std::thread::sleep(Duration::from_millis(100));
        client.ping_under_load(64);
    }
    let report = client.ask().unwrap();
    assert!((150..=260).contains(&report.sent_packets), "100 a second for two seconds: {report:?}");
    let reports = agent.stop();
    assert_eq!(lines(&reports, "lease-over").len(), 1);
}

#[test]
fn an_agent_without_a_key_sends_no_load_over_udp_when_it_is_open_to_all() {
    let agent = Agent::start(open());
    let mut client = Client::open(agent.address, b"", Limits::NONE).unwrap();
    assert!(!client.session.granted().sends);
    let load = LoadRequest { bit_rate: 8000, octets: 1000, duration_ns: 1_000_000, dscp: 0 };
    let request = client.session.start(load, client.now());
    assert_eq!(client.request(request), Err(RequestError::Refused(Reason::LoadDisabled)));
    agent.stop();
}

#[test]
fn an_agent_that_ends_notifies_its_clients_with_its_counts() {
    let agent = Agent::start(keyed());
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    client.ping(64).unwrap();
    let reports = agent.stop();
    let word = receive(&client.socket, TIMEOUT).expect("a last word");
    let Pdu::Closed { reason, report } = client.session.decode(&word).unwrap().pdu else { panic!("not the last word") };
    assert_eq!((reason, report.probes), (Reason::ShuttingDown, 1));
    assert_eq!(
        (sessions(&reports)[0].messages, sessions(&reports)[0].ended.as_str()),
        (1, "the agent is shutting down")
    );
    assert_eq!(lines(&reports, "closed").len(), 1);
}

#[test]
fn an_agent_ends_after_as_many_sessions_as_it_was_set_to_serve() {
    let agent = Agent::listen(Listening { count: Some(2), agent: Some(keyed()), ..Listening::default() });
    for _ in 0..2 {
        Client::open(agent.address, KEY, Limits::NONE).unwrap().close().unwrap();
    }
    assert_eq!(sessions(&agent.join()).len(), 2);
}

#[test]
fn ipv6_is_served_like_ipv4() {
    let agent = Agent::at("sojourn://[::1]:0", Listening { agent: Some(keyed()), ..Listening::default() });
    let mut client = Client::open(agent.address, KEY, Limits::NONE).unwrap();
    assert!(matches!(client.ping(64), Some(Pdu::Reply { receive_by_kernel: true, .. })));
    assert_eq!(client.close().unwrap().probes, 1);
    agent.stop();
}
