//! Requests and answers over UDP and ICMP.

use sojourn_core::Time;

use super::trips::{Trips, at, sorted};
use sojourn_capture::arrivals::{Reservoir, SendTimes};

/// Values kept of each length.
const SAMPLE: usize = 512;

/// Requests, and what answered them.
#[derive(Clone, Debug)]
pub(super) struct Exchanges {
    /// When requests were sent and answered.
    pub times: SendTimes,
    /// From a request to its answer.
    pub responses: Trips,
    /// Octets of user data of requests and of answers.
    pub request_octets: Reservoir,
    pub answer_octets: Reservoir,
    /// From a request without an answer to the next request, s.
    pub silences: Reservoir,
    pub unanswered: u64,
    /// Messages of the server, those included that come after the client has given up.
    pub replies: u64,
    /// When these were sent, and their octets of user data.
    pub reply_times: SendTimes,
    pub reply_octets: Reservoir,
    /// Octets of IP of all packets.
    pub bytes: u64,
}

impl Default for Exchanges {
    fn default() -> Self {
        let sample = || Reservoir::new(SAMPLE);
        Exchanges {
            times: SendTimes::default(),
            responses: Trips::default(),
            request_octets: sample(),
            answer_octets: sample(),
            silences: sample(),
            unanswered: 0,
            replies: 0,
            reply_times: SendTimes::default(),
            reply_octets: sample(),
            bytes: 0,
        }
    }
}

/// A message as it was captured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub time: Time,
    /// User data before the capture cut it.
    pub octets: u32,
    /// Length of the packets of IP.
    pub l3_bytes: u32,
    /// What its application calls the request, where it does.
    pub name: Option<u64>,
}

/// What a program sends to another and gets back, one request at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Conversation {
    pub exchanges: Exchanges,
    /// The request that waits for its answer.
    waiting: Option<Message>,
}

impl Conversation {
    /// The client sends; returns when its last request was answered, if it was.
    pub fn asked(&mut self, message: Message, flow: &mut Exchanges) -> Option<Time> {
        let answered = self.exchanges.times.last_completed();
        let unanswered = self.waiting.replace(message);
        for exchanges in [&mut self.exchanges, flow] {
            if let Some(before) = unanswered {
                exchanges.unanswered += 1;
                exchanges.silences.push(message.time.since(before.time).seconds());
            }
            exchanges.times.sent(message.time);
            exchanges.request_octets.push(f64::from(message.octets));
            exchanges.bytes += u64::from(message.l3_bytes);
        }
        answered
    }

    /// The server sends: the first message after a request answers it, unless it names an earlier one that the client has
    /// given up.
    pub fn answered(&mut self, message: Message, flow: &mut Exchanges) {
        let request = self.waiting.filter(|request| request.name == message.name);
        if request.is_some() {
            self.waiting = None;
        }
        for exchanges in [&mut self.exchanges, flow] {
            exchanges.bytes += u64::from(message.l3_bytes);
            exchanges.replies += 1;
            exchanges.reply_times.sent(message.time);
            exchanges.reply_octets.push(f64::from(message.octets));
            if let Some(request) = request {
                let after = message.time.since(request.time).seconds();
                exchanges.responses.push(after, request.l3_bytes, message.l3_bytes, message.time);
                exchanges.times.completed(message.time);
                exchanges.answer_octets.push(f64::from(message.octets));
            }
        }
    }
}

impl Exchanges {
    /// Requests sent.
    pub fn requests(&self) -> u64 {
        self.times.count()
    }

    /// Requests that were answered.
    pub fn answers(&self) -> u64 {
        self.responses.times.seen()
    }
}

/// Times from answers to the next requests, ascending, s.
#[derive(Debug)]
pub(super) struct Thinks {
    /// Those that a client takes.
    pub usual: Vec<f64>,
    /// Much longer ones: a request between was lost before the point of capture, and timed out.
    pub interrupted: Vec<f64>,
}

impl Thinks {
    /// The times from answers to the next requests.
    pub fn new(exchanges: &Exchanges) -> Thinks {
        Thinks::of(sorted(exchanges.times.thinks()))
    }

    /// These times, ascending.
    pub fn of(mut usual: Vec<f64>) -> Thinks {
        let (low, high) = (at(&usual, 0.05), at(&usual, 0.9));
        let most = (2.0 * high - low).max(2.0 * high);
        let interrupted = usual.split_off(usual.partition_point(|think| *think <= most));
        Thinks { usual, interrupted }
    }

    /// Mean of those that a client takes, s.
    pub fn mean(&self) -> f64 {
        self.usual.iter().sum::<f64>() / self.usual.len().max(1) as f64
    }
}
