//! I frames, as they come in.

use super::context::{Context, Sense};
use super::counters::Counter;
use super::link::Link;
use super::output::Output;
use super::settings::RejectMode;
use crate::UserData;
use crate::ax25::wire::{Body, Frame, Pid, Reasons};

impl<D: UserData> Link<D> {
    /// An I frame of a link that is up.
    pub fn information(&mut self, context: &mut Context<'_, D>, sense: Sense, frame: Frame<D>) {
        let control = frame.body.control(frame.poll_final).0;
        let Body::I { n_s, n_r, pid, data, .. } = frame.body else { return };
        let too_long = data.length() > usize::from(context.settings.n1_receive);
        let receive_number = !self.sending.accepts(n_r);
        if too_long || receive_number {
            let reasons = Reasons { too_long, invalid_n_r: receive_number, ..Reasons::default() };
            return self.refuse_frame(context, control, sense, reasons);
        }
        self.used = true;
        self.acknowledged(context, n_r);
        self.owed.answer |= sense.polls;
        if self.own_busy {
            context.count(Counter::InformationDropped);
        } else if n_s == self.v_r {
            self.in_sequence(context, pid, data);
        } else if self.reject == RejectMode::GoBack {
            context.count(Counter::InformationDropped);
            self.owed.reject |= !std::mem::replace(&mut self.reject_sent, true);
        } else {
            self.before_its_turn(context, n_s, pid, data);
        }
    }

    fn in_sequence(&mut self, context: &mut Context<'_, D>, pid: Pid, data: D) {
        self.reject_sent = false;
        self.owed.reject = false;
        let mut next = Some((pid, data));
        while let Some((pid, data)) = next {
            context.count(Counter::InformationReceived);
            context.emit(Output::Deliver { link: self.id, pid, data });
            next = self.early.advance(self.v_r);
            self.v_r = self.modulo.after(self.v_r, 1);
        }
        self.hold_acknowledgement(context);
    }

    /// The frame acknowledges itself with what goes out next, or when T2 ends.
    fn hold_acknowledgement(&mut self, context: &Context<'_, D>) {
        if context.settings.t2.picoseconds() == 0 {
            self.owed.acknowledge = true;
        } else if self.t2.is_stopped() && !self.owed.acknowledge {
            self.t2.start(context.now, context.settings.t2);
            if context.settings.t2_pauses && context.channel_busy {
                self.t2.pause(context.now);
            }
        }
    }

    /// Keeps a frame within half the circle ahead and asks for what is missing; one behind was received before.
    fn before_its_turn(&mut self, context: &mut Context<'_, D>, send: u8, pid: Pid, data: D) {
        let offset = self.modulo.distance(self.v_r, send);
        if offset > self.modulo.largest() / 2 || !self.early.keep(offset, pid, data) {
            context.count(Counter::InformationDropped);
            // its acknowledgement was lost
            self.hold_acknowledgement(context);
            return;
        }
        self.owed.reject |= !self.early.not_asked(self.v_r, self.modulo).is_empty();
    }
}
