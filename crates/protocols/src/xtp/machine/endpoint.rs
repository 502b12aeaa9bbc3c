//! The endpoint: all contexts of a host, their scheduling and timers.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};

use super::association::{Association, Role};
use super::configuration::Limits;
use super::context::Context;
use super::opening::{self, Listener, Opening};
use super::outcome::{Event, Refusal};
use super::output::{Cast, ContextId, Input, Output};
use super::table::Table;
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Address, Body, Code, Header, Options, Packet, Traffic, Value};

/// All contexts of one host. `D` is the user's data, `H` the driver's identifier of a host or group.
#[derive(Clone, Debug)]
pub struct Endpoint<D, H> {
    limits: Limits,
    contexts: Table<D, H>,
    listeners: Vec<Listener>,
    outputs: VecDeque<Output<D, H>>,
    /// Wake-up times of contexts; an entry is valid if it equals the `scheduled` time of its context.
    wakeups: BinaryHeap<Reverse<(Time, u32)>>,
    /// Contexts ready to send: by priority, then round robin.
    ready: BTreeSet<(u32, u64, u32)>,
    turns: u64,
    in_flight: u32,
    /// Contexts due at one instant; reused to avoid allocations.
    due: Vec<(u32, u32)>,
}

impl<D: StreamData, H: Copy + Ord> Endpoint<D, H> {
    /// An endpoint without contexts.
    pub fn new(limits: Limits) -> Self {
        Endpoint {
            limits,
            contexts: Table::new(limits.first_serial),
            listeners: Vec::new(),
            outputs: VecDeque::with_capacity(8),
            wakeups: BinaryHeap::new(),
            ready: BTreeSet::new(),
            turns: 0,
            in_flight: 0,
            due: Vec::new(),
        }
    }

    /// Number of contexts, including ended ones that linger.
    pub fn contexts(&self) -> usize {
        self.contexts.count()
    }

    /// Bytes written to a context and not acknowledged; 0 for an ended context.
    pub fn queued(&self, context: ContextId) -> u64 {
        self.contexts.look(context).map_or(0, |context| context.queued())
    }

    /// SRTT of a context, once there is a sample.
    pub fn round_trip(&self, context: ContextId) -> Option<Duration> {
        self.contexts.look(context)?.srtt()
    }

    fn listen(&mut self, listener: Listener) {
        if let Err(refusal) = opening::check(&listener.configuration, Cast::Unicast) {
            return self.refuse(Some(listener.name), None, refusal);
        }
        self.listeners.retain(|known| known.name != listener.name);
        self.listeners.push(listener);
    }

    fn refuse(&mut self, reference: Option<u32>, context: Option<ContextId>, refusal: Refusal) {
        self.outputs.push_back(Output::Refused { reference, context, refusal });
    }

    fn open(&mut self, now: Time, opening: Opening<D, H>) {
        let Opening { reference, to, address, cast, configuration, data } = opening;
        if let Err(refusal) = opening::check(&configuration, cast) {
            return self.refuse(Some(reference), None, refusal);
        }
        if self.contexts.count() >= self.limits.contexts as usize {
            return self.refuse(Some(reference), None, Refusal::NoContext);
        }
        let (id, key) = self.contexts.reserve(false);
        self.outputs.push_back(Output::Opened { reference, context: id });
        let role = opening::initiator(&configuration, address, cast);
        let multicast = cast != Cast::Unicast;
        let mut context = Context::new(Association { id, key, peer: to, role, multicast, configuration }, now);
        context.open(&mut Turn { now, outputs: &mut self.outputs }, cast, data);
        self.in_flight += 1;
        self.contexts.insert(context);
        self.settle(now, id.index);
    }

    fn write(&mut self, now: Time, id: ContextId, data: D, end_of_message: bool) {
        let Some(context) = self.contexts.get(id) else {
            return self.refuse(None, Some(id), Refusal::UnknownContext);
        };
        if let Err(refusal) = context.write(data, end_of_message) {
            return self.refuse(None, Some(id), refusal);
        }
        self.settle(now, id.index);
    }

    /// Applies `change` to a context and settles it. Has no effect on an ended context, of whose end the driver may not
    /// know yet.
    fn change(&mut self, now: Time, id: ContextId, change: impl FnOnce(&mut Context<D, H>, &mut Turn<'_, D, H>)) {
        let Some(context) = self.contexts.get(id).filter(|context| !context.is_ended()) else { return };
        change(context, &mut Turn { now, outputs: &mut self.outputs });
        self.settle(now, id.index);
    }

    // not inlined: the compiler would copy the packet twice
    #[inline(never)]
    fn receive(&mut self, now: Time, from: H, packet: Packet<D>, answer: bool) {
        let Some(index) = self.contexts.find(from, &packet) else {
            return self.receive_unknown(now, from, packet, answer);
        };
        let Some(context) = self.contexts.at(index) else { return };
        let known = context.association.exchanged_key();
        context.receive(&mut Turn { now, outputs: &mut self.outputs }, from, packet, answer);
        if known.is_none()
            && let Some(key) = context.association.exchanged_key()
        {
            let peer = context.association.peer;
            self.contexts.learn(peer, key, index);
        }
        self.settle(now, index);
    }

    /// Processes a packet for no context: FIRST may create one, others are answered with DIAG where useful.
    #[cold]
    fn receive_unknown(&mut self, now: Time, from: H, packet: Packet<D>, answer: bool) {
        let header = packet.header;
        // a multicast packet must not provoke a DIAG from every host that is not a receiver
        let to_group = header.options.contains(Options::MULTI) && !header.key.is_returned();
        let silent = to_group || header.options.contains(Options::END);
        let diagnostic = match &packet.body {
            Body::First { address, traffic, .. } if !header.key.is_returned() => {
                match self.accept(now, from, &header, *address, *traffic) {
                    Ok(index) => {
                        let Some(context) = self.contexts.at(index) else { return };
                        context.receive(&mut Turn { now, outputs: &mut self.outputs }, from, packet, answer);
                        return self.settle(now, index);
                    }
                    Err((event, value)) => {
                        self.outputs.push_back(Output::Report { context: None, event });
                        (Code::Refused, value)
                    }
                }
            }
            Body::JoinControl { .. } => (Code::JoinRefused, Value::JoinDenied),
            Body::Diagnostic(_) => return,
            body => {
                self.outputs.push_back(Output::Report { context: None, event: Event::UnknownKey });
                let asks = header.options.intersects(Options::SREQ | Options::DREQ);
                if !asks && !matches!(body, Body::Data { .. }) {
                    return;
                }
                (Code::InvalidContext, Value::Unspecified)
            }
        };
        if !silent {
            // the sender's key with RTN, or the receiver's key as sent
            let key = if header.key.is_returned() { header.key.plain() } else { header.key.returned() };
            Turn { now, outputs: &mut self.outputs }.send_diagnostic(from, key, header.sync, diagnostic);
        }
    }

    /// Creates a context for a FIRST that a listener accepts.
    fn accept(
        &mut self,
        now: Time,
        from: H,
        header: &Header,
        address: Address,
        traffic: Traffic,
    ) -> Result<u32, (Event, Value)> {
        let listener = self.listeners.iter().find(|listener| listener.accepts(&address));
        let listener = listener.ok_or((Event::NoListener, Value::NoListener))?;
        if self.contexts.count() >= self.limits.contexts as usize {
            return Err((Event::NoContext, Value::NoResource));
        }
        let (id, key) = self.contexts.reserve(true);
        let role = Role::Acceptor { peer_key: header.key, announced: false };
        let multicast = header.options.contains(Options::MULTI);
        let configuration = Arc::clone(&listener.configuration);
        let mut context = Context::new(Association { id, key, peer: from, role, multicast, configuration }, now);
        context.accept(now, header, &traffic);
        self.contexts.insert(context);
        self.outputs.push_back(Output::Accepted { listener: listener.name, context: id, from, address, traffic });
        Ok(id.index)
    }

    /// Lets a context send what it may after any change, and schedules its next timer.
    fn settle(&mut self, now: Time, index: u32) {
        let Some(context) = self.contexts.at(index) else { return };
        if self.limits.packets_in_flight.is_none() {
            let mut turn = Turn { now, outputs: &mut self.outputs };
            while context.send_one(&mut turn) {}
        } else if !context.waiting {
            context.waiting = true;
            self.turns += 1;
            self.ready.insert((context.priority(), self.turns, index));
        }
        self.schedule(index);
        self.serve(now);
    }

    /// Outputs data packets up to the limit in flight: lowest `sort` first, round robin among equals.
    fn serve(&mut self, now: Time) {
        let Some(limit) = self.limits.packets_in_flight else { return };
        while self.in_flight < limit {
            let Some((priority, _, index)) = self.ready.pop_first() else { return };
            let Some(context) = self.contexts.at(index) else { continue };
            context.waiting = context.send_one(&mut Turn { now, outputs: &mut self.outputs });
            if context.waiting {
                self.in_flight += 1;
                self.turns += 1;
                self.ready.insert((priority, self.turns, index));
            }
            self.schedule(index);
        }
    }

    #[inline]
    fn schedule(&mut self, index: u32) {
        let Some(context) = self.contexts.at(index) else { return };
        let next = context.next_wakeup();
        if next < context.scheduled {
            context.scheduled = next;
            self.wakeups.push(Reverse((next, index)));
        }
    }

    /// Collects the contexts whose timers are due, lowest `sort` first.
    fn collect_due(&mut self, now: Time) {
        while let Some(Reverse((at, index))) = self.wakeups.peek().copied()
            && at <= now
        {
            self.wakeups.pop();
            if let Some(context) = self.contexts.at(index)
                && context.scheduled == at
            {
                context.scheduled = Time::NEVER;
                self.due.push((context.priority(), index));
            }
        }
        self.due.sort_unstable();
    }
}

impl<D: StreamData, H: Copy + Ord> Machine for Endpoint<D, H> {
    type Input = Input<D, H>;
    type Output = Output<D, H>;

    fn handle(&mut self, now: Time, input: Input<D, H>) {
        match input {
            Input::Receive { from, packet, answer } => self.receive(now, from, packet, answer),
            Input::Write { context, data, end_of_message } => self.write(now, context, data, end_of_message),
            Input::Transmitted => {
                self.in_flight = self.in_flight.saturating_sub(1);
                self.serve(now);
            }
            Input::Consumed { context, bytes } => {
                self.change(now, context, |context, turn| context.consumed(turn, bytes));
            }
            Input::Post { context, bytes } => self.change(now, context, |context, turn| context.posted(turn, bytes)),
            Input::Open { reference, to, address, cast, configuration, data } => {
                self.open(now, Opening { reference, to, address, cast, configuration, data });
            }
            Input::Close { context } => self.change(now, context, |context, _| context.close()),
            Input::StopReading { context } => self.change(now, context, Context::stop_reading),
            Input::Abort { context } => self.change(now, context, Context::abort),
            Input::Listen { listener, filter, configuration } => {
                self.listen(Listener { name: listener, filter, configuration });
            }
            Input::StopListening { listener } => self.listeners.retain(|known| known.name != listener),
        }
    }

    fn wake(&mut self, now: Time) {
        self.collect_due(now);
        let mut due = std::mem::take(&mut self.due);
        for (_, index) in due.drain(..) {
            let Some(context) = self.contexts.at(index) else { continue };
            if context.wake(&mut Turn { now, outputs: &mut self.outputs }) {
                self.contexts.remove(index);
            } else {
                self.settle(now, index);
            }
        }
        self.due = due;
    }

    #[inline]
    fn poll_output(&mut self) -> Option<Output<D, H>> {
        self.outputs.pop_front()
    }

    /// May be earlier than needed if a timer was stopped or restarted: waking then has no effect.
    #[inline]
    fn next_wakeup(&self) -> Option<Time> {
        self.wakeups.peek().map(|Reverse((at, _))| *at)
    }
}
