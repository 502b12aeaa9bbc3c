//! All streams of a site, and the observations of their messages.

use std::ops::{Index, IndexMut, Range};

use sojourn_core::{Duration, Time, rekey_fields};
use sojourn_protocols::StreamRange;
use sojourn_protocols::xtp::machine::ContextId;

use super::frame::{Destination, Frame};
use super::latency_budget::{Component, LatencyBudget};
use super::metrics::{FifoCounts, Metrics};
use super::site::{Flow, Site, Transport};
use super::stream::{Message, Stream, User};
use sojourn_model::slab::NONE;
use sojourn_model::voice::Direction;

/// Data that a user is given.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// Index of the receiving host.
    pub host: u32,
    /// By which context, of XTP.
    pub context: Option<ContextId>,
    /// Stream, and range of its bytes.
    pub data: StreamRange,
    /// What the time since its packet was taken goes to.
    pub held_by: Component,
}

/// The streams of a site by number.
#[derive(Clone)]
pub struct Streams<'a> {
    site: &'a Site,
    list: Vec<Stream>,
    /// Counts and samples by flow.
    pub metrics: Metrics<'a>,
    /// Streams in a closed loop of which a message has been delivered or lost in this event.
    settled: Vec<u32>,
}

impl Index<u32> for Streams<'_> {
    type Output = Stream;

    #[inline]
    fn index(&self, stream: u32) -> &Stream {
        &self.list[stream as usize]
    }
}

impl IndexMut<u32> for Streams<'_> {
    #[inline]
    fn index_mut(&mut self, stream: u32) -> &mut Stream {
        &mut self.list[stream as usize]
    }
}

impl<'a> Streams<'a> {
    /// No streams yet.
    pub fn new(site: &'a Site, metrics: Metrics<'a>) -> Self {
        Streams { site, list: Vec::new(), metrics, settled: Vec::new() }
    }

    /// Adds a stream of a flow, and returns its number.
    pub fn add(&mut self, flow: u16, user: User) -> u32 {
        let settings = &self.site.flows[usize::from(flow)];
        let probe = self.site.probe.filter(|probe| probe.flow == flow);
        let last = settings.to.last().copied().unwrap_or(settings.from);
        let receiver = probe.map_or(last, |probe| probe.responder);
        let answers = matches!(user, User::Answer { .. });
        let (host, recorder) = if answers { (receiver, settings.from) } else { (settings.from, receiver) };
        self.list.push(Stream::new(flow, host, recorder, user));
        self.list.len() as u32 - 1
    }

    /// The numbers of all streams.
    pub fn numbers(&self) -> Range<u32> {
        0..self.list.len() as u32
    }

    /// The flow of a stream.
    #[inline]
    pub fn flow(&self, stream: u32) -> &'a Flow {
        &self.site.flows[usize::from(self[stream].flow)]
    }

    /// Whether a stream is of the probed voice.
    pub fn is_probed(&self, stream: u32) -> bool {
        self.site.probe.is_some_and(|probe| probe.flow == self[stream].flow)
    }

    /// Whether a stream has an XTP association of its own; answers to one go back on the one they answer.
    pub fn has_association(&self, stream: u32) -> bool {
        let answers = matches!(self[stream].user, User::Answer { .. });
        let flow = self.flow(stream);
        matches!(flow.transport, Transport::Xtp(_)) && (!answers || flow.to.len() > 1)
    }

    /// Whether the CPU of a host serves a stream after all others.
    #[inline]
    pub fn is_low_priority(&self, host: u32, stream: u32) -> bool {
        self.site.hosts[host as usize].messages_last && stream != NONE && self.flow(stream).has_messages()
    }

    /// Whom a stream's packets are for.
    pub fn destination(&self, stream: u32) -> Destination {
        let state = &self[stream];
        if matches!(state.user, User::Answer { .. }) {
            return Destination::Host(state.recorder);
        }
        match self.flow(stream).to.as_slice() {
            [] => Destination::NoReceiver,
            [host] => Destination::Host(*host),
            _ => Destination::Group(state.flow),
        }
    }

    /// The latency budget of a packet of `data` that leaves now; the time so far went to `waited`.
    pub fn latency_of(&self, now: Time, data: StreamRange, waited: Component) -> LatencyBudget {
        let state = &self[data.stream];
        let started = state.find(data.offset).map_or(now, |index| state.messages[index].started);
        let mut latency = LatencyBudget::new(started);
        latency.account(waited, now);
        latency
    }

    /// A copy of a message has arrived: where its delivery counts, its budget is kept until it is delivered.
    pub fn arrived(&mut self, host: u32, data: StreamRange, latency: LatencyBudget) {
        let state = &mut self[data.stream];
        if state.recorder == host
            && let Some(index) = state.find(data.offset)
        {
            state.messages[index].latency.get_or_insert(latency);
        }
    }

    /// A user gets data. Where their delivery counts, the places of the messages that they may complete.
    pub fn deliver(&mut self, now: Time, delivery: &Delivery) -> Option<Range<usize>> {
        let &Delivery { host, data, context, .. } = delivery;
        let state = &mut self[data.stream];
        if let User::Voice { voice, sinks, .. } = &mut state.user
            && let Some((_, sink)) = sinks.iter_mut().find(|(receiver, _)| *receiver == host)
        {
            let samples = u64::from(data.length) * u64::from(voice.samples) / u64::from(voice.bytes);
            sink.deliver(now, samples);
        }
        if state.recorder != host {
            return None;
        }
        let end = data.offset.wrapping_add(u32::from(data.length));
        let last = state.find(end.wrapping_sub(1))?;
        // over XTP all that is before has been delivered too, datagrams may overtake
        let first = if context.is_some() { 0 } else { last };
        let is_whole = state.messages[last].end as u32 == end;
        Some(first..last + usize::from(is_whole))
    }

    /// A message is delivered, unless it was before; returns it with its latency budget.
    pub fn settle(&mut self, now: Time, delivery: &Delivery, index: usize) -> Option<(Message, LatencyBudget)> {
        let state = &mut self.list[delivery.data.stream as usize];
        let message = &mut state.messages[index];
        if message.settled {
            return None;
        }
        message.settled = true;
        let mut latency = message.latency.unwrap_or_else(|| LatencyBudget::new(message.started));
        // held until what was lost before it had come, or until it was acknowledged
        latency.account(delivery.held_by, now);
        self.metrics.delivered(state.flow, message);
        self.metrics.carried(now, message);
        let message = *message;
        self.note_settled(delivery.data.stream);
        Some((message, latency))
    }

    /// A frame without a receiver counts as delivered when it was sent.
    pub fn settle_unheard(&mut self, frame: &Frame) {
        let state = &mut self.list[frame.stream as usize];
        if let Some(index) = state.find(frame.data.offset) {
            state.messages[index].settled = true;
            self.metrics.delivered(state.flow, &state.messages[index]);
            state.trim();
            self.note_settled(frame.stream);
        }
    }

    /// A datagram is lost.
    pub fn settle_lost(&mut self, data: StreamRange) {
        let state = &mut self.list[data.stream as usize];
        if let Some(index) = state.find(data.offset)
            && !state.messages[index].settled
        {
            state.messages[index].settled = true;
            let (flow, message) = (state.flow, state.messages[index]);
            state.trim();
            self.note_settled(data.stream);
            self.metrics.lost(flow, 1);
            if self.is_sampled(data.stream, &message) {
                self.metrics.undelivered(flow, message.started);
            }
        }
    }

    /// Whether the delivery of a message gives a response time.
    pub fn is_sampled(&self, stream: u32, message: &Message) -> bool {
        self.is_response_time(stream) && message.started >= self.metrics.from()
    }

    /// Whether deliveries of a stream's messages give response times.
    fn is_response_time(&self, stream: u32) -> bool {
        let taken = match self[stream].user {
            User::Messages { .. } => true,
            User::Saturate { .. } => !self.is_probed(stream) || self.site.probe.is_some_and(|probe| probe.one_way),
            User::Exchange { .. } | User::Answer { .. } | User::Voice { .. } | User::AfterWrite { .. } => false,
        };
        taken && self.flow(stream).probe
    }

    /// The messages of a stream that would give a response time, and are neither delivered nor lost.
    pub fn awaited(&self, stream: u32) -> impl Iterator<Item = &Message> {
        let unsettled = self[stream].messages.iter().filter(|message| !message.settled);
        unsettled.filter(move |message| self.is_sampled(stream, message))
    }

    /// The association of a stream has ended: what was not delivered is lost.
    pub fn end(&mut self, stream: u32) {
        self.lose_undelivered(stream);
        let state = &mut self.list[stream as usize];
        state.dead = true;
        // numbers of messages go on
        state.first += state.wanted.len() as u64;
        state.wanted.clear();
    }

    /// What of a stream was not delivered is lost.
    fn lose_undelivered(&mut self, stream: u32) {
        let undelivered: Vec<Time> = self.awaited(stream).map(|message| message.started).collect();
        let state = &mut self.list[stream as usize];
        undelivered.into_iter().for_each(|sent| self.metrics.undelivered(state.flow, sent));
        self.metrics.lost(state.flow, state.unsettled());
        state.messages.iter_mut().for_each(|message| message.settled = true);
        state.trim();
        self.note_settled(stream);
    }

    /// The next message of a closed loop may come.
    #[inline]
    fn note_settled(&mut self, stream: u32) {
        if self[stream].is_closed_loop() {
            self.settled.push(stream);
        }
    }

    /// A stream in a closed loop of which a message has been delivered or lost since this was asked the last time.
    #[inline]
    pub fn next_settled(&mut self) -> Option<u32> {
        self.settled.pop()
    }

    /// A stream ends because of an event, and may begin anew: what waits to be written is lost as well. Answers to it are
    /// lost with it.
    pub fn interrupt(&mut self, stream: u32) {
        if self.is_response_time(stream) {
            let (from, flow) = (self.metrics.from(), self[stream].flow);
            let waiting: Vec<Time> = self[stream].wanted.iter().map(|(_, since)| *since).collect();
            for since in waiting.into_iter().filter(|since| *since >= from) {
                self.metrics.sent(since);
                self.metrics.undelivered(flow, since);
            }
        }
        self.end(stream);
        if matches!(self[stream].user, User::Exchange { .. }) {
            self.lose_undelivered(stream + 1);
        }
    }

    /// It begins anew.
    pub fn revive(&mut self, stream: u32) {
        let state = &mut self[stream];
        (state.dead, state.blocked, state.context) = (false, false, None);
    }

    /// What came of all voice FIFOs until `end`.
    pub fn fifos(&mut self, end: Time) -> FifoCounts {
        let mut counts = FifoCounts::default();
        for stream in &mut self.list {
            let User::Voice { voice, source, sinks, talkspurts, .. } = &mut stream.user else { continue };
            if talkspurts.as_ref().is_some_and(|talkspurts| talkspurts.is_paused()) {
                sinks.iter_mut().for_each(|(_, sink)| sink.pause(end));
            }
            let (samples, unread) = (source.samples(end), source.lost(end));
            counts.overflows += unread;
            for (_, sink) in sinks {
                let (underflows, unplayed) = sink.counts(end);
                let never_filled = samples >= 2 * u64::from(voice.samples) && !sink.has_started();
                counts.underflows += underflows + u64::from(never_filled);
                counts.overflows += unplayed;
                counts.samples += samples;
                counts.lost += unread + unplayed;
            }
        }
        counts
    }

    /// What listeners hear of the channels that are rated until `end`, by name.
    pub fn calls(&mut self, end: Time) -> Vec<(String, Vec<Direction>)> {
        let mut calls: Vec<(String, Vec<Direction>)> = Vec::new();
        for stream in &mut self.list {
            let User::Voice { channel: Some(channel), .. } = &mut stream.user else { continue };
            let flow = &self.site.flows[usize::from(stream.flow)].name;
            calls.push((format!("{flow}/{}", calls.len() + 1), vec![channel.direction(end)]));
        }
        calls
    }

    /// How long each packet of voice in real time that is not delivered at `end` has been waiting.
    pub fn unspoken(&self, end: Time) -> Vec<Duration> {
        let voices = self.list.iter().filter(|stream| matches!(stream.user, User::Voice { .. }));
        let started = voices.flat_map(|stream| {
            let written = stream.messages.iter().filter(|message| !message.settled).map(|message| message.started);
            written.chain(stream.wanted.iter().map(|(_, since)| *since))
        });
        started.map(|started| end.since(started)).collect()
    }

    /// Messages that are neither delivered nor lost.
    pub fn unsettled(&self) -> u64 {
        self.list.iter().map(Stream::unsettled).sum()
    }
}

rekey_fields!(Streams<'_> { list });
