//! Applies a scenario's events to the adapter, the fibre and the sources of frames. A replication without events has
//! none of this.
//!
//! An adapter without power loses the frames it holds, those that the driver has queued for it, and its bus
//! transactions; memory still responds to abandoned reads. Frames on the ring bypass it. On a token ring its bypass
//! switch interrupts the ring, which loses the frames on it and recovers with one station less. When power returns,
//! the driver posts all buffers anew.

use sojourn_core::Time;

use super::bus::InterferenceSettings;
use super::changes::Changes;
use super::effect::{Effect, Share, Side, Timeline};
use super::event::{Event, Events};
use super::metrics::{Observed, Place};
use super::world::Adapter;
use sojourn_model::timed::Step;

impl<'a> Adapter<'a> {
    /// Schedules the first events of a scenario; an adapter that is off at first loses power.
    pub(super) fn start_timeline(&mut self, timeline: &'a Timeline, mut changes: Changes<'a>, events: &mut Events) {
        for (at, step) in changes.timed.begin() {
            events.at(at, Event::Step(step));
        }
        self.shared.xmi.bus().observe_over_time(changes.timed.edges());
        self.changes = Some(Box::new(changes));
        self.shared.metrics.observe_frames();
        self.receive.decouple();
        if timeline.off {
            self.power_down(Time::ZERO, events);
        }
        timeline.silent.iter().for_each(|&side| self.silence(Time::ZERO, side, events));
    }

    /// An event of the scenario begins or ends.
    #[inline(never)]
    pub(super) fn step(&mut self, now: Time, step: Step, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        let (next, effects) = changes.timed.take(now, step);
        if let Some((at, step)) = next {
            events.at(at, Event::Step(step));
        }
        for effect in effects {
            match effect {
                Effect::Power(true) => self.power_up(now, events),
                Effect::Power(false) => self.power_down(now, events),
                Effect::Restart => self.restart(now, events),
                Effect::Fibre(true) => self.fibre_up(now, events),
                Effect::Fibre(false) => self.fibre_down(now, events),
                Effect::Sending(side, true) => self.sound(now, side, events),
                Effect::Sending(side, false) => self.silence(now, side, events),
                Effect::Burst(side, size) => self.frames_at_once(now, side, size, events),
                Effect::Share(share, [value, _]) => self.change(now, share, value, events),
            }
        }
    }

    /// Passes frames that came or ended to the windows of events.
    #[cold]
    pub(super) fn observe_frames(&mut self) {
        let Some(changes) = &mut self.changes else { return };
        for one in self.shared.metrics.observed() {
            match one {
                Observed::Sent(at) => changes.timed.sent(at),
                Observed::Ended(sent, response) => changes.timed.ended(sent, response),
            }
        }
    }

    fn power_down(&mut self, now: Time, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if std::mem::replace(&mut changes.off, true) {
            return;
        }
        self.lose_state(now, events);
        self.switch_bypass(now, false, events);
        self.listen();
    }

    fn power_up(&mut self, now: Time, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if !std::mem::replace(&mut changes.off, false) {
            return;
        }
        self.switch_bypass(now, true, events);
        self.listen();
        self.begin(now, events);
    }

    fn is_off(&self) -> bool {
        self.changes.as_ref().is_some_and(|changes| changes.off)
    }

    /// The adapter resets. One without power stays off.
    fn restart(&mut self, now: Time, events: &mut Events) {
        if !self.is_off() {
            self.lose_state(now, events);
            self.switch_bypass(now, true, events);
            self.begin(now, events);
        }
    }

    /// The adapter loses what it holds, and its events.
    fn lose_state(&mut self, now: Time, events: &mut Events) {
        events.retain(|event| !event.is_of_adapter());
        let held = self.control.reset(now);
        let metrics = &mut self.shared.metrics;
        let received = self.receive.reset(self.settings, now, held.received);
        let was_inside = !received.is_empty() || held.sent.is_some();
        received.into_iter().for_each(|arrived| metrics.drop_received(now, Place::Power, arrived));
        let sent = self.transmit.reset(now, held.sent);
        let was_inside = was_inside || !sent.is_empty();
        sent.into_iter().for_each(|frame| metrics.drop_sent(Place::Power, frame));
        self.shared.ring_memory.clear(now);
        self.shared.staging_port.clear(now);
        self.shared.xmi.reset_adapter();
        let (_, receive, _, mut context) = self.parts(now, events);
        if was_inside {
            receive.after_single(&mut context);
        }
    }

    /// The driver posts its buffers, and has frames to send again.
    fn begin(&mut self, now: Time, events: &mut Events) {
        let (_, receive, transmit, mut context) = self.parts(now, events);
        if context.settings.traffic.receive {
            receive.descriptors.fetch(true, &mut context);
        }
        if context.settings.traffic.transmit {
            transmit.begin_anew(&mut context);
        }
    }

    /// Whether frames from the ring come in, or where they are lost.
    fn listen(&mut self) {
        let Some(changes) = &self.changes else { return };
        self.receive.lost_at = match (changes.off, changes.down) {
            (true, _) => Some(Place::Power),
            (false, true) => Some(Place::Ring),
            (false, false) => None,
        };
    }

    /// The bypass switches: a token ring is interrupted meanwhile.
    fn switch_bypass(&mut self, now: Time, on: bool, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if !self.shared.ring.has_token() {
            return;
        }
        changes.switching += 1;
        self.interrupt(now, events);
        self.shared.ring.set_power(on);
        events.at(now + self.settings.ring.bypass_time, Event::Bypassed);
    }

    /// A bypass has switched.
    pub(super) fn bypassed(&mut self, now: Time, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        changes.switching -= 1;
        if changes.switching == 0 && !changes.down {
            self.mend(now, events);
        }
    }

    fn fibre_down(&mut self, now: Time, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        changes.down = true;
        self.interrupt(now, events);
        self.listen();
    }

    fn fibre_up(&mut self, now: Time, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if !std::mem::replace(&mut changes.down, false) {
            return;
        }
        let mends = changes.switching == 0;
        self.listen();
        if mends {
            self.mend(now, events);
        }
    }

    /// What is on the fibre is lost, and nothing passes.
    fn interrupt(&mut self, now: Time, events: &mut Events) {
        let (mut coming, mut had_token) = (0, false);
        events.retain(|event| {
            coming += u32::from(matches!(event, Event::FrameComes(_)));
            had_token |= matches!(event, Event::FirstBit);
            !matches!(event, Event::FrameComes(_) | Event::Burst | Event::ReadyToSend | Event::FirstBit)
        });
        let place = self.receive.lost_at.unwrap_or(Place::Ring);
        (0..coming).for_each(|_| {
            self.shared.metrics.to_host.tally.offer();
            self.shared.metrics.drop_received(now, place, None);
        });
        self.transmit.sending.interrupt(had_token);
        self.shared.ring.interrupt(now);
        let (_, receive, _, mut context) = self.parts(now, events);
        let cut = receive.storing.cut(&mut context);
        if cut || coming > 0 {
            receive.after_single(&mut context);
        }
        context.schedule_ring();
    }

    /// The fibre carries light again.
    fn mend(&mut self, now: Time, events: &mut Events) {
        self.shared.ring.mend(now);
        let (_, _, transmit, mut context) = self.parts(now, events);
        transmit.sending.resume(&mut context);
        context.schedule_ring();
    }

    fn silence(&mut self, now: Time, side: Side, events: &mut Events) {
        match side {
            Side::Receive => {
                self.receive.silence();
                self.shared.ring.clear_peer();
                events.retain(|event| !matches!(event, Event::FrameDue));
            }
            Side::Transmit => {
                self.transmit.silence();
                events.retain(|event| !matches!(event, Event::Request));
            }
        }
        let (.., mut context) = self.parts(now, events);
        context.schedule_ring();
    }

    /// There are frames of a direction again, if there were none.
    fn sound(&mut self, now: Time, side: Side, events: &mut Events) {
        let mut coming = 0;
        events.retain(|event| {
            coming += u32::from(matches!(event, Event::FrameComes(_)));
            true
        });
        let held = self.control.holds();
        let is_off = self.is_off();
        let (_, receive, transmit, mut context) = self.parts(now, events);
        let traffic = &context.settings.traffic;
        match side {
            Side::Receive if traffic.receive => {
                let is_one_there = receive.inside() + held.0 + u64::from(coming) > 0;
                receive.sound(is_one_there, &mut context);
            }
            Side::Transmit if traffic.transmit => {
                let is_one_there = transmit.inside() + held.1 > 0;
                transmit.sound(is_one_there, is_off, &mut context);
            }
            _ => {}
        }
    }

    fn frames_at_once(&mut self, now: Time, side: Side, size: u32, events: &mut Events) {
        let is_off = self.is_off();
        let (control, receive, transmit, mut context) = self.parts(now, events);
        match side {
            Side::Receive => (0..size).for_each(|_| receive.one_more(&mut context)),
            Side::Transmit if is_off => {}
            Side::Transmit => {
                transmit.many_more(size);
                control.start(receive, transmit, &mut context);
            }
        }
    }

    fn change(&mut self, now: Time, share: Share, value: f64, events: &mut Events) {
        match share {
            Share::Management => self.each_source(|source| source.management_share = value),
            Share::Llc => self.each_source(|source| source.llc_share = value),
            Share::Interference => {
                let Some(changes) = &mut self.changes else { return };
                events.retain(|event| !matches!(event, Event::Interference));
                let settings = InterferenceSettings { share: value, ..self.settings.bus.interference };
                self.shared.xmi.interfere_anew(now, settings, changes.interference(), events);
            }
        }
    }

    fn each_source(&mut self, change: impl Fn(&mut super::source::Source)) {
        change(&mut self.receive.source);
        change(&mut self.transmit.source);
    }
}
