//! Applies a scenario's events to stations, rings and flows. A replication without events has none of this.
//!
//! A station without power is bypassed: its bypass switch interrupts the ring, which loses the frames on it and
//! recovers with one station less. The station loses its CPU state, queues and XTP contexts; its peers detect that by
//! unanswered retries, and both ends open new associations.

use sojourn_core::Time;
use sojourn_metrics::jitter_buffer::talkspurts::Slot;

use super::effect::Effect;
use super::event::{Event, Events};
use super::frame::{Destination, Frame};
use super::port::Port;
use super::stream::User;
use super::world::Simulation;
use sojourn_model::branches::Branching;
use sojourn_model::slab::NONE;
use sojourn_model::timed::Step;

impl Branching for Simulation<'_, '_> {
    fn branch(&mut self, number: usize, events: &mut Events) {
        let Some(observed) = &mut self.users.streams.metrics.timed else { return };
        events.retain(|event| !matches!(event, Event::Step(step) if !observed.events.is_of(number, *step)));
        observed.branch(number);
    }
}

impl Simulation<'_, '_> {
    /// Schedules the first events of a scenario that has any.
    pub(super) fn expect_events(&mut self, events: &mut Events) {
        let Some(observed) = &mut self.users.streams.metrics.timed else { return };
        observed.events.begin().into_iter().for_each(|(at, step)| events.at(at, Event::Step(step)));
        for stream in self.users.streams.numbers() {
            if !self.users.is_on(self.users.streams[stream].host) {
                self.users.streams.interrupt(stream);
            }
        }
    }

    /// Whether an event of the queue is of what is lost.
    pub(super) fn is_void(&mut self, now: Time, event: Event) -> bool {
        match event {
            Event::Processor(host) => self.hosts.done(host) != now,
            Event::Offer(frame) | Event::Received(frame) | Event::Forward(frame) => {
                let is_lost = self.users.changes.as_mut().is_some_and(|changes| changes.is_lost(frame));
                if is_lost {
                    self.vanish(frame);
                }
                is_lost
            }
            _ => false,
        }
    }

    /// A frame will come to a host at `arrival`; whether the host hears it.
    pub(super) fn is_heard(&mut self, host: u32, arrival: Time, port: Port, frame: u32, now: Time) -> bool {
        let Some(changes) = &mut self.users.changes else { return true };
        if changes.off[host as usize] {
            self.frames[frame].at = host;
            self.frames[frame].port = port;
            self.vanish(frame);
            return false;
        }
        changes.on_ring(now, frame, port.ring, arrival);
        true
    }

    /// An event of the scenario begins or ends.
    pub(super) fn step(&mut self, now: Time, step: Step, events: &mut Events) {
        let Some(observed) = &mut self.users.streams.metrics.timed else { return };
        let (next, effects) = observed.events.take(now, step);
        if let Some((at, step)) = next {
            events.at(at, Event::Step(step));
        }
        for effect in effects {
            match effect {
                Effect::Power(host, true) => self.power_up(now, host, events),
                Effect::Power(host, false) => self.power_down(now, host, events),
                Effect::Restart(host) => self.restart(now, host, events),
                Effect::Ring(ring, true) => self.ring_up(now, ring, events),
                Effect::Ring(ring, false) => self.ring_down(now, ring, events),
                Effect::Sending(flow, sends) => self.switch(now, flow, sends, events),
                Effect::Burst(flow, size) => self.burst(now, flow, size, events),
                Effect::FrameLoss([share, _]) => self.rings.change_frame_loss(share),
                Effect::TokenLoss([interval, _]) => self.rings.change_token_loss(now, interval, events),
                Effect::Load([gap, _]) => self.rings.change_load(now, gap, events),
            }
        }
    }

    fn power_down(&mut self, now: Time, host: u32, events: &mut Events) {
        let Some(changes) = &mut self.users.changes else { return };
        if std::mem::replace(&mut changes.off[host as usize], true) {
            return;
        }
        self.lose_state(now, host);
        self.switch_bypass(now, host, false, events);
    }

    fn power_up(&mut self, now: Time, host: u32, events: &mut Events) {
        let Some(changes) = &mut self.users.changes else { return };
        if !std::mem::replace(&mut changes.off[host as usize], false) {
            return;
        }
        self.switch_bypass(now, host, true, events);
        self.begin_streams(now, host, events);
    }

    /// A station resets. One without power stays off.
    fn restart(&mut self, now: Time, host: u32, events: &mut Events) {
        if self.users.is_on(host) {
            self.lose_state(now, host);
            self.switch_bypass(now, host, true, events);
            self.begin_streams(now, host, events);
        }
    }

    /// A host loses its frames, the jobs of its CPU, its XTP contexts and what its users do.
    fn lose_state(&mut self, now: Time, host: u32) {
        let Some(changes) = &mut self.users.changes else { return };
        let boots = &mut changes.boots[host as usize];
        *boots += 1;
        let mut waiting = self.hosts.reset(now, self.site, host, *boots);
        for port in &self.site.hosts[host as usize].ports {
            waiting.extend(self.rings.clear_queue(*port));
        }
        let held = self.frames.entries().filter(|(_, frame)| frame.at == host);
        let held: Vec<u32> = held.map(|(frame, _)| frame).collect();
        for frame in held {
            if waiting.contains(&frame) {
                self.vanish(frame);
            } else if let Some(changes) = &mut self.users.changes {
                changes.lose(frame);
            }
        }
        self.users.power_down(now, host);
    }

    /// The users of a host begin anew.
    fn begin_streams(&mut self, now: Time, host: u32, events: &mut Events) {
        for stream in self.users.streams.numbers() {
            if self.users.streams[stream].host == host {
                self.begin_stream(now, stream, events);
            }
        }
    }

    fn begin_stream(&mut self, now: Time, stream: u32, events: &mut Events) {
        self.users.streams.revive(stream);
        let (hosts, mut context) = self.parts(now, events);
        hosts.open(stream, &mut context);
        self.begin_user(now, stream, events);
    }

    /// The user of a stream begins, or goes on.
    fn begin_user(&mut self, now: Time, stream: u32, events: &mut Events) {
        let state = &self.users.streams[stream];
        // one that always has data goes on by itself when what waits for the CPU is sent
        let goes_on =
            matches!(state.user, User::Saturate { .. }) && self.hosts.is_sending(state.host, stream, &self.frames);
        let (hosts, mut context) = self.parts(now, events);
        if !goes_on && let Some(write) = context.users.begin(now, stream, context.events) {
            hosts.want(write, &mut context);
        }
    }

    fn streams_of(&self, flow: u16) -> Vec<u32> {
        self.users.streams.numbers().filter(|stream| self.users.streams[*stream].flow == flow).collect()
    }

    /// The association of a stream was broken off, and its user opens it again.
    pub(super) fn reopen(&mut self, now: Time, stream: u32, events: &mut Events) {
        let state = &self.users.streams[stream];
        if state.dead && self.users.is_on(state.host) {
            self.begin_stream(now, stream, events);
        }
    }

    /// The bypass of a station switches on each of its rings.
    fn switch_bypass(&mut self, now: Time, host: u32, on: bool, events: &mut Events) {
        for &port in &self.site.hosts[host as usize].ports {
            let Some(changes) = &mut self.users.changes else { return };
            changes.rings[usize::from(port.ring)].1 += 1;
            self.interrupt(now, port.ring, events);
            self.rings.set_power(port, on);
            let lasts = self.site.rings[usize::from(port.ring)].bypass_time;
            events.at(now + lasts, Event::Bypassed(port.ring, port.mac));
        }
    }

    /// A bypass has switched.
    pub(super) fn bypassed(&mut self, now: Time, ring: u16, mac: u32, events: &mut Events) {
        let Some(changes) = &mut self.users.changes else { return };
        let (is_down, switching) = &mut changes.rings[usize::from(ring)];
        *switching -= 1;
        if *switching == 0 && !*is_down {
            self.rings.mend(now, ring, mac, events);
        }
    }

    fn ring_down(&mut self, now: Time, ring: u16, events: &mut Events) {
        let Some(changes) = &mut self.users.changes else { return };
        changes.rings[usize::from(ring)].0 = true;
        self.interrupt(now, ring, events);
    }

    fn ring_up(&mut self, now: Time, ring: u16, events: &mut Events) {
        let Some(changes) = &mut self.users.changes else { return };
        let (is_down, switching) = &mut changes.rings[usize::from(ring)];
        if std::mem::replace(is_down, false) && *switching == 0 {
            self.rings.mend(now, ring, 0, events);
        }
    }

    /// What is on a ring is lost, and nothing passes.
    fn interrupt(&mut self, now: Time, ring: u16, events: &mut Events) {
        if let Some(changes) = &mut self.users.changes {
            changes.cut(now, ring);
        }
        self.rings.interrupt(now, ring, events);
    }

    /// A flow sends, or sends nothing more.
    fn switch(&mut self, now: Time, flow: u16, sends: bool, events: &mut Events) {
        let Some(changes) = &mut self.users.changes else { return };
        let was_stopped = std::mem::replace(&mut changes.stopped[usize::from(flow)], !sends);
        if was_stopped != sends {
            return;
        }
        for stream in self.streams_of(flow) {
            match sends {
                true => self.begin_user(now, stream, events),
                false => self.users.hang_up(now, stream, Slot::Pause),
            }
        }
    }

    /// The sender of a flow sends this many messages at once.
    fn burst(&mut self, now: Time, flow: u16, size: u32, events: &mut Events) {
        for stream in self.streams_of(flow) {
            for _ in 0..size {
                let (hosts, mut context) = self.parts(now, events);
                if let Some(write) = context.users.one_more(stream) {
                    hosts.want(write, &mut context);
                }
            }
        }
    }

    /// A frame is lost by an event, wherever it is: a datagram with it, if its receiver is the one that counts.
    fn vanish(&mut self, frame: u32) {
        let Frame { from, to, at, stream, packet, data, port, .. } = self.frames.remove(frame);
        if stream == NONE || packet.is_some() {
            return;
        }
        let recorder = self.users.streams[stream].recorder;
        // copies of a broadcast go to all: those count that have not been sent, or are at a station on their path
        let leads = || {
            let comes = self.routes.mac(port.ring, recorder) == Some(port.mac);
            at == from || at == recorder || comes || self.routes.port(self.site, at, recorder) == Some(port)
        };
        if !matches!(to, Destination::Group(_)) || leads() {
            self.users.streams.settle_lost(data);
        }
    }
}
