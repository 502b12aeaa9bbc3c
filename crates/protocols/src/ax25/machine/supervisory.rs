//! RR, RNR, REJ and SREJ, as they come in, and what any N(R) acknowledges.

use super::context::{Context, Sense};
use super::counters::Counter;
use super::link::{Link, LinkState};
use super::output::Output;
use crate::UserData;
use crate::ax25::wire::{Reasons, SequenceSet, Supervisory};

impl<D: UserData> Link<D> {
    /// An S frame of a link that is up.
    pub fn supervisory(
        &mut self,
        context: &mut Context<'_, D>,
        sense: Sense,
        kind: Supervisory,
        receive: u8,
        further: SequenceSet,
        control: u16,
    ) {
        if !self.sending.accepts(receive) {
            let reasons = Reasons { invalid_n_r: true, ..Reasons::default() };
            return self.refuse_frame(context, control, sense, reasons);
        }
        self.note_peer_busy(context, kind == Supervisory::Rnr);
        self.owed.answer |= sense.polls;
        let finals = sense.finals && self.state == LinkState::TimerRecovery;
        // an SREJ acknowledges only if it answers a poll
        if kind != Supervisory::Srej || sense.finals {
            self.acknowledged(context, receive);
        }
        if finals {
            self.recovered();
        }
        match kind {
            Supervisory::Srej => {
                context.count(Counter::RejectsReceived);
                self.sending.repeat(receive);
                further.from_on(receive, self.modulo).for_each(|number| self.sending.repeat(number));
            }
            Supervisory::Rej => {
                context.count(Counter::RejectsReceived);
                if self.state == LinkState::Connected {
                    self.go_back();
                }
            }
            // all that the other station lacks is known now
            Supervisory::Rr | Supervisory::Rnr if finals => self.go_back(),
            Supervisory::Rr | Supervisory::Rnr => {}
        }
    }

    /// The other station has answered.
    fn recovered(&mut self) {
        self.state = LinkState::Connected;
        self.tries = 0;
        self.owed.enquiry = false;
        self.t1.stop();
    }

    /// Everything that is not acknowledged is sent again.
    fn go_back(&mut self) {
        if self.sending.unacknowledged() > 0 {
            self.sending.turn_back();
            self.t1.stop();
        }
    }

    fn note_peer_busy(&mut self, context: &mut Context<'_, D>, busy: bool) {
        if std::mem::replace(&mut self.peer_busy, busy) != busy {
            context.emit(Output::PeerBusy { link: self.id, busy });
        }
    }

    /// Everything before an acceptable N(R) has arrived.
    pub fn acknowledged(&mut self, context: &mut Context<'_, D>, receive: u8) {
        let acknowledged = self.sending.acknowledge(receive);
        if acknowledged.frames == 0 {
            return;
        }
        if self.state == LinkState::Connected {
            if let (true, Some(sample)) = (acknowledged.sent_once, self.t1.elapsed(context.now)) {
                self.round_trip.measured(sample);
            }
            // it runs anew if anything is left
            self.t1.stop();
        }
        context.emit(Output::Acknowledged { link: self.id, frames: acknowledged.frames });
    }
}
