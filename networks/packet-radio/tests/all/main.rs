//! Packet radio from a scenario: closed forms, published figures and invariants.

mod packet_radio;
mod packet_radio_events;
mod packet_radio_node;
mod packet_radio_propagation;
mod packet_radio_rose;
mod packet_radio_sessions;
mod packet_radio_traffic;
mod support;
