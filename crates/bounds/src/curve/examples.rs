//! Published examples of network calculus, recomputed.

use super::*;

fn whole(number: i128) -> Rational {
    Rational::from_integer(number)
}

fn ratio(numerator: i128, denominator: i128) -> Rational {
    Rational::new(numerator, denominator)
}

fn rate_latency(rate: i128, latency: i128) -> RateLatency {
    RateLatency::new(whole(rate), whole(latency))
}

#[test]
fn a_token_bucket_through_a_rate_latency_server_waits_b_over_r_plus_t() {
    // LBT, 1.4.1: delay b/R + T, backlog b + rT, output burst b + rT
    let (arrival, server) = (Arrival::token_bucket(whole(12), whole(3)), rate_latency(4, 5));
    assert_eq!(arrival.delay_bound(&server.into()), Some(ratio(12, 4) + whole(5)));
    assert_eq!(arrival.backlog_bound(&server.into()), Some(whole(12 + 3 * 5)));
    assert_eq!(arrival.output(&server), Some(Arrival::token_bucket(whole(12 + 3 * 5), whole(3))));
}

#[test]
fn a_flow_of_guaranteed_service_has_the_bounds_of_its_t_spec() {
    // LBT, proposition 1.4.1: T-SPEC (M, p, r, b) through rate R and latency T
    let (largest, peak, rate, burst, served, latency) = (10, 30, 5, 60, 20, 1);
    let arrival = Arrival::peak_limited(whole(largest), whole(peak), whole(burst), whole(rate));
    let server = rate_latency(served, latency);
    let corner = ratio(burst - largest, peak - rate);
    let delay = (whole(largest) + corner * whole(peak - served)) / whole(served) + whole(latency);
    assert_eq!(arrival.delay_bound(&server.into()), Some(delay));
    let beyond = (corner - whole(latency)).max(whole(0));
    let backlog = whole(burst + rate * latency) + beyond * whole((peak - served).max(0) - peak + rate);
    assert_eq!(arrival.backlog_bound(&server.into()), Some(backlog));
}

#[test]
fn bursts_are_paid_only_once_on_a_path() {
    // LBT, 1.4.3: two servers as one give b / min(R1, R2) + T1 + T2, hop by hop the burst counts twice
    let arrival = Arrival::token_bucket(whole(12), whole(1));
    let (first, second) = (rate_latency(4, 5), rate_latency(3, 2));
    let path = Service::from(first).then(&second.into());
    assert_eq!(arrival.delay_bound(&path), Some(whole(12 / 3 + 5 + 2)));
    let behind = arrival.output(&first).unwrap();
    let hops = arrival.delay_bound(&first.into()).unwrap() + behind.delay_bound(&second.into()).unwrap();
    assert_eq!(hops, ratio(12, 4) + whole(5) + ratio(12 + 5, 3) + whole(2));
}

#[test]
fn what_arrives_faster_than_it_is_served_has_no_bound() {
    let arrival = Arrival::token_bucket(whole(1), whole(5));
    assert_eq!(arrival.delay_bound(&rate_latency(4, 0).into()), None);
    assert_eq!(arrival.backlog_bound(&rate_latency(4, 0).into()), None);
    assert_eq!(arrival.output(&rate_latency(4, 0)), None);
}

#[test]
fn a_server_shared_in_order_of_arrival_leaves_its_rate_less_that_of_others_after_their_burst() {
    // LBT, proposition 6.2.1 with theta = T + b2/R
    let left = fifo(&rate_latency(10, 2), &Arrival::token_bucket(whole(30), whole(4))).unwrap();
    assert_eq!(left, rate_latency(6, 2 + 30 / 10));
}

#[test]
fn the_highest_class_waits_for_one_packet_of_those_below_and_the_lowest_for_all() {
    // LBT, corollary 6.2.1: C and l/C above; C - r and b/(C - r) below
    let server = rate_latency(10, 0);
    let above = strict_priority(&server, &Arrival::nothing(), whole(20)).unwrap();
    assert_eq!(above.parts(), [rate_latency(10, 2)]);
    let below = strict_priority(&server, &Arrival::token_bucket(whole(30), whole(4)), whole(0)).unwrap();
    assert_eq!(below.parts(), [rate_latency(6, 5)]);
    assert_eq!(strict_priority(&server, &Arrival::token_bucket(whole(30), whole(10)), whole(0)), None);
}

#[test]
fn a_flow_in_a_round_gets_its_quantum_s_share_after_a_round_and_a_packet_of_each_other() {
    let rivals = [Rival { quantum: whole(1000), largest: whole(500) }; 3];
    let left = deficit_round_robin(&rate_latency(100, 0), whole(2000), &rivals);
    assert_eq!(left.rate, ratio(100 * 2000, 5000));
    assert_eq!(left.latency, ratio(3 * 1000 + 3 * 500 + 500, 100));
}

#[test]
fn a_flow_beside_new_flows_gets_a_turn_for_two_of_each_rival() {
    let rivals = [Rival { quantum: whole(1000), largest: whole(500) }; 3];
    let left = flow_queuing(&rate_latency(100, 0), whole(1000), whole(0), &rivals);
    assert_eq!(left.rate, ratio(100, 7));
    assert_eq!(left.latency, ratio(3 * (5 * 1000 + 500) + 500, 100));
    let alone = flow_queuing(&rate_latency(100, 2), whole(1000), whole(700), &[]);
    assert_eq!(alone, rate_latency(100, 2));
}
