//! Probes and load received from clients.

use sojourn_core::Time;

use super::event::Event;
use super::io::{Arrival, Output};
use super::machine::Server;
use crate::probe::wire::{Packet, Pdu, Reason};

impl Server {
    pub(super) fn receive_data(&mut self, now: Time, arrival: Arrival) {
        let Arrival { path, packet, octets, receive_ns, by_kernel, class, socket_drops } = arrival;
        let from = path.peer;
        let Packet { token, sequence, pdu } = packet;
        let Some(session) = self.sessions.get_mut(&token).filter(|session| session.path.peer == from) else {
            return self.log(Event::Stray { peer: from });
        };
        let is_new = session.sequences.is_new(sequence);
        if let Pdu::Probe { phase, .. } = pdu {
            session.phases.arrived(phase, sequence, is_new, socket_drops);
        }
        if !is_new {
            session.report.replayed += 1;
            return self.log(Event::Replayed { peer: from });
        }
        session.last_received = now;
        if !session.admits(now, octets) {
            session.report.over_limit += 1;
            return self.log(Event::OverLimit { peer: from });
        }
        if let Pdu::Probe { .. } = pdu {
            session.report.probes += 1;
            session.account(u64::from(octets));
            let residence = session.take_residence_before(sequence);
            let pdu = Pdu::Reply { receive_ns, receive_by_kernel: by_kernel, class, residence };
            let packet = Packet { token, sequence, pdu };
            self.outputs.push_back(Output::Transmit { path, packet, octets, dscp: 0 });
        } else {
            let report = &mut session.report;
            report.load_packets += 1;
            report.load_octets += u64::from(octets);
            report.first_ns = if report.load_packets == 1 { receive_ns } else { report.first_ns };
            report.last_ns = receive_ns;
        }
        // `end_at_volume_limit` without the lookup, since this runs for every packet
        if session.volume_left() == 0 {
            self.end(now, token, Reason::VolumeLimit, 0);
        }
    }
}
