//! The PLCA control state diagram, 148.4.4.6: whose turn it is.

use std::collections::VecDeque;

use sojourn_core::Time;

use super::data::Data;
use super::{Output, Senses, Settings, Signal};

/// Its states, by the names of the clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Disable,
    Resync,
    Recover,
    SendBeacon,
    Syncing,
    WaitTo,
    EarlyReceive,
    Commit,
    Yield,
    Receive,
    Transmit,
    Burst,
    Abort,
    NextTxOpportunity,
}

/// The diagram's state, variables and timers; `None`: a timer is not running.
#[derive(Clone, Debug, Default)]
pub(super) struct Control {
    state: State,
    /// curID.
    turn: u8,
    /// Frames beyond the first in the current opportunity.
    bc: u8,
    /// Whether it transmits: a beacon, a commit, or after a commit the frame.
    transmits: bool,
    timer: Option<Time>,
    to_timer: Option<Time>,
}

impl Control {
    pub(super) fn turn(&self) -> u8 {
        self.turn
    }

    pub(super) fn next_wakeup(&self) -> Option<Time> {
        match self.state {
            State::SendBeacon | State::Burst | State::EarlyReceive => self.timer,
            State::WaitTo | State::Yield => self.to_timer,
            _ => None,
        }
    }

    fn enter(&mut self, state: State) -> bool {
        self.state = state;
        true
    }

    fn command(&mut self, signal: Option<Signal>, outputs: &mut VecDeque<Output>) {
        match signal {
            Some(signal) => outputs.push_back(Output::Transmit(signal)),
            None if self.transmits => outputs.push_back(Output::Silence),
            None => {}
        }
        self.transmits = signal.is_some();
    }

    /// One transition, if one is due.
    pub(super) fn step(
        &mut self,
        now: Time,
        settings: &Settings,
        senses: &Senses,
        data: &mut Data,
        outputs: &mut VecDeque<Output>,
    ) -> bool {
        let leads = settings.id == 0;
        let expired = |timer: Option<Time>| timer.is_none_or(|at| at <= now);
        let is_own = self.turn == settings.id;
        match self.state {
            State::Disable => self.enter(if leads { State::Recover } else { State::Resync }),
            State::Recover => self.wait_to(now, settings),
            State::Resync if !leads && senses.crs => self.early_receive(now, settings),
            State::Resync if leads && !senses.crs => {
                self.command(Some(Signal::Beacon), outputs);
                self.timer = Some(now + settings.time(settings.beacon_timer));
                self.enter(State::SendBeacon)
            }
            State::SendBeacon if expired(self.timer) => {
                self.command(None, outputs);
                self.enter(State::Syncing)
            }
            State::Syncing if !senses.crs => {
                self.turn = 0;
                if leads {
                    outputs.push_back(Output::Cycle);
                }
                self.wait_to(now, settings)
            }
            State::WaitTo if senses.crs => self.early_receive(now, settings),
            State::WaitTo if is_own && data.packet_pending => {
                self.command(Some(Signal::Commit), outputs);
                outputs.push_back(Output::Opportunity(true));
                (self.to_timer, self.bc) = (None, 0);
                data.committed(now, settings, outputs);
                self.enter(State::Commit)
            }
            State::WaitTo if is_own => {
                outputs.push_back(Output::Opportunity(false));
                self.enter(State::Yield)
            }
            State::WaitTo if expired(self.to_timer) => self.next(),
            State::EarlyReceive => {
                let detected = senses.received == Some(Signal::Beacon) || !senses.crs && !expired(self.timer);
                if !leads && !senses.receiving() && detected {
                    self.enter(State::Syncing)
                } else if !senses.crs {
                    self.enter(if leads { State::Recover } else { State::Resync })
                } else if senses.receiving() {
                    self.enter(State::Receive)
                } else {
                    // the timer matters no more once it has expired
                    self.timer = self.timer.filter(|at| *at > now);
                    false
                }
            }
            State::Commit if data.tx_en => self.enter(State::Transmit),
            State::Commit if !data.packet_pending => self.abort(outputs),
            State::Yield if senses.crs && !expired(self.to_timer) => self.early_receive(now, settings),
            State::Yield if expired(self.to_timer) => self.next(),
            State::Receive if !senses.crs => self.next(),
            State::Transmit if !data.tx_en && self.bc < settings.max_bc => {
                self.bc += 1;
                self.command(Some(Signal::Commit), outputs);
                self.timer = Some(now + settings.time(settings.burst_timer));
                self.enter(State::Burst)
            }
            State::Transmit if !data.tx_en && self.transmits => {
                self.command(None, outputs);
                true
            }
            State::Transmit if !data.tx_en && !senses.crs => self.next(),
            State::Burst | State::Abort if data.tx_en => {
                self.transmits = true;
                self.enter(State::Transmit)
            }
            State::Burst if expired(self.timer) => self.abort(outputs),
            State::Abort if !senses.crs => self.next(),
            State::NextTxOpportunity => match leads && self.turn >= settings.node_count {
                true => self.enter(State::Resync),
                false => self.wait_to(now, settings),
            },
            _ => false,
        }
    }

    fn wait_to(&mut self, now: Time, settings: &Settings) -> bool {
        self.to_timer = Some(now + settings.time(settings.to_timer));
        self.enter(State::WaitTo)
    }

    fn early_receive(&mut self, now: Time, settings: &Settings) -> bool {
        self.to_timer = None;
        self.timer = Some(now + settings.time(settings.beacon_det_timer));
        self.enter(State::EarlyReceive)
    }

    fn abort(&mut self, outputs: &mut VecDeque<Output>) -> bool {
        self.command(None, outputs);
        self.enter(State::Abort)
    }

    fn next(&mut self) -> bool {
        self.turn = self.turn.saturating_add(1);
        self.enter(State::NextTxOpportunity)
    }
}
