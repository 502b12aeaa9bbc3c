//! Time series of a measurement for figures: response time by send time, losses, and goodput of the load. Time 0 is
//! the start of the first phase.

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::Record;

use super::clock_estimate::ClockEstimate;
use super::packets::Packet;

/// Points of a series at most; beyond, the minimum and maximum of several neighbours are kept.
const MOST: usize = 100_000;

/// Response times of a phase by send time, and the cumulative number of losses.
pub fn of_requests(record: &mut Record, within: &[Packet], timeout: Duration, origin: Time) {
    let (mut responses, mut failures) = (Vec::new(), Vec::new());
    for packet in within {
        let at = packet.sent.since(origin).picoseconds();
        match packet.measured(timeout) {
            Some(response) => responses.push((at, response.seconds())),
            None if packet.in_pause => {}
            None => failures.push((at, failures.len() as f64 + 1.0)),
        }
    }
    record.traces.insert("response_time".to_owned(), thinned(responses));
    record.traces.insert("failures".to_owned(), failures);
}

/// One-way delays of a phase by send time.
pub fn of_one_way(record: &mut Record, within: &[Packet], estimate: &ClockEstimate, timeout: Duration, origin: Time) {
    let (mut forward, mut back) = (Vec::new(), Vec::new());
    for packet in within.iter().filter(|packet| packet.measured(timeout).is_some()) {
        let Some((there_ns, back_ns)) = estimate.one_way_ns(packet) else { continue };
        let at = packet.sent.since(origin).picoseconds();
        forward.push((at, there_ns * 1e-9));
        back.push((at, back_ns * 1e-9));
    }
    record.traces.insert("one_way_delay/forward".to_owned(), thinned(forward));
    record.traces.insert("one_way_delay/return".to_owned(), thinned(back));
}

/// Goodput of a load in bit/s, from samples of the octets delivered: each covers the interval since the one before.
pub fn of_load(record: &mut Record, carried: &[(Time, u64)], origin: Time) {
    let rates = carried.windows(2).filter_map(|pair| {
        let [(before, some), (now, more)] = pair else { return None };
        let span_s = now.since(*before).seconds();
        // a count that a log has lower than the one before is of no rate
        let octets = more.checked_sub(*some).filter(|_| span_s > 0.0)?;
        Some((now.since(origin).picoseconds(), 8.0 * octets as f64 / span_s))
    });
    record.traces.insert("throughput".to_owned(), rates.collect());
}

/// Thins a series to the maximum of points: of several neighbours the minimum and maximum, so that peaks are kept.
fn thinned(trace: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    if trace.len() <= MOST {
        return trace;
    }
    let by_value = |one: &&(u64, f64), other: &&(u64, f64)| one.1.total_cmp(&other.1);
    let several = trace.chunks(trace.len().div_ceil(MOST / 2));
    let extremes = several.flat_map(|chunk| {
        let mut both = [chunk.iter().min_by(by_value), chunk.iter().max_by(by_value)];
        both.sort_by_key(|point| point.map(|(at, _)| *at));
        both.into_iter().flatten().copied()
    });
    extremes.collect()
}

#[cfg(test)]
mod tests {
    use super::super::packets::Packets;
    use super::super::peer::Response;
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn each_answer_is_traced_by_when_its_request_left_and_each_loss_counts_on() {
        let mut packets = Packets::starting_at(0);
        for (sequence, response) in [Some(3), None, Some(4), None].into_iter().enumerate() {
            let sent = at(1010 + 10 * sequence as u64);
            packets.sent(sent, sent);
            let Some(ms) = response else { continue };
            let received = sent + Duration::from_millis(ms);
            let sequence = sequence as u64;
            packets.answered(Response { sequence, received, kernel_received: None, far: None, class: None });
        }
        let mut record = Record::default();
        of_requests(&mut record, packets.all(), Duration::from_secs(1), at(1000));
        let ms = |ms: u64| Duration::from_millis(ms).picoseconds();
        assert_eq!(record.traces["response_time"], [(ms(10), 0.003), (ms(30), 0.004)]);
        assert_eq!(record.traces["failures"], [(ms(20), 1.0), (ms(40), 2.0)]);
    }

    #[test]
    fn a_load_is_traced_as_the_rate_between_two_looks() {
        let mut record = Record::default();
        of_load(&mut record, &[(at(1000), 0), (at(1100), 12_500), (at(1300), 12_500)], at(500));
        let ms = |ms: u64| Duration::from_millis(ms).picoseconds();
        assert_eq!(record.traces["throughput"], [(ms(600), 1e6), (ms(800), 0.0)]);
    }

    #[test]
    fn a_long_trace_keeps_its_peaks_and_its_order() {
        let value = |index: u64| if index == 777_777 { 5.0 } else { 1.0 + (index % 10) as f64 / 100.0 };
        let thin = thinned((0..1_000_000).map(|index| (index, value(index))).collect());
        assert!((MOST / 2..=MOST).contains(&thin.len()), "{}", thin.len());
        assert!(thin.contains(&(777_777, 5.0)));
        assert!(thin.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }
}
