//! Timestamps of every request and its response, and faults of responses.

use std::ops::Range;

use sojourn_core::{Duration, Time};

use super::peer::{ResidenceTime, Response, TxTimestamp};
use crate::io::datagrams::traffic_class;

/// Duplicates that are looked through for a request.
const RECENT: usize = 10_000;

/// A request and its response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Its departure by the schedule.
    pub intended: Time,
    /// When the application sent it.
    pub sent: Time,
    /// The kernel's transmit timestamp.
    pub departed: Option<Time>,
    /// When the application received the response.
    pub received: Option<Time>,
    /// The kernel's receive timestamp of the response.
    pub kernel_received: Option<Time>,
    /// When the peer received the request, by its clock.
    pub far_received: Option<u64>,
    /// When the peer sent the response, by its kernel's timestamp if there is one, else its application's.
    pub far_sent: Option<u64>,
    /// Traffic class (DSCP and ECN) of the request as the peer received it.
    pub far_class: Option<u8>,
    /// Traffic class of the response as it arrived.
    pub received_class: Option<u8>,
    /// Whether the peer answered that it has failed.
    pub has_failed: bool,
    /// Whether this host was paused while the response was due, and none had come.
    pub in_pause: bool,
}

/// The verdict on a request, by a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its response arrived before the timeout.
    Answered,
    /// Its response arrived after the timeout.
    Late,
    /// The peer answered that it has failed, as by a status of HTTP.
    Failed,
    /// No response arrived.
    Lost,
    /// This host was paused while the response was due: whether it came in time is not known.
    Unknown,
}

/// All requests of a run in order, and faults of their responses.
#[derive(Debug, Default)]
pub struct Packets {
    all: Vec<Packet>,
    /// Sequence number of the first.
    first: u64,
    /// The highest sequence number answered, and its time.
    newest: Option<(u64, Time)>,
    /// The latest receive timestamp of the peer among those answered.
    newest_far: Option<u64>,
    /// Number of requests answered.
    answered: u64,
    /// Sequence numbers of requests of which the peer reported a residence time without, or before, a response.
    reached: Vec<u64>,
    faults: Faults,
    /// Traffic class (DSCP and ECN) of the requests as they were sent, if known.
    sent_class: Option<u8>,
}

/// Faults of responses: reordered, duplicate or unrelated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Sequence numbers of reordered responses (RFC 4737).
    pub reordered: Vec<u64>,
    /// Sequence numbers of duplicate responses (RFC 5560).
    pub duplicates: Vec<u64>,
    /// Sequence numbers of responses that arrived after one that the peer answered later, by its timestamps.
    pub reordered_return: Vec<u64>,
    /// Sequence number of the latest request that the peer answered with a failure.
    pub failed: Option<u64>,
    /// Datagrams that were not responses.
    pub unrelated: u64,
}

impl Packet {
    /// Response time, from sending to the response.
    pub fn response(&self) -> Option<Duration> {
        Some(self.received?.since(self.sent))
    }

    /// The verdict on it by now. Its response arrived when the kernel received it, however late this process read it.
    pub fn verdict(&self, timeout: Duration) -> Verdict {
        match self.received {
            Some(received) if self.kernel_received.unwrap_or(received).since(self.sent) <= timeout => Verdict::Answered,
            None if self.has_failed => Verdict::Failed,
            _ if self.in_pause => Verdict::Unknown,
            Some(_) => Verdict::Late,
            None => Verdict::Lost,
        }
    }

    /// Whether its response arrived before the timeout.
    pub fn is_in_time(&self, timeout: Duration) -> bool {
        self.verdict(timeout) == Verdict::Answered
    }

    /// Its response time, of a response that arrived before the timeout or after it.
    pub fn measured(&self, timeout: Duration) -> Option<Duration> {
        self.response().filter(|_| matches!(self.verdict(timeout), Verdict::Answered | Verdict::Late))
    }

    /// Its departure, by the kernel's timestamp if there is one.
    pub fn left(&self) -> Time {
        self.departed.unwrap_or(self.sent)
    }

    /// Send lateness: how much later than scheduled it was sent.
    pub fn lateness(&self) -> Duration {
        self.sent.since(self.intended)
    }

    /// Residence time at the peer.
    pub fn residence_time(&self) -> Option<Duration> {
        self.far_sent?.checked_sub(self.far_received?).map(Duration::from_nanos)
    }
}

impl Packets {
    /// No packets; the first will have this sequence number.
    pub fn starting_at(first: u64) -> Packets {
        Packets { first, ..Packets::default() }
    }

    /// The same of requests that are sent with this traffic class.
    pub fn of_class(self, sent_class: Option<u8>) -> Packets {
        Packets { sent_class, ..self }
    }

    /// Traffic class (DSCP and ECN) of the requests as they were sent, if known.
    pub fn sent_class(&self) -> Option<u8> {
        self.sent_class
    }

    /// Sequence number of the first request.
    pub fn first_sequence(&self) -> u64 {
        self.first
    }

    /// Further responses to a request, among the latest.
    pub fn duplicates_of(&self, sequence: u64) -> u32 {
        // the latest first: a request is asked about soon after its response
        self.faults.duplicates.iter().rev().take(RECENT).filter(|known| **known == sequence).count() as u32
    }

    /// Sequence number of the next request.
    pub fn next_sequence(&self) -> u64 {
        self.first + self.all.len() as u64
    }

    /// A request was sent.
    pub fn sent(&mut self, intended: Time, sent: Time) {
        self.all.push(Packet { intended, sent, ..Packet::default() });
    }

    /// A transmit timestamp of a request; one before its send time belongs to another packet.
    pub fn departed(&mut self, departed: TxTimestamp) {
        if let Some(packet) = self.at(departed.sequence)
            && departed.at >= packet.sent
            && packet.received.is_none_or(|received| departed.at <= received)
        {
            packet.departed = Some(departed.at);
        }
    }

    /// A response arrived; true if it is the first to its request.
    pub fn answered(&mut self, answer: Response) -> bool {
        if let Some(residence) = answer.far.and_then(|far| far.earlier) {
            self.stayed(residence);
        }
        let Some(packet) = self.at(answer.sequence) else {
            self.faults.unrelated += 1;
            return false;
        };
        if packet.received.is_some() {
            self.faults.duplicates.push(answer.sequence);
            return false;
        }
        packet.received = Some(answer.received);
        // a transmit timestamp after the response belongs to another packet
        packet.departed = packet.departed.filter(|at| *at <= answer.received);
        packet.kernel_received = answer.kernel_received.filter(|at| *at >= packet.sent);
        packet.far_received = answer.far.map(|far| far.received);
        packet.far_sent = answer.far.and_then(|far| far.sent);
        packet.far_class = answer.far.and_then(|far| far.class);
        packet.received_class = answer.class;
        self.answered += 1;
        if let Some(far) = answer.far {
            if self.newest_far.is_some_and(|newest| far.received < newest) {
                self.faults.reordered_return.push(answer.sequence);
            }
            self.newest_far = self.newest_far.max(Some(far.received));
        }
        match self.newest {
            Some((newest, _)) if answer.sequence < newest => self.faults.reordered.push(answer.sequence),
            _ => self.newest = Some((answer.sequence, answer.received)),
        }
        true
    }

    /// This host was paused: nothing is known of requests that were sent from `begin` to `end` and have no response yet.
    pub fn paused(&mut self, begin: Time, end: Time) {
        let from = self.all.partition_point(|packet| packet.sent < begin);
        for packet in self.all[from..].iter_mut().filter(|packet| packet.sent <= end && packet.received.is_none()) {
            packet.in_pause = true;
        }
    }

    /// The peer answered that a request has failed; it is not answered.
    pub fn failed(&mut self, sequence: u64) {
        self.faults.failed = Some(sequence);
        if let Some(packet) = self.at(sequence) {
            packet.has_failed = true;
        }
    }

    /// The peer reports how long an earlier request stayed with it.
    pub fn stayed(&mut self, residence: ResidenceTime) {
        if let Some(packet) = self.at(residence.sequence) {
            packet.far_sent = packet.far_received.map(|received| received + residence.ns);
            if packet.received.is_none() {
                self.reached.push(residence.sequence);
            }
        }
    }

    /// Those of these requests, by index within the range, that the peer answered although no response arrived.
    pub fn reached_within(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let indices = self.reached.iter().filter_map(|sequence| self.index(*sequence));
        let lost = indices.filter(|index| self.all[*index].received.is_none());
        let begin = range.start;
        lost.filter(move |index| range.contains(index)).map(move |index| index - begin)
    }

    /// Answered requests from `sequence` on whose residence time the peer has yet to report.
    pub fn without_residence(&self, sequence: u64) -> usize {
        let first = usize::try_from(sequence.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let later = self.all.get(first..).unwrap_or_default().iter();
        later.filter(|packet| packet.far_received.is_some() && packet.far_sent.is_none()).count()
    }

    /// A datagram arrived that is not a response.
    pub fn count_unrelated(&mut self) {
        self.faults.unrelated += 1;
    }

    /// Drops the requests before a sequence number, with what is known of their responses.
    pub fn forget(&mut self, before: u64) {
        let count = usize::try_from(before.saturating_sub(self.first)).unwrap_or(usize::MAX).min(self.all.len());
        self.answered -= self.all.drain(..count).filter(|packet| packet.received.is_some()).count() as u64;
        self.first += count as u64;
        let Packets { first, reached, faults: Faults { reordered, duplicates, reordered_return, .. }, .. } = self;
        for numbers in [reached, reordered, duplicates, reordered_return] {
            numbers.retain(|number| *number >= *first);
        }
    }

    /// All requests, in the order of their sequence numbers.
    pub fn all(&self) -> &[Packet] {
        &self.all
    }

    /// The packet of a request.
    pub fn get(&self, sequence: u64) -> Option<&Packet> {
        self.index(sequence).map(|index| &self.all[index])
    }

    /// Whether a request is answered.
    pub fn is_answered(&self, sequence: u64) -> bool {
        self.get(sequence).is_some_and(|packet| packet.received.is_some())
    }

    /// Whether the latest request that the peer answered with a failure is this one.
    pub fn has_just_failed(&self, sequence: u64) -> bool {
        self.faults.failed == Some(sequence)
    }

    /// Whether the peer has responded, be it with a failure.
    pub fn has_response(&self) -> bool {
        self.newest.is_some() || self.faults.failed.is_some()
    }

    /// Number of unanswered requests.
    pub fn count_unanswered(&self) -> u64 {
        self.all.len() as u64 - self.answered
    }

    /// Time of the response to the newest answered request.
    pub fn last_answer(&self) -> Option<Time> {
        self.newest.map(|(_, at)| at)
    }

    /// Reordered and duplicate responses to these requests, by index.
    pub fn faults_within(&self, range: Range<usize>) -> (u64, u64) {
        (self.within(&range, &self.faults.reordered), self.within(&range, &self.faults.duplicates))
    }

    /// Responses to these requests, by index, that were reordered in the return direction.
    pub fn reordered_return(&self, range: Range<usize>) -> u64 {
        self.within(&range, &self.faults.reordered_return)
    }

    /// Number of responses to these requests, by index, with a congestion mark (CE); `None` if that is unknown, or the
    /// requests are not ECN-capable.
    pub fn marked_within(&self, range: Range<usize>) -> Option<u64> {
        self.sent_class.filter(|class| traffic_class::ecn(*class) != 0)?;
        let mut classes = self.all[range].iter().filter_map(|packet| packet.received_class).peekable();
        classes.peek()?;
        Some(classes.filter(|class| traffic_class::is_congested(*class)).count() as u64)
    }

    /// Datagrams that were not responses.
    pub fn unrelated(&self) -> u64 {
        self.faults.unrelated
    }

    /// How many of these sequence numbers are of requests in a range of indices.
    fn within(&self, range: &Range<usize>, numbers: &[u64]) -> u64 {
        numbers.iter().filter(|number| range.contains(&((*number - self.first) as usize))).count() as u64
    }

    fn at(&mut self, sequence: u64) -> Option<&mut Packet> {
        self.index(sequence).map(|index| &mut self.all[index])
    }

    fn index(&self, sequence: u64) -> Option<usize> {
        let index = usize::try_from(sequence.checked_sub(self.first)?).ok()?;
        (index < self.all.len()).then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::super::peer::PeerTimes;
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    fn answer(sequence: u64, us: u64) -> Response {
        Response { sequence, received: at(us), kernel_received: None, far: None, class: None }
    }

    fn three() -> Packets {
        let mut packets = Packets::starting_at(10);
        (0..3).for_each(|n| packets.sent(at(100 * n), at(100 * n + 1)));
        packets
    }

    #[test]
    fn an_answer_belongs_to_its_request_and_times_count_from_both_instants() {
        let mut packets = three();
        assert!(packets.answered(answer(11, 150)));
        let packet = packets.all()[1];
        assert_eq!((packet.response(), packet.lateness()), (Some(Duration::from_micros(49)), Duration::from_micros(1)));
        assert!(packets.is_answered(11) && !packets.is_answered(10) && !packets.is_answered(99));
    }

    #[test]
    fn an_answer_that_was_overtaken_and_one_that_came_twice_are_distinguished() {
        let mut packets = three();
        assert!(packets.answered(answer(12, 300)));
        assert!(packets.answered(answer(10, 310)));
        assert!(!packets.answered(answer(12, 320)));
        assert!(!packets.answered(answer(13, 330)));
        assert_eq!((packets.faults_within(0..3), packets.unrelated()), ((1, 1), 1));
        assert_eq!(packets.faults_within(1..3), (0, 1));
    }

    #[test]
    fn what_is_forgotten_leaves_the_later_requests_as_they_were() {
        let mut packets = three();
        for sequence in [10, 12] {
            packets.stayed(ResidenceTime { sequence, ns: 7 });
        }
        let answers = [answer(11, 150), answer(10, 160), answer(10, 170)].map(|answer| packets.answered(answer));
        assert_eq!(answers, [true, true, false]);
        packets.forget(11);
        assert_eq!(packets.reached, [12]);
        assert_eq!((packets.first_sequence(), packets.next_sequence(), packets.all().len()), (11, 13, 2));
        assert_eq!((packets.is_answered(11), packets.is_answered(12), packets.count_unanswered()), (true, false, 1));
        assert_eq!(packets.faults_within(0..2), (0, 0), "those were of request 10");
        assert!(!packets.answered(answer(10, 180)), "it is no longer known");
        packets.forget(99);
        assert_eq!((packets.all().len(), packets.count_unanswered()), (0, 0));
    }

    #[test]
    fn marks_are_counted_where_they_are_reported_and_nowhere_else() {
        let mut packets = three().of_class(Some(2));
        packets.answered(answer(10, 150));
        assert_eq!(packets.marked_within(0..3), None);
        for (sequence, class) in [(11, 46 << 2 | 2), (12, 3)] {
            packets.answered(Response { class: Some(class), ..answer(sequence, 250) });
        }
        assert_eq!((packets.marked_within(0..2), packets.marked_within(0..3)), (Some(0), Some(1)));
        assert_eq!(packets.of_class(Some(46 << 2)).marked_within(0..3), None, "not ECN-capable");
    }

    #[test]
    fn stamps_of_another_packet_are_refused() {
        let mut packets = three();
        packets.departed(TxTimestamp { sequence: 11, at: at(100) });
        assert_eq!(packets.all()[1].departed, None, "it had not been handed over then");
        packets.departed(TxTimestamp { sequence: 11, at: at(200) });
        packets.answered(answer(11, 150));
        assert_eq!(packets.all()[1].departed, None, "its answer had come by then");
    }

    #[test]
    fn the_peers_kernel_reports_the_residence_time_of_an_answer_with_the_next() {
        let mut packets = three();
        let far = |received, sent, earlier| Some(PeerTimes { received, sent, earlier, class: None, kernel: true });
        packets.answered(Response { far: far(1000, Some(1050), None), ..answer(10, 50) });
        let residence = ResidenceTime { sequence: 10, ns: 70 };
        packets.answered(Response { far: far(2000, None, Some(residence)), ..answer(11, 150) });
        assert_eq!(packets.all()[0].residence_time(), Some(Duration::from_nanos(70)));
        assert_eq!(packets.all()[1].residence_time(), None, "the answer after it would have carried it");
    }
}
