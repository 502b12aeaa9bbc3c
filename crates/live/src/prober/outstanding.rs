//! Outstanding requests, and the matching of their responses.

use sojourn_core::{Duration, Time};

use super::packets::Packets;
use super::peer::{Peer, PeerEvent};
use crate::io::datagrams::ReadMode;
use crate::io::network_error::NetworkError;
use crate::progress::gauge::Gauge;

/// Which requests of a run timed out.
#[derive(Debug)]
pub struct Outstanding {
    timeout: Duration,
    /// Requests before this index are answered or lost.
    expired: usize,
    /// Those of them that timed out.
    lost: u64,
}

impl Outstanding {
    /// No requests yet; each is lost after this timeout.
    pub fn new(timeout: Duration) -> Outstanding {
        Outstanding { timeout, expired: 0, lost: 0 }
    }

    /// The timeout of a request.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Whether a request that was sent at `sent` has timed out.
    pub fn is_over(&self, sent: Time, now: Time) -> bool {
        now.since(sent) > self.timeout
    }

    /// Number of requests that may still be answered.
    pub fn count(&self, packets: &Packets) -> u64 {
        packets.count_unanswered().saturating_sub(self.lost)
    }

    /// Counts requests that timed out as lost.
    pub fn expire_until(&mut self, now: Time, packets: &Packets, gauge: &Gauge) {
        while let Some(packet) = packets.all().get(self.expired) {
            if packet.received.is_none() && !self.is_over(packet.sent, now) {
                break;
            }
            if packet.received.is_none() {
                gauge.lost(packet.sent);
                self.lost += 1;
            }
            self.expired += 1;
        }
    }

    /// Requests before this index are answered or timed out.
    pub fn decided(&self) -> usize {
        self.expired
    }

    /// The first `count` requests, all of them decided, were dropped from the packets.
    pub fn forget(&mut self, count: usize, packets: &Packets) {
        self.expired = self.expired.saturating_sub(count);
        // an answer after the timeout has come to requests that were lost
        let decided = &packets.all()[..self.expired.min(packets.all().len())];
        self.lost = decided.iter().filter(|packet| packet.received.is_none()).count() as u64;
    }

    /// The timeout of the last unanswered request, or of the one that a peer has not completed at `incomplete`.
    pub fn last_deadline(&self, packets: &Packets, incomplete: Option<Time>) -> Option<Time> {
        let waiting = packets.all()[self.expired..].iter().rev().find(|packet| packet.received.is_none());
        let sent = waiting.map(|packet| packet.sent).max(incomplete);
        sent.map(|sent| sent + self.timeout)
    }

    /// Receives what is queued or arrives before the timeout of the read, until no request is outstanding. Anything else
    /// that is queued shows in the next wait. Returns the last network error.
    pub fn receive<P: Peer>(
        &self,
        peer: &mut P,
        reading: ReadMode,
        packets: &mut Packets,
        gauge: &Gauge,
    ) -> Option<NetworkError> {
        let mut error = None;
        let mut heard = peer.receive(reading);
        loop {
            match heard {
                PeerEvent::Response(answer) => {
                    if packets.answered(answer)
                        && let Some(packet) = packets.get(answer.sequence)
                    {
                        gauge.answered(packet.sent, packet.response().unwrap_or_default());
                    }
                    if self.count(packets) == 0 {
                        break;
                    }
                }
                PeerEvent::Control => {}
                PeerEvent::Unrelated => packets.count_unrelated(),
                PeerEvent::Failure(sequence, found) => {
                    packets.failed(sequence);
                    error = Some(found);
                }
                PeerEvent::Error(found) => error = Some(found),
                PeerEvent::Nothing => break,
            }
            heard = peer.receive(ReadMode::NonBlocking);
        }
        while let Some(departed) = peer.poll_tx_timestamp() {
            packets.departed(departed);
        }
        error
    }
}
