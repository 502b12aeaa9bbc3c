//! One link: its state, how it changes, and what it owes the other station.

use sojourn_core::Time;

use super::context::{Context, Sense};
use super::counters::Counter;
use super::output::{Cause, LinkId, LinkKey, Output, Purpose};
use super::owed::{Owed, Unnumbered};
use super::reorder::Reorder;
use super::round_trip::RoundTrip;
use super::settings::{BusyClear, RejectMode, Settings, TimerStart, Version};
use super::timer::Timer;
use super::window::Window;
use crate::UserData;
use crate::ax25::wire::{Body, Frame, FrameReject, Modulo, Pid, Role};

/// The states of a link, as the standard numbers them, and that of v2.0 after a frame was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkState {
    /// 0: there is no link.
    Disconnected,
    /// 1: SABM has been sent.
    AwaitingConnection,
    /// 2: DISC has been sent.
    AwaitingRelease,
    /// 3: the link is up.
    Connected,
    /// 4: the link is up, and the other station has been asked how things stand.
    TimerRecovery,
    /// 5: SABME has been sent.
    AwaitingV22Connection,
    /// FRMR has been sent; the other station must begin anew.
    FrameReject,
}

/// A link to another station.
#[derive(Debug)]
pub(super) struct Link<D> {
    pub id: LinkId,
    pub key: LinkKey,
    pub state: LinkState,
    pub version: Version,
    pub modulo: Modulo,
    pub reject: RejectMode,
    /// k: I frames sent without an acknowledgement.
    pub window: u8,
    /// N1 of what is sent.
    pub information_limit: u16,
    /// N2.
    pub retries: u8,
    /// Of a link that begins anew, the frames lost by that.
    pub resetting: Option<u32>,
    /// Whether any I frame has gone either way since the link was set up.
    pub used: bool,
    pub sending: Window<D>,
    pub peer_busy: bool,
    pub v_r: u8,
    pub own_busy: bool,
    /// REJ has been sent for the frame V(R).
    pub reject_sent: bool,
    pub early: Reorder<D>,
    pub owed: Owed<D>,
    /// What the last FRMR said.
    pub rejected: FrameReject,
    /// RC: tries of what is being tried.
    pub tries: u8,
    pub t1: Timer,
    pub t2: Timer,
    pub t3: Timer,
    /// TM201, and tries of XID.
    pub negotiation: Timer,
    pub negotiation_tries: u8,
    pub round_trip: RoundTrip,
}

impl<D: UserData> Link<D> {
    /// A link that is down; so many digipeaters lie between its stations.
    pub fn new(id: LinkId, key: LinkKey, settings: &Settings, digipeaters: usize) -> Self {
        let mut link = Link {
            id,
            key,
            state: LinkState::Disconnected,
            version: Version::V2_0,
            modulo: Modulo::Eight,
            reject: RejectMode::GoBack,
            window: settings.k,
            information_limit: settings.n1,
            retries: settings.n2,
            resetting: None,
            used: false,
            sending: Window::new(),
            peer_busy: false,
            v_r: 0,
            own_busy: false,
            reject_sent: false,
            early: Reorder::new(),
            owed: Owed::nothing(),
            rejected: FrameReject::default(),
            tries: 0,
            t1: Timer::Stopped,
            t2: Timer::Stopped,
            t3: Timer::Stopped,
            negotiation: Timer::Stopped,
            negotiation_tries: 0,
            round_trip: RoundTrip::new(settings.t1_adaptation, settings.frack, digipeaters),
        };
        link.begin(settings, Modulo::Eight);
        link
    }

    /// Whether I and S frames have a meaning.
    pub fn is_up(&self) -> bool {
        matches!(self.state, LinkState::Connected | LinkState::TimerRecovery)
    }

    /// Counts from 0, with the parameters of a link of this modulo.
    pub fn begin(&mut self, settings: &Settings, modulo: Modulo) {
        self.modulo = modulo;
        self.information_limit = settings.n1;
        (self.version, self.reject, self.window) = match modulo {
            Modulo::Eight => (Version::V2_0, RejectMode::GoBack, settings.k),
            Modulo::OneHundredTwentyEight => {
                // a list is understood only where both have said so
                let reject = settings.reject_mode.min(RejectMode::Selective);
                (Version::V2_2, reject, settings.k_extended)
            }
        };
        self.limit_window();
        self.sending.restart(modulo);
        self.early.clear();
        self.owed.forget_numbered();
        // the user is as busy as before, and the other station does not know
        self.owed.acknowledge = self.own_busy;
        (self.v_r, self.peer_busy, self.reject_sent, self.used) = (0, false, false, false);
        (self.tries, self.negotiation_tries) = (0, 0);
        (self.t1, self.t2, self.t3, self.negotiation) = Default::default();
    }

    /// With SREJ a frame must be told from its like of the round before: k is at most half the modulus.
    pub fn limit_window(&mut self) {
        if self.reject != RejectMode::GoBack {
            self.window = self.window.min(self.modulo.largest() / 2 + 1);
        }
    }

    /// Owes a frame without numbers, once.
    pub fn owe(&mut self, role: Role, poll_final: bool, body: Body<D>) {
        let frame = Unnumbered { role, poll_final, body };
        if !self.owed.unnumbered.contains(&frame) {
            self.owed.unnumbered.push_back(frame);
        }
    }

    /// The user wants the link.
    pub fn connect(&mut self, context: &mut Context<'_, D>) {
        let extended = context.settings.version == Version::V2_2;
        self.begin(context.settings, if extended { Modulo::OneHundredTwentyEight } else { Modulo::Eight });
        self.set_up();
    }

    /// Sends the command that sets a link of this modulo up, for the first time.
    pub fn set_up(&mut self) {
        self.tries = 1;
        self.ask_for_link();
    }

    /// Sends the command that sets a link of this modulo up.
    pub fn ask_for_link(&mut self) {
        let (state, body) = match self.modulo {
            Modulo::Eight => (LinkState::AwaitingConnection, Body::Sabm),
            Modulo::OneHundredTwentyEight => (LinkState::AwaitingV22Connection, Body::Sabme),
        };
        self.state = state;
        self.owe(Role::Command, true, body);
    }

    /// The link begins anew with this modulo; what was under way is lost.
    pub fn reset(&mut self, context: &mut Context<'_, D>, modulo: Modulo) {
        context.count(Counter::Resets);
        let lost = self.drop_if_uncertain();
        self.resetting = Some(self.resetting.unwrap_or(0) + lost);
        self.begin(context.settings, modulo);
        self.set_up();
    }

    /// Frames that wait behind one whose fate is not known are lost with it.
    pub fn drop_if_uncertain(&mut self) -> u32 {
        if self.sending.unacknowledged() > 0 { self.sending.clear() } else { 0 }
    }

    /// The other station does not speak v2.2.
    pub fn fall_back(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::FallBacks);
        let tries = self.tries;
        self.begin(context.settings, Modulo::Eight);
        self.tries = tries;
        self.owed.unnumbered.retain(|frame| frame.body != Body::Sabme);
        self.ask_for_link();
    }

    /// The link is down.
    pub fn end(&mut self, context: &mut Context<'_, D>, cause: Cause) {
        let lost = self.resetting.take().unwrap_or(0) + self.sending.clear();
        self.state = LinkState::Disconnected;
        self.own_busy = false;
        self.begin(context.settings, Modulo::Eight);
        context.emit(Output::Disconnected { link: self.id, cause, lost });
    }

    /// The user ends the link.
    pub fn disconnect(&mut self, context: &mut Context<'_, D>) {
        if matches!(self.state, LinkState::Disconnected | LinkState::AwaitingRelease) {
            return;
        }
        let lost = self.sending.clear();
        self.resetting = Some(self.resetting.unwrap_or(0) + lost);
        self.begin(context.settings, self.modulo);
        // a command that has not gone yet is not needed any more
        self.owed.unnumbered.retain(|frame| frame.role != Role::Command);
        self.state = LinkState::AwaitingRelease;
        self.tries = 1;
        self.owe(Role::Command, true, Body::Disc);
    }

    /// The user sends information.
    pub fn send(&mut self, context: &mut Context<'_, D>, pid: Pid, data: D) {
        self.sending.push(pid, data);
        self.settle(context);
    }

    /// The user takes no more information, or takes it again.
    pub fn set_busy(&mut self, context: &mut Context<'_, D>, busy: bool) {
        if std::mem::replace(&mut self.own_busy, busy) == busy || !self.is_up() {
            return;
        }
        match context.settings.busy_clear {
            _ if busy => self.owed.acknowledge = true,
            BusyClear::Silent => {}
            BusyClear::ReceiveReady => self.owed.acknowledge = true,
            BusyClear::Poll if self.state == LinkState::TimerRecovery => self.owed.acknowledge = true,
            BusyClear::Poll => {
                self.tries = 0;
                self.enquire();
            }
        }
    }

    /// Asks the other station how things stand.
    pub fn enquire(&mut self) {
        self.state = LinkState::TimerRecovery;
        self.owed.enquiry = true;
        self.t1.stop();
        self.t3.stop();
    }

    /// A frame of the link came in.
    pub fn receive(&mut self, context: &mut Context<'_, D>, frame: Frame<D>) {
        let Frame { addressing: ref addresses, poll_final, ref body } = frame;
        let sense = self.sense(addresses.role, poll_final);
        self.t3.stop();
        match *body {
            Body::I { modulo, .. } | Body::S { modulo, .. } if !self.is_up() || modulo != self.modulo => {
                self.numbered_out_of_place(context, sense);
            }
            Body::S { kind, n_r, further, .. } => {
                let control = body.control(poll_final).0;
                self.supervisory(context, sense, kind, n_r, further, control);
            }
            Body::I { .. } => self.information(context, sense, frame),
            Body::Sabm => self.asked_to_set_up(context, Modulo::Eight, poll_final),
            Body::Sabme => self.asked_to_set_up(context, Modulo::OneHundredTwentyEight, poll_final),
            Body::Disc => self.asked_to_end(context, poll_final),
            Body::Ua => self.agreed(context, sense, poll_final),
            Body::Dm => self.declined(context, sense, poll_final),
            Body::Frmr(_) => self.frame_rejected(context),
            Body::Xid(xid) => self.negotiate(context, sense, poll_final, xid),
            Body::Ui { .. } | Body::Test(_) => self.owed.answer |= sense.polls && self.is_up(),
        }
        self.settle(context);
    }

    /// What role and P/F bit come to. A station older than v2.0 does not tell commands from responses: its bit answers
    /// if an answer is awaited, and polls otherwise.
    fn sense(&self, role: Role, poll_final: bool) -> Sense {
        let old = matches!(role, Role::PreV2 { .. });
        let answers = role == Role::Response || old && self.state == LinkState::TimerRecovery;
        Sense { polls: poll_final && !answers, finals: poll_final && answers, response: role == Role::Response, old }
    }

    /// While the link is up and not being asked: T1 runs as long as anything is not acknowledged, or held back by a
    /// busy peer, T3 otherwise.
    pub fn settle(&mut self, context: &mut Context<'_, D>) {
        if self.state != LinkState::Connected {
            return;
        }
        let held = self.peer_busy && self.sending.backlog() > 0;
        if self.sending.unacknowledged() == 0 && !held {
            self.t1.stop();
            if let (true, Some(span)) = (self.t3.is_stopped(), context.settings.t3) {
                self.t3.start(context.now, span);
            }
            return;
        }
        self.t3.stop();
        // what is about to be sent starts it
        if self.t1.is_stopped() && !self.has_information() {
            self.t1 = context.running(self.round_trip.t1(self.tries));
        }
    }

    /// T1 runs from a frame that is handed over now.
    pub fn start_t1(&mut self, context: &Context<'_, D>) {
        let failed = if self.is_up() { self.tries } else { self.tries.saturating_sub(1) };
        self.t1 = context.started(self.round_trip.t1(failed));
    }

    /// The channel became busy or free.
    pub fn channel_busy(&mut self, now: Time, settings: &Settings, busy: bool) {
        let each = |pauses: bool, timer: &mut Timer| match (pauses, busy) {
            (true, true) => timer.pause(now),
            (true, false) => timer.resume(now),
            (false, _) => {}
        };
        let t1_pauses = settings.t1_start == TimerStart::PausedWhileBusy;
        each(t1_pauses, &mut self.t1);
        each(t1_pauses, &mut self.negotiation);
        each(settings.t2_pauses, &mut self.t2);
    }

    /// When a timer next expires.
    pub fn next_wakeup(&self) -> Time {
        let [first, second, third, fourth] = [self.t1, self.t2, self.t3, self.negotiation].map(|timer| timer.expires());
        first.min(second).min(third).min(fourth)
    }

    /// Hands a frame of the link over.
    pub fn transmit(&self, context: &mut Context<'_, D>, frame: Unnumbered<D>, purpose: Purpose) {
        let addressing = self.key.addressing(frame.role);
        let frame = Frame { addressing, poll_final: frame.poll_final, body: frame.body };
        context.emit(Output::Transmit { link: Some(self.id), frame, purpose });
    }
}
