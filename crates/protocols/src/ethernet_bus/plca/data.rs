//! The PLCA data state diagram, 148.4.5.7: between MAC and wire.
//!
//! A frame that the MAC starts runs into a delay line until its turn. If the line is full before, or another node sends, the MAC is shown a
//! collision that is on no wire; its frame then waits with the MAC, held back by a carrier, until its turn.

use std::collections::VecDeque;

use sojourn_core::Time;

use super::{Output, Senses, Settings, Signal};

/// Its states, by the names of the clause; `Bypassed` is without PLCA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    WaitIdle,
    Receive,
    Hold,
    Collide,
    DelayPending,
    Pending,
    WaitMac,
    Transmit,
    Bypassed,
}

/// The diagram's state, variables and timer.
#[derive(Clone, Debug, Default)]
pub(super) struct Data {
    state: State,
    /// packetPending.
    pub(super) packet_pending: bool,
    /// TX_EN.
    pub(super) tx_en: bool,
    /// CARRIER_STATUS.
    carrier: bool,
    /// Bits of the frame in the delay line or on the wire.
    bits: u32,
    timer: Option<Time>,
}

impl Data {
    pub(super) fn next_wakeup(&self) -> Option<Time> {
        self.timer
    }

    pub(super) fn is_bypassed(&self) -> bool {
        self.state == State::Bypassed
    }

    fn show(&mut self, carrier: bool, outputs: &mut VecDeque<Output>) {
        if std::mem::replace(&mut self.carrier, carrier) != carrier {
            outputs.push_back(Output::MacCarrier(carrier));
        }
    }

    fn idle(&mut self, state: State, outputs: &mut VecDeque<Output>) {
        (self.state, self.packet_pending, self.tx_en, self.timer) = (state, false, false, None);
        self.show(false, outputs);
    }

    fn collide(&mut self, outputs: &mut VecDeque<Output>) {
        (self.state, self.packet_pending, self.timer) = (State::Collide, false, None);
        self.show(true, outputs);
        outputs.push_back(Output::MacCollision);
    }

    fn transmit(&mut self, now: Time, settings: &Settings, outputs: &mut VecDeque<Output>) {
        (self.state, self.packet_pending, self.tx_en) = (State::Transmit, false, true);
        self.timer = Some(now + settings.time(self.bits));
        self.show(true, outputs);
        outputs.push_back(Output::Transmit(Signal::Data));
    }

    fn follow(&mut self, senses: &Senses, outputs: &mut VecDeque<Output>) {
        let carrier = match self.state {
            State::Receive => senses.crs && senses.received != Some(Signal::Commit),
            State::Bypassed => senses.received.is_some(),
            _ => return,
        };
        self.show(carrier, outputs);
    }

    /// CRS has changed.
    pub(super) fn carrier_sensed(&mut self, senses: &Senses, outputs: &mut VecDeque<Output>) {
        if self.state == State::WaitIdle && !senses.crs {
            self.idle(State::Idle, outputs);
        }
        self.follow(senses, outputs);
    }

    /// Another signal is received than `before`.
    pub(super) fn received(&mut self, before: Option<Signal>, senses: &Senses, outputs: &mut VecDeque<Output>) {
        match self.state {
            State::Idle | State::WaitIdle if senses.receiving() => self.state = State::Receive,
            State::Receive if senses.received.is_none() => self.idle(State::Idle, outputs),
            // a beacon as well: the reference model makes no difference here
            State::Hold if before.is_none() && senses.received.is_some() => self.collide(outputs),
            _ => {}
        }
        self.follow(senses, outputs);
    }

    /// The MAC starts a frame.
    pub(super) fn started(
        &mut self,
        now: Time,
        bits: u32,
        settings: &Settings,
        senses: &Senses,
        outputs: &mut VecDeque<Output>,
    ) {
        self.bits = bits;
        match self.state {
            State::Idle => {
                (self.state, self.packet_pending) = (State::Hold, true);
                self.timer = Some(now + settings.time(settings.delay_line));
                self.show(true, outputs);
            }
            State::WaitMac | State::WaitIdle => self.transmit(now, settings, outputs),
            State::Bypassed => {
                self.tx_en = true;
                self.timer = Some(now + settings.time(bits));
                outputs.push_back(Output::Transmit(Signal::Data));
                if senses.received.is_some() {
                    outputs.push_back(Output::MacCollision);
                }
            }
            _ => self.collide(outputs),
        }
    }

    /// The node's turn has come, and it has committed to it.
    pub(super) fn committed(&mut self, now: Time, settings: &Settings, outputs: &mut VecDeque<Output>) {
        match self.state {
            State::Hold => self.transmit(now, settings, outputs),
            State::Pending => {
                self.state = State::WaitMac;
                self.timer = Some(now + settings.time(settings.commit_timer));
                self.show(false, outputs);
            }
            _ => {}
        }
    }

    /// Its frame overlaps with another signal.
    pub(super) fn collided(&mut self, outputs: &mut VecDeque<Output>) {
        if self.tx_en {
            outputs.push_back(Output::MacCollision);
        }
    }

    /// The MAC's jam is over.
    pub(super) fn jammed(&mut self, now: Time, settings: &Settings, outputs: &mut VecDeque<Output>) {
        match self.state {
            State::Collide => {
                self.state = State::DelayPending;
                self.timer = Some(now + settings.time(settings.pending_timer));
            }
            State::Transmit => self.idle(State::WaitIdle, outputs),
            State::Bypassed if self.tx_en => {
                (self.tx_en, self.timer) = (false, None);
                outputs.push_back(Output::Silence);
            }
            _ => {}
        }
    }

    pub(super) fn wake(&mut self, now: Time, outputs: &mut VecDeque<Output>) {
        if self.timer.is_none_or(|at| at > now) {
            return;
        }
        self.timer = None;
        match self.state {
            State::Hold => self.collide(outputs),
            State::DelayPending => (self.state, self.packet_pending) = (State::Pending, true),
            // the control diagram ends the signal, or goes on with a commit
            State::WaitMac | State::Transmit => self.idle(State::WaitIdle, outputs),
            State::Bypassed => {
                self.tx_en = false;
                outputs.push_back(Output::Silence);
            }
            _ => {}
        }
    }

    /// The MAC sees the wire as it is; what it had to send waits with it no more.
    pub(super) fn bypass(&mut self, senses: &Senses, outputs: &mut VecDeque<Output>) {
        if self.tx_en {
            self.state = State::Bypassed;
            return;
        }
        if self.state == State::Hold {
            outputs.push_back(Output::MacCollision);
        }
        self.idle(State::Bypassed, outputs);
        self.follow(senses, outputs);
    }

    /// PLCA is in use again.
    pub(super) fn end_bypass(&mut self, outputs: &mut VecDeque<Output>) {
        if self.state == State::Bypassed && !self.tx_en {
            self.idle(State::Idle, outputs);
        }
    }
}
