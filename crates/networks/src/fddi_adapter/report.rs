//! What a replication reports.

use sojourn_core::Time;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::level::TimeWeighted;
use sojourn_metrics::record::{Observation, Record};

use super::metrics::Measures;
use super::settings::StageSelection;
use super::world::Adapter;

/// The record of an adapter whose clock has reached `end`.
pub fn record(mut adapter: Adapter<'_>, end: Time) -> Record {
    adapter.check_conservation();
    let mut record = Record::default();
    // bursts, buffers or frames
    record.units.insert("queue_length".to_owned(), "1".to_owned());
    stages(&mut adapter, end, &mut record);
    let measures = adapter.measures;
    frames(&measures, adapter.settings.traffic.receive && adapter.settings.traffic.transmit, &mut record);
    record.observe("bus_wait", distribution(measures.bus_wait));
    record.observe("bus_wait/others", distribution(measures.others_wait));
    record.observe("delay_budget", Observation::Budget(measures.budget));
    if let Some(trace) = measures.trace {
        record.traces.insert("response_time".to_owned(), trace);
    }
    record
}

/// Throughput, loss and response time, in total and per direction where there are two.
fn frames(measures: &Measures, both: bool, record: &mut Record) {
    let window = measures.to.since(measures.from);
    let dropped: u64 = measures.drops.values().sum();
    let (mut frames, mut packet_rate, mut response_time) = (0, 0.0, Distribution::new());
    let mut throughput = measures.moved_by_others as f64 * 8.0 / window.seconds();
    for (name, tally) in [("receive", &measures.to_host), ("transmit", &measures.to_ring)] {
        let (frame_rate, bit_rate) = tally.rates(window);
        frames += tally.frames;
        packet_rate += frame_rate;
        throughput += bit_rate;
        response_time.merge(&tally.response_time);
        if both {
            report(record, &format!("/{name}"), frame_rate, bit_rate, tally.response_time.clone());
        }
    }
    report(record, "", packet_rate, throughput, response_time);
    record.scalar("loss", share(dropped as f64, (frames + dropped) as f64));
    record.count("drops", dropped);
    for (place, count) in &measures.drops {
        record.count(format!("drops/{}", place.name()), *count);
    }
}

fn report(record: &mut Record, member: &str, frame_rate: f64, bit_rate: f64, response_time: Distribution) {
    record.scalar(format!("throughput{member}"), bit_rate);
    record.scalar(format!("packet_rate{member}"), frame_rate);
    record.observe(format!("response_time{member}"), distribution(response_time));
}

fn distribution(samples: Distribution) -> Observation {
    Observation::Distribution(samples)
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// How busy each stage is, and how full each buffer; without a member the bottleneck, the busiest of them.
fn stages(adapter: &mut Adapter<'_>, end: Time, record: &mut Record) {
    let (traffic, measures) = (&adapter.settings.traffic, &adapter.measures);
    let bus = adapter.bus.utilisation();
    let mut busy = vec![("bus", bus)];
    let ring_side = traffic.stages != StageSelection::HostInterface && (traffic.receive || traffic.transmit);
    if ring_side {
        busy.push(("ring", adapter.ring.utilisation(end)));
        busy.push(("ring-memory-controller", adapter.ring_memory.utilisation(end)));
        level(record, "receive-fifo", &adapter.receive.fifo.level, end);
        level(record, "transmit-fifo", &adapter.transmit.sending.fifo.level, end);
        level(record, "receive-buffers", &adapter.receive.pool.taken, end);
        level(record, "transmit-buffers", &adapter.transmit.pool.taken, end);
        level(record, "control-queue", &adapter.receive.waiting, end);
    }
    if ring_side && traffic.receive {
        busy.push(("parser", adapter.parser.utilisation(end)));
    }
    if traffic.stages == StageSelection::Adapter && ring_side {
        busy.push(("control", adapter.control.busy.clone().share()));
    }
    if traffic.receive {
        busy.push(("data-writes", adapter.receive.writing.clone().share()));
    }
    if traffic.transmit {
        busy.push(("data-reads", adapter.transmit.fetching.clone().share()));
    }
    let most = busy.iter().map(|&(_, share)| share).fold(0.0, f64::max);
    record.scalar("utilisation", most);
    for (stage, share) in busy {
        record.scalar(format!("utilisation/{stage}"), share);
    }
    let cycles = measures.to.since(measures.from).whole(super::bus::CYCLE).max(1);
    record.scalar("interference", measures.driven_by_others as f64 / cycles as f64);
}

fn level(record: &mut Record, buffer: &str, level: &TimeWeighted, end: Time) {
    record.observe(format!("queue_length/{buffer}"), level.clone().finish(end));
}

impl Adapter<'_> {
    /// Frames are neither made nor lost.
    fn check_conservation(&self) {
        let measures = &self.measures;
        let (in_receive, in_transmit) = self.control.holds();
        assert_eq!(
            measures.received,
            measures.receive_ended + self.receive.inside() + in_receive,
            "received frames are delivered, dropped or in the adapter"
        );
        assert_eq!(
            measures.begun,
            measures.send_ended + self.transmit.inside() + in_transmit,
            "frames begun are sent, spoilt or in the adapter"
        );
    }
}
