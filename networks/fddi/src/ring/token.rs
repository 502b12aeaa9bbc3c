//! The token: its circulation, the next MAC to capture it, and the service of that MAC until it releases the token.

use sojourn_core::{Duration, Time};
use sojourn_protocols::fddi::{TOKEN_TIME, wire_time};

use super::settings::Class;
use super::{Carried, Due, Outcome, Phase, Ring};

/// A token that a MAC holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    pub mac: u32,
    /// When the first symbol of its own left.
    began: Time,
    /// THT as the token came; zero for a late one.
    earliness: Duration,
    /// When THT began to run: the synchronous frames are done.
    asynchronous_since: Option<Time>,
    may_synchronous: bool,
    may_asynchronous: bool,
    /// Of the allocation.
    synchronous_time: Duration,
    synchronous_frames: u32,
    asynchronous_frames: u32,
}

impl Ring {
    /// The token arrives at `mac` at `at`; no MAC before it captures it.
    #[inline]
    fn advance(&mut self, mac: u32, at: Time) {
        let laps = self.course.laps_until(mac, at, &self.path);
        if laps > 0 {
            self.end_laps(laps);
        }
        self.course.visit(mac);
    }

    /// The present lap and others without a capture have ended, `laps` in all.
    pub(super) fn end_laps(&mut self, laps: u64) {
        for left in (1..=laps).rev() {
            if self.timers.all_early() && self.course.is_idle() {
                // the token goes on coming early, once a round
                self.course.skip(left, &self.path);
                for observer in &mut self.observers {
                    let last = self.course.earlier(observer.mac, &self.path).expect("an idle lap passes every MAC");
                    observer.idle_tokens(last, self.path.round());
                }
                return;
            }
            self.timers.end_lap(&self.course, &self.path);
            for observer in &mut self.observers {
                if let Some(arrival) = self.course.arrival(observer.mac, &self.path) {
                    observer.token(arrival);
                }
            }
            self.course.wrap(&self.path);
        }
    }

    /// The next event of a token that has just left a MAC.
    pub(super) fn plan_travel(&mut self) {
        let front = self.course.front();
        let next = self.waiting.next_from(front).or_else(|| self.waiting.next_from(0));
        (self.next, self.due) = match next {
            Some(mac) => (self.course.next_arrival(mac, Time::ZERO, &self.path), Due::Visit(mac)),
            None => (Time::NEVER, Due::Nothing),
        };
        // within a round the token comes to every MAC; from then on it comes early enough
        let round = self.course.base() + self.path.round() + self.path.offset(front.saturating_sub(1));
        if let Some((at, mac)) = self.alarm_until(self.next.min(round)) {
            (self.next, self.due) = (at, Due::Recover(mac));
        }
    }

    /// The token comes to `mac`, which has something to send.
    pub(super) fn visit(&mut self, now: Time, mac: u32) -> Option<Carried> {
        self.advance(mac, now);
        let expiry = self.timers.expiry_before(mac, &self.course, &self.path);
        let token = if self.initial_rotations { self.course.token_number(mac) } else { u64::MAX };
        let mut hold = Hold {
            mac,
            began: now + self.path.latency(mac),
            earliness: expiry.since(now),
            asynchronous_since: None,
            // X3.139: after a claim, the first rotation sets timers and the second carries synchronous frames only
            may_synchronous: token >= 2,
            may_asynchronous: token >= 3,
            synchronous_time: Duration::ZERO,
            synchronous_frames: 0,
            asynchronous_frames: 0,
        };
        let began = hold.began;
        match self.choose(&mut hold, began) {
            Some(class) => {
                self.counts[mac as usize].tokens_captured += 1;
                Some(self.send(hold, class, began))
            }
            None => {
                self.plan_travel();
                None
            }
        }
    }

    /// A frame has ended: another one, or the token right behind it.
    pub(super) fn frame_ended(&mut self, now: Time, mut hold: Hold) -> Option<Carried> {
        match self.choose(&mut hold, now) {
            Some(class) => Some(self.send(hold, class, now)),
            None => {
                // the captured token was stripped, so a whole new one is sent
                self.course.delay(now - hold.began + TOKEN_TIME);
                self.phase = Phase::Travelling;
                match std::mem::take(&mut self.faults.token) {
                    true => self.fall_silent(now),
                    false => self.plan_travel(),
                }
                None
            }
        }
    }

    /// The class of the frame to send at `at`: synchronous ones first, then by priority while the token is early.
    fn choose(&self, hold: &mut Hold, at: Time) -> Option<Class> {
        if hold.asynchronous_since.is_none() && self.may_send_synchronous(hold) {
            return Some(Class::Synchronous);
        }
        let settings = &self.macs[hold.mac as usize];
        // THT is disabled while synchronous frames are sent, so they do not shorten the asynchronous time
        let since = *hold.asynchronous_since.get_or_insert(at);
        let left = hold.earliness.saturating_sub(at - since);
        let may = hold.may_asynchronous && hold.asynchronous_frames < settings.asynchronous.most();
        if !may || left == Duration::ZERO {
            return None;
        }
        let mut priorities = self.queues.priorities(hold.mac);
        priorities.find(|&priority| left > settings.thresholds[usize::from(priority)]).map(Class::Asynchronous)
    }

    fn may_send_synchronous(&self, hold: &Hold) -> bool {
        let settings = &self.macs[hold.mac as usize];
        let Some(frame) = self.queues.synchronous(hold.mac) else { return false };
        let fits = hold.synchronous_time + wire_time(frame.length as usize) <= settings.synchronous_allocation;
        hold.may_synchronous
            && hold.synchronous_frames < settings.synchronous.most()
            && (fits || !settings.enforce_allocation)
    }

    /// Begins the longest waiting frame of `class`.
    fn send(&mut self, mut hold: Hold, class: Class, start: Time) -> Carried {
        let mac = hold.mac;
        let frame = self.queues.pop(mac, class).expect("the class was chosen because it has a frame");
        if self.queues.is_empty(mac) {
            self.waiting.remove(mac);
        }
        let time = wire_time(frame.length as usize);
        let counts = &mut self.counts[mac as usize];
        match class {
            Class::Synchronous => {
                hold.synchronous_frames += 1;
                hold.synchronous_time += time;
                counts.synchronous_frames += 1;
                counts.most_synchronous_per_token = counts.most_synchronous_per_token.max(hold.synchronous_frames);
            }
            Class::Asynchronous(_) => {
                hold.asynchronous_frames += 1;
                counts.asynchronous_frames += 1;
                counts.most_asynchronous_per_token = counts.most_asynchronous_per_token.max(hold.asynchronous_frames);
            }
        }
        self.phase = Phase::Holding(hold);
        let outcome = self.faults.next_outcome();
        let mut carried =
            Carried { mac, tag: frame.tag, class, length: frame.length, start, end: start + time, outcome };
        self.plan_frame(&mut carried);
        self.tally.frames += 1;
        self.tally.octets += u64::from(frame.length);
        self.tally.busy += carried.end.since(start);
        self.tally.damaged += u64::from(carried.outcome != Outcome::Sent);
        if carried.outcome == Outcome::Sent {
            self.last_valid = Some((mac, carried.end));
        }
        carried
    }

    /// The next event is the frame's end, unless some MAC's timer runs out twice before: its claim cuts the frame off.
    fn plan_frame(&mut self, carried: &mut Carried) {
        (self.next, self.due) = (carried.end, Due::FrameEnds);
        if let Some((at, mac)) = self.alarm_until(carried.end) {
            (self.next, self.due) = (at, Due::Recover(mac));
            (carried.end, carried.outcome) = (at.max(carried.start), Outcome::Aborted);
        }
    }
}
