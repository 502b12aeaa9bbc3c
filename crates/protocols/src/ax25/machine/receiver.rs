//! The receiving half of a link: V(R), the reject exception, the own receiver's busy condition, and the S frames that
//! are pending.

use super::context::Context;
use super::counters::Counter;
use super::output::{LinkId, Output};
use super::parameters::Parameters;
use super::reorder_buffer::ReorderBuffer;
use super::settings::RejectMode;
use super::timer::Timer;
use crate::ax25::wire::{Modulo, Pid, SequenceSet, Supervisory};

/// What a link has received, and what it is to respond (AX.25 v2.2 section 6.4).
#[derive(Clone, Debug)]
pub(super) struct Receiver<D> {
    v_r: u8,
    /// Own receiver busy: the user accepts no information.
    busy: bool,
    /// REJ exception: REJ has been sent for frame V(R).
    reject_exception: bool,
    reorder: ReorderBuffer<D>,
    /// Acknowledge pending: N(R), or the busy condition, is to be reported.
    acknowledge_pending: bool,
    /// REJ or SREJ is to be sent.
    reject_pending: bool,
    /// A command polled: the response carries F.
    final_pending: bool,
    /// Runs while an acknowledgement is delayed.
    pub t2: Timer,
}

impl<D> Receiver<D> {
    pub fn new() -> Self {
        Receiver {
            v_r: 0,
            busy: false,
            reject_exception: false,
            reorder: ReorderBuffer::new(),
            acknowledge_pending: false,
            reject_pending: false,
            final_pending: false,
            t2: Timer::Stopped,
        }
    }

    /// Restarts at V(R) = 0.
    pub fn restart(&mut self) {
        self.v_r = 0;
        self.reject_exception = false;
        self.reorder.clear();
        // the user is as busy as before, and the peer does not know
        self.acknowledge_pending = self.busy;
        (self.reject_pending, self.final_pending) = (false, false);
        self.t2.stop();
    }

    /// V(R), the N(S) expected next.
    pub const fn v_r(&self) -> u8 {
        self.v_r
    }

    pub const fn is_busy(&self) -> bool {
        self.busy
    }

    /// Sets or clears the own receiver's busy condition; returns whether that changed it.
    pub const fn set_busy(&mut self, busy: bool) -> bool {
        std::mem::replace(&mut self.busy, busy) != busy
    }

    /// N(R), or the busy condition, is to be reported.
    pub const fn set_acknowledge_pending(&mut self) {
        self.acknowledge_pending = true;
    }

    /// A command polled: the next response carries F.
    pub const fn set_final_pending(&mut self) {
        self.final_pending = true;
    }

    /// Takes an I frame with an acceptable N(R): delivers it if it is in sequence, else keeps or drops it.
    pub fn information(
        &mut self,
        context: &mut Context<'_, D>,
        link: LinkId,
        parameters: &Parameters,
        n_s: u8,
        (pid, data): (Pid, D),
    ) {
        if self.busy {
            context.count(Counter::InformationDropped);
        } else if n_s == self.v_r {
            self.deliver(context, link, parameters.modulo, (pid, data));
        } else if parameters.reject_mode == RejectMode::GoBack {
            context.count(Counter::InformationDropped);
            self.reject_pending |= !std::mem::replace(&mut self.reject_exception, true);
        } else {
            self.out_of_sequence(context, parameters.modulo, n_s, (pid, data));
        }
    }

    fn deliver(&mut self, context: &mut Context<'_, D>, link: LinkId, modulo: Modulo, frame: (Pid, D)) {
        self.reject_exception = false;
        self.reject_pending = false;
        let mut next = Some(frame);
        while let Some((pid, data)) = next {
            context.count(Counter::InformationReceived);
            context.emit(Output::Deliver { link, pid, data });
            next = self.reorder.advance(self.v_r);
            self.v_r = modulo.after(self.v_r, 1);
        }
        self.delay_acknowledgement(context);
    }

    /// Buffers a frame within half the modulus ahead and requests what is missing; one behind is a duplicate.
    fn out_of_sequence(&mut self, context: &mut Context<'_, D>, modulo: Modulo, n_s: u8, (pid, data): (Pid, D)) {
        let offset = modulo.distance(self.v_r, n_s);
        if offset > modulo.largest() / 2 || !self.reorder.insert(offset, pid, data) {
            context.count(Counter::InformationDropped);
            // its acknowledgement was lost
            self.delay_acknowledgement(context);
            return;
        }
        self.reject_pending |= !self.reorder.not_requested(self.v_r, modulo).is_empty();
    }

    /// The acknowledgement waits for a frame that carries N(R) anyway, or for T2.
    fn delay_acknowledgement(&mut self, context: &Context<'_, D>) {
        if context.settings.t2.picoseconds() == 0 {
            self.acknowledge_pending = true;
        } else if self.t2.is_stopped() && !self.acknowledge_pending {
            self.t2.start(context.now, context.settings.t2);
            if context.settings.t2_pauses && context.channel_busy {
                self.t2.pause(context.now);
            }
        }
    }

    /// N(R) has been sent.
    pub fn acknowledged(&mut self) {
        self.acknowledge_pending = false;
        self.t2.stop();
    }

    /// Whether a response is pending.
    pub const fn has_pending(&self) -> bool {
        self.final_pending || self.acknowledge_pending || self.reject_pending
    }

    /// The S frames to send now; none if an I frame is about to carry the acknowledgement. RNR is sent in any case, as no I
    /// frame carries the busy condition.
    pub fn responses(&mut self, parameters: &Parameters, information_follows: bool) -> Responses {
        let Parameters { modulo, reject_mode, .. } = *parameters;
        let is_carried = information_follows && !self.busy;
        let due = self.final_pending || self.reject_pending || self.acknowledge_pending && !is_carried;
        let mut responses = Responses {
            kind: Supervisory::Rr,
            v_r: self.v_r,
            modulo,
            multi_selective: false,
            left: SequenceSet::NONE,
            poll_final: std::mem::take(&mut self.final_pending),
        };
        let reject = std::mem::take(&mut self.reject_pending);
        if !due {
            return responses;
        }
        let gaps = reject_mode != RejectMode::GoBack && !self.reorder.is_empty();
        if gaps && !self.busy && (responses.poll_final || reject) {
            responses.kind = Supervisory::Srej;
            responses.multi_selective = reject_mode == RejectMode::MultiSelective;
            responses.left = self.request_missing(modulo, responses.poll_final);
            return responses;
        }
        responses.left.insert(self.v_r);
        if self.busy {
            responses.kind = Supervisory::Rnr;
        } else if reject {
            responses.kind = Supervisory::Rej;
        }
        self.acknowledged();
        responses
    }

    /// The missing frames to request: all of them in response to a poll, otherwise those not requested yet.
    fn request_missing(&mut self, modulo: Modulo, polled: bool) -> SequenceSet {
        let missing = if polled {
            self.acknowledged();
            self.reorder.missing(self.v_r, modulo)
        } else {
            self.reorder.not_requested(self.v_r, modulo)
        };
        self.reorder.note_requested(missing);
        missing
    }
}

/// S frames that respond, one after the other: RR, RNR, REJ, or as many SREJ as the missing frames need.
#[derive(Clone, Debug)]
pub(super) struct Responses {
    kind: Supervisory,
    v_r: u8,
    modulo: Modulo,
    multi_selective: bool,
    /// N(R) of the frames to come.
    left: SequenceSet,
    poll_final: bool,
}

/// One S frame: its type, N(R), the further numbers of a multi-selective SREJ, and F.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Response {
    pub kind: Supervisory,
    pub n_r: u8,
    pub further: SequenceSet,
    pub poll_final: bool,
}

impl Iterator for Responses {
    type Item = Response;

    fn next(&mut self) -> Option<Response> {
        let n_r = self.left.from_on(self.v_r, self.modulo).next()?;
        self.left.remove(n_r);
        let further = if self.multi_selective { std::mem::take(&mut self.left) } else { SequenceSet::NONE };
        Some(Response { kind: self.kind, n_r, further, poll_final: std::mem::take(&mut self.poll_final) })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use sojourn_core::Time;

    use super::super::counters::Counters;
    use super::super::settings::{Settings, Version};
    use super::*;

    struct Bench {
        settings: Settings,
        parameters: Parameters,
        receiver: Receiver<u8>,
        outputs: VecDeque<Output<u8>>,
        counters: Counters,
    }

    impl Bench {
        fn new(reject_mode: RejectMode) -> Self {
            let settings = Settings { version: Version::V2_2, reject_mode, ..Settings::default() };
            let mut parameters = Parameters::new(&settings, Modulo::OneHundredTwentyEight);
            parameters.reject_mode = reject_mode;
            let (outputs, counters) = (VecDeque::new(), Counters::default());
            Bench { settings, parameters, receiver: Receiver::new(), outputs, counters }
        }

        fn receive(&mut self, n_s: u8) {
            let mut context = Context {
                now: Time::ZERO,
                settings: &self.settings,
                channel_busy: false,
                outputs: &mut self.outputs,
                counters: &mut self.counters,
            };
            let link = LinkId { index: 0, serial: 1 };
            self.receiver.information(&mut context, link, &self.parameters, n_s, (Pid::NONE, n_s));
        }

        fn delivered(&mut self) -> Vec<u8> {
            let data = |output| if let Output::Deliver { data, .. } = output { Some(data) } else { None };
            self.outputs.drain(..).filter_map(data).collect()
        }

        fn responses(&mut self) -> Vec<(Supervisory, u8, bool)> {
            let responses = self.receiver.responses(&self.parameters, false);
            responses.map(|response| (response.kind, response.n_r, response.poll_final)).collect()
        }
    }

    #[test]
    fn go_back_drops_what_follows_a_gap_and_sends_one_rej() {
        let mut bench = Bench::new(RejectMode::GoBack);
        [0, 2, 3].into_iter().for_each(|n_s| bench.receive(n_s));
        assert_eq!(bench.delivered(), [0]);
        assert_eq!(bench.responses(), [(Supervisory::Rej, 1, false)]);
        bench.receive(4);
        assert_eq!(bench.responses(), []);
    }

    #[test]
    fn selective_reject_buffers_what_follows_a_gap_and_requests_each_missing_frame_once() {
        let mut bench = Bench::new(RejectMode::Selective);
        [0, 2, 4].into_iter().for_each(|n_s| bench.receive(n_s));
        assert_eq!(bench.responses(), [(Supervisory::Srej, 1, false), (Supervisory::Srej, 3, false)]);
        [1, 3].into_iter().for_each(|n_s| bench.receive(n_s));
        assert_eq!(bench.delivered(), [0, 1, 2, 3, 4]);
        assert_eq!(bench.responses(), [(Supervisory::Rr, 5, false)]);
    }

    #[test]
    fn a_multi_selective_srej_lists_all_missing_frames() {
        let mut bench = Bench::new(RejectMode::MultiSelective);
        [2, 4].into_iter().for_each(|n_s| bench.receive(n_s));
        let responses: Vec<Response> = bench.receiver.responses(&bench.parameters, false).collect();
        assert_eq!(responses.len(), 1);
        assert_eq!(responses[0].n_r, 0);
        assert_eq!(responses[0].further.from_on(0, Modulo::OneHundredTwentyEight).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn a_busy_receiver_drops_information_and_responds_with_rnr() {
        let mut bench = Bench::new(RejectMode::Selective);
        assert!(bench.receiver.set_busy(true));
        bench.receive(0);
        bench.receiver.set_final_pending();
        assert_eq!(bench.delivered(), []);
        assert_eq!(bench.responses(), [(Supervisory::Rnr, 0, true)]);
    }
}
