//! What a network is to the rest of the laboratory, and what networks share. It depends on no network.
//!
//! # Write a network of your own
//!
//! A network is a crate in `networks/` that implements [`Network`] and [`Model`]. A row in `crates/catalogue` makes it known to
//! everything else: the command line, the documentation, the workbench, browsers, and the tests of all networks.
//!
//! `make new-network NAME=token-ring` copies the smallest network, `networks/queue`, to `networks/token-ring` under the new name. The
//! copy compiles and passes its tests. You then replace its contents in the order of the steps below, which is the order in which
//! data pass through it. Each step names the files of `networks/queue/src` that do it.
//!
//! 1. **Declare the keys and the rules between them**, as data: `keys/mod.rs`, `keys/rules.rs`, `keys/event.rs`, `keys/template.toml`.
//!    One static [`NetworkKeys`](sojourn_scenario::NetworkKeys), here `QUEUE`, lists the tables of a scenario. Each key is a row
//!    `key(NAME, KIND, HELP)`, with `.default(VALUE, SOURCE)` or `.optional()`. Reading, checks with hints, `--set`, the JSON schema,
//!    the template's comments and `docs/reference` follow from the rows. `rules::check` adds the mistakes that no single key shows: a
//!    closed flow through a station of finite capacity. The template is what `sojourn new` prints, and must run.
//! 2. **Turn a checked scenario into settings**: `scenario.rs`. `Settings::of` reads each [`Table`](sojourn_scenario::Table) by the name of
//!    its key and returns the network's own types: names become indices, words become enums, quantities become
//!    [`Duration`](sojourn_core::Duration)s. Every value has passed its declaration, so an unexpected one is a bug and panics. A mistake that
//!    only the settings show is a [`Problem`](sojourn_scenario::Problem) with its place in the file.
//! 3. **Write the events and the world**: `event.rs`, `source.rs`, `station.rs`, `world.rs`. An event is a small enum. The world holds
//!    all state and implements [`World`](sojourn_engine::World): `handle` takes the time and an event, changes the state, and schedules the events that
//!    follow on the [`Queue`](sojourn_engine::Queue). No code here reads a clock, allocates for each event or iterates over an unordered
//!    collection. Random numbers come from named streams (`station/desk/service`), so that a new draw in one place leaves the others alone.
//!    Protocols are machines without I/O in `crates/protocols`; media, hosts and flows belong to the network.
//! 4. **Run a replication**: `network.rs`, `world.rs`. [`Model::replicate`] builds the world, runs it through warm-up and observation, and
//!    returns a [`Record`](sojourn_metrics::Record). The same [`Replication`] must give the same record, bit for bit, on any machine and any thread.
//! 5. **Record the metrics**: `metrics.rs`. A metric is a name of the registry (`crates/metrics/src/registry.rs`, with unit, shape and
//!    definition); a new one is a new row there. [`Information::metrics`] lists all that the network can record. What happens during the
//!    warm-up is not recorded. [`flow_tally::FlowTally`] asserts that every offered message was delivered, was lost or is in flight; a
//!    [`LatencyBudget`](latency_budget) splits each response time into components that add up to it.
//! 6. **State the worst cases**: `bounds.rs`. [`Network::bounds`] turns the scenario into flows and servers of `sojourn_bounds::network`
//!    and reports each bound with its theorem. Where there is none it reports why: [`Report::none`](sojourn_bounds::report::Report::none).
//! 7. **Say what the model is**: the [`Information`] in `network.rs` and the README. What it leaves out, and what that may cost, comes first.
//!    `make docs` writes `docs/reference/token-ring.md` from it.
//!
//! The contract in code, without what `queue` does for speed and for the events of a scenario:
//!
//! ```ignore
//! impl Network for QueueNetwork {
//!     fn information(&self) -> &'static Information {
//!         &INFORMATION
//!     }
//!     fn keys(&self) -> &'static NetworkKeys {
//!         &crate::keys::QUEUE
//!     }
//!     fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
//!         Ok(Box::new(Settings::of(scenario)?))
//!     }
//!     fn bounds(&self, scenario: &Scenario) -> Result<Report, Problems> {
//!         crate::bounds::bounds(scenario)
//!     }
//! }
//!
//! impl Model for Settings {
//!     fn replicate(&self, replication: Replication<'_>) -> Record {
//!         let (mut customers, mut queue) = (Customers::new(self, &replication), Queue::new());
//!         customers.begin(&mut queue);
//!         let end = Time::ZERO + replication.warm_up + replication.duration;
//!         run(&mut customers, &mut queue, end, replication.cancelled);
//!         Record { events: queue.handled(), ..customers.finish() }
//!     }
//! }
//! ```
//!
//! # Where it is registered
//!
//! The scaffold adds one row, `&sojourn_token_ring::TokenRingNetwork`, to `crates/catalogue/src/lib.rs`, and the dependency to `crates/catalogue/Cargo.toml` and to the workspace's `Cargo.toml`. `tools/check_seams.py` lists the networks
//! as well, in `NETWORKS`. Below the catalogue no crate depends on a network: code that needs networks takes a [`Catalogue`] as an argument.
//!
//! # Tests that then apply to it
//!
//! `cargo test -p sojourn-lab conformance` takes every row of the catalogue. `crates/lab/tests/all/conformance.rs` draws 60 random scenarios
//! from the declarations of the keys. Each must give the same record twice, observe declared metrics of the registered shape only, have no
//! zero that nothing counted, and have a delay budget that adds up to the response time. The full form of the template must give the record
//! of the template, and every misspelt key must be refused with the right one. `conformance_events.rs` does most of this again with random
//! events of each action that the network declares. `crates/catalogue/tests` checks bounds, keys and mistakes of documents; a new network
//! adds its cases there. `tests/golden/test_golden.py` compares results between machines once the template is in its table `SCALED` and
//! `make golden` has written the digest. What only your network can show, closed forms above all, belongs in its own `tests`.
//!
//! Optional: [`rare::RareModel`] and [`Network::gauges`] for rare events, `Network::together` for scenarios that differ in their events
//! alone, [`Network::warnings`] for rules of the trade, [`Network::meaning`] for what is noted of load, timers and costs before a run, [`Model::link_type`] for captures, [`Model::controls`] for control variates.
//! [`timed`] schedules the events of a scenario.
//!
//! # Parts
//!
//! | part | concern |
//! |---|---|
//! | `network` | a kind of network: what it is, and how a scenario of it becomes a model |
//! | `model` | a scenario turned into a simulation, and one replication of it |
//! | `catalogue` | the networks that there are |
//! | `rare` | running worlds that can be copied, and what of them a rare event is about |
//! | `arrivals` | the `arrivals` table of a flow as an arrival process |
//! | `branches` | scenarios that differ in their events alone, whose beginning is simulated once |
//! | `copies` | for tests: a copy of a world goes on as the original |
//! | `cpu` | a serial CPU and its job queue |
//! | `effect` | what the events of a scenario do to stations, media and flows |
//! | `flow_tally` | messages offered, delivered, lost and in flight, with and without the warm-up |
//! | `latency_budget` | the time of one message, split into components that add up to it |
//! | `laws` | a table whose kind is a distribution of durations as a law |
//! | `meaning` | notes before a simulation: load above capacity, probes without samples, timers, costs |
//! | `muted` | sources that events have silenced, and when the others send next |
//! | `not_copied` | what copies of a world do not have: a capture |
//! | `slab` | what is in flight, by number |
//! | `testing` | for tests: from the text of a scenario to what one replication observes |
//! | `timed` | the events of a scenario, what they do to response times |
//! | `traffic` | heartbeats, polls and recorded messages, in addition to the arrival processes of the engine |
//! | `uart` | characters of a serial line that several stations share: MS/TP, Modbus |
//! | `voice` | what voice sounds like to its listeners |

pub mod arrivals;
pub mod branches;
mod catalogue;
pub mod copies;
pub mod cpu;
pub mod effect;
pub mod flow_tally;
pub mod latency_budget;
pub mod laws;
pub mod meaning;
mod model;
pub mod muted;
mod network;
pub mod not_copied;
mod notes;
pub mod rare;
pub mod slab;
pub mod testing;
pub mod timed;
pub mod traffic;
pub mod uart;
pub mod voice;
mod warning;

pub use catalogue::Catalogue;
pub use meaning::Meaning;
pub use model::{Drawn, Model, Replication, Together};
pub use network::{Information, Network};
pub use warning::Warning;
