//! One AX.25 link: coordinates its sending and receiving halves, parameters, timers and state.

use sojourn_core::Time;

use super::context::Context;
use super::counters::Counter;
use super::output::{Cause, LinkId, LinkKey, Output};
use super::parameters::{self, Parameters, XidExchange};
use super::pending::PendingFrames;
use super::receiver::Receiver;
use super::rtt_estimator::RttEstimator;
use super::send_window::SendWindow;
use super::settings::{BusyClear, Settings, TimerStart, Version};
use super::t1::T1;
use super::timer::Timer;
use crate::UserData;
use crate::ax25::wire::{Body, FrameReject, Modulo, Pid, Role};

mod receive;
mod transmit;

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
    /// 4: the link is up, and an enquiry (RR or RNR with P) awaits its response.
    TimerRecovery,
    /// 5: SABME has been sent.
    AwaitingV22Connection,
    /// FRMR has been sent; the peer must re-establish the link.
    FrameReject,
}

/// A link to another station.
#[derive(Clone, Debug)]
pub(super) struct Link<D> {
    pub id: LinkId,
    pub key: LinkKey,
    pub state: LinkState,
    pub parameters: Parameters,
    pub sender: SendWindow<D>,
    pub receiver: Receiver<D>,
    pending: PendingFrames<D>,
    t1: T1,
    t3: Timer,
    xid: XidExchange,
    /// While the link is being re-established, the frames lost by that.
    resetting: Option<u32>,
    /// Whether any I frame has been sent or received since the link was set up.
    used: bool,
    /// The information of the last FRMR.
    frame_reject: FrameReject,
}

impl<D: UserData> Link<D> {
    /// A link that is down; `digipeaters` is their number between its stations.
    pub fn new(id: LinkId, key: LinkKey, settings: &Settings, digipeaters: usize) -> Self {
        Link {
            id,
            key,
            state: LinkState::Disconnected,
            parameters: Parameters::new(settings, Modulo::Eight),
            sender: SendWindow::new(),
            receiver: Receiver::new(),
            pending: PendingFrames::new(),
            t1: T1::new(RttEstimator::new(settings.t1_adaptation, settings.frack, digipeaters)),
            t3: Timer::Stopped,
            xid: XidExchange::default(),
            resetting: None,
            used: false,
            frame_reject: FrameReject::default(),
        }
    }

    /// Whether I and S frames have a meaning.
    pub fn is_up(&self) -> bool {
        matches!(self.state, LinkState::Connected | LinkState::TimerRecovery)
    }

    /// Restarts all sequence numbers at 0 with the parameters of this modulus.
    fn restart(&mut self, settings: &Settings, modulo: Modulo) {
        self.parameters.restart(settings, modulo);
        self.sender.restart(modulo);
        self.receiver.restart();
        self.pending.enquiry = false;
        self.used = false;
        self.t1.restart();
        self.t3.stop();
        self.xid = XidExchange::default();
    }

    /// The user requests the link.
    pub fn connect(&mut self, context: &mut Context<'_, D>) {
        let extended = context.settings.version == Version::V2_2;
        self.restart(context.settings, if extended { Modulo::OneHundredTwentyEight } else { Modulo::Eight });
        self.establish();
    }

    /// Sends SABM or SABME for the first time.
    fn establish(&mut self) {
        self.t1.rc = 1;
        self.send_sabm();
    }

    /// Sends SABM or SABME, by the modulus.
    fn send_sabm(&mut self) {
        let (state, body) = match self.parameters.modulo {
            Modulo::Eight => (LinkState::AwaitingConnection, Body::Sabm),
            Modulo::OneHundredTwentyEight => (LinkState::AwaitingV22Connection, Body::Sabme),
        };
        self.state = state;
        self.pending.push(Role::Command, true, body);
    }

    /// Re-establishes the link with this modulus; what was in flight is lost.
    fn reset(&mut self, context: &mut Context<'_, D>, modulo: Modulo) {
        context.count(Counter::Resets);
        self.lose_if_uncertain();
        self.restart(context.settings, modulo);
        self.establish();
    }

    /// Frames behind one that may or may not have arrived are lost with it.
    fn lose_if_uncertain(&mut self) {
        let lost = self.drop_if_uncertain();
        self.resetting = Some(self.resetting.unwrap_or(0) + lost);
    }

    fn drop_if_uncertain(&mut self) -> u32 {
        if self.sender.unacknowledged() > 0 { self.sender.clear() } else { 0 }
    }

    /// The peer does not implement v2.2: tries again with SABM.
    fn fall_back(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::FallBacks);
        let rc = self.t1.rc;
        self.restart(context.settings, Modulo::Eight);
        self.t1.rc = rc;
        self.pending.unnumbered.retain(|frame| frame.body != Body::Sabme);
        self.send_sabm();
    }

    /// The link is down.
    fn end(&mut self, context: &mut Context<'_, D>, cause: Cause) {
        let lost = self.resetting.take().unwrap_or(0) + self.sender.clear();
        self.state = LinkState::Disconnected;
        self.receiver.set_busy(false);
        self.restart(context.settings, Modulo::Eight);
        context.emit(Output::Disconnected { link: self.id, cause, lost });
    }

    /// The user releases the link.
    pub fn disconnect(&mut self, context: &mut Context<'_, D>) {
        if matches!(self.state, LinkState::Disconnected | LinkState::AwaitingRelease) {
            return;
        }
        let lost = self.sender.clear();
        self.resetting = Some(self.resetting.unwrap_or(0) + lost);
        self.restart(context.settings, self.parameters.modulo);
        self.pending.drop_commands();
        self.state = LinkState::AwaitingRelease;
        self.t1.rc = 1;
        self.pending.push(Role::Command, true, Body::Disc);
    }

    /// The user sends information.
    pub fn send(&mut self, context: &mut Context<'_, D>, pid: Pid, data: D) {
        self.sender.push(pid, data);
        self.update_timers(context);
    }

    /// The user accepts no more information, or accepts it again.
    pub fn set_busy(&mut self, context: &mut Context<'_, D>, busy: bool) {
        if !self.receiver.set_busy(busy) || !self.is_up() {
            return;
        }
        match context.settings.busy_clear {
            _ if busy => self.receiver.set_acknowledge_pending(),
            BusyClear::Silent => {}
            BusyClear::ReceiveReady => self.receiver.set_acknowledge_pending(),
            BusyClear::Poll if self.state == LinkState::TimerRecovery => self.receiver.set_acknowledge_pending(),
            BusyClear::Poll => {
                self.t1.rc = 0;
                self.enquire();
            }
        }
    }

    /// Transmit enquiry: polls the peer with RR or RNR.
    fn enquire(&mut self) {
        self.state = LinkState::TimerRecovery;
        self.pending.enquiry = true;
        self.t1.timer.stop();
        self.t3.stop();
    }

    /// While the link is up and no enquiry is outstanding: T1 runs as long as anything is unacknowledged, or the peer's
    /// receiver is busy and frames wait; T3 runs otherwise.
    pub fn update_timers(&mut self, context: &mut Context<'_, D>) {
        if self.state != LinkState::Connected {
            return;
        }
        let waiting = self.sender.peer_busy && self.sender.backlog() > 0;
        if self.sender.unacknowledged() == 0 && !waiting {
            self.t1.timer.stop();
            if let (true, Some(span)) = (self.t3.is_stopped(), context.settings.t3) {
                self.t3.start(context.now, span);
            }
            return;
        }
        self.t3.stop();
        // an I frame about to be sent starts it
        if self.t1.timer.is_stopped() && !self.has_information() {
            self.t1.run(context);
        }
    }

    fn start_t1(&mut self, context: &Context<'_, D>) {
        let up = self.is_up();
        self.t1.start(context, up);
    }

    /// The channel became busy or free.
    pub fn channel_busy(&mut self, now: Time, settings: &Settings, busy: bool) {
        let each = |pauses: bool, timer: &mut Timer| match (pauses, busy) {
            (true, true) => timer.pause(now),
            (true, false) => timer.resume(now),
            (false, _) => {}
        };
        let t1_pauses = settings.t1_start == TimerStart::PausedWhileBusy;
        each(t1_pauses, &mut self.t1.timer);
        each(t1_pauses, &mut self.xid.timer);
        each(settings.t2_pauses, &mut self.receiver.t2);
    }

    /// All frames handed over so far have been transmitted.
    pub fn transmitted(&mut self, now: Time) {
        self.t1.timer.burst_ended(now);
        self.xid.timer.burst_ended(now);
    }

    /// When a timer next expires.
    pub fn next_wakeup(&self) -> Time {
        let [t1, t2, t3, tm201] =
            [self.t1.timer, self.receiver.t2, self.t3, self.xid.timer].map(|timer| timer.expires());
        t1.min(t2).min(t3).min(tm201)
    }

    /// Handles every timer that is due.
    pub fn wake(&mut self, context: &mut Context<'_, D>) {
        if self.t1.timer.expire(context.now) {
            context.count(Counter::Timeouts);
            self.t1_expired(context);
        }
        if self.receiver.t2.expire(context.now) && self.is_up() {
            self.receiver.set_acknowledge_pending();
        }
        if self.t3.expire(context.now) && self.state == LinkState::Connected {
            self.t1.rc = 0;
            self.enquire();
        }
        if self.xid.timer.expire(context.now) && self.is_up() && self.xid.retry(self.parameters.n2) {
            self.send_xid(context);
        }
    }

    fn t1_expired(&mut self, context: &mut Context<'_, D>) {
        let exhausted = self.t1.rc >= self.parameters.n2;
        match self.state {
            LinkState::Disconnected => {}
            LinkState::Connected => {
                self.t1.rc = 1;
                self.enquire();
            }
            LinkState::TimerRecovery if exhausted => self.give_up(context),
            LinkState::TimerRecovery => {
                self.t1.rc += 1;
                self.enquire();
            }
            LinkState::AwaitingConnection | LinkState::AwaitingV22Connection if exhausted => {
                self.end(context, Cause::NoResponse);
            }
            LinkState::AwaitingConnection | LinkState::AwaitingV22Connection => self.repeat_sabm(context),
            LinkState::AwaitingRelease if exhausted => self.end(context, Cause::RequestedNoResponse),
            LinkState::AwaitingRelease => {
                self.t1.rc += 1;
                self.pending.push(Role::Command, true, Body::Disc);
            }
            LinkState::FrameReject if exhausted => self.reset(context, Modulo::Eight),
            LinkState::FrameReject => {
                self.t1.rc += 1;
                self.pending.push(Role::Response, false, Body::Frmr(Some(self.frame_reject)));
            }
        }
    }

    /// SABM or SABME had no response. A station that leaves a third of N2 SABMEs unanswered may not know SABME.
    fn repeat_sabm(&mut self, context: &mut Context<'_, D>) {
        let third = (self.parameters.n2 / 3).max(1);
        let unknown = self.state == LinkState::AwaitingV22Connection && self.t1.rc >= third;
        self.t1.rc += 1;
        if unknown {
            self.fall_back(context);
        } else {
            self.send_sabm();
        }
    }

    /// N2 enquiries had no response: v2.0 tries to re-establish the link, v2.2 ends it.
    fn give_up(&mut self, context: &mut Context<'_, D>) {
        match self.parameters.version {
            Version::V2_0 => self.reset(context, self.parameters.modulo),
            Version::V2_2 => {
                self.pending.push(Role::Response, false, Body::Dm);
                self.end(context, Cause::NoResponse);
            }
        }
    }

    fn send_xid(&mut self, context: &Context<'_, D>) {
        self.pending.push(Role::Command, true, Body::Xid(parameters::offer(context.settings)));
    }
}
