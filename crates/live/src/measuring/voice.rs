//! What a telephone would make of the packets: a play-out buffer, and the rating of the E-model.
//!
//! A frame that is not there when it is to be played is lost to the ear, whether the network dropped it or brought it
//! late. The rating is that of ITU-T G.107 with its defaults for all that is no network: R = 93.2 - Id - Ie,eff, where
//! Id = 0.024 d + 0.11 (d - 177.3) above 177.3 ms (the simplification of Cole and Rosenbluth, 2001) and
//! Ie,eff = Ie + (95 - Ie) Ppl / (Ppl + Bpl) with loss at random; R becomes MOS by annex B.

use std::str::FromStr;

use sojourn_core::Duration;

/// A voice stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voice {
    /// How voice is coded.
    pub codec: Codec,
    /// How long the first frame waits before it is played.
    pub play_out: Duration,
    /// Frames that the buffer holds.
    pub capacity: u32,
}

/// A way to code voice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Codec {
    /// Its name.
    pub name: &'static str,
    /// What one packet holds of voice.
    pub frame: Duration,
    /// Octets of that, after an RTP header.
    pub octets: u32,
    /// Equipment impairment factor Ie (ITU-T G.113, appendix I).
    impairment: f64,
    /// Packet-loss robustness factor Bpl (the same).
    robustness: f64,
}

/// RTP's header (RFC 3550, section 5.1).
const RTP_HEADER: u32 = 12;
/// ITU-T G.107's rating where there is no network.
const BEST_RATING: f64 = 93.2;
/// Two packets of voice, which is what a common fixed buffer waits.
const PLAY_OUT: Duration = Duration::from_millis(40);
const CAPACITY: u32 = 16;

const CODECS: [Codec; 2] = [
    // with the packet loss concealment of G.711 appendix I
    Codec { name: "g711", frame: Duration::from_millis(20), octets: 160, impairment: 0.0, robustness: 25.1 },
    Codec { name: "g729", frame: Duration::from_millis(20), octets: 20, impairment: 11.0, robustness: 19.0 },
];

/// What no codec is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is no codec: g711 or g729")]
pub struct NoCodec;

impl FromStr for Codec {
    type Err = NoCodec;

    fn from_str(word: &str) -> Result<Codec, NoCodec> {
        CODECS.into_iter().find(|codec| codec.name == word).ok_or(NoCodec)
    }
}

impl Voice {
    /// A stream of this codec with a buffer that waits so long.
    pub fn new(codec: Codec, play_out: Option<Duration>) -> Voice {
        Voice { codec, play_out: play_out.unwrap_or(PLAY_OUT), capacity: CAPACITY }
    }

    /// Octets of a packet.
    pub fn octets(&self) -> u32 {
        self.codec.octets + RTP_HEADER
    }

    /// Plays frames whose transits are given in order of sending, in nanoseconds on any two clocks; `None` for those
    /// that did not arrive.
    pub fn play(&self, transits_ns: &[Option<f64>]) -> Played {
        let frame_ns = self.codec.frame.seconds() * 1e9;
        let arrives = |index: usize| transits_ns[index].map(|transit| index as f64 * frame_ns + transit);
        let mut order: Vec<usize> = (0..transits_ns.len()).filter(|&index| transits_ns[index].is_some()).collect();
        order.sort_by(|&a, &b| arrives(a).unwrap_or(0.0).total_cmp(&arrives(b).unwrap_or(0.0)));
        let mut played = Played { frames: transits_ns.len() as u64, ..Played::default() };
        let Some(&first) = order.first() else {
            return Played { lost: played.frames, ..played };
        };
        // what was sent before the first that arrived is not waited for
        let start = arrives(first).unwrap_or(0.0) + self.play_out.seconds() * 1e9 - first as f64 * frame_ns;
        let mut waiting: Vec<f64> = Vec::new();
        for index in order {
            let (arrival, play_at) = (arrives(index).unwrap_or(0.0), start + index as f64 * frame_ns);
            waiting.retain(|at| *at > arrival);
            if arrival > play_at {
                played.late += 1;
            } else if waiting.len() >= self.capacity as usize {
                played.overflow += 1;
            } else {
                waiting.push(play_at);
            }
        }
        played.lost = transits_ns.iter().filter(|transit| transit.is_none()).count() as u64;
        played.first_transit_ns = transits_ns[first].unwrap_or(0.0);
        played
    }

    /// The rating of a direction whose packets took `network` when they met no queue, in seconds: the delay from mouth
    /// to ear is a frame's length, the way and the buffer.
    pub fn rating(&self, played: &Played, network_s: f64) -> f64 {
        let delay_ms = (self.codec.frame.seconds() + network_s.max(0.0) + self.play_out.seconds()) * 1e3;
        let delay = 0.024 * delay_ms + 0.11 * (delay_ms - 177.3).max(0.0);
        let Codec { impairment, robustness, .. } = self.codec;
        let loss_percent = 100.0 * played.missing();
        BEST_RATING - delay - impairment - (95.0 - impairment) * loss_percent / (loss_percent + robustness)
    }
}

/// What became of the frames of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Played {
    /// Frames sent.
    pub frames: u64,
    /// Frames that did not arrive.
    pub lost: u64,
    /// Frames that came after the instant they were to be played.
    pub late: u64,
    /// Frames that found the buffer full.
    pub overflow: u64,
    /// The transit that the buffer was set by.
    pub first_transit_ns: f64,
}

impl Played {
    /// Times that there was nothing to play: a frame was late or lost.
    pub fn underflow(&self) -> u64 {
        self.lost + self.late
    }

    /// Share of the frames that were not heard.
    pub fn missing(&self) -> f64 {
        if self.frames == 0 { 0.0 } else { (self.lost + self.late + self.overflow) as f64 / self.frames as f64 }
    }
}

/// Mean opinion score of a rating, 1 to 4.5 (ITU-T G.107, annex B).
pub fn mean_opinion(rating: f64) -> f64 {
    match rating {
        ..0.0 => 1.0,
        0.0..100.0 => 1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6,
        _ => 4.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice() -> Voice {
        Voice { capacity: 3, ..Voice::new("g711".parse().unwrap(), Some(Duration::from_millis(30))) }
    }

    fn milliseconds(transits: &[Option<f64>]) -> Vec<Option<f64>> {
        transits.iter().map(|transit| transit.map(|ms| ms * 1e6)).collect()
    }

    #[test]
    fn a_frame_later_than_the_buffer_waits_is_as_lost_as_one_that_never_came() {
        let played = voice().play(&milliseconds(&[Some(5.0), Some(34.0), Some(36.0), None, Some(5.0)]));
        assert_eq!((played.late, played.lost, played.overflow, played.underflow()), (1, 1, 0, 2));
        assert_eq!(played.missing(), 0.4);
    }

    #[test]
    fn frames_that_come_in_a_heap_overflow_the_buffer() {
        // the first frame stands for a way of 95 ms, then five frames come at once
        let transits: Vec<Option<f64>> = (0..6).map(|index| Some(95.0 - 20.0 * f64::from(index))).collect();
        let played = voice().play(&milliseconds(&transits));
        assert_eq!((played.late, played.overflow), (0, 3));
    }

    #[test]
    fn ratings_and_scores_are_those_of_the_recommendation() {
        let voice = voice();
        let none = Played { frames: 100, ..Played::default() };
        // 20 + 50 + 30 ms
        assert!((voice.rating(&none, 0.05) - (93.2 - 2.4)).abs() < 1e-9);
        // 200 ms: 4.8 and 0.11 of what is beyond 177.3 ms
        assert!((voice.rating(&none, 0.15) - (93.2 - 4.8 - 0.11 * 22.7)).abs() < 1e-9);
        let some = Played { lost: 2, ..none };
        assert!((voice.rating(&none, 0.05) - voice.rating(&some, 0.05) - 95.0 * 2.0 / 27.1).abs() < 1e-9);
        // G.107, table B.1
        for (rating, score) in [(90.0, 4.34), (80.0, 4.03), (70.0, 3.60), (60.0, 3.10), (50.0, 2.58)] {
            assert!((mean_opinion(rating) - score).abs() < 0.005, "{rating}");
        }
        assert_eq!((mean_opinion(-3.0), mean_opinion(101.0)), (1.0, 4.5));
    }

    #[test]
    fn silence_is_lost_as_a_whole() {
        let played = voice().play(&[None, None]);
        assert_eq!((played.lost, played.missing()), (2, 1.0));
    }
}
