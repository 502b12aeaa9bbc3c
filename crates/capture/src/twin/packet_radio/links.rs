//! The frames of each AX.25 link: windows, tries, timers, losses, and the turns of the two ends.

use std::collections::BTreeMap;

use sojourn_core::Time;
use sojourn_protocols::ax25::wire::{Address as Callsign, Supervisory};

use super::bursts::Medium;
use super::frames::{Frame, Frames, Kind};
use crate::arrivals::SendTimes;
use crate::connection::{Information, Numbers, Sending, Window};

/// Values kept of a timer.
const SAMPLES: usize = 4096;
/// Messages after an outage that may have waited for its end, and a gap without one that waited, s.
const BACKLOG: u32 = 64;
const DRAINED: f64 = 15.0;

/// T1 did not start with a transmission of its own station.
const NO_TRANSMISSION: u32 = u32::MAX;

/// A medium and two callsigns, the lower first.
pub(super) type Ends = (u32, Callsign, Callsign);

/// What was seen of a link.
#[derive(Debug)]
pub(super) struct Link {
    pub ends: Ends,
    /// Who set it up first: either end may reset it. Where that was not seen, who sent information first.
    pub initiator: Option<Callsign>,
    /// Digipeaters from the initiator, an index of [`Frames::paths`].
    pub path: u32,
    /// What each end sent, that of the lower callsign first.
    pub sides: [Side; 2],
    pub turns: Vec<Turn>,
    /// Whether it was set up modulo 128, and whether parameters were negotiated.
    pub extended: bool,
    pub identified: bool,
    /// Whether its setup was seen.
    is_set_up: bool,
    last: f64,
    copies: BTreeMap<(Callsign, u32), u8>,
}

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
    /// I frames that did not arrive, of those whose outcome shows, and the bits of the latter.
    pub lost: u64,
    pub exposed: u64,
    pub exposed_bits: u64,
    sent: Window,
    pending: u32,
    is_connecting: bool,
    /// Messages to come that may have waited for the end of an outage.
    backlog: u32,
    last_again: Option<u8>,
    requested: Vec<u8>,
    overlapped: BTreeMap<u8, bool>,
    acknowledgement: Option<usize>,
    /// The transmission in which T1 started.
    timed_from: Option<u32>,
}

/// Consecutive new information of one end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// Whether it is the initiator's.
    pub forward: bool,
    /// The first frame, an index of [`Frames::all`], and the end of the last copy of the last one, s.
    pub first: usize,
    pub arrival: f64,
    pub arrived: usize,
    pub frames: u32,
    pub bytes: u32,
    /// Frames of the first transmission.
    pub at_once: u32,
    /// Bytes of the first and of the last frame.
    pub first_bytes: u16,
    pub last_bytes: u16,
    /// Whether anything was sent again meanwhile.
    pub disturbed: bool,
    /// A supervisory frame of the same end between the turn before and this one.
    pub acknowledgement: Option<usize>,
}

/// The transmission that each frame belongs to, a number on its medium, and whether another station transmitted meanwhile.
#[derive(Debug)]
pub(super) struct Sendings {
    pub of: Vec<(u32, bool)>,
}

impl Sendings {
    pub fn new(frames: &Frames, media: &BTreeMap<u32, Medium>) -> Self {
        let mut of = vec![(u32::MAX, false); frames.all.len()];
        for (number, medium) in media {
            for (burst, place) in medium.bursts.iter().zip(0..) {
                let frames = frames.all[burst.first..=burst.last].iter();
                for (frame, sending) in frames.zip(&mut of[burst.first..=burst.last]) {
                    if frame.medium == *number {
                        *sending = (place, burst.overlapped);
                    }
                }
            }
        }
        Sendings { of }
    }
}

/// The links of a capture, by their ends.
pub(super) fn links(frames: &Frames, media: &BTreeMap<u32, Medium>, sendings: &Sendings) -> BTreeMap<Ends, Link> {
    let mut links: BTreeMap<Ends, Link> = BTreeMap::new();
    let mut before: BTreeMap<u32, usize> = BTreeMap::new();
    let mut before_on_link: BTreeMap<Ends, usize> = BTreeMap::new();
    for (index, frame) in frames.all.iter().enumerate() {
        let last = before.insert(frame.medium, index);
        if matches!(frame.kind, Kind::Unnumbered { .. } | Kind::Other) {
            continue;
        }
        let start = frame.end() - f64::from(frame.bits) / media[&frame.medium].bit_rate;
        // silence since a frame of the same end: T1 has run all the time
        let own = |last: &usize| frames.all[*last].source == frame.source && frames.all[*last].ends() == frame.ends();
        let since = |last: usize| (start - frames.all[last].end(), sendings.of[last].0);
        let silence = last.filter(own).map(since);
        let on_link = before_on_link.insert(frame.ends(), index);
        let silence_of_link = on_link.filter(own).map(since).filter(|_| silence.is_none());
        let heard = Heard { frame, index, start, silence, silence_of_link, sending: sendings.of[index] };
        let link = links.entry(frame.ends()).or_insert_with(|| Link::new(frame.ends()));
        link.frame(&heard, sendings);
    }
    links
}

/// A frame in its place.
struct Heard<'a> {
    frame: &'a Frame,
    index: usize,
    start: f64,
    /// Time since the frame before on the medium, if that is of the same end, and its transmission.
    silence: Option<(f64, u32)>,
    /// The same since the frame before on the link, if frames of other links followed that.
    silence_of_link: Option<(f64, u32)>,
    sending: (u32, bool),
}

impl Link {
    fn new(ends: Ends) -> Self {
        let sides = [Side::new(), Side::new()];
        Link {
            ends,
            initiator: None,
            path: 0,
            sides,
            turns: Vec::new(),
            extended: false,
            identified: false,
            is_set_up: false,
            last: f64::INFINITY,
            copies: BTreeMap::new(),
        }
    }

    /// What `callsign` sent.
    pub fn side(&self, callsign: Callsign) -> &Side {
        &self.sides[self.place(callsign)]
    }

    /// The end that is not `callsign`.
    pub fn other(&self, callsign: Callsign) -> Callsign {
        if callsign == self.ends.1 { self.ends.2 } else { self.ends.1 }
    }

    fn place(&self, callsign: Callsign) -> usize {
        usize::from(callsign == self.ends.2)
    }

    /// Whether a frame is the first copy that the capture shows of what its source sent.
    fn is_first_copy(&mut self, frame: &Frame) -> bool {
        let most = self.copies.entry((frame.source, frame.path)).or_insert(frame.hops_left);
        *most = (*most).max(frame.hops_left);
        frame.hops_left == *most
    }

    fn frame(&mut self, heard: &Heard<'_>, sendings: &Sendings) {
        let frame = heard.frame;
        let idle = heard.start - self.last;
        self.last = frame.end();
        let first_copy = self.is_first_copy(frame);
        let own = self.place(frame.source);
        self.acknowledge(frame, own);
        match frame.kind {
            Kind::Connect { extended } if first_copy => self.connect(heard, own, extended),
            Kind::Disconnect | Kind::Refused if first_copy => {
                self.sides[own].end_tries();
                self.sides[own].pending = 0;
            }
            Kind::Identification => self.identified = true,
            Kind::Information { n_s, bytes, .. } => self.information(heard, own, (n_s, bytes), first_copy, sendings),
            Kind::Supervisory { kind, n_r, several } if first_copy => {
                let side = &mut self.sides[own];
                match kind {
                    Supervisory::Rej => side.rejects[0] += 1,
                    Supervisory::Srej => side.rejects[1 + usize::from(several)] += 1,
                    _ => {}
                }
                if frame.is_poll() {
                    side.poll(heard, idle);
                } else {
                    side.acknowledgement = Some(heard.index);
                    side.longest_idle = side.longest_idle.max(idle);
                    if kind == Supervisory::Srej {
                        self.sides[1 - own].requested.push(n_r);
                    }
                }
            }
            _ => {}
        }
        if first_copy && !frame.is_poll() {
            let other = &mut self.sides[1 - own];
            // T1 starts anew for what is still not acknowledged, or goes on: in no transmission of its own
            let is_running = other.sent.outstanding() > 0;
            (other.pending, other.timed_from) = (0, is_running.then_some(NO_TRANSMISSION));
        }
    }

    fn connect(&mut self, heard: &Heard<'_>, own: usize, extended: bool) {
        let numbers = if extended { Numbers::Modulo128 } else { Numbers::Modulo8 };
        let side = &mut self.sides[own];
        if side.pending > 0 && side.is_connecting {
            side.timed_out(heard);
        } else {
            side.end_tries();
            (side.pending, side.is_connecting) = (0, true);
        }
        side.timed_from = Some(heard.sending.0);
        side.pending += 1;
        side.tries = side.tries.max(side.pending);
        for side in &mut self.sides {
            side.sent = Window::new(numbers, true);
            side.overlapped.clear();
            side.requested.clear();
        }
        if !self.is_set_up || self.turns.is_empty() {
            (self.initiator, self.path) = (Some(heard.frame.source), heard.frame.path);
        }
        self.is_set_up = true;
        self.extended = extended;
    }

    fn acknowledge(&mut self, frame: &Frame, own: usize) {
        let n_r = match frame.kind {
            Kind::Information { n_r, .. } => n_r,
            Kind::Supervisory { kind, n_r, .. } if kind != Supervisory::Srej || frame.poll_final => n_r,
            _ => return,
        };
        self.sides[1 - own].sent.acknowledged(n_r, frame.time, frame.hops_left);
    }

    fn information(
        &mut self,
        heard: &Heard<'_>,
        own: usize,
        (n_s, bytes): (u8, u16),
        first_copy: bool,
        sendings: &Sendings,
    ) {
        let frame = heard.frame;
        if self.initiator.is_none() {
            (self.initiator, self.path) = (Some(frame.source), frame.path);
        }
        let forward = self.initiator == Some(frame.source);
        let side = &mut self.sides[own];
        let packet =
            Information { number: n_s, time: frame.time, hops_left: frame.hops_left, l3_bytes: 0, l4_bytes: 0 };
        match side.sent.information(&packet, |_, _| {}) {
            Sending::New => {
                side.new_information(heard, n_s, bytes);
                self.turn(heard, own, forward, bytes, sendings);
            }
            Sending::Repeated { .. } => {
                side.repeated(heard, n_s);
                self.extend(forward, heard, true);
            }
            Sending::Forwarded { .. } => {
                side.exposed += 1;
                side.exposed_bits += u64::from(frame.bits);
                self.extend(forward, heard, false);
            }
        }
        if first_copy {
            self.sides[own].acknowledgement = None;
        }
    }

    fn turn(&mut self, heard: &Heard<'_>, own: usize, forward: bool, bytes: u16, sendings: &Sendings) {
        if let Some(turn) = self.turns.last_mut().filter(|turn| turn.forward == forward) {
            turn.frames += 1;
            turn.bytes += u32::from(bytes);
            turn.last_bytes = bytes;
            (turn.arrival, turn.arrived) = (heard.frame.end(), heard.index);
            turn.at_once += u32::from(sendings.of[turn.first].0 == heard.sending.0);
            return;
        }
        let acknowledgement = self.sides[own].acknowledgement;
        let since = self.turns.last().map_or(0, |turn| turn.arrived);
        self.turns.push(Turn {
            forward,
            first: heard.index,
            arrival: heard.frame.end(),
            arrived: heard.index,
            frames: 1,
            bytes: bytes.into(),
            at_once: 1,
            first_bytes: bytes,
            last_bytes: bytes,
            disturbed: false,
            acknowledgement: acknowledgement.filter(|index| *index > since),
        });
    }

    /// A copy of information of the last turn, or anything sent again.
    fn extend(&mut self, forward: bool, heard: &Heard<'_>, disturbed: bool) {
        if let Some(turn) = self.turns.last_mut() {
            turn.disturbed |= disturbed;
            if turn.forward == forward {
                (turn.arrival, turn.arrived) = (heard.frame.end(), heard.index);
            }
        }
    }
}

impl Side {
    fn new() -> Self {
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
            exposed: 0,
            exposed_bits: 0,
            sent: Window::new(Numbers::Modulo8, false),
            pending: 0,
            is_connecting: false,
            backlog: 0,
            last_again: None,
            requested: Vec::new(),
            overlapped: BTreeMap::new(),
            acknowledgement: None,
            timed_from: None,
        }
    }

    fn new_information(&mut self, heard: &Heard<'_>, n_s: u8, bytes: u16) {
        let overlapped = heard.sending.1;
        self.new += 1;
        self.largest = self.largest.max(bytes);
        self.bytes += u64::from(bytes);
        self.due(heard.frame.time);
        self.window = self.window.max(self.sent.outstanding());
        self.last_again = None;
        self.overlapped.insert(n_s, overlapped);
        self.timed_from.get_or_insert(heard.sending.0);
        self.expose(heard);
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
    fn repeated(&mut self, heard: &Heard<'_>, n_s: u8) {
        self.repeats += 1;
        let after = |before: u8| n_s == before.wrapping_add(1) & 0x7f || n_s == before.wrapping_add(1) & 7;
        let requested =
            self.requested.iter().position(|number| *number == n_s).map(|place| self.requested.remove(place));
        let collided = self.overlapped.insert(n_s, heard.sending.1).unwrap_or(false);
        let follows = requested.is_none() && self.last_again.is_some_and(after);
        self.last_again = Some(n_s);
        if heard.frame.is_poll() {
            self.repeats_oldest = true;
            self.timed_out(heard);
        }
        self.timed_from.get_or_insert(heard.sending.0);
        if !follows {
            self.lost += u64::from(!collided);
            self.expose(heard);
        }
    }

    fn expose(&mut self, heard: &Heard<'_>) {
        if !heard.sending.1 {
            self.exposed += 1;
            self.exposed_bits += u64::from(heard.frame.bits);
        }
    }

    fn poll(&mut self, heard: &Heard<'_>, idle: f64) {
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
    fn timed_out(&mut self, heard: &Heard<'_>) {
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

    fn end_tries(&mut self) {
        if self.pending > 1 {
            *self.gave_up.entry(self.pending).or_default() += 1;
            self.backlog = BACKLOG;
        }
    }
}
