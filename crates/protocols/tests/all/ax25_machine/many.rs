//! Many links of one station, distinguished by own address, peer and path.

use std::sync::Arc;

use sojourn_core::{Machine, Time};
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;
use super::radio::*;
use super::transcript::{self, address};

#[test]
fn a_station_keeps_simultaneous_links_apart() {
    let mut radio = Radio::new(vec![v2_0(); 5]);
    (1..5).for_each(|to| radio.connect(0, to, &[]));
    radio.settle();
    for number in 0..20 {
        for to in 1..5 {
            let link = radio.link(0, to, &[]).unwrap();
            radio.give(0, Input::Send { link, pid: Pid::NONE, data: format!("{to} {number}").into_bytes() });
        }
    }
    radio.settle();
    for to in 1..5 {
        let expected: Vec<_> = (0..20).map(|number| format!("{to} {number}").into_bytes()).collect();
        assert_eq!(radio.delivered[to], expected);
    }
}

#[test]
fn the_same_peer_over_another_path_is_another_link() {
    let mut radio = Radio::new(vec![v2_0(); 2]).with_digipeater("DIGI");
    radio.connect(0, 1, &[]);
    radio.connect(0, 1, &["DIGI"]);
    radio.settle();
    let (direct, far) = (radio.link(0, 1, &[]).unwrap(), radio.link(0, 1, &["DIGI"]).unwrap());
    assert_ne!(direct, far);
    radio.give(0, Input::Disconnect { link: far });
    radio.settle();
    assert_eq!(radio.stations[0].state(direct), LinkState::Connected);
    assert_eq!(radio.stations[0].state(far), LinkState::Disconnected);
}

#[test]
fn a_station_responds_under_each_of_its_addresses() {
    let addresses = [address("NODE-1"), address("ALIAS")];
    let mut station: Station<Vec<u8>> = Station::new(addresses, Arc::new(v2_0())).unwrap();
    for own in addresses {
        let addressing = Addressing::new(address("PEER"), own, Digipeaters::NONE, Role::Command);
        let frame = Frame { addressing, poll_final: true, body: Body::Sabm };
        station.handle(Time::ZERO, Input::Receive { frame });
        assert!(station.link(&LinkKey::direct(own, address("PEER"))).is_some());
    }
}

#[test]
fn links_beyond_the_maximum_get_dm_until_one_ends() {
    let mut lone = Lone::new(Settings { max_links: 1, ..v2_0() });
    lone.receive(command_p(Body::Sabm));
    let other = |body| {
        let addressing = Addressing::new(address("OTHER"), address("OWN"), Digipeaters::NONE, Role::Command);
        Frame { addressing, poll_final: true, body }
    };
    assert_eq!(lone.receive(other(Body::Sabm)), ["DM F"]);
    let key = LinkKey::direct(address("OWN"), address("OTHER"));
    assert_eq!(lone.give(Input::Connect { key }), ["refused: the station has its maximum of 1 links"]);
    lone.receive(command_p(Body::Disc));
    assert_eq!(lone.receive(other(Body::Sabm)), ["connected, incoming", "UA F"]);
}

#[test]
fn links_share_limited_bursts_round_robin() {
    let mut radio = Radio::new(vec![v2_0(); 3]);
    radio.burst = 2;
    (1..3).for_each(|to| radio.connect(0, to, &[]));
    radio.settle();
    for to in [1, 1, 1, 1, 2, 2, 2, 2] {
        let link = radio.link(0, to, &[]).unwrap();
        radio.give(0, Input::Send { link, pid: Pid::NONE, data: vec![b'0' + to as u8] });
    }
    radio.settle();
    let order: Vec<&str> =
        radio.log.iter().filter_map(|line| line.split_once(" delivers ")).map(|(station, _)| station).collect();
    assert_ne!(order, ["B", "B", "B", "B", "C", "C", "C", "C"]);
    assert_eq!(order.len(), 8);
}

#[test]
fn broadcasts_are_delivered_if_the_station_accepts_them() {
    let addressing = Addressing::new(address("PEER"), address("NODES"), Digipeaters::NONE, Role::Command);
    let frame = Frame { addressing, poll_final: true, body: Body::Ui { pid: Pid::NETROM, data: b"routes".to_vec() } };
    let mut deaf = Lone::new(v2_0());
    assert_eq!(deaf.receive(frame.clone()), Vec::<String>::new());
    let mut node = Station::new([address("NODE")], Arc::new(v2_0())).unwrap().with_broadcasts([address("NODES")]);
    node.handle(Time::ZERO, Input::Receive { frame });
    assert_eq!(node.poll_output().as_ref().and_then(transcript::of_event), Some("UI routes".into()));
    assert_eq!(node.poll_output(), None, "a broadcast gets no response");
}
