//! The offset of the peer's clock where both wall clocks are synchronized by NTP or PTP: it is read, not estimated,
//! and its error is the sum of the errors that both hosts report.

use sojourn_core::Duration;

use super::peer::PeerWallClock;
use crate::io::host_clock;
use crate::io::wall_clock::Pair;

/// What a user whose clocks state no error can do.
const HELP: &str = "state how far both clocks differ at most: --clock-error '1 ms'";

/// How the offset of the peer's clock to this host's is known, on which one-way delays depend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clocks {
    /// It is estimated from the packets.
    #[default]
    Estimated,
    /// The wall clocks of both hosts are synchronized to UTC, and the peer states its largest error.
    Synchronized {
        /// Largest error of this host's wall clock.
        own_error: Duration,
    },
    /// They are synchronized, and the user states how far they differ at most.
    Stated {
        /// Largest difference of the two wall clocks.
        error: Duration,
    },
}

/// The peer's clock relative to this host's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynchronizedClocks {
    /// The clock of the peer's timestamps less that of this host's, in nanoseconds.
    pub offset_ns: i128,
    /// Largest error of the offset.
    pub error: Duration,
}

/// The wall clocks of both hosts at a time.
#[derive(Clone, Copy, Debug)]
pub struct WallClocks {
    /// That of this host.
    pub own: Pair,
    /// That of the peer, if it states any.
    pub peer: Option<PeerWallClock>,
}

/// Why the peer's wall clock cannot be used, as far as that is known before the first request.
pub fn check(clocks: Clocks, peer: Option<PeerWallClock>) -> Result<(), String> {
    match (clocks, peer) {
        (Clocks::Synchronized { .. }, Some(PeerWallClock { error: None, .. })) => Err(unsynchronized()),
        _ => Ok(()),
    }
}

/// The offset between the clocks, from their readings before and after a run; `None` where it is to be estimated.
pub fn offset(clocks: Clocks, before: WallClocks, after: WallClocks) -> Result<Option<SynchronizedClocks>, String> {
    if clocks == Clocks::Estimated {
        return Ok(None);
    }
    let Some(peer) = after.peer.or(before.peer) else {
        return Err(format!("the peer states no wall clock: {HELP}"));
    };
    let errors = [Some(peer), before.peer].into_iter().flatten().map(|peer| peer.error);
    let peer_error = errors.reduce(|one, other| Some(one?.max(other?))).flatten();
    let error = match clocks {
        Clocks::Synchronized { own_error } => {
            // it grows until the daemon reads its server again
            let own_error = host_clock::largest_error().map_or(own_error, |now| now.max(own_error));
            own_error + peer_error.ok_or_else(unsynchronized)?
        }
        Clocks::Stated { error } => error,
        Clocks::Estimated => return Ok(None),
    };
    let error_ns = i128::from(error.picoseconds() / 1000);
    let own_step = i128::from(after.own.ahead()) - i128::from(before.own.ahead());
    let peer_step = peer.ahead_ns - before.peer.map_or(peer.ahead_ns, |before| before.ahead_ns);
    for (step, whose) in [(own_step, "this host"), (peer_step, "the peer")] {
        if step.abs() > error_ns + i128::from(READING_NS) {
            let ms = step as f64 * 1e-6;
            return Err(format!("the wall clock of {whose} was set by {ms:+.3} ms during the measurement"));
        }
    }
    Ok(Some(SynchronizedClocks { offset_ns: i128::from(after.own.ahead()) - peer.ahead_ns, error }))
}

/// How far two readings of a pair of clocks may differ: a thread is preempted between them.
const READING_NS: i64 = 100_000;

fn unsynchronized() -> String {
    format!("the peer does not state that its clock is synchronized, and by which error: {HELP}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Time;

    const MS: i64 = 1_000_000;

    fn clocks(own_ahead_ns: i64, peer: Option<(i64, Option<u64>)>) -> WallClocks {
        let own = Pair { at: Time::ZERO, wall_ns: own_ahead_ns, width: Duration::ZERO };
        let peer = peer.map(|(ahead, error_ms)| PeerWallClock {
            ahead_ns: ahead.into(),
            error: error_ms.map(Duration::from_millis),
        });
        WallClocks { own, peer }
    }

    const OWN: Clocks = Clocks::Synchronized { own_error: Duration::from_millis(2) };

    #[test]
    fn the_error_is_the_sum_of_both_hosts_and_the_offset_that_of_their_clocks() {
        let (before, after) = (clocks(70 * MS, Some((50 * MS, Some(3)))), clocks(70 * MS, Some((50 * MS, Some(4)))));
        let found = offset(OWN, before, after).unwrap().unwrap();
        assert_eq!((found.offset_ns, found.error), (i128::from(20 * MS), Duration::from_millis(6)));
        let stated = Clocks::Stated { error: Duration::from_millis(1) };
        assert_eq!(offset(stated, before, after).unwrap().unwrap().error, Duration::from_millis(1));
        assert_eq!(offset(Clocks::Estimated, before, after), Ok(None));
    }

    #[test]
    fn a_peer_without_an_error_is_refused_unless_the_user_states_one() {
        let unsynchronized = clocks(0, Some((0, None)));
        assert!(check(OWN, unsynchronized.peer).unwrap_err().contains("--clock-error '1 ms'"));
        assert!(offset(OWN, unsynchronized, unsynchronized).unwrap_err().contains("--clock-error '1 ms'"));
        let stated = Clocks::Stated { error: Duration::from_millis(1) };
        assert!(check(stated, unsynchronized.peer).is_ok());
        assert!(offset(stated, unsynchronized, unsynchronized).unwrap().is_some());
        assert!(offset(stated, clocks(0, None), clocks(0, None)).is_err(), "it has no wall clock at all");
        let lost = (clocks(0, Some((0, Some(1)))), clocks(0, Some((0, None))));
        assert!(offset(OWN, lost.0, lost.1).is_err(), "it lost its server during the measurement");
    }

    #[test]
    fn a_clock_that_is_set_during_the_measurement_is_refused() {
        let stated = Clocks::Stated { error: Duration::from_millis(1) };
        let at = |own, peer| clocks(own, Some((peer, None)));
        assert!(offset(stated, at(0, 0), at(5 * MS, 0)).unwrap_err().contains("this host was set by +5.000 ms"));
        assert!(offset(stated, at(0, 0), at(0, -5 * MS)).unwrap_err().contains("the peer was set by -5.000 ms"));
        assert!(offset(stated, at(0, 0), at(MS / 2, 0)).is_ok(), "within the error");
    }
}
