//! What must hold of every world: a copy made at any instant goes on as the original, event by event; one whose streams are
//! rekeyed parts from it.

use std::fmt::Debug;
use std::sync::atomic::AtomicBool;

use sojourn_core::{CopyKey, Duration, Rekey, Streams, Time};
use sojourn_engine::sample::uniform;
use sojourn_engine::{Queue, World, run};
use sojourn_scenario::{Document, Scenario, check, template};

/// Events that copies are compared over.
const EVENTS: usize = 3000;

/// The scenario that a kind of network comes with.
pub fn scenario(kind: &str) -> Scenario {
    let text = template(kind).expect("every network has a template");
    let document = Document::parse(&format!("{kind}.toml"), &text).expect("a template parses");
    check(&document).expect("a template is a scenario")
}

/// Copies a world that is at time 0 at four random instants before `until`; returns how many of four rekeyed copies parted
/// from the original.
pub fn assert_copies_go_on_alike<W>(mut world: W, mut queue: Queue<W::Event>, until: Duration) -> usize
where
    W: World + Clone + Rekey,
    W::Event: Debug,
{
    world.end_warm_up(Time::ZERO, &mut queue);
    let mut instants = Streams::new(1, 0).stream("instants");
    let mut parted = 0;
    for _ in 0..4 {
        let (mut world, mut queue) = (world.clone(), queue.clone());
        run(&mut world, &mut queue, Time::ZERO + uniform(&mut instants, until), &AtomicBool::new(false));
        let (copy, queue_of_copy) = (world.clone(), queue.clone());
        let (mut rekeyed, queue_of_rekeyed) = (world.clone(), queue.clone());
        rekeyed.rekey(CopyKey::new(1, 1, queue.handled()));
        let original = course(world, queue);
        let copied = course(copy, queue_of_copy);
        assert!(original.len() == EVENTS, "{} events", original.len());
        assert!(
            original == copied,
            "they part at {:?}",
            original.iter().zip(&copied).find(|(one, other)| one != other)
        );
        parted += usize::from(course(rekeyed, queue_of_rekeyed) != original);
    }
    parted
}

/// The next events with their instants.
fn course<W>(mut world: W, mut queue: Queue<W::Event>) -> Vec<(Time, String)>
where
    W: World,
    W::Event: Debug,
{
    let next = || {
        let (now, event) = queue.pop_until(Time::NEVER, W::class)?;
        world.handle(now, event, &mut queue);
        Some((now, format!("{event:?}")))
    };
    std::iter::from_fn(next).take(EVENTS).collect()
}
