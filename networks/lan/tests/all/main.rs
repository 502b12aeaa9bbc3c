//! LANs and IP paths from a scenario: closed forms, published figures and invariants.

mod blind_wire;
mod calls;
mod ip;
mod ip_ecn;
mod ip_queues;
mod ip_requests;
mod shared_wire;
mod support;
mod switched_lan;
mod switched_lan_cells;
mod switched_lan_events;
