//! One replication on several threads, to the same bytes as on one.
//!
//! Media are divided into groups, each with a simulation and an event queue of its own (conservative synchronisation). The core has
//! all routers; the other groups have media with one router. A group promises the others an instant before which it will announce
//! nothing any more, and runs up to the instants that they promise. What it announces is known in advance: when a transmission ends as
//! soon as all have sensed it, when a router forwards a packet as soon as that has arrived. See
//! docs/decisions/0065-parallel-replication.md.
//!
//! | file | concern |
//! |---|---|
//! | `partition` | which media are in which group, and how far each looks ahead |
//! | `border`, `passing` | what groups announce to each other |
//! | `shared_messages`, `operation` | messages of which packets are in several groups |
//! | `samples` | response times of all groups in the order of time |
//! | `groups` | a group and its course, in a thread of its own or in turn with others |
//! | `threads` | promises and waiting |
//! | `barrier` | the instants at which all groups wait for each other |
//! | `ties` | events of one instant whose order is unknown |
//! | `join` | the groups' simulations become one again |

mod barrier;
mod border;
mod groups;
mod join;
mod operation;
mod partition;
mod passing;
mod samples;
mod shared_messages;
#[cfg(test)]
mod tests;
mod threads;
mod ties;

use std::panic::resume_unwind;
use std::sync::Arc;

pub use border::Border;
use groups::{Course, Group, take_turns};
pub use partition::Partition;
pub use samples::Sample;
use threads::{AbandonOnPanic, Abandoned, Exchange};

use super::event::Events;
use super::world::Simulation;
use sojourn_model::Replication;

/// The simulation of a replication at its end, whose groups each begin as the whole site that `begin` gives; `None` if it was
/// cancelled, or if something of two groups happened in the same picosecond and its order matters: on one thread the order of
/// insertion decides then.
pub fn simulate<'a, 'c>(
    partition: Partition,
    replication: &Replication<'_>,
    begin: impl Fn() -> (Simulation<'a, 'c>, Events) + Sync,
) -> Option<Simulation<'a, 'c>> {
    simulate_with(&Exchange::new(Arc::new(partition)), replication, begin)
}

fn simulate_with<'a, 'c>(
    exchange: &Exchange,
    replication: &Replication<'_>,
    begin: impl Fn() -> (Simulation<'a, 'c>, Events) + Sync,
) -> Option<Simulation<'a, 'c>> {
    let partition = &exchange.partition;
    let (course, cancelled) = (Course::of(replication), replication.cancelled);
    let simulate = |number: u8| {
        let _guard = AbandonOnPanic(exchange);
        Group::new(begin(), partition, number, course).run(exchange, course, cancelled)
    };
    let simulate = &simulate;
    let groups = std::thread::scope(|scope| {
        let others: Vec<_> =
            (1..partition.groups()).map(|number| scope.spawn(move || simulate(number as u8))).collect();
        let core = simulate(0);
        let others = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(core).chain(others).collect::<Result<Vec<_>, Abandoned>>()
    });
    let mut groups = groups.ok()?;
    // where processors are busy with other work, one thread goes on with all groups
    let count = groups.len();
    take_turns(exchange, &mut groups, course, cancelled, |turn| (turn + 1) % count).ok()?;
    Group::join(groups, partition)
}
