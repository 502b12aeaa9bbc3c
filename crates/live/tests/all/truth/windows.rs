//! Loss by direction in the windows of a monitor, against what the emulator did.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::channel;

use sojourn_core::Duration;
use sojourn_live::emulator::{Link, Passed, Path};
use sojourn_live::prober::plan::TimedTest;
use sojourn_live::prober::windows::event::{Window, WindowEvent, Windows};
use sojourn_live::transport::NoFrames;
use sojourn_live::{Measurement, Watch, find};

use super::network::{Emulator, delayed, plan};
use super::record::{Faults, Truth};
use crate::reflector::Reflector;

/// Windows of 1.5 s each.
const WINDOWS: usize = 3;

/// Monitors a server over a path for some windows.
fn monitored(scheme: &str, path: &Path) -> (Vec<Window>, Truth) {
    let reflector = Reflector::at(&format!("{scheme}://127.0.0.1:0"));
    let emulator = Emulator::start("127.0.0.1:0".parse().unwrap(), reflector.address, path);
    let (events, happened) = channel();
    let (length, session) = (Duration::from_millis(1500), Duration::from_secs(600));
    let windows = Some(Windows { length, session, load: None, target: 0, moved: Arc::default(), events });
    let plan = TimedTest { windows, timeout: Duration::from_secs(2), ..plan(1500) };
    let (transport, target) = find(&format!("{scheme}://{}", emulator.address)).unwrap();
    let measure = transport.measure(&target, Measurement::timed(plan)).unwrap();
    let watch = Watch::new();
    let found = std::thread::scope(|scope| {
        scope.spawn(|| measure(&watch, &mut NoFrames));
        let windows = happened.iter().filter_map(|(_, event)| match event {
            WindowEvent::Window(window) => Some(*window),
            _ => None,
        });
        let found = windows.take(WINDOWS).collect();
        watch.cancel();
        found
    });
    (found, emulator.end())
}

/// The packets of STAMP in a direction by the number of their probe, copies of probes left out.
fn of_probes(truth: &Truth, is_forward: bool) -> BTreeMap<u64, &Passed> {
    let mut packets = BTreeMap::new();
    for (number, passed) in truth.of_stamp(is_forward) {
        packets.entry(number).or_insert(passed);
    }
    packets
}

/// Losses of each window, forward and return, as reported and as recorded.
fn losses(forward: Link, reverse: Link, seed: u64) -> Vec<[[u64; 2]; 2]> {
    let (windows, truth) = monitored("stamp", &Path::of(forward, reverse, seed));
    let [there, back] = [true, false].map(|is_forward| of_probes(&truth, is_forward));
    let mut first = 0;
    let of_window = |window: &Window| {
        let within = first..first + window.sent;
        first = within.end;
        let lost = |packets: &BTreeMap<u64, &Passed>| {
            packets.range(within.clone()).filter(|(_, passed)| passed.delivered.is_empty()).count() as u64
        };
        let reported = ["forward", "return"].map(|direction| Faults::reported(&window.record, direction).lost);
        [reported, [lost(&there), lost(&back)]]
    };
    windows.iter().map(of_window).collect()
}

#[test]
fn windows_of_stamp_have_the_loss_of_each_direction() {
    let lossy = |loss| Link { loss, ..delayed(5) };
    let found = losses(lossy(0.05), lossy(0.02), 21);
    assert_eq!(found.len(), WINDOWS);
    for [reported, recorded] in &found {
        // two windows may exchange the losses at their border
        assert!(reported.iter().zip(recorded).all(|(one, other)| one.abs_diff(*other) <= 1), "{found:?}");
    }
    assert!(found.iter().all(|[reported, _]| reported[0] > 1), "{found:?}");
}

#[test]
fn windows_of_stamp_know_losses_of_the_return_alone_as_such() {
    let found = losses(delayed(5), Link { loss: 0.05, ..delayed(5) }, 22);
    assert_eq!(found.len(), WINDOWS);
    for [reported, recorded] in &found {
        assert_eq!(reported, recorded, "{found:?}");
    }
    assert!(found.iter().all(|[reported, _]| reported[1] > 1), "{found:?}");
}
