//! Opening and closing of connections, also with the loss of each segment in turn.

use std::sync::Arc;

use sojourn_core::{Duration, Time};
use sojourn_protocols::tcp::machine::{Connection, Consumption, End, Input, Purpose, Settings};

use crate::tcp_machine::path::{Impairment, Pair, Segment, at, bsd, delay, unimpaired};

fn unconnected(settings: [Settings; 2], impair: impl FnMut(usize, &Segment) -> Impairment + 'static) -> Pair {
    let connections = settings.map(|settings| Connection::new(Arc::new(settings)));
    Pair::new(connections, delay(5), impair)
}

/// Both hosts open, send and close; host 0 first.
fn open_send_and_close(pair: &mut Pair) {
    pair.input(1, Input::Listen);
    pair.input(0, Input::Connect);
    pair.run(at(300.0));
    assert!(pair.hosts.iter().all(|host| host.established), "both are established");
    pair.input(0, Input::Write { octets: 4000 });
    pair.input(1, Input::Write { octets: 300 });
    pair.input(0, Input::Close);
    pair.run(at(900.0));
    assert!(pair.hosts[1].end_of_stream);
    pair.input(1, Input::Close);
    pair.run(at(3000.0));
}

fn assert_clean_end(pair: &Pair) {
    assert_eq!(pair.hosts.each_ref().map(|host| host.delivered), [300, 4000]);
    assert!(pair.hosts.iter().all(|host| host.end_of_stream));
    assert_eq!(pair.hosts.each_ref().map(|host| host.ended), [Some(End::Finished); 2]);
}

#[test]
fn a_connection_opens_carries_data_in_both_directions_and_closes() {
    for settings in [bsd(), Settings::modern(1460)] {
        let mut pair = unconnected([settings.clone(), settings], unimpaired);
        open_send_and_close(&mut pair);
        assert_clean_end(&pair);
        assert!(pair.hosts.iter().all(|host| host.connection.retransmissions() == 0));
        let syn = &pair.hosts[0].sent[0].1;
        assert!(syn.header.flags.syn && syn.header.ack.is_none());
    }
}

#[test]
fn the_loss_of_any_one_segment_is_invisible_to_the_users() {
    for settings in [bsd(), Settings::modern(1460)] {
        let mut unimpaired_pair = unconnected([settings.clone(), settings.clone()], unimpaired);
        open_send_and_close(&mut unimpaired_pair);
        let segments: usize = unimpaired_pair.hosts.iter().map(|host| host.sent.len()).sum();
        for lost in 0..segments {
            let mut count = 0;
            let mut pair = unconnected([settings.clone(), settings.clone()], move |_, _| {
                count += 1;
                if count == lost + 1 { Impairment::Lost } else { Impairment::None }
            });
            open_send_and_close(&mut pair);
            assert_clean_end(&pair);
        }
    }
}

#[test]
fn simultaneous_open_and_simultaneous_close_succeed() {
    let mut pair = unconnected([bsd(), bsd()], unimpaired);
    pair.input(0, Input::Connect);
    pair.input(1, Input::Connect);
    pair.run(at(60.0));
    assert!(pair.hosts.iter().all(|host| host.established));
    pair.input(0, Input::Close);
    pair.input(1, Input::Close);
    pair.run(at(200.0));
    assert_eq!(pair.hosts.each_ref().map(|host| host.ended), [Some(End::Finished); 2]);
}

#[test]
fn a_closed_port_resets_and_an_unresponsive_host_times_out_after_max_retransmits() {
    let mut pair = unconnected([bsd(), bsd()], unimpaired);
    pair.input(0, Input::Connect);
    pair.run(at(60.0));
    assert_eq!(pair.hosts[0].ended, Some(End::Reset));

    let mut silent = unconnected([bsd(), bsd()], |_, _| Impairment::Lost);
    silent.input(0, Input::Connect);
    silent.run(at(3600.0));
    assert_eq!(silent.hosts[0].ended, Some(End::TimedOut));
    assert_eq!(silent.hosts[0].sent.len(), 1 + usize::from(bsd().max_retransmits));
}

#[test]
fn an_aborted_connection_closes_at_both_ends() {
    let mut pair = Pair::connected([bsd(), bsd()], delay(5), unimpaired);
    pair.input(0, Input::Write { octets: 100 });
    pair.input(0, Input::Abort);
    pair.run(at(1.0));
    assert_eq!(pair.hosts[0].ended, Some(End::Aborted));
    assert_eq!(pair.hosts[1].ended, Some(End::Reset));
}

#[test]
fn a_paused_reader_closes_the_window_and_its_reads_open_it() {
    let reader = Settings { consumption: Consumption::Reported, receive_buffer: 8000, ..bsd() };
    let mut pair = Pair::connected([bsd(), reader], delay(5), unimpaired);
    pair.input(0, Input::Write { octets: 20_000 });
    pair.run(at(1.0));
    assert_eq!(pair.hosts[1].delivered, 5 * 1460, "full segments first");
    pair.run(at(200.0));
    assert_eq!(pair.hosts[1].delivered, 8000, "the rest of the window after the persist timer");
    let probes = pair.hosts[0].sent.iter().filter(|(_, segment)| segment.purpose == Purpose::WindowProbe).count();
    assert!((2..20).contains(&probes), "{probes} window probes at increasing intervals");
    for _ in 0..10 {
        let octets = pair.hosts[1].delivered;
        pair.input(1, Input::Read { octets });
        let until = pair.now + Duration::from_secs(1);
        pair.run(until);
    }
    assert_eq!(pair.hosts[1].delivered, 20_000);
}

#[test]
fn a_lost_window_update_is_recovered_by_a_window_probe() {
    let reader = Settings { consumption: Consumption::Reported, receive_buffer: 8000, ..bsd() };
    let mut pair = Pair::connected([bsd(), reader], delay(5), |host, segment| {
        let update = host == 1 && segment.header.window > 6000 && segment.header.ack == Some(8001);
        if update { Impairment::Lost } else { Impairment::None }
    });
    pair.input(0, Input::Write { octets: 9000 });
    pair.run(at(1.0));
    pair.input(1, Input::Read { octets: 8000 });
    pair.run(at(120.0));
    assert_eq!(pair.hosts[1].delivered, 9000);
}

#[test]
fn nagle_combines_small_writes_while_data_are_in_flight() {
    let sent = |nagle| {
        let settings = Settings { nagle, ..bsd() };
        let mut pair = Pair::connected([settings, bsd()], delay(50), unimpaired);
        for number in 0..10 {
            pair.run(Time::ZERO + Duration::from_millis(number));
            pair.input(0, Input::Write { octets: 10 });
        }
        pair.run(at(5.0));
        assert_eq!(pair.hosts[1].delivered, 100);
        pair.hosts[0].sent.iter().map(|(_, segment)| segment.length).collect::<Vec<_>>()
    };
    assert_eq!(sent(true), [10, 90]);
    assert_eq!(sent(false), [10; 10]);
}
