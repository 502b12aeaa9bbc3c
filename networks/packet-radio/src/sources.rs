//! Sources of background traffic.

use std::collections::VecDeque;

use sojourn_core::{Stream as Random, Streams, Time, rekey_fields};
use sojourn_engine::arrivals::Process;
use sojourn_protocols::StreamRange;
use sojourn_protocols::ax25::machine::LinkId;

use super::information::{FIRST_SOURCE_STREAM, Information, Payload, session_of};
use super::site::{Site, SourceSettings};

/// State of a source.
#[derive(Clone, Debug)]
pub struct Source {
    stream: u32,
    pub process: Process,
    pub draws: Random,
    /// Its link, while it has one.
    pub link: Option<LinkId>,
    /// Whether the link is connected.
    pub up: bool,
    /// Whether the next arrival is scheduled, and for when. An event of the queue for another instant is void.
    pub pending: bool,
    pub due: Time,
    /// Why it is silent; 0 if it is not.
    pub silent: u8,
    /// Messages queued: not yet transmitted (UI frames), or not acknowledged (I frames).
    pub waiting: u32,
    sent: u32,
    /// Messages delivered last, where copies of them may follow.
    delivered: VecDeque<u32>,
}

/// Delivered messages that are remembered: copies follow within a few.
const REMEMBERED: usize = 64;

impl Source {
    /// Source number `index` of a site, before its first message.
    pub fn new(site: &Site, index: usize, streams: &Streams) -> Self {
        let SourceSettings { flow, station, process, .. } = &site.sources[index];
        let station = &site.stations[*station as usize].name;
        Source {
            stream: FIRST_SOURCE_STREAM + index as u32,
            process: process.0.clone(),
            draws: streams.stream(&format!("flow/{flow}/{station}")),
            link: None,
            up: false,
            pending: false,
            due: Time::NEVER,
            silent: 0,
            waiting: 0,
            sent: 0,
            delivered: VecDeque::new(),
        }
    }

    /// Whether a message that is delivered is a copy of one that was, as its receiver distinguishes them.
    pub fn is_copy(&mut self, data: &Information) -> bool {
        let Some(Payload::Stream(range)) = data.payload() else { return false };
        if self.delivered.contains(&range.offset) {
            return true;
        }
        if self.delivered.len() == REMEMBERED {
            self.delivered.pop_front();
        }
        self.delivered.push_back(range.offset);
        false
    }

    /// It sends nothing more, for one more reason.
    pub fn mute(&mut self, reason: u8) {
        self.silent |= reason;
        (self.pending, self.due) = (false, Time::NEVER);
    }

    /// A reason for it to be silent is gone; whether it begins anew, as `process` does.
    pub fn unmute(&mut self, reason: u8, process: &Process) -> bool {
        let was_silent = self.silent != 0;
        self.silent &= !reason;
        let begins = was_silent && self.silent == 0;
        if begins {
            self.process = process.begun_anew();
        }
        begins
    }

    /// Its station has lost the link and what was queued for it.
    pub fn lose_link(&mut self) {
        (self.link, self.up, self.waiting) = (None, false, 0);
    }

    /// Draws again what has no memory of when the next message, due at `due`, is sent; returns when it is due now.
    pub fn redraw(&mut self, now: Time, due: Time) -> Time {
        if self.due != due {
            return due;
        }
        self.due = self.process.redraw(now, due, &mut self.draws);
        self.due
    }

    /// The next message, of `length` octets.
    pub fn message(&mut self, length: u16) -> Information {
        let offset = self.sent.wrapping_mul(u32::from(length));
        self.sent = self.sent.wrapping_add(1);
        Information::User(Payload::Stream(StreamRange { stream: self.stream, offset, length }))
    }
}

/// The source that sent this information, if one did.
pub fn source_of(information: &Information) -> Option<u32> {
    match information.payload()? {
        Payload::Stream(range) if session_of(range.stream).is_some() => None,
        Payload::Stream(range) => range.stream.checked_sub(FIRST_SOURCE_STREAM),
        Payload::Text(_) => None,
    }
}

rekey_fields!(Source { draws });
