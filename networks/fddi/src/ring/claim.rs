//! The claim process: which station wins, and how long it takes; and the beacon process, which follows on an
//! interrupted ring.

use sojourn_core::Duration;
use sojourn_protocols::fddi::{mac_length, wire_time};

use super::path::Path;
use super::settings::MacSettings;

/// INFO of a claim frame is the bid.
pub(super) const CLAIM_TIME: Duration = wire_time(mac_length(4));
/// INFO of a beacon is its type, and three octets that are reserved.
pub(super) const BEACON_TIME: Duration = wire_time(mac_length(4));

/// Whether `mac` outbids `other`: the lower time, or of equal ones the higher address.
fn outbids(mac: &MacSettings, other: &MacSettings) -> bool {
    (other.requested_ttrt, mac.address.as_sent()) > (mac.requested_ttrt, other.address.as_sent())
}

/// The MAC whose claim frame comes back to it, of those that are not off.
pub(super) fn winner(macs: &[MacSettings], off: &[bool]) -> u32 {
    let powered = (0..macs.len()).filter(|mac| !off[*mac]);
    let best = powered.reduce(|best, mac| if outbids(&macs[mac], &macs[best]) { mac } else { best });
    best.expect("a ring without a claim has no token") as u32
}

/// How long it takes until the winner's claim frame has come round and it may answer with a token, when `first` alone begins to claim, or all MACs
/// do at once.
///
/// A MAC that a lower claim reaches puts its own in its place; one that a better claim reaches repeats that.
pub(super) fn duration(macs: &[MacSettings], off: &[bool], path: &Path, first: Option<u32>) -> Duration {
    let winner = winner(macs, off);
    let mut last_bit = CLAIM_TIME;
    let mut claimant = first.unwrap_or(winner);
    let count = macs.len() as u32;
    for step in 1..count {
        if claimant == winner {
            break;
        }
        let mac = (first.unwrap_or(winner) + step) % count;
        if !off[mac as usize] && outbids(&macs[mac as usize], &macs[claimant as usize]) {
            last_bit += path.time(claimant, mac) + macs[mac as usize].latency + CLAIM_TIME;
            claimant = mac;
        }
    }
    last_bit + path.time(winner, winner) + path.latency(winner)
}

/// How long it takes after an interruption before MAC `gap`, at the end of which all MACs claim, until the winner may issue a
/// token: the first whole claim frame that passes the mended fibre is the winner's, which comes round with it.
pub(super) fn duration_after(macs: &[MacSettings], off: &[bool], path: &Path, gap: u32) -> Duration {
    let winner = winner(macs, off);
    let round = if winner < gap { path.round() } else { Duration::ZERO };
    CLAIM_TIME + path.offset(winner) + round - path.offset(gap) + path.latency(winner)
}
