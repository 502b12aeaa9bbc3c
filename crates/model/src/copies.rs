//! A conformance test of worlds: a copy made at any instant, also over another world, continues like the original,
//! event by event, to the same record; one whose streams are rekeyed, or whose memoryless draws are repeated,
//! diverges from it.

use std::fmt::Debug;
use std::sync::atomic::AtomicBool;

use sojourn_core::{CopyKey, Duration, Streams, Time};
use sojourn_engine::sample::uniform;
use sojourn_engine::splitting::Copied;
use sojourn_engine::{Queue, World, run};
use sojourn_metrics::record::Record;

/// Events that copies are compared over.
const EVENTS: usize = 3000;

/// Copies a world that is at time 0 at four random instants before `until`; returns how many of four copies with streams of
/// their own parted from the original. `record` is what a world has observed by an instant.
pub fn assert_copies_go_on_alike<W>(
    mut world: W,
    mut queue: Queue<W::Event>,
    until: Duration,
    record: impl Fn(W, Time) -> Record,
) -> usize
where
    W: Copied,
    W::Event: Debug,
{
    world.end_warm_up(Time::ZERO, &mut queue);
    let mut instants = Streams::new(1, 0).stream("instants");
    let mut parted = 0;
    // what an earlier path has left
    let mut used = (world.clone(), queue.clone());
    for _ in 0..4 {
        let (mut world, mut queue) = (world.clone(), queue.clone());
        run(&mut world, &mut queue, Time::ZERO + uniform(&mut instants, until), &AtomicBool::new(false));
        let (mut copy, mut redrawn) = ((world.clone(), queue.clone()), (world.clone(), queue.clone()));
        used.0.clone_from(&world);
        used.1.clone_from(&queue);
        redrawn.0.rekey(CopyKey::new(1, 1, queue.handled()));
        redrawn.0.redraw(queue.now(), &mut redrawn.1);
        let original = course(&mut world, &mut queue);
        assert!(original.len() == EVENTS, "{} events", original.len());
        let observed = record(world, queue.now());
        for (world, queue) in [&mut copy, &mut used] {
            let copied = course(world, queue);
            let parting = original.iter().zip(&copied).find(|(one, other)| one != other);
            assert!(original == copied, "they part at {parting:?}");
            assert_eq!(record(world.clone(), queue.now()), observed);
        }
        parted += usize::from(course(&mut redrawn.0, &mut redrawn.1) != original);
    }
    parted
}

/// The next events with their instants.
fn course<W>(world: &mut W, queue: &mut Queue<W::Event>) -> Vec<(Time, String)>
where
    W: World,
    W::Event: Debug,
{
    let next = || {
        let (now, event) = queue.pop_until(Time::NEVER, W::class)?;
        world.handle(now, event, queue);
        Some((now, format!("{event:?}")))
    };
    std::iter::from_fn(next).take(EVENTS).collect()
}
