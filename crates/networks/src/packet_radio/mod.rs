//! Packet radio: AX.25 over shared radio channels and wires, with terminals, digipeaters, NET/ROM nodes and ROSE
//! switches, and a ping-pong of blocks between two terminals.

pub mod information;
pub mod medium;
