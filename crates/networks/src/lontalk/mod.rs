//! LonTalk (ISO/IEC 14908-1, EIA-709.1): channels with predictive p-persistent CSMA, and nodes with three
//! processors each.

pub mod backlog;
pub mod channel;
pub mod medium;
