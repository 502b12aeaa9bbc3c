//! Sources: when applications send, and the completion of messages at their sender.

use smallvec::SmallVec;
use sojourn_core::{Duration, Stream, Time, prefetch};
use sojourn_engine::arrivals::Process;
use sojourn_engine::sample;
use sojourn_protocols::lontalk::machine::Recipient;

use super::event::{Event, Events};
use super::latency_budget::{Component, LatencyBudget};
use super::site::{Arrivals, FlowSettings, Generator, MessageKind, ServiceKind, Start, Target};
use super::slab::NONE;
use super::station::Message;
use super::world::Simulation;

/// One sender of a flow, in two cache lines.
#[derive(Debug)]
#[repr(align(64))]
pub struct Source {
    /// The flow.
    pub flow: u16,
    /// The sender.
    pub station: u32,
    /// Recipients: one, or all points of a poll.
    pub recipients: SmallVec<[Recipient; 1]>,
    /// Messages sent that are not complete.
    open: u32,
    /// Whether a message is queued behind those.
    queued: bool,
    /// Messages sent.
    number: u32,
    pace: Pace,
    stream: Stream,
}

/// State of a source's arrivals.
#[derive(Debug)]
enum Pace {
    Process(Process),
    Heartbeat {
        max: Duration,
        min: Duration,
        change: Option<Duration>,
        change_at: Time,
    },
    Poll {
        interval: Duration,
        cycle: Duration,
        point: u32,
        round: Time,
        last: Time,
    },
    /// Rows of the trace of this source: instant and bytes.
    Trace {
        rows: Vec<(Time, u16)>,
        next: usize,
    },
}

impl Simulation<'_, '_> {
    /// Creates the sources of all flows and schedules their first messages.
    pub(super) fn start_sources(&mut self, events: &mut Events) {
        let site = self.site;
        for (number, flow) in site.flows.iter().enumerate() {
            for (place, &station) in flow.from.iter().enumerate() {
                let name = site.stations[station].name();
                let stream = self.streams.stream(&format!("flow/{}/{name}/arrivals", flow.name));
                let recipients = self.installation.recipients(flow, place);
                let mut source = Source {
                    flow: number as u16,
                    station: station as u32,
                    recipients,
                    open: 0,
                    queued: false,
                    number: 0,
                    pace: pace(flow, station, place),
                    stream,
                };
                if let Some(first) = source.first(flow) {
                    events.at(first, Event::Fire(self.sources.len() as u32));
                }
                self.sources.push(source);
            }
        }
    }

    /// A source's next message is due.
    #[inline(never)]
    pub(super) fn fire(&mut self, now: Time, place: u32, events: &mut Events) {
        let source = &mut self.sources[place as usize];
        let flow = &self.site.flows[usize::from(source.flow)];
        let closed_loop = source.is_closed_loop(flow);
        let size = source.size(flow);
        if source.open > 0 && !closed_loop {
            match flow.generator {
                Generator::Open => {}
                Generator::Queued => source.queued = true,
                Generator::Closed => self.metrics.missed(now, source.flow),
            }
        }
        let waits = source.open > 0 && flow.generator != Generator::Open;
        if !closed_loop && let Some(next) = source.next(now) {
            events.at(next, Event::Fire(place));
        }
        if !waits {
            self.begin(now, place, size, events);
        }
    }

    /// An application sends a message.
    fn begin(&mut self, now: Time, place: u32, data: u16, events: &mut Events) {
        let source = &mut self.sources[place as usize];
        let flow = &self.site.flows[usize::from(source.flow)];
        source.open += 1;
        source.number = source.number.wrapping_add(1);
        let (station, number, point) = (source.station, source.number, source.point());
        let recipient = &source.recipients[point as usize];
        let receivers = self.installation.receivers(recipient, station);
        let packets = packets_without_loss(flow, recipient, self.installation, station);
        let counted = self.metrics.offered(now, source.flow, packets);
        let costs = &self.stations[station as usize].class.costs;
        let copied = if flow.message == MessageKind::Explicit { u64::from(data) } else { 0 };
        let cost = costs.send_call + costs.application_copy.times(copied);
        let budget = if flow.probe { self.start_budget(LatencyBudget::new(now)) } else { NONE };
        self.activate(station);
        let (start, done) = self.active(station).application.serve(now, cost);
        self.account(budget, Component::Queues, start);
        self.account(budget, Component::SenderApplication, done);
        let message = self.messages.insert(Message {
            source: place,
            started: now,
            data,
            copies: 0,
            handled: 0,
            receivers,
            budget,
            closed: false,
            failed: false,
            counted,
            number,
            point,
            behind: NONE,
        });
        events.at(done, Event::Built(message));
    }

    /// Whether a message was sent by `station`.
    pub(super) fn is_sender(&self, station: u32, message: u32) -> bool {
        message != NONE && self.sources[self.messages[message].source as usize].station == station
    }

    /// A message is complete at its sender.
    pub(super) fn close(&mut self, now: Time, place: u32, success: bool, retries: u8, events: &mut Events) {
        let message = &mut self.messages[place];
        let from = message.source;
        message.closed = true;
        if !success && message.handled == 0 {
            message.failed = true;
        }
        let message = *message;
        let source = &mut self.sources[from as usize];
        source.open -= 1;
        let (flow_number, station) = (source.flow, source.station);
        let flow = &self.site.flows[usize::from(flow_number)];
        if message.counted {
            self.metrics.ended(flow_number, now - message.started, success, retries);
        }
        self.remove_if_done(place);
        let source = &mut self.sources[from as usize];
        if std::mem::take(&mut source.queued) {
            let size = source.size(flow);
            self.begin(now, from, size, events);
        } else if source.is_closed_loop(flow)
            && let Some(next) = source.next(now)
        {
            events.at(next.max(now), Event::Fire(from));
        }
        self.send_waiting(now, station, usize::from(flow.priority), events);
    }

    /// Removes a message if it is complete and none of its packets is left.
    #[inline(always)]
    pub(super) fn remove_if_done(&mut self, place: u32) {
        let message = &self.messages[place];
        if message.closed && message.copies == 0 {
            self.remove_message(place);
        }
    }

    #[inline(never)]
    fn remove_message(&mut self, place: u32) {
        let message = self.messages[place];
        let flow = self.sources[message.source as usize].flow;
        let delivered = message.handled > 0 && !message.failed;
        self.metrics.settled(flow, delivered, message.counted);
        self.messages.remove(place);
        self.remove_budget(message.budget);
    }
}

impl Source {
    /// Prefetches the source.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.flow);
        prefetch(&self.stream);
    }

    /// Whether the next message is sent when the last is complete (closed loop).
    fn is_closed_loop(&self, flow: &FlowSettings) -> bool {
        match &flow.arrivals {
            Arrivals::Process(process) => process.is_closed(),
            Arrivals::Poll { .. } => true,
            _ => false,
        }
    }

    /// The next point of a poll.
    fn point(&mut self) -> u32 {
        match &mut self.pace {
            Pace::Poll { point, .. } => {
                let asked = *point;
                *point = (asked + 1) % self.recipients.len() as u32;
                asked
            }
            _ => 0,
        }
    }

    /// Bytes of the message that is due.
    fn size(&self, flow: &FlowSettings) -> u16 {
        match &self.pace {
            Pace::Trace { rows, next } => rows[*next].1,
            _ => flow.data,
        }
    }

    /// When the first message is due.
    fn first(&mut self, flow: &FlowSettings) -> Option<Time> {
        let (delay, together) = (Time::ZERO + flow.delay, flow.start == Start::Together);
        let Source { pace, stream, .. } = self;
        let within = |stream: &mut Stream, span: Duration| {
            if together { Duration::ZERO } else { sample::uniform(stream, span) }
        };
        match pace {
            Pace::Process(process) => process.next(delay, stream),
            Pace::Heartbeat { max, change, change_at, .. } => {
                let first = delay + within(stream, *max);
                *change_at = change.map_or(Time::NEVER, |mean| first + sample::exponential(stream, mean));
                Some(first)
            }
            Pace::Poll { interval, round, last, .. } => {
                let first = delay + within(stream, *interval);
                (*round, *last) = (first, first);
                Some(first)
            }
            Pace::Trace { rows, next } => rows.get(*next).map(|row| row.0),
        }
    }

    /// When the next message is due: after one at `now`, or in a closed loop after the completion at `now` of the last.
    fn next(&mut self, now: Time) -> Option<Time> {
        let Source { pace, stream, .. } = self;
        match pace {
            Pace::Process(process) => process.next(now, stream),
            Pace::Heartbeat { max, min, change, change_at } => {
                while *change_at <= now {
                    *change_at += sample::exponential(stream, change.expect("a value that changes"));
                }
                Some((now + *max).min((*change_at).max(now + *min)))
            }
            Pace::Poll { interval, cycle, point, round, last } => {
                let mut next = (*last + *interval).max(now);
                if *point == 0 {
                    next = next.max(*round + *cycle);
                    *round = next;
                }
                *last = next;
                Some(next)
            }
            Pace::Trace { rows, next } => {
                *next += 1;
                let row = rows.get(*next)?;
                Some(row.0)
            }
        }
    }
}

fn pace(flow: &FlowSettings, station: usize, place: usize) -> Pace {
    match &flow.arrivals {
        Arrivals::Process(process) if flow.start == Start::Together => Pace::Process(process.start_at_once()),
        Arrivals::Process(process) => Pace::Process(process.start()),
        Arrivals::Heartbeat { max_interval, min_interval, change_interval } => {
            Pace::Heartbeat { max: *max_interval, min: *min_interval, change: *change_interval, change_at: Time::NEVER }
        }
        Arrivals::Poll { interval, cycle } => {
            Pace::Poll { interval: *interval, cycle: *cycle, point: 0, round: Time::ZERO, last: Time::ZERO }
        }
        Arrivals::Trace(rows) => {
            let to = match &flow.to {
                Target::Each(to) => to.get(place).copied(),
                Target::Station(to) => Some(*to),
                _ => None,
            };
            let mine = rows.iter().filter(|row| row.from == station && to.is_none_or(|to| to == row.to));
            Pace::Trace { rows: mine.map(|row| (row.at, row.size)).collect(), next: 0 }
        }
    }
}

/// Packets that a message causes without loss.
fn packets_without_loss(
    flow: &FlowSettings,
    recipient: &Recipient,
    installation: &super::installation::Installation,
    sender: u32,
) -> u64 {
    let receivers = match recipient {
        // the first acknowledgement completes it, but all receivers acknowledge
        Recipient::Broadcast { .. } | Recipient::Group { .. } => u64::from(installation.receivers(recipient, sender)),
        _ => 1,
    };
    let broadcast = matches!(recipient, Recipient::Broadcast { .. });
    let challenges = if flow.authenticated && !broadcast { 2 * receivers } else { 0 };
    match flow.service {
        ServiceKind::Unacknowledged => 1,
        ServiceKind::Repeated => 1 + u64::from(flow.retries) + challenges,
        ServiceKind::Acknowledged | ServiceKind::Request => 1 + receivers + challenges,
    }
}
