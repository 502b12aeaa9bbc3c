//! Requests and answers on a link, and the properties of its end stations that they reveal.

use super::access::{Access, turnaround};
use super::bursts::Medium;
use super::frames::Frames;
use super::links::{Link, Sendings, Turn};
use super::stations::Role;
use crate::quantile::quantile;

/// Waits within this are the same, s.
const SAME: f64 = 0.012;
/// Bits of a character on a serial line.
const CHARACTER: f64 = 10.0;
/// Rates of serial lines, bit/s.
const SERIAL_RATES: [f64; 8] = [1200.0, 2400.0, 4800.0, 9600.0, 19_200.0, 38_400.0, 57_600.0, 115_200.0];

/// The exchanges of a link.
#[derive(Clone, Debug)]
pub(super) struct Exchanges {
    pub count: usize,
    /// Median bytes of a request and of an answer.
    pub request: f64,
    pub answer: f64,
    /// Bytes of the first frame of a request, if requests have several: PACLEN of the initiator; that of the responder.
    pub paclen: [Option<u16>; 2],
    /// Most frames of a message of either end.
    pub frames: [u32; 2],
    /// Whether messages of either end fit into the window and yet are not sent at once: their characters arrive meanwhile.
    pub is_serial: [bool; 2],
    /// From an answer to the next request, s.
    pub think: f64,
}

/// The time that a station takes to answer, s.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerTime {
    /// From the end of the request to the answer that waits for the channel.
    pub time: f64,
    /// The bounds that acknowledgements before the answer leave.
    pub least: f64,
    pub most: f64,
    /// Exchanges that it was found from.
    pub count: usize,
    /// Bytes of the last frame of a request and of the first of an answer.
    pub bytes: f64,
}

impl Exchanges {
    /// The exchanges of a link; `None` without any.
    pub fn new(link: &Link, frames: &Frames, medium: &Medium, access: &Access) -> Option<Exchanges> {
        let turns = &link.turns;
        let pairs: Vec<[&Turn; 2]> = turns
            .windows(2)
            .filter(|pair| pair[0].forward && !pair[1].forward)
            .map(|pair| [&pair[0], &pair[1]])
            .collect();
        let of = |value: fn(&[&Turn; 2]) -> f64| quantile(&mut pairs.iter().map(value).collect::<Vec<_>>(), 0.5);
        let of_side = |side: usize| pairs.iter().map(move |pair| pair[side]);
        let paclen = |side: usize| of_side(side).filter(|turn| turn.frames > 1).map(|turn| turn.first_bytes).max();
        let longest = |side: usize| of_side(side).map(|turn| turn.frames).max().unwrap_or(0);
        let window = |side: usize| {
            let forward = side == 0;
            let own = link.initiator.map(|initiator| if forward { initiator } else { link.other(initiator) });
            own.map_or(1, |own| link.side(own).window as u32)
        };
        let split = |side: usize| {
            let clean: Vec<&Turn> = of_side(side).filter(|turn| turn.frames > 1 && !turn.disturbed).collect();
            let later = clean.iter().filter(|turn| turn.at_once < turn.frames.min(window(side))).count();
            10 * later > clean.len()
        };
        let (request, answer) = (of(|pair| f64::from(pair[0].bytes))?, of(|pair| f64::from(pair[1].bytes))?);
        let think = |is_whole: bool, is_clean: bool| {
            // something sent again may part a message
            let are_whole = |pair: &[Turn]| f64::from(pair[0].bytes) == answer && f64::from(pair[1].bytes) == request;
            let pairs = turns.windows(2).filter(|pair| !pair[0].forward && pair[1].forward);
            let pairs = pairs.filter(|pair| (!is_whole || are_whole(pair)) && (!is_clean || !pair[0].disturbed));
            let pairs = pairs.map(|pair| {
                let first = &frames.all[pair[1].first];
                first.end() - f64::from(first.bits) / medium.bit_rate - access.txdelay() - pair[0].arrival
            });
            quantile(&mut pairs.collect::<Vec<_>>(), 0.5)
        };
        // messages of many lengths have no usual one, and on a channel where something is always sent again every one is disturbed
        let best = [(true, true), (true, false), (false, true), (false, false)];
        let think = best.into_iter().find_map(|(is_whole, is_clean)| think(is_whole, is_clean)).unwrap_or(0.0);
        Some(Exchanges {
            count: pairs.len(),
            request,
            answer,
            paclen: [paclen(0), paclen(1)],
            frames: [longest(0), longest(1)],
            is_serial: [split(0), split(1)],
            think: (think - access.mean_slots() - turnaround(Role::Terminal)).max(0.0),
        })
    }
}

impl Exchanges {
    /// The same exchanges, with the messages of the responder as its own link has them.
    pub fn answered_by(mut self, answering: &Exchanges) -> Exchanges {
        self.paclen[1] = answering.paclen[1];
        self.frames[1] = answering.frames[1];
        self.is_serial[1] = answering.is_serial[1];
        self
    }
}

impl ServerTime {
    /// The time that the responder of a link takes.
    pub fn new(link: &Link, medium: &Medium, access: &Access, sendings: &Sendings) -> Option<ServerTime> {
        let (mut hidden, mut open, mut pending, mut least) = (f64::INFINITY, Vec::new(), Vec::new(), 0.0_f64);
        let mut bytes = Vec::new();
        for pair in link.turns.windows(2) {
            let [request, answer] = [&pair[0], &pair[1]];
            if !request.forward || answer.forward || request.disturbed || answer.disturbed {
                continue;
            }
            let sending = |index: usize| &medium.bursts[sendings.of[index].0 as usize];
            let keyed = sending(answer.first).start - access.txdelay() - request.arrival;
            bytes.push(f64::from(request.last_bytes) + f64::from(answer.first_bytes));
            let Some(acknowledgement) = answer.acknowledgement else {
                pending.push(keyed);
                continue;
            };
            let acknowledged = sending(acknowledgement);
            let follows = sendings.of[acknowledgement].0 + 1 == sendings.of[answer.first].0;
            let end = acknowledged.end - request.arrival;
            least = least.max(acknowledged.start - access.txdelay() - request.arrival);
            if follows && keyed - end - turnaround(Role::Digipeater) < SAME {
                hidden = hidden.min(end);
            } else {
                open.push(keyed);
            }
        }
        let count = bytes.len();
        let bytes = quantile(&mut bytes, 0.5)?;
        let first = |of: &[f64]| of.iter().copied().fold(hidden, f64::min);
        let most = first(&open).min(first(&pending));
        // an answer that takes the place of an acknowledgement is ready in the slot before the one that it is sent in
        let waits = link.initiator.is_some_and(|initiator| access.response_delay(link.other(initiator)) == 0.0);
        let joins = waits && access.slot() > 0.0 && quantile(&mut open, 0.05).is_none_or(|ready| ready > most);
        open.append(&mut pending);
        let time = match joins {
            _ if hidden <= most => 0.5 * (least.min(most) + most),
            true => 0.5 * (least.max(most - access.slot()).min(most) + most),
            false => quantile(&mut open, 0.05)?.max(least),
        };
        Some(ServerTime { time, least: least.min(most), most, count, bytes })
    }

    /// The serial rate that explains the time, if a character takes as long at both ends.
    pub fn serial_rate(&self, processing: f64) -> f64 {
        let takes = |rate: f64| CHARACTER * self.bytes / rate + processing;
        let nearest = |a: &f64, b: &f64| {
            let distance = |rate: f64| (takes(rate) - self.time).abs();
            distance(*a).total_cmp(&distance(*b))
        };
        let allowed = |rate: &f64| takes(*rate) >= self.least - SAME && takes(*rate) <= self.most + SAME;
        let usual = 9600.0;
        if allowed(&usual) {
            return usual;
        }
        SERIAL_RATES.into_iter().min_by(nearest).unwrap_or(usual)
    }
}
