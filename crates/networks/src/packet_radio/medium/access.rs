//! Access: who waits for the channel, and who gets it.

use std::cmp::Reverse;

use sojourn_core::Time;

use super::carrier_sense::Alarm;
use super::member::Phase;
use super::{Channel, Happening, Loading};

impl Channel {
    /// Lets a member wait for the channel.
    pub(super) fn contend(&mut self, now: Time, member: u32) {
        let state = &mut self.members[member as usize];
        state.phase = Phase::Waiting;
        match state.ear {
            Some(ear) if state.resumes <= now => self.listen(now, ear, member),
            Some(_) => self.arrivals.push(Reverse((state.resumes, member))),
            None => self.arrivals.push(Reverse((now, member))),
        }
    }

    /// A member that waited for its receiver contends, or one that need not listen gets the channel.
    pub(super) fn arrive(&mut self, now: Time) -> Option<Happening> {
        let Reverse((_, member)) = self.arrivals.pop().expect("an arrival");
        let Some(ear) = self.members[member as usize].ear else { return Some(self.grant(now, member)) };
        self.listen(now, ear, member);
        None
    }

    /// What an ear does now.
    pub(super) fn alarm(&mut self, now: Time) -> Happening {
        match self.ears.alarm(now).expect("an alarm that is due") {
            Alarm::Fires(member) => self.grant(now, member),
            Alarm::Notice { ear, detected } => Happening::Carrier { ear, detected },
        }
    }

    fn listen(&mut self, now: Time, ear: u32, member: u32) {
        let slots = self.members[member as usize].draw_slots();
        self.ears.join(now, ear, member, slots);
    }

    fn grant(&mut self, now: Time, member: u32) -> Happening {
        let state = &mut self.members[member as usize];
        match state.settings.loading {
            Loading::AtKeyUp => {
                state.phase = Phase::Granted;
                Happening::Load { member }
            }
            Loading::AfterTransmitDelay => {
                self.key_up(now, member);
                Happening::Keyed { member }
            }
        }
    }
}
