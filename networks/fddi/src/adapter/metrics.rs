//! Observations of the frames of one replication, and the record of metrics made from them.

use sojourn_core::{Duration, Time};
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::level::TimeWeighted;
use sojourn_metrics::load::Load;
use sojourn_metrics::record::{Observation, Record};

use super::bus::CYCLE;
use super::latency_budget::{COMPONENTS, LatencyBudget};
use sojourn_model::flow_tally::{Count, FlowTally};

/// Where frames are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The receive FIFO was full.
    ReceiveFifo,
    /// Packet memory had no buffer.
    PacketBuffers,
    /// Too many frames waited before the control stage.
    ControlQueue,
    /// The host had no buffer.
    HostBuffers,
    /// The transmit FIFO ran empty while a frame was on the fibre.
    TransmitFifo,
    /// The adapter had no power.
    Power,
    /// The fibre was interrupted.
    Ring,
}

/// Names of the places in results, in the order of [`Place`].
const PLACES: [&str; 7] =
    ["receive-fifo", "packet-buffers", "control-queue", "host-buffers", "transmit-fifo", "power", "ring"];
/// Those of them at which frames are dropped without an event.
const WITHOUT_EVENTS: usize = 5;

/// How busy the stages were, as shares of the observed time, and how full their buffers, by name.
#[derive(Debug)]
pub struct Occupancy<'a> {
    /// Busy share of each stage, 0 to 1.
    pub busy: Vec<(&'static str, f64)>,
    /// Occupancy of each buffer, in bursts, buffers or frames.
    pub levels: Vec<(&'static str, &'a TimeWeighted)>,
}

/// Counts and samples from the end of the warm-up to the end of the run.
#[derive(Clone, Debug)]
pub struct Metrics {
    window: Duration,
    observing: bool,
    /// Bytes that a frame counts beside its own.
    overhead: u32,
    /// Frames from the ring.
    pub to_host: Direction,
    /// Frames from the host.
    pub to_ring: Direction,
    drops: [Count; PLACES.len()],
    budget: Budget,
    /// Waits of the adapter's transactions for the bus, and of other nodes'.
    bus_wait: Distribution,
    others_wait: Distribution,
    /// Bytes that other commanders moved.
    moved_by_others: u64,
    /// Cycles that other nodes drove.
    driven_by_others: u64,
    /// Response times in order, when they were asked for.
    trace: Option<Vec<(u64, f64)>>,
    /// Frames that came or ended, for the windows of events.
    observed: Option<Vec<Observed>>,
}

/// A frame that comes or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// It is there, or the adapter begins with it.
    Sent(Time),
    /// One of then is through after a time, or lost.
    Ended(Time, Option<Duration>),
}

/// Frames of one direction.
#[derive(Clone, Debug, Default)]
pub struct Direction {
    /// Frames, with bytes as throughput counts them.
    pub tally: FlowTally,
    /// When the first one was through, what it counts, and when the last one was.
    first: Option<(Time, u64)>,
    last: Time,
    response_time: Distribution,
}

impl Direction {
    /// Frames and bits a second, from the end of the first frame to that of the last: a window's edges would cut long
    /// frames. Of fewer than two frames, over the whole window.
    fn rates(&self, window: Duration) -> (f64, f64) {
        let (frames, bytes) = (self.tally.delivered.observed(), self.tally.bytes.observed());
        match self.first {
            Some((first, first_bytes)) if self.last > first => {
                let span = (self.last - first).seconds();
                ((frames - 1) as f64 / span, (bytes - first_bytes) as f64 * 8.0 / span)
            }
            _ => (frames as f64 / window.seconds(), bytes as f64 * 8.0 / window.seconds()),
        }
    }

    #[inline]
    fn deliver(&mut self, now: Time, bytes: u64, observing: bool) {
        self.tally.deliver(bytes);
        if observing {
            self.first.get_or_insert((now, bytes));
            self.last = now;
        }
    }
}

impl Metrics {
    /// Nothing seen; `window` is to be observed.
    pub fn new(window: Duration, overhead: u32, traced: bool) -> Self {
        Metrics {
            window,
            observing: false,
            overhead,
            to_host: Direction::default(),
            to_ring: Direction::default(),
            drops: [Count::default(); PLACES.len()],
            budget: Budget::new(&COMPONENTS),
            bus_wait: Distribution::new(),
            others_wait: Distribution::new(),
            moved_by_others: 0,
            driven_by_others: 0,
            trace: traced.then(Vec::new),
            observed: None,
        }
    }

    /// Keeps frames that come or end for [`Metrics::observed`].
    pub fn observe_frames(&mut self) {
        self.observed = Some(Vec::new());
    }

    /// The frames that came or ended since this was last asked.
    pub fn observed(&mut self) -> impl Iterator<Item = Observed> + '_ {
        self.observed.iter_mut().flat_map(|observed| observed.drain(..))
    }

    fn note(&mut self, one: Observed) {
        if let Some(observed) = &mut self.observed {
            observed.push(one);
        }
    }

    /// The last bit of a frame from the ring is there.
    #[inline]
    pub fn arrived(&mut self, now: Time) {
        self.note(Observed::Sent(now));
    }

    /// The adapter begins with a frame to send.
    #[inline]
    pub fn begun(&mut self, now: Time) {
        self.to_ring.tally.offer();
        self.note(Observed::Sent(now));
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self) {
        self.observing = true;
        self.to_host.tally.end_warm_up();
        self.to_ring.tally.end_warm_up();
        self.drops.iter_mut().for_each(Count::end_warm_up);
    }

    /// Frames dropped since the warm-up.
    pub fn dropped(&self) -> u64 {
        self.drops.iter().map(|drops| drops.observed()).sum()
    }

    /// Drops the samples so far.
    pub fn drop_samples(&mut self) {
        for samples in [&mut self.to_host.response_time, &mut self.to_ring.response_time] {
            *samples = Distribution::new();
        }
        (self.bus_wait, self.others_wait) = (Distribution::new(), Distribution::new());
    }

    /// A transaction of the adapter is granted the bus after a wait.
    #[inline]
    pub fn bus_wait(&mut self, wait: Duration) {
        if self.observing {
            self.bus_wait.record(wait);
        }
    }

    /// Another node drives the bus after a wait, and moves data where it is a commander.
    #[inline]
    pub fn node_drives(&mut self, wait: Duration, cycles: u64, bytes: u32) {
        if self.observing {
            self.others_wait.record(wait);
            self.driven_by_others += cycles;
            self.moved_by_others += u64::from(bytes);
        }
    }

    /// The host has a frame whose last bit came at `since`.
    #[inline]
    pub fn deliver_received(&mut self, now: Time, size: u32, since: Time, latency: &LatencyBudget) {
        self.to_host.deliver(now, u64::from(size + self.overhead), self.observing);
        self.note(Observed::Ended(since, Some(now - since)));
        if self.observing {
            self.to_host.response_time.record(now - since);
            self.sample(now, now - since, latency);
        }
    }

    /// The first bit leaves of a frame that the adapter began with at `since`.
    #[inline]
    pub fn first_bit(&mut self, now: Time, since: Time, latency: &LatencyBudget) {
        self.note(Observed::Ended(since, Some(now - since)));
        if self.observing {
            self.to_ring.response_time.record(now - since);
            self.sample(now, now - since, latency);
        }
    }

    fn sample(&mut self, now: Time, response_time: Duration, latency: &LatencyBudget) {
        let parts = latency.components();
        self.budget.record(parts);
        debug_assert_eq!(parts.iter().copied().sum::<Duration>(), response_time, "the parts add up");
        if let Some(trace) = &mut self.trace {
            trace.push((now.picoseconds(), response_time.seconds()));
        }
    }

    /// A frame has left for the ring.
    #[inline]
    pub fn count_sent(&mut self, now: Time, size: u32) {
        self.to_ring.deliver(now, u64::from(size + self.overhead), self.observing);
    }

    /// A frame from the ring is lost; its last bit had `arrived`, or had not.
    pub fn drop_received(&mut self, now: Time, place: Place, arrived: Option<Time>) {
        if arrived.is_none() {
            self.note(Observed::Sent(now));
        }
        self.note(Observed::Ended(arrived.unwrap_or(now), None));
        self.to_host.tally.lose(1);
        if self.observing {
            self.to_host.response_time.censor(1);
        }
        self.drops[place as usize].add(1);
    }

    /// A frame to the ring is lost, by an underrun or by what happens to adapter and fibre. One whose first bit had not left, with
    /// which the adapter had `begun`, has no response time.
    pub fn drop_sent(&mut self, place: Place, begun: Option<Time>) {
        if let Some(begun) = begun {
            self.note(Observed::Ended(begun, None));
            if self.observing {
                self.to_ring.response_time.censor(1);
            }
        }
        self.to_ring.tally.lose(1);
        self.drops[place as usize].add(1);
    }

    /// Frames a second that were through, in both directions.
    pub fn frame_rate(&self) -> f64 {
        self.to_host.rates(self.window).0 + self.to_ring.rates(self.window).0
    }

    /// The record of an adapter whose clock has reached `end`; `both` directions are reported apart as well.
    pub fn record(&self, both: bool, occupancy: &Occupancy<'_>, end: Time) -> Record {
        let mut record = Record::default();
        // bursts, buffers or frames
        record.units.insert("queue_length".to_owned(), "1".to_owned());
        self.report_stages(occupancy, end, &mut record);
        self.report_frames(both, &mut record);
        record.observe("bus_wait", distribution(&self.bus_wait));
        record.observe("bus_wait/others", distribution(&self.others_wait));
        record.observe("delay_budget", Observation::Budget(self.budget.clone()));
        if let Some(trace) = &self.trace {
            record.traces.insert("response_time".to_owned(), trace.clone());
        }
        record
    }

    /// Throughput, loss and response time, in total and per direction where there are two.
    fn report_frames(&self, both: bool, record: &mut Record) {
        let dropped = self.dropped();
        let (mut frames, mut packet_rate, mut response_time) = (0, 0.0, Distribution::new());
        let mut throughput = self.moved_by_others as f64 * 8.0 / self.window.seconds();
        for (name, direction) in [("receive", &self.to_host), ("transmit", &self.to_ring)] {
            let (frame_rate, bit_rate) = direction.rates(self.window);
            frames += direction.tally.delivered.observed();
            packet_rate += frame_rate;
            throughput += bit_rate;
            response_time.merge(&direction.response_time);
            if both {
                report(record, &format!("/{name}"), frame_rate, bit_rate, &direction.response_time);
            }
        }
        report(record, "", packet_rate, throughput, &response_time);
        record.share("loss", dropped, frames + dropped);
        record.count("drops", dropped);
        let places = if self.observed.is_some() { PLACES.len() } else { WITHOUT_EVENTS };
        for (place, count) in PLACES.iter().zip(&self.drops).take(places) {
            record.count(format!("drops/{place}"), count.observed());
        }
    }

    /// How busy each stage is, and how full each buffer; without a member the bottleneck, the busiest of them.
    fn report_stages(&self, occupancy: &Occupancy<'_>, end: Time, record: &mut Record) {
        let most = occupancy.busy.iter().map(|&(_, share)| share).fold(0.0, f64::max);
        record.scalar("utilisation", most);
        // what finds no buffer is dropped: a stage is never offered more than it takes
        for &(stage, share) in &occupancy.busy {
            let load =
                Load { unit: "1".to_owned(), offered: share, carried: share, utilisation: Some(share), demand: None };
            record.load(stage, load);
            record.scalar(format!("utilisation/{stage}"), share);
        }
        for &(buffer, level) in &occupancy.levels {
            record.observe(format!("queue_length/{buffer}"), level.clone().finish(end));
        }
        let cycles = self.window.whole(CYCLE).max(1);
        record.scalar("interference", self.driven_by_others as f64 / cycles as f64);
    }
}

fn report(record: &mut Record, member: &str, frame_rate: f64, bit_rate: f64, response_time: &Distribution) {
    record.scalar(format!("throughput{member}"), bit_rate);
    record.scalar(format!("packet_rate{member}"), frame_rate);
    record.observe(format!("response_time{member}"), distribution(response_time));
}

fn distribution(samples: &Distribution) -> Observation {
    Observation::Distribution(samples.clone())
}
