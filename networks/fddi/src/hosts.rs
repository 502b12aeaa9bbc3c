//! Runs the hosts: their CPUs serve the jobs of users, XTP and adapters, one after the other.

use sojourn_core::{Duration, Stream as Random, Streams, Time, rekey_fields};
use sojourn_protocols::StreamRange;
use sojourn_protocols::xtp::machine::Input;

use super::context::Context;
use super::event::Event;
use super::frame::{DATAGRAM_OVERHEAD, Destination, FRAME_OVERHEAD, Frame, Kind};
use super::host::Host;
use super::job::Job;
use super::latency_budget::Component;
use super::port::Port;
use super::site::{Acknowledges, Site, Transport};
use super::stream::{Message, User};
use super::streams::Delivery;
use super::transport::Outputs;
use super::users::Write;
use sojourn_model::slab::{NONE, Slab};

/// All hosts of a site.
#[derive(Clone)]
pub struct Hosts<'a> {
    hosts: Vec<Host<'a>>,
    /// Data that waits for its acknowledgement to be sent.
    late: Slab<Delivery>,
    /// Outputs of the running XTP machine.
    outputs: Outputs,
    /// Draws which packets are not acknowledged.
    unacknowledged: Random,
}

impl<'a> Hosts<'a> {
    /// The hosts at rest.
    pub fn new(site: &'a Site, streams: &Streams) -> Self {
        Hosts {
            hosts: (0..site.hosts.len() as u32).map(|index| Host::new(site, index, streams)).collect(),
            late: Slab::new(),
            outputs: Outputs::default(),
            unacknowledged: streams.stream("impairment/unacknowledged"),
        }
    }

    /// Opens the associations of all streams whose hosts are on.
    pub fn open_associations(&mut self, context: &mut Context<'_, '_>) {
        for stream in context.users.streams.numbers() {
            if context.users.is_on(context.users.streams[stream].host) {
                self.open(stream, context);
            }
        }
    }

    /// Opens the association of a stream that has one.
    pub fn open(&mut self, stream: u32, context: &mut Context<'_, '_>) {
        if context.users.streams.has_association(stream) {
            let host = context.users.streams[stream].host;
            self.hosts[host as usize].xtp.open(stream, context, &mut self.outputs);
            self.act(host, context);
        }
    }

    /// A host loses power for the `boots`-th time. Returns the frames that waited for its CPU.
    pub fn reset(&mut self, now: Time, site: &Site, host: u32, boots: u32) -> Vec<u32> {
        let state = &mut self.hosts[host as usize];
        let mut frames = Vec::new();
        for job in state.cpu.jobs() {
            match *job {
                Job::Send(frame) | Job::Receive(frame) => frames.push(frame),
                Job::Deliver(place) => drop(self.late.remove(place)),
                Job::Write(_) | Job::Spend(_) => {}
            }
        }
        state.reset(now, site, host, boots);
        frames
    }

    /// When the CPU of a host will have finished its job.
    pub fn done(&self, host: u32) -> Time {
        self.hosts[host as usize].cpu.done()
    }

    /// Whether data of a stream wait for the CPU of its host.
    pub fn is_sending(&self, host: u32, stream: u32, frames: &Slab<Frame>) -> bool {
        self.hosts[host as usize].cpu.jobs().any(|job| match *job {
            Job::Write(writes) => writes == stream,
            Job::Send(frame) => frames[frame].stream == stream,
            _ => false,
        })
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self, now: Time) {
        self.hosts.iter_mut().for_each(|host| host.cpu.end_warm_up(now));
    }

    /// Busy time of each CPU, from the end of the warm-up to `now`.
    pub fn busy(&self, now: Time) -> Vec<Duration> {
        self.hosts.iter().map(|host| host.cpu.busy(now)).collect()
    }

    /// The last bit of a frame comes in by a port of a host; returns when the host has the frame.
    #[inline]
    pub fn copy_in(&mut self, host: u32, arrival: Time, port: Port, frame: &mut Frame) -> Time {
        frame.at = host;
        self.hosts[host as usize].copy_in(arrival, port, frame)
    }

    /// A user wants to write.
    pub fn want(&mut self, write: Write, context: &mut Context<'_, '_>) {
        let state = &mut context.users.streams[write.stream];
        if !state.dead {
            state.wanted.push_back((write.bytes, context.now));
            self.ask(write.stream, context);
        }
    }

    /// Asks the CPU for all writes of a stream that wait, once each, unless the window is closed.
    fn ask(&mut self, stream: u32, context: &mut Context<'_, '_>) {
        let streams = &mut context.users.streams;
        let host = streams[stream].host;
        let low_priority = streams.is_low_priority(host, stream);
        let state = &mut streams[stream];
        while !state.blocked && state.asked < state.wanted.len() {
            state.asked += 1;
            self.hosts[host as usize].cpu.push(Job::Write(stream), low_priority);
        }
        self.serve(host, context);
    }

    /// Gives an idle CPU its next jobs, until one takes time.
    fn serve(&mut self, host: u32, context: &mut Context<'_, '_>) {
        while let Some(job) = self.hosts[host as usize].cpu.take() {
            let state = &mut self.hosts[host as usize];
            let work = match job {
                Job::Write(stream) => {
                    self.write(stream, context);
                    continue;
                }
                Job::Deliver(place) => {
                    let delivery = self.late.remove(place);
                    self.deliver(Delivery { held_by: Component::ReceiverProcessor, ..delivery }, context);
                    continue;
                }
                Job::Send(frame) | Job::Receive(frame) => {
                    let frame = &mut context.frames[frame];
                    frame.latency.account(Component::Queues, context.now);
                    state.work(job, frame)
                }
                Job::Spend(work) => work,
            };
            let done = state.cpu.begin(context.now, job, work);
            context.events.at(done, Event::Processor(host));
        }
    }

    /// A user writes the first of what waits.
    fn write(&mut self, stream: u32, context: &mut Context<'_, '_>) {
        let state = &mut context.users.streams[stream];
        state.asked -= 1;
        let Some(&(bytes, since)) = state.wanted.front().filter(|_| !state.blocked) else { return };
        // a user that always has data has it when the processor is free
        let started = if matches!(state.user, User::Saturate { .. }) { context.now } else { since };
        let data = StreamRange { stream, offset: state.written as u32, length: bytes as u16 };
        let written = state.written + u64::from(bytes);
        state.messages.push_back(Message { end: written, length: bytes, started, latency: None, settled: false });
        let accepted = match context.users.streams.flow(stream).transport {
            Transport::Xtp(_) => self.write_xtp(data, context),
            Transport::Datagram => {
                self.send_datagram(data, context);
                true
            }
        };
        let state = &mut context.users.streams[stream];
        if !accepted {
            state.messages.pop_back();
            state.blocked = !state.dead;
            return;
        }
        state.wanted.pop_front();
        state.written = written;
        let (host, flow) = (state.host, state.flow);
        if context.users.written(context.now, stream, context.events) {
            // before the packet that was just written, so that XTP has the next one when that is sent
            self.hosts[host as usize].cpu.push_front(Job::Write(stream));
        }
        for follower in 0..context.users.followers() {
            if let Some(write) = context.users.follow(follower, flow) {
                self.want(write, context);
            }
        }
    }

    /// Passes a user's data to XTP; true if XTP accepted it. The resulting packets are sent at once.
    fn write_xtp(&mut self, data: StreamRange, context: &mut Context<'_, '_>) -> bool {
        let state = &context.users.streams[data.stream];
        let Some(association) = state.context else { return false };
        let Host { xtp, cpu, .. } = &mut self.hosts[state.host as usize];
        let input = Input::Write { context: association, data, end_of_message: true };
        let accepted = xtp.handle(input, context, &mut self.outputs);
        self.outputs.frames.drain(..).rev().for_each(|frame| cpu.push_front(Job::Send(frame)));
        accepted
    }

    fn send_datagram(&mut self, data: StreamRange, context: &mut Context<'_, '_>) {
        let streams = &context.users.streams;
        let (host, to) = (streams[data.stream].host, streams.destination(data.stream));
        let frame = context.frames.insert(Frame {
            from: host,
            to,
            at: host,
            port: context.routes.out_port(context.site, host, to),
            kind: Kind::Datagram,
            data,
            stream: data.stream,
            length: FRAME_OVERHEAD + DATAGRAM_OVERHEAD + u32::from(data.length),
            class: streams.flow(data.stream).class,
            latency: streams.latency_of(context.now, data, Component::Queues),
            packet: None,
        });
        self.hosts[host as usize].cpu.push_front(Job::Send(frame));
    }

    /// The CPU of a host has finished a job.
    pub fn processor_done(&mut self, host: u32, context: &mut Context<'_, '_>) {
        match self.hosts[host as usize].cpu.finish(context.now).0 {
            Job::Send(frame) => {
                let state = &mut context.frames[frame];
                state.latency.account(Component::SenderProcessor, context.now);
                let kind = state.kind;
                self.copy_out(host, frame, context);
                // where packets wait in XTP, the next one may come
                if kind == Kind::Data && self.hosts[host as usize].settings.hands_over_singly {
                    self.hosts[host as usize].xtp.handle(Input::Transmitted, context, &mut self.outputs);
                    self.act(host, context);
                }
            }
            Job::Receive(frame) => {
                context.frames[frame].latency.account(Component::ReceiverProcessor, context.now);
                self.take(host, frame, context);
            }
            Job::Spend(_) => {}
            Job::Write(_) | Job::Deliver(_) => unreachable!("these take no time"),
        }
        self.serve(host, context);
    }

    /// The adapter copies a frame out of the host.
    fn copy_out(&mut self, host: u32, frame: u32, context: &mut Context<'_, '_>) {
        let state = &mut context.frames[frame];
        let (stream, kind) = (state.stream, state.kind);
        let done = self.hosts[host as usize].copy_out(context.now, state);
        if done == context.now {
            context.offer(frame);
        } else {
            context.events.at(done, Event::Offer(frame));
        }
        if kind != Kind::Control
            && stream != NONE
            && let Some(write) = context.users.more(stream)
        {
            self.want(write, context);
        }
    }

    /// A frame is in its host: for it, for others beyond it, or for neither.
    pub fn received(&mut self, frame: u32, context: &mut Context<'_, '_>) {
        let &Frame { at: host, to, stream, .. } = &context.frames[frame];
        let state = &mut self.hosts[host as usize];
        if state.route(frame, context) {
            return;
        }
        let is_member = match to {
            Destination::Host(to) => to == host,
            Destination::Group(flow) => context.site.flows[usize::from(flow)].to.contains(&host),
            Destination::NoReceiver => false,
        };
        let job = if is_member {
            Job::Receive(frame)
        } else {
            context.frames.remove(frame);
            Job::Spend(state.settings.costs.discard)
        };
        state.cpu.push(job, context.users.streams.is_low_priority(host, stream));
        self.serve(host, context);
    }

    /// The CPU has taken a frame.
    fn take(&mut self, host: u32, frame: u32, context: &mut Context<'_, '_>) {
        let Frame { from, kind, data, stream, latency, packet, .. } = context.frames.remove(frame);
        let Some(packet) = packet else {
            context.users.streams.arrived(host, data, latency);
            return self.deliver(Delivery { host, context: None, data, held_by: Component::Retransmission }, context);
        };
        let mut answer = true;
        if kind == Kind::Data && stream != NONE {
            if self.is_unacknowledged(host, stream, context) {
                if context.site.impairment.lost {
                    return;
                }
                answer = false;
            }
            context.users.streams.arrived(host, data, latency);
        }
        let input = Input::Receive { from: Destination::Host(from), packet, answer };
        let state = &mut self.hosts[host as usize];
        state.xtp.handle(input, context, &mut self.outputs);
        match state.settings.acknowledges {
            Acknowledges::AtDelivery if kind == Kind::Data => self.acknowledge_beside(host, context),
            Acknowledges::BeforeDelivery if kind == Kind::Data => self.acknowledge_first(host, context),
            _ => self.act(host, context),
        }
    }

    /// Draws whether a probed packet goes unacknowledged.
    fn is_unacknowledged(&mut self, host: u32, stream: u32, context: &Context<'_, '_>) -> bool {
        let (streams, share) = (&context.users.streams, context.site.impairment.unacknowledged);
        let probed = streams.is_probed(stream) && host != streams.flow(stream).from;
        probed && context.now >= streams.metrics.from() && share > 0.0 && self.unacknowledged.unit() < share
    }

    /// An XTP timer of a host may be due.
    pub fn wake(&mut self, host: u32, context: &mut Context<'_, '_>) {
        if self.hosts[host as usize].xtp.wake(context, &mut self.outputs) {
            self.act(host, context);
        }
    }

    /// The users act on what they are given, then the packets wait for the CPU.
    fn act(&mut self, host: u32, context: &mut Context<'_, '_>) {
        let mut frames = std::mem::take(&mut self.outputs.frames);
        self.deliver_all(context);
        for frame in frames.drain(..) {
            let low_priority = context.users.streams.is_low_priority(host, context.frames[frame].stream);
            self.hosts[host as usize].cpu.push(Job::Send(frame), low_priority);
        }
        self.outputs.frames = frames;
        self.serve(host, context);
    }

    /// The acknowledgement leaves at once, the users act, and the CPU spends the time for the acknowledgement
    /// afterwards. Data that the packet permits waits for the CPU as ever.
    fn acknowledge_beside(&mut self, host: u32, context: &mut Context<'_, '_>) {
        let mut frames = std::mem::take(&mut self.outputs.frames);
        self.deliver_all(context);
        for frame in frames.drain(..) {
            let &Frame { kind, stream, .. } = &context.frames[frame];
            let low_priority = context.users.streams.is_low_priority(host, stream);
            let Host { settings, cpu, .. } = &mut self.hosts[host as usize];
            if kind == Kind::Control {
                cpu.push(Job::Spend(settings.costs.send_control), low_priority);
                self.copy_out(host, frame, context);
            } else {
                cpu.push(Job::Send(frame), low_priority);
            }
        }
        self.outputs.frames = frames;
        self.serve(host, context);
    }

    /// The acknowledgement is paid for and sent; only then the users get the data.
    fn acknowledge_first(&mut self, host: u32, context: &mut Context<'_, '_>) {
        let cpu = &mut self.hosts[host as usize].cpu;
        for delivery in self.outputs.deliveries.drain(..).rev() {
            cpu.push_front(Job::Deliver(self.late.insert(delivery)));
        }
        self.outputs.frames.drain(..).rev().for_each(|frame| cpu.push_front(Job::Send(frame)));
        self.deliver_all(context);
        self.serve(host, context);
    }

    fn deliver_all(&mut self, context: &mut Context<'_, '_>) {
        let mut writable = std::mem::take(&mut self.outputs.writable);
        for stream in writable.drain(..) {
            context.users.streams[stream].blocked = false;
            self.ask(stream, context);
        }
        self.outputs.writable = writable;
        let mut deliveries = std::mem::take(&mut self.outputs.deliveries);
        deliveries.drain(..).for_each(|delivery| self.deliver(delivery, context));
        self.outputs.deliveries = deliveries;
    }

    /// A user gets data.
    fn deliver(&mut self, delivery: Delivery, context: &mut Context<'_, '_>) {
        let Some(messages) = context.users.streams.deliver(context.now, &delivery) else { return };
        for index in messages {
            if let Some(write) = context.users.complete(context.now, &delivery, index, context.events) {
                self.want(write, context);
            }
        }
        context.users.streams[delivery.data.stream].trim();
    }
}

rekey_fields!(Hosts<'_> { unacknowledged });
