//! Window updates: a reader that frees two segments or half of its buffer says so at once (RFC 1122, 4.2.3.3; 4.4BSD).

use sojourn_core::{Duration, Time};
use sojourn_protocols::tcp::machine::{Consumption, Input, Settings};

use crate::tcp_machine::path::{Pair, at, bsd, delay, unimpaired};

/// Data of a full segment on an ATM network with an MTU of 9180 octets.
const ATM_MSS: u16 = 9140;

/// A host of 1995 on an ATM network with these socket buffers.
fn on_atm(buffer: u64) -> Settings {
    Settings { mss: ATM_MSS, initial_cwnd: ATM_MSS.into(), send_buffer: buffer, receive_buffer: buffer, ..bsd() }
}

/// When host 1 sends what, after host 0 wrote `octets` 5 ms away: times and acknowledgements.
fn answers(settings: [Settings; 2], octets: u64) -> Vec<(Time, Option<u32>)> {
    let mut pair = Pair::connected(settings, delay(5), unimpaired);
    pair.input(0, Input::Write { octets });
    pair.run(at(1.0));
    pair.hosts[1].sent.iter().map(|(time, segment)| (*time, segment.header.ack)).collect()
}

#[test]
fn a_segment_of_half_the_buffer_is_acknowledged_as_soon_as_it_is_read_at_delivery() {
    let found = answers([on_atm(16 << 10), on_atm(16 << 10)], 9140);
    assert_eq!(found, [(at(0.005), Some(1 + 9140))]);
}

#[test]
fn a_segment_of_less_than_half_the_buffer_waits_for_the_tick_of_delayed_acknowledgements() {
    let found = answers([on_atm(16 << 10), on_atm(24 << 10)], 9140);
    assert_eq!(found, [(at(0.2), Some(1 + 9140))]);
}

#[test]
fn a_host_of_today_that_reads_half_of_a_small_buffer_does_not_wait_40_ms_either() {
    let small = |buffer| Settings { receive_buffer: buffer, ..Settings::modern(1460) };
    let first = |buffer| answers([Settings::modern(1460), small(buffer)], 1448)[0].0;
    assert_eq!(first(2 * 1448), at(0.005));
    assert_eq!(first(2 * 1448 + 1), at(0.045));
}

#[test]
fn two_segments_that_are_read_are_announced_where_more_are_acknowledged_together() {
    let reader = Settings { ack_every: 8, ..bsd() };
    let sender = Settings { initial_cwnd: 8 * 1460, ..bsd() };
    let found = answers([sender, reader], 4 * 1460);
    assert_eq!(found, [(at(0.005), Some(1 + 2 * 1460)), (at(0.005), Some(1 + 4 * 1460))]);
}

#[test]
fn reads_that_are_reported_are_announced_by_the_same_rule() {
    let reader = Settings { consumption: Consumption::Reported, ..on_atm(16 << 10) };
    let mut pair = Pair::connected([on_atm(16 << 10), reader], delay(5), unimpaired);
    pair.input(0, Input::Write { octets: 9140 });
    pair.run(at(0.010));
    assert_eq!(pair.hosts[1].sent.len(), 0, "nothing was read");
    pair.input(1, Input::Read { octets: 8191 });
    assert_eq!(pair.hosts[1].sent.len(), 0, "less than half of the buffer");
    pair.input(1, Input::Read { octets: 1 });
    assert_eq!(pair.hosts[1].sent.len(), 1);
}

/// A send buffer of 16 KiB holds a full segment and 7244 octets more, which Nagle's algorithm keeps until the segment is
/// acknowledged; then they and another full segment go together.
#[test]
fn a_transfer_over_atm_never_waits_with_a_receive_buffer_of_16_kib_and_at_every_third_segment_with_24() {
    let octets = |receive_buffer| {
        let receiver = Settings { receive_buffer, ..on_atm(16 << 10) };
        let mut pair = Pair::connected([on_atm(16 << 10), receiver], delay(5), unimpaired);
        pair.saturate(at(2.0));
        let before = pair.hosts[1].delivered;
        let until = pair.now + Duration::from_secs(10);
        pair.saturate(until);
        pair.hosts[1].delivered - before
    };
    let (first, both) = (9140, 16_384);
    assert_eq!(octets(16 << 10), 500 * (first + both), "one or the other in every round trip of 10 ms");
    assert_eq!(octets(24 << 10), 50 * (first + both), "both in every tick of 200 ms");
}
