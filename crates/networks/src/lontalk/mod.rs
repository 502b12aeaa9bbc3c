//! LonTalk (ISO/IEC 14908-1, EIA-709.1): channels with predictive p-persistent CSMA, and nodes with three
//! processors each.

mod access;
pub mod backlog;
mod capture;
pub mod channel;
pub mod costs;
mod event;
pub mod installation;
mod latency_budget;
pub mod medium;
mod metrics;
mod network;
mod prefetch;
mod receive;
mod receivers;
mod scenario;
mod send;
pub mod site;
mod sources;
mod station;
pub mod world;

use crate::common::slab;

pub use network::{LonTalk, LonTalkNetwork};
