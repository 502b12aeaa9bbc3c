//! USE_TOKEN, WAIT_FOR_REPLY, DONE_WITH_TOKEN and PASS_TOKEN: what a master does with the token.

use super::{Master, Queued, State};
use crate::UserData;
use crate::mstp::BROADCAST;
use crate::mstp::machine::counters::Counter;
use crate::mstp::machine::messages::{Outcome, Output};
use crate::mstp::wire::{Frame, FrameType};

impl<D: UserData + Default> Master<D> {
    /// USE_TOKEN: sends the frame at the head of the queue, or is done.
    pub(super) fn use_token(&mut self) {
        let Some(Queued { kind, destination, data }) = self.queue.pop_front() else {
            self.frames = self.settings.max_info_frames;
            return self.done_with_token();
        };
        self.count(Counter::FramesSent);
        self.frames += 1;
        // SendAndWait, SendNoWait
        let waits = kind.expects_reply() && destination != BROADCAST;
        self.state = if waits { State::WaitForReply } else { State::DoneWithToken };
        self.peer = destination;
        self.transmit(Frame { kind, destination, source: self.settings.address, data });
    }

    /// ReplyTimeout: a retry is the application's, with a later token.
    pub(super) fn reply_timeout(&mut self) {
        self.count(Counter::ReplyTimeouts);
        self.frames = self.settings.max_info_frames;
        self.unanswered(Outcome::Timeout);
        self.done_with_token();
    }

    /// InvalidFrame, or a frame for another node.
    pub(super) fn disturbed(&mut self) {
        self.unanswered(Outcome::Disturbed);
        self.done_with_token();
    }

    pub(super) fn receive_reply(&mut self, frame: Frame<D>) {
        match frame.kind {
            FrameType::ReplyPostponed => {
                self.count(Counter::PostponedReceived);
                self.unanswered(Outcome::Postponed);
            }
            FrameType::Token | FrameType::PollForMaster | FrameType::ReplyToPollForMaster | FrameType::TestRequest => {
                self.unanswered(Outcome::Unexpected);
                return self.drop_token();
            }
            _ => self.deliver(frame, true),
        }
        self.done_with_token();
    }

    fn unanswered(&mut self, outcome: Outcome) {
        self.outputs.push_back(Output::Unanswered { destination: self.peer, outcome });
    }

    /// DONE_WITH_TOKEN: another frame, the token to the successor, or a Poll For Master.
    ///
    /// TokenCount stays at `N_poll` - 1 while the addresses up to the successor are swept, one with each token.
    pub(super) fn done_with_token(&mut self) {
        let settings = self.settings;
        let is_next_behind = self.next == settings.after(settings.address);
        if self.frames < settings.max_info_frames {
            return self.use_token();
        }
        if !self.is_sole && self.next == settings.address {
            // NextStationUnknown
            self.poll = settings.after(settings.address);
            return self.send_poll();
        }
        if self.tokens < settings.poll - 1 {
            self.tokens += 1;
            if self.is_sole && !is_next_behind {
                // SoleMaster
                self.frames = 0;
                return self.use_token();
            }
            return self.pass_token();
        }
        if settings.after(self.poll) != self.next {
            // SendMaintenancePFM
            self.poll = settings.after(self.poll);
            return self.send_poll();
        }
        self.tokens = 1;
        if self.is_sole {
            // SoleMasterRestartMaintenancePFM
            self.poll = settings.after(self.next);
            self.next = settings.address;
            return self.send_poll();
        }
        // ResetMaintenancePFM
        self.poll = settings.address;
        self.pass_token();
    }

    /// Sends the token to the successor, for the first time.
    pub(super) fn pass_token(&mut self) {
        self.count(Counter::TokensPassed);
        self.retries = 0;
        self.send_token();
    }

    fn send_token(&mut self) {
        self.events = 0;
        self.state = State::PassToken;
        self.transmit_bare(FrameType::Token, self.next);
    }

    /// PASS_TOKEN: silence for `T_usage_timeout`.
    pub(super) fn token_unused(&mut self) {
        if self.retries < self.settings.retry_token {
            // RetrySendToken
            self.retries += 1;
            self.count(Counter::TokenRetries);
            return self.send_token();
        }
        // FindNewSuccessor
        self.count(Counter::SuccessorsLost);
        self.poll = self.settings.after(self.next);
        self.next = self.settings.address;
        self.tokens = 0;
        self.send_poll();
    }
}
