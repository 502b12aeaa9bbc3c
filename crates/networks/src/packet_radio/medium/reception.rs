//! What a listener has of a frame.

use super::Channel;
use super::burst::{Carrier, Latest};

/// What a listener has of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Received {
    /// All of it.
    Good,
    /// Nothing: it does not hear the sender.
    Unheard,
    /// Nothing: it transmitted meanwhile, or its receiver was still recovering from that.
    WhileTransmitting,
    /// Nothing: it heard another carrier too.
    Collided,
    /// Its beginning: the sender's watchdog cut it off.
    Cut,
    /// A false FCS: bits came in wrong.
    Corrupted,
}

impl Channel {
    /// What `listener` has of the frame that has [`Ended`](super::Happening::Ended) last; to be asked once for every
    /// listener it concerns, before the next event, since it draws the bit errors and counts what is received.
    ///
    /// Panics before the first frame has ended.
    pub fn receive(&mut self, listener: u32) -> Received {
        let frame = self.latest.expect("a frame has ended");
        let received = match self.spoilt(&frame, listener) {
            Some(cause) => cause,
            None if frame.cut => Received::Cut,
            None if self.members[listener as usize].spoils(frame.units) => Received::Corrupted,
            None => Received::Good,
        };
        match received {
            Received::Good => self.tally.good += 1,
            Received::WhileTransmitting => self.tally.while_transmitting += 1,
            Received::Collided => self.tally.collided += 1,
            Received::Corrupted => self.tally.corrupted += 1,
            Received::Unheard | Received::Cut => {}
        }
        received
    }

    /// Why nothing of the frame comes in at `listener`, if nothing does.
    fn spoilt(&self, frame: &Latest, listener: u32) -> Option<Received> {
        if !self.hearing.hears(listener, frame.member) {
            return Some(Received::Unheard);
        }
        let settings = &self.members[listener as usize].settings;
        let carriers = || self.bursts.iter().map(|burst| &burst.carrier).chain(&self.gone);
        let overlapping = |carrier: &&Carrier| carrier.keyed < frame.end;
        // a carrier whose end is open is still on
        let deaf = |own: &Carrier| own.unkeyed > frame.start || own.unkeyed + settings.receiver_recovery > frame.start;
        let mut own = carriers().filter(overlapping).filter(|carrier| carrier.member == listener);
        if !settings.full_duplex && own.any(deaf) {
            return Some(Received::WhileTransmitting);
        }
        let spoils = |other: &Carrier| {
            other.member != frame.member
                && other.unkeyed > frame.start
                && self.hearing.hears(listener, other.member)
                && !(self.settings.capture && frame.keyed < other.keyed)
        };
        carriers().filter(overlapping).any(spoils).then_some(Received::Collided)
    }
}
