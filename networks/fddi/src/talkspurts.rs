//! Talkspurts of a voice channel: their length in packets, and the pauses between them.

use sojourn_core::{Duration, Stream, Time, rekey_fields};
use sojourn_engine::sample::exponential;

/// Talkspurts and pauses of a channel, whole packet times of exponential lengths.
#[derive(Clone, Debug)]
pub struct Talkspurts {
    means: [Duration; 2],
    packet_time: Duration,
    random: Stream,
    /// Packets left of this talkspurt.
    left: u64,
    /// When the pause ends; never while it speaks.
    resumes: Time,
    /// Last packets of talkspurts that the host has not taken yet.
    untaken: u32,
}

impl Talkspurts {
    /// A channel in a stationary state, speaking or not, and how long it is until it speaks; `means` are those of a talkspurt
    /// and of a pause.
    pub fn new(means: [Duration; 2], packet_time: Duration, random: Stream) -> (Self, Duration) {
        let mut talkspurts = Talkspurts { means, packet_time, random, left: 0, resumes: Time::NEVER, untaken: 0 };
        let [spoken, silent] = means.map(Duration::seconds);
        let pauses = talkspurts.random.unit() < silent / (spoken + silent);
        let pause = if pauses { talkspurts.draw(1) } else { 0 };
        talkspurts.left = talkspurts.draw(0);
        (talkspurts, packet_time.times(pause))
    }

    /// A packet is complete: when the channel speaks again, if it was the last of a talkspurt.
    pub fn packet(&mut self, now: Time) -> Option<Time> {
        self.left -= 1;
        if self.left > 0 {
            return None;
        }
        let pause = self.draw(1);
        self.left = self.draw(0);
        self.resumes = now + self.packet_time.times(pause);
        self.untaken += 1;
        Some(self.resumes)
    }

    /// The host takes a packet: whether that had left the FIFO when it was complete, as the last of a talkspurt.
    pub fn has_left(&mut self) -> bool {
        let was_last = self.untaken > 0;
        self.untaken -= u32::from(was_last);
        was_last
    }

    /// Whether nothing is spoken.
    pub fn is_paused(&self) -> bool {
        self.resumes < Time::NEVER
    }

    /// Whether a pause ends now.
    pub fn resumes(&mut self, now: Time) -> bool {
        let ends = self.resumes == now;
        if ends {
            self.resumes = Time::NEVER;
        }
        ends
    }

    /// It speaks anew: a pause that was to end does not.
    pub fn restart(&mut self) {
        self.resumes = Time::NEVER;
    }

    fn draw(&mut self, which: usize) -> u64 {
        let length = exponential(&mut self.random, self.means[which]).picoseconds();
        length.div_ceil(self.packet_time.picoseconds()).max(1)
    }
}

rekey_fields!(Talkspurts { random });
