//! Pauses of users: those that events stop and restart, and pauses of speech.

use sojourn_core::Time;
use sojourn_metrics::jitter_buffer::talkspurts::Slot;

use super::super::event::{Event, Events};
use super::super::site::{Mode, Traffic};
use super::super::stream::{User, size};
use super::{Users, Write};

impl Users<'_> {
    /// Whether a host has power.
    pub fn is_on(&self, host: u32) -> bool {
        self.changes.as_ref().is_none_or(|changes| !changes.off[host as usize])
    }

    /// Whether the user of a stream does nothing: its flow is stopped, or its host off.
    pub fn is_silent(&self, stream: u32) -> bool {
        let Some(changes) = &self.changes else { return false };
        let state = &self.streams[stream];
        changes.stopped[usize::from(state.flow)] || changes.off[state.host as usize]
    }

    /// The association of a stream has ended: its user opens it again where events may have broken it off.
    pub fn end(&mut self, now: Time, stream: u32, events: &mut Events) {
        if self.changes.is_none() {
            return self.streams.end(stream);
        }
        self.lose(now, stream, Slot::Lost);
        events.at(now, Event::Reopen(stream));
    }

    /// A host loses power, and with it what its users sent and heard.
    pub fn power_down(&mut self, now: Time, host: u32) {
        for stream in self.streams.numbers() {
            if self.streams[stream].host == host {
                self.lose(now, stream, Slot::Lost);
                self.streams[stream].asked = 0;
            }
            if let User::Voice { sinks, .. } = &mut self.streams[stream].user {
                sinks.iter_mut().filter(|(at, _)| *at == host).for_each(|(_, sink)| sink.rest(now));
            }
        }
    }

    /// What the user of a stream had sent is lost, and the exchange that waits for an answer fails.
    fn lose(&mut self, now: Time, stream: u32, slot: Slot) {
        self.streams.interrupt(stream);
        self.hang_up(now, stream, slot);
        if let Some(exchange) = self.exchange.take_if(|exchange| exchange.stream == stream) {
            self.fail(exchange);
        }
    }

    /// Voice is not spoken from `now` on.
    pub fn hang_up(&mut self, now: Time, stream: u32, slot: Slot) {
        let User::Voice { source, sinks, channel, .. } = &mut self.streams[stream].user else { return };
        if source.is_stopped() {
            return;
        }
        source.stop(now);
        sinks.iter_mut().for_each(|(_, sink)| sink.rest(now));
        if let Some(channel) = channel {
            channel.fall_silent(now, slot);
        }
        if let Some(changes) = &mut self.changes {
            changes.fills(Time::NEVER, stream);
        }
    }

    /// A packet of voice is complete: when its channel speaks again, if a pause follows. The packet leaves the FIFO with it.
    pub(super) fn pause(&mut self, now: Time, stream: u32) -> Option<Time> {
        let User::Voice { voice, source, channel, talkspurts: Some(talkspurts), .. } = &mut self.streams[stream].user
        else {
            return None;
        };
        let resumes = talkspurts.packet(now)?;
        source.read(now, voice.samples.into());
        source.stop(now);
        if let Some(channel) = channel {
            channel.fall_silent(now, Slot::Pause);
        }
        Some(resumes)
    }

    /// A pause of voice is over, unless an event has changed that.
    pub fn speak(&mut self, now: Time, stream: u32, events: &mut Events) {
        let is_silent = self.is_silent(stream);
        let User::Voice { voice, source, sinks, channel, talkspurts: Some(talkspurts), .. } =
            &mut self.streams[stream].user
        else {
            unreachable!("only voice with pauses speaks again")
        };
        if !talkspurts.resumes(now) || is_silent || !source.is_stopped() {
            return;
        }
        source.restart(now);
        sinks.iter_mut().for_each(|(_, sink)| sink.pause(now));
        if let Some(channel) = channel {
            channel.resume(now);
        }
        let holds = source.holds(voice.samples.into());
        self.schedule_filled(holds, stream, events);
    }

    /// The user of a stream begins, or goes on, unless it is silent; returns what it writes.
    pub fn begin(&mut self, now: Time, stream: u32, events: &mut Events) -> Option<Write> {
        if self.is_silent(stream) || now < self.streams.metrics.from() && self.streams.is_probed(stream) {
            return None;
        }
        if self.streams[stream].is_at_rest() {
            return self.one_more(stream);
        }
        match &mut self.streams[stream].user {
            User::Voice { voice, source, channel, talkspurts, .. } if source.is_stopped() => {
                source.restart(now);
                if let Some(talkspurts) = talkspurts {
                    talkspurts.restart();
                }
                if let Some(channel) = channel {
                    channel.resume(now);
                }
                let holds = source.holds(voice.samples.into());
                self.schedule_filled(holds, stream, events);
                None
            }
            User::Exchange { .. } if self.exchange.is_none() && self.mode == Mode::Exchange => {
                Some(self.begin_exchange(now, stream, events))
            }
            User::Saturate { .. } => self.more(stream),
            _ => None,
        }
    }

    /// A message beside those of a flow's arrivals.
    pub fn one_more(&mut self, stream: u32) -> Option<Write> {
        let Traffic::Messages(..) = self.streams.flow(stream).traffic else { return None };
        let host = self.streams[stream].host;
        let User::Messages { sizes, random, .. } = &mut self.streams[stream].user else { return None };
        let bytes = size(sizes, random);
        self.is_on(host).then_some(Write { stream, bytes })
    }
}
