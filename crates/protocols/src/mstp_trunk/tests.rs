use proptest::prelude::*;

use super::*;
use crate::bacnet::i_am;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// Frames with their milliseconds, types and addresses: from, to.
fn heard(frames: &[(u64, FrameType, u8, u8)]) -> Trunk {
    let mut trunk = Trunk::default();
    for (ms, kind, source, destination) in frames {
        let frame = Frame { kind: *kind, destination: *destination, source: *source, data: &[][..] };
        trunk.frame(at(*ms), &frame, 8);
    }
    trunk
}

fn station(trunk: &Trunk, address: u8) -> Station {
    *trunk.stations().find(|(station, _)| *station == address).expect("it has sent").1
}

fn one(ms: u64) -> Spans {
    let span = Duration::from_millis(ms);
    Spans { count: 1, sum: u128::from(span.picoseconds()), most: span }
}

use FrameType::*;

#[test]
fn a_token_that_is_passed_on_at_once_shows_its_receivers_latency_and_the_rotation() {
    let trunk = heard(&[(0, Token, 1, 2), (5, Token, 2, 1), (12, Token, 1, 2), (20, Token, 2, 1)]);
    let (first, second) = (station(&trunk, 1), station(&trunk, 2));
    assert_eq!(first.token_reply, one(7));
    assert_eq!((second.token_reply.count, second.token_reply.most), (2, Duration::from_millis(8)));
    assert_eq!((first.rotation, second.rotation), (one(15), one(12)));
    assert_eq!((second.tokens_received, second.tokens_passed, second.tokens_out_of_order), (2, 2, 0));
}

#[test]
fn a_token_that_is_not_used_is_sent_again_after_the_usage_timeout() {
    let trunk = heard(&[(0, Token, 1, 2), (35, Token, 1, 2), (70, PollForMaster, 1, 3), (105, PollForMaster, 1, 4)]);
    let passer = station(&trunk, 1);
    assert_eq!((passer.usage_timeout.count, passer.usage_timeout.most), (2, Duration::from_millis(35)));
    assert_eq!((passer.polls, passer.highest_polled), (2, Some(4)));
    assert!(trunk.stations().all(|(address, _)| address == 1), "station 2 has sent nothing");
}

#[test]
fn a_request_is_answered_at_once_or_postponed_and_answered_with_the_next_token() {
    let data = [(0, Token, 9, 1), (6, DataExpectingReply, 1, 7), (20, DataNotExpectingReply, 7, 1)];
    let postponed = [(30, DataExpectingReply, 1, 7), (39, ReplyPostponed, 7, 1), (42, Token, 1, 7)];
    let trunk = heard(&[&data[..], &postponed, &[(50, DataNotExpectingReply, 7, 1)]].concat());
    let server = station(&trunk, 7);
    assert_eq!((server.reply, server.postponed_reply), (one(14), one(9)));
    assert_eq!((server.postponed, server.unsolicited, station(&trunk, 1).requests), (1, 2, 2));
    assert_eq!((station(&trunk, 1).frames_per_token, server.frames_per_token), (2, 1));
}

#[test]
fn a_poll_is_answered_by_the_master_that_is_there() {
    let trunk = heard(&[(0, PollForMaster, 1, 2), (20, PollForMaster, 1, 3), (26, ReplyToPollForMaster, 3, 1)]);
    assert_eq!((station(&trunk, 3).poll_reply, station(&trunk, 3).poll_replies), (one(6), 1));
    assert_eq!(station(&trunk, 1).usage_timeout, one(20));
}

#[test]
fn a_poll_after_the_silence_of_a_lost_token_generates_another() {
    let trunk = heard(&[(0, Token, 1, 2), (510, PollForMaster, 1, 2), (600, PollForMaster, 1, 3)]);
    assert_eq!(trunk.lost_tokens(), 1);
}

#[test]
fn polls_come_every_so_many_tokens() {
    let mut frames = Vec::new();
    for token in 0..120 {
        frames.push((10 * token, Token, 2, 1));
        if token % 50 == 0 {
            frames.push((10 * token + 2, PollForMaster, 1, 5));
        }
        frames.push((10 * token + 5, Token, 1, 2));
    }
    assert_eq!(station(&heard(&frames), 1).tokens_between_polls, Some(50));
}

#[test]
fn a_device_announces_its_instance() {
    let mut trunk = Trunk::default();
    let announcement = i_am(1234);
    let frame = Frame { kind: DataNotExpectingReply, destination: 255, source: 7, data: &announcement[..] };
    trunk.frame(at(0), &frame, frame.longest());
    assert_eq!(station(&trunk, 7).device, Some(1234));
}

proptest! {
    #[test]
    fn any_frames_are_counted(octets in prop::collection::vec(prop_oneof![0_u8..8, any::<u8>()], 0..400)) {
        fuzz::frames(&octets);
    }
}
