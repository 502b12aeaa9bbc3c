//! Bursts: a carrier, its frames, and the end of each.

use sojourn_core::{Duration, Time};
use sojourn_protocols::ax25::hdlc::air_time::UNITS_PER_BIT;

use super::correction::Coded;
use super::member::{BurstFrame, Phase};
use super::{AirFrame, Channel, ChannelEvent, FrameErrors};

/// A carrier, on or past.
#[derive(Clone, Copy, Debug)]
pub struct Carrier {
    pub member: u32,
    pub keyed: Time,
    /// When it goes off; never while that is unknown.
    pub unkeyed: Time,
}

/// A carrier that is on, and its progress.
#[derive(Clone, Copy, Debug)]
pub struct Burst {
    pub carrier: Carrier,
    /// Start of the frame being transmitted, or of the first.
    pub frame_start: Time,
    /// Index of the frame being transmitted.
    frame: usize,
    /// When its next event is due.
    pub next: Time,
    overlapped: bool,
}

/// The frame that has just ended.
#[derive(Clone, Copy, Debug)]
pub struct EndedFrame {
    pub member: u32,
    pub keyed: Time,
    pub start: Time,
    pub end: Time,
    pub units: u64,
    pub coded: Option<Coded>,
    pub cut: bool,
    /// Whether the transmitter sent it with a wrong FCS.
    pub spoilt: bool,
}

impl Channel {
    /// Keys the transmitter of a member that has been granted the channel.
    pub(super) fn key_up(&mut self, now: Time, member: u32) {
        let state = &mut self.members[member as usize];
        state.phase = Phase::Keyed;
        state.frames.clear();
        let frame_start = now + state.settings.txdelay;
        let overlapped = !self.bursts.is_empty();
        if !overlapped {
            self.busy_since = now;
        }
        for other in &mut self.bursts {
            self.tally.overlapped += u64::from(!other.overlapped);
            other.overlapped = true;
        }
        self.tally.key_ups += 1;
        self.tally.overlapped += u64::from(overlapped);
        let carrier = Carrier { member, keyed: now, unkeyed: Time::NEVER };
        self.bursts.push(Burst { carrier, frame_start, frame: 0, next: frame_start, overlapped });
        self.carrier_sense.carrier_on(now, member);
    }

    /// Puts frames on the carrier of `member`.
    pub(super) fn put(&mut self, member: u32, frames: impl Iterator<Item = AirFrame>) {
        let burst = self.bursts.iter_mut().find(|burst| burst.carrier.member == member).expect("a carrier that is on");
        let state = &mut self.members[member as usize];
        let limit = state.settings.transmission_limit.map_or(Time::NEVER, |limit| burst.carrier.keyed + limit);
        let (mut units, mut end) = (0, burst.frame_start);
        for frame @ AirFrame { tag, octets, .. } in frames {
            let (coded, own) = self.settings.framing.of(frame);
            units += own;
            // from the start of the burst, so that rounding does not accumulate over its frames
            end = burst.frame_start + Duration::from_units(units, self.settings.bit_rate * UNITS_PER_BIT);
            state.frames.push(BurstFrame { tag, octets, units: own, coded, end: end.min(limit), cut: end > limit });
        }
        burst.carrier.unkeyed = (end + state.settings.txtail).min(limit);
        burst.next = state.frames.first().map_or(burst.carrier.unkeyed, |first| first.end);
    }

    /// The event of the burst at `place` now.
    pub(super) fn advance(&mut self, now: Time, place: usize) -> ChannelEvent {
        let burst = &mut self.bursts[place];
        let Carrier { member, keyed, unkeyed } = burst.carrier;
        if unkeyed == Time::NEVER {
            burst.next = Time::NEVER;
            return ChannelEvent::Load { member };
        }
        let state = &mut self.members[member as usize];
        let frames = &state.frames;
        let Some(&BurstFrame { tag, octets, units, coded, cut, .. }) = frames.get(burst.frame) else {
            return self.key_off(now, place);
        };
        let start = burst.frame_start;
        burst.frame += 1;
        burst.frame_start = now;
        burst.next = frames.get(burst.frame).map_or(unkeyed, |following| following.end);
        let spoilt = state.settings.frame_errors.as_mut().is_some_and(FrameErrors::spoils);
        self.last_ended = Some(EndedFrame { member, keyed, start, end: now, units, coded, cut, spoilt });
        self.tally.frames += 1;
        self.tally.octets += u64::from(octets);
        self.tally.cut += u64::from(cut);
        ChannelEvent::Ended { member, tag, start }
    }

    /// Turns off the carrier of the burst at `place`.
    fn key_off(&mut self, now: Time, place: usize) -> ChannelEvent {
        let Burst { carrier, .. } = self.bursts.swap_remove(place);
        let member = carrier.member;
        if self.bursts.is_empty() {
            self.tally.busy += now.since(self.busy_since);
        }
        self.carrier_sense.carrier_off(now, member, self.bursts.iter().map(|burst| burst.carrier));
        self.keep_carrier(now, carrier);
        let state = &mut self.members[member as usize];
        state.phase = Phase::Idle;
        // a receiver that is still recovering would take a busy channel for an idle one
        state.contends_from = now + state.settings.receiver_recovery.max(state.settings.dwait);
        if std::mem::take(&mut state.requested) {
            self.contend(now, member);
        }
        ChannelEvent::Unkeyed { member }
    }

    /// Keeps the past carriers that may still collide with a frame, frames that start at `now` or later included.
    fn keep_carrier(&mut self, now: Time, carrier: Carrier) {
        let Self { members, bursts, past_carriers, .. } = self;
        let horizon = bursts.iter().map(|burst| burst.frame_start).fold(now, Time::min);
        let recovery = |carrier: &Carrier| members[carrier.member as usize].settings.receiver_recovery;
        let matters = |carrier: &Carrier| carrier.unkeyed + recovery(carrier) > horizon;
        past_carriers.retain(matters);
        past_carriers.extend(Some(carrier).filter(matters));
    }
}
