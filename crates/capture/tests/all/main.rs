//! Captures as the trackers see them: scripted sessions, simulations, and tshark on the same packets where it is installed.

mod bad_input;
mod fddi;
mod ip;
mod lontalk;
mod packet_radio;
mod rates;
mod simulated;
mod twin_of;
