use super::*;
use crate::time::Duration;

fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

fn opportunities(at: &[u64]) -> RateTrace {
    RateTrace::of_opportunities(at.iter().map(|at| ms(*at)).collect()).unwrap()
}

fn rates(rates: &[(u64, u64)], period: Option<u64>) -> RateTrace {
    let rates: Vec<(Time, u64)> = rates.iter().map(|(at, rate)| (ms(*at), *rate)).collect();
    RateTrace::of_rates(&rates, period.map(ms)).unwrap()
}

/// When packets of these sizes are sent, each as soon as it has come and the one before has left.
fn sent(trace: &RateTrace, packets: &[(Time, u32)]) -> Vec<Time> {
    let (mut line, mut free) = (TracedLine::new(trace), Time::ZERO);
    let send = |&(at, octets): &(Time, u32)| {
        free = line.send(at.max(free), octets);
        free
    };
    packets.iter().map(send).collect()
}

#[test]
fn a_packet_that_spans_a_change_of_rate_takes_the_sum_of_both_parts() {
    // 1000 octets: 4000 bits in 4 ms at 1 Mbit/s, the other 4000 in 40 ms at 100 kbit/s
    let trace = rates(&[(0, 1_000_000), (10, 100_000)], None);
    assert_eq!(sent(&trace, &[(ms(6), 1000)]), [ms(50)]);
}

#[test]
fn a_packet_waits_while_the_rate_is_zero() {
    let trace = rates(&[(0, 1_000_000), (10, 0), (500, 1_000_000)], None);
    assert_eq!(sent(&trace, &[(ms(6), 1000), (ms(100), 1000)]), [ms(504), ms(512)]);
}

#[test]
fn rates_begin_again_after_a_period_and_the_last_one_stays_without() {
    // 1 Mbit/s and 3 Mbit/s for a millisecond each: 4000 bits a period of 2 ms
    let trace = rates(&[(0, 1_000_000), (1, 3_000_000)], Some(2));
    assert_eq!(trace.mean_rate(), 2_000_000);
    assert_eq!(sent(&trace, &[(ms(0), 500), (ms(0), 1000), (ms(0), 125)]), [ms(2), ms(6), ms(7)]);
    let stays = rates(&[(0, 1_000_000), (1, 3_000_000)], None);
    // 1000 bits in the first millisecond, the other 12 000 at 3 Mbit/s
    assert_eq!((sent(&stays, &[(ms(0), 1625)]), stays.mean_rate()), (vec![ms(5)], 3_000_000));
}

#[test]
fn packets_back_to_back_end_where_the_exact_product_says_and_not_a_picosecond_a_packet_later() {
    let trace = rates(&[(0, 3_000_000)], Some(7));
    let times = sent(&trace, &[(Time::ZERO, 1499); 1000]);
    for (k, at) in (1..).zip(times) {
        let bits: u64 = k * 1499 * 8;
        // rounded up once: a packet's last bit is sent within the picosecond
        let exact = (u128::from(bits) * 1_000_000_000_000).div_ceil(3_000_000) as u64;
        assert_eq!(at.picoseconds(), exact);
    }
}

#[test]
fn an_opportunity_carries_1504_octets_of_what_waits_and_is_lost_where_nothing_does() {
    let trace = opportunities(&[5, 10, 20]);
    // the packet comes at 6 ms: the opportunity at 5 ms is gone
    assert_eq!(sent(&trace, &[(ms(6), 1504), (ms(6), 1504)]), [ms(10), ms(20)]);
    // three small packets share one, the fourth is finished by the next
    let small = [(ms(0), 500), (ms(0), 500), (ms(0), 500), (ms(0), 500)];
    assert_eq!(sent(&trace, &small), [ms(5), ms(5), ms(5), ms(10)]);
}

#[test]
fn what_an_opportunity_has_left_does_not_wait_for_a_packet_that_comes_later() {
    let trace = opportunities(&[5, 10]);
    assert_eq!(sent(&trace, &[(ms(0), 100), (ms(6), 100)]), [ms(5), ms(10)]);
}

#[test]
fn opportunities_begin_again_after_the_last_as_in_mahimahi() {
    // the period is the last instant, 4 ms; two opportunities at once are two
    let trace = opportunities(&[1, 1, 4]);
    let times = sent(&trace, &[(ms(0), 1504); 7]);
    assert_eq!(times, [1, 1, 4, 5, 5, 8, 9].map(ms));
    assert_eq!(trace.mean_rate(), 3 * 1504 * 8 * 250);
    assert_eq!((trace.header(), trace.peak_rate()), (Some(4), None));
}

#[test]
fn an_opportunity_at_zero_stands_at_the_end_of_each_later_period_as_well() {
    let trace = opportunities(&[0, 3]);
    assert_eq!(sent(&trace, &[(ms(0), 1504); 5]), [0, 3, 3, 6, 6].map(ms));
}

#[test]
fn a_trace_that_ends_in_silence_or_does_not_ascend_is_none() {
    assert_eq!(RateTrace::of_opportunities(vec![]), None);
    assert_eq!(RateTrace::of_opportunities(vec![Time::ZERO]), None);
    assert_eq!(RateTrace::of_opportunities(vec![ms(2), ms(1)]), None);
    for (rates, period) in [
        (vec![], None),
        (vec![(ms(1), 8)], None),
        (vec![(ms(0), 8), (ms(0), 9)], None),
        (vec![(ms(0), 8), (ms(1), 0)], None),
        (vec![(ms(0), 0)], Some(ms(4))),
        (vec![(ms(0), 8), (ms(4), 8)], Some(ms(4))),
    ] {
        assert_eq!(RateTrace::of_rates(&rates, period), None, "{rates:?} {period:?}");
    }
}

#[test]
fn capacity_and_time_are_inverse_over_many_periods() {
    let trace = rates(&[(0, 999_999), (3, 0), (4, 12_345_678)], Some(9));
    for microsecond in (0..100_000).step_by(77) {
        let now = Time::ZERO + Duration::from_micros(microsecond);
        let work = trace.capacity(now);
        let first = trace.when(work);
        assert!(first <= now && trace.capacity(first) == work, "{microsecond}");
    }
}
