//! LonTalk (ISO/IEC 14908-1, EIA-709.1): channels with predictive p-persistent CSMA, and nodes with three
//! processors each.

mod access;
pub mod backlog;
mod budget;
mod capture;
pub mod channel;
pub mod costs;
pub mod installation;
pub mod medium;
mod metrics;
pub mod model;
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

pub use network::LonTalkNetwork;
