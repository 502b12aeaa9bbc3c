//! The claim process: who wins, and how long it takes.

use sojourn_core::Duration;
use sojourn_protocols::fddi::{mac_length, wire_time};

use super::path::Path;
use super::settings::MacSettings;

/// INFO of a claim frame is the bid.
const CLAIM_TIME: Duration = wire_time(mac_length(4));

/// Whether `mac` outbids `other`: the lower time, or of equal ones the higher address.
fn outbids(mac: &MacSettings, other: &MacSettings) -> bool {
    (other.requested_ttrt, mac.address.as_sent()) > (mac.requested_ttrt, other.address.as_sent())
}

/// The MAC whose claim frame comes back to it.
pub(super) fn winner(macs: &[MacSettings]) -> u32 {
    let best = (1..macs.len()).fold(0, |best, mac| if outbids(&macs[mac], &macs[best]) { mac } else { best });
    best as u32
}

/// How long it takes until the winner's claim frame has come round and it may answer with a token, when `first` alone begins to claim, or all MACs
/// do at once.
///
/// A MAC that a lower claim reaches puts its own in its place; one that a better claim reaches repeats that.
pub(super) fn duration(macs: &[MacSettings], path: &Path, first: Option<u32>) -> Duration {
    let winner = winner(macs);
    let mut last_bit = CLAIM_TIME;
    let mut claimant = first.unwrap_or(winner);
    let count = macs.len() as u32;
    for step in 1..count {
        if claimant == winner {
            break;
        }
        let mac = (first.unwrap_or(winner) + step) % count;
        if outbids(&macs[mac as usize], &macs[claimant as usize]) {
            last_bit += path.time(claimant, mac) + macs[mac as usize].latency + CLAIM_TIME;
            claimant = mac;
        }
    }
    last_bit + path.time(winner, winner) + path.latency(winner)
}
