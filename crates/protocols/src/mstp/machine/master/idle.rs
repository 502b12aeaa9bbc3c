//! IDLE and ANSWER_DATA_REQUEST: what a master does without the token.

use super::{Master, Queued, State};
use crate::UserData;
use crate::mstp::BROADCAST;
use crate::mstp::machine::counters::Counter;
use crate::mstp::machine::messages::{Delivery, Output};
use crate::mstp::wire::{Frame, FrameType};

impl<D: UserData + Default> Master<D> {
    pub(super) fn receive_idle(&mut self, frame: Frame<D>) {
        let broadcast = frame.destination == BROADCAST;
        match frame.kind {
            FrameType::Token if !broadcast => {
                self.count(Counter::TokensReceived);
                self.frames = 0;
                self.is_sole = false;
                self.use_token();
            }
            FrameType::PollForMaster if !broadcast => {
                self.count(Counter::PollReplies);
                self.transmit_bare(FrameType::ReplyToPollForMaster, frame.source);
            }
            FrameType::TestRequest if !broadcast => {
                let Frame { source, data, .. } = frame;
                self.transmit(Frame {
                    kind: FrameType::TestResponse,
                    destination: source,
                    source: self.settings.address,
                    data,
                });
            }
            kind if kind.is_request() && !broadcast => {
                self.peer = frame.source;
                self.state = State::AnswerDataRequest;
                self.deliver(frame, false);
            }
            FrameType::Ipv6Encapsulation | FrameType::Proprietary(_) => self.deliver(frame, false),
            kind if kind.is_unsolicited() => self.deliver(frame, false),
            _ => {}
        }
    }

    pub(super) fn deliver(&mut self, frame: Frame<D>, is_reply: bool) {
        let Frame { kind, destination, source, data } = frame;
        let broadcast = destination == BROADCAST;
        self.outputs.push_back(Output::Deliver(Delivery { kind, source, broadcast, is_reply, data }));
    }

    /// The reply of the application: at once if the node that asked waits for it, else with the next token.
    pub(super) fn reply(&mut self, destination: u8, data: D) {
        let kind = FrameType::of_data(data.length(), false);
        if self.state == State::AnswerDataRequest && self.peer == destination && !self.is_sending {
            self.count(Counter::RepliesSent);
            self.state = State::Idle;
            return self.transmit(Frame { kind, destination, source: self.settings.address, data });
        }
        self.queue.push_back(Queued { kind, destination, data });
    }

    /// DeferredReply: no reply within `T_reply_delay`.
    pub(super) fn postpone(&mut self) {
        self.count(Counter::PostponedSent);
        self.state = State::Idle;
        self.transmit_bare(FrameType::ReplyPostponed, self.peer);
    }
}
