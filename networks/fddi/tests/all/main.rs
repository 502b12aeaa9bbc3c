//! FDDI from a scenario: closed forms, published figures and invariants.

mod fddi_calls;
mod fddi_capture;
mod fddi_events;
mod fddi_options;
mod fddi_ring;
mod fddi_voice;
mod support;
