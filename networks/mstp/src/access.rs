//! The line of a trunk: who sends when, who hears what, whose timers are due.

use sojourn_core::{Duration, Time};
use sojourn_model::slab::NONE;
use sojourn_model::uart;
use sojourn_protocols::mstp::BROADCAST;
use sojourn_protocols::mstp::machine::{Input, Output, State};
use sojourn_protocols::mstp::wire::{Frame, FrameType, SHORTEST};

use super::event::{Event, Events};
use super::node::Node;
use super::npdu::Npdu;
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// Passes an input to the node of a port, and carries out what it gives.
    #[inline]
    pub(super) fn drive(&mut self, now: Time, port: u32, input: Input<Npdu>, events: &mut Events) {
        let mut outputs = std::mem::take(&mut self.outputs);
        if let Some(node) = &mut self.ports[port as usize].node {
            node.handle(now, input, &mut outputs);
        }
        self.carry_out(now, port, &mut outputs, events);
        self.outputs = outputs;
        self.refresh(port, events);
    }

    /// A node hears characters, which make it send nothing. The caller lists it anew where it waited for something.
    #[inline]
    fn hear(&mut self, now: Time, port: u32, octets: u32, until: Time) {
        if let Some(node) = &mut self.ports[port as usize].node {
            node.handle(now, Input::Activity { octets, until }, &mut self.outputs);
        }
    }

    fn carry_out(&mut self, now: Time, port: u32, outputs: &mut super::node::Outputs, events: &mut Events) {
        while let Some(output) = outputs.pop_front() {
            match output {
                Output::Transmit(frame) => {
                    self.ports[port as usize].ready = Some(frame);
                    self.start(now, port, events);
                }
                Output::Deliver(delivery) => {
                    self.is_taken = true;
                    self.deliver(now, port, &delivery.data, events);
                }
                // the client's timer takes care of it
                Output::Unanswered { .. } => {}
            }
        }
    }

    /// Lists the port as active or not, and arms its timer.
    fn refresh(&mut self, port: u32, events: &mut Events) {
        let state = &mut self.ports[port as usize];
        let Some(node) = &state.node else { return };
        let is_active = !node.is_idle();
        let medium = state.medium;
        if std::mem::replace(&mut state.is_active, is_active) != is_active {
            let active = &mut self.trunk(medium).active;
            match is_active {
                true => active.push(port),
                false => active.retain(|&other| other != port),
            }
        }
        if is_active && let Some(due) = self.due(port) {
            self.arm(medium, due.max(events.now()), events);
        }
    }

    /// A port may enable its driver: at once after `T_turnaround` of silence, else it waits.
    pub(super) fn start(&mut self, now: Time, port: u32, events: &mut Events) {
        let state = &self.ports[port as usize];
        if state.ready.is_none() || state.on_line.is_some() || self.stations[state.station as usize].is_off {
            return;
        }
        let trunk = self.trunks[usize::from(state.medium)].as_mut().expect("the medium of a node is a trunk");
        match trunk.line.silent_since() {
            Some(silent) => {
                let at = if silent == Time::ZERO { now } else { now.max(silent + trunk.turnaround) };
                if at > now {
                    return events.at(at, Event::Start(port));
                }
            }
            // within the first character no node knows that another sends
            None => {
                let began = trunk.line.active_since().unwrap_or(now);
                if began + trunk.character <= now {
                    trunk.waiting.push(port);
                    return;
                }
            }
        }
        self.send_now(now, port, events);
    }

    fn send_now(&mut self, now: Time, port: u32, events: &mut Events) {
        let state = &mut self.ports[port as usize];
        let Some(frame) = state.ready.take() else { return };
        state.on_line = Some((frame, now));
        state.polls += u64::from(frame.kind == FrameType::PollForMaster);
        let (station, medium) = (state.station, state.medium);
        if frame.data.length > 0 {
            self.account_start(now, station, &frame.data);
        }
        let trunk = self.trunk(medium);
        let sent = uart::Frame { sender: port, tag: 0, characters: frame.longest() as u32, gap: trunk.gap };
        let end = trunk.line.send(now, sent);
        events.at(end, Event::LineEnd(port));
        if let Some(changes) = &mut self.changes {
            changes.busy(now, true);
        }
    }

    /// The frame that a port sends has ended.
    pub(super) fn line_end(&mut self, now: Time, port: u32, events: &mut Events) {
        let state = &mut self.ports[port as usize];
        let Some((frame, began)) = state.on_line.take() else { return };
        let is_cut = std::mem::take(&mut state.is_cut);
        let medium = state.medium;
        let from = self.metrics.from;
        let trunk = self.trunks[usize::from(medium)].as_mut().expect("the medium of a node is a trunk");
        let received = trunk.line.end(now, port);
        let is_whole = received.damage.is_none() && !is_cut;
        trunk.silent = now;
        trunk.tally.damaged += u64::from(!is_whole);
        let to = trunk.by_address[usize::from(frame.destination)];
        trunk.count(frame.kind, [began, now], (is_whole && to != NONE).then_some(to), from);
        if let Some(changes) = &mut self.changes {
            changes.busy(now, false);
        }
        if is_whole && let Some(capture) = self.capture.as_mut() {
            capture.frame(now, &frame);
        }
        if !is_cut {
            self.drive(now, port, Input::Sent, events);
        }
        self.heard(now, (port, medium), is_whole.then_some(&frame), events);
        self.carried = [began, now];
        match (is_whole, frame.destination) {
            (false, _) => self.lose(now, &frame.data, events),
            (true, BROADCAST) => self.receive_broadcast(now, port, medium, &frame, events),
            (true, _) => self.receive(now, to, &frame, events),
        }
        let trunk = self.trunk(medium);
        let at = now + trunk.turnaround;
        while let Some(waiting) = trunk.waiting.pop() {
            events.at(at, Event::Start(waiting));
        }
        if self.trunk(medium).timer == Time::NEVER {
            self.arm_again(medium, events);
        }
    }

    /// Nodes that wait for something hear a frame end that is not for them, or was destroyed.
    #[inline]
    fn heard(&mut self, now: Time, (sender, medium): (u32, u16), frame: Option<&Frame<Npdu>>, events: &mut Events) {
        let mut hearing = std::mem::take(&mut self.hearing);
        let trunk = self.trunk(medium);
        hearing.extend(trunk.active.iter().filter(|&&port| port != sender));
        let to = frame.map(|frame| frame.destination);
        for &port in &hearing {
            self.hear(now, port, SHORTEST as u32, now);
            let is_for_it =
                to.is_some_and(|to| to == BROADCAST || self.trunk(medium).by_address[usize::from(to)] == port);
            let is_taking_notice = self.ports[port as usize].pending.is_some();
            let is_idle = self.ports[port as usize].node.as_ref().is_some_and(Node::is_idle);
            match frame {
                _ if is_for_it || is_taking_notice || is_idle => self.refresh(port, events),
                Some(_) => self.drive(now, port, Input::NotForUs, events),
                None => self.drive(now, port, Input::Invalid, events),
            }
        }
        hearing.clear();
        self.hearing = hearing;
    }

    fn receive_broadcast(&mut self, now: Time, sender: u32, medium: u16, frame: &Frame<Npdu>, events: &mut Events) {
        for place in 0..self.site.media[usize::from(medium)].ports.len() {
            let port = self.site.media[usize::from(medium)].ports[place];
            if port != sender {
                self.receive(now, port, frame, events);
            }
        }
    }

    /// A frame for a node has ended. Data are taken at once; what the node itself acts on, after its latency.
    fn receive(&mut self, now: Time, port: u32, frame: &Frame<Npdu>, events: &mut Events) {
        if port == NONE {
            return self.lose(now, &frame.data, events);
        }
        let state = &self.ports[port as usize];
        let station = state.station as usize;
        let Some(node) = &state.node else { return };
        if self.stations[station].is_off || state.pending.is_some() || state.ready.is_some() || state.on_line.is_some()
        {
            return self.lose(now, &frame.data, events);
        }
        let is_noticed = match node {
            Node::Slave(_) => false,
            Node::Master(master) => match master.state() {
                State::WaitForReply | State::PollForMaster => true,
                State::Idle => !frame.kind.is_data(),
                _ => false,
            },
        };
        if !is_noticed {
            return self.present(now, port, frame, events);
        }
        let (medium, epoch) = (state.medium, state.epoch);
        let turnaround = self.trunk(medium).turnaround;
        let latency = self.token_latency(station).max(turnaround);
        self.ports[port as usize].pending = Some((*frame, now));
        events.at(now + latency, Event::Notice(port, epoch));
    }

    /// A draw of the token latency of a station.
    #[inline]
    pub(super) fn token_latency(&mut self, station: usize) -> Duration {
        let state = &mut self.stations[station];
        state.token_latency.draw(&mut state.tokens)
    }

    /// A node takes notice of a frame that it received.
    pub(super) fn notice(&mut self, now: Time, port: u32, epoch: u32, events: &mut Events) {
        let state = &mut self.ports[port as usize];
        if state.epoch != epoch {
            return;
        }
        let Some((frame, end)) = state.pending.take() else { return };
        let medium = state.medium;
        self.carried = [end, end];
        self.present(now, port, &frame, events);
        if self.trunk(medium).timer == Time::NEVER {
            self.arm_again(medium, events);
        }
    }

    /// Passes a frame to its node.
    fn present(&mut self, now: Time, port: u32, frame: &Frame<Npdu>, events: &mut Events) {
        let until = self.carried[1];
        self.hear(now, port, SHORTEST as u32, until);
        self.is_taken = false;
        self.drive(now, port, Input::Frame(*frame), events);
        if !self.is_taken {
            self.lose(now, &frame.data, events);
        }
    }

    /// When the timer of a node is looked at after it has expired.
    fn due(&self, port: u32) -> Option<Time> {
        let state = &self.ports[port as usize];
        let due = state.node.as_ref()?.next_wakeup()?;
        let resolution = self.site.stations[state.station as usize].timer_resolution;
        if resolution == Duration::ZERO {
            return Some(due);
        }
        let since = due.since(Time::ZERO + state.phase);
        let ticks = since.picoseconds().div_ceil(resolution.picoseconds());
        Some(Time::ZERO + state.phase + resolution.times(ticks))
    }

    /// The timer event of a trunk is due at `due` at the latest.
    #[inline]
    fn arm(&mut self, medium: u16, due: Time, events: &mut Events) {
        let trunk = self.trunk(medium);
        if due < trunk.timer {
            trunk.timer = due;
            events.at(due, Event::Timer(medium));
        }
    }

    /// Some timer of a trunk may be due. While characters come, none is.
    pub(super) fn timer(&mut self, now: Time, medium: u16, events: &mut Events) {
        let trunk = self.trunk(medium);
        if trunk.timer != now {
            return;
        }
        trunk.timer = Time::NEVER;
        if trunk.line.active_since().is_some_and(|began| began + trunk.character <= now) {
            return;
        }
        for place in 0..self.site.media[usize::from(medium)].ports.len() {
            let port = self.site.media[usize::from(medium)].ports[place];
            self.hear_silence(now, port, medium);
            if self.may_wake(port) && self.due(port).is_some_and(|due| due <= now) {
                let mut outputs = std::mem::take(&mut self.outputs);
                if let Some(node) = &mut self.ports[port as usize].node {
                    node.wake(now, &mut outputs);
                }
                self.carry_out(now, port, &mut outputs, events);
                self.outputs = outputs;
                self.refresh(port, events);
            }
        }
        self.arm_first(medium, events);
    }

    /// A node that waits for a frame knows since when the line is silent.
    fn hear_silence(&mut self, now: Time, port: u32, medium: u16) {
        let until = self.trunk(medium).silent;
        if self.ports[port as usize].node.as_ref().is_some_and(Node::is_idle) {
            self.hear(now, port, 0, until);
        }
    }

    /// Whether a node looks at its timers: not before it has noticed what it received.
    fn may_wake(&self, port: u32) -> bool {
        let state = &self.ports[port as usize];
        state.pending.is_none() && !self.stations[state.station as usize].is_off
    }

    /// Arms the timer event of a trunk anew, once every node knows since when it is silent.
    pub(super) fn arm_again(&mut self, medium: u16, events: &mut Events) {
        if self.trunks[usize::from(medium)].is_none() {
            return;
        }
        for place in 0..self.site.media[usize::from(medium)].ports.len() {
            let port = self.site.media[usize::from(medium)].ports[place];
            self.hear_silence(events.now(), port, medium);
        }
        self.arm_first(medium, events);
    }

    /// Arms the timer event of a trunk for the node that is due first. One that has not noticed a frame is looked at when it has.
    fn arm_first(&mut self, medium: u16, events: &mut Events) {
        let ports = self.site.media[usize::from(medium)].ports.iter();
        let due = ports.filter(|&&port| self.may_wake(port)).filter_map(|&port| self.due(port)).min();
        if let Some(due) = due {
            self.arm(medium, due.max(events.now()), events);
        }
    }
}
