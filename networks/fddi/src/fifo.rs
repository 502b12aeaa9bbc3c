//! The FIFOs between a converter and the host. Samples enter and leave at one per 125 µs, and are counted only on
//! demand.

use sojourn_core::{Duration, Time};

/// One voice sample: 8000 a second.
pub const SAMPLE: Duration = Duration::from_micros(125);

/// The FIFO of an analogue-to-digital converter that never stops.
#[derive(Clone, Debug)]
pub struct Source {
    depth: u64,
    /// Never, while it is stopped.
    began: Time,
    /// Samples that left: read by the application, or lost.
    gone: u64,
    lost: u64,
    /// Samples before it was stopped the last time.
    before: u64,
}

impl Source {
    /// A converter that begins at `began`, before a FIFO of `depth` samples.
    pub fn new(depth: u64, began: Time) -> Self {
        Source { depth, began, gone: 0, lost: 0, before: 0 }
    }

    /// When the FIFO will hold `samples`, if nothing is read before.
    pub fn holds(&self, samples: u64) -> Time {
        self.began + SAMPLE.times(self.gone + samples)
    }

    /// Samples in it at `now`; what found no room is lost.
    pub fn level(&mut self, now: Time) -> u64 {
        let level = now.since(self.began).whole(SAMPLE) - self.gone;
        let excess = level.saturating_sub(self.depth);
        self.gone += excess;
        self.lost += excess;
        level - excess
    }

    /// The application reads up to `samples`, limited by the fill level.
    pub fn read(&mut self, now: Time, samples: u64) {
        self.gone += samples.min(self.level(now));
    }

    /// Samples taken up to `now`.
    pub fn samples(&self, now: Time) -> u64 {
        self.before + now.max(self.began).since(self.began).whole(SAMPLE)
    }

    /// The converter stops; what is in its FIFO is thrown away.
    pub fn stop(&mut self, now: Time) {
        self.level(now);
        (self.before, self.gone, self.began) = (self.samples(now), 0, Time::NEVER);
    }

    /// Whether it is stopped.
    pub fn is_stopped(&self) -> bool {
        self.began == Time::NEVER
    }

    /// A converter that is stopped begins again.
    pub fn restart(&mut self, now: Time) {
        self.began = now;
    }

    /// Samples lost up to `now`.
    pub fn lost(&mut self, now: Time) -> u64 {
        self.level(now);
        self.lost
    }
}

/// The FIFO of a digital-to-analogue converter that starts with the first delivery.
#[derive(Clone, Debug)]
pub struct Sink {
    depth: u64,
    playout_delay: Duration,
    /// When the next sample is due; the converter keeps its beat when there is none.
    next: Option<Time>,
    has_started: bool,
    level: u64,
    underflows: u64,
    lost: u64,
    /// Whether the next packet is the first after a pause.
    paused: bool,
}

impl Sink {
    /// A converter at rest behind a FIFO of `depth` samples, that takes its first sample `playout_delay` after the first
    /// delivery.
    pub fn new(depth: u64, playout_delay: Duration) -> Self {
        Sink { depth, playout_delay, next: None, has_started: false, level: 0, underflows: 0, lost: 0, paused: false }
    }

    /// `samples` are delivered at `now`.
    pub fn deliver(&mut self, now: Time, samples: u64) {
        self.play(now);
        self.paused = false;
        if self.next.is_none() {
            (self.next, self.has_started) = (Some(now + self.playout_delay), true);
        }
        self.level += samples;
        let excess = self.level.saturating_sub(self.depth);
        self.level -= excess;
        self.lost += excess;
    }

    /// The converter is at rest again, with an empty FIFO, until the next delivery.
    pub fn rest(&mut self, now: Time) {
        self.play(now);
        (self.next, self.level) = (None, 0);
    }

    /// The talker has paused up to `now`, after which its next packet is made. Running empty by then, or before that packet is
    /// delivered, is not an underflow: the converter is at rest until the delivery.
    pub fn pause(&mut self, now: Time) {
        self.paused = true;
        self.play(now);
    }

    /// Whether anything was ever delivered.
    pub fn has_started(&self) -> bool {
        self.has_started
    }

    /// Times it ran empty up to `now`, and samples lost.
    pub fn counts(&mut self, now: Time) -> (u64, u64) {
        self.play(now);
        (self.underflows, self.lost)
    }

    /// The converter takes the samples that are due before `now`.
    fn play(&mut self, now: Time) {
        let Some(next) = self.next.filter(|next| *next < now) else { return };
        let late = now.since(next).picoseconds();
        let due = late.div_ceil(SAMPLE.picoseconds());
        if self.paused && due > self.level {
            (self.next, self.level) = (None, 0);
            return;
        }
        self.next = Some(next + SAMPLE.times(due));
        self.underflows += u64::from(due > self.level);
        self.level = self.level.saturating_sub(due);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    #[test]
    fn a_source_that_is_read_in_time_loses_nothing_and_one_that_is_not_loses_the_rest() {
        let mut source = Source::new(16, at(1000));
        assert_eq!(source.holds(8), at(2000));
        source.read(at(2000), 8);
        assert_eq!(source.holds(8), at(3000));
        assert_eq!(source.lost(at(4000)), 0);
        assert_eq!(source.lost(at(4125)), 1, "16 samples fill the FIFO at 4 ms");
        source.read(at(4125), 8);
        assert_eq!(source.level(at(4125)), 8);
    }

    #[test]
    fn a_sink_fed_every_packet_time_never_runs_empty() {
        let mut sink = Sink::new(16, SAMPLE);
        for packet in 0..100 {
            sink.deliver(at(500 + packet * 1000), 8);
        }
        assert_eq!(sink.counts(at(100_500)), (0, 0));
    }

    #[test]
    fn a_packet_later_than_the_start_up_delay_is_an_underflow_once() {
        let mut sink = Sink::new(16, SAMPLE);
        sink.deliver(at(0), 8);
        sink.deliver(at(1125), 8);
        assert_eq!(sink.counts(at(1125)), (0, 0), "the next sample is due at 1.125 ms");
        sink.deliver(at(2500), 8);
        assert_eq!(sink.counts(at(2500)), (1, 0));
        sink.deliver(at(3250), 8);
        assert_eq!(sink.counts(at(3250)), (1, 0), "the converter kept its beat");
    }

    #[test]
    fn a_sink_plays_what_it_has_in_a_pause_and_then_starts_anew() {
        let mut sink = Sink::new(32, at(2000).since(Time::ZERO));
        sink.deliver(at(0), 8);
        sink.deliver(at(1000), 8);
        // 16 samples last from 2 ms to 4 ms
        sink.pause(at(3000));
        assert_eq!((sink.level, sink.next.is_some()), (8, true), "a short pause leaves what is not played");
        sink.deliver(at(3500), 8);
        assert_eq!(sink.counts(at(4900)), (0, 0));
        sink.pause(at(9000));
        assert_eq!(sink.next, None);
        sink.deliver(at(10_000), 8);
        assert_eq!((sink.next, sink.counts(at(10_000))), (Some(at(12_000)), (0, 0)));
        assert_eq!(sink.counts(at(20_000)), (1, 0), "without a pause it has run empty");
    }

    #[test]
    fn a_sink_that_is_fed_too_fast_loses_what_finds_no_room() {
        let mut sink = Sink::new(16, SAMPLE);
        (0..3).for_each(|_| sink.deliver(at(0), 8));
        assert_eq!(sink.counts(at(0)), (0, 8));
    }
}
