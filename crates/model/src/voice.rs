//! Voice quality as listeners experience it: rating, delay and loss of each call, and of the poorest.

use sojourn_core::Duration;
use sojourn_metrics::codec::Codec;
use sojourn_metrics::e_model::{Transmission, mos, r_factor};
use sojourn_metrics::jitter_buffer::Played;
use sojourn_metrics::jitter_buffer::talkspurts::{Heard, Playout};
use sojourn_metrics::record::{Observation, Record};

/// Above this share of late packets, a note says that a fixed jitter buffer is why.
const LATE: f64 = 0.01;

/// A direction of a call as its listener has it.
#[derive(Clone, Copy, Debug)]
pub struct Direction {
    codec: Codec,
    /// Mouth-to-ear delay; `None` where nothing was played.
    delay: Option<Duration>,
    played: Played,
    playout: Playout,
    /// `None` under a loss of which no effect on the codec is published.
    rating: Option<f64>,
}

impl Direction {
    /// What was heard of a codec's packets of `packet_time`.
    pub fn new(codec: Codec, packet_time: Duration, playout: Playout, heard: Heard) -> Self {
        let (loss, burst_ratio) = (heard.played.loss(), heard.played.burst_ratio());
        let delay = heard.delay.map(|buffered| packet_time + codec.look_ahead() + buffered);
        // what no one hears is worth nothing
        let rating =
            delay.map_or(Some(0.0), |delay| r_factor(codec.impairment(), Transmission { delay, loss, burst_ratio }));
        Direction { codec, delay, played: heard.played, playout, rating }
    }

    /// Orders directions from the poorest: by what their opinions are worth, or by loss where there is none.
    fn goodness(&self) -> f64 {
        self.opinion().unwrap_or(-self.played.loss())
    }

    fn opinion(&self) -> Option<f64> {
        self.rating.map(|rating| mos(self.codec.band(), rating))
    }

    fn report(&self, member: &str, record: &mut Record) {
        let is_spoken = self.played.spoken() > 0;
        let applies =
            |value: Option<f64>| value.filter(|_| is_spoken).map_or(Observation::NotApplicable, Observation::Scalar);
        record.observe(format!("r_factor{member}"), applies(self.rating));
        record.observe(format!("mos{member}"), applies(self.opinion()));
        record.observe(format!("play_out_delay{member}"), applies(self.delay.map(Duration::seconds)));
        record.observe(format!("play_out_loss{member}"), applies(Some(self.played.loss())));
    }
}

/// Of each call, by name, the poorer direction, and without a member the poorest of all; nothing without calls.
pub fn report(calls: &[(String, Vec<Direction>)], record: &mut Record) {
    let all = || calls.iter().flat_map(|(_, directions)| directions);
    let Some(worst) = all().min_by(poorer) else { return };
    for (name, directions) in calls.iter().filter(|_| calls.len() > 1) {
        if let Some(poorest) = directions.iter().min_by(poorer) {
            poorest.report(&format!("/{name}"), record);
        }
    }
    worst.report("", record);
    let played = &worst.played;
    for (cause, packets) in [("lost", played.lost), ("late", played.late), ("overflow", played.overflowed)] {
        let name = format!("play_out_loss/{cause}");
        match played.spoken() {
            0 => record.observe(name, Observation::NotApplicable),
            spoken => record.scalar(name, packets as f64 / spoken as f64),
        }
    }
    let is_late = |direction: &Direction| {
        let Direction { played, playout, .. } = direction;
        *playout == Playout::Fixed && played.late as f64 > LATE * played.spoken() as f64
    };
    if all().any(is_late) {
        record.note(
            "packets of calls come too late for a fixed jitter buffer: its playout delay is that of the first packet after \
             the warm-up; jitter_buffer = \"adaptive\" follows the delay",
        );
    }
    if let Some(unrated) = all().find(|direction| direction.rating.is_none()) {
        let codec = unrated.codec.name();
        record.note(format!("no rating of {codec} under loss: its robustness (Bpl) is not published"));
    }
}

fn poorer(one: &&Direction, other: &&Direction) -> std::cmp::Ordering {
    one.goodness().total_cmp(&other.goodness())
}
