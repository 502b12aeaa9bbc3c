//! The maximum data of a TCP connection in the network, as long as nothing is lost or retransmitted.

use crate::packet::TCP_HEADERS;
use crate::site::Bulk;
use sojourn_core::Duration;
use sojourn_protocols::tcp::machine::{Clock, Congestion, Recovery, Settings};

/// Octets of the timestamps option (RFC 7323).
const TIMESTAMPS: u32 = 12;
/// Octets of options that a packet of the handshake has, at most.
const HANDSHAKE_OPTIONS: u32 = 20;
/// The largest window without window scaling (RFC 9293).
const UNSCALED: u64 = 65_535;
/// 4.4BSD counts time in ticks of 500 ms: a timeout of two lasts for at least one.
const TICKED_RTO: Duration = Duration::from_millis(500);
/// 4.4BSD's timer of delayed acknowledgements.
const TICKED_ACK: Duration = Duration::from_millis(200);

/// A connection's segments in flight, and the times that they must keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// Segments with data.
    pub segments: u64,
    /// Octets of user data of the longest.
    pub data: u32,
    /// Octets of the longest IP packet with data, and of one without.
    pub packet: u32,
    /// Octets of the longest IP packet without data.
    pub acknowledgement: u32,
    /// Acknowledgements: one for each segment in flight, a change of the window with each, and one of the handshake.
    pub acknowledgements: u64,
    /// A round trip in this time starts no retransmission.
    pub min_rto: Duration,
    /// For how long the receiver may hold back an acknowledgement.
    pub delayed_ack: Duration,
}

/// What a bulk transfer has in flight, or why that has no bound.
pub fn in_flight(bulk: &Bulk) -> Result<InFlight, &'static str> {
    let (sender, receiver) = (&*bulk.sender, &*bulk.receiver);
    if !sender.nagle {
        return Err("without Nagle's algorithm segments may be short, and any number of them in flight");
    }
    if sender.recovery == Recovery::Rack || sender.congestion == Congestion::Bbr {
        return Err("tail loss probes send a segment again before a timeout, after two round trips of any length");
    }
    let scaled = sender.window_scaling && receiver.window_scaling;
    let advertised = if scaled { receiver.receive_buffer } else { receiver.receive_buffer.min(UNSCALED) };
    let window = sender.send_buffer.min(advertised);
    let options = if sender.timestamps && receiver.timestamps { TIMESTAMPS } else { 0 };
    let mss = u32::from(sender.mss.min(receiver.mss));
    let data = mss.saturating_sub(options).max(1);
    if receiver.receive_buffer < 2 * u64::from(mss) {
        return Err("a receive buffer of less than two segments may close the window, which is then probed");
    }
    // one short segment may be in flight with those of full length: Nagle's algorithm
    let segments = window / u64::from(data) + 2;
    Ok(InFlight {
        segments,
        data,
        packet: (TCP_HEADERS + mss).max(TCP_HEADERS + HANDSHAKE_OPTIONS),
        acknowledgement: TCP_HEADERS + HANDSHAKE_OPTIONS,
        acknowledgements: 2 * segments + 1,
        min_rto: min_rto(sender),
        delayed_ack: match receiver.clock {
            Clock::Fine { delayed_ack, .. } => delayed_ack,
            Clock::Ticks { .. } => TICKED_ACK,
        },
    })
}

fn min_rto(settings: &Settings) -> Duration {
    match settings.clock {
        Clock::Fine { min_rto, granularity, .. } => min_rto.max(granularity),
        Clock::Ticks { .. } => TICKED_RTO,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn segments_that_may_be_probed_for_have_no_bound() {
        let of = |settings: Settings| {
            let settings = Arc::new(settings);
            in_flight(&Bulk { write: 1000, handshake: false, sender: Arc::clone(&settings), receiver: settings })
                .is_ok()
        };
        assert!(of(Settings::modern(1460)));
        assert!(!of(Settings { recovery: Recovery::Rack, ..Settings::modern(1460) }));
        assert!(!of(Settings { congestion: Congestion::Bbr, ..Settings::modern(1460) }));
    }
}
