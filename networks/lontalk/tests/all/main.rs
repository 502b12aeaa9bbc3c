//! LonTalk from a scenario: closed forms, published figures and invariants.

mod lontalk_bulletin;
mod lontalk_design;
mod lontalk_events;
mod lontalk_ip852;
mod lontalk_polls;
mod lontalk_routers;
mod lontalk_scenarios;
mod support;
