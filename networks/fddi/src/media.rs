//! The rings of a site: queueing and transmission of frames, background load, and token loss.

use sojourn_core::{CopyKey, Duration, Rekey, Stream as Random, Streams, Time, rekey_fields};
use sojourn_engine::arrivals::Process;
use sojourn_engine::sample;
use sojourn_metrics::distribution::Distribution;

use super::event::{Event, Events};
use super::frame::Frame;
use super::latency_budget::Component;
use super::port::Port;
use super::ring::{Carried, MacTally, Outcome, Outgoing, Ring, Tally};
use super::site::{Impairment, Site};

/// Frames that a generator keeps waiting; what it makes beyond is never offered.
const WAITING_LOAD: u32 = 10_000;
/// Tag of a generator's frames.
const LOAD_TAG: u32 = u32::MAX;

/// All rings of a site, and the generators that load them.
#[derive(Clone)]
pub struct Rings<'a> {
    site: &'a Site,
    rings: Vec<RingState>,
    loads: Vec<LoadState>,
    /// Share of frames with a check sequence that fails.
    frame_loss: f64,
    /// Mean time between losses of a token.
    token_loss: Option<Duration>,
}

/// A generator.
#[derive(Clone)]
struct LoadState {
    /// None while it offers nothing.
    process: Option<Process>,
    random: Random,
    /// When it offers next. An event of the queue for another instant is void.
    due: Time,
}

#[derive(Clone)]
struct RingState {
    ring: Ring,
    /// The instant its last event was scheduled for.
    scheduled: Time,
    /// When the last frame of each MAC ended.
    last_end: Vec<Time>,
    /// Draws which frames are corrupted.
    noise: Random,
    /// Draws when the token is lost.
    losses: Random,
    /// When it is lost next. An event of the queue for another instant is void.
    loses: Time,
}

/// What the rings counted after the warm-up.
#[derive(Clone, Debug)]
pub struct RingMetrics {
    /// Token rotation times at the MAC that sends probed voice; without probed voice, at the first MAC of each ring.
    pub rotations: Distribution,
    /// Counts of each ring, by its index.
    pub tallies: Vec<Tally>,
    /// Totals of the MAC that sends probed voice, or of the first one.
    pub mac: MacTally,
}

impl<'a> Rings<'a> {
    /// The rings at rest, with their first events scheduled.
    pub fn new(site: &'a Site, streams: &Streams, events: &mut Events) -> Self {
        let rings = (0..).zip(&site.rings).map(|(index, settings)| {
            let is_off = |owner: &Option<u32>| match (&site.timeline, owner) {
                (Some(timeline), Some(host)) => timeline.off[*host as usize],
                _ => false,
            };
            let off = settings.owners.iter().map(is_off).collect();
            let mut ring = Ring::without(settings.settings.clone(), off);
            ring.observe(observed_mac(site, index));
            RingState {
                ring,
                scheduled: Time::NEVER,
                last_end: vec![Time::ZERO; settings.owners.len()],
                noise: streams.stream(&format!("ring/{}/noise", settings.name)),
                losses: streams.stream(&format!("ring/{}/token-loss", settings.name)),
                loses: Time::NEVER,
            }
        });
        let Impairment { frame_loss, token_loss, .. } = site.impairment;
        let mut rings = Rings { site, rings: rings.collect(), loads: Vec::new(), frame_loss, token_loss };
        for ring in 0..rings.rings.len() as u16 {
            rings.schedule(ring, events);
            rings.schedule_token_loss(Time::ZERO, ring, events);
        }
        for (index, load) in (0..).zip(&site.loads) {
            let random = streams.stream(&format!("load/{}/arrivals", load.name));
            rings.loads.push(LoadState { process: Some(load.process(load.gap)), random, due: Time::NEVER });
            rings.schedule_load(Time::ZERO, index, events);
        }
        rings
    }

    /// A ring may be due; returns the frame of a host that begins.
    #[inline]
    pub fn due(&mut self, now: Time, ring: u16, events: &mut Events) -> Option<Carried> {
        let state = &mut self.rings[usize::from(ring)];
        // an offer has changed what is due
        if state.ring.next_event() != now {
            return None;
        }
        let carried = state.ring.handle(now);
        self.schedule(ring, events);
        carried.filter(|carried| carried.tag != LOAD_TAG)
    }

    /// Accounts the time of a frame that a ring carries; returns whether it arrives without an error.
    pub fn carry(&mut self, ring: u16, carried: &Carried, frame: &mut Frame) -> bool {
        let state = &mut self.rings[usize::from(ring)];
        let before = std::mem::replace(&mut state.last_end[carried.mac as usize], carried.end);
        let noisy = self.frame_loss;
        let corrupted = noisy > 0.0 && state.noise.unit() < noisy;
        // behind other frames of the same station, then at the head of its queue
        frame.latency.account(Component::Queues, before);
        frame.latency.account(Component::WaitingForToken, carried.start);
        frame.latency.account(Component::Transmission, carried.end);
        !corrupted && carried.outcome == Outcome::Sent
    }

    /// When the last bit of a frame reaches the MAC of a port.
    #[inline]
    pub fn arrival(&self, carried: &Carried, port: Port) -> Time {
        self.rings[usize::from(port.ring)].ring.arrival(carried, port.mac)
    }

    /// A frame joins the queue of its MAC.
    pub fn offer(&mut self, now: Time, tag: u32, frame: &Frame, events: &mut Events) {
        let &Frame { port, class, length, .. } = frame;
        let ring = &mut self.rings[usize::from(port.ring)].ring;
        ring.offer(now, port.mac, class, Outgoing { tag, length }).expect("a checked frame fits the ring");
        self.schedule(port.ring, events);
    }

    /// A generator offers a burst.
    pub fn load(&mut self, now: Time, index: u16, events: &mut Events) {
        if self.loads[usize::from(index)].due != now {
            return;
        }
        let load = &self.site.loads[usize::from(index)];
        let Port { ring, mac } = load.port;
        let state = &mut self.rings[usize::from(ring)];
        for _ in 0..load.burst {
            if state.ring.queue_length(mac, load.class) < WAITING_LOAD {
                let frame = Outgoing { tag: LOAD_TAG, length: load.frame };
                state.ring.offer(now, mac, load.class, frame).expect("a checked frame fits the ring");
            }
        }
        self.schedule_load(now, index, events);
        self.schedule(ring, events);
    }

    /// Schedules the next burst of a generator.
    fn schedule_load(&mut self, now: Time, index: u16, events: &mut Events) {
        let LoadState { process, random, due } = &mut self.loads[usize::from(index)];
        let next = process.as_mut().and_then(|process| process.next(now, random));
        *due = next.unwrap_or(Time::NEVER);
        if let Some(next) = next {
            events.at(next, Event::Load(index));
        }
    }

    /// Generators offer bursts at another mean interval from now on; none without.
    pub fn change_load(&mut self, now: Time, gap: Option<Duration>, events: &mut Events) {
        for (index, load) in (0..).zip(&self.site.loads) {
            self.loads[usize::from(index)].process = gap.map(|gap| load.process(gap));
            self.schedule_load(now, index, events);
        }
    }

    /// Another share of frames is corrupted.
    pub fn change_frame_loss(&mut self, share: f64) {
        self.frame_loss = share;
    }

    /// Tokens are lost at another mean interval from now on; none without.
    pub fn change_token_loss(&mut self, now: Time, interval: Option<Duration>, events: &mut Events) {
        self.token_loss = interval;
        (0..self.rings.len() as u16).for_each(|ring| self.schedule_token_loss(now, ring, events));
    }

    /// A ring is interrupted.
    pub fn interrupt(&mut self, now: Time, ring: u16, events: &mut Events) {
        let state = &mut self.rings[usize::from(ring)];
        state.ring.interrupt(now);
        state.last_end.iter_mut().for_each(|end| *end = now.min(*end));
        self.schedule(ring, events);
    }

    /// A station of an interrupted ring gets or loses power.
    pub fn set_power(&mut self, port: Port, on: bool) {
        self.rings[usize::from(port.ring)].ring.set_power(port.mac, on);
    }

    /// The last interruption of a ring, before the MAC `gap`, is mended.
    pub fn mend(&mut self, now: Time, ring: u16, gap: u32, events: &mut Events) {
        self.rings[usize::from(ring)].ring.mend(now, gap);
        self.schedule(ring, events);
    }

    /// The frames that wait at a port are lost, and returned.
    pub fn clear_queue(&mut self, port: Port) -> Vec<u32> {
        let lost = self.rings[usize::from(port.ring)].ring.clear_queue(port.mac);
        lost.into_iter().map(|frame| frame.tag).collect()
    }

    /// Draws again what has no memory of when a generator's next burst, due at `due`, is offered.
    pub fn redraw_load(&mut self, now: Time, due: Time, index: u16) -> Time {
        let load = &mut self.loads[usize::from(index)];
        let Some(process) = load.process.as_mut().filter(|_| load.due == due) else { return due };
        load.due = process.redraw(now, due, &mut load.random);
        load.due
    }

    /// Draws again when a ring loses its token next.
    pub fn redraw_token_loss(&mut self, now: Time, due: Time, ring: u16) -> Time {
        let state = &mut self.rings[usize::from(ring)];
        let Some(mean) = self.token_loss.filter(|_| state.loses == due) else { return due };
        state.loses = now + sample::exponential(&mut state.losses, mean);
        state.loses
    }

    /// A ring loses its token.
    pub fn lose_token(&mut self, now: Time, ring: u16, events: &mut Events) {
        if self.rings[usize::from(ring)].loses != now {
            return;
        }
        self.rings[usize::from(ring)].ring.lose_token(now);
        self.schedule(ring, events);
        self.schedule_token_loss(now, ring, events);
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self, now: Time) {
        self.rings.iter_mut().for_each(|state| state.ring.reset(now));
    }

    /// What the rings counted until `end`.
    pub fn finish(mut self, end: Time) -> RingMetrics {
        let mut rotations = Distribution::new();
        let probed = self.site.probed_port();
        for (index, state) in (0..).zip(&mut self.rings) {
            state.ring.settle(end);
            if probed.is_none_or(|port| port.ring == index)
                && let Some(observed) = state.ring.rotations(observed_mac(self.site, index))
            {
                rotations.merge(observed);
            }
        }
        let Port { ring, mac } = probed.unwrap_or(Port { ring: 0, mac: 0 });
        let mac = self.rings[usize::from(ring)].ring.mac_tally(mac, end);
        RingMetrics { rotations, tallies: self.rings.iter().map(|state| *state.ring.tally()).collect(), mac }
    }

    /// Schedules a ring for when it is due, unless that is done.
    #[inline]
    fn schedule(&mut self, ring: u16, events: &mut Events) {
        let state = &mut self.rings[usize::from(ring)];
        let due = state.ring.next_event();
        if due != state.scheduled {
            state.scheduled = due;
            if due != Time::NEVER {
                events.at(due, Event::Ring(ring));
            }
        }
    }

    fn schedule_token_loss(&mut self, now: Time, ring: u16, events: &mut Events) {
        let state = &mut self.rings[usize::from(ring)];
        state.loses = Time::NEVER;
        if let Some(mean) = self.token_loss {
            state.loses = now + sample::exponential(&mut state.losses, mean);
            events.at(state.loses, Event::LoseToken(ring));
        }
    }
}

/// The MAC of a ring whose token rotations are observed: that which sends probed voice, or the first one.
fn observed_mac(site: &Site, ring: u16) -> u32 {
    site.probed_port().filter(|port| port.ring == ring).map_or(0, |port| port.mac)
}

rekey_fields!(RingState { noise, losses });

impl Rekey for Rings<'_> {
    fn rekey(&mut self, copy: CopyKey) {
        self.rings.rekey(copy);
        self.loads.iter_mut().for_each(|load| load.random.rekey(copy));
    }
}
