//! Reports: when a receiver gives one, and what it says.

use super::context::{Context, Role};
use super::outcome::Purpose;
use super::sending::traffic;
use super::timers::{Timer, after};
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Body, Control, Header, Options, Packet, Service};

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// Reports now, or later where several requests are to be answered at once.
    pub(super) fn answer(&mut self, turn: &mut Turn<'_, D, H>, to: H) {
        let delay = self.configuration.answer_delay;
        if self.is_multicast_receiver() && delay.picoseconds() > 0 {
            if !self.timers.runs(Timer::Answer) {
                self.timers.set(Timer::Answer, after(turn.now, delay));
            }
            return;
        }
        self.report(turn, to);
    }

    /// Reports what was received.
    pub(super) fn report(&mut self, turn: &mut Turn<'_, D, H>, to: H) {
        self.send_control(turn, to, Options::NONE, self.questions.sync, Purpose::Answer);
    }

    /// Sends the report that this context can give, with further options.
    pub(super) fn send_control(
        &mut self,
        turn: &mut Turn<'_, D, H>,
        to: H,
        options: Options,
        sync: u32,
        purpose: Purpose,
    ) {
        let key = if to == self.peer { self.peer_key() } else { self.key };
        let options = (self.options() | options).with(Options::WCLOSE, self.outgoing.close_sent);
        let sort = self.configuration.sort.unwrap_or(0);
        let header = Header { key, options, sort, sync, sequence: self.outgoing.next };
        let body = self.control_body();
        turn.transmit(to, Packet { header, body }, purpose);
    }

    fn control_body(&self) -> Body<D> {
        let incoming = &self.incoming;
        let allocation = incoming.allocation(&self.configuration);
        let control = Control { received: incoming.expected, allocation, echo: incoming.echo };
        if !incoming.held.is_empty() {
            let spans = incoming.held.spans();
            let reported = spans.len().min(self.configuration.report_spans as usize);
            return Body::ErrorControl(control, spans[..reported].to_vec());
        }
        match self.role {
            Role::Acceptor { announced: false, .. } if !self.multicast => {
                let traffic = traffic(&self.configuration, Service::Unspecified);
                Body::TrafficControl { control, exchange_key: self.key, traffic }
            }
            _ => Body::Control(control),
        }
    }
}
