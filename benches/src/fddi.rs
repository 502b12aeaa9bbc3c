//! FDDI rings: frames of a busy one, rotations of an idle one.

use sojourn_core::{Duration, Time};
use sojourn_fddi::ring::{Class, Discipline, MacSettings, Outgoing, Ring, RingSettings};

use crate::clock::timed;

/// Voice of 256 samples, the frames of a traffic generator, and a short message: MAC lengths.
const FRAMES: [(Class, u32); 3] =
    [(Class::Synchronous, 325), (Class::Synchronous, 4167), (Class::Asynchronous(0), 345)];

/// Frames a second of processor time on a ring of three stations that always have something to send: one packet per
/// token, 15 of a generator, and asynchronous messages.
pub fn busy(frames: u64) -> f64 {
    let mut settings = RingSettings::uniform(3, 100.0, &MacSettings::new(1));
    let disciplines =
        [Discipline::SinglePacketPerToken, Discipline::MultiplePacketsPerToken(15), Discipline::UNLIMITED];
    for (mac, discipline) in settings.macs.iter_mut().zip(disciplines) {
        mac.enforce_allocation = false;
        mac.synchronous = discipline;
    }
    let mut ring = Ring::new(settings);
    ring.observe(0);
    for mac in 0..3 {
        (0..20).for_each(|_| offer(&mut ring, Time::ZERO, mac));
    }
    let (seconds, ()) = timed(|| {
        let mut carried = 0;
        while carried < frames {
            let now = ring.next_event();
            if let Some(frame) = ring.handle(now) {
                carried += 1;
                offer(&mut ring, now, frame.mac);
            }
        }
    });
    frames as f64 / seconds
}

fn offer(ring: &mut Ring, now: Time, mac: u32) {
    let (class, length) = FRAMES[mac as usize];
    ring.offer(now, mac, class, Outgoing { tag: 0, length }).expect("a frame that the ring takes");
}

/// Rotations a second of processor time of a token that 1000 MACs pass on 200 km, where one of them sends a frame every
/// second.
pub fn idle(frames: u64) -> f64 {
    let settings = RingSettings::uniform(1000, 200_000.0, &MacSettings::new(1));
    let mut ring = Ring::new(settings);
    ring.observe(0);
    let mut now = Time::ZERO;
    let (seconds, ()) = timed(|| {
        for frame in 0..frames {
            now += Duration::from_secs(1);
            while ring.next_event() < now {
                ring.handle(ring.next_event());
            }
            let mac = (frame % 1000) as u32;
            let outgoing = Outgoing { tag: 0, length: 325 };
            ring.offer(now, mac, Class::Asynchronous(0), outgoing).expect("a frame that the ring takes");
        }
        ring.settle(now);
    });
    ring.rotations(0).map_or(0, |rotations| rotations.count()) as f64 / seconds
}
