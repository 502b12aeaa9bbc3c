//! A serial line and the frames on it.

use sojourn_core::{Duration, Streams, Time, clone_fields, rekey_fields};
use sojourn_model::slab::NONE;
use sojourn_model::uart::Line;

use super::poll::{Answer, Poll};
use super::site::{LineSettings, Site};

/// A line of the site.
#[derive(Debug)]
pub struct Bus {
    pub line: Line,
    /// The silence that ends a frame.
    pub silence: Duration,
    /// The connection of the client; [`NONE`] of a line that is not used.
    pub client: u32,
    /// Its servers.
    pub servers: Vec<u32>,
    /// What it carried since the warm-up.
    pub counters: Counters,
    /// When it became busy, while it is.
    pub busy_since: Option<Time>,
}

clone_fields!([] Bus { line, silence, client, servers, counters, busy_since });
rekey_fields!(Bus { line });

/// What a line carried.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Frames without damage.
    pub correct: u64,
    /// Frames that were damaged or lost.
    pub damaged: u64,
    /// How long it was busy.
    pub busy: Duration,
}

/// A frame on a line.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The line among the media.
    pub medium: u16,
    /// The client's connection to the line.
    pub connection: u32,
    pub content: Content,
    pub state: State,
    /// Whether its last character has ended.
    pub ended: bool,
}

/// What a frame carries.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    Request(Poll),
    Response(Answer),
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Every character arrived.
    Sound,
    /// Its sender has lost power.
    Cut,
    /// Characters of it are wrong.
    Damaged,
    /// Nothing of it was received.
    Lost,
}

impl Bus {
    /// A silent line.
    pub fn new(site: &Site, medium: usize, settings: &LineSettings, streams: &Streams) -> Bus {
        let noise = streams.stream(&format!("medium/{}/noise", site.media[medium].name));
        Bus {
            line: Line::new(settings.format, settings.bit_error_rate, noise),
            silence: settings.silence(),
            client: site.client_of(medium).map_or(NONE, |connection| connection as u32),
            servers: site.servers_of(medium).into_iter().map(|server| server as u32).collect(),
            counters: Counters::default(),
            busy_since: None,
        }
    }

    /// When a client may send: once the line has been silent for as long as a frame takes to end. None while it is busy.
    pub fn free(&self) -> Option<Time> {
        let since = self.line.silent_since()?;
        // it has been silent for long before the run
        Some(if since == Time::ZERO { since } else { since + self.silence })
    }

    /// The line itself, to change it.
    pub fn line_mut(&mut self) -> &mut Line {
        &mut self.line
    }

    /// What it carried is counted from `now` on.
    pub fn reset_counters(&mut self, now: Time) {
        self.counters = Counters::default();
        self.busy_since = self.busy_since.map(|_| now);
    }

    /// Counts the time up to `now`.
    pub fn settle(&mut self, now: Time) {
        if let Some(since) = self.busy_since {
            self.counters.busy += now - since;
            self.busy_since = Some(now);
        }
    }
}

impl Content {
    pub const fn pdu(&self) -> u16 {
        match self {
            Content::Request(poll) => poll.request,
            Content::Response(answer) => answer.pdu(),
        }
    }

    #[cold]
    pub fn capture(&self, capture: &mut super::capture::Capture<'_>, now: Time, medium: usize) {
        match self {
            Content::Request(poll) => capture.line_request(now, medium, poll),
            Content::Response(answer) => capture.line_answer(now, medium, answer),
        }
    }
}
