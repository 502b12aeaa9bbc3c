//! Properties that hold for any frames.

use sojourn_core::{Duration, Time};

use super::Trunk;
use crate::mstp::wire::{Frame, FrameType};

/// Takes octets as frames: four each, with type, addresses and the time since the one before. What stations sent adds up to
/// all.
pub fn frames(octets: &[u8]) {
    let (mut trunk, mut now, mut lost) = (Trunk::default(), Time::ZERO, 0);
    for frame in octets.chunks_exact(4) {
        now += Duration::from_millis(u64::from(frame[3]) * 3);
        if frame[0] == 0xff {
            trunk.invalid();
            continue;
        }
        let kind = FrameType::of(frame[0]);
        let seen = trunk.frame(now, &Frame { kind, destination: frame[1], source: frame[2], data: frame }, 8);
        lost += u64::from(seen.lost_token);
        if let Some((station, _)) = seen.rotation {
            assert_eq!((kind, station), (FrameType::Token, frame[1]));
        }
    }
    let sum: u64 = trunk.stations().map(|(_, station)| station.frames).sum();
    assert_eq!((sum, trunk.octets(), trunk.lost_tokens()), (trunk.frames(), 8 * trunk.frames(), lost));
    for (_, station) in trunk.stations() {
        let spans = [station.reply, station.poll_reply, station.token_reply, station.rotation];
        assert!(spans.iter().all(|spans| u128::from(spans.most.picoseconds()) <= spans.sum));
    }
}
