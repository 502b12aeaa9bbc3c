//! The session of a load over UDP. When the agent is silent, it is asked for the session, which is reopened if the
//! agent has lost it, as after a restart.

use sojourn_core::{Duration, Time};
use sojourn_protocols::probe::client::Session;
use sojourn_protocols::probe::wire::{Packet, Pdu, Reason};

use super::super::renewal::Renewal;
use crate::io::datagrams::Datagrams;

/// Silence of the agent after which it is asked; it reports at least twice as often.
const SILENCE: Duration = Duration::from_secs(1);
/// Interval at which packets to a silent agent may be due.
const RECOVER_EVERY: Duration = Duration::from_millis(50);

/// The session of a load.
#[derive(Debug)]
pub struct LoadSession {
    /// The session that the agent granted last.
    pub session: Session,
    renewal: Renewal,
    /// When a packet of the session arrived last.
    heard: Time,
    /// When the agent may be asked next.
    recover_at: Time,
    /// How often it was opened again.
    renewals: u32,
}

impl LoadSession {
    /// A session that was opened at `now`.
    pub fn new(session: Session, now: Time) -> LoadSession {
        let renewal = Renewal::new(session.key().clone());
        LoadSession { session, renewal, heard: now, recover_at: now, renewals: 0 }
    }

    /// How often it was opened again.
    pub fn renewals(&self) -> u32 {
        self.renewals
    }

    /// The limit at which the agent ended it: another one would circumvent that.
    pub fn reached(&self) -> Option<Reason> {
        self.renewal.reached()
    }

    /// Whether the agent is silent, or has lost the session.
    pub fn is_lost(&self, now: Time) -> bool {
        self.renewal.is_gone() || now.since(self.heard) > SILENCE
    }

    /// Reads a datagram; the packet of the session in it. [`renewals`](Self::renewals) shows whether it opened another.
    pub fn read(&mut self, now: Time, datagram: &[u8]) -> Option<Packet> {
        let packet = self.session.decode(datagram).ok();
        if let Some(packet) = &packet {
            self.session.received(packet);
            if !matches!(packet.pdu, Pdu::Closed { .. } | Pdu::Refused { .. }) {
                self.heard = now;
            }
            if let Pdu::Load { .. } = packet.pdu {
                return Some(*packet);
            }
        }
        let before = self.session.token();
        self.renewal.read(now, &mut self.session, datagram);
        if self.session.token() != before {
            self.heard = now;
            self.renewals += 1;
        }
        packet
    }

    /// Asks the agent for the session while it [is lost](Self::is_lost).
    pub fn recover(&mut self, now: Time, datagrams: &mut Datagrams) {
        if !self.is_lost(now) || now < self.recover_at {
            return;
        }
        self.recover_at = now + RECOVER_EVERY;
        let mut datagram = Vec::new();
        if self.renewal.write(now, &mut self.session, &mut datagram) {
            // what cannot be sent is sent again
            let _ = datagrams.send(&datagram);
        }
    }
}
