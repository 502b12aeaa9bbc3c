//! The frames of each AX.25 link, and the turns of the two ends.

use std::collections::BTreeMap;

use sojourn_protocols::ax25::wire::{Address as Callsign, Supervisory};

use super::bursts::Medium;
use super::frames::{Frame, Frames, Kind};
use super::sides::{Heard, NO_TRANSMISSION, Side};
use sojourn_capture::connection::{Information, Numbers, Sending, Window};

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
        // silence since a frame of the same link
        let since = |last: usize| (start - frames.all[last].end(), sendings.of[last].0);
        let silence = last.filter(|last| frames.all[*last].ends() == frame.ends()).map(since);
        let on_link = before_on_link.insert(frame.ends(), index);
        let silence_of_link = on_link.map(since).filter(|_| silence.is_none());
        let heard = Heard { frame, index, start, silence, silence_of_link, sending: sendings.of[index] };
        let link = links.entry(frame.ends()).or_insert_with(|| Link::new(frame.ends()));
        link.frame(&heard, sendings);
    }
    links
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
        let outstanding = self.sides[1 - own].sent.outstanding();
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
            // T1 starts anew for what is still not acknowledged (AX.25 v2.2, 6.4.6), or goes on
            let since = if outstanding > other.sent.outstanding() { heard.sending.0 } else { NO_TRANSMISSION };
            let is_running = other.sent.outstanding() > 0;
            (other.pending, other.timed_from) = (0, is_running.then_some(since));
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
            side.unresolved.clear();
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
        let sender = &mut self.sides[1 - own];
        sender.sent.acknowledged(n_r, frame.time, frame.hops_left);
        sender.have_arrived();
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
                side.sent_on(heard, n_s);
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
