//! Effects of events on a channel.

use sojourn_core::Time;

use super::Channel;
use super::member::Phase;

impl Channel {
    /// Whether a carrier is on.
    pub fn is_on_air(&self) -> bool {
        !self.bursts.is_empty()
    }

    /// Frames are received from now on, or no longer. One that is being transmitted is lost; carriers are detected all along.
    pub fn set_up(&mut self, now: Time, up: bool) {
        self.lost_before = if up { now } else { Time::NEVER };
    }

    /// The bit error rate from now on, with fading that of the good state.
    pub fn set_bit_error_rate(&mut self, rate: f64) {
        self.settings.bit_error_rate = rate;
        self.members.iter_mut().for_each(|member| member.set_bit_error_rate(rate));
        if let Some(fading) = &mut self.fading {
            fading.set_bit_error_rate(rate);
        }
    }

    /// A member has lost power: its carrier goes off, and with it the frames that were left. The events of its burst are due
    /// now.
    pub fn switch_off(&mut self, now: Time, member: u32) {
        let state = &mut self.members[member as usize];
        state.requested = false;
        if state.phase != Phase::Keyed {
            return;
        }
        let burst = self.bursts.iter_mut().find(|burst| burst.carrier.member == member);
        let Some(burst) = burst else { return };
        for frame in state.frames.iter_mut().filter(|frame| frame.end > now) {
            (frame.end, frame.cut) = (now, true);
        }
        burst.frame_start = burst.frame_start.min(now);
        burst.next = now;
        if burst.carrier.unkeyed != Time::NEVER {
            burst.carrier.unkeyed = now;
        }
        self.update_next();
    }
}
