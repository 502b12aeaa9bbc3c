//! Channel access: members waiting for the channel, and the next one to transmit.

use std::cmp::Reverse;

use sojourn_core::Time;

use super::carrier_sense::SenseEvent;
use super::member::Phase;
use super::{Channel, ChannelEvent, Loading};

impl Channel {
    /// A member starts to contend for the channel.
    pub(super) fn contend(&mut self, now: Time, member: u32) {
        let state = &mut self.members[member as usize];
        state.phase = Phase::Waiting;
        match state.group {
            Some(group) if state.contends_from <= now => self.listen(now, group, member),
            Some(_) => self.resuming.push(Reverse((state.contends_from, member))),
            None => self.resuming.push(Reverse((now, member))),
        }
    }

    /// A member whose receiver has recovered contends; a full-duplex one gets the channel.
    pub(super) fn resume(&mut self, now: Time) -> Option<ChannelEvent> {
        let Reverse((_, member)) = self.resuming.pop().expect("a member that resumes");
        let Some(group) = self.members[member as usize].group else { return Some(self.grant(now, member)) };
        self.listen(now, group, member);
        None
    }

    /// The event of a carrier-sense group that is due now.
    pub(super) fn sense_event(&mut self, now: Time) -> ChannelEvent {
        match self.carrier_sense.handle(now).expect("an event that is due") {
            SenseEvent::Transmit(member) => self.grant(now, member),
            SenseEvent::Carrier { group, detected } => ChannelEvent::Carrier { group, detected },
        }
    }

    fn listen(&mut self, now: Time, group: u32, member: u32) {
        let slots = self.members[member as usize].draw_slots();
        self.carrier_sense.join(now, group, member, slots);
    }

    fn grant(&mut self, now: Time, member: u32) -> ChannelEvent {
        let state = &mut self.members[member as usize];
        match state.settings.loading {
            Loading::AtKeyUp => {
                state.phase = Phase::Granted;
                ChannelEvent::Load { member }
            }
            Loading::AfterTxdelay => {
                self.key_up(now, member);
                ChannelEvent::Keyed { member }
            }
        }
    }
}
