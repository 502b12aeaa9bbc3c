//! What the users of streams do: exchanges, streams, voice, messages.

use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::sample;

use super::event::{Event, Events};
use super::fifo::{Sink, Source};
use super::job::Job;
use super::latency_budget::{self, LatencyBudget};
use super::receiving::Delivery;
use super::site::{Traffic, Transport, Voice};
use super::stream::{Stream, User, packet_time, size};
use super::world::{EXCHANGE_LIMIT, Exchange, Mode, Simulation};

impl Simulation<'_, '_> {
    /// Makes the streams of all flows, and opens their associations.
    pub(super) fn start_streams(&mut self, streams: &Streams, events: &mut Events) {
        for (flow, settings) in (0..).zip(&self.site.flows) {
            self.listen(flow);
            let name = &settings.name;
            let host = &self.site.hosts[settings.from as usize].name;
            let random = |what: &str| streams.stream(&format!("flow/{name}/{host}/{what}"));
            let probed = self.probe().is_some_and(|probe| probe.flow == flow);
            match &settings.traffic {
                Traffic::Voice(voice) if probed && self.mode == Mode::Exchange => {
                    let asks = self.add(flow, User::Exchange { bytes: voice.samples });
                    self.add(flow, User::Answer { of: asks });
                }
                Traffic::Voice(voice) if probed && self.mode == Mode::Stream => {
                    let left = self.probe().map_or(0, |probe| probe.transfer);
                    self.add(flow, User::Saturate { bytes: voice.samples, left });
                }
                Traffic::Voice(voice) => {
                    let mut phases = random("phase");
                    for _ in 0..voice.channels {
                        let begin = self.metrics.from() + sample::uniform(&mut phases, packet_time(voice));
                        let stream = self.add(flow, self.voice(flow, voice, begin));
                        events.at(begin + packet_time(voice), Event::Filled(stream));
                    }
                }
                Traffic::Bulk(bytes) => {
                    let stream = self.add(flow, User::Saturate { bytes: *bytes, left: u64::MAX });
                    events.at(Time::ZERO, Event::Arrival(stream));
                }
                Traffic::Messages(process, delay, sizes) => {
                    let (mut process, mut random) = (process.clone(), random("arrivals"));
                    let first = process.next(Time::ZERO + *delay, &mut random);
                    let stream = self.add(flow, User::Messages { process, sizes: *sizes, random });
                    if let Some(first) = first {
                        events.at(first, Event::Arrival(stream));
                    }
                }
                Traffic::AfterWrite(of, sizes) => {
                    let stream = self.add(flow, User::AfterWrite { sizes: *sizes, random: random("arrivals") });
                    self.followers.push((*of, stream));
                }
            }
        }
        for stream in 0..self.streams.len() as u32 {
            if self.opens(stream) {
                self.open(Time::ZERO, stream, events);
            }
        }
    }

    /// Whether a stream has an association of its own; answers to one go back on the one they answer.
    fn opens(&self, stream: u32) -> bool {
        let answers = matches!(self.streams[stream as usize].user, User::Answer { .. });
        let flow = self.flow(stream);
        matches!(flow.transport, Transport::Xtp(_)) && (!answers || flow.to.len() > 1)
    }

    fn voice(&self, flow: u16, voice: &Voice, begin: Time) -> User {
        let sink = |host: &u32| (*host, Sink::new(voice.fifo_depth, voice.playout_delay));
        let sinks = self.site.flows[usize::from(flow)].to.iter().map(sink).collect();
        User::Voice { voice: *voice, source: Source::new(voice.fifo_depth, begin), sinks }
    }

    fn add(&mut self, flow: u16, user: User) -> u32 {
        let settings = &self.site.flows[usize::from(flow)];
        let probe = self.probe().filter(|probe| probe.flow == flow);
        let last = settings.to.last().copied().unwrap_or(settings.from);
        let receiver = probe.map_or(last, |probe| probe.responder);
        let answers = matches!(user, User::Answer { .. });
        let (host, recorder) = if answers { (receiver, settings.from) } else { (settings.from, receiver) };
        self.streams.push(Stream::new(flow, host, recorder, user));
        self.streams.len() as u32 - 1
    }

    /// The warm-up is over: the probed voice begins.
    pub(super) fn start_probe(&mut self, now: Time, events: &mut Events) {
        let probed = self.streams.iter().position(|stream| self.probe().is_some_and(|probe| probe.flow == stream.flow));
        let Some(stream) = probed.map(|stream| stream as u32) else { return };
        match self.mode {
            Mode::Exchange => self.ask_again(now, stream, events),
            Mode::Stream => self.more(now, stream, events),
            Mode::Paced | Mode::Steady => {}
        }
    }

    /// Begins an exchange.
    fn ask_again(&mut self, now: Time, stream: u32, events: &mut Events) {
        let User::Exchange { bytes } = self.streams[stream as usize].user else { return };
        let number = self.streams[stream as usize].begun();
        self.exchange = Some(Exchange { stream, number, started: now, there: None, answer: None });
        self.metrics.begun += 1;
        events.at(now + EXCHANGE_LIMIT, Event::Overdue(number));
        self.want(now, stream, bytes, events);
    }

    /// An exchange without an answer has failed, and the next one begins.
    pub(super) fn overdue(&mut self, now: Time, number: u64, events: &mut Events) {
        if let Some(exchange) = self.exchange.filter(|exchange| exchange.number == number)
            && !self.finished
        {
            self.metrics.failures += 1;
            if self.streams[exchange.stream as usize].dead {
                self.finished = true;
                return;
            }
            self.next_exchange(now, exchange.stream, events);
        }
    }

    fn next_exchange(&mut self, now: Time, stream: u32, events: &mut Events) {
        self.exchange = None;
        self.finished = self.metrics.begun >= self.probe().map_or(0, |probe| probe.exchanges);
        if !self.finished {
            self.ask_again(now, stream, events);
        }
    }

    /// A stream's saturating user writes another packet, if there is something left.
    fn more(&mut self, now: Time, stream: u32, events: &mut Events) {
        if let Some(bytes) = self.streams[stream as usize].next_write() {
            self.want(now, stream, bytes, events);
        }
    }

    /// The processor has sent a packet of a stream.
    pub(super) fn sent(&mut self, now: Time, stream: u32, events: &mut Events) {
        if stream != crate::common::slab::NONE {
            self.more(now, stream, events);
        }
    }

    pub(super) fn arrival(&mut self, now: Time, stream: u32, events: &mut Events) {
        match &mut self.streams[stream as usize].user {
            User::Messages { process, sizes, random } => {
                let bytes = size(sizes, random);
                if let Some(next) = process.next(now, random) {
                    events.at(next, Event::Arrival(stream));
                }
                self.want(now, stream, bytes, events);
            }
            User::Saturate { .. } => self.more(now, stream, events),
            _ => unreachable!("nothing arrives at other users"),
        }
    }

    /// A voice FIFO holds a packet.
    pub(super) fn filled(&mut self, now: Time, stream: u32, events: &mut Events) {
        let User::Voice { voice, .. } = &self.streams[stream as usize].user else {
            unreachable!("only voice has FIFOs")
        };
        self.want(now, stream, voice.samples, events);
    }

    /// A user that always has data writes ahead of the processor where packets wait in XTP.
    fn write_ahead(&mut self, now: Time, stream: u32) {
        let Transport::Xtp(association) = self.flow(stream).transport else { return };
        if association.waits_in_xtp()
            && let Some(bytes) = self.streams[stream as usize].next_write()
        {
            let state = &mut self.streams[stream as usize];
            state.wanted.push_back((bytes, now));
            state.asked += 1;
            // before the packet that was just written, so that XTP has the next one when that is sent
            self.hosts[state.host as usize].cpu.push_front(Job::Write(stream));
        }
    }

    /// A user's data has been taken.
    pub(super) fn written(&mut self, now: Time, stream: u32, events: &mut Events) {
        self.metrics.offered(self.streams[stream as usize].flow);
        if let User::Voice { voice, source, .. } = &mut self.streams[stream as usize].user {
            let samples = u64::from(voice.samples);
            source.read(now, samples);
            let next = source.holds(samples).max(now);
            events.at(next, Event::Filled(stream));
        }
        self.write_ahead(now, stream);
        let flow = self.streams[stream as usize].flow;
        for follower in 0..self.followers.len() {
            let (of, follows) = self.followers[follower];
            let User::AfterWrite { sizes, random } = &mut self.streams[follows as usize].user else { continue };
            if of == flow {
                let bytes = size(sizes, random);
                self.want(now, follows, bytes, events);
            }
        }
    }

    /// A message is where its delivery counts.
    pub(super) fn complete(
        &mut self,
        now: Time,
        delivery: Delivery,
        index: usize,
        latency: &LatencyBudget,
        events: &mut Events,
    ) {
        let stream = delivery.data.stream;
        let state = &self.streams[stream as usize];
        let (message, number) = (state.messages[index], state.first + index as u64);
        self.metrics.delivered(state.flow, &message);
        match state.user {
            User::Exchange { bytes } => self.answer(now, stream, number, delivery, latency, bytes, events),
            User::Answer { of } => self.answered(now, of, number, latency, events),
            User::Saturate { .. } => self.streamed(now, stream, &message, latency),
            User::Messages { .. } => self.sample(now, stream, &message, latency),
            User::Voice { .. } | User::AfterWrite { .. } => {}
        }
    }

    /// The responder's user answers at once.
    #[allow(clippy::too_many_arguments)]
    fn answer(
        &mut self,
        now: Time,
        stream: u32,
        number: u64,
        delivery: Delivery,
        latency: &LatencyBudget,
        bytes: u32,
        events: &mut Events,
    ) {
        let Some(exchange) = self.exchange.as_mut().filter(|exchange| exchange.number == number) else { return };
        let answering = stream + 1;
        let back = &mut self.streams[answering as usize];
        exchange.there = Some(*latency.components());
        exchange.answer = Some(back.begun());
        if self.site.flows[usize::from(back.flow)].to.len() == 1 {
            back.context = delivery.context;
        }
        self.want(now, answering, bytes, events);
    }

    /// The response arrived: half of the round-trip time is a response time.
    fn answered(&mut self, now: Time, asked: u32, number: u64, latency: &LatencyBudget, events: &mut Events) {
        let Some(exchange) = self.exchange.filter(|exchange| exchange.answer == Some(number)) else { return };
        let there = exchange.there.expect("an answered exchange has been there");
        let tick = self.hosts[self.streams[asked as usize].host as usize].settings.tick;
        let parts = latency_budget::half(&there, latency.components());
        let flow = self.streams[asked as usize].flow;
        self.metrics.response(now, flow, reading(exchange.started, now, tick, 2), parts);
        self.next_exchange(now, asked, events);
    }

    /// A packet of the probed stream is there.
    fn streamed(&mut self, now: Time, stream: u32, message: &super::stream::Message, latency: &LatencyBudget) {
        let Some(probe) = self.probe().filter(|probe| probe.flow == self.streams[stream as usize].flow) else {
            return self.sample(now, stream, message, latency);
        };
        if self.metrics.stream_delivered(now, message) >= probe.transfer {
            self.finished = true;
        }
        if probe.one_way && self.metrics.samples() < probe.exchanges {
            self.sample(now, stream, message, latency);
        }
    }

    /// A one-way response time, where the flow is probed.
    fn sample(&mut self, now: Time, stream: u32, message: &super::stream::Message, latency: &LatencyBudget) {
        let state = &self.streams[stream as usize];
        let probed = self.flow(stream).probe && message.started >= self.metrics.from();
        if probed {
            let tick = self.hosts[state.host as usize].settings.tick;
            let flow = state.flow;
            self.metrics.response(now, flow, reading(message.started, now, tick, 1), *latency.components());
        }
    }

    /// A frame without a receiver counts as delivered when it was sent.
    pub(super) fn settle_unheard(&mut self, frame: u32) {
        let frame = self.frames.remove(frame);
        let state = &mut self.streams[frame.stream as usize];
        if let Some(index) = state.find(frame.data.offset) {
            state.messages[index].settled = true;
            let message = state.messages[index];
            state.trim();
            let flow = state.flow;
            self.metrics.delivered(flow, &message);
        }
    }

    /// A datagram is lost.
    pub(super) fn settle_lost(&mut self, stream: u32, offset: u32) {
        let state = &mut self.streams[stream as usize];
        if let Some(index) = state.find(offset)
            && !state.messages[index].settled
        {
            state.messages[index].settled = true;
            state.trim();
            self.metrics.lost(state.flow, 1);
        }
    }

    /// The association of a stream has ended: what was not delivered is lost.
    pub(super) fn end_stream(&mut self, stream: u32) {
        let state = &mut self.streams[stream as usize];
        let lost = state.messages.iter().filter(|message| !message.settled).count() as u64;
        state.messages.iter_mut().for_each(|message| message.settled = true);
        state.trim();
        state.dead = true;
        state.wanted.clear();
        self.metrics.lost(state.flow, lost);
    }
}

/// Time between two instants by a clock of `tick`, divided by `directions`, in whole ticks; exact for a tick of 0.
pub fn reading(started: Time, now: Time, tick: Duration, directions: u64) -> Duration {
    if tick == Duration::ZERO {
        return Duration::from_picoseconds(now.since(started).picoseconds() / directions);
    }
    let ticks = |at: Time| at.picoseconds() / tick.picoseconds();
    tick.times((ticks(now) - ticks(started)) / directions)
}
