//! What the networks compute from a scenario: closed forms, published figures and invariants.

mod calls;
mod fddi_calls;
mod fddi_capture;
mod fddi_events;
mod fddi_options;
mod fddi_ring;
mod fddi_voice;
mod ip;
mod ip_requests;
mod lontalk_bulletin;
mod lontalk_design;
mod lontalk_events;
mod lontalk_ip852;
mod lontalk_routers;
mod lontalk_scenarios;
mod packet_radio;
mod packet_radio_events;
mod packet_radio_node;
mod packet_radio_propagation;
mod packet_radio_rose;
mod packet_radio_sessions;
mod packet_radio_traffic;
mod support;
mod switched_lan;
mod switched_lan_cells;
mod switched_lan_events;
