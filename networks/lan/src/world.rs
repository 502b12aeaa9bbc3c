//! The simulation of hosts on a fabric: their events and the handler of each.

use sojourn_core::{CopyKey, Duration, Machine, Rekey, Streams, Time};
use sojourn_engine::World;
use sojourn_engine::sample::uniform;
use sojourn_metrics::jitter_buffer::talkspurts::Slot;
use sojourn_metrics::timeline::RateWindows;
use sojourn_protocols::ip::Ecn;
use sojourn_protocols::tcp::machine::{End as Outcome, Input, Output, Purpose};

use super::capture::{BULK_PORT, FIRST_PORT, Passed, Tap};
use super::effect::Effect;
use super::event::{Event, Events};
use super::fabric::{Delivered, Fabric, FabricEvent};
use super::frame::Frame;
use super::hosts::{Client, Host, Program, Requester, Source, Talker, Ticks, Transfer, connections};
use super::latency_budget::{Component, LatencyBudget};
use super::metrics::Metrics;
use super::packet::{Content, Exchange, Packet, TCP_HEADERS, UDP_HEADERS};
use super::site::{Activity, Service, Site};
use sojourn_model::not_copied::NotCopied;
use sojourn_model::slab::{NONE, Slab};
use sojourn_model::timed::{Sampled, Timed};

/// Hosts, and the fabric between them.
#[derive(Clone)]
pub struct Lan<'s, 'c, F> {
    pub site: &'s Site,
    pub fabric: F,
    /// By station; switches have none.
    pub hosts: Vec<Option<Host>>,
    pub clients: Vec<Client>,
    pub requesters: Vec<Requester>,
    pub sources: Vec<Source>,
    /// TCP connections; those of requests come and go.
    pub transfers: Vec<Transfer>,
    /// Places of those that are over.
    pub(super) vacant: Vec<u32>,
    /// TCP connections that clients have opened.
    pub(super) opened: u32,
    /// Two for each call: there, and back.
    pub talkers: Vec<Talker>,
    pub packets: Slab<Packet>,
    /// Where the time of messages over TCP went, by the segments in flight that carry them.
    pub(super) budgets: Slab<LatencyBudget>,
    pub metrics: Metrics,
    /// The scenario's events, where it has any.
    pub(super) timed: Option<Box<Observed<'s>>>,
    tap: NotCopied<Tap<'c>>,
    /// The account of the message whose segment a host takes now.
    pub(super) carried: Option<LatencyBudget>,
    /// By connection the hosts at its ends.
    ends: Vec<(u32, u32)>,
    /// The fabric runs at most to here: the end of the warm-up, then the end of the run.
    horizon: Time,
    end: Time,
}

/// The events of a replication, and what is observed over time because of them.
#[derive(Clone)]
pub struct Observed<'s> {
    pub events: Timed<'s, Effect>,
    /// Bits that receivers of bulk transfers have read.
    pub read: RateWindows,
}

impl<'s, 'c, F: Fabric> Lan<'s, 'c, F> {
    /// Hosts at rest, and the beginnings of what they do.
    pub fn new(
        site: &'s Site,
        fabric: F,
        streams: &Streams,
        metrics: Metrics,
        tap: Option<Tap<'c>>,
        end: Time,
        events: &mut Events,
    ) -> Self {
        let from = metrics.from();
        let topology = &site.topology;
        let mut lan = Lan {
            site,
            fabric,
            hosts: site.costs.iter().map(|costs| costs.map(|costs| Host::new(costs, from))).collect(),
            clients: Vec::new(),
            requesters: Vec::new(),
            sources: Vec::new(),
            transfers: Vec::new(),
            vacant: Vec::new(),
            opened: 0,
            talkers: Vec::new(),
            packets: Slab::new(),
            budgets: Slab::new(),
            metrics,
            timed: site.events.as_ref().map(|plan| {
                let events = Timed::new(plan, streams, from, end).sampling(site.sampled());
                let read = RateWindows::new(events.edges());
                Box::new(Observed { events, read })
            }),
            tap: NotCopied::new(tap),
            carried: None,
            ends: (0..topology.routes.len() as u32).map(|at| (topology.source(at), topology.destination(at))).collect(),
            horizon: from,
            end,
        };
        let boot = |station: &String| Ticks::of_a_boot(&mut streams.stream(&format!("station/{station}/boot")));
        let ticks: Vec<Ticks> = site.stations.iter().map(boot).collect();
        for activity in &site.activities {
            lan.prepare(activity, &ticks, streams, events);
        }
        let steps = lan.timed.as_mut().map(|observed| observed.events.begin());
        steps.into_iter().flatten().for_each(|(at, step)| events.at(at, Event::Step(step)));
        lan
    }

    fn prepare(&mut self, activity: &Activity, ticks: &[Ticks], streams: &Streams, events: &mut Events) {
        let stream = |use_: &str| streams.stream(&format!("flow/{}/{use_}", activity.name));
        if let Service::Voice(call) = &activity.service {
            for (connection, direction) in [(activity.connection, "there"), (activity.connection ^ 1, "back")] {
                let talker = Talker::new(activity, call.clone(), connection, stream(direction), self.metrics.from());
                if call.is_two_way || connection == activity.connection {
                    events.at(talker.begins(), Event::Speak(self.talkers.len() as u32));
                }
                self.talkers.push(talker);
            }
            return;
        }
        let start = Time::ZERO + activity.start + uniform(&mut stream("start"), activity.start_spread);
        match &activity.service {
            Service::Echo(echo) => {
                events.at(start, Event::Request(self.clients.len() as u32));
                self.clients.push(Client::new(activity, echo.clone(), stream("think"), stream("server")));
            }
            Service::Request(request) => {
                events.at(start, Event::Ask(self.requesters.len() as u32));
                let ticks = std::iter::once(activity.from).chain(activity.receivers()).map(|host| ticks[host as usize]);
                let ticks: Vec<Ticks> = ticks.collect();
                self.requesters.push(Requester::new(activity, request, &ticks, stream));
            }
            Service::Stream(of) => {
                let mut source = Source::new(activity, of, stream("arrivals"));
                if let Some(at) = source.begin(start) {
                    events.at(at, Event::Emit(self.sources.len() as u32));
                }
                self.sources.push(source);
            }
            Service::Bulk(bulk) => {
                let number = self.transfers.len() as u32;
                events.at(start, Event::Begin(number));
                let hosts = [activity.from, activity.to];
                let (ticks, ends) = (hosts.map(|host| ticks[host as usize]), [&bulk.sender, &bulk.receiver]);
                let tcp = connections(ends, ticks, !bulk.handshake, &mut stream("sequence"));
                let program = Program::Bulk { write: bulk.write, left: 0, handshake: bulk.handshake };
                let ports = [FIRST_PORT.wrapping_add(number as u16), BULK_PORT];
                let mut transfer = Transfer::new(activity.flow, hosts, activity.connection, tcp, program, ports);
                transfer.sends = !activity.silent;
                self.transfers.push(transfer);
            }
            Service::Voice(_) => {}
        }
    }

    /// The share of time that each host's processor was busy.
    pub fn processors(&self, now: Time) -> impl Iterator<Item = (&str, f64)> {
        self.hosts_by_station().map(move |(_, name, host)| (name, host.utilisation(now)))
    }

    /// The hosts whose processors take time, with their stations and names.
    pub(super) fn hosts_by_station(&self) -> impl Iterator<Item = (u32, &str, &Host)> {
        let stations = (0..).zip(&self.site.stations).zip(&self.hosts).zip(&self.site.costs);
        stations.filter_map(|(((number, name), host), costs)| {
            costs.filter(|costs| !costs.are_none())?;
            Some((number, name.as_str(), host.as_ref()?))
        })
    }

    fn host(&mut self, station: u32) -> &mut Host {
        self.hosts[station as usize].as_mut().expect("flows are between hosts")
    }

    // ---- sending ----

    /// A program or TCP hands a packet to its host's processor.
    pub(super) fn send(&mut self, now: Time, mut packet: Packet, events: &mut Events) {
        let job = self.host(self.ends[packet.connection as usize].0).send(now, packet.data);
        let [charged, _] = packet.processors();
        if let Some(latency) = packet.latency(&mut self.budgets) {
            latency.account(Component::ProcessorQueue, job.begins);
            latency.account(charged, job.done);
        }
        events.at(job.done, Event::Made(self.packets.insert(packet)));
    }

    fn made(&mut self, now: Time, number: u32, events: &mut Events) {
        let Packet { connection, octets, .. } = self.packets[number];
        let stored = self.host(self.ends[connection as usize].0).moved(now, octets);
        if stored > now {
            events.at(stored, Event::Stored(number));
        } else {
            self.stored(now, number);
        }
    }

    fn stored(&mut self, now: Time, number: u32) {
        let Packet { connection, octets, ecn, .. } = self.packets[number];
        self.metrics.datagrams.offer();
        if self.is_taken_beside_client(number)
            && let Some(tap) = self.tap.as_mut()
        {
            tap.packet(now, &self.packets[number], self.ends[connection as usize], Passed::default());
        }
        self.fabric.send(now, Frame { packet: number, octets, connection, ecn });
    }

    /// Whether a capture has a packet when it leaves its host: beside the clients, those that they send.
    fn is_taken_beside_client(&mut self, number: u32) -> bool {
        if !self.tap.as_mut().is_some_and(|tap| tap.is_beside_clients()) {
            return false;
        }
        match self.packets[number].content {
            Content::Request(_) => true,
            // ends with odd numbers are those of servers
            Content::Segment { end, .. } => {
                end % 2 == 1 && matches!(self.transfers[end as usize / 2].program, Program::Requests(_))
            }
            _ => false,
        }
    }

    // ---- events of the fabric ----

    /// Lets the fabric run up to the hosts' next event.
    pub(super) fn run_fabric(&mut self, events: &mut Events) {
        while let Some(event) = self.fabric.advance(events.next_time().min(self.horizon)) {
            match event {
                FabricEvent::Delivered(delivered) => self.delivered(delivered, events),
                FabricEvent::Lost { frame, at, .. } => {
                    self.metrics.datagrams.lose(1);
                    match self.packets.remove(frame.packet).content {
                        Content::Voice { talker, spoken, .. } => {
                            self.listened(at, talker, spoken.packet_time, None);
                        }
                        Content::Segment { budget, .. } if budget != NONE => drop(self.budgets.remove(budget)),
                        Content::Datagram { stream, sent, .. } => self.end_datagram(at, stream, sent, None),
                        _ => {}
                    }
                }
                FabricEvent::RmCell { at, connection, cell } => {
                    if let Some(tap) = self.tap.as_mut() {
                        tap.rm_cell(at, self.site.channel(connection), &cell);
                    }
                }
            }
        }
    }

    fn delivered(&mut self, delivered: Delivered, events: &mut Events) {
        let Delivered { at, frame: Frame { packet: number, octets, connection, ecn }, precedence, .. } = delivered;
        self.packets[number].ecn = ecn;
        self.metrics.datagrams.deliver(u64::from(octets));
        let (from, to) = self.ends[connection as usize];
        if !self.is_taken_beside_client(number)
            && let Some(tap) = self.tap.as_mut()
        {
            tap.packet(at, &self.packets[number], (from, to), self.site.passed(connection).marked(precedence));
        }
        if let Some(latency) = self.packets[number].latency(&mut self.budgets) {
            account_path(latency, &delivered, &self.fabric);
        }
        let host = self.host(to);
        let interrupt = host.moved(at, octets) + host.receive_delay();
        events.at(interrupt, Event::Interrupt(number));
    }

    // ---- receiving ----

    fn interrupt(&mut self, now: Time, number: u32, events: &mut Events) {
        let Packet { connection, data, .. } = self.packets[number];
        let job = self.host(self.ends[connection as usize].1).receive(now, data);
        let packet = &mut self.packets[number];
        let [_, charged] = packet.processors();
        if let Some(latency) = packet.latency(&mut self.budgets) {
            latency.account(Component::ReceiveDelay, now);
            latency.account(Component::ProcessorQueue, job.begins);
            latency.account(charged, job.done);
        }
        events.at(job.done, Event::Taken(number));
    }

    fn taken(&mut self, now: Time, number: u32, events: &mut Events) {
        let packet = self.packets.remove(number);
        match packet.content {
            Content::Request(exchange) => {
                let client = &mut self.clients[exchange.client as usize];
                let (time, data) = (client.server_time(), client.echo.sizes[1]);
                let (connection, content) = (packet.connection ^ 1, Content::Answer(exchange));
                let answer = Packet { connection, data, octets: data + UDP_HEADERS, content, ecn: Ecn::NotEct };
                if time > Duration::ZERO {
                    events.at(now + time, Event::Answer(self.packets.insert(answer)));
                } else {
                    self.send(now, answer, events);
                }
            }
            Content::Answer(exchange) => self.answered(now, &exchange, events),
            Content::Voice { talker, spoken, .. } => {
                self.listened(now, talker, spoken.packet_time, Some(packet.data));
            }
            Content::Datagram { stream, sent, .. } => self.end_datagram(now, stream, sent, Some(packet.data)),
            Content::Segment { end, header, ports, budget, .. } => {
                self.carried = (budget != NONE).then(|| self.budgets.remove(budget));
                let transfer = &mut self.transfers[end as usize / 2];
                if transfer.ports != ports || transfer.is_over {
                    return; // of a connection that is over
                }
                let tcp = &mut transfer.ends[end as usize % 2].tcp;
                tcp.handle(now, Input::Receive { header, length: packet.data, ecn: packet.ecn });
                self.settle(now, end, events);
            }
        }
    }

    // ---- requests over UDP ----

    /// A server has its response to a datagram.
    fn answer(&mut self, now: Time, number: u32, events: &mut Events) {
        let mut answer = self.packets.remove(number);
        if let Some(latency) = answer.latency(&mut self.budgets) {
            latency.account(Component::Server, now);
        }
        self.send(now, answer, events);
    }

    fn ask(&mut self, now: Time, number: u32, events: &mut Events) {
        let client = &mut self.clients[number as usize];
        if !client.sends {
            client.is_held = true;
            return;
        }
        let (exchange, look) = client.ask(now);
        let (flow, connection, data) = (client.flow, client.connection(), client.echo.sizes[0]);
        if let Some(at) = look {
            events.at(at, Event::Timeout(number));
        }
        self.metrics.requested(flow);
        if let Some(observed) = self.timed.as_mut().filter(|_| client.echo.cycle.probed) {
            observed.events.sent(now);
        }
        let exchange = Exchange { client: number, number: exchange, began: now, latency: LatencyBudget::new(now) };
        let content = Content::Request(exchange);
        let packet = Packet { connection, data, octets: data + UDP_HEADERS, content, ecn: Ecn::NotEct };
        self.send(now, packet, events);
    }

    fn answered(&mut self, now: Time, exchange: &Exchange, events: &mut Events) {
        let client = &mut self.clients[exchange.client as usize];
        if client.answered(exchange.number) {
            self.metrics.responded(now, client.program(), exchange.began, &exchange.latency);
            if let Some(observed) = self.timed.as_mut().filter(|_| client.echo.cycle.probed) {
                observed.events.ended(exchange.began, Some(now - exchange.began));
            }
            let next = client.next(now);
            events.at(next, Event::Request(exchange.client));
        }
    }

    fn timeout(&mut self, now: Time, number: u32, events: &mut Events) {
        let client = &mut self.clients[number as usize];
        let (lost, again) = client.look(now);
        if let Some(at) = again {
            events.at(at, Event::Timeout(number));
        }
        if lost {
            let waited = now.picoseconds().saturating_sub(client.echo.timeout.picoseconds());
            let began = Time::from_picoseconds(waited);
            self.metrics.failed(now, client.program(), began);
            if let Some(observed) = self.timed.as_mut().filter(|_| client.echo.cycle.probed) {
                observed.events.ended(began, None);
            }
            let next = client.next(now);
            events.at(next, Event::Request(number));
        }
    }

    // ---- calls ----

    fn speak(&mut self, now: Time, number: u32, events: &mut Events) {
        let talker = &mut self.talkers[number as usize];
        let (sent, next) = talker.speak(now);
        let (connection, data) = (talker.connection, talker.call.octets);
        if let Some(next) = next {
            events.at(next, Event::Speak(number));
        }
        let (flow, format) = (talker.flow, talker.call.format);
        let Some(spoken) = sent else { return };
        self.metrics.sent(flow);
        if let Some(observed) = self.timed.as_mut() {
            observed.events.sent_of(Sampled::OneWay, now);
        }
        let content = Content::Voice { talker: number, spoken, format };
        self.send(now, Packet { connection, data, octets: data + UDP_HEADERS, content, ecn: Ecn::NotEct }, events);
    }

    /// A packet of a call has arrived, with this many octets, or is lost.
    fn listened(&mut self, now: Time, number: u32, packet_time: u32, arrived: Option<u32>) {
        let talker = &mut self.talkers[number as usize];
        talker.note(packet_time, if arrived.is_some() { Slot::Arrived(now) } else { Slot::Lost });
        let (flow, left) = (talker.flow, talker.left_at(packet_time));
        self.metrics.called(now, flow, number as usize % 2, left, arrived.is_some());
        self.one_way_ended(now, flow, true, left, arrived);
    }

    /// What `flow` sent at `sent` has arrived, with this many octets, or is lost.
    pub(super) fn one_way_ended(&mut self, now: Time, flow: u32, probed: bool, sent: Time, arrived: Option<u32>) {
        self.metrics.one_way_ended(now, flow, probed, sent, arrived);
        if let Some(observed) = self.timed.as_mut().filter(|_| probed) {
            observed.events.ended_of(Sampled::OneWay, sent, arrived.map(|_| now - sent));
        }
    }

    // ---- TCP ----

    fn begin(&mut self, now: Time, number: u32, events: &mut Events) {
        self.transfers[number as usize].begin(now);
        self.settle(now, 2 * number, events);
    }

    fn tcp_timer(&mut self, now: Time, end: u32, events: &mut Events) {
        if self.transfers[end as usize / 2].is_over {
            return;
        }
        self.transfers[end as usize / 2].ends[end as usize % 2].look(now);
        self.settle(now, end, events);
    }

    /// Does all that an end's TCP asks for.
    pub(super) fn settle(&mut self, now: Time, end: u32, events: &mut Events) {
        let (transfer, side) = (end as usize / 2, end as usize % 2);
        while let Some(output) = self.transfers[transfer].ends[side].tcp.poll_output() {
            match output {
                Output::Transmit { header, offset, length, purpose, ecn } => {
                    if purpose == Purpose::Retransmission {
                        self.metrics.retransmissions.add(1);
                    }
                    let octets = TCP_HEADERS + header.options.length() as u32 + length;
                    let budget = self.begin_budget(now, end, length);
                    let Transfer { ends, ports, .. } = &self.transfers[transfer];
                    let (connection, ports) = (ends[side].connection, *ports);
                    let content = Content::Segment { end: end ^ 1, header, offset, ports, budget };
                    self.send(now, Packet { connection, data: length, octets, content, ecn }, events);
                }
                Output::Deliver { .. }
                | Output::Established
                | Output::Writable
                | Output::EndOfStream
                | Output::Closed { .. }
                    if let Program::Requests(requester) = self.transfers[transfer].program =>
                {
                    self.of_requests(now, end, requester, output, events);
                }
                Output::Deliver { octets } => {
                    self.metrics.read(self.transfers[transfer].flow, octets);
                    if let Some(observed) = &mut self.timed {
                        observed.read.add(now, 8 * octets);
                    }
                }
                Output::Established | Output::Writable if side == 0 => self.transfers[transfer].write(now),
                Output::Closed { end: Outcome::TimedOut | Outcome::Reset } => self.metrics.aborted.add(1),
                _ => {}
            }
        }
        if self.transfers[transfer].is_over {
            return;
        }
        if let Some(at) = self.transfers[transfer].ends[side].look_at(now) {
            events.at(at, Event::TcpTimer(end));
        }
    }
}

/// Charges a datagram's path from the adapter that was given it to the last bit at the other host. Delay beyond that of
/// the unloaded path is waiting.
fn account_path(latency: &mut LatencyBudget, delivered: &Delivered, fabric: &impl Fabric) {
    let Delivered { at, frame, first_departure, last_departure, access, collided, .. } = *delivered;
    let path = fabric.unloaded(frame.connection, frame.octets);
    latency.account(Component::Adapter, first_departure);
    let late = (last_departure - first_departure).saturating_sub(path.leaving);
    let steps = [
        (Component::Pacing, late),
        (Component::Access, access),
        (Component::Collisions, collided),
        (Component::Transmission, path.transmission),
        (Component::Switching, path.switching),
        (Component::Propagation, path.propagation),
    ];
    for (component, span) in steps {
        latency.account(component, at.min(latency.accounted_until + span));
    }
    latency.account(Component::Queueing, at);
}

impl<F: Fabric> World for Lan<'_, '_, F> {
    type Event = Event;

    fn end_warm_up(&mut self, now: Time, events: &mut Events) {
        self.metrics.end_warm_up();
        self.hosts.iter_mut().flatten().for_each(|host| host.end_warm_up(now));
        self.fabric.reset_tally(now);
        self.horizon = self.end;
        self.run_fabric(events);
    }

    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        match event {
            Event::Request(client) => self.ask(now, client, events),
            Event::Timeout(client) => self.timeout(now, client, events),
            Event::Answer(packet) => self.answer(now, packet, events),
            Event::Ask(requester) => self.ask_over_tcp(now, requester, events),
            Event::Respond(requester) => self.respond(now, requester, events),
            Event::Emit(source) => self.emit(now, source, events),
            Event::Speak(talker) => self.speak(now, talker, events),
            Event::Begin(transfer) => self.begin(now, transfer, events),
            Event::TcpTimer(end) => self.tcp_timer(now, end, events),
            Event::Made(packet) => self.made(now, packet, events),
            Event::Stored(packet) => self.stored(now, packet),
            Event::Interrupt(packet) => self.interrupt(now, packet, events),
            Event::Taken(packet) => self.taken(now, packet, events),
            Event::Step(step) => self.step(now, step, events),
        }
        self.run_fabric(events);
    }
}

impl<F: Fabric> Rekey for Lan<'_, '_, F> {
    fn rekey(&mut self, copy: CopyKey) {
        self.fabric.rekey(copy);
        self.clients.rekey(copy);
        self.talkers.rekey(copy);
        self.requesters.rekey(copy);
        self.sources.rekey(copy);
    }
}
