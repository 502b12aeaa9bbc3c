//! NO_TOKEN and POLL_FOR_MASTER: how a master finds its successor and generates a token.

use sojourn_core::Time;

use super::{Master, State};
use crate::UserData;
use crate::mstp::machine::counters::Counter;
use crate::mstp::wire::{Frame, FrameType};

impl<D: UserData + Default> Master<D> {
    /// Polls the address PS.
    pub(super) fn send_poll(&mut self) {
        self.count(Counter::PollsSent);
        self.retries = 0;
        self.state = State::PollForMaster;
        self.transmit_bare(FrameType::PollForMaster, self.poll);
    }

    pub(super) fn receive_poll_reply(&mut self, frame: &Frame<D>) {
        if frame.kind != FrameType::ReplyToPollForMaster || frame.destination != self.settings.address {
            return self.drop_token();
        }
        // ReceivedReplyToPFM
        self.count(Counter::MastersFound);
        self.is_sole = false;
        self.next = frame.source;
        self.poll = self.settings.address;
        self.tokens = 0;
        self.pass_token();
    }

    /// No valid reply to a poll: silence for `T_usage_timeout`, or an invalid frame.
    pub(super) fn no_poll_reply(&mut self) {
        if self.is_sole {
            // SoleMaster
            self.frames = 0;
            return self.use_token();
        }
        if self.next != self.settings.address {
            // DoneWithPFM
            return self.pass_token();
        }
        let following = self.settings.after(self.poll);
        if following != self.settings.address {
            // SendNextPFM
            self.poll = following;
            return self.send_poll();
        }
        // DeclareSoleMaster
        self.count(Counter::SoleMaster);
        self.is_sole = true;
        self.frames = 0;
        self.use_token();
    }

    /// LostToken: silence for `T_no_token`.
    pub(super) fn lose_token(&mut self) {
        self.count(Counter::LostTokens);
        self.events = 0;
        self.has_missed_slot = false;
        self.state = State::NoToken;
    }

    /// When the node may generate a token: the beginning of its slot, or, where that has passed, after all slots.
    pub(super) fn generation_due(&self) -> Time {
        let address = if self.has_missed_slot { self.settings.max_master + 1 } else { self.settings.address };
        self.slot_of(address)
    }

    /// When the slot of `address` begins.
    fn slot_of(&self, address: u8) -> Time {
        self.silent + self.settings.no_token + self.settings.slot.times(u64::from(address))
    }

    /// NO_TOKEN: GenerateToken within the node's slot; a node that comes too late waits until all slots have passed.
    pub(super) fn generate_token(&mut self, now: Time) {
        let is_within = now < self.slot_of(self.settings.address + 1);
        if !is_within && now < self.slot_of(self.settings.max_master + 1) {
            self.has_missed_slot = true;
            return;
        }
        self.count(Counter::TokensGenerated);
        self.poll = self.settings.after(self.settings.address);
        self.next = self.settings.address;
        self.tokens = 0;
        self.send_poll();
    }
}
