//! LonTalk (ISO/IEC 14908-1, EIA-709.1): channels with predictive p-persistent CSMA, and nodes with three
//! processors each.

mod access;
pub mod backlog;
mod capture;
pub mod channel;
pub mod costs;
mod foresight;
mod hearing;
mod measure;
pub mod medium;
pub mod model;
mod network;
pub mod plan;
mod receiving;
mod scenario;
mod sending;
pub mod simulation;
pub mod site;
mod station;
mod traffic;
mod trip;

use crate::slab;

pub use network::LonTalkNetwork;
