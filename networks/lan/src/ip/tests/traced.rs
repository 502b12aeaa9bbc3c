//! Links whose rate changes over time.

use std::sync::Arc;

use sojourn_core::RateTrace;

use super::*;

/// A link with this trace and with framing.
fn traced(trace: Option<RateTrace>) -> Packets {
    let topology = chain(0, 1, RATE, Duration::from_micros(10));
    let mut settings = settings(&topology, &fifo());
    settings.ports[0].link.framing = Framing { overhead: 38, minimum: 46, counted: 14 };
    settings.ports[0].link.trace = Some(Arc::new(trace.unwrap()));
    packets(&topology, &settings)
}

#[test]
fn a_packet_that_meets_a_change_of_rate_takes_the_sum_of_both_parts() {
    let mut packets = traced(RateTrace::of_rates(&[(ms(0), 10_000_000), (ms(1), 1_000_000)], None));
    // 1212 octets and 38 of framing are 10 000 bits: a millisecond at 10 Mbit/s. The packet of 0.5 ms has half of that
    packets.send(us(500), frame(0, 0, 1212));
    packets.send(us(500), frame(1, 0, 1212));
    assert_eq!(delivered(&drain(&mut packets)), [(us(6010), 0), (us(16_010), 1)]);
}

#[test]
fn an_opportunity_carries_an_ip_packet_of_1500_octets_whatever_the_framing_is() {
    let mut packets = traced(RateTrace::of_opportunities([3, 5, 5, 9].map(ms).to_vec()));
    (0..4).for_each(|packet| packets.send(us(2500), frame(packet, 0, 1500)));
    let expected: Vec<(Time, u32)> = [3010, 5010, 5010, 9010].map(us).into_iter().zip(0..).collect();
    assert_eq!(delivered(&drain(&mut packets)), expected);
}

#[test]
fn small_packets_that_wait_share_an_opportunity() {
    let mut packets = traced(RateTrace::of_opportunities([3, 5].map(ms).to_vec()));
    // with the four octets of Mahimahi's header 500 each: three in 1504 octets, and 4 octets of the fourth
    (0..4).for_each(|packet| packets.send(us(0), frame(packet, 0, 496)));
    let expected: Vec<(Time, u32)> = [3010, 3010, 3010, 5010].map(us).into_iter().zip(0..).collect();
    assert_eq!(delivered(&drain(&mut packets)), expected);
}

#[test]
fn beyond_the_highest_rate_time_on_a_traced_link_is_waiting() {
    let at = [(ms(0), 1_000_000), (ms(1), 10_000_000)];
    let unloaded = traced(RateTrace::of_rates(&at, None)).unloaded(0, 1212);
    assert_eq!(unloaded.transmission, Duration::from_millis(1));
    let unloaded = traced(RateTrace::of_opportunities([3, 5].map(ms).to_vec())).unloaded(0, 1212);
    assert_eq!(unloaded.transmission, Duration::ZERO);
}
