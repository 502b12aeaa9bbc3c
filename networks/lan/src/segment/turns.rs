//! PLCA that is set up right, turn after turn: what the signals between nodes come to where each hears each other before an opportunity ends.
//!
//! The turns of nodes follow from one instant: when the node that sent last fell silent, or node 0 after its beacon, each other node heard it
//! after the propagation between them, and from then counts opportunities of `to_timer`. Opportunities that no node uses therefore cost
//! nothing, and neither do whole cycles: 40 nodes on a wire carry millions of frames a second of computing, where the signals take
//! 20 times as long with 17 stations, 70 times with 41 (`mixing-16-85` and `mixing-40-85` of `one-wire-ethernet`). A test compares both, frame by frame.

use std::collections::VecDeque;

use sojourn_core::{CopyKey, Duration, Rekey, Stream, Streams, Time};
use sojourn_protocols::ethernet_bus::{PREAMBLE, plca};

use super::settings::SegmentSettings;
use super::tally::SegmentTally;
use super::{Offered, Passage, SegmentEvent};

/// Where a node's frame stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It has none.
    None,
    /// The MAC defers until then.
    Defers(Time),
    /// In the delay line since then.
    Held(Time),
    /// The MAC waits for its turn, from then on, after a collision that was on no wire.
    Pending(Time),
    /// On the wire.
    Sends,
}

/// A node.
#[derive(Clone, Debug)]
struct Node {
    id: u8,
    max_bc: u8,
    stage: Stage,
    frame: Offered,
    taken: Time,
    first: Time,
    collided: Duration,
    attempts: u32,
    contended: bool,
    random: Stream,
}

/// What the wire does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    /// Opportunities pass: `from` fell silent at `since`, and the next turn is that of the ID `next`.
    Silent { from: u32, since: Time, next: u8 },
    /// A node has committed at `since`, and its frame is on the wire from `begins` to `ends`.
    Busy { node: u32, since: Time, begins: Time, ends: Time, bc: u8 },
    /// A node has committed to another frame of its burst at `since`, and waits for it until `until`.
    Burst { node: u32, since: Time, until: Time, bc: u8 },
}

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Nothing,
    /// A frame has reached the node that it is for.
    Arrival,
    /// A node's MAC has sent its frame.
    Free,
    /// The wire falls silent, or a burst ends.
    End,
    /// A MAC has deferred long enough.
    Attempt(u32),
    /// A delay line is full.
    Full(u32),
    /// A node's turn has come, and it has a frame.
    Turn(u32),
    /// Node 0 begins a cycle.
    Beacon,
}

/// A wire and its nodes.
#[derive(Clone, Debug)]
pub struct Turns {
    settings: SegmentSettings,
    leader: plca::Settings,
    /// Which node leads, and the nodes in the order of IDs.
    first: u32,
    order: Vec<u32>,
    /// By ID the place in it of the first node that has that ID or a higher one.
    first_of: Vec<u32>,
    nodes: Vec<Node>,
    wire: Wire,
    /// When the last frame left the wire, and whose it was.
    last: (u32, Time),
    /// The last beacon began.
    beacon: Time,
    /// Frames that are to arrive: the next one may begin before the last bit of one is at the far end.
    arrivals: VecDeque<(Time, Passage, Sent)>,
    /// A MAC that will have sent its frame, which may be before the delayed bits have.
    free: Option<(Time, u32)>,
    due: (Time, Due),
    /// Nodes with a frame; those whose MACs defer, and those whose frames are in the delay line.
    waiting: u32,
    defer: Vec<u32>,
    held: Vec<u32>,
    times: Times,
    pub(super) tally: SegmentTally,
}

/// Of a frame that has been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sent {
    bits: u32,
    attempts: u32,
    contended: bool,
}

/// Spans of the clause in time.
#[derive(Clone, Copy, Debug)]
struct Times {
    opportunity: Duration,
    beacon: Duration,
    gap: Duration,
    preamble: Duration,
    jam: Duration,
    slot: Duration,
    pending: Duration,
    delay_line: Duration,
    burst: Duration,
}

impl Turns {
    pub(super) fn new(settings: &SegmentSettings, streams: &Streams) -> Turns {
        let leader = *settings.leader().expect("a wire with turns has a node 0");
        let time = |bits| settings.time(bits);
        let times = Times {
            opportunity: time(leader.to_timer),
            beacon: time(leader.beacon_timer),
            gap: time(settings.mac.gap),
            preamble: time(PREAMBLE),
            jam: time(settings.mac.jam),
            slot: time(settings.mac.slot_time),
            pending: time(leader.pending_timer),
            delay_line: time(leader.delay_line),
            burst: time(leader.burst_timer),
        };
        let node = |of: &super::settings::NodeSettings| {
            let plca = of.plca.as_ref().expect("all nodes take turns");
            Node {
                id: plca.id,
                max_bc: plca.max_bc,
                stage: Stage::None,
                frame: Offered { packet: 0, bits: 0, to: 0, queued: Time::ZERO },
                taken: Time::ZERO,
                first: Time::ZERO,
                collided: Duration::ZERO,
                attempts: 0,
                contended: false,
                random: streams.stream(&format!("segment/{}/{}/backoff", settings.name, of.name)),
            }
        };
        let nodes: Vec<Node> = settings.nodes.iter().map(node).collect();
        let first = nodes.iter().position(|node| node.id == 0).expect("a node 0") as u32;
        let mut order: Vec<u32> =
            (0..nodes.len() as u32).filter(|at| nodes[*at as usize].id < leader.node_count).collect();
        order.sort_by_key(|at| nodes[*at as usize].id);
        let first_of = (0..=255u8).map(|id| order.partition_point(|at| nodes[*at as usize].id < id) as u32).collect();
        Turns {
            leader,
            first_of,
            first,
            order,
            nodes,
            // node 0 first recovers: a cycle without a beacon
            wire: Wire::Silent {
                from: first,
                since: Time::ZERO + times.opportunity.times(leader.node_count.into()),
                next: leader.node_count,
            },
            last: (first, Time::ZERO),
            beacon: Time::ZERO,
            arrivals: VecDeque::new(),
            free: None,
            due: (Time::NEVER, Due::Nothing),
            waiting: 0,
            defer: Vec::new(),
            held: Vec::new(),
            times,
            tally: SegmentTally::new(settings),
            settings: settings.clone(),
        }
    }

    #[inline]
    pub(super) fn next_time(&self) -> Time {
        self.due.0
    }

    #[inline]
    fn between(&self, from: u32, to: u32) -> Duration {
        self.settings.between(from, to)
    }

    pub(super) fn offer(&mut self, now: Time, node: u32, frame: Offered) {
        self.skip(now);
        self.tally.nodes[node as usize].sends = true;
        let contended = self.waiting > 0;
        self.waiting += 1;
        // data that are received now are a carrier; a commit is none
        let (silent, busy) = match self.wire {
            Wire::Busy { node: sender, begins, ends, .. } => {
                let after = self.between(sender, node);
                (ends + after, sender == node || begins + after <= now)
            }
            _ => (Time::ZERO, false),
        };
        let silent = if busy { silent } else { self.last.1 + self.between(self.last.0, node) };
        let attempt = now.max(silent + self.times.gap);
        let place = &mut self.nodes[node as usize];
        (place.frame, place.taken, place.collided, place.attempts) = (frame, now, Duration::ZERO, 0);
        place.contended = contended;
        self.set(node, Stage::Defers(attempt));
        if attempt > now {
            self.tally.nodes[node as usize].deferrals += 1;
        } else {
            self.attempt(now, node);
        }
        self.look();
    }

    /// A node's frame gets on.
    fn set(&mut self, node: u32, stage: Stage) {
        let before = std::mem::replace(&mut self.nodes[node as usize].stage, stage);
        for (of, list) in [(before, false), (stage, true)] {
            let list_of = match of {
                Stage::Defers(_) => &mut self.defer,
                Stage::Held(_) => &mut self.held,
                _ => continue,
            };
            match list {
                true => list_of.push(node),
                false => {
                    let place = list_of.iter().position(|other| *other == node).expect("it is on the list");
                    list_of.swap_remove(place);
                }
            }
        }
    }

    pub(super) fn advance(&mut self, limit: Time, events: &mut Vec<SegmentEvent>) -> Option<Time> {
        let (now, due) = self.due;
        if now > limit || due == Due::Nothing {
            return None;
        }
        match due {
            Due::Nothing => {}
            Due::Arrival => {
                let (_, passage, sent) = self.arrivals.pop_front().expect("it was due");
                let time = self.settings.time(sent.bits);
                self.tally.sent(&passage, sent.bits, time, sent.attempts, sent.contended);
                events.push(SegmentEvent::Arrived(passage));
            }
            Due::Free => {
                let (_, node) = self.free.take().expect("it was due");
                self.set(node, Stage::None);
                self.waiting -= 1;
                events.push(SegmentEvent::Free(node));
            }
            Due::End => self.end(now),
            Due::Attempt(node) => self.attempt(now, node),
            Due::Full(node) => self.collide(node, now, now),
            Due::Turn(node) => self.turn(now, node),
            Due::Beacon => self.begin_cycle(now),
        }
        self.look();
        Some(now)
    }

    /// Cycles up to `now`, in which no node had a frame.
    fn skip(&mut self, now: Time) {
        let Wire::Silent { from, since, next } = self.wire else { return };
        let begins = self.cycle_begins(from, since, next);
        if begins > now || self.waiting > 0 {
            return;
        }
        let cycle = self.times.beacon + self.times.opportunity.times(self.leader.node_count.into());
        let whole = (now - begins).whole(cycle);
        self.begin_cycle(begins);
        if whole > 0 {
            let Wire::Silent { since, .. } = &mut self.wire else { unreachable!("a cycle has begun") };
            *since += cycle.times(whole);
            self.beacon += cycle.times(whole);
            self.tally.cycles_alike(cycle, whole);
            self.tally.opportunities[1] += whole * self.order.len() as u64;
        }
    }

    /// Cycles that no node used are counted at the end of a run.
    pub(super) fn count_idle(&mut self, now: Time) {
        self.skip(now);
        self.look();
    }

    fn cycle_begins(&self, from: u32, since: Time, next: u8) -> Time {
        let left = self.leader.node_count.saturating_sub(next);
        since + self.between(from, self.first) + self.times.opportunity.times(left.into())
    }

    fn begin_cycle(&mut self, now: Time) {
        self.beacon = now;
        let since = now + self.times.beacon;
        self.wire = Wire::Silent { from: self.first, since, next: 0 };
        self.tally.cycle(since);
        self.tally.opportunities[1] += self.order.len() as u64;
        self.receive(self.first, now);
    }

    /// A beacon or a commit of `sender` from `since` on reaches the nodes whose frames are in the delay line.
    fn receive(&mut self, sender: u32, since: Time) {
        let mut at = 0;
        while let Some(&node) = self.held.get(at) {
            let Stage::Held(held) = self.nodes[node as usize].stage else { unreachable!("it is on the list") };
            let arrives = since + self.between(sender, node);
            if node != sender && arrives < held + self.times.delay_line {
                self.collide(node, held, arrives);
            } else {
                at += 1;
            }
        }
    }

    /// A MAC starts its frame, and the frame goes into the delay line.
    fn attempt(&mut self, now: Time, node: u32) {
        let place = &mut self.nodes[node as usize];
        if place.attempts == 0 {
            place.first = now;
        }
        place.attempts += 1;
        let reception = match self.wire {
            Wire::Busy { node: sender, since, .. } | Wire::Burst { node: sender, since, .. } if sender != node => {
                Some(since + self.between(sender, node))
            }
            Wire::Burst { since, bc, .. } => return self.transmit(since, now, node, bc),
            Wire::Busy { .. } => None,
            Wire::Silent { from, since, next } => {
                // what the sender before has sent, or a beacon, may still come
                let tail = since + self.between(from, node) > now;
                let beacon = self.beacon + self.between(self.first, node);
                match next {
                    0 => Some(beacon).filter(|at| *at >= now && node != self.first),
                    _ => Some(now).filter(|_| tail),
                }
            }
        };
        match reception {
            Some(begins) if begins <= now => self.collide(node, now, now),
            Some(begins) => self.collide(node, now, begins),
            None => self.set(node, Stage::Held(now)),
        }
    }

    /// The MAC that started at `started` is shown a collision at `at`.
    fn collide(&mut self, node: u32, started: Time, at: Time) {
        let Times { preamble, jam, slot, pending, .. } = self.times;
        let place = &mut self.nodes[node as usize];
        let started = if let Stage::Held(since) = place.stage { since } else { started };
        let jammed = at.max(started + preamble) + jam;
        let slots = place.random.below(2);
        place.collided += jammed + slot.times(slots.into()) - started;
        self.set(node, Stage::Pending(jammed + pending));
        self.tally.nodes[node as usize].logical += 1;
    }

    /// A node commits to its turn.
    fn turn(&mut self, now: Time, node: u32) {
        self.tally.opportunities[0] += 1;
        let begins = match self.nodes[node as usize].stage {
            Stage::Held(_) => now,
            _ => {
                self.nodes[node as usize].attempts += 1;
                now + self.times.gap
            }
        };
        self.transmit(now, begins, node, 0);
    }

    /// A node that committed at `since` sends its frame from `begins` on.
    fn transmit(&mut self, since: Time, begins: Time, node: u32, bc: u8) {
        let place = &mut self.nodes[node as usize];
        let lasts = self.settings.time(place.frame.bits);
        let ends = begins + lasts;
        let sent = if let Stage::Held(held) = place.stage { held + lasts } else { ends };
        let frame = place.frame;
        let access = (begins - place.taken).saturating_sub(place.collided);
        let Node { taken, first, collided, .. } = *place;
        let passage = Passage { packet: frame.packet, node, queued: frame.queued, taken, first, access, collided };
        let counted =
            Sent { bits: frame.bits, attempts: place.attempts, contended: place.contended || self.waiting > 1 };
        self.set(node, Stage::Sends);
        self.free = Some((sent, node));
        self.arrivals.push_back((ends + self.between(node, frame.to), passage, counted));
        self.wire = Wire::Busy { node, since, begins, ends, bc };
        self.receive(node, since);
    }

    /// A frame has left the wire, or nothing more comes of a burst.
    fn end(&mut self, now: Time) {
        let (node, bc, was_busy) = match self.wire {
            Wire::Busy { node, bc, .. } => (node, bc, true),
            Wire::Burst { node, bc, .. } => (node, bc, false),
            Wire::Silent { .. } => unreachable!("the wire is in use"),
        };
        if was_busy {
            self.last = (node, now);
        }
        self.wire = match was_busy && bc < self.nodes[node as usize].max_bc {
            true => Wire::Burst { node, since: now, until: now + self.times.burst, bc: bc + 1 },
            false => Wire::Silent { from: node, since: now, next: self.nodes[node as usize].id.saturating_add(1) },
        };
    }

    /// The next turn of a node whose frame is ready for it, in this cycle.
    fn next_turn(&self, from: u32, since: Time, next: u8) -> Option<(Time, u32)> {
        self.order[self.first_of[next as usize] as usize..].iter().find_map(|&at| {
            let node = &self.nodes[at as usize];
            let (Stage::Held(ready) | Stage::Pending(ready)) = node.stage else { return None };
            let comes = since + self.between(from, at) + self.times.opportunity.times(u64::from(node.id - next));
            // a turn that begins with silence is over before a timer of that instant
            let in_time = ready < comes || ready == comes && node.id > next;
            in_time.then_some((comes, at))
        })
    }

    /// Finds what is due first.
    fn look(&mut self) {
        let mut due = (Time::NEVER, Due::Nothing);
        let mut offer = |at: Time, what: Due| {
            if at < due.0 {
                due = (at, what);
            }
        };
        if let Some((at, ..)) = self.arrivals.front() {
            offer(*at, Due::Arrival);
        }
        if let Some((at, _)) = self.free {
            offer(at, Due::Free);
        }
        for &node in &self.defer {
            if let Stage::Defers(until) = self.nodes[node as usize].stage {
                offer(until, Due::Attempt(node));
            }
        }
        for &node in &self.held {
            if let Stage::Held(since) = self.nodes[node as usize].stage {
                offer(since + self.times.delay_line, Due::Full(node));
            }
        }
        match self.wire {
            Wire::Busy { ends, .. } => offer(ends, Due::End),
            Wire::Burst { until, .. } => offer(until, Due::End),
            Wire::Silent { .. } if self.waiting == 0 => {}
            Wire::Silent { from, since, next } => match self.next_turn(from, since, next) {
                Some((comes, node)) => offer(comes, Due::Turn(node)),
                None => offer(self.cycle_begins(from, since, next), Due::Beacon),
            },
        }
        self.due = due;
    }
}

impl Rekey for Turns {
    fn rekey(&mut self, copy: CopyKey) {
        self.nodes.iter_mut().for_each(|node| node.random.rekey(copy));
    }
}
