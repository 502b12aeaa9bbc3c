//! Packets that were captured twice: on both sides of a switch or router, or by a mirror of both directions.
//!
//! A copy has the identification of IPv4 and the payload of the packet before it; what is sent again has an identification of its
//! own. Only the first of the copies is part of the network: the second is neither a loss nor a packet of its own.

use std::collections::{BTreeMap, VecDeque};
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use sojourn_capture::ip::header::Header;
use sojourn_core::{Duration, Time};

/// The second copy comes within this time, as the analysis has it.
const WITHIN: Duration = Duration::from_millis(500);
/// Octets of the payload that are compared: the headers of TCP, and the begin of the data.
const COMPARED: usize = 128;
/// Packets remembered.
const RECENT: usize = 16_384;

/// Packets of the last moments.
#[derive(Debug, Default)]
pub(super) struct Copies {
    recent: BTreeMap<u64, Time>,
    by_age: VecDeque<(Time, u64)>,
}

impl Copies {
    /// Whether a packet was captured just before.
    pub fn is_copy(&mut self, header: &Header<'_>, time: Time) -> bool {
        if header.identification == 0 {
            return false;
        }
        while let Some((since, hash)) = self.by_age.pop_front_if(|(since, _)| time.since(*since) >= WITHIN) {
            self.forget(since, hash);
        }
        let hash = hash(header);
        if self.recent.contains_key(&hash) {
            return true;
        }
        if self.by_age.len() >= RECENT
            && let Some((since, hash)) = self.by_age.pop_front()
        {
            self.forget(since, hash);
        }
        self.recent.insert(hash, time);
        self.by_age.push_back((time, hash));
        false
    }

    fn forget(&mut self, since: Time, hash: u64) {
        if self.recent.get(&hash) == Some(&since) {
            self.recent.remove(&hash);
        }
    }
}

/// Of all that a router does not change.
fn hash(header: &Header<'_>) -> u64 {
    let Header { source, destination, protocol, identification, length, payload, fragment, .. } = header;
    let is_first = fragment.map(|fragment| fragment.is_first);
    let begin = &payload[..payload.len().min(COMPARED)];
    FixedState::default().hash_one((source, destination, protocol, identification, length, is_first, begin))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::super::packets::segment;
    use super::super::survey::Survey;
    use super::*;
    use sojourn_capture::{LinkType, Packet};

    /// A transfer of full segments each of which a mirror captures twice, and which of them its sender sends again.
    fn survey(again: Option<u32>) -> Survey {
        let [sender, receiver] = [(1, 40_000), (2, 5001)].map(|(host, port)| (Ipv4Addr::new(10, 0, 0, host), port));
        let mut survey = Survey::default();
        let mut number = 0;
        let mut capture = |milliseconds: u64, mut bytes: Vec<u8>| {
            number += 1;
            bytes[4..6].copy_from_slice(&(number as u16).to_be_bytes());
            for copy in 0..2 {
                let time = Time::ZERO + Duration::from_micros(1000 * milliseconds + 20 * copy);
                survey.packet(&Packet::whole(2 * number + copy, time, LinkType::RAW_IP, &bytes));
                // the mirror is behind a router for the second copy
                bytes[8] = 63;
            }
        };
        for count in 0..200 {
            let data = |seq| segment(sender, receiver, (1 + 1000 * seq, 1, 0x10), &[0; 1000]);
            capture(10 * u64::from(count), data(count));
            if again == Some(count) {
                capture(10 * u64::from(count) + 5, data(count));
            }
        }
        survey
    }

    #[test]
    fn segments_that_a_mirror_captured_twice_are_no_losses_and_one_that_was_sent_again_is_one() {
        let lost = |survey: &Survey| {
            let side = &survey.all_connections().next().unwrap().sides[0];
            (side.segments, side.lost_before, side.lost_after)
        };
        assert_eq!(lost(&survey(None)), (200, 0, 0));
        assert_eq!(lost(&survey(Some(50))), (200, 0, 1));
    }
}
