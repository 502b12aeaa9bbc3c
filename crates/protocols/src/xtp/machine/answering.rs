//! Control packets that a receiver sends: when, and with which contents.

use super::context::{Context, Role};
use super::outcome::Purpose;
use super::sending::traffic;
use super::timers::{Timer, after};
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Body, Control, Header, Options, Packet, Service};

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// Sends a report now, or delayed so that one report answers several requests.
    pub(super) fn answer(&mut self, turn: &mut Turn<'_, D, H>, to: H) {
        let delay = self.configuration.report_delay;
        if self.is_multicast_receiver() && delay.picoseconds() > 0 {
            if !self.timers.runs(Timer::Answer) {
                self.timers.set(Timer::Answer, after(turn.now, delay));
            }
            return;
        }
        self.report(turn, to);
    }

    /// Sends a report of the receive state.
    pub(super) fn report(&mut self, turn: &mut Turn<'_, D, H>, to: H) {
        self.send_control(turn, to, Options::NONE, self.sync_state.sync, Purpose::Report);
    }

    /// Sends a control packet of this context with additional options.
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
        let header = Header { key, options, sort, sync, seq: self.outgoing.seq };
        let body = self.control_body();
        turn.transmit(to, Packet { header, body }, purpose);
    }

    fn control_body(&self) -> Body<D> {
        let incoming = &self.incoming;
        let alloc = incoming.alloc(&self.configuration);
        let control = Control { rseq: incoming.rseq, alloc, echo: incoming.echo };
        if !incoming.reorder.is_empty() {
            let spans = incoming.reorder.spans();
            let reported = spans.len().min(self.configuration.max_spans as usize);
            return Body::ErrorControl(control, spans[..reported].to_vec());
        }
        match self.role {
            Role::Acceptor { announced: false, .. } if !self.multicast => {
                let traffic = traffic(&self.configuration, Service::Unspecified);
                Body::TrafficControl { control, xkey: self.key, traffic }
            }
            _ => Body::Control(control),
        }
    }
}
