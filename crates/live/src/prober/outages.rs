//! Outages: periods without a response.

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::Record;
use sojourn_metrics::results::OutageSummary;

use super::packets::{Packet, Verdict};
use crate::io::network_error::NetworkError;

/// Requests in a row without a response that make an outage, at least.
pub(super) const REQUESTS: usize = 3;
/// Shortest outage: fewer losses than a second of them are a burst of losses.
pub(super) const SHORTEST: Duration = Duration::from_secs(1);
/// Errors of the network kept, at most.
const MOST_ERRORS: usize = 10_000;
/// An error repeated within this time is the same.
const SAME_ERROR: Duration = Duration::from_secs(1);

/// A time without a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// When the first request without a response was sent.
    pub begin: Time,
    /// When the next request with a response was sent; `None` if there was none until the end.
    pub end: Option<Time>,
    /// Requests without a response.
    pub requests: usize,
}

impl Outage {
    /// The outages among requests, in order: at least three in a row without a response before the timeout, over at least a
    /// second. The last one may last until `end`.
    pub fn among(packets: &[Packet], timeout: Duration, end: Time) -> Vec<Outage> {
        let mut outages = Vec::new();
        let mut lost: Option<Outage> = None;
        for packet in packets {
            match packet.verdict(timeout) {
                Verdict::Unknown => {}
                Verdict::Late | Verdict::Failed | Verdict::Lost => {
                    lost.get_or_insert(Outage { begin: packet.sent, end: None, requests: 0 }).requests += 1;
                }
                Verdict::Answered => {
                    outages.extend(lost.take().map(|outage| Outage { end: Some(packet.sent), ..outage }));
                }
            }
        }
        outages.extend(lost);
        outages.retain(|outage| outage.requests >= REQUESTS && outage.until(end).since(outage.begin) >= SHORTEST);
        outages
    }

    /// What it is by the responses that came after the timeout, if any did: the path is slow, not silent.
    pub fn late_cause(&self, packets: &[Packet], timeout: Duration) -> Option<String> {
        let until = self.end.unwrap_or(Time::NEVER);
        let within = packets.iter().filter(|packet| (self.begin..until).contains(&packet.sent));
        late_answers(within.filter(|packet| packet.verdict(timeout) == Verdict::Late))
    }

    /// Its end, or that of the measurement.
    pub fn until(&self, end: Time) -> Time {
        self.end.unwrap_or(end).max(self.begin)
    }
}

/// The outages of a run.
#[derive(Debug)]
pub struct RunOutages<'a> {
    outages: Vec<Outage>,
    /// When the first phase began.
    began: Time,
    /// When the run ended.
    end: Time,
    replication: u32,
    timeout: Duration,
    errors: &'a NetworkErrors,
}

/// The advice where responses came after the timeout, from the earliest of them.
pub fn late_answers<'a>(late: impl Iterator<Item = &'a Packet>) -> Option<String> {
    let least_s = late.filter_map(Packet::response).min()?.seconds();
    let after = if least_s < 1.0 { format!("{:.0} ms", least_s * 1e3) } else { format!("{least_s:.1} s") };
    Some(format!("answers come after {after}: raise --timeout"))
}

impl<'a> RunOutages<'a> {
    /// Of the packets of a run that lasted from `began` to `end`, with the errors of the network in it.
    pub fn of(
        packets: &[Packet],
        timeout: Duration,
        (began, end): (Time, Time),
        replication: u32,
        errors: &'a NetworkErrors,
    ) -> RunOutages<'a> {
        RunOutages { outages: Outage::among(packets, timeout, end), began, end, replication, timeout, errors }
    }

    /// Those that are known already, until `end`.
    pub fn known(
        outages: Vec<Outage>,
        timeout: Duration,
        (began, end): (Time, Time),
        errors: &'a NetworkErrors,
    ) -> RunOutages<'a> {
        RunOutages { outages, began, end, replication: 0, timeout, errors }
    }

    /// The outages within a phase, recorded as its metrics. One that lasts beyond a phase is listed with each, as far as it
    /// is within.
    pub fn of_phase(&self, within: &[Packet], (begins, ends): (Time, Time), record: &mut Record) -> Vec<OutageSummary> {
        let mut listed = Vec::new();
        for outage in &self.outages {
            let (begin, until) = (outage.begin.max(begins), outage.until(self.end).min(ends));
            let requests = within.iter().filter(|packet| (begin..until).contains(&packet.sent)).count();
            if begin < until && requests > 0 {
                let cause = self.errors.last_within(outage.begin, outage.until(self.end));
                listed.push(OutageSummary {
                    replication: self.replication,
                    begin: begin.since(self.began).seconds(),
                    end: (outage.end.is_some() || until < self.end).then(|| until.since(self.began).seconds()),
                    duration: until.since(begin).seconds(),
                    requests: requests as u64,
                    cause: cause.map(|cause| cause.to_string()).or_else(|| outage.late_cause(within, self.timeout)),
                });
            }
        }
        record.count("outages", listed.len() as u64);
        record.scalar("outage_time", listed.iter().fold(0.0, |sum, outage| sum + outage.duration));
        listed
    }
}

/// Errors that the network or the operating system returned, and when.
#[derive(Clone, Debug, Default)]
pub struct NetworkErrors(Vec<(Time, NetworkError)>);

impl NetworkErrors {
    /// An error occurred; one that is repeated is kept once a second.
    pub fn add(&mut self, error: NetworkError, now: Time) {
        let known = self.0.last().is_some_and(|(at, last)| *last == error && now.since(*at) < SAME_ERROR);
        if !known && self.0.len() < MOST_ERRORS {
            self.0.push((now, error));
        }
    }

    /// Drops errors before a time.
    pub fn forget(&mut self, before: Time) {
        self.0.retain(|(at, _)| *at >= before);
    }

    /// The last error between two times.
    pub fn last_within(&self, begin: Time, end: Time) -> Option<NetworkError> {
        let within = self.0.iter().rev().find(|(at, _)| (begin..=end).contains(at));
        within.map(|(_, error)| *error)
    }
}

#[cfg(test)]
mod tests {
    use super::super::packets::Packets;
    use super::super::peer::Response;
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(500);

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// A request every 100 ms, answered after 10 ms where the text has a `+`, after the timeout where it has an `L`.
    fn outages(answers: &str) -> Vec<(u64, Option<u64>, usize)> {
        let mut packets = Packets::starting_at(0);
        for (sequence, answer) in (0..).zip(answers.chars()) {
            let sent = at(100 * sequence);
            packets.sent(sent, sent);
            let after = match answer {
                '+' => 10,
                'L' => 600,
                _ => continue,
            };
            let received = sent + Duration::from_millis(after);
            packets.answered(Response { sequence, received, kernel_received: None, far: None, class: None });
        }
        let ms = |time: Time| time.since(Time::ZERO).picoseconds() / 1_000_000_000;
        let found = Outage::among(packets.all(), TIMEOUT, at(100 * answers.len() as u64));
        found.into_iter().map(|outage| (ms(outage.begin), outage.end.map(ms), outage.requests)).collect()
    }

    #[test]
    fn an_outage_lasts_from_the_first_request_without_a_response_to_the_next_with_one() {
        assert_eq!(outages("++----------+-+"), [(200, Some(1200), 10)]);
        assert_eq!(outages("----------+++----------++"), [(0, Some(1000), 10), (1300, Some(2300), 10)]);
    }

    #[test]
    fn an_outage_may_last_until_the_end() {
        assert_eq!(outages("+++----------"), [(300, None, 10)]);
    }

    #[test]
    fn losses_of_less_than_a_second_are_no_outage() {
        assert_eq!(outages("+---------+"), []);
        assert_eq!(outages("+-+-+-+-+-+-+-+-+-+-+-+-+-+"), []);
    }

    #[test]
    fn responses_after_the_timeout_are_part_of_an_outage() {
        assert_eq!(outages("++-----LLLLL+"), [(200, Some(1200), 10)]);
    }

    #[test]
    fn responses_after_the_timeout_are_the_cause_of_their_outage() {
        let mut packets = Packets::starting_at(0);
        for sequence in 0..20 {
            let sent = at(100 * sequence);
            packets.sent(sent, sent);
            let received = sent + Duration::from_millis(2040);
            packets.answered(Response { sequence, received, kernel_received: None, far: None, class: None });
        }
        let errors = NetworkErrors::default();
        let outages = RunOutages::of(packets.all(), TIMEOUT, (at(0), at(2000)), 0, &errors);
        let listed = outages.of_phase(packets.all(), (at(0), at(2000)), &mut Record::default());
        let causes: Vec<Option<&str>> = listed.iter().map(|outage| outage.cause.as_deref()).collect();
        assert_eq!(causes, [Some("answers come after 2.0 s: raise --timeout")]);
    }

    #[test]
    fn two_slow_requests_without_a_response_are_no_outage() {
        let mut packets = Packets::starting_at(0);
        [0, 10_000, 20_000].into_iter().for_each(|ms| packets.sent(at(ms), at(ms)));
        assert_eq!(Outage::among(&packets.all()[..2], TIMEOUT, at(30_000)), []);
        assert_eq!(Outage::among(packets.all(), TIMEOUT, at(30_000)).len(), 1);
    }

    #[test]
    fn the_cause_of_an_outage_is_the_last_error_within_it() {
        let mut errors = NetworkErrors::default();
        (0..100).for_each(|ms| errors.add(NetworkError::Unreachable, at(ms)));
        errors.add(NetworkError::PortClosed, at(3000));
        assert_eq!(errors.0.len(), 2, "a repeated error is kept once a second");
        assert_eq!(errors.last_within(at(0), at(2000)), Some(NetworkError::Unreachable));
        assert_eq!(errors.last_within(at(0), at(4000)), Some(NetworkError::PortClosed));
        assert_eq!(errors.last_within(at(1000), at(2000)), None);
    }
}
