//! Residence times of the last requests of a run. A peer reports each residence time in a later reply, so a few extra
//! requests are sent after the last one to fetch them.

use sojourn_core::{Duration, Time};

use super::packets::Packets;
use super::peer::{Peer, PeerEvent, Request, Socket};
use super::probing::Timing;
use crate::io::datagrams::ReadMode;

/// Requests of a round at most: as many residence times as an agent keeps.
const MOST: usize = 64;
/// Rounds at most; on a busy host the agent may know a residence time later than it is asked.
const ROUNDS: u32 = 4;
/// Added to twice the longest response time: how long the replies are waited for.
const MARGIN: Duration = Duration::from_millis(100);

/// Sends a request of `octets` after the last one of a run, then rounds of as many as residence times are still owed, and
/// takes the residence times from their replies. Nothing else is measured of them. Returns the next sequence number.
pub fn fetch<P: Peer>(peer: &mut P, packets: &mut Packets, timing: &mut Timing, timeout: Duration, octets: u32) -> u64 {
    let first = packets.next_sequence();
    let Some(from) = awaited_from(packets) else { return first };
    let longest = packets.all().iter().filter_map(|packet| packet.response()).max();
    // answers may come after the timeout
    let wait = timeout.times(2).min(longest.unwrap_or_default().times(2) + MARGIN);
    let mut next = first;
    for round in 0..ROUNDS {
        let owed = packets.without_residence(from).min(MOST);
        if owed == 0 {
            break;
        }
        let asked = if round == 0 { owed.min(1) } else { owed };
        for _ in 0..asked {
            let intended = timing.clock.now();
            // what cannot be sent is not answered
            let _ = peer.send(Request { sequence: next, intended, octets });
            next += 1;
        }
        let until = timing.clock.now() + wait;
        let answered = take(peer, packets, timing, until, (first, next), from);
        // one round may be lost
        if !answered && round > 0 {
            break;
        }
    }
    next
}

/// The answered request after the last whose residence time is known, if the peer reports any.
fn awaited_from(packets: &Packets) -> Option<u64> {
    let first = packets.next_sequence() - packets.all().len() as u64;
    let known = packets.all().iter().rposition(|packet| packet.far_sent.is_some()).map_or(0, |index| index + 1);
    let from = first + known as u64;
    (packets.without_residence(from) > 0).then_some(from)
}

/// Receives until the last request of `asked` is answered, nothing is owed, or it is too late; whether a request was
/// answered.
fn take<P: Peer>(
    peer: &mut P,
    packets: &mut Packets,
    timing: &mut Timing,
    until: Time,
    asked: (u64, u64),
    from: u64,
) -> bool {
    let (mut answered, mut last_answered) = (false, false);
    while timing.clock.now() < until && packets.without_residence(from) > 0 && !last_answered {
        timing.alarm.set(until);
        peer.socket().wait(&timing.alarm);
        while peer.poll_tx_timestamp().is_some() {}
        loop {
            match peer.receive(ReadMode::NonBlocking) {
                PeerEvent::Response(answer) if answer.sequence < asked.0 => {
                    packets.answered(answer);
                }
                PeerEvent::Response(answer) => {
                    if let Some(residence) = answer.far.and_then(|far| far.earlier) {
                        packets.stayed(residence);
                    }
                    answered = true;
                    last_answered |= answer.sequence + 1 == asked.1;
                }
                PeerEvent::Unrelated => packets.count_unrelated(),
                PeerEvent::Control => {}
                PeerEvent::Failure(..) | PeerEvent::Error(_) | PeerEvent::Nothing => break,
            }
        }
    }
    answered
}
