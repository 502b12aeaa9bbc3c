//! Datagrams in one direction.

use sojourn_core::Time;
use sojourn_protocols::ip::Ecn;

use super::event::{Event, Events};
use super::fabric::Fabric;
use super::packet::{Content, Packet, UDP_HEADERS};
use super::world::Lan;
use sojourn_model::timed::Sampled;

impl<F: Fabric> Lan<'_, '_, F> {
    /// A source sends a datagram, unless an event has stopped it.
    pub(super) fn emit(&mut self, now: Time, number: u32, events: &mut Events) {
        let source = &mut self.sources[number as usize];
        let (datagram, next) = source.emit(now);
        if let Some(at) = next {
            events.at(at, Event::Emit(number));
        }
        if !source.sends {
            return;
        }
        let (flow, connection, data) = (source.flow, source.connection, source.stream.size);
        let probed = source.stream.probed;
        self.metrics.sent(flow);
        if let Some(observed) = self.timed.as_mut().filter(|_| probed) {
            observed.events.sent_of(Sampled::OneWay, now);
        }
        let content = Content::Datagram { stream: number, number: datagram, sent: now };
        self.send(now, Packet { connection, data, octets: data + UDP_HEADERS, content, ecn: Ecn::NotEct }, events);
    }

    /// A datagram sent at `sent` has arrived, with this many octets, or is lost.
    pub(super) fn end_datagram(&mut self, now: Time, number: u32, sent: Time, arrived: Option<u32>) {
        let source = &self.sources[number as usize];
        let (flow, probed) = (source.flow, source.stream.probed);
        self.one_way_ended(now, flow, probed, sent, arrived);
    }
}
