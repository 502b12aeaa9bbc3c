//! The responses of each member of a multicast group.
//!
//! Members are discovered: each address that responds is a member, and requests that it did not answer count as lost.
//! A member that never responds remains unknown.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::Range;

use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};

/// Members tracked at most; responses of further ones are ignored.
const MAX_MEMBERS: usize = 256;

/// Requests to a group, and the responses of its members.
#[derive(Debug, Default)]
pub struct Members {
    /// The sequence number of the first request.
    first: u64,
    /// Send time of each request, and whether any member has answered it.
    requests: Vec<(Time, bool)>,
    /// Response times to each request, by member.
    answers: BTreeMap<SocketAddr, Vec<Option<Duration>>>,
}

/// How a response is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// The first to its request.
    First,
    /// Not the first to its request.
    Later,
    /// Not counted: to no known request, or from a member beyond the limit.
    No,
}

impl Members {
    /// A request is sent, or could not be sent.
    pub fn asked(&mut self, sequence: u64, at: Time) {
        if self.requests.is_empty() {
            self.first = sequence;
        }
        self.requests.push((at, false));
    }

    /// A member has responded to a request at `at`.
    pub fn answered(&mut self, member: SocketAddr, sequence: u64, at: Time) -> Accepted {
        let index = sequence.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        let Some((index, (sent, heard))) = index.and_then(|index| Some((index, self.requests.get_mut(index)?))) else {
            return Accepted::No;
        };
        if self.answers.len() == MAX_MEMBERS && !self.answers.contains_key(&member) {
            return Accepted::No;
        }
        let answers = self.answers.entry(member).or_default();
        if answers.len() <= index {
            answers.resize(index + 1, None);
        }
        answers[index].get_or_insert(at.since(*sent));
        if std::mem::replace(heard, true) { Accepted::Later } else { Accepted::First }
    }

    /// Send time of the last request that a known member has not answered.
    pub fn last_incomplete(&self) -> Option<Time> {
        let answered = |answers: &Vec<Option<Duration>>, index| answers.get(index).is_some_and(Option::is_some);
        let missing = |index: &usize| self.answers.values().any(|answers| !answered(answers, *index));
        (0..self.requests.len()).rev().find(missing).map(|index| self.requests[index].0)
    }

    /// Records the metrics of these requests, for each member and for all together. A response later than `timeout` counts
    /// as lost.
    pub fn record_metrics(&self, requests: Range<u64>, timeout: Duration, record: &mut Record) {
        let index = |sequence: u64| usize::try_from(sequence.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let range = index(requests.start)..index(requests.end).min(self.requests.len());
        let mut until_all = vec![Some(Duration::ZERO); range.len()];
        for (member, answers) in &self.answers {
            let mut responses = Distribution::new();
            for (until_all, index) in until_all.iter_mut().zip(range.clone()) {
                let response = answers.get(index).copied().flatten().filter(|response| *response <= timeout);
                response.into_iter().for_each(|response| responses.record(response));
                *until_all = until_all.zip(response).map(|(longest, response)| longest.max(response));
            }
            let missed = range.len() as u64 - responses.count();
            responses.censor(missed);
            record.share(format!("loss/{member}"), missed, range.len() as u64);
            record.observe(format!("response_time/{member}"), Observation::Distribution(responses));
        }
        let mut complete = Distribution::new();
        until_all.iter().flatten().for_each(|longest| complete.record(*longest));
        let incomplete = until_all.len() as u64 - complete.count();
        complete.censor(incomplete);
        record.count("transaction_failures", incomplete);
        record.observe("transaction_time", Observation::Distribution(complete));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(1);

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    fn member(host: u8) -> SocketAddr {
        SocketAddr::from(([192, 0, 2, host], 7007))
    }

    fn most_us(record: &Record, name: &str) -> u64 {
        record.distribution(name).max().unwrap().picoseconds() / 1_000_000
    }

    /// Requests 10, 11 and 12 a millisecond apart. The first member answers all of them, the second not the last.
    fn two() -> Members {
        let mut members = Members::default();
        (0..3).for_each(|n| members.asked(10 + n, at(1000 * n)));
        assert_eq!(members.answered(member(1), 10, at(100)), Accepted::First);
        assert_eq!(members.answered(member(2), 10, at(250)), Accepted::Later);
        assert_eq!(members.answered(member(2), 11, at(1300)), Accepted::First);
        assert_eq!(members.answered(member(1), 11, at(1400)), Accepted::Later);
        assert_eq!(members.answered(member(1), 12, at(2100)), Accepted::First);
        members
    }

    #[test]
    fn every_member_has_its_response_time_and_its_loss_and_the_slowest_completes_a_request() {
        let mut record = Record::default();
        two().record_metrics(10..13, TIMEOUT, &mut record);
        assert_eq!(most_us(&record, "response_time/192.0.2.1:7007"), 400);
        assert_eq!(most_us(&record, "response_time/192.0.2.2:7007"), 300);
        assert_eq!(record.value("loss/192.0.2.1:7007"), 0.0);
        assert_eq!(record.value("loss/192.0.2.2:7007"), 1.0 / 3.0);
        assert_eq!(record.metrics["transaction_failures"], Observation::Count(1));
        assert_eq!(most_us(&record, "transaction_time"), 400);
    }

    #[test]
    fn known_members_are_waited_for() {
        let mut members = two();
        assert_eq!(members.last_incomplete(), Some(at(2000)), "the second has not answered the last");
        members.answered(member(2), 12, at(2500));
        assert_eq!(members.last_incomplete(), None);
        members.answered(member(3), 12, at(2600));
        assert_eq!(members.last_incomplete(), Some(at(1000)), "a new member has missed the earlier requests");
    }

    #[test]
    fn each_phase_has_its_own_requests() {
        let mut record = Record::default();
        two().record_metrics(10..11, TIMEOUT, &mut record);
        assert_eq!(most_us(&record, "transaction_time"), 250);
        assert_eq!(record.value("loss/192.0.2.2:7007"), 0.0);
    }

    #[test]
    fn late_responses_and_responses_to_no_request_do_not_count() {
        let mut members = two();
        assert_eq!(members.answered(member(3), 9, at(5000)), Accepted::No);
        assert_eq!(members.answered(member(3), 13, at(5000)), Accepted::No);
        assert_eq!(members.answered(member(2), 12, at(2_000_000)), Accepted::Later);
        let mut record = Record::default();
        members.record_metrics(10..13, TIMEOUT, &mut record);
        assert_eq!(record.value("loss/192.0.2.2:7007"), 1.0 / 3.0);
        assert!(!record.metrics.contains_key("loss/192.0.2.3:7007"));
    }

    #[test]
    fn the_number_of_members_is_limited() {
        let mut members = Members::default();
        members.asked(0, at(0));
        for host in 0..MAX_MEMBERS as u16 {
            let [high, low] = host.to_be_bytes();
            assert_ne!(members.answered(SocketAddr::from(([198, 51, high, low], 7)), 0, at(1)), Accepted::No);
        }
        assert_eq!(members.answered(member(1), 0, at(1)), Accepted::No);
    }
}
