//! The users of streams: what they write, and how they react to delivered data.

mod silence;

use sojourn_core::{Duration, Streams as RandomStreams, Time, rekey_fields};
use sojourn_engine::sample;
use sojourn_metrics::jitter_buffer::JitterBuffer;
use sojourn_metrics::jitter_buffer::talkspurts::{Playout, Slot};

use super::changes::Changes;
use super::channel::Channel;
use super::event::{Event, Events};
use super::fifo::{Sink, Source};
use super::latency_budget::{Components, LatencyBudget, half};
use super::metrics::Metrics;
use super::site::{Mode, Probe, Site, Traffic, Transport, Voice};
use super::stream::{Message, Stream, User, packet_time, size};
use super::streams::{Delivery, Streams};
use super::talkspurts::Talkspurts;

/// How long an exchange may take.
const EXCHANGE_LIMIT: Duration = Duration::from_secs(5);

/// What a user wants to write.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// The stream it writes on.
    pub stream: u32,
    /// Bytes of user data.
    pub bytes: u32,
}

/// A probed exchange.
#[derive(Clone, Copy, Debug)]
struct Exchange {
    /// The stream that asks; the next one answers.
    stream: u32,
    /// How many have begun.
    number: u64,
    /// When this one began.
    started: Time,
    /// Latency budget of the forward direction, once delivered.
    there: Option<Components>,
    /// Number of the answer among those of the answering stream.
    answer: Option<u64>,
}

/// The users of all streams. What they write is returned: their hosts' CPUs take it.
#[derive(Clone)]
pub struct Users<'a> {
    site: &'a Site,
    mode: Mode,
    /// The streams that users write and read.
    pub streams: Streams<'a>,
    /// Streams that write after each write of a flow's.
    followers: Vec<(u16, u32)>,
    exchange: Option<Exchange>,
    finished: bool,
    /// What events have changed, if there are any.
    pub changes: Option<Box<Changes>>,
}

impl<'a> Users<'a> {
    /// The users of all flows, with their first arrivals scheduled.
    pub fn new(site: &'a Site, mode: Mode, metrics: Metrics<'a>, random: &RandomStreams, events: &mut Events) -> Self {
        let streams = Streams::new(site, metrics);
        let (followers, changes) = (Vec::new(), Changes::new(site));
        let mut users = Users { site, mode, streams, followers, exchange: None, finished: false, changes };
        (0..site.flows.len() as u16).for_each(|flow| users.start(flow, random, events));
        users
    }

    fn start(&mut self, flow: u16, random: &RandomStreams, events: &mut Events) {
        let settings = &self.site.flows[usize::from(flow)];
        let host = &self.site.hosts[settings.from as usize].name;
        let random = |what: &str| random.stream(&format!("flow/{}/{host}/{what}", settings.name));
        let probe = self.site.probe.filter(|probe| probe.flow == flow);
        match (&settings.traffic, self.mode, probe) {
            (Traffic::Voice(voice), Mode::Exchange, Some(_)) => {
                let asks = self.streams.add(flow, User::Exchange { bytes: voice.bytes });
                self.streams.add(flow, User::Answer { of: asks });
            }
            (Traffic::Voice(voice), Mode::Stream, Some(Probe { transfer: left, .. })) => {
                self.streams.add(flow, User::Saturate { bytes: voice.bytes, left });
            }
            (Traffic::Voice(voice), ..) => {
                let mut phases = random("phase");
                for channel in 0..voice.channels {
                    let mut begin = self.streams.metrics.from() + sample::uniform(&mut phases, packet_time(voice));
                    let talkspurts = voice.talkspurts.map(|means| {
                        let random = random(&format!("talkspurts/{channel}"));
                        let (talkspurts, pause) = Talkspurts::new(means, packet_time(voice), random);
                        begin += pause;
                        Box::new(talkspurts)
                    });
                    let stream = self.streams.add(flow, speaker(voice, begin, &settings.to, talkspurts));
                    match self.is_silent(stream) {
                        true => self.hang_up(
                            Time::ZERO,
                            stream,
                            if self.is_on(settings.from) { Slot::Pause } else { Slot::Lost },
                        ),
                        false => self.schedule_filled(begin + packet_time(voice), stream, events),
                    }
                }
            }
            (Traffic::Bulk(bytes), ..) => {
                let stream = self.streams.add(flow, User::Saturate { bytes: *bytes, left: u64::MAX });
                events.at(Time::ZERO, Event::Arrival(stream));
            }
            (Traffic::Messages(process, delay, sizes), ..) => {
                let (mut process, mut random) = (process.clone(), random("arrivals"));
                let first = process.next(Time::ZERO + *delay, &mut random);
                let stream = self.streams.add(flow, User::Messages { process, sizes: *sizes, random, scheduled: true });
                if let Some(first) = first {
                    events.at(first, Event::Arrival(stream));
                }
            }
            (Traffic::AfterWrite(of, sizes), ..) => {
                let user = User::AfterWrite { sizes: *sizes, random: random("arrivals") };
                self.followers.push((*of, self.streams.add(flow, user)));
            }
        }
    }

    /// Whether the run has observed what it was to observe.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The warm-up is over: the probed voice begins.
    pub fn start_probe(&mut self, now: Time, events: &mut Events) -> Option<Write> {
        let stream = self.streams.numbers().find(|stream| self.streams.is_probed(*stream))?;
        if self.is_silent(stream) {
            return None;
        }
        match self.mode {
            Mode::Exchange => Some(self.begin_exchange(now, stream, events)),
            Mode::Stream => self.more(stream),
            Mode::Paced | Mode::Steady => None,
        }
    }

    /// What a user that always has data writes next, if there is something left.
    #[inline]
    pub fn more(&mut self, stream: u32) -> Option<Write> {
        if self.changes.is_some() && self.is_silent(stream) {
            return None;
        }
        self.streams[stream].next_write().map(|bytes| Write { stream, bytes })
    }

    /// Data arrive at a stream's user.
    pub fn arrival(&mut self, now: Time, stream: u32, events: &mut Events) -> Option<Write> {
        match &mut self.streams[stream].user {
            User::Messages { process, sizes, random, scheduled } => {
                let bytes = size(sizes, random);
                *scheduled = !process.arrivals().is_closed();
                if *scheduled && let Some(next) = process.next(now, random) {
                    events.at(next, Event::Arrival(stream));
                }
                (!self.is_silent(stream)).then_some(Write { stream, bytes })
            }
            User::Saturate { .. } => self.more(stream),
            _ => unreachable!("nothing arrives at other users"),
        }
    }

    /// Schedules the next messages of the closed loops whose last one was delivered or lost in this event. That of an association that
    /// has ended waits until it is opened again.
    #[inline]
    pub fn go_round(&mut self, now: Time, events: &mut Events) {
        while let Some(stream) = self.streams.next_settled() {
            let state = &mut self.streams[stream];
            if !state.is_at_rest() || state.dead {
                continue;
            }
            let User::Messages { process, random, scheduled, .. } = &mut state.user else { continue };
            if let Some(next) = process.next(now, random) {
                *scheduled = true;
                events.at(next, Event::Arrival(stream));
            }
        }
    }

    /// Draws again what has no memory of when a stream's next data, due at `due`, arrive.
    pub fn redraw(&mut self, now: Time, due: Time, stream: u32) -> Time {
        match &mut self.streams[stream].user {
            User::Messages { process, random, .. } => process.redraw(now, due, random),
            _ => due,
        }
    }

    /// A voice FIFO holds a packet; no longer, where an event has changed that.
    pub fn filled(&mut self, now: Time, stream: u32, events: &mut Events) -> Option<Write> {
        if self.changes.as_mut().is_some_and(|changes| !changes.is_filled(now, stream)) {
            return None;
        }
        let User::Voice { voice, .. } = &self.streams[stream].user else { unreachable!("only voice has FIFOs") };
        let bytes = voice.bytes;
        if let Some(resumes) = self.pause(now, stream) {
            events.at(resumes, Event::Speak(stream));
        }
        Some(Write { stream, bytes })
    }

    /// A voice FIFO will hold a packet at `at`.
    fn schedule_filled(&mut self, at: Time, stream: u32, events: &mut Events) {
        if let Some(changes) = &mut self.changes {
            changes.fills(at, stream);
        }
        events.at(at, Event::Filled(stream));
    }

    /// A user's data have been taken; returns whether it writes ahead of the CPU, where packets wait in XTP.
    pub fn written(&mut self, now: Time, stream: u32, events: &mut Events) -> bool {
        let flow = self.streams[stream].flow;
        self.streams.metrics.offered(flow);
        if self.streams.metrics.timed.is_some()
            && let Some(&message) = self.streams[stream].messages.back()
            && self.streams.is_sampled(stream, &message)
        {
            self.streams.metrics.sent(message.started);
        }
        if let User::Voice { voice, source, talkspurts, .. } = &mut self.streams[stream].user
            && !talkspurts.as_mut().is_some_and(|talkspurts| talkspurts.has_left())
            && !source.is_stopped()
        {
            let samples = u64::from(voice.samples);
            source.read(now, samples);
            let next = source.holds(samples).max(now);
            self.schedule_filled(next, stream, events);
        }
        let waits = matches!(self.streams.flow(stream).transport, Transport::Xtp(flow) if flow.waits_in_xtp());
        let Some(Write { bytes, .. }) = waits.then(|| self.more(stream)).flatten() else { return false };
        let state = &mut self.streams[stream];
        state.wanted.push_back((bytes, now));
        state.asked += 1;
        true
    }

    /// Number of streams that write after others.
    #[inline]
    pub fn followers(&self) -> usize {
        self.followers.len()
    }

    /// What a follower writes after a write of `flow`.
    pub fn follow(&mut self, follower: usize, flow: u16) -> Option<Write> {
        let (of, stream) = self.followers[follower];
        let User::AfterWrite { sizes, random } = &mut self.streams[stream].user else {
            unreachable!("only these users follow others")
        };
        let write = (of == flow).then(|| Write { stream, bytes: size(sizes, random) });
        write.filter(|_| !self.is_silent(stream))
    }

    /// A user gets a message; returns what it writes then.
    pub fn complete(&mut self, now: Time, delivery: &Delivery, index: usize, events: &mut Events) -> Option<Write> {
        let (message, latency) = self.streams.settle(now, delivery, index)?;
        let stream = delivery.data.stream;
        let number = self.streams[stream].first + index as u64;
        match self.streams[stream].user {
            User::Exchange { bytes } => return self.answer(number, delivery, bytes, &latency),
            User::Answer { of } => return self.answered(now, of, number, &latency, events),
            User::Saturate { .. } => self.streamed(now, stream, &message, &latency),
            User::Messages { .. } => self.sample(now, stream, &message, &latency),
            User::Voice { .. } => self.spoken(now, stream, &message),
            User::AfterWrite { .. } => {}
        }
        None
    }

    /// An exchange without an answer has failed, and the next one begins.
    pub fn overdue(&mut self, now: Time, number: u64, events: &mut Events) -> Option<Write> {
        let exchange = self.exchange.filter(|exchange| exchange.number == number && !self.finished)?;
        self.fail(exchange);
        if self.streams[exchange.stream].dead {
            self.finished = true;
            return None;
        }
        self.next_exchange(now, exchange.stream, events)
    }

    /// An exchange has no answer.
    fn fail(&mut self, exchange: Exchange) {
        self.streams.metrics.failures += 1;
        self.streams.metrics.undelivered(self.streams[exchange.stream].flow, exchange.started);
    }

    /// The run has ended at `end`: what is open for longer than all that was answered has no response time.
    pub fn censor_open(&mut self, end: Time) {
        let streams = &self.streams;
        let mut open: Vec<(u16, Duration)> = Vec::new();
        for stream in streams.numbers() {
            let flow = streams[stream].flow;
            open.extend(streams.awaited(stream).map(|message| (flow, end.since(message.started))));
        }
        if let Some(exchange) = self.exchange.filter(|_| !self.finished) {
            // half of the round-trip time is a response time
            let age = Duration::from_picoseconds(end.since(exchange.started).picoseconds() / 2);
            open.push((streams[exchange.stream].flow, age));
        }
        self.streams.metrics.censor_open(&open);
        let unspoken = self.streams.unspoken(end);
        self.streams.metrics.censor_voice(&unspoken);
    }

    fn next_exchange(&mut self, now: Time, stream: u32, events: &mut Events) -> Option<Write> {
        self.exchange = None;
        if self.changes.is_some() {
            return (!self.is_silent(stream)).then(|| self.begin_exchange(now, stream, events));
        }
        self.finished = self.streams.metrics.begun >= self.site.probe.map_or(0, |probe| probe.exchanges);
        (!self.finished).then(|| self.begin_exchange(now, stream, events))
    }

    fn begin_exchange(&mut self, now: Time, stream: u32, events: &mut Events) -> Write {
        let User::Exchange { bytes } = self.streams[stream].user else { unreachable!("probed voice asks") };
        let number = self.streams[stream].begun();
        self.exchange = Some(Exchange { stream, number, started: now, there: None, answer: None });
        self.streams.metrics.begun += 1;
        self.streams.metrics.sent(now);
        events.at(now + EXCHANGE_LIMIT, Event::Overdue(number));
        Write { stream, bytes }
    }

    /// The responder's user answers at once.
    fn answer(&mut self, number: u64, delivery: &Delivery, bytes: u32, latency: &LatencyBudget) -> Option<Write> {
        let exchange = self.exchange.as_mut().filter(|exchange| exchange.number == number)?;
        let stream = delivery.data.stream + 1;
        let is_unicast = self.streams.flow(stream).to.len() == 1;
        let answering = &mut self.streams[stream];
        exchange.there = Some(*latency.components());
        exchange.answer = Some(answering.begun());
        if is_unicast {
            answering.context = delivery.context;
        }
        Some(Write { stream, bytes })
    }

    /// The response arrived: half of the round-trip time is a response time.
    fn answered(
        &mut self,
        now: Time,
        asked: u32,
        number: u64,
        latency: &LatencyBudget,
        events: &mut Events,
    ) -> Option<Write> {
        let exchange = self.exchange.filter(|exchange| exchange.answer == Some(number))?;
        let there = exchange.there.expect("an answered exchange has been there");
        self.respond(now, asked, exchange.started, 2, half(&there, latency.components()));
        self.next_exchange(now, asked, events)
    }

    /// A packet of a saturating user is there.
    fn streamed(&mut self, now: Time, stream: u32, message: &Message, latency: &LatencyBudget) {
        let Some(probe) = self.site.probe.filter(|_| self.streams.is_probed(stream)) else {
            return self.sample(now, stream, message, latency);
        };
        if self.streams.metrics.stream_delivered(now, message) >= probe.transfer {
            self.finished = true;
        }
        if probe.one_way && self.streams.metrics.samples() < probe.exchanges {
            self.sample(now, stream, message, latency);
        }
    }

    /// A packet of voice in real time is there.
    fn spoken(&mut self, now: Time, stream: u32, message: &Message) {
        self.streams.metrics.spoken(now, message);
        if let User::Voice { channel: Some(channel), .. } = &mut self.streams[stream].user {
            channel.delivered(now, message.started);
        }
    }

    /// A one-way response time, where the flow is probed.
    fn sample(&mut self, now: Time, stream: u32, message: &Message, latency: &LatencyBudget) {
        if self.streams.flow(stream).probe && message.started >= self.streams.metrics.from() {
            self.respond(now, stream, message.started, 1, *latency.components());
        }
    }

    /// A response time, as the clock of the stream's host reads it.
    fn respond(&mut self, now: Time, stream: u32, started: Time, directions: u64, parts: Components) {
        let Stream { host, flow, .. } = self.streams[stream];
        let tick = self.site.hosts[host as usize].tick;
        self.streams.metrics.response(now, flow, started, reading(started, now, tick, directions), parts);
    }
}

/// A user that speaks from `begin` on, with its receivers' FIFOs.
fn speaker(voice: &Voice, begin: Time, to: &[u32], talkspurts: Option<Box<Talkspurts>>) -> User {
    let sink = |host: &u32| (*host, Sink::new(voice.fifo_depth, voice.playout_delay));
    let sinks = to.iter().map(sink).collect();
    let packet_time = packet_time(voice);
    let buffer = JitterBuffer {
        packet_time,
        delay: voice.playout_delay,
        capacity: (voice.fifo_depth / u64::from(voice.samples)).max(1),
    };
    let first = begin + packet_time;
    let playout = Playout::new(voice.adaptive, voice.talkspurts.is_some());
    let channel = voice.codec.map(|codec| Box::new(Channel::new(codec, buffer, playout, first)));
    User::Voice { voice: *voice, source: Source::new(voice.fifo_depth, begin), sinks, channel, talkspurts }
}

/// Time between two instants by a clock of `tick`, divided by `directions`, in whole ticks; exact for a tick of 0.
fn reading(started: Time, now: Time, tick: Duration, directions: u64) -> Duration {
    if tick == Duration::ZERO {
        return Duration::from_picoseconds(now.since(started).picoseconds() / directions);
    }
    let ticks = |at: Time| at.picoseconds() / tick.picoseconds();
    tick.times((ticks(now) - ticks(started)) / directions)
}

rekey_fields!(Users<'_> { streams });
