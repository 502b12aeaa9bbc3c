//! What one replication shows beyond its numbers: levels and samples over time, and its frames.

use std::sync::atomic::AtomicBool;

use serde::Serialize;
use sojourn_core::{Duration, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::pcap::PcapWriter;
use sojourn_metrics::record::Record;
use sojourn_metrics::registry::{self, Shape};
use sojourn_model::Replication;

use crate::rounds::{PointSpec, WorkItem};

/// Points of a curve that are kept; a figure has fewer pixels.
const MOST_POINTS: usize = 2000;
/// Bytes of a capture that are kept: a reader's memory has room for them several times over.
const MOST_BYTES: usize = 32 << 20;

/// One metric over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// Name of the metric, with its member.
    pub metric: String,
    /// Its label, without the member.
    pub label: String,
    /// SI unit of the values.
    pub unit: String,
    /// Whether it is a level, which holds until its next point, or samples.
    pub is_level: bool,
    /// Seconds from the start of the replication, ascending, and the value then.
    pub points: Vec<(f64, f64)>,
    /// Whether points were left out: of neighbouring ones the smallest and the largest were kept.
    pub is_thinned: bool,
}

/// The frames of a replication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frames {
    /// A pcap file.
    pub file: Vec<u8>,
    /// Frames in it.
    pub count: u64,
    /// Later frames, for which it has no room.
    pub left_out: u64,
}

/// Every metric of the registry that a replication traces, in the order of their names.
pub fn course(spec: &PointSpec, item: &WorkItem) -> Vec<Curve> {
    let record = spec.model.replicate(Replication { traces: true, ..replication(spec, item) });
    let traces = record.traces.iter().filter(|(_, points)| !points.is_empty());
    traces.filter_map(|(name, points)| curve(&record, name, points)).collect()
}

/// The frames of a replication; none of a network without frames.
pub fn frames(spec: &PointSpec, item: &WorkItem) -> Option<Frames> {
    let link_type = spec.model.link_type()?;
    let file = PcapWriter::new(Vec::new(), link_type).expect("memory takes every write");
    let mut sink = Bounded { file, room: MOST_BYTES, left_out: 0 };
    spec.model.replicate(Replication { capture: Some(&mut sink), ..replication(spec, item) });
    let (file, count) = sink.file.finish().expect("memory takes every write");
    Some(Frames { file, count, left_out: sink.left_out })
}

fn replication<'a>(spec: &'a PointSpec, item: &WorkItem) -> Replication<'a> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    spec.key("", *item, false).replication(&NEVER)
}

fn curve(record: &Record, name: &str, points: &[(u64, f64)]) -> Option<Curve> {
    let information = registry::find(name)?;
    let own_unit = record.units.get(information.name);
    let kept = thinned(points);
    Some(Curve {
        metric: name.to_owned(),
        label: information.label.to_owned(),
        unit: own_unit.map_or_else(|| information.unit.to_owned(), Clone::clone),
        is_level: information.shape != Shape::Distribution,
        is_thinned: kept.len() < points.len(),
        points: kept.into_iter().map(|(time, value)| (Duration::from_picoseconds(time).seconds(), value)).collect(),
    })
}

/// The smallest and the largest of neighbouring points, in their order; all where there are few.
fn thinned(points: &[(u64, f64)]) -> Vec<(u64, f64)> {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let size = (2 * points.len()).div_ceil(MOST_POINTS);
    let extremes = |chunk: &[(u64, f64)]| {
        let by_value = |one: &&(u64, f64), other: &&(u64, f64)| one.1.total_cmp(&other.1);
        let mut pair = [chunk.iter().min_by(by_value), chunk.iter().max_by(by_value)]
            .map(|found| *found.expect("no chunk is empty"));
        pair.sort_by_key(|point| point.0);
        pair
    };
    points.chunks(size).flat_map(extremes).collect()
}

/// A capture that ends where its room does.
struct Bounded {
    file: PcapWriter<Vec<u8>>,
    room: usize,
    left_out: u64,
}

impl FrameSink for Bounded {
    fn frame(&mut self, at: Time, bytes: &[u8]) {
        match self.room.checked_sub(bytes.len() + 16).filter(|_| self.left_out == 0) {
            Some(room) => {
                self.room = room;
                self.file.frame(at, bytes);
            }
            None => self.left_out += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Build;
    use crate::computation::{Computation, Request};
    use sojourn_catalogue::NETWORKS;
    use sojourn_metrics::frames::LinkType;

    fn opened(kind: &str) -> (Computation, WorkItem) {
        let text = NETWORKS.kinds().template(kind).unwrap();
        let set = vec!["run.duration=5 s".to_owned(), "run.warm_up=1 s".to_owned()];
        let request = Request { name: "a.toml".into(), text, set, ..Request::default() };
        let build = Build { version: String::new(), commit: String::new(), identity: String::new() };
        let mut computation = Computation::open(NETWORKS, &request, build).unwrap();
        let first = computation.begin()[0];
        (computation, first)
    }

    #[test]
    fn the_course_of_a_replication_has_its_samples_over_time() {
        let (computation, item) = opened("queue");
        let course = computation.course(&item);
        let samples = course.iter().find(|curve| curve.metric == "response_time").unwrap();
        assert!(!samples.is_level && samples.unit == "s");
        assert!(samples.points.is_sorted_by_key(|point| point.0));
        assert!(samples.points.last().unwrap().0 <= 6.0);
    }

    #[test]
    fn a_network_without_frames_has_no_capture() {
        let (computation, item) = opened("queue");
        assert_eq!(computation.frames(&item), None);
        let (computation, item) = opened("lontalk");
        assert!(computation.frames(&item).unwrap().count > 0);
    }

    #[test]
    fn thinning_keeps_every_peak_in_order_of_time() {
        let mut points: Vec<(u64, f64)> = (0..10_000).map(|time| (time, 1.0)).collect();
        points[4321].1 = 99.0;
        let kept = thinned(&points);
        assert!(kept.len() <= MOST_POINTS && kept.contains(&(4321, 99.0)));
        assert!(kept.is_sorted_by_key(|point| point.0));
    }

    #[test]
    fn a_capture_ends_with_the_first_frame_that_has_no_room() {
        let file = PcapWriter::new(Vec::new(), LinkType::RawIp).unwrap();
        let mut sink = Bounded { file, room: 60, left_out: 0 };
        for length in [20, 20, 1] {
            sink.frame(Time::ZERO, &vec![0x45; length]);
        }
        assert_eq!((sink.left_out, sink.file.finish().unwrap().1), (2, 1));
    }
}
