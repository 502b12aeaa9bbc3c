//! One end of a link: the windows, tries, timers and losses of its transmissions.

use std::collections::BTreeMap;

use sojourn_core::Time;

use super::frames::Frame;
use sojourn_capture::arrivals::SendTimes;
use sojourn_capture::connection::{Numbers, Window};

/// Values kept of a timer.
const SAMPLES: usize = 4096;
/// Messages after an outage that may have waited for its end, and a gap without one that waited, s.
const BACKLOG: u32 = 64;
const DRAINED: f64 = 15.0;

/// T1 started in a transmission that does not show.
pub(super) const NO_TRANSMISSION: u32 = u32::MAX;

/// What one end of a link sent.
#[derive(Debug)]
pub(super) struct Side {
    /// I frames: new, sent again, and the most information of one, B.
    pub new: u64,
    pub repeats: u64,
    pub largest: u16,
    /// Bytes of new information.
    pub bytes: u64,
    pub times: SendTimes,
    /// Most I frames that waited for an acknowledgement.
    pub window: usize,
    /// Silence before a frame that T1 caused, s.
    pub timeouts: Vec<f64>,
    /// The same where frames of other links came in between.
    pub timeouts_among_others: Vec<f64>,
    /// Silence before a poll of an idle link, s.
    pub idle_polls: Vec<f64>,
    /// Longest silence of the link that it did not poll, s.
    pub longest_idle: f64,
    /// Most tries of one command, and after how many it gave up how often.
    pub tries: u32,
    pub gave_up: BTreeMap<u32, u32>,
    /// Whether it sends I frames again without asking first.
    pub repeats_oldest: bool,
    /// REJ, SREJ and SREJ with a list that it sent.
    pub rejects: [u64; 3],
    /// I frames that did not arrive, of those whose outcome shows.
    pub lost: u64,
    pub exposed: Exposed,
    pub sent: Window,
    pub pending: u32,
    pub is_connecting: bool,
    /// Messages to come that may have waited for the end of an outage.
    pub backlog: u32,
    pub last_again: Option<u8>,
    pub requested: Vec<u8>,
    /// Of each I frame whose outcome does not show yet: the bits of its last transmission, and whether another station transmitted
    /// meanwhile.
    pub unresolved: BTreeMap<u8, (u32, bool)>,
    pub acknowledgement: Option<usize>,
    /// The transmission in which T1 started.
    pub timed_from: Option<u32>,
}

/// Transmissions whose outcome shows, and that none overlapped.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Exposed {
    pub frames: u64,
    pub bits: u64,
}

impl Exposed {
    fn add(&mut self, bits: u32) {
        self.frames += 1;
        self.bits += u64::from(bits);
    }
}

/// A frame in its place.
pub(super) struct Heard<'a> {
    pub frame: &'a Frame,
    pub index: usize,
    pub start: f64,
    /// Time since the frame before on the medium, if that is of the same link, and its transmission.
    pub silence: Option<(f64, u32)>,
    /// The same since the frame before on the link, if frames of other links followed that.
    pub silence_of_link: Option<(f64, u32)>,
    pub sending: (u32, bool),
}

impl Heard<'_> {
    /// Its bits, and whether another station transmitted meanwhile.
    fn transmission(&self) -> (u32, bool) {
        (self.frame.bits, self.sending.1)
    }
}

impl Side {
    pub fn new() -> Self {
        Side {
            new: 0,
            repeats: 0,
            largest: 0,
            bytes: 0,
            times: SendTimes::default(),
            window: 0,
            timeouts: Vec::new(),
            timeouts_among_others: Vec::new(),
            idle_polls: Vec::new(),
            longest_idle: 0.0,
            tries: 0,
            gave_up: BTreeMap::new(),
            repeats_oldest: false,
            rejects: [0; 3],
            lost: 0,
            exposed: Exposed::default(),
            sent: Window::new(Numbers::Modulo8, false),
            pending: 0,
            is_connecting: false,
            backlog: 0,
            last_again: None,
            requested: Vec::new(),
            unresolved: BTreeMap::new(),
            acknowledgement: None,
            timed_from: None,
        }
    }

    pub fn new_information(&mut self, heard: &Heard<'_>, n_s: u8, bytes: u16) {
        self.new += 1;
        self.largest = self.largest.max(bytes);
        self.bytes += u64::from(bytes);
        self.due(heard.frame.time);
        self.window = self.window.max(self.sent.outstanding());
        self.last_again = None;
        self.unresolved.insert(n_s, heard.transmission());
        self.timed_from.get_or_insert(heard.sending.0);
    }

    /// A message was sent; the gap across an outage, and those between messages that waited for its end, are not of its arrivals.
    fn due(&mut self, time: Time) {
        if self.backlog == 0 {
            return self.times.sent(time);
        }
        let has_drained = self.times.last().is_some_and(|last| time.since(last).seconds() > DRAINED);
        let is_first = self.backlog == BACKLOG;
        self.backlog = if has_drained && !is_first { 0 } else { self.backlog - 1 };
        self.times.resumed(time);
    }

    /// What follows the first frame of a run was sent again because that one was lost.
    pub fn repeated(&mut self, heard: &Heard<'_>, n_s: u8) {
        self.repeats += 1;
        let after = |before: u8| n_s == before.wrapping_add(1) & 0x7f || n_s == before.wrapping_add(1) & 7;
        let requested =
            self.requested.iter().position(|number| *number == n_s).map(|place| self.requested.remove(place));
        let before = self.unresolved.insert(n_s, heard.transmission());
        let follows = requested.is_none() && self.last_again.is_some_and(after);
        self.last_again = Some(n_s);
        if heard.frame.is_poll() {
            self.repeats_oldest = true;
            self.timed_out(heard);
        }
        self.timed_from.get_or_insert(heard.sending.0);
        // what follows may have arrived before as well
        if let Some((bits, false)) = before.filter(|_| !follows) {
            self.lost += 1;
            self.exposed.add(bits);
        }
    }

    /// A digipeater has received the frame, and sends it on.
    pub fn sent_on(&mut self, heard: &Heard<'_>, n_s: u8) {
        if let Some((bits, false)) = self.unresolved.insert(n_s, heard.transmission()) {
            self.exposed.add(bits);
        }
    }

    /// What is acknowledged has arrived.
    pub fn have_arrived(&mut self) {
        let (sent, exposed) = (&self.sent, &mut self.exposed);
        self.unresolved.retain(|n_s, (bits, overlapped)| {
            let has_arrived = !sent.is_outstanding(*n_s);
            if has_arrived && !*overlapped {
                exposed.add(*bits);
            }
            !has_arrived
        });
    }

    pub fn poll(&mut self, heard: &Heard<'_>, idle: f64) {
        if std::mem::take(&mut self.is_connecting) {
            self.pending = 0;
        }
        if self.pending > 0 || self.sent.outstanding() > 0 {
            self.timed_out(heard);
        } else if self.idle_polls.len() < SAMPLES {
            self.idle_polls.push(idle);
        }
        self.pending += 1;
        self.tries = self.tries.max(self.pending);
    }

    /// T1 expired, which had started in the transmission before and ran while nothing was sent.
    pub fn timed_out(&mut self, heard: &Heard<'_>) {
        let places = [(heard.silence, &mut self.timeouts), (heard.silence_of_link, &mut self.timeouts_among_others)];
        for (silence, timeouts) in places {
            if let Some((silence, sending)) = silence
                && self.timed_from == Some(sending)
                && sending != heard.sending.0
                && timeouts.len() < SAMPLES
            {
                timeouts.push(silence);
            }
        }
        self.timed_from = Some(heard.sending.0);
    }

    pub fn end_tries(&mut self) {
        if self.pending > 1 {
            *self.gave_up.entry(self.pending).or_default() += 1;
            self.backlog = BACKLOG;
        }
    }
}
