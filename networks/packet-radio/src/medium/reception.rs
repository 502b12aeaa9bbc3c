//! Reception of a frame at a listener.

use std::cmp::Ordering;

use super::Channel;
use super::burst::{Carrier, EndedFrame};
use super::correction::Damage;

/// Outcome of a frame at a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Received {
    /// Received without error.
    Good,
    /// Not received: the sender is hidden.
    Unheard,
    /// Not received: the listener transmitted, or its receiver was recovering from a transmission.
    WhileTransmitting,
    /// Lost in a collision with another carrier.
    Collided,
    /// Truncated: by the sender's watchdog, by its loss of power, or because the medium is or was down.
    Cut,
    /// Received with a wrong FCS, by bit errors or as it was sent, or with more wrong octets than its error correction corrects.
    Corrupted,
}

impl Channel {
    /// Outcome at `listener` of the frame that has [`Ended`](super::ChannelEvent::Ended) last. Call it once per listener
    /// concerned, before the next event: it draws the bit errors and counts the outcome.
    ///
    /// Panics before the first frame has ended.
    pub fn receive(&mut self, listener: u32) -> Received {
        let frame = self.last_ended.expect("a frame has ended");
        let received = match self.reception_failure(&frame, listener) {
            Some(cause) => cause,
            None if frame.cut || frame.start < self.lost_before => Received::Cut,
            None if frame.spoilt || self.has_bit_error(&frame, listener) => Received::Corrupted,
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

    /// Whether bit errors destroy the frame. Counts what error correction corrected of one that they do not.
    fn has_bit_error(&mut self, frame: &EndedFrame, listener: u32) -> bool {
        let span = [frame.start, frame.end];
        let Some(coded) = frame.coded else {
            return match &mut self.fading {
                Some(fading) => fading.hit(listener, frame.member, span),
                None => self.members[listener as usize].has_bit_error(frame.units),
            };
        };
        let (mut damage, bit_rate) = (Damage::new(coded), self.settings.bit_rate as f64);
        let is_lost = match &mut self.fading {
            Some(fading) => {
                fading.each(listener, frame.member, span, |at| damage.bit((at.seconds() * bit_rate) as u64))
            }
            None => self.members[listener as usize].damage(&mut damage, frame.units),
        };
        if !is_lost && damage.corrected() > 0 {
            self.tally.repaired += 1;
            self.tally.corrected_octets += u64::from(damage.corrected());
        }
        is_lost
    }

    /// Why `listener` does not receive the frame, if it does not.
    fn reception_failure(&self, frame: &EndedFrame, listener: u32) -> Option<Received> {
        if !self.hearing.hears(listener, frame.member) {
            return Some(Received::Unheard);
        }
        let settings = &self.members[listener as usize].settings;
        let carriers = || self.bursts.iter().map(|burst| &burst.carrier).chain(&self.past_carriers);
        let overlapping = |carrier: &&Carrier| carrier.keyed < frame.end;
        // a carrier without a known end is still on
        let blocked =
            |own: &Carrier| own.unkeyed > frame.start || own.unkeyed + settings.receiver_recovery > frame.start;
        let mut own = carriers().filter(overlapping).filter(|carrier| carrier.member == listener);
        if !settings.full_duplex && own.any(blocked) {
            return Some(Received::WhileTransmitting);
        }
        // pair by pair, carriers do not add up: overlaps of three are rare below saturation
        let collides = |other: &Carrier| {
            other.member != frame.member
                && other.unkeyed > frame.start
                && self.hearing.hears(listener, other.member)
                && !self.captures(listener, frame, other)
        };
        carriers().filter(overlapping).any(collides).then_some(Received::Collided)
    }

    /// Whether the receiver of `listener` follows the frame's carrier and not the other.
    fn captures(&self, listener: u32, frame: &EndedFrame, other: &Carrier) -> bool {
        let levels = self.levels.as_deref();
        match levels.map_or(Ordering::Equal, |levels| levels.compare(listener, frame.member, other.member)) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => self.settings.capture && frame.keyed < other.keyed,
        }
    }
}
