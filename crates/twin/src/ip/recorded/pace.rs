//! What paces the requests of a client: its answers, or the clock.
//!
//! A client that goes on when it has an answer thinks about as long after a fast answer as after a slow one, and the times between
//! its requests vary with its answers. Of one that asks by the clock the times from its answers to its next requests vary instead. Where neither is seen, nothing speaks for a closed loop, and the clock stands.

use super::super::transactions::Exchange;
use super::super::trips::at;
use super::lanes::Lane;

/// Requests from which a closed loop can be seen.
const FEWEST: usize = 8;
/// Spread of the times from answers to requests, as a share of that between requests, up to which answers pace them.
const MUCH_LESS: f64 = 0.8;
/// Octets that TCP sends at once on a new connection (RFC 6928).
const INITIAL_WINDOW: f64 = 14_600.0;
/// Length of a round of recorded requests, as a multiple of the capture: a run as long as it has each once.
const ROUND: f64 = 1.01;

/// The times between requests, s.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pace {
    /// From an answer, as the scenario has it, to the next request, beside the spreads that show it: of the times from whole answers to
    /// requests, and from request to request.
    Answers(Vec<f64>, [f64; 2]),
    /// From a request to the next one.
    Clock(Vec<f64>),
}

/// What paces a lane of a capture that lasts `seconds`, where a packet and its answer take `round_trip` seconds. An answer whose server
/// sends it in parts, as one that reports changes, is whole in the scenario as soon as its first packet has come and the windows
/// of TCP let it: the rest of the time stands before the next request.
pub(super) fn pace(lane: &Lane, seconds: f64, round_trip: f64) -> Pace {
    let exchanges = &lane.exchanges;
    let pairs = || exchanges.iter().zip(&exchanges[1..]);
    let thinks: Vec<f64> = pairs().map(|(one, next)| next.begin.since(one.complete).seconds()).collect();
    let gaps: Vec<f64> = pairs().map(|(one, next)| next.begin.since(one.begin).seconds()).collect();
    let (first, last) = (&exchanges[0], &exchanges[exchanges.len() - 1]);
    let rest = |from: f64| (ROUND * seconds - from).max(1e-3);
    let spreads = [spread(&thinks), spread(&gaps)];
    if exchanges.len() >= FEWEST && spreads[0] < MUCH_LESS * spreads[1] {
        let parts = |of: &Exchange| (of.complete.since(of.end).seconds() - rounds(of) * round_trip).max(0.0);
        let thinks: Vec<f64> = thinks.iter().zip(exchanges).map(|(think, of)| think + parts(of)).collect();
        let last = rest(last.complete.since(first.begin).seconds());
        return Pace::Answers([thinks, vec![last]].concat(), spreads);
    }
    Pace::Clock([gaps, vec![rest(last.begin.since(first.begin).seconds())]].concat())
}

/// Round trips from the first octet of an answer to its last, of a window that doubles with each.
fn rounds(exchange: &Exchange) -> f64 {
    libm::ceil(libm::log2(f64::from(exchange.octets[1]) / INITIAL_WINDOW)).max(0.0)
}

/// From the 10th to the 90th percentile.
fn spread(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    at(&sorted, 0.9) - at(&sorted, 0.1)
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use sojourn_core::{Duration, Time};

    use super::super::super::flow_key::FlowKey;
    use super::super::super::requests::Opened;
    use super::*;
    use sojourn_capture::Service;

    /// Answers after 5, 10, 15 ms and so on; the next request after what `next` makes of begin and end in ms.
    fn lane(next: impl Fn(u64, u64) -> u64) -> Lane {
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let host = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let key = FlowKey { client: host, server: host, service: Service::Udp(161) };
        let (mut exchanges, mut begin) = (Vec::new(), 0);
        for number in 0..20 {
            let end = begin + 5 * (1 + number % 4);
            exchanges.push(Exchange { begin: at(begin), end: at(end), complete: at(end), octets: [40, 40] });
            begin = next(begin, end);
        }
        Lane { key, exchanges, opened: Opened::Once, round: vec![host], transfer: None }
    }

    #[test]
    fn a_client_that_thinks_alike_after_fast_and_slow_answers_goes_on_when_it_has_them() {
        let Pace::Answers(thinks, [thinking, between]) = pace(&lane(|_, end| end + 3), 1.0, 0.0) else { panic!() };
        assert!(thinks[..19].iter().all(|think| (think - 0.003).abs() < 1e-9) && thinks.len() == 20);
        assert!(thinking < 1e-9 && between > 0.01, "{thinking} {between}");
    }

    #[test]
    fn the_time_in_which_an_answer_comes_in_parts_stands_before_the_next_request() {
        // each answer is whole 40 ms after its first packet, of which 20000 octets need one round trip of 10 ms
        let mut parts = lane(|_, end| end + 43);
        for exchange in &mut parts.exchanges {
            exchange.complete = exchange.end + Duration::from_millis(40);
            exchange.octets[1] = 20_000;
        }
        let Pace::Answers(thinks, [thinking, _]) = pace(&parts, 2.0, 0.01) else { panic!() };
        assert!(thinks[..19].iter().all(|think| (think - 0.033).abs() < 1e-9), "{thinks:?}");
        assert!(thinking < 1e-9);
    }

    #[test]
    fn a_client_that_asks_every_100_ms_asks_by_the_clock_however_long_answers_take() {
        let Pace::Clock(gaps) = pace(&lane(|begin, _| begin + 100), 2.0, 0.0) else { panic!() };
        assert!(gaps[..19].iter().all(|gap| (gap - 0.1).abs() < 1e-9));
        // the rest of a round that is a little longer than the capture
        assert!((gaps[19] - 0.12).abs() < 1e-9, "{}", gaps[19]);
    }

    #[test]
    fn few_requests_are_no_evidence_of_a_closed_loop() {
        let mut few = lane(|_, end| end + 3);
        few.exchanges.truncate(7);
        assert!(matches!(pace(&few, 1.0, 0.0), Pace::Clock(_)));
    }
}
