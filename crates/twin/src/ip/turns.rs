//! Requests and answers over a TCP connection, matched by the turns of its sides.

use sojourn_core::Time;

use super::conversation::Exchanges;
use super::following::By;

/// Data of a side as they were captured for the first time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Data {
    pub by: By,
    pub time: Time,
    /// User data.
    pub octets: u32,
    /// Length of the packet of IP.
    pub l3_bytes: u32,
}

/// Who sends what in turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    exchanges: Exchanges,
    /// Who sent last, the octets so far, and the last data.
    message: Option<(u64, Data)>,
    /// The first request.
    pub first: Option<Time>,
}

impl Turns {
    /// A side sends data. Data of the server before the first request are not an answer.
    pub fn data(&mut self, data: Data) {
        match (self.message, data.by) {
            (Some((octets, last)), by) if last.by == by => {
                self.message = Some((octets + u64::from(data.octets), data));
            }
            (None, By::Server) => {}
            (before, By::Client) => {
                if let Some((octets, last)) = before {
                    self.exchanges.answer_octets.push(octets as f64);
                    self.exchanges.times.completed(last.time);
                }
                self.first.get_or_insert(data.time);
                self.exchanges.times.sent(data.time);
                self.message = Some((data.octets.into(), data));
            }
            (Some((octets, last)), By::Server) => {
                self.exchanges.request_octets.push(octets as f64);
                self.exchanges.replies += 1;
                let after = data.time.since(last.time).seconds();
                self.exchanges.responses.push(after, last.l3_bytes, data.l3_bytes, data.time);
                self.message = Some((data.octets.into(), data));
            }
        }
    }

    /// Requests sent.
    pub fn requests(&self) -> u64 {
        self.exchanges.requests()
    }

    /// The end of the last answer; `None` where a request waits for one.
    pub fn answered(&self) -> Option<Time> {
        self.message.filter(|(_, last)| last.by == By::Server).map(|(_, last)| last.time)
    }

    /// The last data of either side.
    pub fn last(&self) -> Option<Time> {
        self.message.map(|(_, last)| last.time)
    }

    /// The requests and answers, the last answer included.
    pub fn exchanges(&self) -> Exchanges {
        let mut exchanges = self.exchanges.clone();
        if let Some((octets, Data { by: By::Server, .. })) = self.message {
            exchanges.answer_octets.push(octets as f64);
        }
        exchanges
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use super::*;

    #[test]
    fn a_request_begins_with_data_after_the_answer_and_each_message_has_the_octets_of_its_segments() {
        let mut turns = Turns::default();
        let mut send = |milliseconds, by, octets| {
            let time = Time::ZERO + Duration::from_millis(milliseconds);
            turns.data(Data { by, time, octets, l3_bytes: octets + 40 });
        };
        send(0, By::Server, 20);
        send(10, By::Client, 1000);
        send(12, By::Client, 500);
        send(20, By::Server, 1448);
        send(21, By::Server, 52);
        send(51, By::Client, 1500);
        send(60, By::Server, 100);
        let exchanges = turns.exchanges();
        assert_eq!((exchanges.requests(), exchanges.answers()), (2, 2));
        assert_eq!(exchanges.request_octets.values(), [1500.0, 1500.0]);
        assert_eq!(exchanges.answer_octets.values(), [1500.0, 100.0]);
        assert_eq!(exchanges.responses.times.values(), [0.008, 0.009]);
        assert_eq!(exchanges.times.thinks().values(), [0.030]);
    }
}
